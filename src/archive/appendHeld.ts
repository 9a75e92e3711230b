import * as path from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { TranscriptCursor } from "../domain/event.ts"
import type { Manifest } from "../domain/manifest.ts"
import { timestampOf } from "../domain/timestamp.ts"
import { Disk } from "../platform/Disk.ts"
import { sha256 } from "../platform/digest.ts"
import { ArchivePolicy } from "./ArchivePolicy.ts"
import { appendEvents, mendTail } from "./append.ts"
import { type ChainKey, genesis } from "./chain.ts"
import { loadLog } from "./checkpoint.ts"
import { type Gap, gapEvent, gapName } from "./gap.ts"
import type { LogState } from "./logState.ts"
import { isSealed, writeManifest } from "./manifestFile.ts"
import { keyOf, type OpenedManifest } from "./opening.ts"
import { eventId, identityDigest, type PreparedEvent } from "./preparedEvent.ts"
import { ensurePrivateFile } from "./privateDirectory.ts"
import type { ArchiveFiles } from "./sessionDirectory.ts"
import { readSpool, type Spooled } from "./spool.ts"

/** How far the session's transcripts have been read, and from when on they belong to it. */
export interface TranscriptPosition {
  readonly cursors: ReadonlyArray<TranscriptCursor>
  readonly sinceMs: number
}

/** How many spooled deliveries one writer takes along; the rest waits for the next. */
export const drainedAtOnce = 64

/** Appends to an archive whose lock is held, with what waits in its spool first. */
export const appendHeld = Effect.fnUntraced(function* (
  files: ArchiveFiles,
  { manifest, bytes }: OpenedManifest,
  more: (from: TranscriptPosition) => Effect.Effect<ReadonlyArray<PreparedEvent>>,
  elapsedMs: (() => number) | undefined
) {
  const disk = yield* Disk
  const policy = yield* ArchivePolicy
  const key = yield* keyOf(manifest)
  const { waiting } = yield* readSpool(files.spool)
  const taken = waiting.slice(0, drainedAtOnce)
  yield* ensurePrivateFile(files.events)
  const result = yield* disk.withFile(files.events, "append", (file) =>
    Effect.gen(function* () {
      const loaded = yield* loadLog(file, files.checkpoint, {
        sessionId: manifest.session_id,
        startedAt: manifest.started_at,
        key
      })
      const state = yield* mendTail(file, files, manifest, loaded)
      const gaps = yield* gapsOf(manifest, key, { manifestBytes: bytes, before: loaded.state, after: state, taken })
      const fresh = yield* more({ cursors: state.cursors, sinceMs: Date.parse(manifest.started_at) })
      const events = [...gaps.before, ...beforeTheEnd(spooledEvents(taken), gaps.after), ...fresh]
      return yield* appendEvents({
        file,
        files,
        key,
        ...(yield* begun(files, manifest, key, state, events[0])),
        events,
        maxBytes: policy.maxBytes,
        durable: policy.durability === "power",
        elapsedMs
      })
    })
  )
  for (const delivery of taken) yield* Effect.ignore(disk.remove(delivery.file))
  return result
})

/** The events of deliveries that waited in the spool. */
export const spooledEvents = (deliveries: ReadonlyArray<Spooled>): ReadonlyArray<PreparedEvent> => {
  const events: Array<PreparedEvent> = []
  for (const delivery of deliveries) events.push(...delivery.events)
  return events
}

/** What was read belongs before an end that came with it: after a session's end nothing follows but a new run. */
export const beforeTheEnd = (
  events: ReadonlyArray<PreparedEvent>,
  read: ReadonlyArray<PreparedEvent>
): ReadonlyArray<PreparedEvent> => {
  if (read.length === 0) return events
  const end = events.findIndex((event) => event.kind === "session_end")
  return end < 0 ? [...events, ...read] : [...events.slice(0, end), ...read, ...events.slice(end)]
}

/**
 * Begins a log with the time of its first event, so that what the chain begins with can be told from the log alone. The manifest is there before the
 * first line is: whoever is killed between the two leaves an archive like any other.
 */
const begun = Effect.fnUntraced(function* (
  files: ArchiveFiles,
  manifest: Manifest,
  key: ChainKey,
  state: LogState,
  first: PreparedEvent | undefined
) {
  if (state.sequence > 0 || first === undefined) return { manifest, state }
  const beginning: Manifest = { ...manifest, started_at: first.timestamp }
  yield* writeManifest(files.manifest, beginning, key)
  return { manifest: beginning, state: { ...state, head: genesis(manifest.session_id, first.timestamp) } }
})

/** What the log must say of gaps that this append finds. */
const gapsOf = Effect.fnUntraced(function* (
  manifest: Manifest,
  key: ChainKey,
  found: {
    readonly manifestBytes: Buffer | undefined
    readonly before: LogState
    readonly after: LogState
    readonly taken: ReadonlyArray<Spooled>
  }
) {
  const { manifestBytes, before, after, taken } = found
  const isMissing = after.sequence > before.sequence
  // A writer that was killed before it removed what it had appended leaves nothing that is late.
  const late = spooledEvents(taken).filter(
    (event) => !after.recent_ids.includes(eventId(manifest.session_id, event, after.terminal_count))
  )
  // One that could not be read is damage, which recovery.json tells of and a loss of power can make.
  const isChanged = manifestBytes !== undefined && key.secret.length > 0 && !isSealed(manifestBytes, key)
  if (!isMissing && late.length === 0 && !isChanged) return { before: [], after: [] }
  const now = timestampOf(yield* Clock.currentTimeMillis)
  const event = (gap: Gap, ...parts: ReadonlyArray<string>) =>
    gapEvent(gap, identityDigest(key, [gapName, gap.cause, ...parts]), now)
  const [from, to] = [before.sequence + 1, after.sequence]
  const names = taken.map((delivery) => path.basename(delivery.file))
  return {
    before: [
      ...(isMissing ? [event({ cause: "missing", from, to }, String(from), String(to))] : []),
      ...(isChanged ? [event({ cause: "manifest" }, sha256(manifestBytes))] : [])
    ],
    after:
      late.length === 0 ? [] : [event({ cause: "spooled", deliveries: taken.length, events: late.length }, ...names)]
  }
})
