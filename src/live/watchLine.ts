import { eventSummary, toolOf } from "./eventSummary.ts"
import type { FollowedEvent } from "./followLog.ts"
import type { Happening, LiveSession } from "./Live.ts"
import type { WatchedEvent, WatchedSession, WatchLine } from "./watchSchema.ts"

const watchedEvent = ({ event, spooled }: FollowedEvent): WatchedEvent => ({
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
