import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { sessionDirectory } from "../../src/archive/sessionDirectory.ts"
import { awkwardText } from "../support/arbitraries.ts"

/** Names that Windows gives to devices, whatever follows their first dot. */
const device = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i

const isSafe = (name: string): boolean =>
  /^[a-z0-9_-][a-z0-9._-]*$/.test(name) &&
  !name.endsWith(".") &&
  !device.test(name) &&
  name.length <= 129 &&
  path.basename(path.join("/root", name)) === name

const hostile = [
  "",
  ".",
  "..",
  "../../x",
  "..\\..\\x",
  "/etc/passwd",
  "C:\\x",
  "C:",
  "CON",
  "con",
  "con.txt",
  "aux.",
  "nul",
  "com1",
  "a.",
  "a ",
  " a",
  ".hidden",
  ".git",
  ".frozen",
  ".gitignore",
  "~",
  "-rf",
  "a\u0000b",
  "a\nb",
  "a:b",
  "a/b",
  "a_b",
  "a?b",
  "a*b",
  "ABC",
  "abc",
  "аbс",
  "ａｂｃ",
  "e\u0301",
  "é",
  "\ud800",
  "\udc00",
  "\ufffd",
  "😀",
  "x".repeat(300),
  "x".repeat(301),
  `${"x".repeat(300)}y`,
  "X".repeat(300)
]
const ids = hostile.flatMap((id) => [id, `claude:${id}`, `codex:${id}`])

describe("the directory of a session", () => {
  for (const id of ids) {
    it(`of ${JSON.stringify(id.length > 40 ? `${id.slice(0, 40)}... (${id.length})` : id)} is a name and no path`, () => {
      const name = sessionDirectory(id)
      assert.isTrue(isSafe(name), name)
    })
  }

  it("is another one for every id, also where case does not count", () => {
    const names = ids.map((id) => sessionDirectory(id).toLowerCase())
    assert.strictEqual(new Set(names).size, ids.length)
  })

  it("is the id itself where nothing in it needs to change", () => {
    assert.strictEqual(
      sessionDirectory("claude:11111111-1111-4111-8111-111111111111"),
      "claude-11111111-1111-4111-8111-111111111111"
    )
  })

  it("never changes: archives of this version are found by the next", () => {
    assert.strictEqual(sessionDirectory("claude:../../x"), "claude-.._.._x-28cd1731")
    assert.strictEqual(sessionDirectory("claude:ABC"), "claude-___-502dfcd2")
  })

  it.prop("of any text is a name and no path", [awkwardText()], ([id]) => {
    assert.isTrue(isSafe(sessionDirectory(id)), sessionDirectory(id))
    assert.isTrue(isSafe(sessionDirectory(`claude:${id}`)))
  })

  it.prop("of two different texts differs", [awkwardText(6), awkwardText(6)], ([one, other]) => {
    if (one !== other) assert.notStrictEqual(sessionDirectory(one), sessionDirectory(other))
  })
})
