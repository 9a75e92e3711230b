// Sessions of real agents whose hooks reach lint-ai in several ways: what a call of a tool takes, and how many events are there at the end.
import { spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { codexConfig } from "../test/support/codexConfig.mjs"

/** @typedef {"no hooks" | "command" | "http" | "mcp_tool" | "command and mcp_tool"} Way */
/** @typedef {{ readonly type: string, readonly [name: string]: unknown }} Handler */

/** What a named field of a payload may be called in an mcp_tool hook; Codex calls nothing where one of them is missing. */
const common = ["hook_event_name", "session_id", "transcript_path", "cwd"]
const tool = ["tool_name", "tool_input", "tool_use_id"]

/** The hooks of a call of a tool and those around it, with the fields that an mcp_tool hook is to pass on. */
const events = {
  claude: {
    SessionStart: undefined,
    UserPromptSubmit: [...common, "prompt_id", "prompt"],
    PreToolUse: [...common, "prompt_id", ...tool],
    PostToolUse: [...common, "prompt_id", ...tool, "tool_response", "duration_ms"],
    PostToolBatch: [...common, "prompt_id", "tool_calls"],
    Stop: [...common, "prompt_id", "last_assistant_message"],
    SessionEnd: undefined
  },
  codex: {
    SessionStart: [...common, "model", "permission_mode", "source"],
    UserPromptSubmit: [...common, "turn_id", "model", "permission_mode", "prompt"],
    PreModelRequest: [...common, "turn_id", "model", "kind", "request_id", "attempt_number", "thread_id"],
    PostModelRequest: [
      ...common,
      ...["turn_id", "model", "kind", "request_id", "attempt_number", "thread_id"],
      ...["status", "token_usage", "response_id"]
    ],
    PreToolUse: [...common, "turn_id", "model", ...tool],
    PostToolUse: [...common, "turn_id", "model", ...tool, "tool_response"],
    Stop: [...common, "turn_id", "model", "last_assistant_message"],
    SessionEnd: undefined
  }
}

/**
 * @typedef {object} Place
 * @property {"claude" | "codex"} agent
 * @property {string} program the agent's
 * @property {string} lintAi the compiled binary
 * @property {string} server the bundle of processFree.ts
 * @property {string} root an empty directory
 * @property {number} port for the endpoint
 */

/**
 * Sets a project up for one way and gives a function that runs a session in it.
 *
 * @param {Place} place
 * @param {Way} way
 * @param {(commands: ReadonlyArray<string>) => Promise<string>} startApi
 */
export const projectFor = async ({ agent, program, lintAi, server, root, port }, way, startApi) => {
  const at = (/** @type {string} */ name) => path.join(root, name)
  for (const name of ["home/.codex", "tmp", "claude", "project/.git", "project/.claude"]) {
    fs.mkdirSync(at(name), { recursive: true })
  }
  const times = at("times")
  const state = at("server.json")
  const tick = `date +%s%N >> '${times}'`
  const kill = `kill -9 $(sed 's/.*"pid":\\([0-9]*\\).*/\\1/' '${state}'); ${tick}`
  const env = {
    PATH: "/usr/local/bin:/usr/bin:/bin",
    LANG: "C.UTF-8",
    HOME: at("home"),
    TMPDIR: at("tmp"),
    NO_PROXY: "127.0.0.1",
    CLAUDE_CODE_TMPDIR: at("tmp"),
    CLAUDE_CONFIG_DIR: at("claude"),
    ANTHROPIC_API_KEY: "dummy",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    CODEX_HOME: at("home/.codex"),
    DUMMY_KEY: "dummy"
  }
  const started = spawnSync(lintAi, ["record", "start", agent, "--yes"], { cwd: at("project"), env })
  if (started.status !== 0) throw new Error(`record start: ${started.stderr}`)

  /** @type {Handler} */
  const command = { type: "command", command: `'${lintAi}' hook ${agent} || exit 0`, timeout: 10 }
  /** @type {Handler} */
  const http = {
    type: "http",
    url: `http://127.0.0.1:${port}/`,
    timeout: 10,
    headers: { Authorization: "Bearer bench" }
  }
  /** @type {Record<string, ReadonlyArray<unknown>>} */
  const hooks = {}
  for (const [event, fields] of Object.entries(events[agent])) {
    /** @type {Handler | undefined} */
    const call = fields && {
      type: "mcp_tool",
      server: "lint-ai",
      tool: "record_hook",
      timeout: 10,
      input: Object.fromEntries(fields.map((field) => [field, `\${${field}}`]))
    }
    const handlers = {
      "no hooks": [],
      command: [command],
      http: [event === "SessionStart" ? command : http],
      mcp_tool: [call ?? command],
      "command and mcp_tool": [command, ...(call === undefined ? [] : [call])]
    }[way]
    if (handlers.length > 0) hooks[event] = [{ hooks: handlers }]
  }
  const serverEnv = { HOOK_TOKEN: "bench", HOOK_PORT: String(port), HOOK_STATE: state }
  if (agent === "claude") {
    fs.writeFileSync(at("project/.claude/settings.local.json"), JSON.stringify({ hooks }))
    const entry = { command: process.execPath, args: [server, agent], env: serverEnv }
    fs.writeFileSync(at("project/.mcp.json"), JSON.stringify({ mcpServers: { "lint-ai": entry } }))
  } else fs.writeFileSync(at("home/.codex/hooks.json"), JSON.stringify({ hooks }))

  /**
   * @param {number} calls of a tool
   * @param {"lives" | "killed"} fate of the server: killed by the call in the middle
   */
  const session = async (calls, fate) => {
    const commands = Array.from({ length: calls }, (_, n) =>
      fate === "killed" && n === Math.floor(calls / 2) ? kill : tick
    )
    const url = await startApi(commands)
    if (agent === "codex") fs.writeFileSync(at("home/.codex/config.toml"), configOf(url, server, serverEnv, env))
    fs.rmSync(times, { force: true })
    const args =
      agent === "claude"
        ? ["-p", "scenario:work", "--output-format", "json", "--model", "sonnet", "--allowedTools", "Bash"]
        : ["exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "scenario:work"]
    const before = eventsIn(at("project"), agent)
    const code = await ended(
      program,
      args,
      at("project"),
      agent === "claude" ? { ...env, ANTHROPIC_BASE_URL: url } : env
    )
    const ticks = fs.readFileSync(times, "utf8").trim().split("\n").map(Number)
    if (code !== 0 || ticks.length !== calls) throw new Error(`${agent}, ${way}: exit ${code}, ${ticks.length} calls`)
    return {
      // The first interval may hold what is done once.
      callMs: median(ticks.slice(2).map((time, n) => (time - (ticks[n + 1] ?? 0)) / 1e6)),
      events: eventsIn(at("project"), agent) - before
    }
  }
  return { session }
}

/**
 * @param {string} url
 * @param {string} server
 * @param {Record<string, string>} serverEnv
 * @param {Record<string, string>} env
 */
const configOf = (url, server, serverEnv, { HOME = "" }) => `${codexConfig(url)}
[mcp_servers.lint-ai]
command = "${process.execPath}"
args = ["${server}", "codex"]
env = { ${Object.entries({ ...serverEnv, HOME })
  .map(([name, value]) => `${name} = "${value}"`)
  .join(", ")} }
`

/**
 * @param {string} project
 * @param {string} agent
 */
const eventsIn = (project, agent) => {
  const sessions = path.join(project, ".lint-ai", `${agent}-sessions`)
  if (!fs.existsSync(sessions)) return 0
  return fs
    .readdirSync(sessions)
    .map((name) => path.join(sessions, name, "events.jsonl"))
    .filter((file) => fs.existsSync(file))
    .reduce((sum, file) => sum + fs.readFileSync(file, "utf8").split("\n").length - 1, 0)
}

/**
 * @param {string} program
 * @param {ReadonlyArray<string>} args
 * @param {string} cwd
 * @param {Record<string, string>} env
 * @returns {Promise<number | null>}
 */
const ended = (program, args, cwd, env) =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: "ignore" })
    const patience = setTimeout(() => child.kill("SIGKILL"), 180_000)
    child.once("error", reject)
    child.once("exit", (code) => {
      clearTimeout(patience)
      resolve(code)
    })
  })

/** @param {ReadonlyArray<number>} numbers */
export const median = (numbers) => {
  const sorted = [...numbers].sort((left, right) => left - right)
  const middle = sorted.length >> 1
  return ((sorted[middle] ?? 0) + (sorted[(sorted.length - 1) >> 1] ?? 0)) / 2
}
