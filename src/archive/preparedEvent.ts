import * as Schema from "effect/Schema"
import { type ArchivedEvent, type EventKind, eventKinds, IdentityScope, ProviderIds } from "../domain/event.ts"
import type { Provider } from "../domain/provider.ts"
import { Usage } from "../domain/usage.ts"
import { hmacSha256, sha256 } from "../platform/digest.ts"
import type { ChainKey } from "./chain.ts"

/**
 * An event that is ready to be stored: redacted and bounded, without what only the log can give it (sequence, chain). It may stand in the
 * spool for a while, so nothing in it may be secret: `identity` is a keyed digest.
 */
export const PreparedEvent = Schema.Struct({
  identity: Schema.String,
  scope: Schema.optionalKey(IdentityScope),
  timestamp: Schema.String,
  kind: Schema.Literals(eventKinds),
  turn_id: Schema.optionalKey(Schema.String),
  provider_ids: Schema.optionalKey(ProviderIds),
  payload: Schema.Unknown,
  usage: Schema.optionalKey(Usage),
  redactions: Schema.Array(Schema.String),
  truncated: Schema.optionalKey(Schema.Array(Schema.Struct({ path: Schema.String, bytes: Schema.Natural }))),
  omitted: Schema.optionalKey(Schema.Array(Schema.String))
})
export type PreparedEvent = Omit<typeof PreparedEvent.Type, "kind"> & { readonly kind: EventKind }

/**
 * The digest of an event's identity. Keyed, because an identity may be a whole payload with its secrets, and a plain digest of a known text with
 * a short unknown in it can be guessed.
 */
export const identityDigest = (key: ChainKey, parts: ReadonlyArray<string>): string =>
  hmacSha256(key.secret, JSON.stringify(parts)).slice(0, 32)

/** The id of an event in its session: 24 hex digits tell 10^14 events apart. `runs` is how often the session has ended before. */
export const eventId = (sessionId: string, event: Pick<PreparedEvent, "identity" | "scope">, runs: number): string => {
  const parts = [sessionId, event.identity, event.scope === "run" ? runs : 0]
  return `evt_${sha256(JSON.stringify(parts)).slice(0, 24)}`
}

/** The JSON object of an event without its last brace: what the chain signs. The order of the keys is part of the format. */
export const eventBody = (
  event: PreparedEvent,
  place: {
    readonly provider: Provider
    readonly sessionId: string
    readonly sequence: number
    readonly eventId: string
  }
): { readonly body: Buffer; readonly event: ArchivedEvent } => {
  const { identity: _identity, scope: _scope, timestamp, kind, turn_id, provider_ids, payload, usage, ...marks } = event
  const line = {
    schema_version: 1,
    sequence: place.sequence,
    event_id: place.eventId,
    timestamp,
    kind,
    provider: place.provider,
    session_id: place.sessionId,
    turn_id,
    provider_ids,
    payload,
    usage,
    redactions: marks.redactions,
    truncated: marks.truncated,
    omitted: marks.omitted
  }
  // The recorder made the payload from the schema of its kind.
  return { body: Buffer.from(JSON.stringify(line).slice(0, -1)), event: line as unknown as ArchivedEvent }
}
