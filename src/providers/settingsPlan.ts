import * as path from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Provider } from "../domain/provider.ts"
import { Disk, type DiskError } from "../platform/Disk.ts"
import { Host } from "../platform/Host.ts"
import { readHookCommand } from "./hookCommand.ts"
import type { EmptyBefore } from "./hookSettings.ts"
import { type InstallRecord, readRecord, recordDirectory, sha256 } from "./installRecord.ts"
import type { SettingsChange } from "./ProviderInstaller.ts"
import { readSettings, type SettingsFile, type SettingsNotAFile } from "./settingsFile.ts"

/** A file of an agent and what is known of an earlier install into it. */
export interface Known {
  readonly file: SettingsFile
  readonly directory: string
  readonly record: InstallRecord | undefined
  /** The file has the very bytes that install wrote. */
  readonly untouched: boolean
  readonly isOurs: (command: string) => boolean
}

/** What install makes of a file. */
export interface Written {
  readonly after: Buffer
  /** One line for a person per change; none when everything is as wanted. */
  readonly changes: ReadonlyArray<string>
  /** Whether something of ours was in the file before. */
  readonly installed: boolean
  readonly emptyBefore: ReadonlyArray<EmptyBefore>
  readonly commands: ReadonlyArray<string>
}

/** What uninstall makes of a file that somebody changed after install. */
export interface Cut {
  readonly after: Buffer
  readonly changes: ReadonlyArray<string>
  /** Whether nothing that means anything is left: a file that install had created then goes. */
  readonly nothingLeft: boolean
}

/** The change that puts something into one file; undefined when everything is there already. */
export const planWriting = Effect.fnUntraced(function* <E, R>(
  provider: Provider,
  settingsFile: string,
  shared: boolean,
  write: (known: Known) => Effect.Effect<Written, E, R>,
  /** See `recordDirectory`. */
  part?: string
): Effect.fn.Return<SettingsChange | undefined, E | SettingsNotAFile | DiskError, R | Disk | Host> {
  const known = yield* readKnown(provider, settingsFile, part)
  const { file, record, directory } = known
  const written = yield* write(known)
  if (written.changes.length === 0) return undefined
  const backup = yield* backupFor(known)
  const madeDirectories = [...new Set([...(record?.made_directories ?? []), ...(yield* missingAbove(file.target))])]
  return {
    path: file.path,
    target: file.target,
    before: file.bytes,
    after: written.after,
    mode: file.mode ?? (shared ? 0o644 : 0o600),
    directoryMode: shared ? 0o755 : 0o700,
    madeDirectories,
    changes: written.changes,
    backup,
    recordDirectory: directory,
    record: {
      schema_version: 1,
      provider,
      target: file.target,
      original: originalOf(known, written.installed, backup),
      written_sha256: sha256(written.after),
      empty_before: written.emptyBefore,
      made_directories: madeDirectories,
      commands: [...new Set([...(written.installed ? (record?.commands ?? []) : []), ...written.commands])]
    },
    spentBackup: undefined
  }
})

/**
 * The change that takes everything of ours out of one file; undefined when there is nothing of ours. A file that nobody else has changed
 * since install gets its old bytes; in any other, only what install put in is cut out.
 */
export const planUndoing = Effect.fnUntraced(function* <E, R>(
  provider: Provider,
  settingsFile: string,
  cutOut: (known: Known) => Effect.Effect<Cut, E, R>,
  /** See `recordDirectory`. */
  part?: string
): Effect.fn.Return<SettingsChange | undefined, E | SettingsNotAFile | DiskError, R | Disk | Host> {
  const known = yield* readKnown(provider, settingsFile, part)
  const { file, record, directory } = known
  if (file.bytes === undefined) return undefined
  const change = {
    path: file.path,
    target: file.target,
    before: file.bytes,
    mode: file.mode ?? 0o600,
    directoryMode: 0o700,
    madeDirectories: record?.made_directories ?? [],
    recordDirectory: directory,
    record: undefined,
    backup: undefined,
    spentBackup: undefined
  }
  const original = known.untouched ? record?.original : undefined
  if (original !== undefined && original !== null && "absent" in original) {
    return { ...change, after: undefined, changes: ["remove the file, which install had created"] }
  }
  if (original !== undefined && original !== null) {
    const bytes = yield* readBackup(original.backup)
    if (bytes !== undefined && sha256(bytes) === original.sha256) {
      const changes = ["restore the file as it was before install"]
      return { ...change, after: bytes, changes, spentBackup: original.backup }
    }
  }
  const cut = yield* cutOut(known)
  if (cut.changes.length === 0) return undefined
  const wasAbsent = record?.original !== null && record?.original !== undefined && "absent" in record.original
  return {
    ...change,
    after: wasAbsent && cut.nothingLeft ? undefined : cut.after,
    changes: cut.changes,
    backup: yield* backupFor(known)
  }
})

/** The directories above a file that do not exist, the innermost first. */
const missingAbove = Effect.fnUntraced(function* (file: string) {
  const disk = yield* Disk
  const missing: Array<string> = []
  for (let directory = path.dirname(file); (yield* disk.status(directory)) === undefined; ) {
    missing.push(directory)
    directory = path.dirname(directory)
  }
  return missing
})

const readKnown = Effect.fnUntraced(function* (provider: Provider, settingsFile: string, part: string | undefined) {
  const file = yield* readSettings(settingsFile)
  const directory = yield* recordDirectory(provider, file.target, part)
  const record = yield* readRecord(directory)
  const isOurs = (command: string) =>
    readHookCommand(command, provider) !== undefined || record?.commands.includes(command) === true
  const untouched = file.bytes !== undefined && record?.written_sha256 === sha256(file.bytes)
  return { file, directory, record, untouched, isOurs } satisfies Known
})

/** Bytes that install did not write itself are copied before they are replaced. The name is new each time. */
const backupFor = Effect.fnUntraced(function* ({ file, directory, untouched }: Known) {
  if (file.bytes === undefined || untouched) return undefined
  const host = yield* Host
  const time = new Date(yield* Clock.currentTimeMillis).toISOString().replace(/[-:]/g, "").replace(/\.\d+/, "")
  return path.join(directory, `${time}-${host.randomHex(3)}-${path.basename(file.target)}`)
})

const originalOf = (known: Known, installed: boolean, backup: string | undefined): InstallRecord["original"] => {
  if (known.untouched) return known.record?.original ?? null
  if (known.file.bytes === undefined) return { absent: true }
  // Entries of ours in bytes that we did not write: there is no telling what was before them.
  if (installed || backup === undefined) return null
  return { sha256: sha256(known.file.bytes), backup }
}

const readBackup = Effect.fnUntraced(function* (backup: string) {
  const disk = yield* Disk
  return yield* disk.readFile(backup).pipe(Effect.orElseSucceed(() => undefined))
})
