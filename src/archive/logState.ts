import * as Schema from "effect/Schema"
import { type ArchivedEvent, type EventKind, TranscriptCursor } from "../domain/event.ts"
import { addTokens, subtractTokens, Tokens, UsageBySource } from "../domain/usage.ts"
import { emptyChecksum, runningChecksum, unseal } from "./chain.ts"
import type { LogRecord } from "./eventLog.ts"

/**
 * What a writer must know of a log to continue it, so that appending costs the same at event 10 and at event 1,000,000. A pure fold over the
 * log's records: a lost or stale copy is made again from the file.
 */
export const LogState = Schema.Struct({
  /** Bytes that this state has seen; the next line begins here. */
  offset: Schema.Natural,
  /** The last sequence given. */
  sequence: Schema.Natural,
  /** Head of the chain: the last event's chain_hash, or the genesis digest. */
  head: Schema.String,
  /** Running checksum over whole lines. */
  checksum: Schema.String,
  lines: Schema.Natural,
  event_count: Schema.Natural,
  redaction_count: Schema.Natural,
  truncation_count: Schema.Natural,
  /** Ids of the last events, oldest first: a delivery that comes twice comes soon. */
  recent_ids: Schema.Array(Schema.String),
  last_kind: Schema.String,
  last_timestamp: Schema.String,
  /** How often the session has ended so far. */
  terminal_count: Schema.Natural,
  /** The session_end after which the session has not gone on. */
  end: Schema.NullOr(Schema.Struct({ timestamp: Schema.String, reason: Schema.optionalKey(Schema.String) })),
  /** Whether the session has reached its size bound and said so. */
  full: Schema.Boolean,
  usage: UsageBySource,
  /** The last messages whose tokens are in `usage`, by source and id: a later snapshot of one replaces what it added. */
  recent_messages: Schema.Array(Schema.Struct({ id: Schema.String, tokens: Tokens })),
  /** How far each transcript has been read. */
  cursors: Schema.Array(TranscriptCursor)
})
export type LogState = typeof LogState.Type

/** How many event ids are remembered. A batch of parallel tools and its report, twice, fits many times. */
const recentIdCount = 256
const recentMessageCount = 16

export const emptyState = (genesisDigest: string): LogState => ({
  offset: 0,
  sequence: 0,
  head: genesisDigest,
  checksum: emptyChecksum,
  lines: 0,
  event_count: 0,
  redaction_count: 0,
  truncation_count: 0,
  recent_ids: [],
  last_kind: "",
  last_timestamp: "",
  terminal_count: 0,
  end: null,
  full: false,
  usage: {},
  recent_messages: [],
  cursors: []
})

/** The state after one more record. Damage moves the offset only; the running checksum covers lines, so it is told by `afterLine`. */
export const afterRecord = (state: LogState, record: LogRecord): LogState =>
  record._tag === "Damage" ? state : afterEvent(state, record.event, unseal(record.line)?.hash ?? state.head)

/** The state after an event whose chain_hash is `head`. */
export const afterEvent = (state: LogState, event: ArchivedEvent, head: string): LogState => ({
  ...state,
  ...(event.kind === "turn_usage" ? afterUsage(state, event) : undefined),
  sequence: Math.max(state.sequence, event.sequence),
  head,
  event_count: state.event_count + 1,
  redaction_count: state.redaction_count + event.redactions.length,
  truncation_count: state.truncation_count + (event.truncated?.length ?? 0) + (event.omitted?.length ?? 0),
  recent_ids: [...state.recent_ids.slice(1 - recentIdCount), event.event_id],
  last_kind: event.kind,
  last_timestamp: event.timestamp,
  terminal_count: state.terminal_count + (event.kind === "session_end" ? 1 : 0),
  end: endAfter(state, event),
  full: state.full || (event.kind === "provider_event" && event.payload.name === sessionBound)
})

/** Kinds with which a session that had ended goes on; others are latecomers of the run that ended. */
export const reopening: ReadonlySet<EventKind> = new Set<EventKind>(["session_start", "user_prompt", "tool_call"])

const endAfter = (state: LogState, event: ArchivedEvent): LogState["end"] => {
  if (event.kind !== "session_end") return reopening.has(event.kind) ? null : state.end
  const { reason } = event.payload
  return { timestamp: event.timestamp, ...(reason === undefined ? undefined : { reason }) }
}

/** The state after a whole line, given with its newline. */
export const afterLine = (state: LogState, line: Uint8Array): LogState => ({
  ...state,
  offset: state.offset + line.length,
  lines: state.lines + 1,
  checksum: runningChecksum(state.checksum, line)
})

/** Name of the event that says that a session reached its size bound. */
export const sessionBound = "session_bound"

const afterUsage = (
  state: LogState,
  event: Extract<ArchivedEvent, { kind: "turn_usage" }>
): Pick<LogState, "usage" | "recent_messages" | "cursors"> => {
  const { source, messages, cursors } = event.payload
  let total: Tokens = state.usage[source] ?? {}
  const recent = [...state.recent_messages]
  for (const message of messages) {
    // Two sources may tell of one message by one id, and are never added up nor taken from each other.
    const id = `${source} ${message.message_id}`
    const known = recent.findIndex((entry) => entry.id === id)
    if (known >= 0) {
      total = subtractTokens(total, recent[known]?.tokens ?? {})
      recent.splice(known, 1)
    }
    const tokens = addTokens(message, {})
    total = addTokens(total, tokens)
    recent.push({ id, tokens })
  }
  const read = new Map(state.cursors.map((cursor) => [cursor.file, cursor]))
  for (const cursor of cursors ?? []) read.set(cursor.file, cursor)
  return {
    usage: { ...state.usage, [source]: total },
    recent_messages: recent.slice(-recentMessageCount),
    cursors: [...read.values()]
  }
}
