import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { asciiOnly, ellipsis, plain, widthOf } from "../../../src/cli/render/text.ts"

describe("the width of a text", () => {
  it("is what a terminal gives to each character, of whatever it is made", () => {
    const widths: ReadonlyArray<readonly [string, number]> = [
      ["", 0],
      ["abc", 3],
      ["é", 1],
      ["e\u0301", 1],
      ["日本", 4],
      ["ｱ", 1],
      ["한글", 4],
      ["\u1112\u1161\u11ab", 2],
      ["👍", 2],
      ["👍🏽", 2],
      ["👨‍👩‍👧", 2],
      ["🇩🇪", 2],
      ["❤️", 2],
      ["❤", 1],
      ["1️⃣", 2],
      ["…·█░", 4],
      ["नमस्ते", 4]
    ]
    for (const [text, width] of widths) assert.strictEqual(widthOf(text), width, JSON.stringify(text))
  })

  it.prop(
    "is never more than asked for after a cut, and nothing is cut that fits",
    [Schema.String, Schema.Natural],
    ([text, n]) => {
      const columns = n % 30
      const shown = plain(text)
      const cut = ellipsis(shown, columns)
      return widthOf(cut) <= columns && (widthOf(shown) > columns || columns === 0 || cut === shown)
    }
  )

  it("is told of a long text without reading all of it again for each character", () => {
    const long = "語".repeat(200_000)
    assert.strictEqual(ellipsis(long, 11), `${"語".repeat(5)}…`)
  })
})

describe("a terminal without Unicode", () => {
  it("gets a likeness of what we draw with, in the same width, and question marks for the rest", () => {
    assert.strictEqual(asciiOnly("abc\n\u001b[1mx\u001b[22m"), "abc\n\u001b[1mx\u001b[22m")
    assert.strictEqual(asciiOnly("3 s · cut… ██░ a\u00a0b"), "3 s - cut~ ##. a b")
    assert.strictEqual(asciiOnly("日é👍"), "?????")
  })

  it.prop("gets no byte that it could take for a control character", [Schema.String], ([text]) =>
    /^[\x20-\x7e]*$/.test(asciiOnly(plain(text)))
  )
})
