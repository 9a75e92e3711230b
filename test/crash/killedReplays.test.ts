import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { inject } from "vitest"
import type { LedgerLine } from "../../src/experiment/ledger.ts"
import type { Fault } from "../support/faultPoints.ts"
import { reportFigures, seed, sizeOf } from "../support/proofRun.ts"
import { compiledHook } from "../support/recording.ts"
import { seededRandom } from "../support/seededRandom.ts"
import { changes, tracedIn } from "./crashUser.ts"
import { archivesOf, bytesOf, leftovers, type ReplayUser, replayUser } from "./replayUser.ts"

/** How many die of each; `npm run test:crash` kills at every operation that changes something, before it and after it. */
const kills = sizeOf("CRASH_REPLAY_KILLS", 4)

const recordedUser = Effect.tap(replayUser(compiledHook(inject("faultyProgram"))), (user) =>
  Effect.promise(async () => {
    const args = ["install", "antigravity", user.project, "--scope", "user", "--yes", "--session-recording", "assist"]
    const end = await user.lintAi(args)
    if (end.exitCode !== 0) throw new Error(`${end.stdout}${end.stderr}`)
  })
)

/** Every operation of a program, before it and after it. Of reads one in twelve: the same death many times over. */
const faultsOf = async (user: ReplayUser, args: ReadonlyArray<string>): Promise<ReadonlyArray<Fault>> => {
  const trace = path.join(user.directory, "trace")
  const end = await user.lintAi(args, { env: { LINT_AI_TEST_TRACE: trace } })
  if (end.exitCode !== 0) throw new Error(`${args.join(" ")}: ${end.stdout}${end.stderr}`)
  const random = seededRandom(seed)
  const points = tracedIn(trace).filter(({ operation }) => changes.has(operation) || random.oneIn(12))
  fs.rmSync(trace)
  const faults = points.flatMap(
    (point): ReadonlyArray<Fault> => [
      { ...point, side: "before", action: "kill" },
      { ...point, side: "after", action: "kill" },
      ...(point.operation === "write" ? [{ ...point, side: "before", action: "tear" } as const] : [])
    ]
  )
  return random.sample(faults, Math.min(kills, faults.length))
}
const nameOf = ({ action, nth, operation, place, side }: Fault) => `${action} ${side} ${place} ${operation} ${nth}`

/**
 * What of a user neither a replay nor an experiment may touch: replays have archives of their own. A lock is taken from an owner that is dead by whoever
 * wants it next, and its temporary names go with `sessions recover`.
 */
const ownOf = (user: ReplayUser) => {
  const replayed = (file: string) =>
    /[/\\]antigravity-sessions[/\\](antigravity-replay-|\.frozen)/.test(file) ||
    file.endsWith("diagnostics.jsonl") ||
    /[/\\]lock(\.break)*(\.[^.]*\.tmp)?$/.test(file)
  return bytesOf([user.project, user.home, user.config], replayed)
}

const differing = (before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>) =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((file) => before[file] !== after[file])

describe("a replay that is killed at any of its operations on the disk", () => {
  it.live(
    `changes nothing of the user's, is not taken for a whole one, and leaves nothing to the next one (${kills} killed, seed ${seed})`,
    () =>
      Effect.gen(function* () {
        const user = yield* recordedUser
        const wrong: Array<string> = []
        const killed: Array<string> = []
        yield* Effect.promise(async () => {
          const id = user.converse()
          const replay = ["replay", `antigravity:${id}`, "--enable-lint-ai", "--json"]
          // Once before, after which the baseline is frozen.
          const faults = await faultsOf(user, replay)
          const before = ownOf(user)
          for (const fault of faults) {
            const note = (what: string) => wrong.push(`${nameOf(fault)}: ${what}`)
            const known = archivesOf(user)
            const end = await user.lintAi(replay, { faults: [fault] })
            if (end.signal !== "SIGKILL") continue
            killed.push(nameOf(fault))
            for (const file of differing(before, ownOf(user))) note(`${file} is another one`)
            const made = archivesOf(user).filter((directory) => !known.includes(directory))
            const listed = await user.lintAi(["sessions", "list", "--json"])
            if (listed.exitCode !== 0) note(`the list gives ${listed.exitCode}: ${listed.stdout}`)
            const sessions: ReadonlyArray<{ path: string; status: string }> = JSON.parse(listed.stdout).sessions ?? []
            for (const { path: directory, status } of sessions.filter((one) => made.includes(one.path))) {
              const log = path.join(directory, "events.jsonl")
              const closed = fs.existsSync(log) && fs.readFileSync(log, "utf8").includes('"phase":"end"')
              if (status === "completed" && !closed) note("it is listed as completed")
            }
            ageTemporaries(user.state)
            const next = await user.lintAi(replay)
            if (next.exitCode !== 0 || JSON.parse(next.stdout).replays[0]?.status !== "completed") {
              note(`the next one gives ${next.exitCode}: ${next.stdout} ${next.stderr}`)
            }
            for (const file of leftovers(user)) note(`${path.relative(user.directory, file)} is left`)
            for (const file of differing(before, ownOf(user))) note(`after the next one ${file} is another one`)
          }
        })
        reportFigures("crash-replays", { killed: killed.length })
        assert.isAtLeast(killed.length, Math.min(kills, 1))
        assert.deepStrictEqual(wrong.slice(0, 20), [])
      }).pipe(Effect.scoped),
    120_000 + kills * 30_000
  )
})

const experimentIn = (user: ReplayUser) => {
  const directory = path.join(user.directory, "lab")
  const write = (name: string, value: object) => fs.writeFileSync(path.join(directory, name), JSON.stringify(value))
  fs.mkdirSync(directory)
  write("port.json", {
    schema_version: 1,
    id: "port",
    category: "decision-recall",
    setup_messages: [],
    continuation_prompt: "Which port does the retryQueue use?",
    expected_facts: [{ id: "answer", match_any: ["Answer"] }],
    validators: [],
    limits: {}
  })
  write("experiment.json", {
    schema_version: 1,
    id: "ports",
    arms: ["native", "lint-ai"].map((preset) => ({ preset, provider: "antigravity" })),
    variable: ["lint_ai", "native_memory"],
    scenarios: ["port.json"],
    repetitions: 1,
    parallelism: 1,
    memory: { from: "empty" },
    metrics: { primary: "quality", others: [] },
    repository: { path: path.relative(directory, user.project) }
  })
  return (root: string) => [
    "experiment",
    "run",
    path.join(directory, "experiment.json"),
    "--root",
    root,
    "--yes",
    "--json"
  ]
}

/** Lines of the ledger; the last one may have been cut. Throws where another one is no JSON. */
const ledgerIn = (root: string): ReadonlyArray<LedgerLine> => {
  const file = path.join(root, "ledger.jsonl")
  if (!fs.existsSync(file)) return []
  const lines = fs.readFileSync(file, "utf8").split("\n").slice(0, -1)
  return lines.map((line) => JSON.parse(line))
}

const cellsIn = (lines: ReadonlyArray<LedgerLine>, type: "started" | "completed") =>
  lines.flatMap((line) => (line.type === type ? [line.cell] : []))

describe("an experiment that is killed at any of its operations on the disk", () => {
  it.live(
    `goes on where it was cut, and changes nothing of the user's (${kills} killed, seed ${seed})`,
    () =>
      Effect.gen(function* () {
        const user = yield* recordedUser
        const wrong: Array<string> = []
        const killed: Array<string> = []
        yield* Effect.promise(async () => {
          user.converse()
          const runIn = experimentIn(user)
          const faults = await faultsOf(user, runIn(path.join(user.directory, "first")))
          const before = ownOf(user)
          for (const [at, fault] of faults.entries()) {
            const note = (what: string) => wrong.push(`${nameOf(fault)}: ${what}`)
            const root = path.join(user.directory, `root-${at}`)
            const end = await user.lintAi(runIn(root), { faults: [fault] })
            if (end.signal !== "SIGKILL") continue
            killed.push(nameOf(fault))
            for (const file of differing(before, ownOf(user))) note(`${file} is another one`)
            const atKill = ledgerIn(root)
            const completed = cellsIn(atKill, "completed")
            const cut = cellsIn(atKill, "started").filter((cell) => !completed.includes(cell))
            const results = bytesOf(
              [root].filter(fs.existsSync),
              (file) => !file.startsWith(path.join(root, "results"))
            )
            if (atKill.length > 0) {
              const told = await user.lintAi(["experiment", "report", root, "--json"])
              if (told.exitCode !== 0) note(`its report gives ${told.exitCode}: ${told.stdout}${told.stderr}`)
            }
            for (const directory of [user.state, root]) ageTemporaries(directory)
            const again = await user.lintAi(runIn(root))
            if (again.exitCode !== 0) {
              note(`run again it gives ${again.exitCode}: ${again.stdout}${again.stderr}`)
              continue
            }
            const { report, run } = JSON.parse(again.stdout)
            const done = { planned: 2, earlier: completed.length, completed: 2 - completed.length, failed: 0, cut }
            assert.deepInclude(run, done, nameOf(fault))
            const excluded = report.excluded.map((one: { cell: string; reason: string }) => [one.cell, one.reason])
            assert.deepStrictEqual(
              excluded,
              cut.map((cell) => [cell, "aborted"]),
              nameOf(fault)
            )
            if (report.cautions.some((one: string) => one.includes("cannot be read"))) note("the ledger is damaged")
            const starts = cellsIn(ledgerIn(root), "started")
            for (const cell of completed) {
              if (starts.filter((one) => one === cell).length !== 1) note(`${cell} ran again`)
            }
            for (const [file, bytes] of Object.entries(results)) {
              const now = fs.existsSync(file) ? fs.readFileSync(file, "latin1") : undefined
              if (!file.endsWith(".tmp") && completed.some((cell) => file.includes(cellFile(cell))) && now !== bytes) {
                note(`${file} is another one`)
              }
            }
            for (const file of [...leftovers(user), ...leftIn(root)]) {
              note(`${path.relative(user.directory, file)} is left`)
            }
            for (const file of differing(before, ownOf(user))) note(`after the next run ${file} is another one`)
            fs.rmSync(root, { recursive: true })
          }
        })
        reportFigures("crash-experiments", { killed: killed.length })
        assert.isAtLeast(killed.length, Math.min(kills, 1))
        assert.deepStrictEqual(wrong.slice(0, 20), [])
      }).pipe(Effect.scoped),
    120_000 + kills * 60_000
  )
})

/** Files that a writer at work may still want are left alone: these are old now. */
const ageTemporaries = (directory: string): void => {
  if (!fs.existsSync(directory)) return
  for (const name of fs.readdirSync(directory, { recursive: true, encoding: "utf8" })) {
    if (name.endsWith(".tmp")) fs.utimesSync(path.join(directory, name), 0, 0)
  }
}

/** A cell is named for its arm, in whose directory its result is. */
const cellFile = (cell: string) => `${path.sep}${cell.includes("lint-ai") ? "lint-ai" : "native"}${path.sep}`

/** What an experiment that has ended has no more. The archives of a cut attempt stay as they were cut. */
const leftIn = (root: string): ReadonlyArray<string> =>
  fs
    .readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => /^places[/\\]|^agents|\.lock|\.tmp$/.test(name) && !/^sessions[/\\]/.test(name))
    .map((name) => path.join(root, name))
