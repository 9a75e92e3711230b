import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type FakeGeminiApi, startFakeGeminiApi } from "../support/fakeGeminiApi.ts"
import { readArchives } from "./archive.ts"
import { installGemini, lintAiJson, makeGeminiSandbox, recordProject, runGemini } from "./gemini.ts"

const answer = "The retryQueue connects to redis on port 6380, but docker-compose maps 6379. We read REDIS_URL now."
const shell = (command: string) => ({ name: "run_shell_command", args: { command, description: "A command" } })

const memory = {
  decide: [
    { text: ["I look ", "at ", "the queue."], calls: [shell("echo fine")] },
    { text: [answer.slice(0, 20), answer.slice(20, 45), answer.slice(45, 46), answer.slice(46)] }
  ],
  ask: [{ text: "It is in REDIS_URL." }]
}

const sentTo = (api: FakeGeminiApi, from: number): string =>
  JSON.stringify(api.received.slice(from).map(({ body }) => body))

let gemini = ""
beforeAll(async () => {
  gemini = await Effect.runPromise(installGemini)
})

describe("Gemini CLI with memory", () => {
  it.live("is given what an earlier session found out, as it was said, and nothing once memory is off", () =>
    Effect.gen(function* () {
      const api = yield* startFakeGeminiApi(memory)
      const sandbox = yield* makeGeminiSandbox(api)
      yield* recordProject(sandbox)
      yield* lintAiJson(sandbox, "enable", "gemini")
      const question = "Why does the retryQueue of the checkout fail to connect to redis?"
      const remembered = () =>
        Effect.map(lintAiJson(sandbox, "memory", "list"), ({ memories }) =>
          memories.map(({ text }: { readonly text: string }) => text)
        )

      const first = yield* runGemini(gemini, sandbox, { prompt: `scenario:decide ${question}` })
      assert.strictEqual(first.exitCode, 0, first.stderr)
      const said = `Request: scenario:decide ${question}\nResult: I look at the queue.\n${answer}`
      assert.deepStrictEqual(yield* remembered(), [said])

      const before = api.received.length
      const second = yield* runGemini(gemini, sandbox, {
        prompt: "scenario:ask The retryQueue cannot connect to redis, which port is right?"
      })
      assert.strictEqual(second.exitCode, 0, second.stderr)
      assert.match(
        sentTo(api, before),
        /\[lint-ai-memory:[0-9a-f]{32} begin\][\s\S]*\| The retryQueue connects to redis/
      )
      const archive = readArchives(sandbox.project, "gemini").find(
        ({ manifest }) => manifest.session_id === `gemini:${second.result.session_id}`
      )
      assert.include(archive?.events.map(({ kind }) => kind) ?? [], "context_injected")
      for (const text of yield* remembered()) {
        assert.notInclude(text, "hook_context")
        assert.notInclude(text, "lint-ai-memory")
      }

      yield* lintAiJson(sandbox, "disable", "gemini")
      const off = api.received.length
      yield* runGemini(gemini, sandbox, { prompt: "scenario:ask The retryQueue cannot connect to redis, which port?" })
      assert.isAbove(api.received.length, off)
      assert.notInclude(sentTo(api, off), "lint-ai-memory")
    })
  )
})
