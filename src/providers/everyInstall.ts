import * as path from "node:path"
import * as Effect from "effect/Effect"
import { Disk } from "../platform/Disk.ts"
import { installableProviders, installerFor } from "./installers.ts"
import { listRecords } from "./installRecord.ts"
import {
  type AppliedChange,
  applyPlan,
  type InstallPlan,
  type ProviderInstaller,
  type Scope
} from "./ProviderInstaller.ts"

/** One install to take out: of an agent, in the files of a project or in the user's. */
interface Removal {
  readonly installer: ProviderInstaller
  readonly project: string
  readonly scope: Scope
  /** The settings file itself, where nothing else leads to it: one that was named with --settings, or to which a link leads. */
  readonly settingsFile: string | undefined
  readonly plan: InstallPlan
}

/** A settings file that install wrote to and that cannot be put right from here. */
export interface StuckInstall {
  readonly path: string
  readonly because: string
}

/** How far above a settings file its project may be: `.claude/skills/lint-ai/SKILL.md`. */
const levels = 4

/**
 * Plans to take lint-ai out of every agent's settings: those of a project and of the user, whoever wrote them there, and those of all other projects that
 * the records of installs name. Touches nothing.
 */
export const planEveryRemoval = Effect.fn("planEveryRemoval")(function* (project: string) {
  const disk = yield* Disk
  const removals: Array<Removal> = []
  const stuck: Array<StuckInstall> = []
  const covered = new Set<string>()
  const add = Effect.fnUntraced(function* (
    installer: ProviderInstaller,
    where: string,
    scope: Scope,
    settingsFile?: string
  ) {
    const plan = yield* installer.planUninstall({ project: where, scope, settingsFile })
    const files = plan.files.filter((file) => !covered.has(file.recordDirectory))
    if (files.length === 0) return
    for (const file of files) covered.add(file.recordDirectory)
    removals.push({ installer, project: where, scope, settingsFile, plan: { ...plan, files } })
  })
  for (const provider of installableProviders) {
    const installer = installerFor(provider)
    for (const scope of installer?.scopes ?? []) {
      if (installer === undefined) continue
      yield* add(installer, project, scope).pipe(
        Effect.catch((error) => Effect.sync(() => stuck.push({ path: pathOf(error), because: error.message })))
      )
    }
  }
  for (const { directory, record } of yield* listRecords()) {
    const installer = installerFor(record.provider)
    const status = yield* disk.status(record.target).pipe(Effect.orElseSucceed(() => undefined))
    // One that is gone has taken the hooks along.
    if (covered.has(directory) || installer === undefined || status === undefined) continue
    let above = record.target
    for (let level = 0; level < levels && !covered.has(directory); level++) {
      above = path.dirname(above)
      for (const scope of installer.scopes) {
        if (scope !== "user") yield* add(installer, above, scope).pipe(Effect.ignore)
      }
    }
    const [scope] = installer.scopes
    if (!covered.has(directory) && scope !== undefined) {
      yield* add(installer, path.dirname(record.target), scope, record.target).pipe(Effect.ignore)
    }
    if (!covered.has(directory) && !stuck.some((one) => one.path === record.target)) {
      stuck.push({
        path: record.target,
        because: `an install of ${record.provider} that cannot be taken out from here: run \`lint-ai uninstall ${record.provider}\` in its project first`
      })
    }
  }
  return { removals, stuck }
})

const pathOf = (error: object): string => ("path" in error && typeof error.path === "string" ? error.path : "")

/**
 * Takes out what was planned, the last install first where two have written to one file: only then both find what they wrote and give back what was there
 * before. Directories that an install made go when they are empty.
 */
export const applyEveryRemoval = Effect.fn("applyEveryRemoval")(function* (removals: ReadonlyArray<Removal>) {
  const disk = yield* Disk
  const applied: Array<AppliedChange> = []
  const made = new Set<string>()
  const left = new Set(removals)
  while (left.size > 0) {
    const plans = yield* Effect.forEach(left, (removal) =>
      Effect.map(
        removal.installer.planUninstall({
          project: removal.project,
          scope: removal.scope,
          settingsFile: removal.settingsFile
        }),
        (plan) => ({ removal, plan })
      )
    )
    const [next] = plans.sort((a, b) => inexact(a.plan) - inexact(b.plan))
    if (next === undefined) break
    left.delete(next.removal)
    for (const file of next.plan.files) for (const directory of file.madeDirectories) made.add(directory)
    applied.push(...(yield* applyPlan(next.plan)))
  }
  for (const directory of [...made].sort((a, b) => b.length - a.length)) yield* disk.removeEmptyDirectory(directory)
  return applied
})

/** Files of a plan that get neither their old bytes back nor are removed as a whole. */
const inexact = (plan: InstallPlan): number =>
  plan.files.filter((file) => file.after !== undefined && file.spentBackup === undefined).length
