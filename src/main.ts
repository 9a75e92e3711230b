// The hook is called for every step of an agent: it loads its own small part and never the CLI.
const [first = "", ...rest] = process.argv.slice(2)

/** The flat flags of the source documents by which a hook may be called: they must not load the CLI to be understood. */
const flatHooks: Readonly<Record<string, string>> = {
  "--claude-code-hook": "claude",
  "--codex-hook": "codex",
  "--gemini-cli-hook": "gemini",
  "--agy-hook": "antigravity"
}
const flat = flatHooks[first]

if (first === "hook" || flat !== undefined) {
  import("./hook/main.ts").then(({ runHook }) => runHook(flat === undefined ? rest : [flat, ...rest]))
} else {
  import("./cli/main.ts").then(({ runCli }) => runCli(process.argv.slice(2)))
}
