import * as fs from "node:fs"
import * as path from "node:path"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type LedgerLine, ledgerFile } from "../../src/experiment/ledger.ts"
import type { ExperimentReport } from "../../src/experiment/report.ts"
import type { RunSummary } from "../../src/experiment/runExperiment.ts"
import { fileAppears, fileHolds } from "../support/fileEvents.ts"
import { type Finished, run, start } from "../support/program.ts"
import { untouched, worktreesOf } from "./replay.ts"

const subjects = [
  { id: "queue", name: "retryQueue", port: 6380 },
  { id: "cache", name: "pageCache", port: 7411 },
  { id: "mailer", name: "mailWorker", port: 8525 }
] as const

/** What the fake model says: it decides on a port when it is set up, and knows it later only when it stands in the request. */
export const portAnswers = Object.fromEntries(
  subjects.flatMap(({ id, name, port }) => [
    [`decide-${id}`, [{ text: `The ${name} connects on port ${port}. We decided to read it from the environment.` }]],
    [`ask-${id}`, [{ text: "I do not know.", told: { words: `port ${port}`, text: `It is ${port}.` } }]]
  ])
)

/** Where an experiment is tried: a user with a project, and how lint-ai is run as that user. */
export interface Bench {
  readonly root: string
  readonly project: string
  readonly lintAi: string
  readonly env: Readonly<Record<string, string>>
}

export interface Design {
  readonly provider: "claude" | "codex" | "gemini"
  readonly model?: string
  readonly args?: ReadonlyArray<string>
  readonly scenarios: number
  readonly repetitions: number
  readonly parallelism: number
  /** Metrics beside quality: each one more asks for more pairs. */
  readonly others: ReadonlyArray<string>
}

/** Writes the experiment beside the project and gives its file and its root. */
export const writeExperiment = (bench: Bench, design: Design) => {
  const directory = path.join(bench.root, "lab")
  fs.mkdirSync(path.join(directory, "scenarios"), { recursive: true })
  const scenarios = subjects.slice(0, design.scenarios).map(({ id, name, port }) => {
    const file = path.join(directory, "scenarios", `${id}.json`)
    fs.writeFileSync(
      file,
      JSON.stringify({
        schema_version: 1,
        id,
        category: "decision-recall",
        setup_messages: [{ prompt: `scenario:decide-${id} Why does the ${name} fail to connect?` }],
        continuation_prompt: `scenario:ask-${id} The ${name} cannot connect, which port is right?`,
        expected_facts: [{ id: "port", match_any: [String(port)] }],
        validators: [{ name: "notes", command: [process.execPath, "-e", "require('fs').statSync('notes.txt')"] }],
        limits: { max_duration_seconds: 600 }
      })
    )
    return `scenarios/${id}.json`
  })
  const { args, model, provider } = design
  const arm = (preset: string) => ({
    preset,
    provider,
    ...(model === undefined ? undefined : { model }),
    ...(args === undefined ? undefined : { args })
  })
  const file = path.join(directory, "experiment.json")
  fs.writeFileSync(
    file,
    JSON.stringify({
      schema_version: 1,
      id: `ports-${provider}`,
      arms: [arm("native"), arm("lint-ai")],
      variable: ["lint_ai", "native_memory"],
      scenarios,
      repetitions: design.repetitions,
      parallelism: design.parallelism,
      memory: { from: "empty" },
      metrics: { primary: "quality", others: design.others },
      repository: { path: "../project" }
    })
  )
  return { file, root: path.join(bench.root, "lab-root") }
}

type Written = ReturnType<typeof writeExperiment>

const command = (bench: Bench, written: Written) => ({
  command: bench.lintAi,
  args: ["experiment", "run", written.file, "--root", written.root, "--yes", "--json"],
  cwd: bench.project,
  env: bench.env
})

/** What `experiment run --json` prints. */
export interface Ran {
  readonly run: RunSummary
  readonly report: ExperimentReport
}

export const runToEnd = (bench: Bench, written: Written) =>
  Effect.map(run(command(bench, written), "15 minutes"), (end: Finished): Ran => {
    if (end.exitCode !== 0) throw new Error(`experiment run gave ${end.exitCode}: ${end.stdout}${end.stderr}`)
    return JSON.parse(end.stdout)
  })

/**
 * Starts a run and kills it with SIGKILL in the middle of a cell, when so many others are completed. Gives the ledger as it was then, and where the archives
 * of that cell are.
 */
export const killAfter = (bench: Bench, written: Written, completed: number) =>
  Effect.scoped(
    Effect.gen(function* () {
      fs.mkdirSync(written.root)
      const running = yield* start(command(bench, written))
      const text = yield* fileHolds(ledgerFile(written.root), (now) => {
        const lines = linesOf(now)
        return lines.filter(({ type }) => type === "completed").length >= completed && lines.at(-1)?.type === "started"
      })
      const last = linesOf(text).at(-1)
      const directory = last?.type === "started" ? last.directory : ""
      // Its first conversation has begun: there is an archive, and the agent runs.
      yield* fileAppears(directory)
      yield* somethingIn(directory)
      yield* running.signal("SIGKILL")
      yield* running.finished
      return { lines: ledgerOf(written), directory }
    })
  )

const somethingIn = (directory: string): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    const look = () => {
      if (fs.readdirSync(directory).length === 0) return
      watcher.close()
      resume(Effect.void)
    }
    const watcher = fs.watch(directory, look)
    look()
    return Effect.sync(() => watcher.close())
  })

export const ledgerOf = ({ root }: Written): ReadonlyArray<LedgerLine> =>
  linesOf(fs.readFileSync(ledgerFile(root), "utf8"))

const linesOf = (text: string): ReadonlyArray<LedgerLine> =>
  text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line))

/** Bytes of the results of cells that are completed. */
export const resultsOf = ({ root }: Written): Readonly<Record<string, string>> =>
  fs.existsSync(path.join(root, "results")) ? untouched([path.join(root, "results")]) : {}

/** The report finds exactly what was built in: the arm with lint-ai knows the ports, the other one does not. */
export const findsExactly = ({ report }: Ran, pairs: number): void => {
  assert.deepStrictEqual(
    report.arms.map(({ judged, n, name, passed }) => ({ name, n, judged, passed })),
    [
      { name: "native", n: pairs, judged: pairs, passed: 0 },
      { name: "lint-ai", n: pairs, judged: pairs, passed: pairs }
    ]
  )
  const [comparison] = report.comparisons
  const quality = comparison?.metrics.find(({ metric }) => metric === "quality")
  const counts = { both: 0, neither: 0, only_arm: pairs, only_baseline: 0 }
  assert.deepInclude(quality, { n: pairs, estimate: 1, pairs: counts, verdict: "higher" })
  assert.match(report.findings[0] ?? "", /^Quality: higher with lint-ai than with native/)
  assert.strictEqual(comparison?.discordant.length, pairs)
  assert.isTrue(comparison?.discordant.every(({ missed }) => missed.join() === "expected fact port"))
  for (const { failed_session, passed_session } of comparison?.discordant ?? []) {
    for (const { directory } of [failed_session, passed_session]) {
      assert.isTrue(fs.existsSync(path.join(directory, "events.jsonl")), directory)
    }
  }
  const injected = comparison?.metrics.find(({ metric }) => metric === "injected_bytes")
  if (injected !== undefined) {
    assert.strictEqual(injected.baseline_value, 0)
    assert.isAbove(injected.arm_value ?? 0, 50)
    assert.strictEqual(injected.verdict, "higher")
  }
  assert.deepStrictEqual(report.differences, [])
}

/** Nothing but archives and results is left, and the repository knows no further work tree. */
export const leavesNothing = (bench: Bench, { root }: Written): void => {
  const places = path.join(root, "places")
  assert.deepStrictEqual(fs.existsSync(places) ? fs.readdirSync(places) : [], [])
  assert.deepStrictEqual(worktreesOf(bench.project), [])
  assert.isFalse(fs.existsSync(path.join(root, "run.lock")))
}
