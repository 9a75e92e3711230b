import * as path from "node:path"
import * as Effect from "effect/Effect"
import { Disk } from "../../platform/Disk.ts"
import { Host } from "../../platform/Host.ts"
import { atLeast } from "../agentVersions.ts"
import { commandLine, exitGuard, guarded, hookCommand, sharedHookCommand } from "../hookCommand.ts"
import { planRegistration, planRemoval } from "../hookPlan.ts"
import type { Handler } from "../hookSettings.ts"
import {
  type InstallOptions,
  isWanted,
  type ProviderInstaller,
  type Scope,
  type SettingsChange
} from "../ProviderInstaller.ts"
import { decodeSettings, readSettings, settingsTarget } from "../settingsFile.ts"
import { planText, planTextRemoval } from "../wholeText.ts"
import { type ClaudeHook, claudeHooks } from "./hooks.ts"
import { claudeStatus } from "./installStatus.ts"
import { planMcpServer, planMcpServerRemoval } from "./mcpServer.ts"
import { whyIgnored } from "./settingsRules.ts"
import { skillFile, skillText } from "./skill.ts"
import { hasOtherStatusLine, putStatusLine, takeStatusLine } from "./statusLine.ts"

/**
 * Seconds after which Claude Code ends a hook. Ours ends itself after two, SessionEnd after one; the agent's default is 600. It must be
 * written for SessionEnd as well: all its hooks together get 1.5 seconds unless one of them asks for more, at most 60 (2.1.332, static).
 */
export const timeoutSeconds = 10

/** The oldest version that is tested. What an unknown version knows is not guessed: it shows a dialog for each name that it does not know. */
export const oldestVersion = "2.1.197"

/** The events to register where Claude Code has this version: those of the table that it knows. */
export const eventsFor = (agentVersion: string | undefined): ReadonlyArray<string> => {
  const version = atLeast(agentVersion ?? oldestVersion, oldestVersion)
    ? (agentVersion ?? oldestVersion)
    : oldestVersion
  return registrable.filter((event) => atLeast(version, claudeHooks[event].since))
}

const registrable = (Object.keys(claudeHooks) as ReadonlyArray<ClaudeHook>).filter(
  (event) => claudeHooks[event].install
)

/** The settings file of each scope, as Claude Code finds them. */
export const settingsFiles = (project: string): Effect.Effect<Record<Scope, string>, never, Host> =>
  Effect.map(Host, (host) => {
    const directory = host.env.CLAUDE_CONFIG_DIR
    const user =
      directory === undefined || directory === "" ? path.join(host.home, ".claude") : path.resolve(host.cwd, directory)
    return {
      local: path.join(project, ".claude", "settings.local.json"),
      project: path.join(project, ".claude", "settings.json"),
      user: path.join(user, "settings.json")
    }
  })

const planInstall = Effect.fn("claude.planInstall")(function* (options: InstallOptions) {
  const host = yield* Host
  const files = yield* settingsFiles(options.project)
  const settingsFile = options.settingsFile ?? files[options.scope]
  const shared = yield* isShared(options, settingsFile, files.project)
  const command = shared
    ? sharedHookCommand("claude")
    : guarded(exitGuard, yield* hookCommand(options.program, "claude", host.platform))
  const handler: Handler = { type: "command", command, timeout: timeoutSeconds }
  // Colleagues may have another version, and each name that it does not know is a dialog for them.
  const version = shared ? oldestVersion : options.agentVersion
  const statusLine = yield* statusLineFor(options, files, settingsFile, shared)
  const change = yield* planRegistration({
    provider: "claude",
    settingsFile,
    handlers: new Map(
      eventsFor(version)
        .filter((event) => isWanted(options, event))
        .map((event) => [event, handler])
    ),
    // An install that does not know the version must not undo what one that knew it did.
    keeps: (event) => version === undefined && registrable.some((known) => known === event),
    shared,
    also: statusLine === undefined ? undefined : putStatusLine(statusLine)
  })
  const asked = (extra: "mcp" | "policy") => options.extras?.includes(extra) === true
  const skill = asked("policy")
    ? yield* planText("claude", skillFile(claudeDirectory(files, options.scope)), skillText, options.scope !== "user")
    : undefined
  const server = asked("mcp") ? yield* planMcpServer(options.project, options.scope, options.program) : undefined
  const notes = yield* notesOn(settingsFile, options.agentVersion, shared)
  return { provider: "claude", action: "install", files: present([change, server, skill]), notes } as const
})

/** The directory that Claude Code reads skills from, in a scope. */
const claudeDirectory = (files: Record<Scope, string>, scope: Scope): string =>
  path.dirname(scope === "user" ? files.user : files.project)

/**
 * The command of the status line, where it is asked for and nobody has one. A shared file gets none, and no file where any other that Claude
 * Code reads has one: a project's settings would take the place of the user's own.
 */
const statusLineFor = Effect.fnUntraced(function* (
  options: InstallOptions,
  files: Record<Scope, string>,
  settingsFile: string,
  shared: boolean
) {
  if (shared || options.extras?.includes("statusline") !== true) return undefined
  for (const file of new Set([...Object.values(files), settingsFile])) {
    if (yield* hasOtherStatusLine(file)) return undefined
  }
  const host = yield* Host
  return yield* commandLine(options.program, ["statusline", "claude"], host.platform)
})

/** Two names of one file, by a link, are one change. */
const present = (changes: ReadonlyArray<SettingsChange | undefined>): ReadonlyArray<SettingsChange> => [
  ...new Map(changes.flatMap((change) => (change === undefined ? [] : [[change.target, change] as const]))).values()
]

/** What a person should know besides the changes. */
const notesOn = Effect.fnUntraced(function* (settingsFile: string, agentVersion: string | undefined, shared: boolean) {
  const disk = yield* Disk
  const file = yield* readSettings(settingsFile)
  const { document } = yield* decodeSettings(file)
  const notes: Array<string> = []
  if ((yield* disk.status(settingsFile))?.kind === "symlink") {
    notes.push(`${settingsFile} is a link: the settings are in ${file.target}.`)
  }
  const reason = whyIgnored(document)
  if (reason !== undefined) notes.push(`The hooks will not run before ${settingsFile} is corrected: ${reason}.`)
  if (shared) {
    notes.push(
      `Colleagues read ${settingsFile}: it names lint-ai without a path, and does nothing for those who do not have it on their PATH.`
    )
  }
  if (agentVersion !== undefined && !atLeast(agentVersion, oldestVersion)) {
    notes.push(
      `Claude Code ${agentVersion} is older than ${oldestVersion}, the oldest version that lint-ai is tested with.`
    )
  }
  return notes
})

/** Whether colleagues read the file: the scope says so, or it is the project's shared file by another name. */
const isShared = Effect.fnUntraced(function* (options: InstallOptions, settingsFile: string, sharedFile: string) {
  if (options.scope === "project") return true
  if (options.scope === "user" && options.settingsFile === undefined) return false
  return (yield* settingsTarget(settingsFile)) === (yield* settingsTarget(sharedFile))
})

/** Installs the hooks of lint-ai into the settings of Claude Code; on request its status line, its MCP server and its skill. */
export const claudeInstaller: ProviderInstaller = {
  provider: "claude",
  scopes: ["local", "project", "user"],
  planInstall,
  planUninstall: Effect.fn("claude.planUninstall")(function* (options) {
    const files = yield* settingsFiles(options.project)
    const named = options.settingsFile ?? (options.scope === undefined ? undefined : files[options.scope])
    const settings = yield* Effect.forEach(named === undefined ? [files.local, files.project] : [named], (file) =>
      planRemoval("claude", file, undefined, takeStatusLine)
    )
    // A settings file by name says nothing about what else belongs to the install.
    const scopes: ReadonlyArray<Scope> =
      options.settingsFile !== undefined ? [] : options.scope === undefined ? ["local", "project"] : [options.scope]
    const servers = yield* Effect.forEach(scopes, (scope) => planMcpServerRemoval(options.project, scope))
    const skills = yield* Effect.forEach(scopes, (scope) =>
      planTextRemoval("claude", skillFile(claudeDirectory(files, scope)))
    )
    return { provider: "claude", action: "uninstall", files: present([...settings, ...servers, ...skills]), notes: [] }
  }),
  status: (options) =>
    Effect.flatMap(settingsFiles(options.project), (files) =>
      claudeStatus(options, files, { own: eventsFor(options.agentVersion), shared: eventsFor(oldestVersion) })
    )
}
