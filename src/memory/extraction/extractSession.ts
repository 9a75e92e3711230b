import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { LockService } from "../../archive/LockService.ts"
import { readEvents, type SessionSummary } from "../../archive/readArchive.ts"
import type { ArchivedEvent } from "../../domain/event.ts"
import { timestampOf } from "../../domain/timestamp.ts"
import { Redactor } from "../../redaction/Redactor.ts"
import { MemoryStore } from "../MemoryStore.ts"
import { type MemoryPlace, memoryFiles } from "../memoryPlace.ts"
import { listSegments, readSegment, recordOf } from "../segments.ts"
import { type Chunk, Chunker, type ChunkLimits, usualLimits } from "./chunks.ts"
import { Citations } from "./citations.ts"
import { type ExtractionFailure, type ExtractorHost, failure, type TranscriptForm } from "./contract.ts"
import type { Extract } from "./extractor.ts"
import { dropOf, gate, KnownNotes, noteText } from "./gates.ts"
import { type Drop, queueReceipt, settleFailures } from "./receipts.ts"
import {
  candidateId,
  ensureStaging,
  listCandidates,
  progressFiles,
  readProgress,
  type StagedCandidate,
  stage,
  writeProgress
} from "./staging.ts"
import { conversationLine, providerEventLine } from "./transcript.ts"

/** What a run of extraction did. */
export interface ExtractionReport {
  readonly session_id: string
  readonly host: ExtractorHost
  readonly form: TranscriptForm
  /** Requests that were answered. */
  readonly chunks: number
  /** The events that they were about; null when there was nothing new. */
  readonly events: { readonly from: number; readonly to: number } | null
  /** Candidates that the agent proposed. */
  readonly candidates: number
  readonly staged: ReadonlyArray<StagedCandidate>
  readonly dropped: ReadonlyArray<Drop>
  /** Pieces of the archive that are damaged and were not sent. */
  readonly undecoded: number
  /** Events that the recorder had no name for; sent only when the archive has no others. */
  readonly unrecognized: number
  /** Whether the session goes on behind what one run takes. The next run goes on there. */
  readonly more: boolean
  /** Why the run failed. What was staged before stays, and the next run begins with what failed. */
  readonly failure: ExtractionFailure | null
}

export interface ExtractionRun {
  readonly session: SessionSummary
  readonly place: MemoryPlace
  readonly host: ExtractorHost
  readonly extract: Extract
  /** Begins with the first event again, whatever was extracted before. */
  readonly again?: boolean
  readonly limits?: ChunkLimits
}

/** A text without secrets; undefined when the redactor could not look through it. */
const cleaned = Effect.fnUntraced(function* (text: string) {
  const redactor = yield* Redactor
  return yield* redactor.redact(text, "transcript").pipe(
    Effect.map(({ value }) => (typeof value === "string" ? value : undefined)),
    Effect.orElseSucceed(() => undefined)
  )
})

/**
 * The text of a request; undefined when the redactor fails. It looks through what is in the archive once more: what was recorded long ago was
 * redacted by one that knew fewer secrets.
 */
export const cleanedText = Effect.fnUntraced(function* (chunk: Chunk) {
  const lines: Array<string> = []
  // One by one: a redactor has a budget for each text.
  for (const { text } of chunk.lines) {
    const line = yield* cleaned(text)
    if (line === undefined) return undefined
    lines.push(line)
  }
  return lines.join("\n")
})

/** What of a session's archive is sent, from behind `after` on. */
export const readTranscript = Effect.fn("readTranscript")(function* (
  session: SessionSummary,
  after: number,
  limits: ChunkLimits = usualLimits
) {
  let undecoded = 0
  let unrecognized = 0
  let spoken = 0
  let last = 0
  const conversation = new Chunker(limits)
  const raw = new Chunker(limits)
  const see = (event: ArchivedEvent) => {
    last = Math.max(last, event.sequence)
    const line = conversationLine(event)
    const unknown = providerEventLine(event)
    if (line !== undefined) spoken++
    if (unknown !== undefined) unrecognized++
    if (event.sequence <= after) return
    conversation.add(event.sequence, event.timestamp, line)
    raw.add(event.sequence, event.timestamp, unknown)
  }
  yield* readEvents(session.directory, session.manifest, {
    record: (record) => {
      if (record._tag === "Event") see(record.event)
      else undecoded++
    },
    spooled: see
  })
  const form: TranscriptForm = spoken === 0 && unrecognized > 0 ? "provider-events" : "conversation"
  const { chunks, more, through } = (form === "conversation" ? conversation : raw).finish()
  return { form, chunks, more, through, last, undecoded, unrecognized, isSilent: spoken === 0 && unrecognized === 0 }
})

/**
 * Extracts from what a session has that was not extracted yet, and stages what passes the gates. One run at a time for a session: another one
 * fails at once.
 *
 * The cursor moves behind each request whose candidates are staged. A request that fails ends the run, and leaves a receipt for the next start of
 * a session; the next run begins with it.
 */
export const extractSession = Effect.fn("extractSession")(function* (run: ExtractionRun) {
  const locks = yield* LockService
  yield* ensureStaging(run.place)
  return yield* locks.hold(progressFiles(run.place, run.session.manifest.session_id).lock, 0, extractHeld(run))
})

const extractHeld = Effect.fnUntraced(function* ({ session, place, host, extract, again, limits }: ExtractionRun) {
  const { session_id, project_root, provider } = session.manifest
  const before = again === true ? 0 : yield* readProgress(place, session_id)
  const first = yield* readTranscript(session, before, limits)
  // Fewer events than were dealt with: another archive under the same id.
  const transcript = before > first.last ? yield* readTranscript(session, 0, limits) : first
  const known = new KnownNotes([...(yield* listCandidates(place)).map(noteText), ...(yield* storedNotes(place))])
  const staged: Array<StagedCandidate> = []
  const dropped: Array<Drop> = []
  let answered = 0
  let proposed = 0
  let failed: ExtractionFailure | null = null
  if (transcript.isSilent) {
    const error = "the archive holds no event of a conversation, and none that the agent reported otherwise"
    failed = failure({ reason: "transcript-unavailable", host, runtime: host, code: null, error })
  }
  for (const chunk of failed === null ? transcript.chunks : []) {
    const text = yield* cleanedText(chunk)
    if (text === undefined) {
      const error = "the redactor could not look through it, so it was not sent"
      failed = failure({ reason: "transcript-unavailable", host, runtime: host, code: null, error })
      break
    }
    const result = yield* extract({
      host,
      session: { id: session_id, cwd: project_root },
      transcript: { form: transcript.form, text }
    })
    if (!result.ok) {
      failed = { ...result, error: (yield* cleaned(result.error)) ?? "withheld" }
      if (result.reason === "malformed-output") dropped.push(dropOf("invalid"))
      break
    }
    answered++
    proposed += result.candidates.length
    const citations = new Citations(chunk.lines)
    for (const candidate of result.candidates) {
      const drop = yield* gate(candidate, known)
      if (drop !== undefined) {
        dropped.push(drop)
        continue
      }
      known.add(noteText(candidate))
      const { events, grounded } = citations.of(candidate)
      const note: StagedCandidate = {
        schema_version: 1,
        id: candidateId(session_id, candidate),
        status: "staged",
        ...candidate,
        provider,
        session_id,
        project_root,
        host,
        events,
        grounded,
        revision: session.manifest.repository_revision ?? null,
        branch: session.manifest.repository_branch ?? null,
        created: timeOf(chunk, events.at(-1)) ?? session.manifest.started_at,
        staged: timestampOf(yield* Clock.currentTimeMillis)
      }
      if (yield* stage(place, note)) staged.push(note)
    }
    yield* writeProgress(place, session_id, chunk.through)
  }
  if (failed === null && !transcript.more && transcript.through > before) {
    yield* writeProgress(place, session_id, transcript.through)
  }
  if (failed === null) yield* settleFailures(place, session_id)
  else {
    const { reason, error } = failed
    yield* queueReceipt(place, { _tag: "failure", provider, session_id, host, reason, error })
  }
  const telling = dropped.filter(({ category }) => category === "secret-detected")
  if (telling.length > 0) yield* queueReceipt(place, { _tag: "dropped", provider, session_id, drops: telling })
  const done = transcript.chunks.slice(0, answered)
  const from = done[0]?.lines[0]?.sequence
  const to = done.at(-1)?.lines.at(-1)?.sequence
  return {
    session_id,
    host,
    form: transcript.form,
    chunks: answered,
    events: from === undefined || to === undefined ? null : { from, to },
    candidates: proposed,
    staged,
    dropped,
    undecoded: transcript.undecoded,
    unrecognized: transcript.unrecognized,
    more: transcript.more || answered < transcript.chunks.length,
    failure: failed
  } satisfies ExtractionReport
})

const timeOf = (chunk: Chunk, sequence: number | undefined): string | undefined =>
  chunk.lines.find((line) => line.sequence === sequence)?.timestamp

/** Notes that were accepted before, from the segments: they need no index. A memory that is not the user's is refused. */
const storedNotes = Effect.fnUntraced(function* (place: MemoryPlace) {
  const store = yield* MemoryStore
  const notes: Array<string> = []
  if (!(yield* store.exists(place))) return notes
  for (const { file } of yield* listSegments(memoryFiles(place).segments)) {
    yield* readSegment(file, 0, ({ text }) => {
      const record = text.includes('"kind":"fact"') ? recordOf(text) : undefined
      if (record?.kind === "fact") notes.push(bodyOf(record.text))
      return "go on"
    })
  }
  return notes
})

/** A stored note without what memoryText puts around it. */
const bodyOf = (text: string): string => text.replace(/^\[[a-z-]+\] /, "").replace(/\ntags: [^\n]*$/, "")

/** A note as it is stored. */
export const memoryText = ({ kind, title, body, tags }: StagedCandidate): string =>
  `[${kind}] ${noteText({ title, body })}${tags.length === 0 ? "" : `\ntags: ${tags.join(", ")}`}`
