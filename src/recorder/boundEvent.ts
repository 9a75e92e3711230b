import type { EventKind } from "../domain/event.ts"
import { boundValue, type Cut, cutUtf8, defaultLimits, type Limits } from "../redaction/bound.ts"

/** Bytes of one line of events.jsonl. */
export const eventBytes = 64 * 1024
/** What the envelope around payload and marks takes at most: ids, times, names, the seal. */
const envelopeBytes = 4 * 1024

/** Fields that an event can do without, in the order in which they go when it is over its bound. */
const optionalFields: Record<EventKind, ReadonlyArray<string>> = {
  session_start: ["config_hash"],
  session_end: [],
  user_prompt: ["command_args", "command_name"],
  assistant_message: ["error"],
  tool_call: ["input"],
  tool_result: ["input", "response"],
  tool_error: ["input", "error"],
  compaction: ["instructions", "summary"],
  subagent_start: ["text"],
  subagent_stop: ["text"],
  turn_usage: ["cursors"],
  context_injected: [],
  provider_event: ["fields"]
}

/** Limits that are tried one after the other before a whole field is dropped: much of a large value is worth more than nothing of it. */
const limitSteps: ReadonlyArray<Limits> = [
  defaultLimits,
  { ...defaultLimits, stringBytes: 2048, arrayItems: 64, objectFields: 128 },
  { ...defaultLimits, stringBytes: 512, arrayItems: 32, objectFields: 64 }
]

export interface BoundedPayload {
  readonly payload: unknown
  readonly truncated: ReadonlyArray<Cut>
  /** Names of fields that were dropped. */
  readonly omitted: ReadonlyArray<string>
}

/**
 * Brings a redacted payload under the bounds (DESIGN 4). A prompt is kept whole up to the bound of the event, because a replay needs it;
 * messages of a turn's usage are never cut, because their number is bounded where they are made.
 *
 * @param markBytes bytes that the event's redaction paths take
 */
export const boundPayload = (
  kind: EventKind,
  payload: Readonly<Record<string, unknown>>,
  markBytes: number
): BoundedPayload => {
  const room = Math.max(1024, eventBytes - envelopeBytes - markBytes)
  let best: BoundedPayload = { payload, truncated: [], omitted: [] }
  for (const limits of limitSteps) {
    const roomy = kind === "user_prompt" ? { ...limits, stringBytes: room } : limits
    const { value, cuts } = boundValue(payload, "payload", roomy)
    best = { payload: value, truncated: cuts, omitted: [] }
    if (fits(best, room)) return best
  }
  return dropFields(kind, best, room)
}

const dropFields = (kind: EventKind, bounded: BoundedPayload, room: number): BoundedPayload => {
  const payload: Record<string, unknown> = { ...(bounded.payload as Readonly<Record<string, unknown>>) }
  const omitted: Array<string> = []
  let { truncated } = bounded
  const now = (): BoundedPayload => ({ payload, truncated, omitted })
  for (const field of optionalFields[kind]) {
    if (fits(now(), room)) return now()
    if (payload[field] === undefined) continue
    delete payload[field]
    omitted.push(field)
    truncated = truncated.filter((cut) => !cut.path.startsWith(`payload.${field}`))
  }
  if (fits(now(), room)) return now()
  // Only texts are left: each keeps its share of the room. JSON escapes make a text up to six times as long, and where they stand in it is not
  // known, so the share is of that length and may have to be taken again.
  while (!fits(now(), room)) {
    const share = room / sizeOf(now())
    for (const [field, value] of Object.entries(payload)) {
      if (typeof value !== "string") continue
      const limit = Math.floor(Buffer.byteLength(value) * share * 0.95) - 64
      const { kept, dropped } = cutUtf8(value, Math.max(wordBytes, limit))
      if (dropped === 0) continue
      payload[field] = kept
      const path = `payload.${field}`
      const before = truncated.find((cut) => cut.path === path)?.bytes ?? 0
      truncated = [...truncated.filter((cut) => cut.path !== path), { path, bytes: before + dropped }]
    }
    // What is short by now stays: a word of our tables that was cut would make the event unreadable.
    if (Object.values(payload).every((value) => typeof value !== "string" || Buffer.byteLength(value) <= wordBytes))
      break
  }
  return now()
}

/** A text of this many bytes is never cut for room. */
const wordBytes = 256

const sizeOf = (bounded: BoundedPayload): number => Buffer.byteLength(JSON.stringify(bounded))
const fits = (bounded: BoundedPayload, room: number): boolean => sizeOf(bounded) <= room
