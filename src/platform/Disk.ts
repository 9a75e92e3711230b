import * as fs from "node:fs"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** A file operation failed. `code` is the system's word for it: ENOENT, ENOSPC, EACCES, ELOOP, ... */
export class DiskError extends Data.TaggedError("DiskError")<{
  readonly operation: string
  readonly path: string
  readonly code: string
}> {
  override get message(): string {
    return `${this.operation} ${this.path}: ${this.code}`
  }
}

const failing: ReadonlySet<string> = new Set([
  "EIO",
  "EMFILE",
  "ENFILE",
  "ENOMEM",
  "EAGAIN",
  "EBUSY",
  "ETIMEDOUT",
  "ESTALE"
])

/** Whether an operation failed because the disk or the system did, which says nothing of what is at the path. */
export const isFailingDisk = (error: DiskError): boolean => failing.has(error.code)

export type FileKind = "file" | "directory" | "symlink" | "other"

export interface FileStatus {
  readonly kind: FileKind
  readonly size: number
  /** Permission bits, 0o000 to 0o777. */
  readonly mode: number
  readonly modifiedMs: number
  readonly inode: number
  /** User id of the owner; 0 where the platform has none. */
  readonly owner: number
}

/** An open file. Offsets and sizes are bytes. */
export interface OpenFile {
  readonly size: Effect.Effect<number, DiskError>
  /** Permission bits. */
  readonly mode: Effect.Effect<number, DiskError>
  /** Up to `length` bytes from `offset`; fewer only at the end of the file. */
  readonly read: (offset: number, length: number) => Effect.Effect<Buffer, DiskError>
  /** One write(2); the number of bytes that it took, which a full disk makes smaller than asked. */
  readonly write: (bytes: Uint8Array) => Effect.Effect<number, DiskError>
  readonly truncate: (size: number) => Effect.Effect<void, DiskError>
  /** fdatasync: the bytes survive a loss of power. */
  readonly sync: Effect.Effect<void, DiskError>
}

/**
 * How a file is opened: `read`; `append` (created 0600 when missing, readable too, every write lands at the end); `new` (fails with EEXIST);
 * `update` (an existing file, written over from its beginning).
 * None of them follows a symbolic link in the last component, and what is no regular file is refused with EFTYPE.
 */
export type OpenMode = "read" | "append" | "new" | "update"

/**
 * The file system, synchronous: the hook has one short life and no event loop to wait in.
 *
 * Nothing else in `src` imports `node:fs` (but `Stdin`, `Screen` and `Host`, for what is no file of anybody), so a test swaps this layer to have a full, slow or read-only disk.
 */
export class Disk extends Context.Service<
  Disk,
  {
    readonly withFile: <A, E, R>(
      path: string,
      mode: OpenMode,
      use: (file: OpenFile) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | DiskError, R>
    /** A regular file of at most 256 MiB, links followed; else EFTYPE or EFBIG. */
    readonly readFile: (path: string) => Effect.Effect<Buffer, DiskError>
    /** What the path itself is (a link is not followed); undefined when there is nothing. */
    readonly status: (path: string) => Effect.Effect<FileStatus | undefined, DiskError>
    readonly readLink: (path: string) => Effect.Effect<string, DiskError>
    /** The path with every link resolved. */
    readonly realPath: (path: string) => Effect.Effect<string, DiskError>
    /** Names in a directory, sorted; empty when there is no such directory. */
    readonly list: (path: string) => Effect.Effect<ReadonlyArray<string>, DiskError>
    /** Those of them that are directories themselves and no links. */
    readonly directories: (path: string) => Effect.Effect<ReadonlyArray<string>, DiskError>
    /** Creates a directory and its parents, 0700. */
    readonly makeDirectory: (path: string) => Effect.Effect<void, DiskError>
    readonly link: (existing: string, created: string) => Effect.Effect<void, DiskError>
    /** Creates a symbolic link to a file. */
    readonly symbolicLink: (target: string, created: string) => Effect.Effect<void, DiskError>
    readonly rename: (from: string, to: string) => Effect.Effect<void, DiskError>
    /** Removes a file or link; nothing to remove is no error. */
    readonly remove: (path: string) => Effect.Effect<void, DiskError>
    /** Removes a directory that is empty; one that is not, or is none, stays. */
    readonly removeEmptyDirectory: (path: string) => Effect.Effect<void>
    /** Removes a directory and all that is in it; links inside are removed, not followed. */
    readonly removeTree: (path: string) => Effect.Effect<void, DiskError>
    /** Bytes that may still be written to the file system of a path. */
    readonly freeBytes: (path: string) => Effect.Effect<number, DiskError>
    readonly changeMode: (path: string, mode: number) => Effect.Effect<void, DiskError>
  }
>()("lint-ai/platform/Disk") {
  static readonly make = (): Context.Service.Shape<typeof Disk> => nodeDisk

  static readonly layer = Layer.sync(Disk, Disk.make)
}

/** How often a tree is removed again that somebody wrote into meanwhile, as an agent may that is being ended. */
const mostRemovals = 8

const removeTree = (path: string): void => {
  for (let times = 1; ; times++) {
    try {
      fs.rmSync(path, { recursive: true, force: true })
      return
    } catch (error) {
      if (codeOf(error) !== "ENOTEMPTY" || times === mostRemovals) throw error
    }
  }
}

const codeOf = (error: unknown): string => {
  if (typeof error === "object" && error !== null && "code" in error && typeof error.code === "string")
    return error.code
  return error instanceof Error ? error.name : "UNKNOWN"
}

const attempt = <A>(operation: string, path: string, run: () => A): Effect.Effect<A, DiskError> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(run())
    } catch (error) {
      return Effect.fail(new DiskError({ operation, path, code: codeOf(error) }))
    }
  })

/** Runs an operation whose missing file is an answer, not an error. */
const orMissing = <A, B>(missing: B, run: () => A): A | B => {
  try {
    return run()
  } catch (error) {
    if (codeOf(error) === "ENOENT") return missing
    throw error
  }
}

const { constants } = fs
// Windows has no O_NOFOLLOW; its links need a privilege that agents do not have.
const noFollow = constants.O_NOFOLLOW ?? 0
// Opening a named pipe waits for its other end, for ever, and no deadline interrupts that. Windows has none of these.
const noWait = constants.O_NONBLOCK ?? 0
const openFlags: Record<OpenMode, number> = {
  read: constants.O_RDONLY | noFollow | noWait,
  append: constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | noFollow | noWait,
  new: constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | noFollow,
  update: constants.O_RDWR | noFollow | noWait
}

/** A file that is read as a whole is no longer than this: what is longer was put there by somebody else. */
const longestWhole = 256 * 1024 * 1024

/** Opens a regular file. A pipe, a device or a socket in its place is refused, because reading it need not end. */
const openRegular = (path: string, flags: number, most = Number.POSITIVE_INFINITY) => {
  const descriptor = fs.openSync(path, flags, 0o600)
  const stats = fs.fstatSync(descriptor)
  const { size } = stats
  const code = stats.isDirectory() ? "EISDIR" : !stats.isFile() ? "EFTYPE" : size > most ? "EFBIG" : undefined
  if (code === undefined) return { descriptor, size }
  fs.closeSync(descriptor)
  throw Object.assign(new Error(code), { code })
}

const readWhole = (path: string): Buffer => {
  const { descriptor, size } = openRegular(path, constants.O_RDONLY | noWait, longestWhole)
  try {
    // The files of /proc say that they are empty, and are not.
    return size === 0 ? fs.readFileSync(descriptor) : readAt(descriptor, 0, size)
  } finally {
    fs.closeSync(descriptor)
  }
}

/** Up to `length` bytes from `offset`; fewer only at the end of the file. */
const readAt = (descriptor: number, offset: number, length: number): Buffer => {
  const buffer = Buffer.allocUnsafe(length)
  let filled = 0
  while (filled < length) {
    const count = fs.readSync(descriptor, buffer, filled, length - filled, offset + filled)
    if (count === 0) break
    filled += count
  }
  return buffer.subarray(0, filled)
}

const openFile = (path: string, descriptor: number): OpenFile => ({
  size: attempt("stat", path, () => fs.fstatSync(descriptor).size),
  mode: attempt("stat", path, () => fs.fstatSync(descriptor).mode & 0o777),
  read: (offset, length) => attempt("read", path, () => readAt(descriptor, offset, length)),
  write: (bytes) => attempt("write", path, () => fs.writeSync(descriptor, bytes, 0, bytes.length)),
  truncate: (size) => attempt("truncate", path, () => fs.ftruncateSync(descriptor, size)),
  sync: attempt("sync", path, () => fs.fdatasyncSync(descriptor))
})

const kindOf = (stats: fs.Stats): FileKind =>
  stats.isFile() ? "file" : stats.isDirectory() ? "directory" : stats.isSymbolicLink() ? "symlink" : "other"

const statusOf = (path: string): fs.Stats | undefined =>
  orMissing(undefined, () => fs.lstatSync(path, { throwIfNoEntry: false }))

const nodeDisk: Context.Service.Shape<typeof Disk> = {
  withFile: (path, mode, use) =>
    Effect.acquireUseRelease(
      attempt("open", path, () => openRegular(path, openFlags[mode]).descriptor),
      (descriptor) => use(openFile(path, descriptor)),
      (descriptor) => Effect.sync(() => fs.closeSync(descriptor))
    ),
  readFile: (path) => attempt("read", path, () => readWhole(path)),
  status: (path) =>
    attempt("stat", path, () => {
      const stats = statusOf(path)
      if (stats === undefined) return undefined
      return {
        kind: kindOf(stats),
        size: stats.size,
        mode: stats.mode & 0o777,
        modifiedMs: stats.mtimeMs,
        inode: stats.ino,
        owner: stats.uid
      }
    }),
  readLink: (path) => attempt("readlink", path, () => fs.readlinkSync(path)),
  realPath: (path) => attempt("realpath", path, () => fs.realpathSync.native(path)),
  list: (path) =>
    // A directory that is not there is usual, and an error would cost more than to ask.
    attempt("list", path, () => (statusOf(path) === undefined ? [] : orMissing([], () => fs.readdirSync(path).sort()))),
  directories: (path) =>
    attempt("list", path, () =>
      orMissing([], () =>
        fs
          .readdirSync(path, { withFileTypes: true })
          .flatMap((one) => (one.isDirectory() ? [one.name] : []))
          .sort()
      )
    ),
  makeDirectory: (path) =>
    attempt("mkdir", path, () => {
      fs.mkdirSync(path, { recursive: true, mode: 0o700 })
    }),
  link: (existing, created) => attempt("link", created, () => fs.linkSync(existing, created)),
  symbolicLink: (target, created) => attempt("symlink", created, () => fs.symlinkSync(target, created, "file")),
  rename: (from, to) => attempt("rename", to, () => fs.renameSync(from, to)),
  remove: (path) => attempt("remove", path, () => orMissing(undefined, () => fs.unlinkSync(path))),
  removeEmptyDirectory: (path) => Effect.ignore(attempt("rmdir", path, () => fs.rmdirSync(path))),
  removeTree: (path) => attempt("remove", path, () => removeTree(path)),
  freeBytes: (path) =>
    attempt("statfs", path, () => {
      const { bavail, bsize } = fs.statfsSync(path)
      return bavail * bsize
    }),
  changeMode: (path, mode) => attempt("chmod", path, () => fs.chmodSync(path, mode))
}
