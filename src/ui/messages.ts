import * as Schema from "effect/Schema"
import { SessionStatus } from "../domain/manifest.ts"
import { Provider } from "../domain/provider.ts"
import type { WatchLine } from "../live/watchSchema.ts"
import { hitFields } from "../search/hit.ts"

/** A session in the list of the page. */
export const SessionRow = Schema.Struct({
  /** Names it in addresses: nothing in an address is ever taken for a path. */
  key: Schema.String,
  session_id: Schema.String,
  provider: Provider,
  status: SessionStatus,
  mode: Schema.String,
  started_at: Schema.String,
  ended_at: Schema.NullOr(Schema.String),
  branch: Schema.NullOr(Schema.String),
  event_count: Schema.Natural,
  byte_count: Schema.Natural,
  redaction_count: Schema.Natural
})
export type SessionRow = typeof SessionRow.Type

/** What the page asks for: a part of the list, newest first. */
export const SessionPart = Schema.Struct({
  project: Schema.String,
  total: Schema.Natural,
  sessions: Schema.Array(SessionRow)
})
export type SessionPart = typeof SessionPart.Type

/** An event that was found. */
export const FoundEvent = Schema.Struct({
  key: Schema.String,
  ...hitFields
})
export type FoundEvent = typeof FoundEvent.Type

/** What a search gives; `more` when the limit kept some away. */
export const FoundEvents = Schema.Struct({ hits: Schema.Array(FoundEvent), more: Schema.Boolean })
export type FoundEvents = typeof FoundEvents.Type

/** A line of what happens; `key` names its session in addresses. */
export type LiveLine = WatchLine & { readonly key: string }
