import * as Effect from "effect/Effect"
import { NoArchive } from "../archive/existingArchive.ts"
import { readManifest } from "../archive/manifestFile.ts"
import { readEvents, shownStatus } from "../archive/readArchive.ts"
import { readFindings } from "../archive/recoveryRecord.ts"
import { archiveFiles } from "../archive/sessionDirectory.ts"
import type { ArchivedEvent, EventKind } from "../domain/event.ts"
import type { Manifest, SessionStatus } from "../domain/manifest.ts"
import { commonToolName } from "../domain/toolNames.ts"
import { preferredSource, type UsageBySource, type UsageSource } from "../domain/usage.ts"
import { unreadTranscripts } from "../recorder/unreadTranscripts.ts"
import { usageTotals } from "../recorder/usageTotals.ts"

/** How often a tool was called, and how often that went wrong. */
export interface ToolCount {
  readonly kind: string
  readonly calls: number
  readonly errors: number
}

/** Everything that `sessions inspect` shows, and its JSON. Counted from the events, which are the truth; nothing of their content is in it. */
export interface Inspection {
  readonly session_id: string
  readonly provider: Manifest["provider"]
  readonly provider_version?: string
  readonly status: SessionStatus
  readonly recording_mode: Manifest["recording_mode"]
  readonly identity?: Manifest["identity"]
  readonly joined?: "mid-session"
  readonly started_at: string
  readonly ended_at: string | null
  readonly end_reason?: string
  /** From the first event to the last. */
  readonly duration_ms: number
  readonly event_count: number
  readonly byte_count: number
  readonly counts: Readonly<Record<string, number>>
  readonly turn_count: number
  readonly models: ReadonlyArray<string>
  /** Redacted places, and how often each rule left its mark. */
  readonly redaction_count: number
  readonly redactions: Readonly<Record<string, number>>
  readonly truncation_count: number
  readonly omitted_count: number
  /** Events that came after the size bound and were not kept. */
  readonly dropped_count: number
  /** Pieces of the log that are no events, and what earlier recoveries noted. */
  readonly damaged_count: number
  readonly finding_count: number
  /** The last line was cut by an interrupted write. */
  readonly torn_tail: boolean
  /** Events that wait for the next writer. */
  readonly spooled_count: number
  /** By the agent's own name; `kind` is the same for all agents (toolNames.ts). */
  readonly tools: Readonly<Record<string, ToolCount>>
  /** Calls that have neither result nor error: interrupted, or still running. */
  readonly unresolved_tool_calls: ReadonlyArray<{ readonly sequence: number; readonly tool_name: string }>
  readonly usage: UsageBySource
  /** Transcripts that were not read to their end, by the names of their cursors: the usage is short of what they hold. */
  readonly unread_transcripts: ReadonlyArray<string>
  /** Whose counts stand for the session where several sources tell (preferredSource); null when none does. */
  readonly usage_source: UsageSource | null
  readonly timing: NonNullable<Manifest["timing"]>
  readonly capabilities: NonNullable<Manifest["capabilities"]>
  readonly repository: {
    readonly revision: string | null
    readonly branch: string | null
    readonly dirty: boolean | null
  }
  readonly redaction_policy?: string
  readonly project_root: string
  readonly path: string
}

const marker = /\[REDACTED:([a-z0-9][a-z0-9-]*)\]/g

/** Reads an archive for inspection. Changes nothing. */
export const inspectArchive = Effect.fn("inspectArchive")(function* (directory: string) {
  const files = archiveFiles(directory)
  const reading = yield* readManifest(files.manifest)
  if (reading._tag !== "Manifest") return yield* new NoArchive({ directory })
  const { manifest } = reading
  const tally = tallyEvents()
  let damaged = 0
  let torn = false
  yield* readEvents(directory, manifest, {
    record: (record) => {
      if (record._tag === "Event") tally.event(record.event, record.line)
      else if (record.problem === "torn-tail") torn = true
      else damaged++
    },
    line: tally.line,
    spooled: tally.spooled
  })
  const counted = tally.end()
  const { provider_version, identity, joined, end_reason, redaction_policy } = manifest
  return {
    session_id: manifest.session_id,
    provider: manifest.provider,
    ...(provider_version === undefined ? undefined : { provider_version }),
    status: yield* shownStatus(directory, manifest),
    recording_mode: manifest.recording_mode,
    ...(identity === undefined ? undefined : { identity }),
    ...(joined === undefined ? undefined : { joined }),
    started_at: manifest.started_at,
    ended_at: manifest.ended_at ?? null,
    ...(end_reason === undefined ? undefined : { end_reason }),
    ...counted,
    dropped_count: manifest.dropped_count ?? 0,
    damaged_count: damaged,
    finding_count: (yield* readFindings(files.recovery)).length,
    torn_tail: torn,
    timing: manifest.timing ?? {},
    capabilities: manifest.capabilities ?? {},
    repository: {
      revision: manifest.repository_revision ?? null,
      branch: manifest.repository_branch ?? null,
      dirty: manifest.repository_dirty ?? null
    },
    ...(redaction_policy === undefined ? undefined : { redaction_policy }),
    project_root: manifest.project_root,
    path: directory
  } satisfies Inspection
})

/** Counts events as they are read, in memory that grows with tool calls and model messages only. */
const tallyEvents = () => {
  const counts = new Map<EventKind, number>()
  const rules = new Map<string, number>()
  const tools = new Map<string, ToolCount>()
  const countOf = ({ provider }: ArchivedEvent, name: string): ToolCount =>
    tools.get(name) ?? { kind: commonToolName(provider, name), calls: 0, errors: 0 }
  const open = new Map<string, { sequence: number; tool_name: string }>()
  const turns = new Set<string>()
  const models = new Set<string>()
  const usageEvents: Array<ArchivedEvent> = []
  const unread = unreadTranscripts()
  const messages = new Map<UsageSource, Set<string>>()
  let bytes = 0
  let spooled = 0
  let redactions = 0
  let truncations = 0
  let omitted = 0
  let first: string | undefined
  let last: string | undefined

  const add = (event: ArchivedEvent, text: string): void => {
    counts.set(event.kind, (counts.get(event.kind) ?? 0) + 1)
    first ??= event.timestamp
    last = event.timestamp
    redactions += event.redactions.length
    truncations += event.truncated?.length ?? 0
    omitted += event.omitted?.length ?? 0
    for (const [, rule = ""] of event.redactions.length === 0 ? [] : text.matchAll(marker)) {
      rules.set(rule, (rules.get(rule) ?? 0) + 1)
    }
    if (event.turn_id !== undefined) turns.add(event.turn_id)
    if (event.kind === "session_start" && event.payload.model !== undefined) models.add(event.payload.model)
    if (event.kind === "turn_usage") {
      usageEvents.push(event)
      unread.add(event)
      const ids = messages.get(event.payload.source) ?? new Set()
      for (const { model, message_id } of event.payload.messages) {
        ids.add(message_id)
        if (model !== undefined) models.add(model)
      }
      if (ids.size > 0) messages.set(event.payload.source, ids)
    }
    const call = event.provider_ids?.tool_use_id
    if (event.kind === "tool_call") {
      const tool = countOf(event, event.payload.tool_name)
      tools.set(event.payload.tool_name, { ...tool, calls: tool.calls + 1 })
      if (call !== undefined) open.set(call, { sequence: event.sequence, tool_name: event.payload.tool_name })
    }
    if (event.kind === "tool_result" || event.kind === "tool_error") {
      if (call !== undefined) open.delete(call)
      if (event.kind === "tool_error") {
        const tool = countOf(event, event.payload.tool_name)
        tools.set(event.payload.tool_name, { ...tool, errors: tool.errors + 1 })
      }
    }
  }
  return {
    event: (event: ArchivedEvent, line: Buffer) =>
      add(event, event.redactions.length === 0 ? "" : line.toString("utf8")),
    spooled: (event: ArchivedEvent) => {
      spooled++
      add(event, JSON.stringify(event))
    },
    line: (line: Buffer) => {
      bytes += line.length
    },
    end: () => ({
      duration_ms: first === undefined || last === undefined ? 0 : Math.max(0, Date.parse(last) - Date.parse(first)),
      event_count: [...counts.values()].reduce((sum, count) => sum + count, 0),
      byte_count: bytes,
      counts: Object.fromEntries(counts),
      // An agent that names no turns begins one with each prompt.
      turn_count: turns.size > 0 ? turns.size : (counts.get("user_prompt") ?? 0),
      models: [...models],
      redaction_count: redactions,
      redactions: Object.fromEntries([...rules].sort(([a], [b]) => (a < b ? -1 : 1))),
      truncation_count: truncations,
      omitted_count: omitted,
      spooled_count: spooled,
      tools: Object.fromEntries([...tools].sort(([a], [b]) => (a < b ? -1 : 1))),
      unresolved_tool_calls: [...open.values()],
      usage: usageTotals(usageEvents),
      unread_transcripts: unread.end(),
      usage_source: preferredSource([...messages].map(([source, ids]) => [source, ids.size])) ?? null
    })
  }
}
