import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { parseLine } from "../../src/archive/eventLog.ts"
import { modernEvent } from "../../src/domain/olderEvent.ts"

/** A line as the older recorder wrote it: its own envelope around the hook's payload, nulls included. */
const older = (kind: string, name: string, payload: Readonly<Record<string, unknown>>, more: object = {}) =>
  JSON.stringify({
    schema_version: 1,
    sequence: 3,
    event_id: `claude:abc:${name}:3`,
    timestamp: "unix:1786190400",
    kind,
    provider: "claude",
    session_id: "claude:abc",
    payload: { hook_event_name: name, prompt: null, tool_name: null, turn_id: null, extra: {}, ...payload },
    redactions: [],
    ...more
  })

const read = (line: string) => {
  const [record] = parseLine(Buffer.from(line), 0, true)
  return record?._tag === "Event" ? record.event : undefined
}

const cases: ReadonlyArray<readonly [line: string, payload: object]> = [
  [older("user_prompt", "UserPromptSubmit", { prompt: "hi" }), { text: "hi", origin: "user" }],
  [older("user_prompt", "UserPromptExpansion", { prompt: "/x" }), { text: "/x", origin: "expansion" }],
  [older("assistant_message", "Stop", { extra: { last_assistant_message: "done" } }), { text: "done", final: true }],
  [
    older("tool_call", "PreToolUse", { tool_name: "Bash", tool_input: { command: "ls" } }),
    { tool_name: "Bash", input: { command: "ls" } }
  ],
  [
    older(
      "tool_result",
      "PostToolUse",
      { tool_name: "Bash", tool_input: {}, tool_response: "ok" },
      { truncated: true }
    ),
    { tool_name: "Bash", input: {}, response: "ok" }
  ],
  [older("compaction", "PostCompact", { trigger: "auto" }), { phase: "after", trigger: "auto" }],
  [older("session_end", "SessionEnd", { reason: "other" }), { reason: "other" }],
  [
    older("turn_usage", "TurnUsage", { source: "claude-transcript", usage: { input_tokens: 5, output_tokens: null } }),
    { source: "claude-transcript", messages: [{ message_id: "claude:abc:TurnUsage:3", input_tokens: 5 }] }
  ]
]

describe("an event of an older recorder", () => {
  for (const [line, payload] of cases) {
    const { kind, event_id } = JSON.parse(line)
    it(`${event_id} is read as a ${kind}`, () => {
      const event = read(line)
      assert.deepStrictEqual(event?.payload, payload)
      assert.strictEqual(event?.timestamp, "2026-08-08T12:00:00.000Z")
    })
  }

  it("that has no kind of its own keeps its name and its payload", () => {
    const event = read(older("provider_event", "BeforeAgent", { prompt: "x" }))
    assert.strictEqual(event?.kind === "provider_event" && event.payload.name, "BeforeAgent")
  })

  it.prop("any other value stays as it is", [Arbitrary.schema(Schema.Unknown)], ([value]) => {
    const marked = { event_id: "evt_1", chain_hash: "0", value }
    return modernEvent(marked) === marked
  })
})
