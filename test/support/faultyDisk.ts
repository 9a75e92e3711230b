import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Disk, DiskError, type OpenFile } from "../../src/platform/Disk.ts"

type DiskShape = Context.Service.Shape<typeof Disk>

/** An operation as DiskError names it, and the path that it is about. */
export interface DiskCall {
  readonly operation: string
  readonly path: string
}

/**
 * A disk on which an operation fails when `fault` gives a code for it; `after` is told of each operation that was done.
 *
 * ENOSPC on a write is what a full disk does: half of the bytes are written, and fewer than asked is the answer.
 */
export const withFaults = (
  disk: DiskShape,
  fault: (call: DiskCall) => string | undefined,
  after: (call: DiskCall) => void = () => undefined
): DiskShape => {
  const unless = <A>(operation: string, path: string, real: Effect.Effect<A, DiskError>) =>
    Effect.suspend(() => {
      const code = fault({ operation, path })
      if (code !== undefined) return Effect.fail(new DiskError({ operation, path, code }))
      return Effect.tap(real, () => Effect.sync(() => after({ operation, path })))
    })
  const opened = (path: string, file: OpenFile): OpenFile => ({
    size: unless("stat", path, file.size),
    mode: unless("stat", path, file.mode),
    read: (offset, length) => unless("read", path, file.read(offset, length)),
    write: (bytes) =>
      Effect.suspend(() => {
        const code = fault({ operation: "write", path })
        if (code !== undefined && code !== "ENOSPC") {
          return Effect.fail(new DiskError({ operation: "write", path, code }))
        }
        const taken = code === undefined ? bytes : bytes.subarray(0, Math.floor(bytes.length / 2))
        return Effect.tap(file.write(taken), () => Effect.sync(() => after({ operation: "write", path })))
      }),
    truncate: (size) => unless("truncate", path, file.truncate(size)),
    sync: unless("sync", path, file.sync)
  })
  return {
    withFile: (path, mode, use) =>
      Effect.suspend(() => {
        const call = { operation: "open", path }
        const code = fault(call)
        if (code !== undefined) return Effect.fail(new DiskError({ ...call, code }))
        return disk.withFile(path, mode, (file) => {
          after(call)
          return use(opened(path, file))
        })
      }),
    readFile: (path) => unless("read", path, disk.readFile(path)),
    status: (path) => unless("stat", path, disk.status(path)),
    readLink: (path) => unless("readlink", path, disk.readLink(path)),
    realPath: (path) => unless("realpath", path, disk.realPath(path)),
    list: (path) => unless("list", path, disk.list(path)),
    directories: (path) => unless("list", path, disk.directories(path)),
    makeDirectory: (path) => unless("mkdir", path, disk.makeDirectory(path)),
    link: (existing, created) => unless("link", created, disk.link(existing, created)),
    symbolicLink: (target, created) => unless("symlink", created, disk.symbolicLink(target, created)),
    rename: (from, to) => unless("rename", to, disk.rename(from, to)),
    remove: (path) => unless("remove", path, disk.remove(path)),
    removeEmptyDirectory: disk.removeEmptyDirectory,
    removeTree: (path) => unless("remove", path, disk.removeTree(path)),
    freeBytes: (path) => unless("statfs", path, disk.freeBytes(path)),
    changeMode: (path, mode) => unless("chmod", path, disk.changeMode(path, mode))
  }
}

/** The real disk with faults. */
export const faultyDisk = (
  fault: (call: DiskCall) => string | undefined,
  after?: (call: DiskCall) => void
): Layer.Layer<Disk> =>
  Layer.effect(
    Disk,
    Effect.map(Disk, (disk) => withFaults(disk, fault, after))
  ).pipe(Layer.provide(Disk.layer))
