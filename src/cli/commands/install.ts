import * as path from "node:path"
import { Command, Flag } from "effect/cli"
import * as Effect from "effect/Effect"
import { Keyring } from "../../archive/Keyring.ts"
import { Configuration } from "../../control/Configuration.ts"
import { renderEnablement } from "../../control/enablement.ts"
import { configurationFaults } from "../../control/retentionSettings.ts"
import { NoKey, NotAdopted, Toggles } from "../../control/Toggles.ts"
import { dormant, type Mode, recordingMode, togglesOf } from "../../domain/mode.ts"
import { type Provider, providerTitles } from "../../domain/provider.ts"
import { Host } from "../../platform/Host.ts"
import { hookProgram } from "../../providers/hookProgram.ts"
import { installerFor } from "../../providers/installers.ts"
import { applyPlan, type InstallPlan, type ProviderInstaller, type Scope } from "../../providers/ProviderInstaller.ts"
import { agentVersion } from "../agentVersion.ts"
import { isInPackageCache } from "../cachedProgram.ts"
import { chosenRoot, rootNotes } from "../chosenRoot.ts"
import { confirm } from "../confirm.ts"
import { enablementView } from "../enablementView.ts"
import { ProviderUnsupported, ScopeUnsupported } from "../errors.ts"
import { hooksThere } from "../installedHooks.ts"
import { givenProject, json, optionalString, projectPlace, providerArgument, sessionRoot, yes } from "../options.ts"
import { noteTreeBelow, projectOf } from "../project.ts"
import { appliedLines, planData, renderPlan } from "../render/installPlan.ts"
import { shortPath } from "../render/sessions.ts"
import { note, report } from "../report.ts"
import { isTemporary } from "../temporaryPlace.ts"

export const scope = Flag.Literals("scope", ["local", "project", "user"]).pipe(
  Flag.optional,
  Flag.withDescription(
    "local: yours in this project (Claude Code alone has it, as default). project: shared with colleagues (default of the others). user: yours everywhere"
  )
)
export const settings = optionalString(
  "settings",
  "Settings file of the agent, instead of the one that the scope names",
  "FILE"
)

/** The scope that was asked for, when the agent has it. */
export const knownScope = Effect.fnUntraced(function* (
  { provider, scopes }: ProviderInstaller,
  scope: Scope | undefined
) {
  if (scope !== undefined && !scopes.includes(scope)) return yield* new ScopeUnsupported({ provider, scope, scopes })
  return scope
})

const isWithin = (directory: string, file: string): boolean => file.startsWith(`${directory}${path.sep}`)

/** Files of the project that are in truth elsewhere, as when a clone brings `.claude` as a link: what is written there is announced. */
const linkNotes = ({ files, notes }: InstallPlan, project: string): ReadonlyArray<string> =>
  files
    .filter(({ path: file, target }) => isWithin(project, file) && !isWithin(project, target))
    .filter(({ target }) => !notes.some((note) => note.includes(target)))
    .map(({ path: file, target }) => `${file} leads out of the project, to ${target}.`)

/** What `install` and `init` do: show, ask, register the hooks, set the mode. */
export const installProvider = Effect.fn("installProvider")(function* (options: {
  readonly provider: Provider
  readonly project: string
  readonly scope: Scope | undefined
  readonly settings: string | undefined
  /** Undefined leaves the toggles as they are: an installed project stays dormant until somebody turns it on. */
  readonly mode: Mode | undefined
  readonly sessionRoot: string | undefined
  /** Also the MCP server, and the skill or memory file that tells the agent when to use it. */
  readonly mcp: boolean
  readonly dryRun: boolean
  readonly yes: boolean
  readonly json: boolean
}) {
  const installer = installerFor(options.provider)
  if (installer === undefined) return yield* new ProviderUnsupported({ provider: options.provider })
  const host = yield* Host
  const toggles = yield* Toggles
  const configuration = yield* Configuration
  const scope = yield* knownScope(installer, options.scope)
  const consent = yield* toggles.read(options.project)
  const configured = yield* configuration.load(options.project, consent)
  const root = yield* chosenRoot(options.sessionRoot)
  const switches = options.mode !== undefined || root !== undefined
  // Told before anything is shown or written: neither mode nor root could be set.
  if (switches && consent._tag === "inert") {
    return yield* new NotAdopted({ projectRoot: options.project, reason: consent.reason })
  }
  const settingsFile = options.settings === undefined ? undefined : path.resolve(host.cwd, options.settings)
  const program = yield* hookProgram
  const { hooksOffIn } = yield* installer.status({ project: options.project, settingsFile, program })
  const planned = yield* installer.planInstall({
    project: options.project,
    scope: scope ?? installer.scopes[0] ?? "local",
    settingsFile,
    program,
    agentVersion: yield* agentVersion(options.provider),
    extras: options.mcp ? ["statusline", "mcp", "policy"] : ["statusline"]
  })
  const plan: InstallPlan = {
    ...planned,
    notes: [
      ...planned.notes,
      ...linkNotes(planned, options.project),
      ...(isInPackageCache(program)
        ? [
            `${[program.file, ...program.args].join(" ")} is in a cache of packages. When that is emptied, nothing is recorded any more: npm install --global lint-ai, then install the hooks again.`
          ]
        : []),
      ...(yield* rootNotes(root)),
      ...configurationFaults(configured).map(({ file, problem }) => `${file}: ${problem}.`),
      ...hooksOffIn.map((file) => `${file} switches all hooks off: nothing is recorded before that setting is removed.`)
    ]
  }
  const now = consent._tag === "adopted" ? (consent.providers[options.provider] ?? dormant) : dormant
  const view = yield* enablementView({
    provider: options.provider,
    mode: options.mode ?? recordingMode(now),
    project: options.project,
    sessionRoot: root ?? now.session_root,
    settings: configured
  })
  const shown = { view, plan: planData(plan) }
  if (options.dryRun) {
    return yield* report(options.json, { ...shown, dry_run: true }, (_, look) =>
      [
        renderEnablement(view, look.columns),
        renderPlan(plan, options.project, look.columns),
        "Nothing was written (--dry-run).\n"
      ].join("\n")
    )
  }
  if (!options.json) {
    yield* report(
      false,
      shown,
      (_, look) => `${renderEnablement(view, look.columns)}\n${renderPlan(plan, options.project, look.columns)}`
    )
  }
  const harmless = options.mode === undefined || options.mode === "off" || (yield* isTemporary(root ?? options.project))
  yield* confirm({
    question: options.mode === undefined || options.mode === "off" ? "Install?" : "Start recording?",
    action: `Installing for ${providerTitles[options.provider]}`,
    yes:
      options.yes ||
      (harmless && plan.files.length === 0) ||
      (harmless &&
        plan.files.every((file) => isWithin(options.project, file.target)) &&
        (yield* isTemporary(options.project)))
  })
  // Without a key neither could be set, and hooks alone are not what was agreed to.
  if (switches && (yield* Effect.flatMap(Keyring, (keys) => keys.current)).secret.length === 0)
    return yield* new NoKey()
  const applied = yield* applyPlan(plan)
  const unfound = yield* unfoundIn(installer, options.project)
  const { mode } = options
  const state = !switches
    ? undefined
    : yield* toggles
        .change(options.project, options.provider, ({ session_root, ...before }) => ({
          ...before,
          ...(mode === undefined ? undefined : togglesOf(mode)),
          ...(root !== undefined ? { session_root: root } : session_root === undefined ? undefined : { session_root })
        }))
        // What was written stays, and is said before the reason why the rest was not.
        .pipe(
          Effect.tapError(() =>
            applied.length === 0
              ? Effect.void
              : note(`${["", ...appliedLines(applied, options.project), "But the project is as it was:"].join("\n")}\n`)
          )
        )
  // Who reads the last line alone must not take it for recorded.
  const { idle } = yield* hooksThere(options.provider, options.project)
  const idles = idle !== undefined && options.settings === undefined && unfound.length === 0 ? [`But ${idle}`] : []
  yield* report(options.json, { ...shown, files: applied, unfound, toggles: state ?? null }, () =>
    [
      "",
      ...(applied.length === 0 ? ["The hooks were installed already; nothing was changed."] : []),
      ...appliedLines(applied, options.project),
      ...unfound.map(
        (file) =>
          `But lint-ai is not on your PATH, and ${shortPath(file, options.project)} names it without a path, as colleagues read it: nothing will run. Put it there: npm install --global lint-ai`
      ),
      ...((state ?? now).recording
        ? [`Recording is on. Work with ${providerTitles[options.provider]}, then: lint-ai sessions inspect`, ...idles]
        : [`Recording is off. Turn it on with: lint-ai record start ${options.provider}`]),
      ...(options.mcp
        ? [`Or ask ${providerTitles[options.provider]} to: it has the tools of lint-ai from its next session on.`]
        : []),
      ""
    ].join("\n")
  )
})

/** Files that name lint-ai without a path where the PATH of this process finds none. */
const unfoundIn = Effect.fnUntraced(function* (installer: ProviderInstaller, project: string) {
  const { files } = yield* installer.status({ project, program: yield* hookProgram })
  return files
    .filter((file) => file.hooks.some((hook) => hook.form === "shared" && hook.state === "missing"))
    .map((file) => file.path)
})

export const installCommand = Command.make(
  "install",
  {
    agent: providerArgument,
    ...projectPlace(),
    scope,
    settings,
    sessionRecording: Flag.Literals("session-recording", ["off", "capture-only", "assist"]).pipe(
      Flag.optional,
      Flag.withDescription(
        "capture-only: turn recording on. assist: recording and memory. off: both off. Else all stays as it is"
      )
    ),
    sessionRoot,
    mcp: Flag.Boolean("mcp").pipe(
      Flag.withDefault(false),
      Flag.withDescription(
        "Register the MCP server too, so that the agent can turn things on and off when you ask it to, and tell it the rules for that. For Claude Code this adds an entry of your own to ~/.claude.json"
      )
    ),
    dryRun: Flag.Boolean("dry-run").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Show what would be written and write nothing")
    ),
    yes,
    json
  },
  Effect.fn("install")(function* (flags) {
    const given = givenProject(flags)
    const root = yield* projectOf(given)
    yield* noteTreeBelow(given, root)
    yield* installProvider({
      provider: flags.agent,
      project: root,
      scope: flags.scope._tag === "Some" ? flags.scope.value : undefined,
      settings: flags.settings,
      mode: flags.sessionRecording._tag === "Some" ? flags.sessionRecording.value : undefined,
      sessionRoot: flags.sessionRoot,
      mcp: flags.mcp,
      dryRun: flags.dryRun,
      yes: flags.yes,
      json: flags.json
    })
  })
).pipe(
  Command.withDescription(
    "Register lint-ai in an agent's hooks; the project stays dormant until recording is turned on"
  )
)
