import * as fs from "node:fs"
import * as path from "node:path"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Evaluation, Scenario } from "../../src/domain/scenario.ts"
import { type FakeMessagesApi, type Scenario as Script, startFakeMessagesApi } from "../support/fakeMessagesApi.ts"
import { snapshot } from "../support/recording.ts"
import { sessionsDirectory } from "./archive.ts"
import { claudeVersions, installClaude, makeSandbox, runClaude, type Sandbox } from "./claude.ts"
import { lintAi, lintAiJson, recordProject } from "./lintAi.ts"
import { makeRepository, placesIn, untouched, worktreesOf } from "./replay.ts"

const decision = "The retryQueue connects to redis on port 6380. We decided to read REDIS_URL everywhere."
const look = (n: number): Script[number] => ({
  tools: [{ name: "Read", input: { file_path: `/nowhere/${n}` } }]
})
const scripts: Readonly<Record<string, Script>> = {
  decide: [{ text: decision }],
  // The model knows it only when it was told.
  ask: [
    {
      text: "I do not know the variable.",
      told: { words: "We decided to read REDIS_URL everywhere", text: "It is **`REDIS_URL`**." }
    }
  ],
  looking: [...Array.from({ length: 6 }, (_, n) => look(n)), { text: "Nothing there." }],
  slow: [{ text: "I think", stalls: true }]
}

interface RunResult {
  readonly role: string
  readonly session_id: string
  readonly verdict: string
  readonly path: string
  readonly evaluation: Evaluation
}
const ran = (stdout: string): ReadonlyArray<RunResult> => JSON.parse(stdout).scenarios[0].results
const verdicts = ({ evaluation }: RunResult): Readonly<Record<string, string>> =>
  Object.fromEntries([
    ...evaluation.facts.map(({ id, verdict }) => [id, verdict] as const),
    ...evaluation.validators.map(({ name, verdict }) => [name, verdict] as const),
    ...evaluation.limits.map(({ name, verdict }) => [name, verdict] as const)
  ])

/** A recorded session in a repository, whose project has one decision in its memory from before. */
const recordedSession = (claude: string, api: FakeMessagesApi, prompt: string) =>
  Effect.gen(function* () {
    const sandbox = yield* makeSandbox(api)
    makeRepository(sandbox.project)
    const binary = yield* recordProject(sandbox, claude)
    yield* lintAi(sandbox, binary, "enable", "claude")
    yield* runClaude(claude, sandbox, { prompt: "scenario:decide Why does the retryQueue fail to connect to redis?" })
    yield* lintAi(sandbox, binary, "disable", "claude")
    const { result } = yield* runClaude(claude, sandbox, { prompt })
    return { sandbox, binary, id: `claude:${result.session_id}` }
  })

/** Makes a scenario of a session and writes expectations into it, as a person does. */
const scenarioOf = (sandbox: Sandbox, binary: string, id: string, some: Partial<Scenario>) =>
  Effect.gen(function* () {
    const file = path.join(sandbox.root, "scenario.json")
    yield* lintAiJson(sandbox, binary, "--scenario-from-session", id, "--scenario-out", file)
    const made = JSON.parse(fs.readFileSync(file, "utf8"))
    fs.writeFileSync(file, JSON.stringify({ ...made, ...some }, undefined, 2))
    const { files } = yield* lintAiJson(sandbox, binary, "scenario", "validate", file)
    assert.deepStrictEqual(files[0].faults, [])
    return file
  })

describe.each(claudeVersions)("A scenario with Claude Code %s", (version) => {
  let claude = ""
  beforeAll(async () => {
    claude = await Effect.runPromise(installClaude(version))
  })

  it.live("judges what was recorded and what a replay with lint-ai does, and leaves both as they are", () =>
    Effect.gen(function* () {
      const api = yield* startFakeMessagesApi(scripts)
      const prompt = "scenario:ask Which variable has the port that the retryQueue uses for redis?"
      const { sandbox, binary, id } = yield* recordedSession(claude, api, prompt)
      const file = yield* scenarioOf(sandbox, binary, id, {
        expected_facts: [{ id: "variable", match_any: ["it is REDIS_URL"] }],
        forbidden_facts: [{ id: "ignorant", match_any: ["i (do not|don't) know"], regex: true }],
        validators: [{ name: "there", command: ["test", "-f", "notes.txt"] }],
        limits: { max_output_tokens: 100_000, max_turns: 5, max_injected_context_bytes: 100_000, max_tool_calls: 0 }
      })
      const own = [sandbox.claudeHome, sandbox.env.HOME ?? "", sandbox.env.LINT_AI_CONFIG_DIR ?? ""]
      const archive = path.join(sessionsDirectory(sandbox.project), id.replace(":", "-"))
      const before = [untouched(own), snapshot(archive), fs.readFileSync(file, "utf8")]

      const refused = yield* lintAi(sandbox, binary, "scenario", "run", file, "--both", "--json")
      assert.strictEqual(refused.exitCode, 5)
      assert.strictEqual(JSON.parse(refused.stdout).error.tag, "ScenarioNotTrusted")

      const off = yield* lintAi(sandbox, binary, "scenario", "run", file, "--both", "--yes", "--json")
      const on = yield* lintAi(
        sandbox,
        binary,
        "scenario",
        "run",
        file,
        "--replay",
        "--enable-lint-ai",
        "--yes",
        "--json"
      )
      assert.deepStrictEqual([off.exitCode, on.exitCode], [6, 0], off.stderr + on.stderr)
      const [recorded, without] = ran(off.stdout)
      const [withLintAi] = ran(on.stdout)
      if (recorded === undefined || without === undefined || withLintAi === undefined) throw new Error("no results")
      const limits = {
        max_output_tokens: "pass",
        max_turns: "pass",
        max_injected_context_bytes: "pass",
        max_tool_calls: "pass"
      }
      assert.deepStrictEqual(verdicts(recorded), { variable: "fail", ignorant: "fail", there: "unknown", ...limits })
      assert.deepStrictEqual(verdicts(without), { variable: "fail", ignorant: "fail", there: "pass", ...limits })
      assert.deepStrictEqual(verdicts(withLintAi), { variable: "pass", ignorant: "pass", there: "pass", ...limits })
      for (const one of [recorded, without, withLintAi]) {
        assert.deepStrictEqual(JSON.parse(fs.readFileSync(one.path, "utf8")), one.evaluation)
      }
      assert.deepStrictEqual([untouched(own), snapshot(archive), fs.readFileSync(file, "utf8")], before)
      assert.deepStrictEqual(worktreesOf(sandbox.project), [])
      assert.deepStrictEqual(placesIn(sandbox.env.TMPDIR), [])

      const compared = yield* lintAiJson(sandbox, binary, "compare", id, without.session_id, withLintAi.session_id)
      const values = (name: string) =>
        compared.metrics.find((metric: { readonly name: string }) => metric.name === name).values
      assert.deepStrictEqual(values("quality"), ["fail", "fail", "pass"])
      assert.deepStrictEqual(values("expected_facts"), ["0 of 1", "0 of 1", "1 of 1"])
      assert.deepStrictEqual(values("injected_bytes").slice(0, 2), [0, 0])
      assert.isAbove(values("injected_bytes")[2], 0)
      assert.isTrue(values("all_tokens").every((count: unknown) => typeof count === "number"))
      assert.isTrue(values("first_response_ms").every((time: unknown) => typeof time === "number"))
      assert.deepStrictEqual(values("recording_complete"), [true, true, true])
      const flags = compared.arms.flatMap((arm: { readonly flags: ReadonlyArray<unknown> }) => arm.flags)
      assert.deepStrictEqual(flags, [])
      // Both were asked the same; the one without lint-ai answered the same, too.
      assert.isNull(compared.arms[1].first_difference)
      assert.deepInclude(compared.arms[2].first_difference, { kind: "answer", turn: 1, step: 1 })
      const report = yield* lintAi(sandbox, binary, "compare", id, withLintAi.session_id, "--markdown", "--all")
      assert.include(report.stdout, "| Quality | fail | pass |  |")
    })
  )

  it.live("fails at the limits that the agent's program holds, and at the time, at which the run is ended", () =>
    Effect.gen(function* () {
      const api = yield* startFakeMessagesApi(scripts)
      const { sandbox, binary, id } = yield* recordedSession(claude, api, "scenario:looking Look for it.")
      const run = (file: string) => lintAi(sandbox, binary, "scenario", "run", file, "--replay", "--json")
      const turns = yield* run(
        yield* scenarioOf(sandbox, binary, id, { expected_facts: [], limits: { max_turns: 2, max_tool_calls: 20 } })
      )
      assert.strictEqual(turns.exitCode, 6, turns.stderr)
      const [ended] = ran(turns.stdout)
      assert.deepStrictEqual(ended && verdicts(ended), { max_turns: "fail", max_tool_calls: "pass" })
      assert.isAtMost(ended?.evaluation.limits.find(({ name }) => name === "max_turns")?.observed ?? 9, 3)

      fs.rmSync(path.join(sandbox.root, "scenario.json"))
      const stalled = yield* scenarioOf(sandbox, binary, id, {
        continuation_prompt: "scenario:slow Think.",
        limits: { max_duration_seconds: 4 }
      })
      const slow = yield* run(stalled)
      assert.strictEqual(slow.exitCode, 6, slow.stderr)
      const [late] = ran(slow.stdout)
      assert.deepStrictEqual(late && verdicts(late), { max_duration_seconds: "fail" })
      assert.deepStrictEqual(placesIn(sandbox.env.TMPDIR), [])
    })
  )
})
