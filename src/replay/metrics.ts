import * as path from "node:path"
import * as Effect from "effect/Effect"
import { NoArchive } from "../archive/existingArchive.ts"
import { readManifest } from "../archive/manifestFile.ts"
import { readEvents, shownStatus } from "../archive/readArchive.ts"
import { archiveFiles } from "../archive/sessionDirectory.ts"
import { counted } from "../domain/counted.ts"
import type { Manifest } from "../domain/manifest.ts"
import type { Tokens, UsageSource } from "../domain/usage.ts"
import { tallyOf } from "./sessionTally.ts"

/**
 * What one session cost and did, read from its archive. A value that was not observed is null, never 0. Milliseconds, bytes, US dollars and tokens.
 * Recording, retrieval and MCP time stand apart, so that the recorder's own cost is not taken for the agent's.
 */
export interface SessionMetrics {
  readonly session_id: string
  readonly directory: string
  /** The directory that the archive is in. */
  readonly session_root: string
  readonly provider: string
  readonly provider_version: string | null
  readonly models: ReadonlyArray<string>
  readonly arm: string | null
  /** The session that this one is a replay of. */
  readonly replay_of_session_id: string | null
  /** Whether lint-ai retrieved and injected. */
  readonly lint_ai_enabled: boolean | null
  /** The agent's settings home. */
  readonly settings_root: string | null
  readonly permission_modes: ReadonlyArray<string>
  readonly repository_revision: string | null
  readonly outcome: "completed" | "failed" | "incomplete" | "active"
  readonly exit_code: number | null
  /** From the first event to the last, with the time that the person took between prompts. */
  readonly duration_ms: number | null
  /** The time between each prompt of the user and the last that the agent did about it, added up. */
  readonly working_ms: number | null
  /** From the first prompt to the first answer or tool call. */
  readonly first_response_ms: number | null
  readonly tokens: Tokens | null
  readonly usage_source: UsageSource | null
  readonly cost_usd: number | null
  /** Prompts that the agent was given, with what it did about each. */
  readonly turns: number
  /** How often the model was asked in the session itself, as agents count turns for their own limits; null where usage was not observed. */
  readonly model_turns: number | null
  readonly tool_calls: number
  readonly tool_errors: number
  /** Reads and searches that repeat an earlier one of the session, word for word. */
  readonly repeated_exploration: number
  readonly injected_bytes: number | null
  /** Memories that were put into the context, or that the agent was given by the MCP server of lint-ai. */
  readonly memories_used: ReadonlyArray<string>
  readonly event_count: number
  readonly redaction_count: number
  readonly truncation_count: number
  /** Whether the recording has its start, its end, no gap and no damage. */
  readonly recording_complete: boolean
  /** What it lacks, as clauses. */
  readonly recording_problems: ReadonlyArray<string>
  /** Time of the hooks from their start until what they brought was stored. */
  readonly recording_ms: number | null
  readonly retrieval_ms: number | null
  /** Time of the agent's calls to the MCP server of lint-ai. */
  readonly mcp_ms: number | null
}

/**
 * Measures one session from its archive, which is read and not changed. Holds in memory what grows with tool calls and model messages, and nothing
 * of what was said.
 */
export const measureSession = Effect.fn("measureSession")(function* (directory: string) {
  const files = archiveFiles(directory)
  const reading = yield* readManifest(files.manifest)
  if (reading._tag !== "Manifest") return yield* new NoArchive({ directory })
  const { manifest } = reading
  const tally = tallyOf(manifest)
  const damage = { torn: false, lines: 0 }
  yield* readEvents(directory, manifest, {
    record: (record) => {
      if (record._tag === "Event") tally.add(record.event)
      else if (record.problem === "torn-tail") damage.torn = true
      else damage.lines++
    },
    spooled: (event) => tally.add(event, "spooled")
  })
  const { timing, capabilities } = manifest
  const tallied = tally.end()
  const problems = [
    ...(manifest.joined === undefined ? [] : ["it began in the middle of the session"]),
    ...(tallied.began || capabilities?.session_start === "absent" ? [] : ["it has no beginning"]),
    ...(tallied.ended || capabilities?.session_end === "absent" ? [] : ["it has no end"]),
    ...(tallied.gaps === 0 ? [] : [`it names ${counted(tallied.gaps, "gap")}`]),
    ...(damage.lines === 0 ? [] : [`${counted(damage.lines, "damaged line")} could not be read`]),
    ...(damage.torn ? ["its last line is cut"] : []),
    ...(tallied.unread === 0
      ? []
      : [`${counted(tallied.unread, "transcript was", "transcripts were")} not read to the end`]),
    ...((manifest.dropped_count ?? 0) === 0 ? [] : [`${manifest.dropped_count} events were over its size bound`])
  ]
  return {
    session_id: manifest.session_id,
    directory,
    session_root: path.dirname(directory),
    provider: manifest.provider,
    provider_version: manifest.provider_version ?? null,
    arm: manifest.arm ?? null,
    replay_of_session_id: manifest.replay_of_session_id ?? null,
    lint_ai_enabled: manifest.lint_ai_enabled ?? lintAiByMode(manifest),
    repository_revision: manifest.repository_revision ?? null,
    outcome: yield* shownStatus(directory, manifest),
    ...tallied.metrics,
    injected_bytes:
      capabilities?.context_injection === "absent" || manifest.identity === "imported"
        ? null
        : tallied.metrics.injected_bytes,
    recording_complete: problems.length === 0,
    recording_problems: problems,
    recording_ms: timing?.recording?.total ?? null,
    retrieval_ms: timing?.retrieval?.total ?? null
  } satisfies SessionMetrics
})

/** A mode says whether lint-ai retrieves, except that of an experiment, in which each arm says it. */
const lintAiByMode = ({ recording_mode: mode }: Manifest): boolean | null => (mode === "ab" ? null : mode === "assist")

/** All tokens of a session: what the agent counts itself, else the sum of the kinds, of which reasoning is a part of the output. */
export const allTokens = (tokens: Tokens | null): number | null => {
  if (tokens === null) return null
  if (typeof tokens.total_tokens === "number") return tokens.total_tokens
  const kinds = [
    tokens.input_tokens,
    tokens.cache_creation_input_tokens,
    tokens.cache_read_input_tokens,
    tokens.output_tokens
  ].filter((count) => typeof count === "number")
  return kinds.length === 0 ? null : kinds.reduce((sum, count) => sum + count, 0)
}
