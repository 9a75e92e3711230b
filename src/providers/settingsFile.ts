import * as path from "node:path"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { Disk, DiskError } from "../platform/Disk.ts"
import { isProblem, type JsoncText, readJsonc } from "./jsoncText.ts"

/** A settings file of an agent as it is now. */
export interface SettingsFile {
  /** The path that the agent reads. */
  readonly path: string
  /** Where the bytes are: the same path with every link followed. A link itself is never replaced. */
  readonly target: string
  /** Undefined when there is no file. */
  readonly bytes: Buffer | undefined
  /** Permission bits of the target. */
  readonly mode: number | undefined
}

/** The path of a settings file leads to something that is none. */
export class SettingsNotAFile extends Data.TaggedError("SettingsNotAFile")<{
  readonly path: string
  readonly found: string
}> {
  override get message(): string {
    return `${this.path} is ${this.found}, not a file. Nothing was written.`
  }
}

/** A settings file does not parse: to change it would be to guess. Line and column count from 1. */
export class SettingsUnreadable extends Data.TaggedError("SettingsUnreadable")<{
  readonly path: string
  readonly line: number
  readonly column: number
  readonly problem: string
  /** What the file should be; JSON when absent. */
  readonly format?: "TOML"
}> {
  override get message(): string {
    return `${this.path} is no ${this.format ?? "JSON"} at line ${this.line}, column ${this.column}: ${this.problem}. Nothing was written. Correct the file and run the command again.`
  }
}

/** A settings file parses, but holds something else than the agent documents in a place that must be changed. */
export class SettingsUnexpected extends Data.TaggedError("SettingsUnexpected")<{
  readonly path: string
  readonly where: string
  readonly expected: string
  readonly found: string
}> {
  override get message(): string {
    return `${this.path}: ${this.where} is ${this.found} where the agent expects ${this.expected}. Nothing was written. Correct or remove it and run the command again.`
  }
}

/** Somebody wrote the file between the plan and its application. */
export class SettingsChanged extends Data.TaggedError("SettingsChanged")<{ readonly path: string }> {
  override get message(): string {
    return `${this.path} was changed by another program just now. Nothing was written. Run the command again.`
  }
}

/** Reads a settings file; a missing one is an answer. A FIFO or device is refused before it is opened, since reading it may never end. */
export const readSettings = Effect.fn("readSettings")(function* (file: string) {
  const disk = yield* Disk
  const target = yield* settingsTarget(file)
  const status = yield* disk.status(target)
  if (status === undefined) return { path: file, target, bytes: undefined, mode: undefined } satisfies SettingsFile
  if (status.kind !== "file") {
    return yield* new SettingsNotAFile({
      path: target,
      found: status.kind === "directory" ? "a directory" : "a device, pipe or socket"
    })
  }
  return { path: file, target, bytes: yield* disk.readFile(target), mode: status.mode } satisfies SettingsFile
})

const byteOrderMark = "\uFEFF"

/** The text of a settings file: an absent one reads as empty. The byte order mark is kept apart, for `encodeSettings` to put back. */
export const decodeSettings = Effect.fnUntraced(function* (file: SettingsFile) {
  const text = decodeUtf8(file.bytes ?? Buffer.alloc(0))
  if (text === undefined) {
    return yield* new SettingsUnreadable({ path: file.path, line: 1, column: 1, problem: "it is not UTF-8 text" })
  }
  const mark = text.startsWith(byteOrderMark) ? byteOrderMark : ""
  const document = readJsonc(text.slice(mark.length))
  if (isProblem(document)) return yield* new SettingsUnreadable({ path: file.path, ...document })
  return { mark, document }
})

export const encodeSettings = (mark: string, document: JsoncText): Buffer => Buffer.from(mark + document.text, "utf8")

const decodeUtf8 = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

// What Linux allows on one path (path_resolution(7)); a cycle ends there too.
const maximumLinks = 40

/** The path with every link resolved, also where the file that a link names, or its directories, do not exist yet. */
export const settingsTarget = Effect.fnUntraced(function* (file: string) {
  const disk = yield* Disk
  let current = file
  for (let count = 0; count < maximumLinks; count++) {
    const directory = yield* realDirectory(path.dirname(current))
    current = path.join(directory, path.basename(current))
    const status = yield* disk.status(current)
    if (status?.kind !== "symlink") return current
    current = path.resolve(directory, yield* disk.readLink(current))
  }
  return yield* new DiskError({ operation: "readlink", path: file, code: "ELOOP" })
})

const realDirectory = (directory: string): Effect.Effect<string, DiskError, Disk> =>
  Effect.flatMap(Disk, (disk) =>
    disk.realPath(directory).pipe(
      Effect.catchIf(
        (error) => error.code === "ENOENT" && path.dirname(directory) !== directory,
        () =>
          Effect.map(realDirectory(path.dirname(directory)), (parent) => path.join(parent, path.basename(directory)))
      )
    )
  )
