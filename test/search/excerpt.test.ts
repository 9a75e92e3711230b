import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { excerptOf } from "../../src/search/excerpt.ts"

const marked = (value: unknown, ...words: ReadonlyArray<string>): string | undefined => {
  const excerpt = excerptOf(value, words)
  if (excerpt === undefined) return undefined
  let text = ""
  let at = 0
  for (const [start, end] of excerpt.matches) {
    text += `${excerpt.text.slice(at, start)}<${excerpt.text.slice(start, end)}>`
    at = end
  }
  return text + excerpt.text.slice(at)
}

describe("an excerpt", () => {
  it("is of the text in which the words are, with the words in it", () => {
    assert.strictEqual(
      marked({ a: "nothing", b: ["The Login\ntest fails"] }, "login", "TEST"),
      "The <Login> <test> fails"
    )
    assert.strictEqual(marked("a 日本 b", "日本"), "a <日本> b")
    assert.strictEqual(marked({ code: 404 }, "404"), "<404>")
  })

  it("is there only when every word is in one of the texts; keys are no text", () => {
    assert.strictEqual(marked({ one: "alpha", two: "beta" }, "alpha", "beta"), "<alpha>")
    assert.isUndefined(marked({ one: "alpha" }, "alpha", "beta"))
    assert.isUndefined(marked({ command: "ls" }, "command"))
    assert.isUndefined(marked(undefined, "x"))
  })

  it("is cut around the first word, and says where", () => {
    const text = `${"a ".repeat(200)}needle${" b".repeat(200)}`
    const found = marked(text, "needle") ?? ""
    assert.match(found, /^….*<needle>.*…$/)
    assert.isBelow(found.length, 200)
  })

  it("takes characters that mean something in patterns for what they are", () => {
    assert.strictEqual(marked("rm -rf ./*.ts (now)", "*.ts", "(now)"), "rm -rf ./<*.ts> <(now)>")
    assert.isUndefined(marked("abc", "a.c"))
  })

  it.prop(
    "finds every word that is a part of a text",
    [Schema.String, Schema.Natural, Schema.Natural],
    ([text, a, b]) => {
      const start = a % (text.length + 1)
      const word = text.slice(start, start + 1 + (b % 8)).trim()
      // Half of a pair is no text.
      if (word === "" || /[\ud800-\udfff]/.test(word) || /[\ud800-\udfff]/.test(text)) return true
      return excerptOf({ field: [text] }, [word]) !== undefined
    }
  )
})
