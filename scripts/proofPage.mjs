// docs/proof.md out of what the suites kept: no figure of it is typed by hand.
import * as fs from "node:fs"
import * as path from "node:path"
import { root } from "./build.mjs"

/** @typedef {Record<string, any>} Json */

/**
 * @param {string} directory
 * @param {string} name
 * @returns {Json | undefined}
 */
const read = (directory, name) => {
  const file = path.join(directory, `${name}.json`)
  return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) : undefined
}

/**
 * @param {ReadonlyArray<string>} head
 * @param {ReadonlyArray<ReadonlyArray<unknown>>} rows
 */
const table = (head, rows) =>
  [head, head.map(() => "---"), ...rows]
    .map((row) => `| ${row.map((cell) => String(cell ?? "").replaceAll("|", "\\|")).join(" | ")} |`)
    .join("\n")

const count = (/** @type {number} */ n) => n.toLocaleString("en")

/** @param {Json} report of one fuzzing suite */
const fuzzRows = (report) =>
  Object.entries(report)
    .filter(([, value]) => typeof value === "object" && value !== null && "cases" in value)
    .map(([target, { cases, slowestMs, findings }]) => [target, count(cases), slowestMs, findings.length])

/** @param {Json | undefined} run */
const ranAs = (run) =>
  run === undefined
    ? "The suite as a whole was not run in its long form yet; figures here are those of its parts that were."
    : `\`${run.command}\` on ${run.date.slice(0, 16).replace("T", " ")} UTC, seed ${run.seed}, ${run.passed ? "passed" : "**failed**"} after ${count(run.seconds)} s; ${run.machine.processors} processors, ${run.machine.memory_gib} GiB, ${run.machine.platform} ${run.machine.arch}, Node ${run.machine.node}, load average ${run.machine.load_average} at its end.`

/**
 * @param {string} kept the directory with the results
 * @returns the page
 */
export const proofPage = (kept) => {
  const of = (/** @type {string} */ name) => read(kept, name)
  const out = [
    "# Proof",
    "",
    "What the suites that try to break lint-ai found in their last runs. This page is written by `npm run proof`, which runs them all; every figure comes out of the files in `bench/proof`.",
    "",
    "## Crash",
    "",
    ranAs(of("crash.run")),
    ""
  ]
  const anywhere = of("crash-anywhere")
  if (anywhere !== undefined) {
    out.push(
      `${count(anywhere.killed)} hooks of ${count(anywhere.hooks)} were killed with SIGKILL (${anywhere.date.slice(0, 10)}, seed ${anywhere.seed}, ${anywhere.machine.processors} processors, Node ${anywhere.node}), in ${count(anywhere.sessions)} sessions of all four agents, with others at work on the same session: ${count(anywhere.byCause.before)} before and ${count(anywhere.byCause.after)} after one of ${anywhere.points} operations on the disk, ${count(anywhere.byCause.tear)} in the middle of a write, ${count(anywhere.byCause.outside)} at a random moment. Held against: every event that was acknowledged is there, none twice, every chain verifies as complete, the next hook goes on, and every message's tokens are counted once. ${anywhere.findings.length === 0 ? "Nothing was found." : `Found: ${anywhere.findings.join("; ")}.`}`,
      ""
    )
  }
  const points = of("crash-points")
  if (points !== undefined)
    out.push(`Killed at each point of a first, a later and a last hook of each agent: ${count(points.killed)}.`, "")
  const failures = of("crash-failures")
  if (failures !== undefined) {
    out.push(
      `Operations that failed with ENOSPC, EIO, EROFS or EMFILE: ${count(failures.failed)}. The agent was unharmed each time, and the event was stored or a diagnostic says that it was not.`,
      ""
    )
  }
  const commands = of("crash-commands")
  if (commands !== undefined) {
    const killed = Object.entries(commands.killed).map(([name, n]) => `${name} ${n}`)
    out.push(`Commands and MCP servers killed at their operations: ${killed.join(", ")}.`, "")
  }
  for (const [name, what, held] of [
    [
      "crash-replays",
      "Replays",
      "the baseline, the memory and the project are the same bytes, none is listed as a whole one, and the next replay works and leaves nothing of it."
    ],
    [
      "crash-experiments",
      "Experiments",
      "run again they go on: no completed cell ran twice, each cut one is told by name and ran again, the ledger is whole, and nothing of the user's changed."
    ]
  ]) {
    const ran = of(name ?? "")
    if (ran !== undefined)
      out.push(
        `${what} killed before, after or in the middle of one of their operations on the disk: ${count(ran.killed)} (${ran.date.slice(0, 10)}, seed ${ran.seed}). Held against: ${held}`,
        ""
      )
  }
  out.push("## Load", "", ranAs(of("load.run")), "")
  const [one, many] = [of("load-one-session"), of("load-many-sessions")]
  /** @type {Array<[string, Json]>} */
  const crowd = [
    ...(one === undefined ? [] : [/** @type {[string, Json]} */ ([`${one.writers} writers, one session`, one])]),
    ...(many === undefined ? [] : [/** @type {[string, Json]} */ ([`${many.sessions} sessions at once`, many])])
  ]
  if (crowd.length > 0) {
    out.push(
      table(
        ["hooks at once", "hooks", "a second", "p50 ms", "p95 ms", "p99 ms", "slowest ms"],
        crowd.map(([name, r]) => [name, count(r.hooks), r.per_second, r.p50_ms, r.p95_ms, r.p99_ms, r.max_ms])
      ),
      ""
    )
  }
  const long = of("load-long-session")
  if (long !== undefined) {
    const appends = Object.entries(long.least_append_ms).map(([name, ms]) => `${ms} ms at ${name}`)
    out.push(
      `A session of ${count(long.events)} events (${count(long.mib)} MiB): an append takes ${appends.join(", ")}, a ratio of ${long.ratio}. Verified in ${long.verify_seconds} s with ${long.verify_memory_mib} MiB more memory.`,
      ""
    )
  }
  const large = of("load-large-project")
  if (large !== undefined) {
    out.push(
      `A project of ${count(large.mib)} MiB in ${large.sessions} sessions:`,
      "",
      table(
        ["command", "seconds", "most memory, MiB"],
        Object.entries(large.costs).map(([name, cost]) => [name, cost.seconds, cost.peak_mib])
      ),
      ""
    )
  }
  const inProject = of("load-many-in-project")
  if (inProject !== undefined) {
    out.push(
      table(
        [
          "command",
          `seconds, ${count(inProject.few)} sessions`,
          `seconds, ${count(inProject.many)} sessions`,
          "ratio (at most 20)",
          "most memory, MiB"
        ],
        Object.entries(inProject.costs).map(([name, at]) => [
          name,
          at[inProject.few].seconds,
          at[inProject.many].seconds,
          inProject.ratios[name],
          at[inProject.many].peak_mib
        ])
      ),
      ""
    )
  }
  out.push("## Fuzz", "", ranAs(of("fuzz.run")), "")
  const fuzzed = ["claude", "codex", "gemini", "antigravity", "stdin", "files", "readers"].flatMap((name) => {
    const report = of(`fuzz-${name}`)
    return report === undefined ? [] : fuzzRows(report).map(([target, ...rest]) => [`${name}: ${target}`, ...rest])
  })
  if (fuzzed.length > 0) out.push(table(["target", "cases", "slowest ms", "faults"], fuzzed), "")
  out.push(
    "## Security",
    "",
    ranAs(of("security.run")),
    "",
    "What is attacked and what is not defended: [SECURITY.md](../SECURITY.md).",
    ""
  )
  const audit = of("audit")
  if (audit !== undefined) {
    const licenses = new Map()
    for (const { license } of audit.packages) licenses.set(license, (licenses.get(license) ?? 0) + 1)
    const known =
      audit.known_faults === "not asked"
        ? "the registry was not to be asked for known faults"
        : `${audit.known_faults} known faults`
    out.push(
      `\`npm run audit\` on ${audit.date.slice(0, 10)}: ${audit.packages.length} packages are shipped (${[...licenses].map(([name, n]) => `${name} ${n}`).join(", ")}), ${known}.`,
      ""
    )
  }
  out.push(
    "## Speed",
    "",
    ranAs(of("bench.run")),
    "",
    "Ratios are to `node -e 0` in the same run: machines differ and are shared.",
    ""
  )
  const hooks = of("hooks")
  if (hooks !== undefined) {
    out.push(
      table(
        ["hook", "median ms", "least ms", "ratio"],
        Object.entries(hooks.times).map(([name, t]) => [name, t.median_ms, t.min_ms, t.ratio])
      ),
      ""
    )
  }
  const measured = of("commands")
  if (measured !== undefined) {
    for (const { title, note, rows } of measured.tables) {
      out.push(`### ${title}`, "", ...(note === undefined ? [] : [note, ""]))
      out.push(
        table(
          ["", "median ms", "least ms", "ratio"],
          rows.map((/** @type {Json} */ r) => [r.name, r.median_ms, r.min_ms, r.ratio])
        ),
        ""
      )
    }
    for (const missing of measured.missing) out.push(`- ${missing}`)
    if (measured.missing.length > 0) out.push("")
  }
  const faults = JSON.parse(fs.readFileSync(path.join(root, "scripts", "proof-faults.json"), "utf8"))
  out.push("## Faults that the suites found", "", "Each with what was done, and the test of its kind.", "")
  out.push(
    table(
      ["found by", "fault", "what holds now", "test"],
      faults.map((/** @type {Json} */ f) => [
        f.found_by,
        f.fault,
        f.fix,
        f.test
          .split(", ")
          .map((/** @type {string} */ t) => `\`${t}\``)
          .join(", ")
      ])
    ),
    ""
  )
  return out.join("\n")
}
