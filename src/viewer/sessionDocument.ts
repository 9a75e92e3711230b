import * as Effect from "effect/Effect"
import { NoArchive } from "../archive/existingArchive.ts"
import { readManifest } from "../archive/manifestFile.ts"
import { readEvents } from "../archive/readArchive.ts"
import { archiveFiles } from "../archive/sessionDirectory.ts"
import type { Manifest } from "../domain/manifest.ts"
import { providerTitles } from "../domain/provider.ts"
import { tokenKinds } from "../domain/usage.ts"
import { type Verification, verifyArchive } from "../evidence/verify.ts"
import { type Inspection, inspectArchive } from "../export/inspection.ts"
import { indexSession, mainThread, type SessionIndex } from "../export/modelCalls.ts"
import { recorderVersion } from "../recorder/version.ts"
import { completenessOf } from "./completeness.ts"
import type { Call, Chunk, SessionCard, SessionDocument, Turn } from "./document.ts"
import { type Timeline, timelineOf } from "./timeline.ts"

/**
 * Reads an archive for its page and changes nothing. The text that a page may hold is bounded (timeline.ts): what goes beyond is named where it was
 * cut, and stays in the archive.
 */
export const sessionDocument = Effect.fn("sessionDocument")(function* (directory: string) {
  const reading = yield* readManifest(archiveFiles(directory).manifest)
  if (reading._tag !== "Manifest") return yield* new NoArchive({ directory })
  const { manifest } = reading
  const inspection = yield* inspectArchive(directory)
  const verification = yield* verifyArchive(directory)
  const index = yield* indexSession(directory, manifest)
  const timeline = timelineOf(manifest)
  yield* readEvents(directory, manifest, {
    record: (record) => {
      if (record._tag === "Event") timeline.event(record.event, false)
      else timeline.damage(record.problem, record.offset, record.bytes.length)
    },
    spooled: (event) => timeline.event(event, true)
  })
  return documentOf({ manifest, inspection, verification, index, timeline: timeline.end() })
})

/** The document out of what was read of an archive. */
export const documentOf = (read: {
  readonly manifest: Manifest
  readonly inspection: Inspection
  readonly verification: Verification | undefined
  readonly index: SessionIndex
  readonly timeline: Timeline
}): SessionDocument => {
  const { manifest, inspection, verification, timeline } = read
  const calls = callsOf(manifest, read.index, timeline)
  const { chunks, starts } = inChunks(timeline)
  return {
    outline: {
      page: "session",
      format: 1,
      recorder_version: recorderVersion,
      card: cardOf(manifest, inspection),
      completeness: completenessOf(
        inspection,
        verification?.gaps.length ?? 0,
        timeline.entries.filter(({ outcome }) => outcome === "unresolved").length
      ),
      integrity:
        verification === undefined
          ? null
          : {
              verdict: verification.verdict,
              reasons: verification.reasons,
              ...(verification.broken_at === undefined ? undefined : { broken_at: verification.broken_at }),
              ...(verification.anchored_through === undefined
                ? undefined
                : { anchored_through: verification.anchored_through })
            },
      turns: withTokens(timeline.turns, calls),
      agents: timeline.agents,
      calls,
      tools: Object.entries(inspection.tools)
        .map(([name, { kind, calls, errors }]) => ({
          name,
          kind,
          calls: Math.max(calls, errors),
          errors,
          duration_ms: timeline.toolTimes.get(name) ?? 0
        }))
        .sort((left, right) => right.duration_ms - left.duration_ms || right.calls - left.calls),
      entries: timeline.entries,
      chunks: starts,
      left_out: timeline.leftOut
    },
    chunks
  }
}

const cardOf = (manifest: Manifest, inspection: Inspection): SessionCard => ({
  session_id: inspection.session_id,
  provider: inspection.provider,
  provider_title: providerTitles[inspection.provider],
  models: inspection.models,
  mode: inspection.recording_mode,
  status: inspection.status,
  started_at: inspection.started_at,
  ended_at: inspection.ended_at,
  duration_ms: inspection.duration_ms,
  project_root: inspection.project_root,
  event_count: inspection.event_count,
  byte_count: inspection.byte_count,
  turn_count: inspection.turn_count,
  redaction_count: inspection.redaction_count,
  redactions: inspection.redactions,
  usage: Object.fromEntries(
    Object.entries(inspection.usage).map(([source, tokens]) => [
      source,
      Object.fromEntries(
        tokenKinds.flatMap((kind) => {
          const count = tokens[kind]
          return count === undefined || count === null ? [] : [[kind, count] as const]
        })
      )
    ])
  ),
  ...present("provider_version", inspection.provider_version),
  ...present("end_reason", inspection.end_reason),
  ...present("revision", inspection.repository.revision),
  ...present("branch", inspection.repository.branch),
  ...present("dirty", inspection.repository.dirty),
  ...present("redaction_policy", inspection.redaction_policy),
  ...present("replay_of", manifest.replay_of_session_id),
  ...present("arm", manifest.arm),
  ...present("continues", manifest.continues_session_id),
  ...present("usage_source", inspection.usage_source)
})

const present = <K extends string, A>(key: K, value: A | null | undefined): { readonly [P in K]?: A } =>
  value === null || value === undefined ? {} : ({ [key]: value } as { readonly [P in K]: A })

/** The model calls of the source that stands for the session, in the order in which they ended. */
const callsOf = (manifest: Manifest, index: SessionIndex, timeline: Timeline): ReadonlyArray<Call> => {
  const startMs = Date.parse(manifest.started_at)
  const agents = new Map(timeline.agents.map(({ id }, position) => [id, position]))
  return [...index.calls]
    .flatMap(([thread, calls]) =>
      calls.map(({ usage, endMs }): Call => {
        const agent = thread === mainThread ? undefined : agents.get(thread)
        return {
          at: endMs - startMs,
          ...present("model", usage.model),
          ...present("agent", agent),
          input: usage.input_tokens ?? 0,
          cache_read: usage.cache_read_input_tokens ?? 0,
          cache_write: usage.cache_creation_input_tokens ?? 0,
          output: usage.output_tokens ?? 0
        }
      })
    )
    .sort((left, right) => left.at - right.at)
}

/** A call belongs to the last turn that had begun when it ended. */
const withTokens = (turns: ReadonlyArray<Turn>, calls: ReadonlyArray<Call>): ReadonlyArray<Turn> => {
  const tokens = turns.map(() => 0)
  let turn = 0
  for (const call of calls) {
    while (turn + 1 < turns.length && (turns[turn + 1]?.at ?? 0) <= call.at) turn++
    if (turns.length > 0) {
      tokens[turn] = (tokens[turn] ?? 0) + call.input + call.cache_read + call.cache_write + call.output
    }
  }
  return turns.map((one, position) => ({ ...one, tokens: tokens[position] ?? 0 }))
}

/** A chunk is read as a whole when one of its entries is looked at, so it is small. */
const chunkEntries = 100
const chunkCharacters = 400_000

const inChunks = (timeline: Timeline) => {
  const chunks: Array<Array<Chunk[number]>> = []
  const starts: Array<number> = []
  let size = Number.POSITIVE_INFINITY
  timeline.details.forEach((details, position) => {
    const last = chunks.at(-1)
    if (last === undefined || last.length >= chunkEntries || size >= chunkCharacters) {
      chunks.push([details])
      starts.push(position)
      size = 0
    } else last.push(details)
    size += roughSize(details)
  })
  return { chunks, starts }
}

const roughSize = (value: unknown): number => {
  if (typeof value === "string") return value.length
  if (typeof value !== "object" || value === null) return 4
  return Object.values(value).reduce((sum: number, item) => sum + roughSize(item) + 8, 0)
}
