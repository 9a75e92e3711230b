import * as path from "node:path"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { createFile } from "../archive/atomicFile.ts"
import type { Arm } from "../domain/arm.ts"
import { counted } from "../domain/counted.ts"
import { type Provider, providerTitles } from "../domain/provider.ts"
import { Disk } from "../platform/Disk.ts"
import { Host } from "../platform/Host.ts"
import { userDirectories } from "../platform/userDirectories.ts"
import { commonHooks } from "../providers/commonHooks.ts"
import { hookProgram } from "../providers/hookProgram.ts"
import { installerFor } from "../providers/installers.ts"
import { isolationFor } from "../providers/isolations.ts"
import type { ProviderCli } from "../providers/ProviderCli.ts"
import { applyPlan } from "../providers/ProviderInstaller.ts"
import type { IsolationRequest, ProviderIsolation } from "../providers/ProviderIsolation.ts"
import { linkLogin, newDirectory, userSettings } from "../providers/settingsHome.ts"
import { AgentClis } from "./agentClis.ts"
import { passedEnvironment, placeEnvironment } from "./environment.ts"
import { type Place, PlaceError, type PlaceRequest } from "./IsolatedAgent.ts"
import { seedMemory } from "./memorySeed.ts"
import { openPlace, removeLeftovers } from "./placeRegistry.ts"
import { makeWorkspace } from "./workspace.ts"

/** How the agent of a place is started; what a place does not say of it. */
export interface Launch {
  /** The place's own directory, which everything of it is in. */
  readonly root: string
  readonly isolation: ProviderIsolation
  readonly cli: Context.Service.Shape<typeof ProviderCli>
  readonly programArgs: ReadonlyArray<string>
  readonly args: ReadonlyArray<string>
  readonly projectRoot: string
  /** The commit that the workspace began as; undefined for a copy. */
  readonly revision: string | undefined
  /** A directory of the place, for files of ours. */
  readonly scratch: string
  /** Stands for the project where memory is concerned. */
  readonly memoryRoot: string
}

/** Makes the place of an arm and everything in it. It goes when the scope ends, unless it is to be kept. */
export const makePlace = (request: PlaceRequest) =>
  build(request).pipe(
    Effect.mapError((error) =>
      error._tag === "PlaceError"
        ? error
        : new PlaceError({ arm: request.arm.name, reason: error.message.replace(/\.$/, "") })
    )
  )

const build = Effect.fn("makePlace")(function* (request: PlaceRequest) {
  const { arm, source } = request
  const host = yield* Host
  const isolation = isolationFor(arm.provider)
  const refuse = (reason: string) => new PlaceError({ arm: arm.name, reason })
  if (isolation === undefined || installerFor(arm.provider) === undefined) {
    return yield* refuse(`lint-ai knows no way to run ${providerTitles[arm.provider]} apart from its user`)
  }
  if ((yield* (yield* Disk).status(source.projectRoot))?.kind !== "directory") {
    return yield* refuse(`its project is not there: ${source.projectRoot}`)
  }
  yield* removeLeftovers
  const keep = request.keep === true
  const root = yield* openPlace(request.below, keep)
  const directory = (name: string) => newDirectory(path.join(root, name))
  const home = yield* directory("home")
  const temporary = yield* directory("tmp")
  const settingsRoot = yield* directory("settings")
  const memoryRoot = yield* directory("memory")
  const cli = yield* cliIn(arm.provider, isolation, home, yield* directory("asked"))
  if (cli === undefined) return yield* refuse(`lint-ai knows no way to start ${providerTitles[arm.provider]}`)
  yield* cli.find
  const agentVersion = yield* cli.version
  const workspace = yield* makeWorkspace(source, path.join(root, "work"))
  const memories = arm.lint_ai ? yield* seedMemory(arm.memory, arm.provider, source.projectRoot, memoryRoot) : undefined

  const asked: IsolationRequest = {
    arm,
    projectRoot: source.projectRoot,
    workspace: workspace.directory,
    settingsRoot,
    userSettings: yield* userSettings(isolation.settings),
    temporary,
    home,
    agentVersion
  }
  const isolated = yield* isolation.prepare(asked)
  const login = yield* linkLogin(isolation.settings, settingsRoot)
  const passed = passedEnvironment(host.env, isolation, isolated.passes)
  const env = {
    ...passed.env,
    ...placeEnvironment({ home, temporary, userDirectories: yield* userDirectories }),
    ...isolated.env
  }
  yield* createFile(path.join(home, ".gitconfig"), gitConfig)
  yield* installHooks(arm, asked, { ...env, HOME: isolated.installHome ?? home }, root)
  if (isolation.afterHooks !== undefined) yield* isolation.afterHooks(asked)

  const place: Place = {
    arm,
    workspace: workspace.directory,
    settingsRoot,
    sessionsRoot: request.sessionsRoot,
    env,
    agentVersion,
    notes: [
      loginNote(arm, isolation, login, Object.keys(env)),
      `Of your environment these pass: ${passed.named.length === 0 ? "none but PATH and the like" : passed.named.join(", ")}.`,
      ...isolated.notes,
      ...workspace.notes,
      ...(memories === undefined ? [] : [memoryNote(arm, memories)]),
      ...(keep ? [`The place stays: ${root}`] : [])
    ]
  }
  const launch: Launch = {
    root,
    isolation,
    cli,
    programArgs: isolated.programArgs,
    args: isolated.args,
    projectRoot: source.projectRoot,
    revision: source.revision,
    scratch: yield* directory("scratch"),
    memoryRoot
  }
  return { place, launch }
})

/** The agent's program, for someone with no settings: even to tell its version Codex writes into its home. */
const cliIn = Effect.fnUntraced(function* (
  provider: Provider,
  { settings }: ProviderIsolation,
  home: string,
  settingsHome: string
) {
  const host = yield* Host
  const clis = yield* AgentClis
  const env = {
    ...host.env,
    HOME: home,
    USERPROFILE: home,
    ...(settings.variable === undefined ? undefined : { [settings.variable]: settingsHome })
  }
  return yield* clis(provider).pipe(Effect.provideService(Host, { ...host, home, env }))
})

/** Commits of the agent need an author, and the user's own is not for them. What the repository itself says goes before it. */
const gitConfig = Buffer.from("[user]\n\tname = lint-ai replay\n\temail = replay@lint-ai.invalid\n")

const loginNote = (
  arm: Arm,
  isolation: ProviderIsolation,
  login: string | undefined,
  names: ReadonlyArray<string>
): string => {
  const variables = isolation.loginVariables.filter((name) => names.includes(name))
  if (variables.length > 0) return `Login: ${variables.join(", ")} of your environment.`
  return login === undefined
    ? `Login: none was found for ${providerTitles[arm.provider]}. Where it keeps it in the system's keychain it may still find it; else put it into ${isolation.loginVariables[0] ?? "the environment"}.`
    : `Login: ${login}, by a link; a renewed one is kept there.`
}

const memoryNote = (arm: Arm, count: number): string => {
  if (arm.memory.from === "empty") return "Memory of lint-ai: empty at the beginning, as asked for."
  const from = arm.memory.from === "named" ? `a copy of ${arm.memory.directory}` : "the project's"
  const asOf =
    arm.memory.from === "project" && arm.memory.as_of !== undefined ? `, as it was at ${arm.memory.as_of}` : ""
  return `Memory of lint-ai: ${from}${asOf}, ${counted(count, "memory", "memories")}.`
}

/** Puts the hooks of this lint-ai into the settings home, as `install` would for a user who had nothing else. */
const installHooks = Effect.fnUntraced(function* (
  arm: Arm,
  asked: IsolationRequest,
  env: Readonly<Record<string, string>>,
  root: string
) {
  const installer = installerFor(arm.provider)
  if (installer === undefined) return
  const host = yield* Host
  const program = yield* hookProgram
  // The user of this place: the record of the install stays in it.
  const user: typeof host = {
    ...host,
    home: env.HOME ?? asked.home,
    cwd: asked.workspace,
    env: { ...env, LINT_AI_STATE_DIR: path.join(root, "installed") }
  }
  yield* installer
    .planInstall({
      project: asked.workspace,
      scope: "user",
      program,
      agentVersion: asked.agentVersion,
      extras: arm.profile === "mcp-only" && arm.lint_ai ? ["mcp"] : [],
      ...(arm.profile === "hooks-common" ? { only: commonHooks[arm.provider] } : undefined)
    })
    .pipe(Effect.flatMap(applyPlan), Effect.provideService(Host, user))
})
