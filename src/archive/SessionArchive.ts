import * as path from "node:path"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { TranscriptCursor } from "../domain/event.ts"
import type { Manifest } from "../domain/manifest.ts"
import type { SessionId } from "../domain/sessionId.ts"
import { timestampOf } from "../domain/timestamp.ts"
import { CurrentDeadline, DeadlineExceeded, unlimited } from "../platform/Deadline.ts"
import { Disk, type DiskError } from "../platform/Disk.ts"
import { sha256 } from "../platform/digest.ts"
import type { Host } from "../platform/Host.ts"
import { buryAnchor } from "./anchor.ts"
import { type Appended, appendEvents, keepBookkeeping, mendTail } from "./append.ts"
import { createFile } from "./atomicFile.ts"
import { type ChainKey, genesis } from "./chain.ts"
import { loadLog } from "./checkpoint.ts"
import { type Gap, gapEvent, gapName } from "./gap.ts"
import type { Keyring } from "./Keyring.ts"
import { LockService, type LockTimeout } from "./LockService.ts"
import type { LogState } from "./logState.ts"
import { isSealed, readManifest, writeManifest } from "./manifestFile.ts"
import {
  frozenMark,
  isKeyMissing,
  keyOf,
  manifestAt,
  manifestFromLog,
  type OpenedManifest,
  type Opening,
  placeOf
} from "./opening.ts"
import { eventId, identityDigest, type PreparedEvent } from "./preparedEvent.ts"
import {
  ensureChosenDirectory,
  ensurePrivateDirectory,
  ensurePrivateFile,
  type UnsafePath
} from "./privateDirectory.ts"
import { type RecoveryReport, rebuild } from "./recover.ts"
import { type ArchiveFiles, archiveFiles } from "./sessionDirectory.ts"
import { readSpool, type Spooled, spool } from "./spool.ts"

/** There is no archive, or nothing that can be read as one, in a directory. */
export class NoArchive extends Data.TaggedError("NoArchive")<{ readonly directory: string }> {
  override get message(): string {
    return `${this.directory} holds no session; \`lint-ai sessions list\` shows those that exist`
  }
}

/** An archive that others refer to was asked to change. */
export class FrozenArchive extends Data.TaggedError("FrozenArchive")<{ readonly directory: string }> {
  override get message(): string {
    return `${this.directory} is the baseline of a replay, scenario or experiment and never changes; \`lint-ai sessions delete\` removes it`
  }
}

/** An archive of which the key is not here was asked to change: every line would break its chain for those who have the key. */
export class KeyMissing extends Data.TaggedError("KeyMissing")<{
  readonly directory: string
  readonly keyId: string
}> {
  override get message(): string {
    return `${this.directory} was recorded with the key ${this.keyId}, which is not among yours, and is left as it is: a change would break its record. Reading and exporting it needs no key.`
  }
}

/** Limits and durability of archives; a reference, so that tests and settings change it. */
export const ArchivePolicy = Context.Reference<{
  /** A session stops growing here; its end is still written. */
  readonly maxBytes: number
  /** `power` adds fdatasync to every append; `process` to the end of a session only. */
  readonly durability: "process" | "power"
}>("lint-ai/archive/ArchivePolicy", {
  defaultValue: () => ({ maxBytes: 256 * 1024 * 1024, durability: "process" })
})

/** How far the session's transcripts have been read, and from when on they belong to it. */
export interface TranscriptPosition {
  readonly cursors: ReadonlyArray<TranscriptCursor>
  readonly sinceMs: number
}

export interface AppendRequest {
  /** The directory that holds the provider's archives. */
  readonly sessionsRoot: string
  readonly id: SessionId
  readonly events: ReadonlyArray<PreparedEvent>
  /** Whether an archive may begin with these events. */
  readonly opens: boolean
  /** Asked only when an archive begins. */
  readonly opening: Effect.Effect<Opening>
  /** What these events change in the manifest of an archive that goes on: a resumed session has another agent process. */
  readonly changes?: Partial<Manifest> | ((before: Manifest) => Partial<Manifest>)
  /** More events, which depend on how far the session's transcripts have been read; asked under the lock. */
  readonly transcript?: (from: TranscriptPosition) => Effect.Effect<ReadonlyArray<PreparedEvent>>
  /** Whether what was asked for stands in place of `events`, which then only go to the spool. */
  readonly retold?: boolean
  /** How long to wait for the session's lock before the events go to the spool. */
  readonly lockWaitMs: number
  /** Milliseconds that the hook has taken so far; undefined for what no hook brought, whose time is none of the recording's. */
  readonly elapsedMs?: (() => number) | undefined
}

export type AppendResult =
  | {
      readonly _tag: "Appended"
      readonly directory: string
      readonly outcome: Appended
      readonly warnings: ReadonlyArray<DiskError>
    }
  | { readonly _tag: "Spooled"; readonly directory: string; readonly cause: LockTimeout | DeadlineExceeded }
  | { readonly _tag: "NotOpened" }

/** How many spooled deliveries one writer takes along; the rest waits for the next. */
const drainedAtOnce = 64
/** How long the CLI waits for a session's lock. */
const patienceMs = 5_000

/** Stores and keeps the sessions (DESIGN 4). */
export class SessionArchive extends Context.Service<
  SessionArchive,
  {
    /**
     * Appends events to a session's archive, which begins with them when it does not exist. When this returns `Appended` or `Spooled`, the events
     * survive the death of any process.
     */
    readonly append: (request: AppendRequest) => Effect.Effect<AppendResult, DiskError | UnsafePath>
    /** Ends an archive that its agent did not end, with a session_end that says why. An archive that has ended is left as it is. */
    readonly close: (
      directory: string,
      reason: string,
      status: "completed" | "incomplete"
    ) => Effect.Effect<Manifest, DiskError | UnsafePath | LockTimeout | NoArchive | FrozenArchive | KeyMissing>
    /** Reads the whole log, notes what is wrong in recovery.json, drains the spool and makes everything derived from the log again. */
    readonly recover: (
      directory: string
    ) => Effect.Effect<RecoveryReport, DiskError | UnsafePath | LockTimeout | NoArchive | FrozenArchive | KeyMissing>
    /** Whether an archive has work left that a listing does: a spool to drain, an end without checksums, a manifest that lags behind its log. */
    readonly isUnsettled: (directory: string, manifest: Manifest) => Effect.Effect<boolean, DiskError>
    /** Removes an archive. Its anchor becomes a tombstone. */
    readonly remove: (directory: string, by?: "delete" | "prune") => Effect.Effect<void, DiskError | LockTimeout>
    /** From now on the archive never changes: a session that goes on opens a continuation. For baselines of replays and experiments. */
    readonly freeze: (directory: string) => Effect.Effect<void, DiskError | UnsafePath | LockTimeout | NoArchive>
  }
>()("lint-ai/archive/SessionArchive") {
  static readonly make = Effect.gen(function* () {
    const machine = yield* Effect.context<Disk | Host | Keyring | LockService>()
    const within = Effect.provideContext(machine)
    return SessionArchive.of({
      append: (request) => within(append(request)),
      close: (directory, reason, status) => within(unhurried(close(directory, reason, status))),
      recover: (directory) => within(unhurried(recover(directory))),
      isUnsettled: (directory, manifest) => within(isUnsettled(directory, manifest)),
      remove: (directory, by) => within(remove(directory, by ?? "delete")),
      freeze: (directory) => within(freeze(directory))
    })
  })

  static readonly layer = Layer.effect(SessionArchive, SessionArchive.make)
}

/** For what no agent waits for. */
const unhurried = <A, E, R>(work: Effect.Effect<A, E | DeadlineExceeded, R>) =>
  work.pipe(
    Effect.provideService(CurrentDeadline, unlimited),
    Effect.catchIf(
      (error) => error instanceof DeadlineExceeded,
      (late) => Effect.die(late)
    )
  ) as Effect.Effect<A, Exclude<E, DeadlineExceeded>, R>

const append = Effect.fnUntraced(function* (
  request: AppendRequest
): Effect.fn.Return<AppendResult, DiskError | UnsafePath, Disk | Host | Keyring | LockService> {
  const disk = yield* Disk
  const locks = yield* LockService
  const place = yield* placeOf(request.sessionsRoot, request.id)
  const { directory } = place.files
  if (!request.opens && (yield* disk.status(directory)) === undefined) return { _tag: "NotOpened" }
  yield* ensureSessionsRoot(request.sessionsRoot)
  yield* ensurePrivateDirectory(directory)
  const held: Effect.Effect<
    AppendResult | undefined,
    DiskError | UnsafePath | DeadlineExceeded,
    Disk | Host | Keyring | LockService
  > = Effect.gen(function* () {
    // Frozen since the place was chosen.
    if ((yield* disk.status(frozenMark(directory))) !== undefined) return undefined
    const opened = yield* manifestAt(place, firstTime(place.files, request), request.opening)
    const changes = typeof request.changes === "function" ? request.changes(opened.manifest) : request.changes
    const changed = { ...opened, manifest: { ...opened.manifest, ...changes } }
    const more = (from: TranscriptPosition) =>
      request.transcript === undefined
        ? Effect.succeed(request.events)
        : Effect.map(request.transcript(from), (read) =>
            request.retold === true ? read : beforeTheEnd(request.events, read)
          )
    const { outcome, warnings } = yield* appendHeld(place.files, changed, more, request.elapsedMs)
    return { _tag: "Appended", directory, outcome, warnings } satisfies AppendResult
  })
  const result = yield* locks.hold(place.files.lock, request.lockWaitMs, held).pipe(
    // Too late for the log, but not for a file of its own.
    Effect.catchTag(["LockTimeout", "DeadlineExceeded"], (cause) =>
      Effect.as(spool(place.files.spool, request.events), {
        _tag: "Spooled",
        directory,
        cause
      } satisfies AppendResult)
    )
  )
  return result ?? (yield* append(request))
})

/** The time of the event with which an archive begins: what waits in its spool comes first. */
const firstTime = Effect.fnUntraced(function* (files: ArchiveFiles, request: AppendRequest) {
  const { waiting } = yield* readSpool(files.spool)
  const first = spooledEvents(waiting)[0] ?? request.events[0]
  return first?.timestamp ?? timestampOf(yield* Clock.currentTimeMillis)
})

const spooledEvents = (deliveries: ReadonlyArray<Spooled>): ReadonlyArray<PreparedEvent> => {
  const events: Array<PreparedEvent> = []
  for (const delivery of deliveries) events.push(...delivery.events)
  return events
}

/** What was read belongs before an end that came with it: after a session's end nothing follows but a new run. */
const beforeTheEnd = (
  events: ReadonlyArray<PreparedEvent>,
  read: ReadonlyArray<PreparedEvent>
): ReadonlyArray<PreparedEvent> => {
  if (read.length === 0) return events
  const end = events.findIndex((event) => event.kind === "session_end")
  return end < 0 ? [...events, ...read] : [...events.slice(0, end), ...read, ...events.slice(end)]
}

/** The directory of all archives: in `.lint-ai`, which is ours and which Git ignores as a whole; or one that the user chose. */
const ensureSessionsRoot = Effect.fnUntraced(function* (sessionsRoot: string) {
  const parent = path.dirname(sessionsRoot)
  if (path.basename(parent) === ".lint-ai") {
    yield* ensurePrivateDirectory(parent)
    yield* ensurePrivateDirectory(sessionsRoot)
  } else if (yield* ensureChosenDirectory(sessionsRoot)) {
    yield* Effect.ignore(createFile(path.join(sessionsRoot, ".gitignore"), Buffer.from("*\n")))
  }
})

/** Appends to an archive whose lock is held, with what waits in its spool first. */
const appendHeld = Effect.fnUntraced(function* (
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

/** Runs `use` with the manifest of an archive that exists and may change, under its lock. */
const withArchive = Effect.fnUntraced(function* <A, E, R>(
  directory: string,
  use: (files: ArchiveFiles, opened: OpenedManifest) => Effect.Effect<A, E, R>
) {
  const locks = yield* LockService
  const files = archiveFiles(directory)
  const held = Effect.gen(function* () {
    if ((yield* disk.status(frozenMark(directory))) !== undefined) return yield* new FrozenArchive({ directory })
    const reading = yield* readManifest(files.manifest)
    const opened = reading._tag === "Manifest" ? reading : yield* manifestFromLog(files)
    if (opened === undefined) return yield* new NoArchive({ directory })
    const { key_id: keyId } = opened.manifest
    if (keyId !== undefined && (yield* isKeyMissing(keyId))) return yield* new KeyMissing({ directory, keyId })
    return yield* use(files, opened)
  })
  const disk = yield* Disk
  if ((yield* disk.status(directory))?.kind !== "directory") return yield* new NoArchive({ directory })
  return yield* locks.hold(files.lock, patienceMs, held)
})

const close = (directory: string, reason: string, status: "completed" | "incomplete") =>
  withArchive(
    directory,
    Effect.fnUntraced(function* (files, opened) {
      const { manifest } = opened
      if (manifest.status !== "active") return manifest
      const end: PreparedEvent = {
        identity: identityDigest(yield* keyOf(manifest), ["closed", reason]),
        scope: "run",
        timestamp: timestampOf(yield* Clock.currentTimeMillis),
        kind: "session_end",
        payload: { reason },
        redactions: []
      }
      const result = yield* appendHeld(files, opened, () => Effect.succeed([end]), undefined)
      // An end that waited in the spool, or that the manifest missed, was the agent's own.
      const closed: Manifest =
        result.state.end?.timestamp === end.timestamp
          ? { ...result.manifest, status, ended_at: end.timestamp, end_reason: reason }
          : result.manifest
      yield* keepBookkeeping(files, closed, result.state, yield* keyOf(manifest))
      return closed
    })
  )

const recover = (directory: string) =>
  withArchive(
    directory,
    Effect.fnUntraced(function* (files, opened) {
      const key = yield* keyOf(opened.manifest)
      let current = opened
      let drained = 0
      for (;;) {
        const { waiting } = yield* readSpool(files.spool)
        const { manifest } = yield* appendHeld(files, current, () => Effect.succeed([]), undefined)
        current = { manifest }
        drained += Math.min(waiting.length, drainedAtOnce)
        if (waiting.length <= drainedAtOnce) break
      }
      return yield* rebuild(files, current.manifest, key, drained)
    })
  )

/** A listing asks this of ten thousand archives, and hardly one has a spool: to look for it costs a fifth of opening what is not there. */
const isUnsettled = Effect.fnUntraced(function* (directory: string, manifest: Manifest) {
  const disk = yield* Disk
  const files = archiveFiles(directory)
  const unsettled =
    ((yield* disk.status(files.spool)) !== undefined && (yield* readSpool(files.spool)).waiting.length > 0) ||
    (manifest.status !== "active" && (yield* disk.status(files.checksums)) === undefined) ||
    (manifest.byte_count !== undefined && manifest.byte_count !== ((yield* disk.status(files.events))?.size ?? 0))
  if (!unsettled || (yield* disk.status(frozenMark(directory))) !== undefined) return false
  return manifest.key_id === undefined || !(yield* isKeyMissing(manifest.key_id))
})

const remove = Effect.fnUntraced(function* (directory: string, by: "delete" | "prune") {
  const disk = yield* Disk
  const locks = yield* LockService
  const files = archiveFiles(directory)
  const gone = Effect.gen(function* () {
    const reading = yield* readManifest(files.manifest)
    if (reading._tag === "Manifest") {
      const { session_id, started_at } = reading.manifest
      yield* buryAnchor({ sessionId: session_id, startedAt: started_at }, directory, by)
    }
    yield* disk.removeTree(directory)
    yield* disk.remove(frozenMark(directory))
  })
  yield* locks.hold(files.lock, patienceMs, gone)
})

const freeze = Effect.fnUntraced(function* (directory: string) {
  const disk = yield* Disk
  const locks = yield* LockService
  const mark = frozenMark(directory)
  if ((yield* disk.status(directory))?.kind !== "directory") return yield* new NoArchive({ directory })
  yield* ensurePrivateDirectory(path.dirname(mark))
  // Under the lock, so that no writer is in the middle of an append.
  yield* locks.hold(archiveFiles(directory).lock, patienceMs, createFile(mark, Buffer.from("")))
})
