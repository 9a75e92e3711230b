import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { ArchivedEvent, type EventKind, payloads } from "../../src/domain/event.ts"
import { boundPayload, eventBytes } from "../../src/recorder/boundEvent.ts"
import { boundValue, cutUtf8, defaultLimits } from "../../src/redaction/bound.ts"
import { awkwardJson, awkwardText } from "../support/arbitraries.ts"

const marker = /\[REDACTED:[a-z-]+\]/g
/** The beginning of a marker at the end of a text, which is half of one. */
const halfMarker = /\[(?:R(?:E(?:D(?:A(?:C(?:T(?:E(?:D(?::[^\]]*)?)?)?)?)?)?)?)?)?$/

/** Whether a prefix ends between the halves of a surrogate pair of the text. */
const splitsPair = (text: string, kept: string): boolean => {
  const last = kept.charCodeAt(kept.length - 1)
  const next = text.charCodeAt(kept.length)
  return last >= 0xd800 && last < 0xdc00 && next >= 0xdc00 && next < 0xe000
}

const limit = Arbitrary.schema(Schema.Natural).pipe(Arbitrary.map((n) => n % 200))

describe("a text that is cut", () => {
  it.prop(
    "is a prefix within the limit, and never ends inside a code point",
    [awkwardText(), limit],
    ([text, bytes]) => {
      const { kept, dropped } = cutUtf8(text, bytes)
      assert.isTrue(text.startsWith(kept))
      assert.isAtMost(Buffer.byteLength(kept), bytes)
      assert.isFalse(splitsPair(text, kept))
      assert.strictEqual(dropped, Buffer.byteLength(text) - Buffer.byteLength(kept))
    }
  )

  it.prop("never ends inside a redaction marker", [awkwardText(12), limit], ([text, bytes]) => {
    const whole = `${text}[REDACTED:private-key]${text}`
    const { kept, dropped } = cutUtf8(whole, bytes)
    if (dropped === 0) return
    // What looks like half of a marker may stand in a text; what ends like one of ours may not.
    const ends = [...whole.matchAll(marker)].some(
      ({ index, 0: found }) => index < kept.length && kept.length < index + found.length
    )
    assert.isFalse(ends, kept)
  })

  it.prop("is as long as it can be", [awkwardText(), limit], ([text, bytes]) => {
    const { kept } = cutUtf8(text, bytes)
    const next = String.fromCodePoint(text.codePointAt(kept.length) ?? 0)
    const longer = text.slice(0, kept.length + next.length)
    if (kept.length === text.length) return
    // One code point more is over the limit, or is the beginning of a marker.
    assert.isTrue(Buffer.byteLength(longer) > bytes || text.startsWith("[", kept.length) || halfMarker.test(kept), kept)
  })

  it("with every limit up to its length keeps whole characters", () => {
    const text = "aé€😀[REDACTED:token]z"
    for (let bytes = 0; bytes <= Buffer.byteLength(text); bytes++) {
      const { kept } = cutUtf8(text, bytes)
      assert.include(["", "a", "aé", "aé€", "aé€😀", "aé€😀[REDACTED:token]", text], kept)
    }
  })
})

/** The shape of a value: its keys and kinds, without its texts. */
const shape = (value: unknown): unknown => {
  if (Array.isArray(value)) return "array"
  if (typeof value !== "object" || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shape(item)]))
}

describe("a value that is bounded", () => {
  it.prop("within the limits is as it was", [awkwardJson], ([value]) => {
    const { value: kept, cuts } = boundValue(value, "payload", { ...defaultLimits, depth: 64, stringBytes: 100_000 })
    if (cuts.length === 0) assert.deepStrictEqual(JSON.stringify(kept), JSON.stringify(value))
  })

  it.prop(
    "keeps its shape, whatever is cut in it",
    [Schema.Record(Schema.String, Schema.String), limit],
    ([value, bytes]) => {
      const { value: kept, cuts } = boundValue(value, "payload", { ...defaultLimits, stringBytes: bytes })
      if (Object.keys(value).some((key) => Buffer.byteLength(key) > 256)) return
      assert.deepStrictEqual(shape(kept), shape(value))
      for (const text of Object.values(kept as Record<string, string>)) assert.isAtMost(Buffer.byteLength(text), bytes)
      assert.strictEqual(cuts.length, Object.values(value).filter((text) => Buffer.byteLength(text) > bytes).length)
    }
  )

  it("counts what is cut: bytes of texts, items of arrays", () => {
    const { value, cuts } = boundValue({ a: "x".repeat(9000), b: Array(130).fill(0) }, "payload", defaultLimits)
    assert.deepStrictEqual(cuts, [
      { path: "payload.a", bytes: 808 },
      { path: "payload.b", bytes: 2 }
    ])
    assert.deepStrictEqual((value as { b: unknown[] }).b.length, 128)
  })

  it("of any depth becomes one of at most the limit", () => {
    let deep: unknown = "bottom"
    for (let n = 0; n < 5_000; n++) deep = n % 2 === 0 ? [deep] : { deep }
    const { value, cuts } = boundValue(deep, "payload", defaultLimits)
    assert.strictEqual(cuts.length, 1)
    assert.isBelow(JSON.stringify(value).length, 300)
  })
})

const texts = (bytes: number) => '\u0000é€😀"\\x'.repeat(Math.ceil(bytes / 13))

/** A payload of each kind that is far over every bound. */
const enormous: { readonly [K in EventKind]: Record<string, unknown> } = {
  session_start: { source: "startup", config_hash: texts(100_000), model: texts(100_000) },
  session_end: { reason: texts(200_000) },
  user_prompt: { text: texts(200_000), origin: "user", command_args: texts(100_000) },
  assistant_message: { text: texts(200_000), final: true, error: texts(100_000) },
  tool_call: { tool_name: "Bash", input: Array.from({ length: 300 }, () => texts(2_000)) },
  tool_result: {
    tool_name: "Bash",
    input: { command: texts(100_000) },
    response: Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`k${n}`, texts(3_000)]))
  },
  tool_error: { tool_name: texts(100_000), outcome: "failed", error: texts(100_000) },
  compaction: { phase: "after", summary: texts(300_000), instructions: texts(300_000) },
  subagent_start: { agent_type: texts(100_000), text: texts(100_000) },
  subagent_stop: { agent_type: "x", text: texts(300_000) },
  turn_usage: { source: "claude-transcript", messages: [] },
  context_injected: { record_ids: ["a"], bytes: 1, milliseconds: 1 },
  provider_event: { name: "Notification", fields: { message: texts(200_000), list: Array(500).fill(texts(1_000)) } }
}

describe("an event", () => {
  const kinds = Object.keys(enormous) as ReadonlyArray<EventKind>
  for (const kind of kinds) {
    it(`${kind} of any size fits its bound and is an event still`, () => {
      const { payload, truncated, omitted } = boundPayload(kind, enormous[kind], 0)
      const event = {
        schema_version: 1,
        sequence: 1,
        event_id: "evt_1",
        timestamp: "2026-08-16T12:00:00.000Z",
        kind,
        provider: "claude",
        session_id: "claude:s",
        payload,
        redactions: [],
        truncated,
        omitted
      }
      const line = JSON.stringify(event)
      assert.isBelow(Buffer.byteLength(line), eventBytes)
      assert.isTrue(Schema.is(Schema.toType(ArchivedEvent))(event), line.slice(0, 200))
      assert.notInclude(line, "\ufffd")
      for (const field of omitted) assert.notProperty(payload as object, field)
      const cut = JSON.stringify(payload) !== JSON.stringify(enormous[kind])
      assert.strictEqual(truncated.length + omitted.length > 0, cut)
    })
  }

  it.prop("within its bound is kept whole", [awkwardJson], ([input]) => {
    const payload = { tool_name: "T", input }
    const { payload: kept, truncated, omitted } = boundPayload("tool_call", payload, 0)
    if (truncated.length + omitted.length === 0) assert.deepStrictEqual(JSON.stringify(kept), JSON.stringify(payload))
    assert.isTrue(Schema.is(payloads.tool_call)(kept))
  })

  it("of texts whose beginning takes most of the room fits all the same, and its cuts are counted from the whole", () => {
    const text = `${"\u0000".repeat(30_000)}${"a".repeat(170_000)}`
    const { payload, truncated } = boundPayload("user_prompt", { text, origin: "user" }, 0)
    assert.isBelow(JSON.stringify(payload).length, eventBytes)
    const kept = (payload as { readonly text: string }).text
    assert.isAbove(kept.length, 1_000)
    assert.deepStrictEqual(truncated, [{ path: "payload.text", bytes: text.length - kept.length }])
  })

  it("that is a prompt is kept whole up to the bound of the event, unlike other texts", () => {
    const text = "word ".repeat(10_000)
    assert.deepStrictEqual(boundPayload("user_prompt", { text, origin: "user" }, 0).payload, { text, origin: "user" })
    const answer = boundPayload("assistant_message", { text, final: true }, 0)
    assert.deepStrictEqual(answer.truncated, [{ path: "payload.text", bytes: 50_000 - 8192 }])
  })

  it("drops the fields that it can do without, the least needed first, and names them", () => {
    const list = Array.from({ length: 100 }, () => texts(3_000))
    const { payload, omitted } = boundPayload("tool_result", { tool_name: "T", input: list, response: list }, 10_000)
    assert.deepStrictEqual(omitted, ["input"])
    assert.property(payload as object, "response")
  })
})
