import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { ProcessIdentity } from "../domain/processIdentity.ts"
import { Disk, type DiskError } from "../platform/Disk.ts"
import { Host } from "../platform/Host.ts"
import { Processes } from "../platform/Processes.ts"
import { createFile } from "./atomicFile.ts"

/** A lock was not to be had in time. The owner is somebody who lives, or whom we cannot see. */
export class LockTimeout extends Data.TaggedError("LockTimeout")<{
  readonly path: string
  readonly waitedMs: number
  readonly ownerPid: number | undefined
}> {
  override get message(): string {
    const owner = this.ownerPid === undefined ? "another process" : `process ${this.ownerPid}`
    return `${this.path} was held by ${owner} for ${Math.round(this.waitedMs)} ms; try again when it has ended`
  }
}

/** What stands in a lock file. */
export const LockOwner = Schema.Struct({ token: Schema.String, ...ProcessIdentity.fields })
export type LockOwner = typeof LockOwner.Type
const decodeOwner = Schema.decodeUnknownOption(Schema.fromJsonString(LockOwner))

/**
 * How a waiter pauses. The CLI sleeps; the hook has no event loop to sleep in and provides a pause that blocks its thread.
 */
export const Pause = Context.Reference<(milliseconds: number) => Effect.Effect<void>>("lint-ai/archive/Pause", {
  defaultValue: () => (milliseconds) => Effect.sleep(milliseconds)
})

/** Blocks the thread: `Atomics.wait` sleeps on the main thread of Node, Bun and Deno. */
export const blockingPause = (milliseconds: number): Effect.Effect<void> =>
  Effect.sync(() => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
  })

/** A lock of an owner that we cannot look at (another host, another pid namespace) is taken over when it is this old. */
export const leaseMs = 30_000

/**
 * One writer at a time, by a lock file that holds its owner. The same protocol for hooks and for the CLI.
 *
 * The file appears with its content in one step (link(2)). An owner that has died is replaced at once, whoever took its pid since. To remove
 * a dead owner's lock one must hold the lock of that name with `.break` appended, and look again: so no two processes ever remove a lock for
 * the same reason, and none removes a lock that was taken since. A breaker that dies is broken the same way.
 */
export class LockService extends Context.Service<
  LockService,
  {
    /** Runs `use` while holding the lock at `path`; waits for it up to `waitMs`. */
    readonly hold: <A, E, R>(
      path: string,
      waitMs: number,
      use: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | LockTimeout | DiskError, R>
    /** Who holds the lock; undefined when nobody does. */
    readonly owner: (path: string) => Effect.Effect<LockOwner | undefined>
  }
>()("lint-ai/archive/LockService") {
  static readonly make = Effect.gen(function* () {
    const disk = yield* Disk
    const host = yield* Host
    const processes = yield* Processes

    const readOwner = (path: string) =>
      disk.readFile(path).pipe(
        Effect.map((bytes) => Option.getOrUndefined(decodeOwner(bytes.toString("utf8")))),
        Effect.orElseSucceed(() => undefined)
      )

    /** Whether the lock at `path` may be taken from its owner. */
    const isAbandoned = Effect.fnUntraced(function* (path: string, owner: LockOwner | undefined) {
      const liveness = owner === undefined ? "foreign" : yield* processes.liveness(owner)
      if (liveness !== "foreign") return liveness === "dead"
      const status = yield* disk.status(path)
      return status !== undefined && (yield* Clock.currentTimeMillis) - status.modifiedMs > leaseMs
    })

    /** Looks again, now that nobody else breaks the lock: another breaker may have been here, and the path may have a new owner. */
    const removeAbandoned = Effect.fnUntraced(function* (path: string, owner: LockOwner | undefined) {
      if ((yield* readOwner(path))?.token !== owner?.token || !(yield* isAbandoned(path, owner))) return "gone"
      // What cannot be removed (a directory, say) is waited for like any other lock.
      return yield* disk.remove(path).pipe(
        Effect.as("gone" as const),
        Effect.orElseSucceed(() => "stays" as const)
      )
    })

    /** Gives what stands in the lock file, which is what the owner knows its own lock by. */
    const acquire = Effect.fnUntraced(function* (
      path: string,
      waitMs: number
    ): Effect.fn.Return<Buffer, LockTimeout | DiskError> {
      const pause = yield* Pause
      const owner: LockOwner = { token: host.randomHex(8), ...(yield* processes.self) }
      const mine = Buffer.from(JSON.stringify(owner))
      const began = host.monotonicMs()
      for (let attempt = 0; ; attempt++) {
        if ((yield* disk.status(path)) === undefined) {
          const created = yield* createFile(path, mine).pipe(
            Effect.provideService(Disk, disk),
            Effect.provideService(Host, host)
          )
          if (created) return mine
        }
        const owner = yield* readOwner(path)
        const waitedMs = host.monotonicMs() - began
        if (yield* isAbandoned(path, owner)) {
          const breakPath = `${path}.break`
          const breaker = yield* acquire(breakPath, Math.max(0, waitMs - waitedMs))
          const looked = yield* Effect.ensuring(removeAbandoned(path, owner), release(breakPath, breaker))
          if (looked === "gone") continue
        }
        if (waitedMs >= waitMs) return yield* new LockTimeout({ path, waitedMs, ownerPid: owner?.pid })
        // Short first, because a holder works for a millisecond; then longer, so that many waiters leave it the processor.
        yield* pause(Math.min(1 + attempt, 10, Math.max(1, waitMs - waitedMs)))
      }
    })

    const release = (path: string, mine: Buffer) =>
      disk.readFile(path).pipe(
        // A lease that ran out while we worked gave the lock to somebody else.
        Effect.flatMap((content) => (content.equals(mine) ? disk.remove(path) : Effect.void)),
        Effect.ignore
      )

    return LockService.of({
      hold: (path, waitMs, use) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.flatMap(restore(acquire(path, waitMs)), (mine) => Effect.ensuring(restore(use), release(path, mine)))
        ),
      owner: readOwner
    })
  })

  static readonly layer = Layer.effect(LockService, LockService.make)
}
