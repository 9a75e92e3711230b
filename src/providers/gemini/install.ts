import * as path from "node:path"
import * as Effect from "effect/Effect"
import { Disk } from "../../platform/Disk.ts"
import { Host } from "../../platform/Host.ts"
import {
  bareHookCommand,
  guarded,
  type HookProgram,
  HookProgramUnusable,
  hookCommand,
  powershellGuard,
  quoteForPowerShell,
  shellGuard
} from "../hookCommand.ts"
import { planRegistration, planRemoval } from "../hookPlan.ts"
import type { Handler, HookShape } from "../hookSettings.ts"
import { planBlock, planBlockRemoval } from "../markedBlock.ts"
import { mcpEntry } from "../mcpEntry.ts"
import { type InstallOptions, isWanted, type ProviderInstaller, type SettingsChange } from "../ProviderInstaller.ts"
import { policyText } from "../policyText.ts"
import { settingsTarget } from "../settingsFile.ts"
import { type GeminiHook, geminiHooks, type HookRow } from "./hooks.ts"
import { geminiStatus } from "./installStatus.ts"

/** Milliseconds after which Gemini CLI ends a hook (measured: milliseconds). Ours ends itself after two seconds; the agent's default is 60. */
export const timeoutMs = 10_000

/** The version that everything here was measured on. Older ones skip events that they do not know, with a warning. */
export const testedVersion = "0.61.0"

export const registeredEvents: ReadonlyArray<GeminiHook> = (
  Object.keys(geminiHooks) as ReadonlyArray<GeminiHook>
).filter((event) => geminiHooks[event].install)

const rows: Readonly<Record<string, HookRow>> = geminiHooks

export const hookShape: HookShape = {
  container: "hooks",
  isFlat: () => false,
  matcherOf: (event) => rows[event]?.matcher
}

/** What Gemini CLI reads: its settings and its memory file, of one project or of the user. */
export interface GeminiFiles {
  readonly settings: string
  readonly memory: string
}

/** The files of each scope. `GEMINI_CLI_HOME` stands for the home directory. */
const geminiFiles = (project: string): Effect.Effect<Record<"project" | "user", GeminiFiles>, never, Host> =>
  Effect.map(Host, (host) => {
    const given = host.env.GEMINI_CLI_HOME
    const home = given === undefined || given === "" ? host.home : path.resolve(host.cwd, given)
    return {
      project: { settings: path.join(project, ".gemini", "settings.json"), memory: path.join(project, "GEMINI.md") },
      user: {
        settings: path.join(home, ".gemini", "settings.json"),
        memory: path.join(home, ".gemini", "GEMINI.md")
      }
    }
  })

/** The command line that Gemini CLI hands to `bash -c`, or to PowerShell on Windows. */
export const geminiHookCommand = Effect.fnUntraced(function* (program: HookProgram) {
  const host = yield* Host
  if (host.platform !== "win32") return guarded(shellGuard, yield* hookCommand(program, "gemini", host.platform))
  if (!path.win32.isAbsolute(program.file)) {
    return yield* new HookProgramUnusable({ word: program.file, reason: "relative" })
  }
  const words = [program.file, ...program.args].map(quoteForPowerShell)
  return guarded(powershellGuard, [...words, "hook", "gemini"].join(" "))
})

const planInstall = Effect.fn("gemini.planInstall")(function* (options: InstallOptions) {
  const files = yield* geminiFiles(options.project)
  const scope = options.scope === "user" ? "user" : "project"
  const settingsFile = options.settingsFile ?? files[scope].settings
  const shared = yield* isShared(options, settingsFile, files.project.settings)
  const command = shared ? guarded(shellGuard, bareHookCommand("gemini")) : yield* geminiHookCommand(options.program)
  const handler: Handler = { name: "lint-ai", type: "command", command, timeout: timeoutMs }
  const settings = yield* planRegistration({
    provider: "gemini",
    settingsFile,
    handlers: new Map(registeredEvents.filter((event) => isWanted(options, event)).map((event) => [event, handler])),
    keeps: () => false,
    shared,
    shape: hookShape,
    mcp: options.extras?.includes("mcp") === true ? mcpEntry(options.program, "gemini", shared) : undefined
  })
  const memory =
    options.extras?.includes("policy") === true
      ? yield* planBlock("gemini", files[scope].memory, policyText, scope === "project")
      : undefined
  const notes = yield* notesOn(options, settingsFile, shared)
  return { provider: "gemini", action: "install", files: present([settings, memory]), notes } as const
})

/** What a person should know besides the changes. */
const notesOn = Effect.fnUntraced(function* (options: InstallOptions, settingsFile: string, shared: boolean) {
  const disk = yield* Disk
  const notes: Array<string> = []
  if ((yield* disk.status(settingsFile))?.kind === "symlink") {
    notes.push(`${settingsFile} is a link: the settings are in ${yield* settingsTarget(settingsFile)}.`)
  }
  if (shared) {
    notes.push(
      `Colleagues read ${settingsFile}: it names lint-ai without a path, and does nothing for those who do not have it on their PATH.`,
      "Gemini CLI runs the hooks of a project only in a folder that you trust. `--skip-trust` does not run them. The first run shows a warning that names the hook."
    )
  }
  // Measured with 0.61.0: it does not look above the directory in which it is started.
  if (options.scope !== "user" && options.settingsFile === undefined) {
    notes.push(
      `Gemini CLI runs these hooks only when it is started in ${options.project} itself, and not below it. \`lint-ai install gemini --scope user\` registers them for both.`
    )
  }
  if (options.agentVersion !== undefined && options.agentVersion.match(/\d+\.\d+\.\d+/)?.[0] !== testedVersion) {
    notes.push(`Gemini CLI ${options.agentVersion} is not ${testedVersion}, the version that lint-ai is tested with.`)
  }
  return notes
})

/** Whether colleagues read the file: it is the project's, by whatever name. */
const isShared = Effect.fnUntraced(function* (options: InstallOptions, settingsFile: string, sharedFile: string) {
  if (options.scope !== "user" && options.settingsFile === undefined) return true
  return (yield* settingsTarget(settingsFile)) === (yield* settingsTarget(sharedFile))
})

const present = (changes: ReadonlyArray<SettingsChange | undefined>): ReadonlyArray<SettingsChange> => {
  // Two names of one file, by a link, are one change.
  const distinct = new Map(changes.flatMap((change) => (change === undefined ? [] : [[change.target, change]])))
  return [...distinct.values()]
}

/** Installs the hooks of lint-ai into the settings of Gemini CLI, and on request its MCP server and the block in GEMINI.md. */
export const geminiInstaller: ProviderInstaller = {
  provider: "gemini",
  scopes: ["project", "user"],
  planInstall,
  planUninstall: Effect.fn("gemini.planUninstall")(function* (options) {
    const files = yield* geminiFiles(options.project)
    const scope = options.scope === "user" ? "user" : "project"
    const settings = yield* planRemoval("gemini", options.settingsFile ?? files[scope].settings, hookShape)
    const memory =
      options.settingsFile === undefined ? yield* planBlockRemoval("gemini", files[scope].memory) : undefined
    return { provider: "gemini", action: "uninstall", files: present([settings, memory]), notes: [] }
  }),
  status: (options) => Effect.flatMap(geminiFiles(options.project), (files) => geminiStatus(options, files))
}
