import * as path from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Provider } from "../domain/provider.ts"
import { Disk } from "../platform/Disk.ts"
import { Host } from "../platform/Host.ts"
import { readHookCommand } from "./hookCommand.ts"
import { type Handler, register, registrations, unexpectedShape, unregister } from "./hookSettings.ts"
import { type InstallRecord, readRecord, recordDirectory, sha256 } from "./installRecord.ts"
import { emptyInner } from "./jsoncText.ts"
import type { SettingsChange } from "./ProviderInstaller.ts"
import { decodeSettings, encodeSettings, readSettings, type SettingsFile, SettingsUnexpected } from "./settingsFile.ts"

/** What install wants in one settings file. */
export interface HookRegistration {
  readonly provider: Provider
  readonly settingsFile: string
  readonly handlers: ReadonlyMap<string, Handler>
  /** Whether a handler of ours for an event that is not among `handlers` may stay. */
  readonly keeps: (event: string) => boolean
  /** Whether colleagues read the file: then it is made readable to them. */
  readonly shared: boolean
}

/** The change that registers the handlers in one file; undefined when they are there already. */
export const planRegistration = Effect.fn("planRegistration")(function* (wanted: HookRegistration) {
  const { provider, handlers } = wanted
  const known = yield* readKnown(provider, wanted.settingsFile)
  const { file, record, directory, isOurs } = known
  const { mark, document } = yield* decodeSettings(file)
  const unexpected = unexpectedShape(document, handlers.keys())
  if (unexpected !== undefined) return yield* new SettingsUnexpected({ path: file.path, ...unexpected })

  const installed = registrations(document, isOurs).length > 0
  // A record says nothing about a file out of which everything of ours was taken by hand.
  const emptyBefore = installed ? (record?.empty_before ?? []) : []
  const registered = register(document, {
    handlers,
    keeps: wanted.keeps,
    isOurs,
    isRepairable: (command) => readHookCommand(command, provider)?.form !== "custom",
    emptyBefore
  })
  if (registered.changes.length === 0) return undefined

  const after = encodeSettings(mark, registered.document)
  const backup = yield* backupFor(known)
  const commands = new Set([
    ...(installed ? (record?.commands ?? []) : []),
    ...[...handlers.values()].map((one) => one.command)
  ])
  return {
    path: file.path,
    target: file.target,
    before: file.bytes,
    after,
    mode: file.mode ?? (wanted.shared ? 0o644 : 0o600),
    directoryMode: wanted.shared ? 0o755 : 0o700,
    changes: registered.changes,
    backup,
    recordDirectory: directory,
    record: {
      schema_version: 1,
      provider,
      target: file.target,
      original: originalOf(known, installed, backup),
      written_sha256: sha256(after),
      empty_before: registered.emptyBefore,
      commands: [...commands]
    },
    spentBackup: undefined
  } satisfies SettingsChange
})

/**
 * The change that takes everything of ours out of one file; undefined when there is nothing of ours. A file that nobody else has changed
 * since install gets its old bytes; in any other, only what install put in is cut out.
 */
export const planRemoval = Effect.fn("planRemoval")(function* (provider: Provider, settingsFile: string) {
  const known = yield* readKnown(provider, settingsFile)
  const { file, record, directory, isOurs } = known
  if (file.bytes === undefined) return undefined
  const change = {
    path: file.path,
    target: file.target,
    before: file.bytes,
    mode: file.mode ?? 0o600,
    directoryMode: 0o700,
    recordDirectory: directory,
    record: undefined,
    backup: undefined,
    spentBackup: undefined
  }
  const original = known.untouched ? record?.original : undefined
  if (original !== undefined && original !== null && "absent" in original) {
    const changes = ["remove the file, which install had created"]
    return { ...change, after: undefined, changes } satisfies SettingsChange
  }
  if (original !== undefined && original !== null) {
    const bytes = yield* readBackup(original.backup)
    if (bytes !== undefined && sha256(bytes) === original.sha256) {
      const changes = ["restore the file as it was before install"]
      return { ...change, after: bytes, changes, spentBackup: original.backup } satisfies SettingsChange
    }
  }
  const { mark, document } = yield* decodeSettings(file)
  const cut = unregister(document, isOurs, record?.empty_before ?? [])
  if (cut.changes.length === 0) return undefined
  const wasAbsent = record?.original !== null && record?.original !== undefined && "absent" in record.original
  const nothingLeft = wasAbsent && cut.document.text.trim() === "{}" && emptyInner(cut.document, []) !== undefined
  return {
    ...change,
    after: nothingLeft ? undefined : encodeSettings(mark, cut.document),
    changes: cut.changes,
    backup: yield* backupFor(known)
  } satisfies SettingsChange
})

interface Known {
  readonly file: SettingsFile
  readonly directory: string
  readonly record: InstallRecord | undefined
  /** The file has the very bytes that install wrote. */
  readonly untouched: boolean
  readonly isOurs: (command: string) => boolean
}

const readKnown = Effect.fnUntraced(function* (provider: Provider, settingsFile: string) {
  const file = yield* readSettings(settingsFile)
  const directory = yield* recordDirectory(provider, file.target)
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
