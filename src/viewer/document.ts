import * as Schema from "effect/Schema"
import { eventKinds } from "../domain/event.ts"

/**
 * What a page of a session is made of. It is embedded as JSON in two parts: the entries, which are small and read at once, and the events behind
 * them in chunks, which are read when somebody looks at them or searches.
 */
const text = Schema.optionalKey(Schema.String)
const count = Schema.optionalKey(Schema.Natural)
const counts = Schema.Record(Schema.String, Schema.Natural)

/** Where a string was cut for the page; the archive has the rest. */
export const Shortened = Schema.Struct({ path: Schema.String, characters: Schema.Natural })

/** An event as it is shown when its entry is opened. Strings and lists are bounded (boundValue.ts); nothing else is changed. */
export const EventDetail = Schema.Struct({
  sequence: Schema.Natural,
  event_id: Schema.String,
  timestamp: Schema.String,
  kind: Schema.Literals(eventKinds),
  turn_id: text,
  provider_ids: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  payload: Schema.Unknown,
  redactions: Schema.Array(Schema.String),
  truncated: Schema.optionalKey(Schema.Array(Schema.Struct({ path: Schema.String, bytes: Schema.Natural }))),
  omitted: Schema.optionalKey(Schema.Array(Schema.String)),
  shortened: Schema.optionalKey(Schema.Array(Shortened))
})
export type EventDetail = typeof EventDetail.Type

/** `gap` and `damage` stand where the record is not whole; `notice` is what an agent tells beside its work. */
export const EntryKind = Schema.Literals([
  "start",
  "end",
  "prompt",
  "answer",
  "tool",
  "subagent",
  "compaction",
  "context",
  "usage",
  "notice",
  "gap",
  "damage"
])
export type EntryKind = typeof EntryKind.Type

/** `unresolved`: no result was recorded. */
export const Outcome = Schema.Literals(["succeeded", "failed", "denied", "invalid", "interrupted", "unresolved"])
export type Outcome = typeof Outcome.Type

/** One line of the timeline: an event, or a tool call together with its end. */
export const Entry = Schema.Struct({
  kind: EntryKind,
  /** Of its first event; absent for damage, which is none. */
  sequence: count,
  /** Of the event that ended it. */
  end_sequence: count,
  /** Milliseconds from the beginning of the session. */
  at: Schema.Finite,
  /** The tool, the agent's type, the name of a notice, the origin of a prompt, ... */
  name: text,
  /** The same tool under its name for all agents. */
  tool: text,
  /** One line of what it is about. */
  summary: text,
  outcome: Schema.optionalKey(Outcome),
  duration_ms: Schema.optionalKey(Schema.Finite),
  /** Index of its agent; absent for the session itself. */
  agent: count,
  /** Index of its turn; absent before the first. */
  turn: count,
  /** Redaction marks in it, by rule. */
  rules: Schema.optionalKey(counts),
  /** Bytes and items that were cut when it was recorded. */
  cut: count,
  /** Still in the spool: it has no place in the chain yet. */
  waiting: Schema.optionalKey(Schema.Literal(true))
})
export type Entry = typeof Entry.Type

export const Turn = Schema.Struct({
  at: Schema.Finite,
  end: Schema.Finite,
  /** What the user asked. */
  summary: text,
  tools: Schema.Natural,
  failures: Schema.Natural,
  tokens: Schema.Natural
})
export type Turn = typeof Turn.Type

export const Agent = Schema.Struct({
  id: Schema.String,
  type: text,
  /** 1 for a subagent of the session, 2 for one of a subagent, ... */
  depth: Schema.Natural,
  at: Schema.Finite,
  end: Schema.Finite
})
export type Agent = typeof Agent.Type

/** One model call: tokens of its prompt that were new, read from and written to the cache, and of its answer. */
export const Call = Schema.Struct({
  at: Schema.Finite,
  model: text,
  agent: count,
  input: Schema.Natural,
  cache_read: Schema.Natural,
  cache_write: Schema.Natural,
  output: Schema.Natural
})
export type Call = typeof Call.Type

export const ToolTime = Schema.Struct({
  name: Schema.String,
  kind: Schema.String,
  calls: Schema.Natural,
  errors: Schema.Natural,
  duration_ms: Schema.Finite
})

/** The card at the top: what is known of the session as a whole. */
export const SessionCard = Schema.Struct({
  session_id: Schema.String,
  provider: Schema.String,
  provider_title: Schema.String,
  provider_version: text,
  models: Schema.Array(Schema.String),
  mode: Schema.String,
  status: Schema.String,
  started_at: Schema.String,
  ended_at: Schema.NullOr(Schema.String),
  end_reason: text,
  duration_ms: Schema.Finite,
  project_root: Schema.String,
  revision: text,
  branch: text,
  dirty: Schema.optionalKey(Schema.Boolean),
  event_count: Schema.Natural,
  byte_count: Schema.Natural,
  turn_count: Schema.Natural,
  redaction_count: Schema.Natural,
  redactions: counts,
  redaction_policy: text,
  replay_of: text,
  arm: text,
  continues: text,
  usage_source: text,
  usage: Schema.Record(Schema.String, counts)
})
export type SessionCard = typeof SessionCard.Type

/** Whether all that happened is here, and what is not, each a sentence. */
export const Completeness = Schema.Struct({ whole: Schema.Boolean, notes: Schema.Array(Schema.String) })
export type Completeness = typeof Completeness.Type

export const Integrity = Schema.Struct({
  verdict: Schema.Literals(["complete", "chained", "partial", "unkeyed", "broken"]),
  reasons: Schema.Array(Schema.String),
  broken_at: count,
  anchored_through: count
})
export type Integrity = typeof Integrity.Type

/** What is read at once. */
export const SessionOutline = Schema.Struct({
  page: Schema.Literal("session"),
  format: Schema.Literal(1),
  recorder_version: Schema.String,
  card: SessionCard,
  completeness: Completeness,
  integrity: Schema.NullOr(Integrity),
  turns: Schema.Array(Turn),
  agents: Schema.Array(Agent),
  calls: Schema.Array(Call),
  tools: Schema.Array(ToolTime),
  entries: Schema.Array(Entry),
  /** The first entry of each chunk. */
  chunks: Schema.Array(Schema.Natural),
  /** Entries beyond the bound of a page. */
  left_out: Schema.Natural
})
export type SessionOutline = typeof SessionOutline.Type

/** The events of entries that follow one another: one list for each entry. */
export const Chunk = Schema.Array(Schema.Array(EventDetail))
export type Chunk = typeof Chunk.Type

export const SessionDocument = Schema.Struct({ outline: SessionOutline, chunks: Schema.Array(Chunk) })
export type SessionDocument = typeof SessionDocument.Type
