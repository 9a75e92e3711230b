import { execFileSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { shellWord } from "../../src/domain/shellWord.ts"

describe("a word for a shell", () => {
  it("is what it was, whatever stands in it", () => {
    const words = [
      "plain",
      "claude:5f0d-1111",
      "",
      " ",
      "a b",
      "it's",
      "'",
      "''",
      "\\'",
      '"',
      "$HOME",
      "$(id)",
      "`id`",
      "a;b",
      "a&b|c>d<e",
      "*",
      "~",
      "#no",
      "!x",
      "{a,b}",
      "a\nb",
      "日本",
      "x=1"
    ]
    // One program for all of them: each is printed on its own, with an end that no word holds.
    const script = words.map((word) => `printf '%s\\001' ${shellWord(word)}`).join("\n")
    for (const shell of ["sh", "bash"]) {
      assert.deepStrictEqual(
        execFileSync(shell, ["-c", script], { encoding: "utf8" }).split("\u0001").slice(0, -1),
        words
      )
    }
  })

  it("is left alone where no shell sees more in it than letters", () => {
    assert.strictEqual(shellWord("/home/dev/my-app_2/.lint-ai"), "/home/dev/my-app_2/.lint-ai")
  })
})
