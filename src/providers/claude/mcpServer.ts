import * as path from "node:path"
import * as Effect from "effect/Effect"
import type { Disk } from "../../platform/Disk.ts"
import { Host } from "../../platform/Host.ts"
import { checkoutOf } from "../checkout.ts"
import type { HookProgram } from "../hookCommand.ts"
import { mcpEntry } from "../mcpEntry.ts"
import { planMcpEntry, planMcpRemoval } from "../mcpPlan.ts"
import type { Scope } from "../ProviderInstaller.ts"

/**
 * Where Claude Code keeps MCP servers (measured on 2.1.332 with `claude mcp add`, tried on 2.1.197 too):
 *
 * - `local`: `.claude.json` in its configuration directory, else in the home directory, at `projects.<directory>.mcpServers`: private to a
 *   person in one project. The directory is the top of the main checkout, also for a linked worktree and for a directory inside.
 * - `user`: the same file, at `mcpServers`.
 * - `project`: `.mcp.json`, which colleagues share. `-p` starts what it names without asking.
 */
interface McpPlace {
  readonly file: string
  /** Undefined: the usual one. */
  readonly container: ReadonlyArray<string> | undefined
  readonly shared: boolean
}

const mcpPlace = Effect.fnUntraced(function* (
  project: string,
  scope: Scope
): Effect.fn.Return<McpPlace, never, Disk | Host> {
  if (scope === "project") return { file: path.join(project, ".mcp.json"), container: undefined, shared: true }
  const host = yield* Host
  const directory = host.env.CLAUDE_CONFIG_DIR
  const own = directory === undefined || directory === "" ? host.home : path.resolve(host.cwd, directory)
  const file = path.join(own, ".claude.json")
  if (scope === "user") return { file, container: undefined, shared: false }
  const checkout = yield* checkoutOf(project)
  const root = checkout?.main ?? checkout?.top ?? project
  return { file, container: ["projects", root, "mcpServers"], shared: false }
})

/** The change that registers the MCP server of lint-ai with Claude Code. A shared file names the program without a path. */
export const planMcpServer = Effect.fn("claude.planMcpServer")(function* (
  project: string,
  scope: Scope,
  program: HookProgram
) {
  const { file, container, shared } = yield* mcpPlace(project, scope)
  return yield* planMcpEntry("claude", file, mcpEntry(program, "claude", shared), shared, container)
})

/** The change that takes it out again. */
export const planMcpServerRemoval = Effect.fn("claude.planMcpServerRemoval")(function* (project: string, scope: Scope) {
  const { file, container } = yield* mcpPlace(project, scope)
  return yield* planMcpRemoval("claude", file, container)
})
