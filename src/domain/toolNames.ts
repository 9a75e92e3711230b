import type { Provider } from "./provider.ts"

/** What a tool does, whoever offers it: the word by which sessions of different agents are compared. */
export type ToolKind =
  | "shell"
  | "read"
  | "write"
  | "edit"
  | "list"
  | "find"
  | "grep"
  | "fetch"
  | "web_search"
  | "agent"
  | "tasks"
  | "image"
  | "ask"

/**
 * One table of tool names, as the hooks of each agent give them: a kind and the tools of that kind. An agent that is not in a row has no tool of its
 * own for it: Codex reads, lists and searches with its shell, and writes new files with the tool that edits.
 *
 * Seen in captures of Claude Code 2.1.332, Codex 0.171.0 (its hooks call exec_command `Bash`; the rollout has the other names) and Gemini
 * CLI 0.61.0: shell, read, write, edit, agent, image and a part of tasks. The other names, and those of Antigravity CLI, are the ones that are
 * published; a name that nobody sends harms nothing.
 */
export const toolNames: Readonly<Record<ToolKind, Readonly<Partial<Record<Provider, ReadonlyArray<string>>>>>> = {
  shell: {
    claude: ["Bash", "PowerShell"],
    codex: ["Bash", "exec_command", "shell", "shell_command", "local_shell"],
    gemini: ["run_shell_command"],
    antigravity: ["run_command"]
  },
  read: {
    claude: ["Read"],
    gemini: ["read_file", "read_many_files"],
    antigravity: ["view_file", "view_file_outline", "view_code_item"]
  },
  write: {
    claude: ["Write"],
    gemini: ["write_file"],
    antigravity: ["write_to_file"]
  },
  edit: {
    claude: ["Edit", "MultiEdit", "NotebookEdit"],
    codex: ["apply_patch"],
    gemini: ["replace"],
    antigravity: ["replace_file_content", "multi_replace_file_content"]
  },
  list: { claude: ["LS"], gemini: ["list_directory"], antigravity: ["list_dir"] },
  find: { claude: ["Glob"], gemini: ["glob"], antigravity: ["find_by_name"] },
  grep: {
    claude: ["Grep"],
    gemini: ["grep_search", "search_file_content"],
    antigravity: ["grep_search", "codebase_search"]
  },
  fetch: { claude: ["WebFetch"], gemini: ["web_fetch"], antigravity: ["read_url_content"] },
  web_search: {
    claude: ["WebSearch"],
    codex: ["web_search"],
    gemini: ["google_web_search"],
    antigravity: ["search_web"]
  },
  agent: {
    claude: ["Agent", "Task"],
    // With its namespace in front and nothing between: multi_agent_v1 and collaboration.
    codex: ["spawn_agent", "multi_agent_v1spawn_agent", "collaborationspawn_agent"],
    gemini: ["invoke_agent"],
    antigravity: ["invoke_subagent"]
  },
  tasks: {
    claude: ["TodoWrite", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet"],
    codex: ["update_plan"],
    gemini: ["write_todos"]
  },
  image: { codex: ["view_image"] },
  ask: { claude: ["AskUserQuestion"], codex: ["request_user_input"], gemini: ["ask_user"] }
}

const kinds = new Map<string, ToolKind>(
  Object.entries(toolNames).flatMap(([kind, names]) =>
    Object.entries(names).flatMap(([provider, own]) =>
      own.map((name) => [`${provider} ${name}`, kind as ToolKind] as const)
    )
  )
)

/**
 * The name of a tool that is the same for all agents: its kind; for a tool of an MCP server `mcp:<server>:<tool>` with everything but letters and digits as `_`, because
 * agents write these names differently; else the name as it came.
 *
 * Gemini CLI puts one `_` between server and tool, so a server with `_` in its name cannot be told from its tool there: the first part is the server.
 */
export const commonToolName = (provider: Provider, name: string): string => {
  const kind = kinds.get(`${provider} ${name}`)
  if (kind !== undefined) return kind
  const [, server, tool] = mcpNames[provider]?.exec(name) ?? []
  return server === undefined || tool === undefined ? name : `mcp:${plainWord(server)}:${plainWord(tool)}`
}

/** Antigravity CLI calls the tools of all servers by one tool of its own, call_mcp_tool. */
const mcpNames: Readonly<Partial<Record<Provider, RegExp>>> = {
  claude: /^mcp__(.+?)__(.+)$/,
  codex: /^mcp__(.+?)__(.+)$/,
  gemini: /^mcp_([^_]+)_(.+)$/
}

const plainWord = (word: string): string => word.replace(/[^A-Za-z0-9]/g, "_")
