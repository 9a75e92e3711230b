import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { addTokens, type Tokens, type UsageSource } from "../../src/domain/usage.ts"
import { usageTotals } from "../../src/recorder/usageTotals.ts"

const turnUsage = (
  messages: ReadonlyArray<{ message_id: string } & Tokens>,
  source: UsageSource = "claude-transcript"
) => ({
  kind: "turn_usage" as const,
  payload: { source, messages }
})

describe("usage totals", () => {
  it("are empty for a session without usage", () => {
    assert.deepStrictEqual(usageTotals([]), {})
    assert.deepStrictEqual(usageTotals([turnUsage([])]), {})
  })

  it("count a message once, with its last snapshot", () => {
    assert.deepStrictEqual(
      usageTotals([
        turnUsage([{ message_id: "a", input_tokens: 10, output_tokens: 1 }]),
        turnUsage([
          { message_id: "b", input_tokens: 5 },
          { message_id: "a", input_tokens: 10, output_tokens: 9 }
        ])
      ]),
      { "claude-transcript": { input_tokens: 15, output_tokens: 9 } }
    )
  })

  it("keep sources apart and leave other events out", () => {
    const result = {
      kind: "tool_result" as const,
      payload: { tool_name: "Agent" },
      usage: { source: "hook-payload" as const, input_tokens: 99 }
    }
    assert.deepStrictEqual(
      usageTotals([
        turnUsage([{ message_id: "a", input_tokens: 1 }]),
        result,
        turnUsage([{ message_id: "a", input_tokens: 2 }], "codex-transcript")
      ]),
      { "claude-transcript": { input_tokens: 1 }, "codex-transcript": { input_tokens: 2 } }
    )
  })

  const Message = Schema.Struct({
    message_id: Schema.Literals(["a", "b", "c", "d"]),
    input_tokens: Schema.Natural.check(Schema.isLessThan(1_000_000)),
    output_tokens: Schema.Natural.check(Schema.isLessThan(1_000_000))
  })

  it.prop(
    "do not depend on how messages are spread over events, nor on a reading that is repeated",
    [Schema.Array(Schema.Array(Message))],
    ([readings]) => {
      const messages = readings.flat()
      const last = new Map(messages.map((message) => [message.message_id, message]))
      const sum = [...last.values()].reduce<Tokens>(
        (total, { input_tokens, output_tokens }) => addTokens(total, { input_tokens, output_tokens }),
        {}
      )
      const expected = messages.length === 0 ? {} : { "claude-transcript": sum }
      const spread = readings.map((reading) => turnUsage(reading))
      assert.deepStrictEqual(usageTotals([turnUsage(messages)]), expected)
      assert.deepStrictEqual(usageTotals(spread), expected)
      assert.deepStrictEqual(usageTotals(spread.flatMap((event) => [event, event])), expected)
    }
  )
})
