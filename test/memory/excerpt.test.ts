import { assert, describe, it } from "@effect/vitest"
import { excerptOf } from "../../src/memory/excerpt.ts"
import { termsOf } from "../../src/memory/terms.ts"

const filler = (count: number): string =>
  Array.from({ length: count }, (_, at) => `Line ${at} about nothing.`).join("\n")

describe("an excerpt", () => {
  it("is the whole of a short text", () => {
    assert.strictEqual(excerptOf(" one\ntwo ", []), "one\ntwo")
  })

  it("holds the lines that hold what was asked for, in their order, with gaps shown", () => {
    const text = `${filler(40)}\nThe port is 6380.\n${filler(40)}\nRedis wants another port.\n${filler(40)}`
    assert.strictEqual(excerptOf(text, termsOf("redis port")), "The port is 6380.\n...\nRedis wants another port.")
  })

  it("shows the part of a long line where the word stands", () => {
    const text = `${"x".repeat(2_000)} ${"word ".repeat(400)}the needle is here ${"tail ".repeat(400)}`
    const excerpt = excerptOf(text, termsOf("needle"))
    assert.include(excerpt, "needle")
    assert.isAtMost(Buffer.byteLength(excerpt), 800)
  })

  it("is the beginning when nothing matches", () => {
    assert.match(excerptOf(filler(100), ["absent"]), /^Line 0 about nothing\./)
  })

  it("keeps within its bytes for any script, and cuts no character", () => {
    for (const text of ["漢字。".repeat(900), `${"漢字 ".repeat(900)}`, "🙂 ".repeat(900)]) {
      for (const limit of [60, 100, 799, 800]) {
        const excerpt = excerptOf(text, termsOf("漢字"), limit)
        assert.isAtMost(Buffer.byteLength(excerpt), limit)
        assert.notInclude(excerpt, "\ufffd")
      }
    }
  })
})
