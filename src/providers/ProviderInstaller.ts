import * as path from "node:path"
import * as Effect from "effect/Effect"
import { replaceFile } from "../archive/atomicFile.ts"
import type { Provider } from "../domain/provider.ts"
import { Disk, type DiskError } from "../platform/Disk.ts"
import type { Host } from "../platform/Host.ts"
import type { HookProgram, HookProgramUnusable, KnownCommand } from "./hookCommand.ts"
import { encodeInstallRecord, type InstallRecord, recordFile } from "./installRecord.ts"
import {
  readSettings,
  SettingsChanged,
  type SettingsNotAFile,
  type SettingsUnexpected,
  type SettingsUnreadable
} from "./settingsFile.ts"
import type { TextDiffers } from "./wholeText.ts"

/**
 * Whose settings are changed: those of one person in one project, those that the colleagues of a project share, or those of one person
 * in every project. A provider lists the ones that it has.
 */
export type Scope = "local" | "project" | "user"

export interface InstallOptions {
  /** Absolute path of the project. */
  readonly project: string
  readonly scope: Scope
  /** Instead of the file that the scope names. */
  readonly settingsFile?: string | undefined
  readonly program: HookProgram
  /** Version of the installed agent, as it says itself. Unknown: only what the oldest supported version knows is registered. */
  readonly agentVersion?: string | undefined
  /**
   * What is asked for besides the hooks that record: the MCP server of lint-ai; the rules for its use in the agent's memory file or as a skill;
   * a status line, where the agent has one and the user has none; hooks that gate an action and then must answer for it.
   */
  readonly extras?: ReadonlyArray<"mcp" | "policy" | "statusline" | "gates"> | undefined
  /** Hook events that are registered, of those that would be; all when absent. */
  readonly only?: ReadonlyArray<string> | undefined
}

/** Whether an install registers an event. */
export const isWanted = (options: InstallOptions, event: string): boolean => options.only?.includes(event) !== false

export interface UninstallOptions {
  readonly project: string
  /** Undefined: every file in the project. The user's own settings are changed only when named. */
  readonly scope?: Scope | undefined
  readonly settingsFile?: string | undefined
}

export interface StatusOptions {
  readonly project: string
  readonly settingsFile?: string | undefined
  /** The program that an install would register now. */
  readonly program: HookProgram
  readonly agentVersion?: string | undefined
}

export type InstallError =
  | TextDiffers
  | SettingsNotAFile
  | SettingsUnreadable
  | SettingsUnexpected
  | HookProgramUnusable
  | DiskError

/** Everything about installation that differs between providers. */
export interface ProviderInstaller {
  readonly provider: Provider
  /** Those that the provider has, the default first. */
  readonly scopes: ReadonlyArray<Scope>
  /** Reads the settings and computes what would be written. Touches nothing: this is `--dry-run`. */
  readonly planInstall: (options: InstallOptions) => Effect.Effect<InstallPlan, InstallError, Disk | Host>
  readonly planUninstall: (options: UninstallOptions) => Effect.Effect<InstallPlan, InstallError, Disk | Host>
  /** What the agent would run now. A file that cannot be read is part of the answer. */
  readonly status: (options: StatusOptions) => Effect.Effect<InstallStatus, DiskError, Disk | Host>
}

export interface InstallPlan {
  readonly provider: Provider
  readonly action: "install" | "uninstall"
  /** None when everything is as wanted. */
  readonly files: ReadonlyArray<SettingsChange>
  /** Sentences that a person should read before the plan is applied. */
  readonly notes: ReadonlyArray<string>
}

/** What happens to one file. */
export interface SettingsChange {
  readonly path: string
  /** The file that is written: `path` with every link followed. */
  readonly target: string
  /** Undefined where there is no file. */
  readonly before: Buffer | undefined
  /** Undefined when the file is removed. */
  readonly after: Buffer | undefined
  /** Permission bits of the written file. */
  readonly mode: number
  /** Permission bits of its directory, should it have to be made. */
  readonly directoryMode: number
  /** Directories that writing makes, or that an earlier install made and removing takes along when they are empty; the innermost first. */
  readonly madeDirectories: ReadonlyArray<string>
  /** One line for a person per change. */
  readonly changes: ReadonlyArray<string>
  /** Where a copy of `before` goes first; undefined when there is nothing to copy or a copy exists. */
  readonly backup: string | undefined
  /** Directory of the record and the backups. */
  readonly recordDirectory: string
  /** The record to keep; undefined removes it. */
  readonly record: InstallRecord | undefined
  /** A backup that has become the file again and is not kept. */
  readonly spentBackup: string | undefined
}

export interface AppliedChange {
  readonly path: string
  readonly target: string
  readonly outcome: "created" | "changed" | "restored" | "removed"
  /** The copy of what was there before. */
  readonly backup: string | undefined
}

/**
 * Writes what a plan says. Before the first byte it is checked that every file still is what the plan was made from; then each file is
 * copied, its record is kept, and the new bytes replace it in one step.
 */
export const applyPlan = Effect.fn("applyPlan")(function* (plan: InstallPlan) {
  for (const change of plan.files) {
    const now = yield* readSettings(change.path)
    if (now.target !== change.target || !sameBytes(now.bytes, change.before)) {
      return yield* new SettingsChanged({ path: change.path })
    }
  }
  const applied = yield* Effect.forEach(plan.files, applyChange)
  // What held a directory open when the file was removed for which it was made may have gone since.
  const disk = yield* Disk
  const made = plan.files.flatMap((change) => (change.after === undefined ? change.madeDirectories : []))
  for (const directory of made.toSorted((a, b) => b.length - a.length)) yield* disk.removeEmptyDirectory(directory)
  return applied
})

const applyChange = Effect.fnUntraced(function* (change: SettingsChange) {
  const disk = yield* Disk
  if (change.backup !== undefined || change.record !== undefined) yield* disk.makeDirectory(change.recordDirectory)
  if (change.backup !== undefined && change.before !== undefined) yield* replaceFile(change.backup, change.before)
  // Before the settings: a record of what was not written is harmless, settings without their record cannot be restored exactly.
  if (change.record !== undefined) {
    yield* replaceFile(recordFile(change.recordDirectory), encodeInstallRecord(change.record))
  }
  if (change.after === undefined) {
    yield* disk.remove(change.target)
  } else {
    const directory = path.dirname(change.target)
    if ((yield* disk.status(directory)) === undefined) {
      yield* disk.makeDirectory(directory)
      yield* disk.changeMode(directory, change.directoryMode)
    }
    yield* replaceFile(change.target, change.after, { mode: change.mode })
  }
  if (change.record === undefined) yield* forget(change)
  return {
    path: change.path,
    target: change.target,
    outcome: outcomeOf(change),
    backup: change.backup
  } satisfies AppliedChange
})

/** Removes the record and a spent backup, and the directory when nothing is left in it. */
const forget = Effect.fnUntraced(function* (change: SettingsChange) {
  const disk = yield* Disk
  yield* disk.remove(recordFile(change.recordDirectory))
  if (change.spentBackup !== undefined) yield* disk.remove(change.spentBackup)
  const left = yield* disk.list(change.recordDirectory)
  if (left.length === 0) yield* disk.removeTree(change.recordDirectory)
})

const outcomeOf = (change: SettingsChange): AppliedChange["outcome"] => {
  if (change.after === undefined) return "removed"
  if (change.before === undefined) return "created"
  return change.spentBackup === undefined ? "changed" : "restored"
}

const sameBytes = (a: Buffer | undefined, b: Buffer | undefined): boolean =>
  a === undefined || b === undefined ? a === b : a.equals(b)

export interface InstallStatus {
  readonly provider: Provider
  readonly files: ReadonlyArray<SettingsStatus>
  /** Events that this version of the agent knows and no file that it uses registers. */
  readonly missing: ReadonlyArray<string>
  /** Events that more than one file registers: the agent starts lint-ai more than once for each. */
  readonly repeated: ReadonlyArray<string>
  /** Settings files that switch all hooks of the agent off. */
  readonly hooksOffIn: ReadonlyArray<string>
}

export interface SettingsStatus {
  readonly scope: Scope | undefined
  readonly path: string
  readonly target: string
  readonly exists: boolean
  /** Why the agent does not use this file: it cannot be read, or has what the agent does not accept. Its hooks do not run then. */
  readonly problem: string | undefined
  /** The problem is that the user has not trusted the project. */
  readonly untrusted?: true
  readonly hooks: ReadonlyArray<RegisteredHook>
  /** Commands of others that the file registers for events of ours. */
  readonly others: ReadonlyArray<{ readonly event: string; readonly command: string }>
}

export interface RegisteredHook {
  readonly event: string
  readonly command: string
  readonly form: KnownCommand["form"]
  /** The program that the command starts, as an absolute path; for the shared form, what PATH finds. Undefined when it finds nothing. */
  readonly program: string | undefined
  /**
   * `current`: what install would register now. `missing`: there is nothing at that path any more. `other`: another installation of
   * lint-ai. `unwanted`: registered for an event that this version of the agent does not know, or that lint-ai does not record.
   */
  readonly state: "current" | "missing" | "other" | "unwanted"
  /** How long the agent lets it run, in milliseconds; undefined when the file does not say. */
  readonly timeoutMs: number | undefined
  /**
   * Whether the agent's user has trusted this very hook, where the agent asks for that: hooks that are not trusted do not run. `modified`:
   * another one was trusted in its place.
   */
  readonly trust?: "trusted" | "untrusted" | "modified"
}
