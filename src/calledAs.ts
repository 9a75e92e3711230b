/** The flat flags of the source documents by which an agent may call: they must not load the CLI to be understood. */
const flat: Readonly<Record<string, ReadonlyArray<string>>> = {
  "--claude-code-hook": ["hook", "claude"],
  "--codex-hook": ["hook", "codex"],
  "--gemini-cli-hook": ["hook", "gemini"],
  "--agy-hook": ["hook", "antigravity"],
  "--claude-code-statusline": ["statusline", "claude"],
  "--codex-statusline": ["statusline", "codex"],
  "--claude-code-serve": ["mcp", "serve", "claude"],
  "--codex-serve": ["mcp", "serve", "codex"],
  "--gemini-cli-serve": ["mcp", "serve", "gemini"],
  "--agy-serve": ["mcp", "serve", "antigravity"]
}

/** One of the programs in lint-ai, and its arguments; the CLI's are all that was typed. */
export interface Call {
  readonly program: "hook" | "statusline" | "mcp" | "cli"
  readonly args: ReadonlyArray<string>
}

/**
 * Which program was called. What agents start for every step, every redraw or every session is a small part of its own; whoever asks for help is a person.
 *
 * @param argv what stands behind the program's name
 */
export const calledAs = (argv: ReadonlyArray<string>): Call => {
  const [first = "", ...rest] = argv
  const [command, ...args] = [...(flat[first] ?? [first]), ...rest]
  const asksForHelp = args.some((arg) => arg === "--help" || arg === "-h")
  if (asksForHelp) return { program: "cli", args: argv }
  if (command === "hook" || command === "statusline") return { program: command, args }
  if (command === "mcp" && args[0] === "serve") return { program: "mcp", args: args.slice(1) }
  return { program: "cli", args: argv }
}
