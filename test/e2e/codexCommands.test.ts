import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { startAppServer } from "../../src/providers/codex/appServer.ts"
import { type ResponseScenario, responsesUsage, startFakeResponsesApi } from "../support/fakeResponsesApi.ts"
import { fileAppears } from "../support/fileEvents.ts"
import { run, start } from "../support/program.ts"
import { readArchives } from "./archive.ts"
import {
  type CodexSandbox,
  hooksOf,
  installCodex,
  installLintAi,
  lintAiJson,
  makeCodexSandbox,
  runCodex,
  trustAll
} from "./codex.ts"

const scenarios = {
  hello: [{ text: "Hello there." }],
  command: [{ calls: [{ name: "exec_command", args: { cmd: "echo fine" } }] }, { text: "Ran it." }]
} as const satisfies Readonly<Record<string, ResponseScenario>>

let codex = ""
beforeAll(async () => {
  codex = await Effect.runPromise(installCodex)
})

/** A user who has Codex on the PATH. */
const newSandbox = Effect.gen(function* () {
  const api = yield* startFakeResponsesApi(scenarios)
  const sandbox = yield* makeCodexSandbox(api)
  fs.symlinkSync(codex, path.join(path.dirname(sandbox.lintAi), "codex"))
  return { api, sandbox }
})

const lintAi = (sandbox: CodexSandbox, ...args: ReadonlyArray<string>) =>
  run({ command: sandbox.lintAi, args, cwd: sandbox.project, env: sandbox.env })

const configOf = (sandbox: CodexSandbox) => fs.readFileSync(path.join(sandbox.codexHome, "config.toml"), "utf8")

describe("`lint-ai codex trust`", () => {
  it.live("shows what is not trusted, changes nothing without a yes, and with one Codex runs the hooks", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* newSandbox
      const nothing = yield* lintAi(sandbox, "codex", "trust")
      assert.deepStrictEqual([nothing.exitCode, nothing.stdout], [3, ""])
      assert.include(nothing.stderr, "lint-ai install codex")

      yield* installLintAi(sandbox)
      const before = configOf(sandbox)
      const dry = yield* lintAi(sandbox, "codex", "trust", "--dry-run")
      assert.strictEqual(dry.exitCode, 0, dry.stderr)
      assert.include(dry.stdout, "Codex runs no hooks of")
      const unasked = yield* lintAi(sandbox, "codex", "trust")
      assert.strictEqual(unasked.exitCode, 5)
      assert.include(unasked.stderr, "--yes")
      assert.strictEqual(configOf(sandbox), before)

      const doctor = yield* lintAi(sandbox, "doctor", "--json")
      assert.strictEqual(doctor.exitCode, 1)
      assert.include(doctor.stdout, "lint-ai codex trust")

      const trusted = yield* lintAiJson(sandbox, "codex", "trust", "--yes")
      assert.deepStrictEqual([trusted.project_trusted, trusted.trusted_now.length], [true, trusted.hooks.length])
      assert.deepStrictEqual(new Set(trusted.hooks.map((hook: { trust: string }) => hook.trust)), new Set(["trusted"]))
      assert.isTrue(configOf(sandbox).startsWith("# The user's own."))
      const { hooks } = yield* hooksOf(codex, sandbox)
      assert.deepStrictEqual([...new Set(hooks.map((hook) => hook.trust))], ["trusted"])
      yield* runCodex(codex, sandbox, { prompt: "scenario:hello Go." })
      assert.strictEqual(readArchives(sandbox.project, "codex")[0]?.manifest.status, "completed")
      assert.deepStrictEqual((yield* lintAiJson(sandbox, "codex", "trust", "--yes")).trusted_now, [])
    }).pipe(Effect.scoped)
  )

  it.live("names a hook that was changed after it was trusted", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* newSandbox
      yield* installLintAi(sandbox)
      yield* lintAiJson(sandbox, "codex", "trust", "--yes")
      const file = path.join(sandbox.project, ".codex/hooks.json")
      const changed = JSON.parse(fs.readFileSync(file, "utf8"))
      changed.hooks.Stop[0].hooks[0].timeout = 11
      fs.writeFileSync(file, JSON.stringify(changed))
      const dry = yield* lintAi(sandbox, "codex", "trust", "--dry-run")
      assert.include(dry.stderr, "stop (changed since)")
      assert.include(dry.stdout, "and skips 1")
      const doctor = yield* lintAi(sandbox, "doctor", "--json")
      assert.include(doctor.stdout, "changed since")
    }).pipe(Effect.scoped)
  )
})

describe("`lint-ai codex watch`", () => {
  it.live("records the usage that a running app-server tells, of the sessions in it and of new ones", () =>
    Effect.gen(function* () {
      const { api, sandbox } = yield* newSandbox
      yield* installLintAi(sandbox)
      assert.deepStrictEqual(yield* trustAll(codex, sandbox), [])
      const { result } = yield* runCodex(codex, sandbox, { prompt: "scenario:hello Before." })
      const socket = path.join(sandbox.root, "codex.sock")

      const nobody = yield* lintAi(sandbox, "codex", "watch", "--socket", socket)
      assert.strictEqual(nobody.exitCode, 3)
      assert.include(nobody.stderr, "No app-server of Codex answers")

      const server = yield* start({
        command: codex,
        args: ["app-server", "--listen", `unix://${socket}`],
        cwd: sandbox.project,
        env: sandbox.env
      })
      yield* fileAppears(socket)
      const watch = yield* start({
        command: sandbox.lintAi,
        args: ["codex", "watch", "--socket", socket, "--json"],
        cwd: sandbox.project,
        env: sandbox.env
      })
      assert.deepStrictEqual(JSON.parse(yield* watch.nextLine), { watching: "all" })

      // Another client, as Codex in a terminal is one.
      const client = yield* startAppServer({
        program: codex,
        cwd: sandbox.project,
        env: sandbox.env,
        clientVersion: "0.0.0",
        running: { socket, randomHex: (bytes) => crypto.randomBytes(bytes).toString("hex") }
      })
      const turn = (threadId: string, text: string) =>
        client.request("turn/start", { threadId, input: [{ type: "text", text }] })
      const before = api.sent.length
      const { thread } = yield* client.request("thread/start", { cwd: sandbox.project })
      const fresh = (thread as { id: string }).id
      yield* turn(fresh, "scenario:command Now.")
      // Two responses; when the first came before the session could be joined, one line tells both.
      const lines: Array<{ session_id: string; outcome: string; usage: { total_tokens: number } }> = []
      const told = () => lines.reduce((sum, line) => sum + line.usage.total_tokens, 0)
      const sent = () => api.sent.slice(before)
      while (sent().length < 2 || told() < responsesUsage(sent()).total_tokens)
        lines.push(JSON.parse(yield* watch.nextLine))
      assert.deepStrictEqual(new Set(lines.map((line) => line.session_id)), new Set([`codex:${fresh}`]))
      assert.deepStrictEqual(new Set(lines.map((line) => line.outcome)), new Set(["recorded"]))

      yield* server.signal("SIGTERM")
      assert.strictEqual((yield* watch.finished).exitCode, 0)
      const archives = readArchives(sandbox.project, "codex")
      const usageOf = (id: string) =>
        archives.find((one) => one.manifest.session_id === `codex:${id}`)?.manifest.usage?.["codex-app-server"]
      assert.deepStrictEqual(usageOf(fresh), responsesUsage(sent()))
      assert.isUndefined(usageOf(result.sessionId ?? ""))
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})
