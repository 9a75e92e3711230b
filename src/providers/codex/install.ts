import * as path from "node:path"
import * as Effect from "effect/Effect"
import { Disk } from "../../platform/Disk.ts"
import { Host } from "../../platform/Host.ts"
import { answerGuard, bareHookCommand, guarded, type HookProgram, hookCommand } from "../hookCommand.ts"
import { planRegistration, planRemoval } from "../hookPlan.ts"
import type { Handler } from "../hookSettings.ts"
import { planBlock, planBlockRemoval } from "../markedBlock.ts"
import { mcpEntry, passedVariables } from "../mcpEntry.ts"
import { type InstallOptions, isWanted, type ProviderInstaller, type SettingsChange } from "../ProviderInstaller.ts"
import { policyText } from "../policyText.ts"
import { decodeSettings, readSettings, settingsTarget } from "../settingsFile.ts"
import { planWriting } from "../settingsPlan.ts"
import { type CodexPlaces, codexPlaces } from "./codexFiles.ts"
import { type CodexHook, codexHooks } from "./hooks.ts"
import { whyIgnored } from "./hooksRules.ts"
import { codexStatus } from "./installStatus.ts"
import { planServer, planServerRemoval } from "./serverPlan.ts"

/** The version that everything here was measured on. Unknown event names are ignored by Codex, so all are registered in any version. */
export const testedVersion = "0.171.0"

const registered = Object.keys(codexHooks) as ReadonlyArray<CodexHook>

/** The command line for a file that colleagues share; nothing happens where lint-ai is not on the PATH. */
export const sharedCommand = guarded(answerGuard, bareHookCommand("codex"))

/** The command line for this machine. Codex hands it to `bash -c`; what it does on Windows was not tried, so nothing is put around it there. */
const codexHookCommand = Effect.fnUntraced(function* (program: HookProgram) {
  const host = yield* Host
  const command = yield* hookCommand(program, "codex", host.platform)
  return host.platform === "win32" ? command : guarded(answerGuard, command)
})

const planInstall = Effect.fn("codex.planInstall")(function* (options: InstallOptions) {
  const places = yield* codexPlaces(options.project)
  const files = options.scope === "user" ? places.user : places.project
  const settingsFile = options.settingsFile ?? files.hooks
  const shared = yield* isShared(options, settingsFile, places.project.hooks)
  const command = shared ? sharedCommand : yield* codexHookCommand(options.program)
  const hooks = yield* planRegistration({
    provider: "codex",
    settingsFile,
    handlers: new Map(
      registered
        .filter((event) => isWanted(options, event))
        .map((event): [string, Handler] => [
          event,
          { type: "command", command, timeout: codexHooks[event].timeoutSeconds }
        ])
    ),
    keeps: () => false,
    shared
  })
  const colleagues = options.scope !== "user"
  const asked = (extra: "mcp" | "policy") => options.extras?.includes(extra) === true
  const config = asked("mcp")
    ? yield* planServer(
        files.config,
        { ...mcpEntry(options.program, "codex", colleagues), env_vars: passedVariables },
        colleagues
      )
    : options.scope !== "user" && options.settingsFile === undefined && places.mainCheckout !== undefined
      ? yield* planWorktree(files.config)
      : undefined
  const memory = asked("policy") ? yield* planBlock("codex", files.memory, policyText, colleagues) : undefined
  return {
    provider: "codex",
    action: "install",
    files: present([hooks, config, memory]),
    notes: yield* notesOn(options, places, settingsFile, shared)
  } as const
})

/**
 * In a linked worktree Codex runs the hooks of the main checkout, but only where the worktree has a directory .codex of its own (0.171.0,
 * measured). A file holds its place.
 */
const planWorktree = Effect.fnUntraced(function* (config: string) {
  const disk = yield* Disk
  if ((yield* disk.status(path.dirname(config))) !== undefined) return undefined
  const text = "# Codex runs the hooks of the main checkout in this worktree only while this directory is here.\n"
  return yield* planWriting("codex", config, true, () =>
    Effect.succeed({
      after: Buffer.from(text),
      changes: ["add a file, so that the directory is there which Codex looks for in a worktree"],
      installed: false,
      emptyBefore: [],
      commands: []
    })
  )
})

/** What a person should know besides the changes. */
const notesOn = Effect.fnUntraced(function* (
  options: InstallOptions,
  places: CodexPlaces,
  settingsFile: string,
  shared: boolean
) {
  const disk = yield* Disk
  const file = yield* readSettings(settingsFile)
  const { mark, document } = yield* decodeSettings(file)
  const notes: Array<string> = []
  if ((yield* disk.status(settingsFile))?.kind === "symlink") {
    notes.push(`${settingsFile} is a link: the hooks are in ${file.target}.`)
  }
  const reason = whyIgnored(document, mark !== "")
  if (reason !== undefined) {
    notes.push(`The hooks will not run before ${settingsFile} is corrected: ${reason}, and Codex then leaves it aside.`)
  }
  if (options.scope !== "user" && options.settingsFile === undefined && places.mainCheckout !== undefined) {
    notes.push(
      `${options.project} is a linked worktree: Codex takes hooks from the main checkout, so they are in ${settingsFile} and hold for all its worktrees.`
    )
  }
  if (shared) {
    notes.push(
      `Colleagues read ${settingsFile}: it names lint-ai without a path, and does nothing for those who do not have it on their PATH.`
    )
  }
  notes.push(
    "Codex runs a hook only after you have trusted it, and until then skips it, in `codex exec` without a word. `lint-ai codex trust` shows what is not trusted and trusts it when you agree; Codex itself asks when you start it."
  )
  if (options.agentVersion !== undefined && /\d+\.\d+\.\d+/.exec(options.agentVersion)?.[0] !== testedVersion) {
    notes.push(`Codex ${options.agentVersion} is not ${testedVersion}, the version that lint-ai is tested with.`)
  }
  return notes
})

/** Whether colleagues read the file: it is the project's, by whatever name. */
const isShared = Effect.fnUntraced(function* (options: InstallOptions, settingsFile: string, sharedFile: string) {
  if (options.scope !== "user" && options.settingsFile === undefined) return true
  return (yield* settingsTarget(settingsFile)) === (yield* settingsTarget(sharedFile))
})

/** Two names of one file, by a link, are one change. */
const present = (changes: ReadonlyArray<SettingsChange | undefined>): ReadonlyArray<SettingsChange> => [
  ...new Map(changes.flatMap((change) => (change === undefined ? [] : [[change.target, change] as const]))).values()
]

/**
 * Installs the hooks of lint-ai for Codex, and on request its MCP server into config.toml and the block in AGENTS.md. It does not touch the
 * trust that Codex keeps (trust.ts).
 */
export const codexInstaller: ProviderInstaller = {
  provider: "codex",
  scopes: ["project", "user"],
  planInstall,
  planUninstall: Effect.fn("codex.planUninstall")(function* (options) {
    const places = yield* codexPlaces(options.project)
    const files = options.scope === "user" ? places.user : places.project
    const hooks = yield* planRemoval("codex", options.settingsFile ?? files.hooks)
    const others =
      options.settingsFile === undefined
        ? [yield* planServerRemoval(files.config), yield* planBlockRemoval("codex", files.memory)]
        : []
    return { provider: "codex", action: "uninstall", files: present([hooks, ...others]), notes: [] }
  }),
  status: codexStatus
}
