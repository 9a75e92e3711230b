import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Manifest } from "../domain/manifest.ts"
import { CurrentDeadline, DeadlineExceeded, unlimited } from "../platform/Deadline.ts"
import type { Disk, DiskError } from "../platform/Disk.ts"
import type { Host } from "../platform/Host.ts"
import { type AppendRequest, type AppendResult, append } from "./appendSession.ts"
import {
  close,
  type FrozenArchive,
  freeze,
  isUnsettled,
  type KeyMissing,
  type NoArchive,
  recover,
  remove
} from "./existingArchive.ts"
import type { Keyring } from "./Keyring.ts"
import type { LockService, LockTimeout } from "./LockService.ts"
import type { UnsafePath } from "./privateDirectory.ts"
import type { RecoveryReport } from "./recover.ts"

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
