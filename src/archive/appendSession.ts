import * as path from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Manifest } from "../domain/manifest.ts"
import type { SessionId } from "../domain/sessionId.ts"
import { timestampOf } from "../domain/timestamp.ts"
import type { DeadlineExceeded } from "../platform/Deadline.ts"
import { Disk, type DiskError } from "../platform/Disk.ts"
import type { Host } from "../platform/Host.ts"
import type { Appended } from "./append.ts"
import { appendHeld, beforeTheEnd, spooledEvents, type TranscriptPosition } from "./appendHeld.ts"
import { createFile } from "./atomicFile.ts"
import type { Keyring } from "./Keyring.ts"
import { LockService, type LockTimeout } from "./LockService.ts"
import { frozenMark, manifestAt, type Opening, placeOf } from "./opening.ts"
import type { PreparedEvent } from "./preparedEvent.ts"
import { ensureChosenDirectory, ensurePrivateDirectory, type UnsafePath } from "./privateDirectory.ts"
import type { ArchiveFiles } from "./sessionDirectory.ts"
import { readSpool, spool } from "./spool.ts"

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

/** See SessionArchive.append. */
export const append = Effect.fnUntraced(function* (
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
