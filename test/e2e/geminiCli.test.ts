import * as fs from "node:fs"
import * as path from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { geminiCli } from "../../src/providers/gemini/cli.ts"
import { testedVersion } from "../../src/providers/gemini/install.ts"
import { ProviderCli } from "../../src/providers/ProviderCli.ts"
import { startFakeGeminiApi } from "../support/fakeGeminiApi.ts"
import { installGemini, lintAiJson, machineOf, makeGeminiSandbox, placeGemini, runGemini } from "./gemini.ts"

let gemini = ""
beforeAll(async () => {
  gemini = await Effect.runPromise(installGemini)
})

describe("Gemini CLI, run by lint-ai", () => {
  it.live("tells its version, answers a prompt, goes on with a session, and tells what went wrong", () =>
    Effect.gen(function* () {
      const api = yield* startFakeGeminiApi({
        one: [
          { text: "I look.", calls: [{ name: "read_file", args: { file_path: "one.txt" } }] },
          { text: ["There ", "is ", "one."] }
        ],
        two: [{ text: "And another." }],
        refused: [{ error: { status: 400, message: "This was on purpose." } }]
      })
      const sandbox = yield* makeGeminiSandbox(api)
      placeGemini(gemini, sandbox)
      fs.writeFileSync(path.join(sandbox.project, "one.txt"), "one\n")
      yield* Effect.gen(function* () {
        const cli = yield* ProviderCli
        assert.strictEqual(yield* cli.version, testedVersion)
        const run = {
          cwd: sandbox.project,
          env: sandbox.env,
          model: "gemini-2.5-flash",
          timeout: "60 seconds"
        } as const
        const first = yield* cli.run({ ...run, prompt: "--help scenario:one Look." })
        assert.deepStrictEqual([first.exitCode, first.text, first.errors], [0, "There is one.", []])
        const next = yield* cli.run({ ...run, prompt: "scenario:two More.", resume: first.sessionId })
        assert.deepStrictEqual([next.exitCode, next.text, next.sessionId], [0, "And another.", first.sessionId])
        const refused = yield* cli.run({ ...run, prompt: "scenario:refused Try." })
        assert.notStrictEqual(refused.exitCode, 0)
        assert.notStrictEqual(refused.sessionId, undefined)
        assert.include(refused.errors.join(), "This was on purpose.")
        const unknown = yield* cli.run({ ...run, prompt: "scenario:two More.", resume: "nobody" })
        assert.deepStrictEqual([unknown.exitCode, unknown.sessionId, unknown.text], [42, undefined, undefined])
      }).pipe(Effect.provide(geminiCli.pipe(Layer.provide(Layer.merge(machineOf(sandbox), NodeServices.layer)))))
    })
  )

  it.live("runs the hooks of a project's settings in that directory alone, and the user's below it too", () =>
    Effect.gen(function* () {
      const api = yield* startFakeGeminiApi({ here: [{ text: "Here." }], below: [{ text: "Below." }] })
      const sandbox = yield* makeGeminiSandbox(api)
      const below = path.join(sandbox.project, "packages", "web")
      fs.mkdirSync(below, { recursive: true })
      fs.mkdirSync(path.join(sandbox.project, ".git"))
      const sessions = () => Effect.map(lintAiJson(sandbox, "sessions", "list"), (list) => list.sessions.length)
      const runIn = (project: string, prompt: string) => runGemini(gemini, { ...sandbox, project }, { prompt })

      yield* lintAiJson(sandbox, "install", "gemini", "--session-recording", "capture-only", "--yes")
      assert.strictEqual((yield* runIn(below, "scenario:below Go.")).exitCode, 0)
      assert.strictEqual(yield* sessions(), 0)
      assert.strictEqual((yield* runIn(sandbox.project, "scenario:here Go.")).exitCode, 0)
      assert.strictEqual(yield* sessions(), 1)

      yield* lintAiJson(sandbox, "uninstall", "gemini")
      yield* lintAiJson(sandbox, "install", "gemini", "--scope", "user", "--yes")
      assert.strictEqual((yield* runIn(below, "scenario:below Go.")).exitCode, 0)
      assert.strictEqual(yield* sessions(), 2)
    })
  )
})
