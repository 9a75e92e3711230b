import * as path from "node:path"
import { Argument, Command, Flag } from "effect/cli"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Remain, type Remains, remainsOf, removeRemains } from "../../control/remains.ts"
import { providerTitles } from "../../domain/provider.ts"
import { formatBytes } from "../../export/format.ts"
import { Host } from "../../platform/Host.ts"
import { applyEveryRemoval, planEveryRemoval } from "../../providers/everyInstall.ts"
import { hookProgram } from "../../providers/hookProgram.ts"
import { installerFor } from "../../providers/installers.ts"
import { applyPlan, type ProviderInstaller } from "../../providers/ProviderInstaller.ts"
import { confirm, confirmed } from "../confirm.ts"
import { NotBoth, ProviderUnsupported } from "../errors.ts"
import { givenProject, json, projectPlace, providerArgument, yes } from "../options.ts"
import { projectOf } from "../project.ts"
import { appliedLines, planData, renderPlan } from "../render/installPlan.ts"
import { shortPath } from "../render/sessions.ts"
import { plain } from "../render/text.ts"
import { note, report } from "../report.ts"
import { knownScope, scope, settings } from "./install.ts"

/** `uninstall` was not told what to take out. */
export class NothingToUninstall extends Data.TaggedError("NothingToUninstall") {
  override get message(): string {
    return "Name the agent whose hooks to take out, or give --purge to remove all that lint-ai has here."
  }
}

/** An agent was named for a purge, which is about the keys and records that all agents share. */
export class PurgeIsForAll extends Data.TaggedError("PurgeIsForAll")<{ readonly agent: string }> {
  override get message(): string {
    return `--purge takes out the hooks of all agents and removes what they share. Leave "${this.agent}" out, or leave --purge out.`
  }
}

const remainData = ({ path, what, bytes }: Remain) => ({ path, what, bytes })

const renderRemains = (remains: ReadonlyArray<Remain>): ReadonlyArray<string> =>
  remains.map((one) => `  ${plain(one.path)}\n    ${plain(one.what)}, ${formatBytes(one.bytes)}`)

/** Takes out the hooks of one agent, and says what stays. */
const uninstallOne = Effect.fn("uninstallOne")(function* (options: {
  readonly agent: Parameters<typeof installerFor>[0]
  readonly project: string
  readonly scope: Parameters<typeof knownScope>[1]
  readonly settings: string | undefined
  readonly dryRun: boolean
  readonly json: boolean
}) {
  const installer = installerFor(options.agent)
  if (installer === undefined) return yield* new ProviderUnsupported({ provider: options.agent })
  const host = yield* Host
  const plan = yield* installer.planUninstall({
    project: options.project,
    scope: yield* knownScope(installer, options.scope),
    settingsFile: options.settings === undefined ? undefined : path.resolve(host.cwd, options.settings)
  })
  const applied = options.dryRun ? [] : yield* applyPlan(plan)
  const others = options.dryRun ? [] : yield* otherInstalls(installer, options.project)
  const { user, project: own } = yield* remainsOf(options.project)
  const left = [...own, ...user]
  const data = { plan: planData(plan), files: applied, dry_run: options.dryRun, left: left.map(remainData) }
  yield* report(options.json, data, (_, look) =>
    [
      ...(plan.files.length === 0
        ? [`No hooks of lint-ai are installed for ${providerTitles[options.agent]} here.`]
        : options.dryRun
          ? [renderPlan(plan, options.project, look.columns), "Nothing was written (--dry-run)."]
          : appliedLines(applied, options.project)),
      ...(options.dryRun ? [] : plan.notes),
      ...others.map(
        ({ file, scope }) =>
          `${shortPath(file, options.project)} still registers hooks of lint-ai: lint-ai uninstall ${options.agent} --scope ${scope}`
      ),
      ...(left.length === 0
        ? []
        : [
            "",
            "What stays:",
            ...renderRemains(left),
            "",
            "`lint-ai sessions delete` removes single recordings, `lint-ai uninstall --purge` all of this."
          ]),
      ""
    ].join("\n")
  )
})

/** The agent's other settings files from which it still starts lint-ai in a project. */
const otherInstalls = Effect.fnUntraced(function* (installer: ProviderInstaller, project: string) {
  const { files } = yield* installer.status({ project, program: yield* hookProgram })
  return files.flatMap(({ path: file, scope, hooks }) =>
    scope === undefined || hooks.length === 0 ? [] : [{ file, scope }]
  )
})

/** Takes out all hooks and removes what lint-ai keeps for the user; asks apart for what is in the project. */
const purge = Effect.fn("purge")(function* (options: {
  readonly project: string
  readonly keepRecordings: boolean
  readonly dryRun: boolean
  readonly yes: boolean
  readonly json: boolean
}) {
  const { removals, stuck } = yield* planEveryRemoval(options.project)
  const remains = yield* remainsOf(options.project)
  const planned = {
    plans: removals.map(({ plan, project, scope }) => ({ ...planData(plan), project, scope })),
    user: remains.user.map(remainData),
    project: remains.project.map(remainData)
  }
  const stuckData = stuck.map(({ path, because }) => ({ path, what: because, bytes: 0 }))
  if (options.dryRun) {
    return yield* report(
      options.json,
      { ...planned, others: [...stuckData, ...remains.others.map(remainData)], dry_run: true },
      () => `${renderPurge(remains, removals, stuckData)}Nothing was removed (--dry-run).\n`
    )
  }
  if (!options.json && !options.yes) yield* note(renderPurge(remains, removals, stuckData))
  yield* confirm({
    question: "Take out all hooks and remove what lint-ai keeps for you?",
    action: "Purging",
    yes: options.yes
  })
  // A record that stays behind without its key verifies nowhere, so the question is asked before the key goes.
  const withProject =
    !options.keepRecordings &&
    remains.project.length > 0 &&
    (options.yes || (yield* confirmed("Remove these recordings and memories too, for good?")))
  const files = yield* applyEveryRemoval(removals)
  const now = yield* remainsOf(options.project)
  const gone = [...(withProject ? now.project : []), ...now.user]
  yield* removeRemains(gone)
  const left = [...(withProject ? [] : now.project.map(remainData)), ...stuckData, ...now.others.map(remainData)]
  yield* report(options.json, { files, removed: gone.map(remainData), left, dry_run: false }, () =>
    [
      ...appliedLines(files, options.project),
      ...gone.map((one) => `Removed ${plain(one.path)}`),
      ...(files.length + gone.length === 0 ? ["There was nothing to remove."] : []),
      ...(left.length === 0 ? [] : ["", "What stays:", ...renderRemains(left)]),
      ...(now.project.length > 0 && !withProject
        ? ["", "Without their key the recordings can be read, but not verified any more."]
        : []),
      ""
    ].join("\n")
  )
})

const renderPurge = (
  remains: Remains,
  removals: Effect.Success<ReturnType<typeof planEveryRemoval>>["removals"],
  stuck: ReadonlyArray<Remain>
): string => {
  const settingsFiles = removals.flatMap(({ plan }) =>
    plan.files.map((file) => `  ${plain(file.path)}\n    of ${providerTitles[plan.provider]}`)
  )
  const others = [...stuck, ...remains.others]
  const section = (title: string, lines: ReadonlyArray<string>) => (lines.length === 0 ? [] : [title, ...lines, ""])
  return [
    ...section("Settings that lint-ai is taken out of:", settingsFiles),
    ...section("Yours, removed:", renderRemains(remains.user)),
    ...section("Recordings and memories, asked for apart:", renderRemains(remains.project)),
    ...section("Not touched:", renderRemains(others)),
    ""
  ].join("\n")
}

export const uninstallCommand = Command.make(
  "uninstall",
  {
    agent: providerArgument.pipe(Argument.optional, Argument.map(Option.getOrUndefined)),
    ...projectPlace(),
    scope,
    settings,
    purge: Flag.Boolean("purge").pipe(
      Flag.withDefault(false),
      Flag.withDescription(
        "Take out the hooks of all agents, and remove your keys, the heads of your archives and all else that lint-ai keeps; shows it and asks first, for this project's recordings apart"
      )
    ),
    keepRecordings: Flag.Boolean("keep-recordings").pipe(
      Flag.withDefault(false),
      Flag.withDescription("With --purge: leave the project's recordings and memories where they are")
    ),
    dryRun: Flag.Boolean("dry-run").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Show what would be done and do nothing")
    ),
    yes,
    json
  },
  Effect.fn("uninstall")(function* (flags) {
    const { agent } = flags
    const where = yield* projectOf(givenProject(flags))
    if (flags.purge) {
      if (agent !== undefined) return yield* new PurgeIsForAll({ agent })
      // It takes lint-ai out of all settings: whoever names one of them means less than that.
      if (flags.scope._tag === "Some") return yield* new NotBoth({ one: "--purge", other: "--scope" })
      if (flags.settings !== undefined) return yield* new NotBoth({ one: "--purge", other: "--settings" })
      return yield* purge({ ...flags, project: where })
    }
    if (agent === undefined) return yield* new NothingToUninstall()
    yield* uninstallOne({
      agent,
      project: where,
      scope: Option.getOrUndefined(flags.scope),
      settings: flags.settings,
      dryRun: flags.dryRun,
      json: flags.json
    })
  })
).pipe(
  Command.withDescription(
    "Take lint-ai out of an agent's hooks again; recorded sessions stay, and --purge removes those and all else"
  )
)
