import { getNodeValue } from "jsonc-parser"
import { isObject } from "../domain/jsonObject.ts"
import type { Provider } from "../domain/provider.ts"
import type { HookProgram } from "./hookCommand.ts"
import { type EmptyBefore, emptinessAt, type Registration, removeEmpty, type Unexpected } from "./hookSettings.ts"
import { appendMember, ensureRoot, type JsoncText, nodeAt, remove, replaceValue } from "./jsoncText.ts"

/**
 * The MCP server of lint-ai in the settings of an agent, in the shape that Claude Code, Gemini CLI and Antigravity CLI read:
 *
 *     {"mcpServers": {"lint-ai": {"command": "...", "args": ["mcp", "serve", "<provider>"]}}}
 */
export interface McpEntry {
  readonly command: string
  readonly args: ReadonlyArray<string>
  /** Names of variables that the agent is to pass on, for Codex, which gives its servers next to nothing of its own environment. */
  readonly env_vars?: ReadonlyArray<string>
}

/** What says where lint-ai keeps the user's key and state: a server that is not told it would take the user's projects for another's. */
export const passedVariables: ReadonlyArray<string> = [
  ...["LINT_AI_CONFIG_DIR", "LINT_AI_STATE_DIR", "LINT_AI_PROJECT_DIR", "LINT_AI_MCP_TRACE_PATH"],
  ...["XDG_CONFIG_HOME", "XDG_STATE_HOME", "LINT_AI_REPLAY_SESSION_ID"]
]

/** The object that holds the servers: at the top of a file, unless the agent keeps them by project. */
export const usualContainer: ReadonlyArray<string> = ["mcpServers"]
const placeIn = (container: ReadonlyArray<string>): ReadonlyArray<string> => [...container, "lint-ai"]

/** The server of this machine; for a file that colleagues share, the program by name. */
export const mcpEntry = (program: HookProgram, provider: Provider, shared: boolean): McpEntry =>
  shared
    ? { command: "lint-ai", args: ["mcp", "serve", provider] }
    : { command: program.file, args: [...program.args, "mcp", "serve", provider] }

/** Where the shape of a file forbids the entry: also where somebody else's server has the name. */
export const unexpectedMcpShape = (
  document: JsoncText,
  provider: Provider,
  container = usualContainer
): Unexpected | undefined => {
  for (const path of pathsTo(container)) {
    const node = path.length === 0 ? undefined : nodeAt(document, path)
    if (node !== undefined && node.type !== "object")
      return { where: path.join("."), expected: "an object", found: `a value of type ${node.type}` }
  }
  const entry = nodeAt(document, placeIn(container))
  if (entry !== undefined && !isOurEntry(getNodeValue(entry), provider))
    return { where: placeIn(container).join("."), expected: "the server of lint-ai", found: "another server" }
  return undefined
}

/** A path and all that lead to it, the root first. */
const pathsTo = (path: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> =>
  [...path, ""].map((_, length) => path.slice(0, length))

/** Puts the entry in, or corrects the command of one of ours. What a person added to it (an environment, a working directory) stays. */
export const putMcpEntry = (
  before: JsoncText,
  provider: Provider,
  entry: McpEntry,
  emptyBefore: ReadonlyArray<EmptyBefore>,
  container = usualContainer
): Registration => {
  const place = placeIn(container)
  const node = nodeAt(before, place)
  const found: unknown = node === undefined ? undefined : getNodeValue(node)
  if (isOurEntry(found, provider)) {
    let document = before
    for (const [key, value] of Object.entries(entry)) {
      if (JSON.stringify(found[key]) !== JSON.stringify(value)) {
        document = replaceValue(document, [...place, key], value)
      }
    }
    const changes = document === before ? [] : ["correct the command of the MCP server lint-ai"]
    return { document, changes, emptyBefore }
  }
  const noted = pathsTo(container).flatMap((path) => {
    const known = emptyBefore.some((one) => one.path.length === path.length && one.path.join("/") === path.join("/"))
    const empty = known ? undefined : emptinessAt(before, path)
    return empty === undefined ? [] : [empty]
  })
  let document = ensureRoot(before)
  for (const path of pathsTo(container).slice(1)) {
    if (nodeAt(document, path) === undefined)
      document = appendMember(document, path.slice(0, -1), path.at(-1) ?? "", {})
  }
  document = appendMember(document, container, "lint-ai", entry)
  return { document, changes: ["add the MCP server lint-ai"], emptyBefore: [...emptyBefore, ...noted] }
}

/** Takes the entry out, and `mcpServers` when nothing is left in it. A server of another program with that name stays. */
export const takeMcpEntry = (
  before: JsoncText,
  provider: Provider,
  emptyBefore: ReadonlyArray<EmptyBefore>,
  container = usualContainer
): Pick<Registration, "document" | "changes"> => {
  const place = placeIn(container)
  const node = nodeAt(before, place)
  if (node === undefined || !isOurEntry(getNodeValue(node), provider)) return { document: before, changes: [] }
  return {
    document: removeEmpty(remove(before, place), container, emptyBefore),
    changes: ["remove the MCP server lint-ai"]
  }
}

/** By what it starts: `mcp serve <provider>`. */
const isOurEntry = (entry: unknown, provider: Provider): entry is Readonly<Record<string, unknown>> =>
  isObject(entry) &&
  typeof entry.command === "string" &&
  Array.isArray(entry.args) &&
  entry.args.slice(-3).join(" ") === `mcp serve ${provider}`
