import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CurrentDeadline } from "../../src/platform/Deadline.ts"
import { Redactor } from "../../src/redaction/Redactor.ts"

const secret = ["gh", "p_", "n3Kq8ZtX1vBc5LmR7wYd2PfH9sJa4GuE6iTo"].join("")

describe("Redactor", () => {
  it.effect("replaces a secret in a leaf and says where", () =>
    Effect.gen(function* () {
      const { redact } = yield* Redactor
      const result = yield* redact({ response: { output: `token is ${secret}` }, n: 1 }, "payload")
      assert.deepStrictEqual(result.value, { response: { output: "token is [REDACTED:github-pat]" }, n: 1 })
      assert.deepStrictEqual(result.paths, ["payload.response.output"])
      assert.deepStrictEqual(result.rules, ["github-pat"])
    }).pipe(Effect.provide(Redactor.layerDefault))
  )

  it.effect("withholds what is left when the deadline has passed", () =>
    Effect.gen(function* () {
      const { redact } = yield* Redactor
      const result = yield* redact(["some text", "more text"], "payload")
      assert.deepStrictEqual(result.value, ["[REDACTED:unscanned]", "[REDACTED:unscanned]"])
      assert.strictEqual(result.unscanned, 2)
    }).pipe(
      Effect.provide([Redactor.layerDefault, Layer.succeed(CurrentDeadline, { budgetMs: 1, remainingMs: () => 0 })])
    )
  )

  it.effect("returns the same object when there is nothing to hide", () =>
    Effect.gen(function* () {
      const { redact } = yield* Redactor
      const value = { text: "all 14 tests pass", list: [1, null, "x"] }
      const result = yield* redact(value, "payload")
      assert.strictEqual(result.value, value)
    }).pipe(Effect.provide(Redactor.layerDefault))
  )
})
