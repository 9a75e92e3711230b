import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { Limits } from "../../src/domain/scenario.ts"
import type { SessionMetrics } from "../../src/replay/metrics.ts"
import { judgeLimits, limitNames } from "../../src/scenario/limits.ts"
import { reachedLimits, scoredAnswer } from "../../src/scenario/runner.ts"
import { metricsOf } from "./metricsOf.ts"

/** Each limit, with metrics that hold a value of it. */
const measured: { readonly [K in keyof Limits]-?: (value: number) => Partial<SessionMetrics> } = {
  max_duration_seconds: (value) => ({ working_ms: value * 1000 }),
  max_output_tokens: (value) => ({ tokens: { output_tokens: value } }),
  max_turns: (value) => ({ model_turns: value }),
  max_budget_usd: (value) => ({ cost_usd: value }),
  max_injected_context_bytes: (value) => ({ injected_bytes: value }),
  max_tool_calls: (value) => ({ tool_calls: value })
}
const judge = (name: keyof Limits, limit: number, metrics: Partial<SessionMetrics>) =>
  judgeLimits({ [name]: limit }, metricsOf(metrics))[0]

describe("a limit", () => {
  it("is one of those that a scenario has, and each of them is judged", () => {
    assert.deepStrictEqual([...limitNames].sort(), Object.keys(Limits.fields).sort())
  })

  it.each(limitNames)("%s is kept up to its value, and broken above", (name) => {
    assert.deepStrictEqual(judge(name, 10, measured[name](10)), { name, limit: 10, observed: 10, verdict: "pass" })
    assert.deepStrictEqual(judge(name, 10, measured[name](11)), { name, limit: 10, observed: 11, verdict: "fail" })
    assert.strictEqual(judge(name, 10, measured[name](0))?.verdict, "pass")
  })

  it.each(limitNames.filter((name) => name !== "max_tool_calls"))(
    "%s is unknown, and not 0, when it was not observed",
    (name) => {
      const nothing = { working_ms: null, tokens: null, model_turns: null, cost_usd: null, injected_bytes: null }
      assert.deepStrictEqual(judge(name, 10, nothing), { name, limit: 10, observed: null, verdict: "unknown" })
    }
  )

  it("is not taken for kept where the recording lacks events, and broken all the same", () => {
    const gaps = { recording_complete: false }
    assert.strictEqual(judge("max_tool_calls", 5, { ...gaps, tool_calls: 5 })?.verdict, "unknown")
    assert.strictEqual(judge("max_tool_calls", 5, { ...gaps, tool_calls: 6 })?.verdict, "fail")
  })

  it("at which a run was ended is broken, whatever was measured until then", () => {
    const limits = { max_turns: 3, max_duration_seconds: 60 }
    const judged = judgeLimits(limits, metricsOf({ model_turns: 3, working_ms: 1000 }), ["max_turns"])
    assert.deepStrictEqual(
      judged.map(({ name, verdict }) => [name, verdict]),
      [
        ["max_duration_seconds", "pass"],
        ["max_turns", "fail"]
      ]
    )
  })

  it("that is absent is not judged", () => {
    assert.deepStrictEqual(judgeLimits({}, metricsOf({})), [])
  })

  it.prop(
    "is broken by whatever breaks a wider one",
    { limits: Arbitrary.schema(Limits), more: Arbitrary.schema(Schema.Natural) },
    ({ limits, more }) => {
      const metrics = metricsOf({ working_ms: 5_000, tokens: { output_tokens: 50 }, model_turns: 5, cost_usd: 0.5 })
      const wider = Object.fromEntries(Object.entries(limits).map(([name, limit]) => [name, limit + more]))
      const [narrow, wide] = [judgeLimits(limits, metrics), judgeLimits(wider, metrics)]
      for (const [index, one] of wide.entries()) {
        if (one.verdict === "fail") assert.strictEqual(narrow[index]?.verdict, "fail", one.name)
      }
    }
  )
})

describe("the limits at which a run was ended", () => {
  const limits: Limits = { max_duration_seconds: 60, max_turns: 3, max_budget_usd: 1 }
  const failed = (reason: string, durationMs = 100) => reachedLimits({ status: "failed", reason, durationMs }, limits)

  it("are told by the agent's word for them, or by the time", () => {
    assert.deepStrictEqual(failed("Claude Code failed at prompt 1 with exit code 1: error_max_turns."), ["max_turns"])
    assert.deepStrictEqual(failed("... with exit code 1: error_max_budget_usd."), ["max_budget_usd"])
    assert.deepStrictEqual(failed("the time of 60 s was over.", 60_010), ["max_duration_seconds"])
    assert.deepStrictEqual(failed("no such login"), [])
  })

  it("are none of a run that came to its end, and none that the scenario does not have", () => {
    assert.deepStrictEqual(reachedLimits({ status: "completed", durationMs: 90_000 }, limits), [])
    assert.deepStrictEqual(reachedLimits({ status: "failed", reason: "error_max_turns", durationMs: 90_000 }, {}), [])
  })
})

describe("the scored answer", () => {
  const recorded = { text: "a part", lacks: "the recorded answer is cut" }
  const whole = { text: "all of it", lacks: undefined }

  it("is the recorded one, or what the agent printed where the recording lacks something", () => {
    const completed = { status: "completed", answer: "printed" } as const
    assert.strictEqual(scoredAnswer(whole, completed), whole)
    for (const lacking of [recorded, undefined]) {
      assert.deepStrictEqual(scoredAnswer(lacking, completed), { text: "printed", lacks: undefined })
    }
    assert.strictEqual(scoredAnswer(recorded, { status: "completed", answer: undefined }), recorded)
  })

  it("is none of a run that did not come to its end", () => {
    assert.isUndefined(scoredAnswer(whole, { status: "failed", answer: "an earlier one" }))
  })
})
