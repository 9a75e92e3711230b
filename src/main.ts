import { startHook } from "./hook/start.ts"

// What agents start for every step, every redraw or every session loads its own small part and never the CLI.
const [first = "", ...rest] = process.argv.slice(2)

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
const [command, ...args] = [...(flat[first] ?? [first]), ...rest]
const asksForHelp = args.some((arg) => arg === "--help" || arg === "-h")

if (command === "hook" && !asksForHelp) {
  // Nobody sees where a hook's errors come from, and to note that down at each of them, and to try at the start how well it works, takes its time.
  Error.stackTraceLimit = 0
  startHook(args)
} else if (command === "statusline" && !asksForHelp) {
  import("./statusline/main.ts").then(({ runStatusline }) => runStatusline(args))
} else if (command === "mcp" && args[0] === "serve" && !asksForHelp) {
  import("./mcp/main.ts").then(({ runMcpServer }) => runMcpServer(args.slice(1)))
} else {
  import("./cli/main.ts").then(({ runCli }) => runCli(process.argv.slice(2)))
}
