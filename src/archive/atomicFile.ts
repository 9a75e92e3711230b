import * as Effect from "effect/Effect"
import { Disk, DiskError, type OpenFile } from "../platform/Disk.ts"
import { Host } from "../platform/Host.ts"

/** Writes all bytes or fails: a full disk makes write(2) take fewer than it was given. */
export const writeAll = Effect.fnUntraced(function* (file: OpenFile, bytes: Uint8Array, path: string) {
  const written = yield* file.write(bytes)
  if (written !== bytes.length) return yield* new DiskError({ operation: "write", path, code: "ENOSPC" })
})

/** A name beside `path` that no other process uses. */
const temporaryName = (path: string) => Effect.map(Host, (host) => `${path}.${host.pid}-${host.randomHex(4)}.tmp`)

/**
 * Replaces a file: a reader, or a process after a kill, sees the old bytes or the new ones and never a part.
 *
 * Created 0600 unless `mode` says otherwise. `durable` adds fdatasync, so that a loss of power keeps the promise too. The parent directory
 * must exist. A temporary file that a kill leaves behind ends in `.tmp`.
 */
export const replaceFile = Effect.fnUntraced(function* (
  path: string,
  bytes: Uint8Array,
  options?: { readonly mode?: number; readonly durable?: boolean }
) {
  const disk = yield* Disk
  const temporary = yield* temporaryName(path)
  yield* disk
    .withFile(temporary, "new", (file) =>
      options?.durable === true
        ? Effect.andThen(writeAll(file, bytes, temporary), file.sync)
        : writeAll(file, bytes, temporary)
    )
    .pipe(
      Effect.andThen(options?.mode === undefined ? Effect.void : disk.changeMode(temporary, options.mode)),
      Effect.andThen(disk.rename(temporary, path)),
      Effect.tapError(() => Effect.ignore(disk.remove(temporary)))
    )
})

/**
 * Writes over a file that exists, with one write(2). To replace it costs four times as much, at every event; so this is for what is written at every
 * event and read by those who see when they meet half of it. Fails with ENOENT when there is no file.
 */
export const overwriteFile = Effect.fnUntraced(function* (path: string, bytes: Uint8Array) {
  const disk = yield* Disk
  yield* disk.withFile(path, "update", (file) =>
    Effect.gen(function* () {
      yield* writeAll(file, bytes, path)
      if ((yield* file.size) !== bytes.length) yield* file.truncate(bytes.length)
      if (((yield* file.mode) & 0o077) !== 0) yield* disk.changeMode(path, 0o600)
    })
  )
})

/**
 * Creates a file with its content in one step; false when the path exists already. With several creators exactly one gets true, and nobody
 * ever sees the file half written.
 */
export const createFile = Effect.fnUntraced(function* (path: string, bytes: Uint8Array) {
  const disk = yield* Disk
  const temporary = yield* temporaryName(path)
  return yield* disk
    .withFile(temporary, "new", (file) => writeAll(file, bytes, temporary))
    .pipe(
      Effect.andThen(disk.link(temporary, path)),
      Effect.as(true),
      Effect.catchIf(
        (error) => error.code === "EEXIST" && error.operation === "link",
        () => Effect.succeed(false)
      ),
      Effect.ensuring(Effect.ignore(disk.remove(temporary)))
    )
})
