import * as fs from "node:fs"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"

/** Directories in which something changed; `all` when nothing says where, because time alone made us look. */
export type Changed = ReadonlySet<string> | "all"

/** A look at some directories (not at what is below their own files) for as long as a scope lasts. */
export interface Watching {
  /** The directories to look at from now on. Those that are not named any more are left; one that cannot be watched is looked at by time. */
  readonly observe: (directories: ReadonlyArray<string>) => Effect.Effect<void>
  /** Waits for the next change, but at most `atMostMs`; at most a second where one of the directories cannot be watched. */
  readonly next: (atMostMs: number) => Effect.Effect<Changed>
}

/** How long what follows a change is waited for: an event's line is followed by its manifest. */
const settleMs = 30
/** How often a directory is looked at that cannot be watched. */
const pollMs = 1_000
/** Watches cost the system memory, and users have few of them (inotify): the rest is looked at by time. */
const mostWatches = 128

/** Tells of changes in directories, without asking in a loop. */
export class FileChanges extends Context.Service<
  FileChanges,
  { readonly watch: Effect.Effect<Watching, never, Scope.Scope> }
>()("lint-ai/platform/FileChanges") {
  static readonly layer = Layer.succeed(FileChanges, { watch: Effect.suspend(() => watchWith(fs.watch)) })

  /** Never told of anything: everything is found by time, as on a file system that cannot be watched. */
  static readonly layerPolling = Layer.succeed(FileChanges, {
    watch: Effect.suspend(() =>
      watchWith(() => {
        throw new Error("no watches here")
      })
    )
  })
}

interface Watch {
  readonly watcher: fs.FSWatcher
  /** Tells a directory from one that was made in its place, which may have its inode. */
  readonly identity: string
}

const watchWith = (
  open: (directory: string, listener: () => void) => fs.FSWatcher
): Effect.Effect<Watching, never, Scope.Scope> =>
  Effect.gen(function* () {
    const watches = new Map<string, Watch>()
    const changed = new Set<string>()
    const told = yield* Latch.make(false)
    let blind = false
    const tell = (directory: string) => {
      changed.add(directory)
      told.openUnsafe()
    }
    const leave = (directory: string) => {
      watches.get(directory)?.watcher.close()
      watches.delete(directory)
    }
    const look = (directory: string): boolean => {
      try {
        const { ino, birthtimeMs } = fs.statSync(directory)
        const identity = `${ino} ${birthtimeMs}`
        const watched = watches.get(directory)
        if (watched?.identity === identity) return true
        // Another directory of the same name: the old watch tells nothing any more.
        leave(directory)
        if (watches.size >= mostWatches) return false
        const watcher = open(directory, () => tell(directory))
        watcher.on("error", () => leave(directory))
        watches.set(directory, { watcher, identity })
        // What happened before this moment was not told.
        tell(directory)
        return true
      } catch {
        leave(directory)
        return false
      }
    }
    yield* Effect.addFinalizer(() => Effect.sync(() => [...watches.keys()].forEach(leave)))
    return {
      observe: (directories) =>
        Effect.sync(() => {
          const wanted = new Set(directories)
          for (const directory of [...watches.keys()]) if (!wanted.has(directory)) leave(directory)
          blind = [...wanted].filter((directory) => !look(directory)).length > 0
        }),
      next: Effect.fnUntraced(function* (atMostMs: number) {
        const wait = Math.max(settleMs, blind ? Math.min(pollMs, atMostMs) : atMostMs)
        if (changed.size === 0) yield* Effect.raceFirst(told.await, Effect.sleep(wait))
        if (changed.size === 0) return "all"
        yield* Effect.sleep(settleMs)
        const where = new Set(changed)
        changed.clear()
        told.closeUnsafe()
        return where
      })
    }
  })
