import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { ledgerFile, readLedger } from "../../src/experiment/ledger.ts"
import { openExperiment } from "../../src/experiment/openExperiment.ts"
import { runExperiment } from "../../src/experiment/runExperiment.ts"
import { sha256 } from "../../src/platform/digest.ts"
import { PlaceError } from "../../src/replay/IsolatedAgent.ts"
import { append, ended, filesOf, prompt, session, started } from "../support/events.ts"
import { machineOf, snapshot } from "../support/recording.ts"
import { laboratory, layersOf, remembers, reportIn, runIn, scenario, twoArms, writeJson } from "./laboratory.ts"

const ledgerOf = (lab: { readonly root: string; readonly user: Parameters<typeof machineOf>[0] }) =>
  readLedger(lab.root).pipe(
    Effect.map(({ lines }) => lines),
    Effect.provide(machineOf(lab.user))
  )

describe("an experiment", () => {
  it.live("finds that the arm with a memory answers, and gives each arm its own score", () =>
    Effect.gen(function* () {
      const lab = yield* laboratory()
      const before = snapshot(lab.user.project)
      const summary = yield* runIn(lab)
      assert.deepInclude(summary, { planned: 30, earlier: 0, completed: 30, failed: 0, cut: [] })
      const report = yield* reportIn(lab)
      assert.deepStrictEqual(
        report.arms.map(({ judged, name, pass_rate }) => ({ name, judged, pass_rate })),
        [
          { name: "native", judged: 15, pass_rate: 0 },
          { name: "lint-ai", judged: 15, pass_rate: 1 }
        ]
      )
      const [comparison] = report.comparisons
      const quality = comparison?.metrics.find(({ metric }) => metric === "quality")
      assert.deepInclude(quality, {
        verdict: "higher",
        n: 15,
        estimate: 1,
        pairs: { both: 0, neither: 0, only_arm: 15, only_baseline: 0 }
      })
      // 2 / 2^15, times the two metrics that were observed.
      assert.isAtMost(Math.abs((quality?.test?.p ?? 1) - 2 ** -14), 1e-12)
      assert.strictEqual(quality?.test?.p_holm, 2 * (quality?.test?.p ?? 0))
      assert.strictEqual(comparison?.discordant.length, 15)
      const [pair] = comparison?.discordant ?? []
      assert.deepInclude(pair, { passed: "lint-ai", failed: "native", missed: ["expected fact port"] })
      assert.isTrue(fs.existsSync(path.join(pair?.failed_session.directory ?? "", "events.jsonl")))
      const time = comparison?.metrics.find(({ metric }) => metric === "working_ms")
      assert.strictEqual(time?.verdict, "none")
      assert.match(time?.words ?? "", /no difference detectable at n = 15/)
      assert.strictEqual(report.status, "complete")
      assert.deepStrictEqual(report.excluded, [])
      assert.deepStrictEqual(report.differences, [])
      // Nothing is left of the places, and nothing came into the project.
      assert.deepStrictEqual(fs.readdirSync(path.join(lab.root, "places")), [])
      assert.deepStrictEqual(snapshot(lab.user.project), before)
    })
  )

  it.live("sets up in one session and scores another in the same place, in ABBA order", () =>
    Effect.gen(function* () {
      const lab = yield* laboratory({ ...twoArms, scenarios: ["scenarios/a.json"], repetitions: 2 })
      yield* runIn(lab)
      assert.deepStrictEqual(
        lab.stage.conversations.map(({ arm, prompts }) => `${arm}: ${prompts.join()}`),
        ["native", "lint-ai", "lint-ai", "native"].flatMap((arm) => [
          `${arm}: Remember that a listens on 6380.`,
          `${arm}: Where does a listen?`
        ])
      )
      assert.strictEqual(new Set(lab.stage.places).size, 4)
    })
  )

  it.live("runs no completed cell again", () =>
    Effect.gen(function* () {
      const lab = yield* laboratory({ ...twoArms, repetitions: 1 })
      yield* runIn(lab)
      const results = snapshot(path.join(lab.root, "results"))
      const again = yield* runIn(lab, () => ({ answer: "not asked" }))
      assert.deepInclude(again, { earlier: 6, completed: 0 })
      assert.deepStrictEqual(snapshot(path.join(lab.root, "results")), results)
    })
  )

  it.live("keeps a cell that was cut by a kill as aborted, leaves it out by name and runs it again", () =>
    Effect.gen(function* () {
      const lab = yield* laboratory({ ...twoArms, repetitions: 1, scenarios: ["scenarios/a.json"] })
      yield* runIn(lab)
      // As a kill leaves it: the last cell started, and nothing after that; the last line is torn.
      const lines = fs.readFileSync(ledgerFile(lab.root), "utf8").split("\n")
      fs.writeFileSync(ledgerFile(lab.root), `${lines.slice(0, -2).join("\n")}\n{"type":"comple`)
      const partial = yield* reportIn(lab)
      assert.strictEqual(partial.status, "partial")
      const summary = yield* runIn(lab)
      assert.deepInclude(summary, { earlier: 1, completed: 1, cut: ["a/lint-ai/1"] })
      const report = yield* reportIn(lab)
      assert.deepInclude(report.cells, { planned: 2, completed: 2, aborted_attempts: 1, missing: 0 })
      assert.deepInclude(report.excluded[0], { cell: "a/lint-ai/1", attempt: 1, reason: "aborted" })
      assert.match(report.excluded[0]?.why ?? "", /killed; it was run again/)
      assert.isTrue(fs.existsSync(report.excluded[0]?.directory ?? ""))
      assert.strictEqual(report.results.find(({ cell }) => cell === "a/lint-ai/1")?.attempt, 2)
    })
  )

  it.live("runs a cell again whose result was changed on the disk", () =>
    Effect.gen(function* () {
      const lab = yield* laboratory({ ...twoArms, repetitions: 1, scenarios: ["scenarios/a.json"] })
      yield* runIn(lab)
      const result = path.join(lab.root, "results", "native", "a-1-1.json")
      fs.writeFileSync(result, fs.readFileSync(result, "utf8").replace('"fail"', '"pass"'))
      assert.deepStrictEqual((yield* reportIn(lab)).cells.completed, 1)
      assert.deepInclude(yield* runIn(lab), { completed: 1, cut: ["a/native/1"] })
    })
  )

  it.live("goes on when cells fail, and leaves them out with their partners by name", () =>
    Effect.gen(function* () {
      const lab = yield* laboratory()
      const failing = (part: Parameters<typeof remembers>[0]) => {
        const fails = part.arm.name === "native" && part.prompts[0]?.startsWith("Where does b") === true
        return fails ? { answer: "", fails: "The service was not there.", exitCode: 1 } : remembers(part)
      }
      const summary = yield* runIn(lab, failing)
      assert.deepInclude(summary, { completed: 25, failed: 5 })
      const report = yield* reportIn(lab)
      assert.deepStrictEqual(
        report.excluded.map(({ cell, reason }) => `${cell} ${reason}`).sort(),
        [1, 2, 3, 4, 5].flatMap((at) => [`b/lint-ai/${at} partner`, `b/native/${at} failed`]).sort()
      )
      assert.match(report.excluded.find(({ reason }) => reason === "failed")?.why ?? "", /The service was not there/)
      assert.strictEqual(report.comparisons[0]?.pairs, 10)
      // The arm that failed keeps the score of what it did do.
      assert.deepStrictEqual(
        report.arms.map(({ failed, judged, passed }) => [failed, judged, passed]),
        [
          [5, 10, 0],
          [0, 15, 15]
        ]
      )
      assert.isTrue(report.cautions.some((caution) => caution.startsWith("Arms failed unequally often")))
      // A failure stands, unless one asks for another try.
      assert.deepInclude(yield* runIn(lab), { earlier: 30 })
      assert.deepInclude(yield* runIn(lab, remembers, { retryFailed: true }), { earlier: 25, completed: 5 })
      assert.strictEqual((yield* reportIn(lab)).comparisons[0]?.pairs, 15)
    })
  )

  it.live("goes on when an arm's place cannot be made, and when lint-ai itself has a fault", () =>
    Effect.gen(function* () {
      const lab = yield* laboratory({ ...twoArms, repetitions: 1 })
      const summary = yield* runIn(lab, (part) => {
        if (part.prompts[0]?.includes(" a ") === true) {
          return Effect.fail(new PlaceError({ arm: part.arm.name, reason: "there is no agent" }))
        }
        if (part.prompts[0]?.includes(" b ") === true) throw new TypeError("of undefined")
        return remembers(part)
      })
      assert.deepInclude(summary, { completed: 2, failed: 4 })
      const why = (yield* reportIn(lab)).excluded.map((one) => one.why)
      assert.isTrue(why.some((text) => text.includes("there is no agent")))
      assert.isTrue(why.some((text) => text.includes("a fault in lint-ai: TypeError of undefined")))
    })
  )

  it.live("scores an agent that was ended at the scenario's own limit of time: it did not keep it", () =>
    Effect.gen(function* () {
      const lab = yield* laboratory({ ...twoArms, repetitions: 1, scenarios: ["scenarios/a.json"] }, [
        scenario("a", { limits: { max_duration_seconds: 5 } })
      ])
      yield* runIn(lab, (part) =>
        part.arm.name === "native" && part.prompts[0]?.startsWith("Where") === true
          ? { answer: "", fails: "The time was over.", exitCode: undefined, durationMs: 5001 }
          : remembers(part)
      )
      const report = yield* reportIn(lab)
      assert.strictEqual(report.cells.failed, 0)
      assert.isTrue(report.comparisons[0]?.discordant[0]?.missed.includes("limit max_duration_seconds"))
    })
  )

  it.live("notes cells as aborted when it is interrupted, with no place left, and finishes them later", () =>
    Effect.gen(function* () {
      const lab = yield* laboratory({ ...twoArms, repetitions: 2 })
      const reached = yield* Deferred.make<void>()
      let conversations = 0
      const running = yield* Effect.forkChild(
        runIn(lab, (part) =>
          ++conversations === 8 ? Effect.andThen(Deferred.succeed(reached, undefined), Effect.never) : remembers(part)
        )
      )
      yield* Deferred.await(reached)
      yield* Fiber.interrupt(running)
      assert.deepStrictEqual(fs.readdirSync(path.join(lab.root, "places")), [])
      const states = (yield* ledgerOf(lab)).map(({ type }) => type)
      assert.deepStrictEqual(states.slice(-2), ["started", "aborted"])
      assert.isFalse(fs.existsSync(path.join(lab.root, "run.lock")))
      assert.deepInclude(yield* runIn(lab), { earlier: 3, completed: 9, cut: [] })
      const report = yield* reportIn(lab)
      assert.deepInclude(report.cells, { completed: 12, aborted_attempts: 1 })
      assert.match(report.excluded[0]?.why ?? "", /interrupted; it was run again/)
    })
  )

  it.live("refuses a second run in the same root with a sentence", () =>
    Effect.gen(function* () {
      const lab = yield* laboratory({ ...twoArms, repetitions: 1 })
      const reached = yield* Deferred.make<void>()
      const first = yield* Effect.forkChild(
        runIn(lab, () => Effect.andThen(Deferred.succeed(reached, undefined), Effect.never))
      )
      yield* Deferred.await(reached)
      const second = yield* Effect.flip(runIn(lab))
      assert.strictEqual(second._tag, "ExperimentRunning")
      assert.match(second.message, /runs this experiment in .*what is completed is kept/)
      yield* Fiber.interrupt(first)
    })
  )

  it.live("refuses a root that was begun with another experiment, scenario or memory, and says which", () =>
    Effect.gen(function* () {
      const memory = { from: "named", directory: "memory" }
      const lab = yield* laboratory({ ...twoArms, memory, repetitions: 1 })
      const beside = (name: string) => path.join(path.dirname(lab.file), name)
      writeJson(beside("memory/one.json"), {})
      yield* runIn(lab)
      const refusal = Effect.map(Effect.flip(runIn(lab)), (error) => {
        assert.strictEqual(error._tag, "ExperimentChanged")
        return error.message
      })
      writeJson(beside("scenarios/b.json"), scenario("b", { continuation_prompt: "And now?" }))
      assert.match(yield* refusal, /another scenario b or revision of its project/)
      writeJson(beside("scenarios/b.json"), scenario("b"))
      writeJson(beside("memory/two.json"), {})
      assert.match(yield* refusal, /another memory .*memory/)
      fs.rmSync(beside("memory/two.json"))
      writeJson(lab.file, { ...twoArms, memory, repetitions: 2 })
      assert.match(yield* refusal, /another experiment/)
      // Words and the number of cells at a time change no result.
      writeJson(lab.file, { ...twoArms, memory, repetitions: 1, description: "Ports.", parallelism: 4 })
      assert.deepInclude(yield* runIn(lab), { earlier: 6 })
    })
  )

  it.live("runs cells side by side, each in a place of its own", () =>
    Effect.gen(function* () {
      const lab = yield* laboratory({ ...twoArms, parallelism: 4 })
      const together = yield* Deferred.make<void>()
      let arrived = 0
      const summary = yield* runIn(
        lab,
        (part) =>
          Effect.gen(function* () {
            if (++arrived === 4) yield* Deferred.succeed(together, undefined)
            yield* Deferred.await(together)
            return remembers(part)
          }),
        { parallelism: 4 }
      )
      assert.deepInclude(summary, { completed: 30 })
      assert.strictEqual(new Set(lab.stage.places).size, 30)
      assert.strictEqual(lab.stage.most, 4)
      assert.strictEqual((yield* reportIn(lab)).arms[1]?.passed, 15)
    })
  )

  it.live("shows in the A/A lane what the baseline differs in from itself", () =>
    Effect.gen(function* () {
      const lab = yield* laboratory({ ...twoArms, aa_lane: true })
      assert.deepInclude(yield* runIn(lab), { planned: 45, completed: 45 })
      const report = yield* reportIn(lab)
      assert.deepStrictEqual(
        report.arms.map(({ lane, name, passed }) => [name, lane, passed]),
        [
          ["native", false, 0],
          ["lint-ai", false, 15],
          ["native-again", true, 0]
        ]
      )
      assert.deepStrictEqual([report.comparisons.length, report.noise?.arm], [1, "native-again"])
      assert.isTrue(report.noise?.metrics.every(({ verdict }) => verdict === "none" || verdict === "absent"))
    })
  )

  it.live("flags an agent that was updated in the course", () =>
    Effect.gen(function* () {
      const lab = yield* laboratory({ ...twoArms, repetitions: 1 })
      let places = 0
      yield* Effect.gen(function* () {
        const opened = yield* openExperiment(lab.file, lab.user.project)
        yield* runExperiment(opened, {
          ...{ root: lab.root, parallelism: 1, keep: false, retryFailed: false, agreed: new Set<string>() },
          began: () => Effect.void,
          ended: () => Effect.void
        })
      }).pipe(Effect.provide(layersOf(lab, remembers, () => (++places > 4 ? "1.2.4" : "1.2.3"))))
      const { differences } = yield* reportIn(lab)
      assert.deepStrictEqual(
        differences.map(({ field, within }) => [field, within]),
        [
          ["agent_version", "native"],
          ["agent_version", "lint-ai"]
        ]
      )
    })
  )

  it.live("runs commands of a scenario only where the user agreed to them", () =>
    Effect.gen(function* () {
      const validators = [{ name: "exists", command: [process.execPath, "-e", "0"] }] as const
      const lab = yield* laboratory({ ...twoArms, repetitions: 1, scenarios: ["scenarios/a.json"] }, [
        scenario("a", { validators })
      ])
      yield* runIn(lab)
      const report = yield* reportIn(lab)
      // A missing fact fails whatever a command would say; what no command has judged has not passed.
      assert.deepStrictEqual(
        report.results.map(({ verdict }) => verdict),
        ["fail", "unknown"]
      )
      assert.isTrue(report.cautions.some((caution) => caution.includes("could not be judged")))
      const opened = yield* openExperiment(lab.file, lab.user.project).pipe(Effect.provide(layersOf(lab)))
      const agreed = new Set(opened.tasks.map(({ file }) => file.digest))
      const other = { ...lab, root: `${lab.root}-2` }
      yield* runIn(other, remembers, { agreed })
      assert.deepStrictEqual(
        (yield* reportIn(other)).results.map(({ verdict }) => verdict),
        ["fail", "pass"]
      )
    })
  )

  it.live("freezes the recording that a scenario is made of, and refuses one that is not what it was", () =>
    Effect.gen(function* () {
      const lab = yield* laboratory({ ...twoArms, repetitions: 1, scenarios: ["scenarios/a.json"] })
      yield* append(lab.user, [started(), prompt("p", "Where does a listen?"), ended()]).pipe(
        Effect.provide(machineOf(lab.user))
      )
      const archive = path.dirname(filesOf(lab.user).events)
      const source = (events: string) => ({
        source_session: {
          ...{ provider: "claude", session_id: session, archive: path.relative(lab.user.project, archive) },
          events_sha256: events
        }
      })
      const digest = sha256(fs.readFileSync(path.join(archive, "events.jsonl")))
      const file = path.join(path.dirname(lab.file), "scenarios", "a.json")
      writeJson(file, { ...scenario("a"), ...source("0".repeat(64)) })
      assert.strictEqual((yield* Effect.flip(runIn(lab)))._tag, "SourceChanged")
      writeJson(file, { ...scenario("a"), ...source(digest) })
      const before = snapshot(archive)
      yield* runIn(lab)
      assert.deepStrictEqual(snapshot(archive), before)
      assert.isTrue(fs.existsSync(path.join(path.dirname(archive), ".frozen", path.basename(archive))))
    })
  )

  it.live("refuses a root inside of the project, whose instructions would reach every arm", () =>
    Effect.gen(function* () {
      const lab = yield* laboratory()
      const inside = { ...lab, root: path.join(lab.user.project, "root") }
      const error = yield* Effect.flip(runIn(inside))
      assert.strictEqual(error._tag, "RootUnusable")
      assert.isFalse(fs.existsSync(inside.root))
    })
  )
})
