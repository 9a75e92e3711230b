/**
 * The flat flags of the source documents, rewritten to subcommands before anything is parsed. One table; what is not in it stays as it is.
 * The hook's are in main.ts, which never loads this.
 */
type Rewrite = (value: string | undefined, rest: ReadonlyArray<string>) => ReadonlyArray<string>

interface FlatFlag {
  /** `required`: the next argument is its value. `path`: the next argument, when it is no flag. */
  readonly value: "none" | "required" | "path"
  readonly to: Rewrite
}

const present = (value: string | undefined): ReadonlyArray<string> => (value === undefined ? [] : [value])
const project = (value: string | undefined): ReadonlyArray<string> => (value === undefined ? [] : ["--project", value])

/** The documents call an agent by another name in two places. */
const agents: ReadonlyMap<string, string> = new Map([
  ["claude-code", "claude"],
  ["codex", "codex"],
  ["gemini-cli", "gemini"],
  ["agy", "antigravity"]
])

const forAgents: ReadonlyArray<readonly [string, FlatFlag]> = [...agents].flatMap(([flat, provider]) => [
  [
    `--${flat}-install`,
    // The documents' install brings the MCP server too.
    { value: "path", to: (path, rest) => ["install", provider, ...present(path), "--mcp", ...rest] }
  ] as const,
  [
    `--${flat}-uninstall`,
    { value: "path", to: (path, rest) => ["uninstall", provider, ...present(path), ...rest] }
  ] as const,
  [
    `--${flat}-serve`,
    { value: "path", to: (path, rest) => ["mcp", "serve", provider, ...present(path), ...rest] }
  ] as const,
  [
    `--${flat}-verify-mcp`,
    { value: "path", to: (path, rest) => ["mcp", "verify", provider, ...present(path), ...rest] }
  ] as const
])

export const flatFlags: ReadonlyMap<string, FlatFlag> = new Map<string, FlatFlag>([
  ["--list-sessions", { value: "path", to: (path, rest) => ["sessions", "list", ...project(path), ...rest] }],
  ["--inspect-session", { value: "required", to: (id, rest) => ["sessions", "inspect", ...present(id), ...rest] }],
  ["--export-session", { value: "required", to: (id, rest) => ["sessions", "export", ...present(id), ...rest] }],
  ["--replay-session", { value: "required", to: (id, rest) => ["replay", ...present(id), ...rest] }],
  ["--promote-session", { value: "required", to: (id, rest) => ["memory", "promote", ...present(id), ...rest] }],
  [
    "--scenario-from-session",
    { value: "required", to: (id, rest) => ["scenario", "from-session", ...present(id), ...rest] }
  ],
  ["--record-session", { value: "path", to: (path, rest) => ["record", "start", ...project(path), ...rest] }],
  ["--claude-code-statusline", { value: "none", to: (_, rest) => ["statusline", "claude", ...rest] }],
  ["--codex-statusline", { value: "none", to: (_, rest) => ["statusline", "codex", ...rest] }],
  ...forAgents
])

/** Flags that only changed their name. */
const renamed: ReadonlyMap<string, string> = new Map([
  ["--session-provider", "--provider"],
  ["--mcp-timeout-ms", "--timeout-ms"],
  ["--scenario-out", "--out"],
  ["--replay-enable-lint-ai", "--enable-lint-ai"],
  ["--replay-disable-lint-ai", "--disable-lint-ai"]
])
/** Commands that take the agent as an argument instead of a flag. */
const takesAgent = (args: ReadonlyArray<string>): boolean => args[0] === "record"

/**
 * Arguments with flat flags turned into subcommands: `--inspect-session ID --session-root DIR` becomes `sessions inspect ID --session-root DIR`.
 *
 * Only the first flat flag names a command, wherever it stands; `agy` is `antigravity`. `--flag=value` works too.
 */
export const rewriteFlatFlags = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const experiment = experimentForm(args)
  if (experiment !== undefined) return experiment
  const split = args.flatMap((arg) => {
    const at = arg.indexOf("=")
    const name = at < 0 ? arg : arg.slice(0, at)
    return at > 0 && (flatFlags.has(name) || renamed.has(name)) ? [name, arg.slice(at + 1)] : [arg]
  })
  const at = split.findIndex((arg) => flatFlags.has(arg))
  if (at < 0) return split.map((arg) => renamed.get(arg) ?? arg)
  const flag = flatFlags.get(split[at] ?? "")
  if (flag === undefined) return split
  const next = split[at + 1]
  const hasValue = flag.value !== "none" && next !== undefined && (flag.value === "required" || !next.startsWith("-"))
  const rest = [...split.slice(0, at), ...split.slice(at + (hasValue ? 2 : 1))].map((arg) =>
    arg === "--session-provider" ? arg : (renamed.get(arg) ?? arg)
  )
  return withProvider(flag.to(hasValue ? next : undefined, []), rest)
}

/**
 * `--session-recording ab --experiment-root DIR`, alone, with an experiment's file, or with one of the documents' install flags, which name the agent and the
 * project: nothing is installed for the user then, and everything stays below DIR. Undefined for other arguments.
 */
const experimentForm = (args: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
  const split = args.flatMap((arg) => {
    const [, name, value] = /^(--(?:session-recording|experiment-root|session-provider))=(.*)$/.exec(arg) ?? []
    return name === undefined || value === undefined ? [arg] : [name, value]
  })
  const mode = split.indexOf("--session-recording")
  const root = split.indexOf("--experiment-root")
  const directory = split[root + 1]
  if (mode < 0 || split[mode + 1] !== "ab" || root < 0 || directory === undefined) return undefined
  const rest = split.filter((_, at) => ![mode, mode + 1, root, root + 1].includes(at))
  const others: Array<string> = []
  for (let at = 0; at < rest.length; at++) {
    const arg = rest[at] ?? ""
    const installed = agents.get(/^--(.+)-install$/.exec(arg)?.[1] ?? "")
    const next = rest[at + 1]
    if (installed !== undefined) {
      others.push("--provider", installed)
      if (next !== undefined && !next.startsWith("-")) {
        others.push("--project", next)
        at++
      }
    } else if (arg === "--session-provider" && next !== undefined) {
      others.push("--provider", agents.get(next) ?? next)
      at++
    } else others.push(arg)
  }
  return ["experiment", "ab", directory, ...others]
}

/** `--session-provider P` as the flag or the argument that the command has. */
const withProvider = (command: ReadonlyArray<string>, rest: ReadonlyArray<string>): ReadonlyArray<string> => {
  const at = rest.indexOf("--session-provider")
  if (at < 0) return [...command, ...rest]
  const named = rest[at + 1] ?? ""
  const provider = agents.get(named) ?? named
  const others = [...rest.slice(0, at), ...rest.slice(at + 2)]
  if (takesAgent(command)) return [...command.slice(0, 2), provider, ...command.slice(2), ...others]
  return [...command, "--provider", provider, ...others]
}
