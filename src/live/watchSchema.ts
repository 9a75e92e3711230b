import * as Schema from "effect/Schema"
import { SessionStatus } from "../domain/manifest.ts"
import { Provider } from "../domain/provider.ts"

/** One event of a session that is watched. */
export const WatchedEvent = Schema.Struct({
  /** Null while the event waits in the spool: the next writer gives it its place, and it is not told again. */
  sequence: Schema.NullOr(Schema.Natural),
  timestamp: Schema.String,
  kind: Schema.String,
  /** The agent's name of the tool, for calls and their ends. */
  tool_name: Schema.NullOr(Schema.String),
  /** One line of what was recorded and redacted. */
  summary: Schema.String,
  redaction_count: Schema.Natural,
  truncation_count: Schema.Natural
})
export type WatchedEvent = typeof WatchedEvent.Type

/** A session that is watched, as it is now. */
export const WatchedSession = Schema.Struct({
  type: Schema.Literal("session"),
  session_id: Schema.String,
  provider: Provider,
  status: SessionStatus,
  started_at: Schema.String,
  event_count: Schema.Natural,
  redaction_count: Schema.Natural,
  /** Events that wait for the next writer. */
  spooled_count: Schema.Natural,
  newest: Schema.NullOr(WatchedEvent),
  /** What the hooks of this session took, in milliseconds; `last_ms` is null until one ran while we watched. */
  hooks: Schema.Struct({
    count: Schema.Natural,
    average_ms: Schema.NullOr(Schema.Finite),
    max_ms: Schema.NullOr(Schema.Finite),
    last_ms: Schema.NullOr(Schema.Finite)
  }),
  path: Schema.String
})
export type WatchedSession = typeof WatchedSession.Type

/** A line of `watch --json`. */
export const WatchLine = Schema.Union([
  /** A session is watched from now on. */
  WatchedSession,
  Schema.Struct({
    type: Schema.Literal("event"),
    session_id: Schema.String,
    ...WatchedEvent.fields,
    /** What the hook took that recorded it, in milliseconds; null where that cannot be told. */
    hook_ms: Schema.NullOr(Schema.Finite)
  }),
  /** The log was shortened or replaced: what was told before may not be in it. */
  Schema.Struct({ type: Schema.Literal("cut"), session_id: Schema.String }),
  /** The session is not active any more. */
  Schema.Struct({ type: Schema.Literal("left"), session_id: Schema.String, status: SessionStatus })
])
export type WatchLine = typeof WatchLine.Type

/** What `watch --once --json` prints. */
export const WatchView = Schema.Struct({ project: Schema.String, sessions: Schema.Array(WatchedSession) })
export type WatchView = typeof WatchView.Type
