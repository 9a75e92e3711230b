import * as Effect from "effect/Effect"
import { addTiming, type Manifest, noTiming } from "../domain/manifest.ts"
import type { DiskError, OpenFile } from "../platform/Disk.ts"
import { readAnchor, writeAnchor } from "./anchor.ts"
import { writeAll } from "./atomicFile.ts"
import { type ChainKey, chainHash, seal } from "./chain.ts"
import { type loadLog, writeCheckpoint } from "./checkpoint.ts"
import { writeChecksums } from "./checksums.ts"
import { parseLine } from "./eventLog.ts"
import { afterEvent, afterLine, type LogState, sessionBound } from "./logState.ts"
import { countersOf, missedStatus, statusAfter, writeManifest } from "./manifestFile.ts"
import { eventBody, eventId, type PreparedEvent } from "./preparedEvent.ts"
import { findingOf, noteFindings } from "./recoveryRecord.ts"
import type { ArchiveFiles } from "./sessionDirectory.ts"

const newline = Buffer.from("\n")

/** What happened to the events of one append. */
export interface Appended {
  /** Events that are in the log now and were not before. */
  readonly appended: number
  /** Events that were there already. */
  readonly duplicates: number
  /** Events that came after the session had reached its size bound. */
  readonly dropped: number
}

/**
 * Mends the end of a log before anything is appended to it. The caller holds the lock.
 *
 * An event that only lacks its newline gets it. A torn line is cut, and kept in recovery.json.
 */
export const mendTail = Effect.fnUntraced(function* (
  file: OpenFile,
  files: ArchiveFiles,
  manifest: Manifest,
  loaded: Effect.Success<ReturnType<typeof loadLog>>
) {
  let state: LogState = loaded.state
  const size = yield* file.size
  if (state.offset < size) {
    const rest = yield* file.read(state.offset, size - state.offset)
    const records = parseLine(rest, state.offset, false)
    if (records.some((record) => record._tag === "Event")) {
      yield* writeAll(file, newline, files.events)
      state = afterLine(state, Buffer.concat([rest, newline]))
    } else {
      const cut = records.flatMap((record) => (record._tag === "Damage" ? [findingOf(record, true)] : []))
      yield* noteFindings(files.recovery, cut)
      yield* file.truncate(state.offset)
    }
  }
  return yield* overGap(files, manifest, state)
})

/**
 * When the anchor knows of events that are not in the log any more, sequence and chain go on from the anchor: the gap stays visible for ever
 * instead of being written over. Asked at every append, because an archive that was put back to an older copy fits its own checkpoint.
 */
export const overGap = Effect.fnUntraced(function* (files: ArchiveFiles, manifest: Manifest, state: LogState) {
  const anchor = yield* readAnchor({ sessionId: manifest.session_id, startedAt: manifest.started_at })
  if (anchor === undefined || anchor.count <= state.sequence) return state
  yield* noteFindings(files.recovery, [
    {
      problem: "missing-tail",
      detail:
        anchor.count === state.sequence + 1
          ? `event ${anchor.count} is gone`
          : `events ${state.sequence + 1} to ${anchor.count} are gone`
    }
  ])
  return { ...state, sequence: anchor.count, head: anchor.digest } satisfies LogState
})

/**
 * Appends events to an open log under the session's lock: gives each its sequence and its place in the chain, leaves out what is there
 * already, and writes all of them with one write(2). When it returns they survive the death of any process.
 *
 * What follows the write (checkpoint, anchor, manifest) can be made again from the log, so a failure there does not fail the append: it
 * is returned as `warnings`.
 */
export const appendEvents = Effect.fnUntraced(function* (options: {
  readonly file: OpenFile
  readonly files: ArchiveFiles
  readonly manifest: Manifest
  readonly key: ChainKey
  readonly state: LogState
  readonly events: ReadonlyArray<PreparedEvent>
  readonly maxBytes: number
  readonly durable: boolean
  /** Milliseconds that this recording has taken so far, for the manifest's timing; undefined for what is not a recording. */
  readonly elapsedMs: (() => number) | undefined
}) {
  const { file, files, key } = options
  const manifest: Manifest = {
    ...options.manifest,
    ...missedStatus(options.manifest, options.state),
    ...countersOf(options.state)
  }
  let state = options.state
  let changes: Partial<Manifest> = {}
  let duplicates = 0
  let dropped = 0
  let retrieval = manifest.timing?.retrieval
  const lines: Array<Buffer> = []
  const seen = new Set(state.recent_ids)

  const add = (event: PreparedEvent, id: string) => {
    const sequence = state.sequence + 1
    const made = eventBody(event, {
      provider: manifest.provider,
      sessionId: manifest.session_id,
      sequence,
      eventId: id
    })
    const hash = chainHash(key, state.head, made.body)
    const line = Buffer.concat([seal(made.body, hash), newline])
    const full = state.offset + line.length > options.maxBytes
    if (full && event.kind !== "session_end" && !isSessionBound(event)) return false
    lines.push(line)
    state = afterLine(afterEvent(state, made.event, hash), line)
    changes = { ...changes, ...statusAfter(manifest, made.event) }
    if (made.event.kind === "context_injected") {
      retrieval = addTiming(retrieval ?? noTiming, made.event.payload.milliseconds)
    }
    seen.add(id)
    return true
  }

  for (const event of options.events) {
    const id = idOf(event, manifest.session_id, state)
    // Providers deliver the end of a session up to three times, with different reasons.
    if (id === undefined || seen.has(id) || (event.kind === "session_end" && state.last_kind === "session_end")) {
      duplicates++
      continue
    }
    if (state.full && event.kind !== "session_end") dropped++
    else if (!add(event, id)) {
      dropped++
      const notice = boundNotice(event, options.maxBytes)
      add(notice, eventId(manifest.session_id, notice, state.terminal_count))
    }
  }

  const ended = lines.length > 0 && state.last_kind === "session_end"
  if (lines.length > 0) yield* writeLines(file, files, Buffer.concat(lines), options.state.offset)
  if (lines.length > 0 && (options.durable || ended)) yield* file.sync

  if (lines.length === 0 && dropped === 0) {
    return { outcome: { appended: 0, duplicates, dropped } satisfies Appended, manifest, state, warnings: [] }
  }
  const recording = manifest.timing?.recording
  const timing = {
    ...manifest.timing,
    ...(retrieval === undefined ? undefined : { retrieval }),
    ...(options.elapsedMs === undefined
      ? undefined
      : { recording: addTiming(recording ?? noTiming, options.elapsedMs()) })
  }
  const updated: Manifest = {
    ...manifest,
    ...changes,
    ...countersOf(state),
    ...(dropped > 0 ? { dropped_count: (manifest.dropped_count ?? 0) + dropped } : undefined),
    ...(Object.keys(timing).length === 0 ? undefined : { timing })
  }
  const warnings = yield* keepBookkeeping(files, updated, state, key)
  return {
    outcome: { appended: lines.length, duplicates, dropped } satisfies Appended,
    manifest: updated,
    state,
    warnings
  }
})

/** How many events a redelivery may be late. */
const redeliveryWindow = 8

/**
 * The id that an event gets now; undefined when it was delivered a moment ago. Two equal payloads without any id are one delivery when they come
 * together, and two events when others lie between them: the second gets its sequence into its id.
 */
const idOf = (event: PreparedEvent, sessionId: string, state: LogState): string | undefined => {
  const id = eventId(sessionId, event, state.terminal_count)
  if (event.scope !== "recent") return id
  const justNow = state.recent_ids.slice(-redeliveryWindow).some((known) => known === id || known.startsWith(`${id}-`))
  if (justNow) return undefined
  return state.recent_ids.includes(id) ? `${id}-${state.sequence + 1}` : id
}

/** All the bytes or none: what a full disk took of them is cut off again. */
const writeLines = (file: OpenFile, files: ArchiveFiles, bytes: Buffer, offset: number) =>
  writeAll(file, bytes, files.events).pipe(Effect.tapError(() => Effect.ignore(file.truncate(offset))))

/**
 * Writes what is derived from the log, each part for itself, so that one that fails does not keep the others away.
 */
export const keepBookkeeping = Effect.fnUntraced(function* (
  files: ArchiveFiles,
  manifest: Manifest,
  state: LogState,
  key: ChainKey
) {
  const warnings: Array<DiskError> = []
  const attempt = <R>(step: Effect.Effect<void, DiskError, R>) =>
    Effect.catch(step, (error) => Effect.sync(() => void warnings.push(error)))
  yield* attempt(writeCheckpoint(files.checkpoint, state, key))
  yield* attempt(
    writeAnchor(manifest.started_at, {
      schema_version: 1,
      session_id: manifest.session_id,
      archive: files.directory,
      count: state.sequence,
      digest: state.head
    })
  )
  yield* attempt(
    Effect.gen(function* () {
      const bytes = yield* writeManifest(files.manifest, manifest, key)
      if (manifest.status !== "active") yield* writeChecksums(files, state, bytes)
    })
  )
  return warnings
})

const isSessionBound = (event: PreparedEvent): boolean =>
  event.kind === "provider_event" && (event.payload as { readonly name?: unknown }).name === sessionBound

/** The event that stands for all that came after a session reached its size bound. */
const boundNotice = (event: PreparedEvent, maxBytes: number): PreparedEvent => ({
  identity: sessionBound,
  timestamp: event.timestamp,
  kind: "provider_event",
  payload: { name: sessionBound, fields: { max_bytes: maxBytes } },
  redactions: []
})
