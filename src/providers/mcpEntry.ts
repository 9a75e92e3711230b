import { getNodeValue } from "jsonc-parser"
import type { Provider } from "../domain/provider.ts"
import type { HookProgram } from "./hookCommand.ts"
import { type EmptyBefore, emptinessAt, type Registration, removeEmpty, type Unexpected } from "./hookSettings.ts"
import { appendMember, ensureRoot, type JsoncText, nodeAt, remove, replaceValue } from "./jsoncText.ts"
import { isObject } from "./jsonObject.ts"

/**
 * The MCP server of lint-ai in the settings of an agent, in the shape that Claude Code, Gemini CLI and Antigravity CLI read:
 *
 *     {"mcpServers": {"lint-ai": {"command": "...", "args": ["mcp", "serve", "<provider>"]}}}
 */
export interface McpEntry {
  readonly command: string
  readonly args: ReadonlyArray<string>
}

const container = ["mcpServers"]
const place = [...container, "lint-ai"]

/** The server of this machine; for a file that colleagues share, the program by name. */
export const mcpEntry = (program: HookProgram, provider: Provider, shared: boolean): McpEntry =>
  shared
    ? { command: "lint-ai", args: ["mcp", "serve", provider] }
    : { command: program.file, args: [...program.args, "mcp", "serve", provider] }

/** Where the shape of a file forbids the entry: also where somebody else's server has the name. */
export const unexpectedMcpShape = (document: JsoncText, provider: Provider): Unexpected | undefined => {
  const servers = nodeAt(document, container)
  if (servers !== undefined && servers.type !== "object")
    return { where: "mcpServers", expected: "an object", found: `a value of type ${servers.type}` }
  const entry = nodeAt(document, place)
  if (entry !== undefined && !isOurEntry(getNodeValue(entry), provider))
    return { where: "mcpServers.lint-ai", expected: "the server of lint-ai", found: "another server" }
  return undefined
}

/** Puts the entry in, or corrects the command of one of ours. What a person added to it (an environment, a working directory) stays. */
export const putMcpEntry = (
  before: JsoncText,
  provider: Provider,
  entry: McpEntry,
  emptyBefore: ReadonlyArray<EmptyBefore>
): Registration => {
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
  const noted = [[], container].flatMap((path) => {
    const known = emptyBefore.some((one) => one.path.length === path.length && one.path.join("/") === path.join("/"))
    const empty = known ? undefined : emptinessAt(before, path)
    return empty === undefined ? [] : [empty]
  })
  let document = ensureRoot(before)
  if (nodeAt(document, container) === undefined) document = appendMember(document, [], "mcpServers", {})
  document = appendMember(document, container, "lint-ai", entry)
  return { document, changes: ["add the MCP server lint-ai"], emptyBefore: [...emptyBefore, ...noted] }
}

/** Takes the entry out, and `mcpServers` when nothing is left in it. A server of another program with that name stays. */
export const takeMcpEntry = (
  before: JsoncText,
  provider: Provider,
  emptyBefore: ReadonlyArray<EmptyBefore>
): Pick<Registration, "document" | "changes"> => {
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
