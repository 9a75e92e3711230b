import { assert, describe, it } from "@effect/vitest"
import { unlimited } from "../../src/platform/Deadline.ts"
import { redactValue } from "../../src/redaction/redactValue.ts"
import { adversarialTexts } from "./corpus/adversarial.ts"
import { fragments } from "./corpus/fragments.ts"
import { makeRandom } from "./corpus/random.ts"
import { randomJson } from "./corpus/randomJson.ts"

const redact = (value: unknown): unknown => redactValue(value, "", { deadline: unlimited }).value

/** Lengths and nesting, without the leaves. A number may have become a marker. */
const shape = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shape)
  if (typeof value === "object" && value !== null) return Object.values(value).map(shape)
  return typeof value === "string" || typeof value === "number" ? "leaf" : value
}

describe("any JSON value", () => {
  it("keeps its shape, is the same after a second time, and never throws: 10,000 values", () => {
    const random = makeRandom("properties")
    for (let i = 0; i < 10_000; i++) {
      const value = randomJson(random)
      const once = redact(value)
      assert.deepStrictEqual(shape(once), shape(value))
      assert.deepStrictEqual(redact(once), once)
    }
  })

  it("is the same after a second time when names, signs, secrets and markers are strung together: 6,000 texts", () => {
    const random = makeRandom("fragments")
    for (let i = 0; i < 6_000; i++) {
      const text = fragments(random)
      const value = i % 3 === 0 ? JSON.stringify({ output: text }) : text
      const once = redact(value)
      assert.strictEqual(redact(once), once, JSON.stringify(value))
    }
  })

  it("leaves markers as they are, also where a longer secret would begin or end inside one", () => {
    for (const rule of ["github-token", "private-key", "password"])
      for (const text of [`postgres://[REDACTED:${rule}]@db/app`, `a=1&key=x[REDACTED:${rule}]Zq8Rk2Lm5Tw7Yb3N`]) {
        const once = String(redact(text))
        assert.include(once, `[REDACTED:${rule}]`)
        assert.notMatch(once, /\[REDACTED:[^\]]*\[/)
      }
  })

  it("ends on texts made to be slow, and gives the same twice", () => {
    for (const [name, text] of adversarialTexts(20_000)) {
      const once = redact(text)
      assert.strictEqual(redact(once), once, name)
    }
  })
})
