// What a hook costs (`npm run bench`): the compiled binary and the Node bundle against `node -e 0` in the same run. Each variant takes turns with
// `node -e 0`, those that are compared with each other together, in random order; a ratio is the median of the ratios of the rounds. Machines differ and
// are shared: only the ratios mean something.
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import { parseArgs } from "node:util"
import { rolldown } from "rolldown"
import { bareNode } from "../bench/bareNode.mjs"
import { seededRandom, toolResult } from "../bench/payloads.mjs"
import { stopwatch } from "../bench/stopwatch.mjs"
import { buildWhenStale, root } from "./build.mjs"

const options = parseArgs({
  options: {
    rounds: { type: "string", default: "40" },
    seed: { type: "string", default: "1" },
    dist: { type: "string" },
    // So many times a floor is judged: more than once where others decide the load of the machine, as in CI.
    slack: { type: "string", default: "1" },
    out: { type: "string", default: path.join(root, "bench", "results.json") }
  }
}).values
const rounds = Number(options.rounds)
const seed = Number(options.seed)
const slack = Number(options.slack)
if (!(slack >= 1)) throw new Error("--slack is 1 or more")
if (!(rounds >= 1) || !Number.isInteger(seed)) throw new Error("--rounds and --seed are whole numbers")
const dist = options.dist ?? (await buildWhenStale())

/** Runs before the first round, which are not counted: the code cache is written, the files are in memory. */
const warmUps = 3
/** Events that a session has when a variant begins to append to it: as many as make all that is remembered of a log full. */
const usualLength = 300
const longLength = 100_000
const shortLength = 10

const programs = {
  "compiled hook": { command: path.join(dist, "lint-ai"), args: ["hook", "claude"] },
  "node bundle": { command: process.execPath, args: [path.join(dist, "hook.cjs"), "hook", "claude"] }
}
/** @typedef {keyof typeof programs} ProgramName */

/**
 * @typedef {object} Variant
 * @property {string} name
 * @property {ProgramName} program
 * @property {number} kibibytes
 * @property {"pipe" | "socket"} stdin
 * @property {"usual" | "short" | "long" | "off"} session
 * @property {string} group variants of one group are run in the same rounds
 */

/** @type {Array<Variant>} */
const variants = []
for (const program of /** @type {Array<ProgramName>} */ (Object.keys(programs))) {
  /**
   * @param {string} name
   * @param {Partial<Variant>} [differences]
   */
  const add = (name, differences) =>
    variants.push({
      name: `${program}, ${name}`,
      program,
      kibibytes: 4,
      stdin: "pipe",
      session: "usual",
      group: `${program}, ${name}`,
      ...differences
    })
  for (const kibibytes of [1, 4, 64, 1024]) add(`${kibibytes} KiB`, { kibibytes })
  add("4 KiB, socket", { stdin: "socket" })
  add("4 KiB, recording off", { session: "off" })
  const group = `${program}, lengths`
  add(`4 KiB, event ${shortLength}`, { session: "short", group })
  add(`4 KiB, event ${longLength}`, { session: "long", group })
}

/** What must hold (floor) and what is aimed at (goal): at most this ratio of the medians of per-round ratios. */
const bounds = [
  { name: "compiled hook, 4 KiB", to: bareNode.name, floor: 0.85, goal: 0.75 },
  { name: "node bundle, 4 KiB", to: bareNode.name, floor: 1.6, goal: 1.35 },
  {
    name: `compiled hook, 4 KiB, event ${longLength}`,
    to: `compiled hook, 4 KiB, event ${shortLength}`,
    floor: 1.15,
    goal: 1.05
  }
]

const load = os.loadavg()[0] ?? 0
const directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "lint-ai-bench-")))
async function main() {
  const projects = { on: path.join(directory, "on"), off: path.join(directory, "off") }
  for (const project of Object.values(projects)) fs.mkdirSync(path.join(project, ".git"), { recursive: true })
  // NODE_EXTRA_CA_CERTS is left out with everything else: it alone makes Node 20 start 40 ms later.
  const env = { PATH: process.env.PATH ?? "", HOME: path.join(directory, "home"), LANG: "C.UTF-8" }
  fs.mkdirSync(env.HOME)

  const sessions = await loadSessions(env)
  console.log("Preparing a project with recording on and its sessions ...")
  await sessions.recordProject(projects.on)
  for (const [n, { session }] of variants.entries()) {
    if (session === "usual") await sessions.fillSession(projects.on, `usual-${n}`, usualLength)
    if (session === "long") await sessions.fillSession(projects.on, `long-${n}`, longLength - 1)
  }

  // Else the disk is still busy with all this while the first hooks write to it.
  spawnSync("sync")

  const run = stopwatch(directory)
  let call = 0
  const bare = () =>
    run({
      command: bareNode.command,
      args: bareNode.args,
      cwd: projects.on,
      env,
      input: Buffer.alloc(0),
      stdin: "pipe"
    })
  const measured = variants.map((variant, n) => {
    const project = variant.session === "off" ? projects.off : projects.on
    const bytes = variant.kibibytes * 1024
    return {
      ...variant,
      once: async () => {
        call++
        // A short session is short only once.
        const session = variant.session === "short" ? `short-${call}` : `${variant.session}-${n}`
        if (variant.session === "short") await sessions.fillSession(projects.on, session, shortLength - 1)
        return run({
          ...programs[variant.program],
          cwd: project,
          env: { ...env, CLAUDE_PROJECT_DIR: project },
          input: toolResult({ bytes, seed, session, cwd: project })(call),
          stdin: variant.stdin
        })
      }
    }
  })

  const random = seededRandom(seed)
  /** @type {Array<Rounds>} */
  const groups = []
  const names = new Set(variants.map((variant) => variant.group))
  for (const group of names) {
    const together = [{ name: bareNode.name, once: bare }, ...measured.filter((variant) => variant.group === group)]
    /** @type {Rounds} */
    const times = new Map(together.map(({ name }) => [name, []]))
    for (let round = -warmUps; round < rounds; round++) {
      for (const { name, once } of shuffled(together, random)) {
        const took = await once()
        if (round >= 0) times.get(name)?.push(took)
      }
    }
    groups.push(times)
    if (process.stderr.isTTY) process.stderr.write(`\r${groups.length} of ${names.size} `)
  }
  if (process.stderr.isTTY) process.stderr.write("\r\x1b[K")
  checkRecorded(projects.on, (rounds + warmUps) * variants.filter(({ session }) => session !== "off").length)

  const rows = [bareNode.name, ...variants.map(({ name }) => name)].map((name) => ({
    name,
    ...figures(groups, name, bareNode.name)
  }))
  const verdicts = bounds.map((bound) => ({ ...bound, ratio: figures(groups, bound.name, bound.to).ratio }))
  print(rows, verdicts)
  write(rows, verdicts)
  const missed = verdicts.filter(({ ratio, floor }) => ratio > floor * slack)
  for (const { name, to, ratio, floor } of missed) {
    console.error(`${name} took ${ratio.toFixed(2)} of ${to}; at most ${rounded(floor * slack)} is allowed.`)
  }
  process.exitCode = missed.length === 0 ? 0 : 1
}

/**
 * bench/sessions.ts as a module that Node 20 can load, with the user's directories where the hooks of this run have theirs.
 *
 * @param {Record<string, string>} env
 * @returns {Promise<typeof import("../bench/sessions.ts")>}
 */
async function loadSessions(env) {
  for (const name of Object.keys(process.env)) if (/^(LINT_AI_|XDG_)/.test(name)) delete process.env[name]
  Object.assign(process.env, env)
  const file = path.join(directory, "sessions.mjs")
  const build = await rolldown({ input: path.join(root, "bench", "sessions.ts"), platform: "node", logLevel: "warn" })
  await build.write({ file, format: "esm", codeSplitting: false })
  await build.close()
  return import(pathToFileURL(file).href)
}

/**
 * A hook fails open: a run that recorded nothing exits 0 too, and fast. So the events are counted.
 *
 * @param {string} project
 * @param {number} expected
 */
function checkRecorded(project, expected) {
  const sessions = path.join(project, ".lint-ai", "claude-sessions")
  let events = 0
  for (const session of fs.readdirSync(sessions)) {
    if (!session.startsWith("claude-")) continue
    const { event_count } = JSON.parse(fs.readFileSync(path.join(sessions, session, "manifest.json"), "utf8"))
    events += event_count
  }
  const filled = variants.reduce((sum, { session }) => {
    const length = { usual: usualLength, long: longLength - 1, short: (rounds + warmUps) * (shortLength - 1), off: 0 }
    return sum + length[session]
  }, 0)
  if (events - filled !== expected) throw new Error(`${events - filled} events were recorded, not ${expected}`)
}

/**
 * @template T
 * @param {ReadonlyArray<T>} items
 * @param {() => number} random
 */
function shuffled(items, random) {
  return items
    .map((item) => ({ item, place: random() }))
    .sort((left, right) => left.place - right.place)
    .map(({ item }) => item)
}

/** @param {ReadonlyArray<number>} numbers */
function median(numbers) {
  const sorted = [...numbers].sort((left, right) => left - right)
  const middle = sorted.length >> 1
  return ((sorted[middle] ?? 0) + (sorted[(sorted.length - 1) >> 1] ?? 0)) / 2
}

/** @param {number} number */
const rounded = (number) => Math.round(number * 1000) / 1000

/**
 * The milliseconds of what took turns, in the order of the rounds.
 *
 * @typedef {Map<string, Array<number>>} Rounds
 */

/**
 * @param {ReadonlyArray<Rounds>} groups
 * @param {string} name
 * @param {string} to what it took turns with
 */
function figures(groups, name, to) {
  const own = groups.flatMap((times) => times.get(name) ?? [])
  const other = groups.flatMap((times) => (times.has(name) ? (times.get(to) ?? []) : []))
  return {
    median_ms: rounded(median(own)),
    min_ms: rounded(Math.min(...own)),
    ratio: rounded(median(own.map((time, round) => time / (other[round] ?? Number.NaN))))
  }
}

/**
 * @param {ReadonlyArray<{ name: string, median_ms: number, min_ms: number, ratio: number }>} rows
 * @param {ReadonlyArray<typeof bounds[number] & { ratio: number }>} verdicts
 */
function print(rows, verdicts) {
  console.log(`${rounds} rounds, seed ${seed}, Node ${process.version}; the ratio is to ${bareNode.name}`)
  if (load > os.cpus().length)
    console.log(`The machine was busy (load ${load.toFixed(1)}): the ratios are not to be trusted.`)
  console.log()
  console.log(`${"".padEnd(36)} median ms   min ms    ratio`)
  for (const { name, median_ms, min_ms, ratio } of rows) {
    console.log(
      `${name.padEnd(36)} ${median_ms.toFixed(2).padStart(9)} ${min_ms.toFixed(2).padStart(8)} ${ratio.toFixed(3).padStart(8)}`
    )
  }
  console.log(`\n${"".padEnd(64)}    ratio    floor     goal`)
  for (const { name, to, ratio, floor, goal } of verdicts) {
    const word = ratio > floor ? "missed" : ratio > goal ? "holds" : "goal met"
    console.log(
      `${`${name} / ${to}`.padEnd(64)} ${ratio.toFixed(3).padStart(8)} ${floor.toFixed(2).padStart(8)} ${goal.toFixed(2).padStart(8)}  ${word}`
    )
  }
}

/** @type {typeof print} */
function write(rows, verdicts) {
  const results = {
    date: new Date().toISOString(),
    lint_ai: JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8")).version,
    node: process.version,
    machine: {
      platform: process.platform,
      arch: process.arch,
      processor: os.cpus()[0]?.model ?? "unknown",
      processors: os.cpus().length,
      memory_gib: Math.round(os.totalmem() / 2 ** 30)
    },
    /** Programs that waited for a processor when the measuring began; above the number of processors the ratios are not to be trusted. */
    load_average: rounded(load),
    rounds,
    seed,
    times: Object.fromEntries(rows.map(({ name, ...figures }) => [name, figures])),
    bounds: Object.fromEntries(
      verdicts.map(({ name, to, ratio, floor, goal }) => [`${name} / ${to}`, { ratio, floor, goal }])
    )
  }
  fs.writeFileSync(options.out, `${JSON.stringify(results, undefined, 2)}\n`)
}

try {
  await main()
} finally {
  fs.rmSync(directory, { recursive: true, force: true })
}
