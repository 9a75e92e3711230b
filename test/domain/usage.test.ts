import { assert, describe, it } from "@effect/vitest"
import { preferredSource, sourceOrder, UsageSource } from "../../src/domain/usage.ts"

describe("which source of usage stands for a session", () => {
  it("has an order of all sources", () => {
    assert.sameMembers([...sourceOrder], [...UsageSource.literals])
  })

  it("is the one that tells of the most messages", () => {
    const counts = [["codex-transcript", 2] as const, ["hook-payload", 3] as const]
    assert.strictEqual(preferredSource(counts), "hook-payload")
    assert.strictEqual(preferredSource(counts.toReversed()), "hook-payload")
  })

  it("is the first in the order where they tell of as many", () => {
    assert.strictEqual(
      preferredSource([
        ["codex-app-server", 4],
        ["hook-payload", 4],
        ["codex-transcript", 4]
      ]),
      "codex-transcript"
    )
    assert.isUndefined(preferredSource([]))
  })
})
