import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type FakeResponsesApi, startFakeResponsesApi } from "../support/fakeResponsesApi.ts"
import { readArchives } from "./archive.ts"
import { installCodex, installLintAi, lintAiJson, makeCodexSandbox, runCodex, trustAll } from "./codex.ts"

const memory = {
  decide: [
    { text: "The retryQueue connects to redis on port 6380, but docker-compose maps 6379. We read REDIS_URL now." }
  ],
  ask: [{ text: "It is in REDIS_URL." }]
}

const sentTo = (api: FakeResponsesApi, from: number): string =>
  JSON.stringify(api.received.slice(from).map(({ body }) => body))

let codex = ""
beforeAll(async () => {
  codex = await Effect.runPromise(installCodex)
})

describe("Codex with memory", () => {
  it.live("is given what an earlier session found out, and nothing once memory is off", () =>
    Effect.gen(function* () {
      const api = yield* startFakeResponsesApi(memory)
      const sandbox = yield* makeCodexSandbox(api)
      yield* installLintAi(sandbox)
      yield* lintAiJson(sandbox, "enable", "codex")
      assert.deepStrictEqual(yield* trustAll(codex, sandbox), [])

      const first = yield* runCodex(codex, sandbox, {
        prompt: "scenario:decide Why does the retryQueue of the checkout fail to connect to redis?"
      })
      assert.strictEqual(first.exitCode, 0, first.stderr)
      const { memories } = yield* lintAiJson(sandbox, "memory", "list")
      const outcome = memories.find((one: { readonly kind: string }) => one.kind === "outcome")
      assert.strictEqual(outcome?.session_id, `codex:${first.result.sessionId}`)
      assert.match(outcome.text, /^Request: scenario:decide Why does[\s\S]*\nResult: The retryQueue/)

      const before = api.received.length
      const second = yield* runCodex(codex, sandbox, {
        prompt: "scenario:ask The retryQueue cannot connect to redis, which port is right?"
      })
      assert.strictEqual(second.exitCode, 0, second.stderr)
      assert.match(
        sentTo(api, before),
        /\[lint-ai-memory:[0-9a-f]{32} begin\][\s\S]*\| Result: The retryQueue connects to redis/
      )
      const archive = readArchives(sandbox.project, "codex").find(
        ({ manifest }) => manifest.session_id === `codex:${second.result.sessionId}`
      )
      assert.include(archive?.events.map(({ kind }) => kind) ?? [], "context_injected")

      yield* lintAiJson(sandbox, "disable", "codex")
      const off = api.received.length
      yield* runCodex(codex, sandbox, {
        prompt: "scenario:ask The retryQueue cannot connect to redis, which port is right?"
      })
      assert.isAbove(api.received.length, off)
      assert.notInclude(sentTo(api, off), "lint-ai-memory")
    })
  )
})
