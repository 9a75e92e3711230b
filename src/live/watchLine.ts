import * as Schema from "effect/Schema"
import { SessionStatus } from "../domain/manifest.ts"
import { Provider } from "../domain/provider.ts"
import { eventSummary, toolOf } from "./eventSummary.ts"
import type { FollowedEvent } from "./followLog.ts"
import type { Happening, LiveSession } from "./Live.ts"

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

export const watchedEvent = ({ event, spooled }: FollowedEvent): typeof WatchedEvent.Type => ({
  sequence: spooled ? null : event.sequence,
  timestamp: event.timestamp,
  kind: event.kind,
  tool_name: toolOf(event),
  summary: eventSummary(event),
  redaction_count: event.redactions.length,
  truncation_count: (event.truncated?.length ?? 0) + (event.omitted?.length ?? 0)
})

export const watchedSession = (session: LiveSession): WatchedSession => {
  const { manifest } = session
  const recording = manifest.timing?.recording
  const ran = recording !== undefined && recording.count > 0
  return {
    type: "session",
    session_id: manifest.session_id,
    provider: manifest.provider,
    status: session.status,
    started_at: manifest.started_at,
    event_count: manifest.event_count,
    redaction_count: manifest.redaction_count ?? 0,
    spooled_count: session.spooledCount,
    newest: session.newest === undefined ? null : watchedEvent(session.newest),
    hooks: {
      count: recording?.count ?? 0,
      average_ms: ran ? Math.round((recording.total / recording.count) * 10) / 10 : null,
      max_ms: ran ? recording.max : null,
      last_ms: session.lastHookMs ?? null
    },
    path: session.directory
  }
}

/** The lines of what happened. */
export const watchLines = (happening: Happening): ReadonlyArray<WatchLine> => {
  const { session_id } = happening.session.manifest
  const event = (followed: FollowedEvent, hookMs: number | undefined): WatchLine => ({
    type: "event",
    session_id,
    ...watchedEvent(followed),
    hook_ms: hookMs ?? null
  })
  switch (happening._tag) {
    case "appeared":
      return [watchedSession(happening.session), ...happening.newest.map((one) => event(one, undefined))]
    case "event":
      return [event(happening.followed, happening.hookMs)]
    case "cut":
      return [{ type: "cut", session_id }]
    case "left":
      return [{ type: "left", session_id, status: happening.session.status }]
  }
}
