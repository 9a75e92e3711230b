import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { Mode } from "./mode.ts"
import { ProcessIdentity } from "./processIdentity.ts"
import { ReadableProvider } from "./provider.ts"
import { SessionId } from "./sessionId.ts"
import { Timestamp } from "./timestamp.ts"
import { UsageBySource } from "./usage.ts"

/** `active` while the agent may go on; `incomplete` when it went away without an end; `failed` when a replay's provider failed. */
export const SessionStatus = Schema.Literals(["active", "completed", "incomplete", "failed"])
export type SessionStatus = typeof SessionStatus.Type

/** Older recorders also wrote `interrupted` and `replayed`. */
const ReadableStatus = Schema.Literals([...SessionStatus.literals, "interrupted", "replayed"]).pipe(
  Schema.decodeTo(
    SessionStatus,
    SchemaTransformation.transform({
      decode: (status) => (status === "interrupted" ? "incomplete" : status === "replayed" ? "completed" : status),
      encode: (status) => status
    })
  )
)

/** Older recorders named the mode of a replay. */
const ReadableMode = Schema.Literals([...Mode.literals, "replay"]).pipe(
  Schema.decodeTo(
    Mode,
    SchemaTransformation.transform({
      decode: (mode) => (mode === "replay" ? "ab" : mode),
      encode: (mode) => mode
    })
  )
)

/** How the provider tells of a feature, in this version: through its hooks, its transcript, or not at all. */
export const Capability = Schema.Literals(["hook", "transcript", "absent"])
export const Capabilities = Schema.Record(Schema.String, Capability)
export type Capabilities = typeof Capabilities.Type

/** Times of one activity in milliseconds: how often, together, the longest. */
export const Timing = Schema.Struct({ count: Schema.Natural, total: Schema.Finite, max: Schema.Finite })
export type Timing = typeof Timing.Type
export const noTiming: Timing = { count: 0, total: 0, max: 0 }
export const addTiming = (timing: Timing, milliseconds: number): Timing => ({
  count: timing.count + 1,
  total: Math.round((timing.total + milliseconds) * 1000) / 1000,
  max: Math.max(timing.max, Math.round(milliseconds * 1000) / 1000)
})

const maybe = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/**
 * manifest.json. Advisory: events.jsonl is the truth, and a reader that disagrees with the manifest believes the events. Keys that only
 * newer archives have are optional, so that older ones stay readable.
 */
export const Manifest = Schema.Struct({
  schema_version: Schema.Literal(1),
  session_id: SessionId,
  provider: ReadableProvider,
  provider_version: Schema.optionalKey(Schema.String),
  /** `provider`: the id is the provider's. `local`: it gave none. `imported`: the archive was made from an export or a transcript. */
  identity: Schema.optionalKey(Schema.Literals(["provider", "local", "imported"])),
  project_root: Schema.String,
  started_at: Timestamp,
  ended_at: maybe(Timestamp),
  /** Why the session ended, in the provider's or the user's words. */
  end_reason: Schema.optionalKey(Schema.String),
  status: ReadableStatus,
  recording_mode: ReadableMode,
  /** `mid-session`: recording was turned on in a session that already ran. */
  joined: Schema.optionalKey(Schema.Literal("mid-session")),
  repository_revision: maybe(Schema.String),
  repository_branch: maybe(Schema.String),
  repository_dirty: maybe(Schema.Boolean),
  event_count: Schema.Natural,
  byte_count: Schema.optionalKey(Schema.Natural),
  redaction_count: Schema.optionalKey(Schema.Natural),
  truncation_count: Schema.optionalKey(Schema.Natural),
  /** Events that came after the session reached its size bound: counted, not kept. */
  dropped_count: Schema.optionalKey(Schema.Natural),
  redaction_policy: Schema.optionalKey(Schema.String),
  redaction_fingerprint: Schema.optionalKey(Schema.String),
  capabilities: Schema.optionalKey(Capabilities),
  key_id: Schema.optionalKey(Schema.String),
  agent_process: Schema.optionalKey(ProcessIdentity),
  usage: Schema.optionalKey(UsageBySource),
  timing: Schema.optionalKey(
    Schema.Struct({
      recording: Schema.optionalKey(Timing),
      retrieval: Schema.optionalKey(Timing),
      capture: Schema.optionalKey(Timing)
    })
  ),
  recorder_version: Schema.optionalKey(Schema.String),
  /** The archive that this one continues, because that one is frozen. */
  continues_session_id: Schema.optionalKey(SessionId),
  provider_session_ids: Schema.optionalKey(Schema.Array(Schema.String)),
  run_type: Schema.optionalKey(Schema.Literals(["replay"])),
  replay_of_session_id: Schema.optionalKey(SessionId),
  arm: Schema.optionalKey(Schema.String),
  lint_ai_enabled: Schema.optionalKey(Schema.Boolean),
  recording_enabled: Schema.optionalKey(Schema.Boolean),
  prompt_count: Schema.optionalKey(Schema.Natural),
  /** Over all that stands before it (archive/manifestFile.ts). Always the last field. */
  seal: Schema.optionalKey(Schema.String)
})
export type Manifest = typeof Manifest.Type

/** manifest.json as text. */
export const ManifestJson = Schema.fromJsonString(Manifest)
