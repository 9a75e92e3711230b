import * as path from "node:path"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { writeAll } from "../archive/atomicFile.ts"
import { Disk, type DiskError } from "../platform/Disk.ts"

/** A project is too large to be copied. */
export class TooLargeToCopy extends Data.TaggedError("TooLargeToCopy")<{
  readonly directory: string
  readonly limit: "files" | "bytes"
}> {
  override get message(): string {
    const most = this.limit === "files" ? `${mostFiles} files` : `${mostBytes / 1024 ** 2} MiB`
    return `${this.directory} holds more than ${most}, and lint-ai copies no more; put it under Git, then a work tree is made instead`
  }
}

/** What a copy is bounded by. */
export const mostFiles = 20_000
export const mostBytes = 512 * 1024 ** 2
const mostDepth = 64

/** Directories that hold nothing of the project's own, and ours. Their like are made again by the project's tools. */
export const leftOut: ReadonlySet<string> = new Set([
  ...[".lint-ai", ".git", ".hg", ".svn", ".jj"],
  ...["node_modules", "target", ".venv", "venv", "__pycache__", ".gradle", ".tox", ".cache", ".next"]
])

type CopyDirectory = (relative: string, depth: number) => Effect.Effect<void, DiskError | TooLargeToCopy>

/** What a copy has and has not. Paths are relative. */
export interface Copied {
  readonly files: number
  readonly bytes: number
  readonly leftOut: ReadonlyArray<string>
  /** Links that lead out of the project, sockets, devices. */
  readonly skipped: ReadonlyArray<string>
}

/**
 * Copies a project. A link that stays within it is made again; one that leads out of it is not followed, and missing from the copy. Files keep their
 * permission to be run, nothing else.
 *
 * @param to a directory that is there and empty
 */
export const copyProject = Effect.fn("copyProject")(function* (from: string, to: string) {
  const disk = yield* Disk
  const without: Array<string> = []
  const skipped: Array<string> = []
  let files = 0
  let bytes = 0
  const inside = (target: string) => target === from || target.startsWith(`${from}${path.sep}`)
  const copyDirectory: CopyDirectory = Effect.fnUntraced(function* (relative, depth) {
    for (const name of yield* disk.list(path.join(from, relative))) {
      const one = path.join(relative, name)
      const source = path.join(from, one)
      const status = yield* disk.status(source)
      if (status === undefined) continue
      if (status.kind === "directory") {
        if (leftOut.has(name)) without.push(one)
        else if (depth >= mostDepth) skipped.push(one)
        else {
          yield* disk.makeDirectory(path.join(to, one))
          yield* copyDirectory(one, depth + 1)
        }
      } else if (status.kind === "symlink") {
        const target = yield* disk.readLink(source)
        if (path.isAbsolute(target) || !inside(path.resolve(path.dirname(source), target))) skipped.push(one)
        else yield* disk.symbolicLink(target, path.join(to, one))
      } else if (status.kind === "file") {
        files++
        bytes += status.size
        if (files > mostFiles) return yield* new TooLargeToCopy({ directory: from, limit: "files" })
        if (bytes > mostBytes) return yield* new TooLargeToCopy({ directory: from, limit: "bytes" })
        yield* copyFile(source, path.join(to, one), (status.mode & 0o100) !== 0)
      } else skipped.push(one)
    }
  })
  const copyFile = Effect.fnUntraced(function* (source: string, target: string, runs: boolean) {
    const content = yield* disk.readFile(source)
    yield* disk.withFile(target, "new", (file) => writeAll(file, content, target))
    if (runs) yield* disk.changeMode(target, 0o700)
  })
  yield* copyDirectory("", 0)
  return { files, bytes, leftOut: without, skipped } satisfies Copied
})
