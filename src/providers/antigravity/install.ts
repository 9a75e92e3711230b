import * as path from "node:path"
import * as Effect from "effect/Effect"
import { Host } from "../../platform/Host.ts"
import { atLeast } from "../agentVersions.ts"
import { bareHookCommand, gateGuard, guarded, hookCommand, sharedHookCommand } from "../hookCommand.ts"
import { planRegistration, planRemoval } from "../hookPlan.ts"
import type { Handler, HookShape } from "../hookSettings.ts"
import { mcpEntry } from "../mcpEntry.ts"
import { planMcpEntry, planMcpRemoval } from "../mcpPlan.ts"
import { type InstallOptions, isWanted, type ProviderInstaller, type SettingsChange } from "../ProviderInstaller.ts"
import { settingsTarget } from "../settingsFile.ts"
import { type AntigravityHook, antigravityHooks, type HookRow } from "./hooks.ts"
import { antigravityStatus } from "./installStatus.ts"

/** Seconds after which Antigravity CLI ends a hook (public reports: seconds, 30 by default). Ours ends itself after two. */
export const timeoutSeconds = 10

const rows: Readonly<Record<string, HookRow>> = antigravityHooks
const names = Object.keys(antigravityHooks) as ReadonlyArray<AntigravityHook>

/** The events to register: those that a version surely knows, and those that gate an action only when they are asked for. */
export const eventsFor = (agentVersion: string | undefined, gates: boolean): ReadonlyArray<AntigravityHook> =>
  names.filter((event) => {
    const { install, since } = antigravityHooks[event]
    return (install === "default" || (gates && install === "gate")) && atLeast(agentVersion ?? "1.0.3", since)
  })

/** Our hooks have one name in the file. Before 1.1.2 every event had groups. */
export const hookShape = (agentVersion: string | undefined): HookShape => ({
  container: "lint-ai",
  isFlat: (event) => rows[event]?.flat === true && atLeast(agentVersion ?? "1.1.2", "1.1.2"),
  matcherOf: (event) => (rows[event]?.flat === false ? "" : undefined)
})

/** What Antigravity CLI reads: its hooks and its MCP servers, of one workspace or of the user. */
export interface AntigravityFiles {
  readonly hooks: string
  readonly mcp: string
}

const antigravityFiles = (project: string): Effect.Effect<Record<"project" | "user", AntigravityFiles>, never, Host> =>
  Effect.map(Host, (host) => {
    const filesIn = (directory: string) => ({
      hooks: path.join(directory, "hooks.json"),
      mcp: path.join(directory, "mcp_config.json")
    })
    return {
      project: filesIn(path.join(project, ".agents")),
      user: filesIn(path.join(host.home, ".gemini", "config"))
    }
  })

/** The command line of one event. The agent says the event's name nowhere else. */
const commandFor = Effect.fnUntraced(function* (options: InstallOptions, event: AntigravityHook, shared: boolean) {
  const host = yield* Host
  const { install, answer } = antigravityHooks[event]
  const gate = install === "gate" ? gateGuard(answer) : undefined
  if (shared) {
    return gate === undefined
      ? sharedHookCommand("antigravity", event)
      : guarded(gate, bareHookCommand("antigravity", event))
  }
  const command = yield* hookCommand(options.program, "antigravity", host.platform, event)
  return gate === undefined ? command : guarded(gate, command)
})

const planInstall = Effect.fn("antigravity.planInstall")(function* (options: InstallOptions) {
  const files = yield* antigravityFiles(options.project)
  const scope = options.scope === "user" ? "user" : "project"
  const settingsFile = options.settingsFile ?? files[scope].hooks
  const shared = yield* isShared(options, settingsFile, files.project.hooks)
  const gates = options.extras?.includes("gates") === true
  const handlers = new Map<string, Handler>()
  for (const event of eventsFor(options.agentVersion, gates).filter((one) => isWanted(options, one))) {
    const command = yield* commandFor(options, event, shared)
    handlers.set(event, { type: "command", command, timeout: timeoutSeconds })
  }
  const hooks = yield* planRegistration({
    provider: "antigravity",
    settingsFile,
    handlers,
    // A gate that was asked for before, and what an install that knew the version registered.
    keeps: (event) => rows[event] !== undefined && rows[event].install !== "never",
    shared,
    shape: hookShape(options.agentVersion)
  })
  const mcp =
    options.extras?.includes("mcp") === true
      ? yield* planMcpEntry(
          "antigravity",
          files[scope].mcp,
          mcpEntry(options.program, "antigravity", scope === "project"),
          scope === "project"
        )
      : undefined
  return {
    provider: "antigravity",
    action: "install",
    files: present([hooks, mcp]),
    notes: notesOn(options, settingsFile, shared, gates)
  } as const
})

/** What a person should know besides the changes. */
const notesOn = (
  options: InstallOptions,
  settingsFile: string,
  shared: boolean,
  gates: boolean
): ReadonlyArray<string> => {
  const notes: Array<string> = [
    'What lint-ai knows of Antigravity CLI comes from public reports, not from tests with it. `agy -p "/hooks"` lists the hooks that it has loaded.'
  ]
  if (shared) {
    notes.push(
      `Colleagues read ${settingsFile}: it names lint-ai without a path, and does nothing for those who do not have it on their PATH.`,
      "Some versions do not load the hooks of a workspace when they run without a terminal; `--scope user` registers them for all projects."
    )
  }
  if (gates) {
    notes.push(
      "PreToolUse decides whether a tool may run: lint-ai answers `allow` to every call, and Antigravity CLI may then not ask you. Without it the calls are recorded as well, from PostToolUse."
    )
  }
  if (options.extras?.includes("policy") === true) {
    notes.push("lint-ai does not know which memory file Antigravity CLI reads, so none was written.")
  }
  return notes
}

/** Whether colleagues read the file: it is the project's, by whatever name. */
const isShared = Effect.fnUntraced(function* (options: InstallOptions, settingsFile: string, sharedFile: string) {
  if (options.scope !== "user" && options.settingsFile === undefined) return true
  return (yield* settingsTarget(settingsFile)) === (yield* settingsTarget(sharedFile))
})

const present = (changes: ReadonlyArray<SettingsChange | undefined>): ReadonlyArray<SettingsChange> => [
  ...new Map(changes.flatMap((change) => (change === undefined ? [] : [[change.target, change]]))).values()
]

/** Installs the hooks of lint-ai into the hooks file of Antigravity CLI, and on request its MCP server. */
export const antigravityInstaller: ProviderInstaller = {
  provider: "antigravity",
  scopes: ["project", "user"],
  planInstall,
  planUninstall: Effect.fn("antigravity.planUninstall")(function* (options) {
    const files = yield* antigravityFiles(options.project)
    const scope = options.scope === "user" ? "user" : "project"
    const settingsFile = options.settingsFile ?? files[scope].hooks
    // Entries in either shape are found: groups first, then what stands in the lists themselves.
    const hooks = yield* planRemoval("antigravity", settingsFile, hookShape(undefined))
    const mcp = options.settingsFile === undefined ? yield* planMcpRemoval("antigravity", files[scope].mcp) : undefined
    return { provider: "antigravity", action: "uninstall", files: present([hooks, mcp]), notes: [] }
  }),
  status: (options) =>
    Effect.flatMap(antigravityFiles(options.project), (files) =>
      antigravityStatus(options, files, eventsFor(options.agentVersion, false), hookShape(options.agentVersion))
    )
}
