import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { fitted } from "../../../src/cli/render/prose.ts"
import { widthOf } from "../../../src/cli/render/text.ts"

describe("lines that are wider than the terminal", () => {
  it("go on below their own beginning", () => {
    assert.strictEqual(fitted("  - one two three four\nshort\n", 14), "  - one two\n    three four\nshort\n")
    assert.strictEqual(
      fitted("warn  hooks: one two three", 16),
      "warn  hooks: one\n      two three".replace("      ", "     ")
    )
    assert.strictEqual(fitted("plain words that go on", 11), "plain words\nthat go on")
  })

  it("keep what is to be copied whole", () => {
    for (const line of [
      "  lint-ai sessions inspect claude:8fd2ac5e",
      "  Inspect  lint-ai sessions inspect claude:8fd2ac5e",
      "/a/very/long/path/that/goes/on",
      "~/a/very/long/path"
    ]) {
      assert.strictEqual(fitted(line, 12), line)
    }
    assert.strictEqual(fitted("See `lint-ai sessions list` for all", 16), "See\n`lint-ai sessions list`\nfor all")
  })

  it("take no column for colours", () => {
    const colored = "\u001b[31mone\u001b[39m two \u001b[1mthree\u001b[22m"
    assert.strictEqual(fitted(colored, 13), colored)
    assert.strictEqual(fitted(colored, 9), "\u001b[31mone\u001b[39m two\n\u001b[1mthree\u001b[22m")
  })

  it.prop(
    "lose no word, and stay within the terminal where words do",
    [Schema.Array(Schema.String), Schema.Natural],
    ([given, n]) => {
      const words = given.map((word) => word.replace(/[^\p{L}]/gu, "x").slice(0, 8)).filter((word) => word !== "")
      const columns = 20 + (n % 100)
      const text = fitted(`- ${words.join(" ")}`, columns)
      const isWhole = text.split(/\s+/).join(" ").trim() === `- ${words.join(" ")}`.trim()
      return isWhole && text.split("\n").every((line) => widthOf(line) <= columns)
    }
  )
})
