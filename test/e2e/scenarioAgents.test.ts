import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Evaluation } from "../../src/domain/scenario.ts"
import { startFakeGeminiApi } from "../support/fakeGeminiApi.ts"
import { startFakeResponsesApi } from "../support/fakeResponsesApi.ts"
import { run } from "../support/program.ts"
import { snapshot } from "../support/recording.ts"
import { sessionsDirectory } from "./archive.ts"
import { installCodex, installLintAi, makeCodexSandbox, runCodex, trustAll } from "./codex.ts"
import { installGemini, makeGeminiSandbox, placeGemini, recordProject, runGemini } from "./gemini.ts"
import { makeRepository, placesIn, worktreesOf } from "./replay.ts"

const answers = {
  decide: [{ text: "The retryQueue connects to redis on port 6380. We decided to read REDIS_URL everywhere." }],
  // The model knows it only when it was told.
  ask: [
    {
      text: "I do not know the variable.",
      told: { words: "We decided to read REDIS_URL everywhere", text: "It is **`REDIS_URL`**." }
    }
  ]
}
const before = "scenario:decide Why does the retryQueue fail to connect to redis?"
const asked = "scenario:ask Which variable has the port that the retryQueue uses for redis?"

interface User {
  readonly provider: "codex" | "gemini"
  readonly sandbox: {
    readonly root: string
    readonly project: string
    readonly lintAi: string
    readonly env: Readonly<Record<string, string>>
  }
  readonly id: string
}

/** From a recorded session to verdicts on it and on its replays, as a person goes. */
const fromRecordingToVerdicts = ({ provider, sandbox, id }: User) =>
  Effect.gen(function* () {
    const lintAi = (...args: ReadonlyArray<string>) =>
      Effect.map(
        run({ command: sandbox.lintAi, args: [...args, "--json"], cwd: sandbox.project, env: sandbox.env }),
        ({ exitCode, stdout, stderr }) => ({ exitCode, stderr, document: JSON.parse(stdout || "null") })
      )
    const file = path.join(sandbox.root, "scenario.json")
    const made = yield* lintAi("--scenario-from-session", id, "--session-provider", provider, "--scenario-out", file)
    assert.strictEqual(made.exitCode, 0, made.stderr)
    const scenario = JSON.parse(fs.readFileSync(file, "utf8"))
    assert.deepInclude(scenario, { setup_messages: [], continuation_prompt: asked })
    const expectations = {
      expected_facts: [{ id: "variable", match_any: ["redis_url"] }],
      validators: [{ name: "there", command: ["test", "-f", "notes.txt"] }],
      limits: { max_output_tokens: 100_000, max_tool_calls: 3, max_injected_context_bytes: 100_000 }
    }
    fs.writeFileSync(file, JSON.stringify({ ...scenario, ...expectations }))
    assert.strictEqual((yield* lintAi("scenario", "validate", file)).exitCode, 0)
    assert.strictEqual((yield* lintAi("scenario", "trust", file, "--yes")).exitCode, 0)
    const archive = path.join(sessionsDirectory(sandbox.project, provider), id.replace(":", "-"))
    const [bytes, text] = [snapshot(archive), fs.readFileSync(file, "utf8")]

    const off = yield* lintAi("scenario", "run", file, "--both")
    const on = yield* lintAi("scenario", "run", file, "--replay", "--enable-lint-ai")
    assert.deepStrictEqual([off.exitCode, on.exitCode], [6, 0], JSON.stringify([off, on]))
    const results: ReadonlyArray<{ readonly session_id: string; readonly evaluation: Evaluation }> = [off, on].flatMap(
      ({ document }) => document.scenarios[0].results
    )
    assert.deepStrictEqual(
      results.map(({ evaluation }) =>
        [...evaluation.facts, ...evaluation.validators, ...evaluation.limits].map(({ verdict }) => verdict)
      ),
      [
        ["fail", "unknown", "pass", "pass", "pass"],
        ["fail", "pass", "pass", "pass", "pass"],
        ["pass", "pass", "pass", "pass", "pass"]
      ],
      JSON.stringify(results)
    )
    assert.deepStrictEqual([snapshot(archive), fs.readFileSync(file, "utf8")], [bytes, text])
    assert.deepStrictEqual(worktreesOf(sandbox.project), [])
    assert.deepStrictEqual(placesIn(sandbox.env.TMPDIR), [])

    const { document } = yield* lintAi("compare", ...results.map(({ session_id }) => session_id))
    const values = (name: string) =>
      document.metrics.find((metric: { readonly name: string }) => metric.name === name).values
    assert.deepStrictEqual(values("quality"), ["fail", "fail", "pass"])
    assert.deepStrictEqual(values("injected_bytes").slice(0, 2), [0, 0])
    assert.isAbove(values("injected_bytes")[2], 0)
    assert.isTrue(values("output_tokens").every((count: unknown) => typeof count === "number"))
    assert.deepStrictEqual(values("recording_complete"), [true, true, true])
    assert.isNull(document.arms[1].first_difference)
    assert.deepInclude(document.arms[2].first_difference, { kind: "answer", turn: 1, step: 1 })
    const flags = document.arms.flatMap((arm: { readonly flags: ReadonlyArray<unknown> }) => arm.flags)
    assert.deepStrictEqual(flags, [])
  })

describe("A scenario", () => {
  it.live("judges what Codex did and does", () =>
    Effect.gen(function* () {
      const codex = yield* installCodex
      const api = yield* startFakeResponsesApi(answers)
      const sandbox = yield* makeCodexSandbox(api)
      fs.symlinkSync(codex, path.join(sandbox.root, "bin", "codex"))
      makeRepository(sandbox.project)
      yield* installLintAi(sandbox)
      assert.deepStrictEqual(yield* trustAll(codex, sandbox), [])
      const lintAi = (...args: ReadonlyArray<string>) =>
        run({ command: sandbox.lintAi, args, cwd: sandbox.project, env: sandbox.env })
      yield* lintAi("enable", "codex")
      yield* runCodex(codex, sandbox, { prompt: before })
      yield* lintAi("disable", "codex")
      const { result } = yield* runCodex(codex, sandbox, { prompt: asked })
      yield* fromRecordingToVerdicts({ provider: "codex", sandbox, id: `codex:${result.sessionId}` })
    })
  )

  it.live("judges what Gemini CLI did and does", () =>
    Effect.gen(function* () {
      const gemini = yield* installGemini
      const api = yield* startFakeGeminiApi(answers)
      const sandbox = yield* makeGeminiSandbox(api)
      placeGemini(gemini, sandbox)
      makeRepository(sandbox.project)
      yield* recordProject(sandbox)
      const lintAi = (...args: ReadonlyArray<string>) =>
        run({ command: sandbox.lintAi, args, cwd: sandbox.project, env: sandbox.env })
      yield* lintAi("enable", "gemini")
      yield* runGemini(gemini, sandbox, { prompt: before })
      yield* lintAi("disable", "gemini")
      const { result } = yield* runGemini(gemini, sandbox, { prompt: asked })
      yield* fromRecordingToVerdicts({ provider: "gemini", sandbox, id: `gemini:${result.session_id}` })
    })
  )
})
