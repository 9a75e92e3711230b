import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { ArchivedEvent, type EventKind, eventKinds, payloads } from "../../src/domain/event.ts"

const EventJson = Schema.fromJsonString(ArchivedEvent)
const decode = Schema.decodeUnknownOption(EventJson)
const encode = Schema.encodeSync(EventJson)

const envelope = {
  schema_version: 1,
  sequence: 1,
  event_id: "evt_1",
  timestamp: "2026-08-16T12:00:00.000Z",
  provider: "claude",
  session_id: "claude:s",
  redactions: []
}

/** The least that an event of each kind holds. */
const least: { readonly [K in EventKind]: unknown } = {
  session_start: {},
  session_end: {},
  user_prompt: { text: "", origin: "user" },
  assistant_message: { text: "", final: true },
  tool_call: { tool_name: "Bash" },
  tool_result: { tool_name: "Bash" },
  tool_error: { tool_name: "Bash", outcome: "denied" },
  compaction: { phase: "before" },
  subagent_start: {},
  subagent_stop: {},
  turn_usage: { source: "unavailable", messages: [] },
  context_injected: { record_ids: [], bytes: 0, milliseconds: 0.5 },
  provider_event: { name: "Notification" }
}

describe("an archived event", () => {
  it.prop("of every kind is read as it was written", { event: Schema.toType(ArchivedEvent) }, ({ event }) => {
    const text = encode(event)
    const again = decode(text)
    assert.strictEqual(again._tag, "Some")
    if (again._tag === "Some") assert.strictEqual(encode(again.value), text)
  })

  for (const kind of eventKinds) {
    it(`${kind} needs no more than its least`, () => {
      const event = decode(JSON.stringify({ ...envelope, kind, payload: least[kind] }))
      assert.strictEqual(event._tag === "Some" ? event.value.kind : "none", kind)
    })

    it(`${kind} is none without what it needs`, () => {
      for (const field of Object.keys(least[kind] as object)) {
        const { [field]: _gone, ...payload } = least[kind] as Record<string, unknown>
        assert.strictEqual(decode(JSON.stringify({ ...envelope, kind, payload }))._tag, "None", field)
      }
    })
  }

  it("has a payload schema for every kind and no other", () => {
    assert.deepStrictEqual(Object.keys(least).sort(), Object.keys(payloads).sort())
  })

  it("of a later version keeps what this version knows", () => {
    const event = decode(
      JSON.stringify({ ...envelope, kind: "session_end", payload: { reason: "other", mood: "good" }, colour: "blue" })
    )
    assert.deepStrictEqual(event._tag === "Some" ? event.value.payload : undefined, { reason: "other" })
  })

  for (const [what, wrong] of [
    ["another schema", { schema_version: 2 }],
    ["no sequence", { sequence: undefined }],
    ["a broken sequence", { sequence: 1.5 }],
    ["an empty id", { event_id: "" }],
    ["an unknown kind", { kind: "telepathy" }],
    ["an unknown provider", { provider: "copilot" }],
    ["no redactions", { redactions: undefined }]
  ] as const) {
    it(`with ${what} is none`, () => {
      const text = JSON.stringify({ ...envelope, kind: "session_end", payload: {}, ...wrong })
      assert.strictEqual(decode(text)._tag, "None")
    })
  }
})
