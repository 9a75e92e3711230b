// What everything but the usual hook costs (a part of `npm run bench:all`): a hook for each event of each agent, on each runtime; commands; the status line; the MCP
// server, in a table of its own; and peers that npm has. All variants of a table run once per round in random order; a ratio is the median of the ratios
// of the rounds to `node -e 0` in the same round.
//
//   --rounds N     default 8
//   --peers DIR    where the peers are, or are installed from npm; default .cache/peers
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { parseArgs } from "node:util"
import { bareNode } from "../bench/bareNode.mjs"
import { seededRandom, toolResult } from "../bench/payloads.mjs"
import { peersIn } from "../bench/peers.mjs"
import { stopwatch } from "../bench/stopwatch.mjs"
import { buildWhenStale, root } from "./build.mjs"

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "8" },
    peers: { type: "string", default: path.join(root, ".cache", "peers") },
    out: { type: "string", default: path.join(root, ".cache", "bench-commands.json") }
  }
})
const rounds = Number(values.rounds)
const dist = await buildWhenStale()
const compiled = path.join(dist, "lint-ai")
const directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "lint-ai-bench-")))
const home = path.join(directory, "home")
const project = path.join(directory, "project")
fs.mkdirSync(path.join(project, ".git"), { recursive: true })
fs.mkdirSync(home)
const env = { PATH: process.env.PATH ?? "", HOME: home, LANG: "C.UTF-8" }
const here = { ...env, CLAUDE_PROJECT_DIR: project, GEMINI_PROJECT_DIR: project }
/** @type {Array<string>} */
const missing = []

/** @typedef {{ readonly name: string, readonly command: string, readonly args: ReadonlyArray<string>, readonly input: () => string | Buffer, readonly env?: Record<string, string> }} Variant */

const run = stopwatch(directory)
/** @type {Variant} */
const baseline = { ...bareNode, input: () => "" }
const random = seededRandom(1)

/** @param {ReadonlyArray<number>} numbers */
const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN
/** @param {number} number */
const rounded = (number) => Math.round(number * 1000) / 1000

/**
 * @param {string} title
 * @param {ReadonlyArray<Variant>} variants
 * @param {string} [note]
 */
const measure = async (title, variants, note) => {
  /** @type {Map<string, Array<number>>} */
  const times = new Map()
  const all = [baseline, ...variants]
  for (let round = -1; round < rounds; round++) {
    for (const one of [...all].sort(() => random() - 0.5)) {
      const took = await run({
        command: one.command,
        args: one.args,
        cwd: project,
        env: one.env ?? here,
        input: Buffer.from(one.input()),
        stdin: "pipe"
      })
      if (round >= 0) times.set(one.name, [...(times.get(one.name) ?? []), took])
    }
  }
  const base = times.get(baseline.name) ?? []
  const rows = all.map(({ name }) => {
    const own = times.get(name) ?? []
    return {
      name,
      median_ms: rounded(median(own)),
      min_ms: rounded(Math.min(...own)),
      ratio: rounded(median(own.map((time, at) => time / (base[at] ?? Number.NaN))))
    }
  })
  console.log(`\n${title}`)
  for (const { name, median_ms, min_ms, ratio } of rows) {
    console.log(
      `${name.padEnd(48)} ${median_ms.toFixed(1).padStart(8)} ${min_ms.toFixed(1).padStart(8)} ${ratio.toFixed(2).padStart(7)}`
    )
  }
  return { title, ...(note === undefined ? undefined : { note }), rows }
}

/** A binary that a package of this platform brings. */
const binaryOf = (/** @type {ReadonlyArray<string>} */ ...names) => path.join(root, "node_modules", ...names)

/** The binary of Deno; undefined where there is none for this platform. */
const deno = () => {
  const platform = `${process.platform}-${process.arch}${process.platform === "linux" ? "-glibc" : ""}`
  const file = binaryOf("@deno", platform, "deno")
  return fs.existsSync(file) ? file : undefined
}

/** A captured payload of each agent's events, in a session of the project. Every delivery is another one. */
let call = 0
const captured = /** @type {const} */ ([
  ["claude", "UserPromptSubmit-1.json", "prompt_id"],
  ["claude", "PostToolUse-1.json", "tool_use_id"],
  ["claude", "Stop-1.json", "prompt_id"],
  ["codex", "user-prompt-submit-1.json", "turn_id"],
  ["codex", "post-tool-use-1.json", "tool_use_id"],
  ["gemini", "BeforeAgent-1.json", "timestamp"],
  ["gemini", "AfterTool-1.json", "timestamp"],
  ["antigravity", "PostToolUse-1.reconstructed.json", "stepIdx"]
])
/**
 * @param {string} agent
 * @param {string} file
 * @param {string} id the field that tells one delivery from the next
 */
const payloadOf = (agent, file, id) => {
  const payload = JSON.parse(fs.readFileSync(path.join(root, "test", "fixtures", agent, file), "utf8"))
  return () => {
    call++
    const fresh =
      id === "timestamp"
        ? new Date(Date.UTC(2026, 10, 30) + call * 1000).toISOString()
        : id === "stepIdx"
          ? call
          : `${id}-${call}`
    return JSON.stringify({
      ...payload,
      cwd: project,
      workspacePaths: [project],
      transcript_path: undefined,
      [id]: fresh
    })
  }
}

/** @param {string} text JSON-RPC, a line each */
const request = (text) => () => text
const initialize = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "0" } } })}\n`
const status = `${JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "lint_ai_status", arguments: {} } })}\n`

/** The hooks of peers, each through the shell that an agent starts it with. */
const hooksOfPeers = async () => {
  const bun = path.dirname(binaryOf("@oven", `bun-${process.platform}-${process.arch}`, path.join("bin", "bun")))
  const ready = peersIn(values.peers, bun)
  missing.push(...ready.missing)
  if (ready.peers.length === 0) return undefined
  const payload = toolResult({ bytes: 4096, seed: 1, session: "peer", cwd: project })
  const input = () => payload(++call)
  const shell = (/** @type {string} */ line) => ({ command: "bash", args: ["-c", line], input })
  /** @type {Array<import("../bench/peers.mjs").Peer>} */
  const started = []
  try {
    for (const peer of ready.peers) {
      try {
        await peer.background?.start?.(home)
        started.push(peer)
      } catch (error) {
        missing.push(`${peer.name} is not in the table: ${error instanceof Error ? error.message : error}.`)
      }
    }
    if (started.length === 0) return undefined
    return await measure(
      "Hooks of peers, PostToolUse with 4 KiB",
      [
        { name: "lint-ai, compiled", ...shell(`"${compiled}" hook claude || exit 0`) },
        {
          name: "lint-ai, Node bundle",
          ...shell(`"${process.execPath}" "${path.join(dist, "hook.cjs")}" hook claude || exit 0`)
        },
        ...started.map(({ name, line, env: own }) => ({ name, ...shell(line), env: { ...here, ...own } }))
      ],
      [
        "Each through a shell, as its installer registers it and an agent starts it, with the same payload. Peers keep memories of what they see, lint-ai a redacted and chained record.",
        ...started.flatMap(({ note }) => (note === undefined ? [] : [note]))
      ].join(" ")
    )
  } finally {
    for (const { background } of ready.peers) await background?.end(home)
  }
}

try {
  const start = (/** @type {ReadonlyArray<string>} */ ...args) =>
    spawnSync(compiled, args, { cwd: project, env: here, encoding: "utf8" })
  for (const agent of ["claude", "codex", "gemini", "antigravity"]) start("record", "start", agent)
  const programs = [
    { name: "compiled", command: compiled, args: [] },
    { name: "node", command: process.execPath, args: [path.join(dist, "hook.cjs")] },
    ...(deno() === undefined
      ? []
      : [{ name: "deno", command: deno() ?? "", args: ["run", "-A", path.join(dist, "main.mjs")] }])
  ]
  const hooks = captured.flatMap(([agent, file, id]) =>
    programs.map((program) => ({
      name: `${agent} ${file.split("-1")[0]}, ${program.name}`,
      command: program.command,
      args: [...program.args, "hook", agent, ...(agent === "antigravity" ? ["PostToolUse"] : [])],
      input: payloadOf(agent, file, id)
    }))
  )
  const tables = [await measure("Hooks of each agent", hooks)]
  const [session] = JSON.parse(start("sessions", "list", "--json").stdout).sessions
  const big = Buffer.from("const token = readToken(file) // words of a log\n".repeat(1_400))
  const command = (
    /** @type {string} */ name,
    /** @type {ReadonlyArray<string>} */ args,
    input = () => /** @type {string | Buffer} */ ("")
  ) => ({ name, command: compiled, args, input })
  tables.push(
    await measure("Commands, compiled", [
      command("status line", ["statusline", "claude"], () =>
        JSON.stringify({ session_id: "s", cwd: project, model: { display_name: "m" } })
      ),
      command("status", ["status"]),
      command("sessions list", ["sessions", "list"]),
      command("sessions inspect", ["sessions", "inspect", session.session_id]),
      command("sessions verify", ["sessions", "verify", session.session_id]),
      command("sessions export", ["sessions", "export", session.session_id]),
      command("redact, 64 KiB on stdin", ["redact"], () => big)
    ])
  )
  tables.push(
    await measure(
      "MCP server, asked by a client directly",
      [
        {
          name: "start, initialize, end",
          command: compiled,
          args: ["mcp", "serve", "claude"],
          input: request(initialize)
        },
        {
          name: "the same and one call",
          command: compiled,
          args: ["mcp", "serve", "claude"],
          input: request(initialize + status)
        }
      ],
      "From the start of the process to its end. No agent took part: these figures stand beside none of an agent's run."
    )
  )
  const compared = await hooksOfPeers()
  if (compared !== undefined) tables.push(compared)
  const result = { date: new Date().toISOString(), rounds, node: process.version, tables, missing }
  fs.mkdirSync(path.dirname(values.out), { recursive: true })
  fs.writeFileSync(values.out, `${JSON.stringify(result, undefined, 2)}\n`)
} finally {
  fs.rmSync(directory, { recursive: true, force: true })
}
