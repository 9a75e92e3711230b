import * as fs from "node:fs"
import * as path from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { addTokens, type Tokens } from "../../src/domain/usage.ts"
import { Disk } from "../../src/platform/Disk.ts"
import { Host } from "../../src/platform/Host.ts"
import { codexCli } from "../../src/providers/codex/cli.ts"
import { testedVersion } from "../../src/providers/codex/install.ts"
import { watchUsage } from "../../src/providers/codex/watch.ts"
import type { Delivery } from "../../src/providers/ProviderAdapter.ts"
import { ProviderCli } from "../../src/providers/ProviderCli.ts"
import { type ResponseScenario, responsesUsage, startFakeResponsesApi } from "../support/fakeResponsesApi.ts"
import { appServer, type CodexSandbox, installCodex, makeCodexSandbox, runCodex } from "./codex.ts"

const scenarios = {
  hello: [{ text: "Hello there." }],
  command: [{ calls: [{ name: "exec_command", args: { cmd: "echo fine" } }] }, { text: "Ran it." }]
} as const satisfies Readonly<Record<string, ResponseScenario>>

let codex = ""
beforeAll(async () => {
  codex = await Effect.runPromise(installCodex)
})

const sum = (deliveries: ReadonlyArray<Delivery>): Tokens =>
  deliveries
    .flatMap((delivery) => delivery.events)
    .reduce((total: Tokens, event) => (event.usage === undefined ? total : addTokens(total, event.usage)), {})

describe("the app-server of Codex", () => {
  it.live("tells the usage of each response from the moment that a session is joined", () =>
    Effect.gen(function* () {
      const api = yield* startFakeResponsesApi(scenarios)
      const sandbox = yield* makeCodexSandbox(api)
      const { result } = yield* runCodex(codex, sandbox, { prompt: "scenario:command Before." })
      const threadId = result.sessionId ?? ""
      const before = api.sent.length

      const server = yield* appServer(codex, sandbox)
      const told = yield* watchUsage(server, threadId)
      const say = (text: string) => server.request("turn/start", { threadId, input: [{ type: "text", text }] })
      yield* say("scenario:command Now.")
      let count = 0
      const all = yield* told.pipe(
        // After the second response the turn is over.
        Stream.tap(() => (++count === 2 ? say("scenario:hello And now.") : Effect.void)),
        Stream.take(3),
        Stream.runCollect
      )
      assert.deepStrictEqual(sum(all), { ...responsesUsage(api.sent.slice(before)) })
      assert.deepStrictEqual([...new Set(all.map((one) => one.sessionId))], [threadId])
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})

const cliOf = (sandbox: CodexSandbox) => {
  // As a user has it: a program of that name on the PATH.
  const bin = path.dirname(sandbox.lintAi)
  fs.symlinkSync(codex, path.join(bin, "codex"))
  const host = Host.layerTest({ env: { ...sandbox.env }, cwd: sandbox.project, home: sandbox.env.HOME ?? "/" })
  return codexCli.pipe(Layer.provide(Layer.mergeAll(Disk.layer, host, NodeServices.layer)))
}

describe("Codex as an agent to run", () => {
  it.live("answers a prompt, goes on with the session, and tells its version", () =>
    Effect.gen(function* () {
      const api = yield* startFakeResponsesApi(scenarios)
      const sandbox = yield* makeCodexSandbox(api)
      const run = { cwd: sandbox.project, env: sandbox.env, timeout: Duration.seconds(60) }
      yield* Effect.gen(function* () {
        const cli = yield* ProviderCli
        assert.strictEqual(yield* cli.version, testedVersion)
        const first = yield* cli.run({ ...run, prompt: "scenario:command Go." })
        assert.deepStrictEqual([first.exitCode, first.text], [0, "Ran it."])
        const second = yield* cli.run({ ...run, prompt: "scenario:hello Go on.", resume: first.sessionId })
        assert.deepStrictEqual([second.sessionId, second.text], [first.sessionId, "Hello there."])
      }).pipe(Effect.provide(cliOf(sandbox)))
    }).pipe(Effect.scoped)
  )
})
