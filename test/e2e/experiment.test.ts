import * as fs from "node:fs"
import * as path from "node:path"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { startFakeGeminiApi } from "../support/fakeGeminiApi.ts"
import { startFakeMessagesApi } from "../support/fakeMessagesApi.ts"
import { startFakeResponsesApi } from "../support/fakeResponsesApi.ts"
import { claudeVersions, installClaude, makeSandbox, runClaude } from "./claude.ts"
import { installCodex, installLintAi, makeCodexSandbox, trustAll } from "./codex.ts"
import {
  type Bench,
  findsExactly,
  killAfter,
  leavesNothing,
  ledgerOf,
  portAnswers,
  resultsOf,
  runToEnd,
  writeExperiment
} from "./experiment.ts"
import { installGemini, makeGeminiSandbox, placeGemini, recordProject as recordGemini } from "./gemini.ts"
import { lintAi, recordProject } from "./lintAi.ts"
import { makeRepository, untouched } from "./replay.ts"

const agents = { claude: "", codex: "", gemini: "" }
beforeAll(async () => {
  agents.claude = await Effect.runPromise(installClaude(claudeVersions[0]))
  agents.codex = await Effect.runPromise(installCodex)
  agents.gemini = await Effect.runPromise(installGemini)
})

/** The project, its recordings and its memory, and the user's settings; Git keeps books of work trees. */
const ownOf = (directories: ReadonlyArray<string | undefined>) =>
  untouched(
    directories.filter((directory) => directory !== undefined),
    (file) => file.includes(`${path.sep}.git${path.sep}`)
  )

const allOthers = ["working_ms", "total_tokens", "injected_bytes"]

describe("An experiment", () => {
  it.live(
    "with Claude Code finds exactly what the injected context changes, survives a kill -9, and leaves all else as it was",
    () =>
      Effect.gen(function* () {
        const api = yield* startFakeMessagesApi({ ...portAnswers, other: [{ text: "The build takes long." }] })
        const sandbox = yield* makeSandbox(api)
        makeRepository(sandbox.project)
        const binary = yield* recordProject(sandbox, agents.claude)
        yield* lintAi(sandbox, binary, "enable", "claude")
        yield* runClaude(agents.claude, sandbox, { prompt: "scenario:other Why does the build take long?" })
        const own = [sandbox.claudeHome, sandbox.env.HOME, sandbox.env.LINT_AI_CONFIG_DIR, sandbox.project]
        const before = ownOf(own)
        const bench: Bench = { ...sandbox, lintAi: binary }
        const written = writeExperiment(bench, {
          ...{ provider: "claude", model: "sonnet", scenarios: 3, repetitions: 5, parallelism: 2, others: allOthers }
        })

        const { directory, lines: atKill } = yield* killAfter(bench, written, 6)
        const completed = atKill.filter(({ type }) => type === "completed").length
        const results = resultsOf(written)
        const ran = yield* runToEnd(bench, written)
        const begun = atKill.flatMap((line) => (line.type === "started" ? [line.cell] : []))
        const ended = atKill.flatMap((line) => (line.type === "completed" ? [line.cell] : []))
        const cut = begun.filter((cell) => !ended.includes(cell))
        assert.isAtLeast(cut.length, 1)
        assert.deepInclude(ran.run, { planned: 30, earlier: completed, completed: 30 - completed, failed: 0, cut })
        // Completed cells were started once, and their results are the same bytes; cut ones twice.
        const starts = ledgerOf(written).flatMap((line) => (line.type === "started" ? [line.cell] : []))
        assert.strictEqual(starts.length, 30 + cut.length)
        for (const cell of ended) assert.strictEqual(starts.filter((one) => one === cell).length, 1)
        const after = resultsOf(written)
        for (const [file, bytes] of Object.entries(results)) assert.isTrue(after[file] === bytes, file)
        assert.deepStrictEqual(
          ran.report.excluded.map(({ attempt, cell, reason }) => ({ cell, attempt, reason })),
          cut.map((cell) => ({ cell, attempt: 1, reason: "aborted" }))
        )
        assert.isTrue(ran.report.excluded.some((one) => one.directory === directory))
        assert.isAtLeast(fs.readdirSync(directory).length, 1)

        findsExactly(ran, 15)
        leavesNothing(bench, written)
        assert.deepStrictEqual(ownOf(own), before)
        assert.deepStrictEqual(api.strays, [])
      }),
    600_000
  )

  it.live(
    "with Codex finds exactly what the injected context changes",
    () =>
      Effect.gen(function* () {
        const api = yield* startFakeResponsesApi(portAnswers)
        const sandbox = yield* makeCodexSandbox(api)
        fs.symlinkSync(agents.codex, path.join(sandbox.root, "bin", "codex"))
        makeRepository(sandbox.project)
        yield* installLintAi(sandbox)
        assert.deepStrictEqual(yield* trustAll(agents.codex, sandbox), [])
        const own = [sandbox.env.HOME, sandbox.env.LINT_AI_CONFIG_DIR, sandbox.project]
        const before = ownOf(own)
        const written = writeExperiment(sandbox, {
          ...{ provider: "codex", scenarios: 3, repetitions: 5, parallelism: 2, others: allOthers }
        })
        findsExactly(yield* runToEnd(sandbox, written), 15)
        leavesNothing(sandbox, written)
        assert.deepStrictEqual(ownOf(own), before)
      }),
    600_000
  )

  it.live(
    "with Gemini CLI finds exactly what the injected context changes",
    () =>
      Effect.gen(function* () {
        const api = yield* startFakeGeminiApi(portAnswers)
        const sandbox = yield* makeGeminiSandbox(api)
        placeGemini(agents.gemini, sandbox)
        makeRepository(sandbox.project)
        yield* recordGemini(sandbox)
        const own = [sandbox.env.HOME, sandbox.env.LINT_AI_CONFIG_DIR, sandbox.project]
        const before = ownOf(own)
        const written = writeExperiment(sandbox, {
          ...{
            provider: "gemini",
            model: "gemini-2.5-flash",
            scenarios: 3,
            repetitions: 5,
            parallelism: 2,
            others: allOthers
          }
        })
        findsExactly(yield* runToEnd(sandbox, written), 15)
        leavesNothing(sandbox, written)
        assert.deepStrictEqual(ownOf(own), before)
      }),
    900_000
  )
})
