import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { Disk } from "../platform/Disk.ts"

/** Something stands where an archive needs a directory or file of its own: a link, which could lead anywhere, or another kind of file. */
export class UnsafePath extends Data.TaggedError("UnsafePath")<{
  readonly path: string
  readonly found: string
}> {
  override get message(): string {
    return `${this.path} is a ${this.found}, and lint-ai does not write through it; move it away and try again`
  }
}

/**
 * Makes sure that `path` is a directory for its owner alone (0700): created with its parents when missing, its mode repaired when it is wider.
 * True when it was created. Only the last component is looked at: the caller asks for each one that could have come with a repository.
 */
export const ensurePrivateDirectory = Effect.fnUntraced(function* (path: string) {
  const disk = yield* Disk
  const status = yield* disk.status(path)
  if (status === undefined) {
    yield* disk.makeDirectory(path)
    return true
  }
  if (status.kind !== "directory") return yield* new UnsafePath({ path, found: status.kind })
  if ((status.mode & 0o077) !== 0) yield* disk.changeMode(path, 0o700)
  return false
})

/**
 * Makes sure that a directory of the user's choice exists. One that was there keeps its mode: it may hold other things (`/tmp`), and the archives in
 * it have their own. True when it was created.
 */
export const ensureChosenDirectory = Effect.fnUntraced(function* (path: string) {
  const disk = yield* Disk
  const status = yield* disk.status(path)
  if (status === undefined) {
    yield* disk.makeDirectory(path)
    return true
  }
  if (status.kind !== "directory") return yield* new UnsafePath({ path, found: status.kind })
  return false
})

/** Makes sure that `path` is no link and, where it exists, a file for its owner alone (0600). */
export const ensurePrivateFile = Effect.fnUntraced(function* (path: string) {
  const disk = yield* Disk
  const status = yield* disk.status(path)
  if (status === undefined) return
  if (status.kind !== "file") return yield* new UnsafePath({ path, found: status.kind })
  if ((status.mode & 0o077) !== 0) yield* disk.changeMode(path, 0o600)
})
