import * as Schema from "effect/Schema"
import { Finding } from "../../archive/recoveryRecord.ts"
import { Capabilities, Manifest, SessionStatus, Timing } from "../../domain/manifest.ts"
import { Mode } from "../../domain/mode.ts"
import { Provider } from "../../domain/provider.ts"
import { UsageBySource, UsageSource } from "../../domain/usage.ts"
import { WatchLine, WatchView } from "../../live/watchSchema.ts"
import { SearchReport } from "../commands/sessionsSearch.ts"
import {
  type CommandDocument,
  count,
  counts,
  document,
  flag,
  list,
  maybe,
  number,
  oneOf,
  orNull,
  struct,
  text
} from "./CommandDocument.ts"

const gap = Schema.Union([
  struct({ cause: Schema.Literal("spooled"), deliveries: count, events: count, sequence: count }),
  struct({ cause: Schema.Literal("missing"), from: count, to: count, sequence: count }),
  struct({ cause: Schema.Literal("manifest"), sequence: count })
])
const verification = struct({
  session_id: text,
  verdict: oneOf(["complete", "chained", "partial", "unkeyed", "broken"]),
  event_count: count,
  broken_at: maybe(count),
  anchored_through: maybe(count),
  reasons: list(text),
  damage_count: count,
  spooled_count: count,
  gaps: list(gap),
  /** Of the agent, while the session ran; left out where nothing but an anchor or a log without its manifest is left. */
  failed_hooks: maybe(count)
})
const loneCall = struct({ tool_use_id: text, tool_name: text, timestamp: maybe(text) })
const pruned = list(
  struct({ session_id: text, path: text, byte_count: count, reason: oneOf(["age", "number", "size"]) })
)
const prunedFields = {
  byte_count: count,
  kept: count,
  spared: list(struct({ session_id: text, because: text })),
  /** Archives that could not be deleted. */
  left: list(text)
}

export const sessionDocuments: ReadonlyArray<CommandDocument> = [
  document(
    "sessions list",
    "The sessions of a project, newest first: the manifest of each, and where it is",
    struct({
      sessions: list(Schema.Struct({ ...Manifest.fields, status: SessionStatus, path: text })),
      unreadable: list(text)
    })
  ),
  document("sessions search", "Events in which all words are, by session, newest first", SearchReport),
  document(
    "sessions inspect",
    "What a session holds, without its content",
    struct({
      session_id: text,
      provider: Provider,
      provider_version: maybe(text),
      status: SessionStatus,
      recording_mode: Mode,
      identity: maybe(oneOf(["provider", "local", "imported"])),
      joined: maybe(Schema.Literal("mid-session")),
      started_at: text,
      ended_at: orNull(text),
      end_reason: maybe(text),
      duration_ms: number,
      event_count: count,
      byte_count: count,
      counts,
      turn_count: count,
      models: list(text),
      redaction_count: count,
      redactions: counts,
      truncation_count: count,
      omitted_count: count,
      dropped_count: count,
      damaged_count: count,
      finding_count: count,
      torn_tail: flag,
      spooled_count: count,
      failed_hooks: count,
      tools: Schema.Record(Schema.String, struct({ kind: text, calls: count, errors: count })),
      unresolved_tool_calls: list(struct({ sequence: count, tool_name: text })),
      usage: UsageBySource,
      unread_transcripts: list(text),
      usage_source: orNull(UsageSource),
      timing: struct({ recording: maybe(Timing), retrieval: maybe(Timing), capture: maybe(Timing) }),
      capabilities: Capabilities,
      repository: struct({ revision: orNull(text), branch: orNull(text), dirty: orNull(flag) }),
      redaction_policy: maybe(text),
      project_root: text,
      path: text
    })
  ),
  document(
    "sessions view",
    "The page that was written",
    struct({ session_id: text, event_count: count, byte_count: count, path: text, opened: flag })
  ),
  document(
    "sessions export",
    "What was written with --out, or sent with --endpoint; without them the export itself is printed. `left_out` counts damaged pieces of the log",
    Schema.Union([
      struct({ session_id: text, format: text, event_count: count, left_out: count, path: text }),
      struct({
        session_id: text,
        format: text,
        endpoint: text,
        event_count: count,
        span_count: maybe(count),
        requests: count,
        rejected_spans: count,
        left_out: count
      })
    ])
  ),
  document(
    "sessions import",
    "The session that was made of an export or a transcript",
    struct({
      session_id: text,
      path: text,
      event_count: count,
      redaction_count: count,
      source_chain: maybe(oneOf(["valid", "broken", "unkeyed"]))
    })
  ),
  document(
    "sessions verify",
    "Whether a record is as it was written; with --all, every record",
    Schema.Union([
      verification,
      Schema.Struct({
        ...verification.fields,
        against_transcript: struct({
          transcript: text,
          agrees: flag,
          transcript_calls: count,
          recorded_calls: count,
          before_recording: count,
          not_recorded: list(loneCall),
          not_in_transcript: list(loneCall),
          end_not_recorded: list(loneCall)
        })
      }),
      struct({ sessions: list(verification) })
    ])
  ),
  document(
    "sessions recover",
    "What was found and mended",
    struct({
      sessions: list(
        struct({ directory: text, event_count: count, drained: count, findings: list(Finding), status: SessionStatus })
      ),
      /** Archives that were not mended, or must not change. */
      left: list(struct({ directory: text, because: text }))
    })
  ),
  document(
    "sessions delete",
    "What was deleted",
    struct({ deleted: list(struct({ session_id: text, path: text })), left: list(text) })
  ),
  document(
    "sessions prune",
    "What was deleted by age, number or size, or would be with --dry-run",
    Schema.Union([
      struct({ dry_run: Schema.Literal(false), deleted: pruned, ...prunedFields }),
      struct({ dry_run: Schema.Literal(true), would_delete: pruned, ...prunedFields })
    ])
  ),
  { ...document("watch", "One of the lines that are printed as something happens", WatchLine), lines: true },
  document("watch --once", "The sessions that are being recorded", WatchView)
]
