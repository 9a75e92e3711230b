import * as fs from "node:fs"
import * as path from "node:path"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type FakeGeminiApi, startFakeGeminiApi } from "../support/fakeGeminiApi.ts"
import { run } from "../support/program.ts"
import { readArchives, sessionsDirectory } from "./archive.ts"
import {
  dummyKey,
  type GeminiSandbox,
  installGemini,
  lintAiJson,
  makeGeminiSandbox,
  placeGemini,
  recordProject,
  runGemini
} from "./gemini.ts"
import { closingOf, makeRepository, placesIn, untouched, worktreesOf } from "./replay.ts"

const decision = "The retryQueue connects to redis on port 6380. We decided to read REDIS_URL everywhere."
const answers = {
  decide: [{ text: decision }],
  ask: [{ text: "It is in REDIS_URL." }],
  more: [{ text: "Yes, since March." }],
  search: [
    { text: "I look.", calls: [{ name: "mcp_lint-ai_search", args: { query: "retryQueue redis" } }] },
    { text: "Found." }
  ],
  broken: [{ error: { status: 400, message: "The model is not there today." } }]
}
const first = "scenario:ask Which port does the retryQueue use for redis?"
const second = "--scenario:more is that decided? (a prompt that begins with a dash)"

const sentTo = (api: FakeGeminiApi, from: number): string =>
  JSON.stringify(api.received.slice(from).map(({ body }) => body))

const archiveOf = (sandbox: GeminiSandbox, id: string) => {
  const found = readArchives(sandbox.project, "gemini").find(({ manifest }) => manifest.session_id === id)
  if (found === undefined) throw new Error(`no archive of ${id}`)
  return found
}

let gemini = ""
beforeAll(async () => {
  gemini = await Effect.runPromise(installGemini)
})

const user = (api: FakeGeminiApi) =>
  Effect.gen(function* () {
    const sandbox = yield* makeGeminiSandbox(api)
    placeGemini(gemini, sandbox)
    const repository = makeRepository(sandbox.project)
    yield* recordProject(sandbox)
    return { sandbox, repository }
  })

describe("A replay with Gemini CLI", () => {
  it.live("is a new session apart from the user, with lint-ai off and on, and leaves all else as it was", () =>
    Effect.gen(function* () {
      const api = yield* startFakeGeminiApi(answers)
      const { sandbox, repository } = yield* user(api)
      yield* lintAiJson(sandbox, "enable", "gemini")
      yield* runGemini(gemini, sandbox, {
        prompt: "scenario:decide Why does the retryQueue fail to connect to redis?"
      })
      yield* lintAiJson(sandbox, "disable", "gemini")
      const begun = yield* runGemini(gemini, sandbox, { prompt: first })
      const session = begun.result.session_id ?? ""
      yield* run({
        command: process.execPath,
        args: [gemini, "-m", "gemini-2.5-flash", "-o", "json", "-e", "none", "--resume", session],
        cwd: sandbox.project,
        env: sandbox.env,
        stdin: { text: second }
      })
      const id = `gemini:${session}`
      const own = [sandbox.env.HOME ?? "", sandbox.env.LINT_AI_CONFIG_DIR ?? "", sandbox.project]
      const sessions = sessionsDirectory(sandbox.project, "gemini")
      const isNew = (file: string) =>
        file.startsWith(path.join(sessions, "gemini-replay-")) || file.startsWith(path.join(sessions, ".frozen"))
      const before = untouched(own, isNew)

      const from = api.received.length
      const off = yield* lintAiJson(sandbox, "replay", id)
      const sentOff = sentTo(api, from)
      const middle = api.received.length
      const on = yield* lintAiJson(sandbox, "replay", id, "--enable-lint-ai")
      const sentOn = sentTo(api, middle)

      assert.isFalse(sentOff.includes("lint-ai-memory"))
      assert.isTrue(/\[lint-ai-memory:[0-9a-f]{32} begin\]/.test(sentOn))
      assert.isTrue(sentOn.includes("We decided to read REDIS_URL everywhere"))
      for (const [sent, made, lintAi] of [
        [sentOff, off, false],
        [sentOn, on, true]
      ] as const) {
        assert.isTrue(sent.includes(second))
        assert.strictEqual(made.plan.model, "gemini-2.5-flash")
        const [replay] = made.replays
        assert.deepStrictEqual(
          [replay.status, replay.exit_code, replay.prompt_count, replay.prompts_alone],
          ["completed", 0, 2, 0],
          replay.reason
        )
        const archive = archiveOf(sandbox, replay.session_id)
        const { manifest, events } = archive
        assert.deepStrictEqual(
          [manifest.run_type, manifest.replay_of_session_id, manifest.status, manifest.lint_ai_enabled],
          ["replay", id, "completed", lintAi]
        )
        assert.strictEqual(manifest.repository_revision, repository.revision)
        assert.strictEqual(manifest.provider_session_ids?.length, 1)
        assert.notStrictEqual(manifest.provider_session_ids?.[0], session)
        assert.deepStrictEqual(
          events.flatMap((event) => (event.kind === "user_prompt" ? [event.payload.text.trim()] : [])),
          [first, second]
        )
        assert.deepStrictEqual(
          events.flatMap((event) => (event.kind === "session_start" ? [event.payload.source] : [])),
          ["startup", "resume"]
        )
        assert.strictEqual(
          events.some((event) => event.kind === "context_injected"),
          lintAi
        )
        assert.isTrue(events.some((event) => event.kind === "turn_usage"))
        assert.strictEqual(closingOf(archive).exit_code, 0)
        for (const name of fs.readdirSync(archive.directory, { recursive: true, encoding: "utf8" })) {
          const file = path.join(archive.directory, name)
          if (fs.statSync(file).isFile()) assert.isFalse(fs.readFileSync(file, "latin1").includes(dummyKey), file)
        }
      }
      const after = untouched(own, isNew)
      assert.deepStrictEqual(Object.keys(after), Object.keys(before))
      for (const [file, content] of Object.entries(after)) assert.isTrue(content === before[file], file)
      assert.isFalse(repository.hookRan())
      assert.deepStrictEqual(worktreesOf(sandbox.project), [])
      assert.deepStrictEqual(placesIn(sandbox.env.TMPDIR), [])
    })
  )

  it.live("with the MCP server alone finds the memory by asking for it", () =>
    Effect.gen(function* () {
      const api = yield* startFakeGeminiApi(answers)
      const { sandbox } = yield* user(api)
      yield* lintAiJson(sandbox, "enable", "gemini")
      yield* runGemini(gemini, sandbox, { prompt: "scenario:decide Why does the retryQueue fail to connect to redis?" })
      yield* lintAiJson(sandbox, "disable", "gemini")
      const asked = yield* runGemini(gemini, sandbox, { prompt: "scenario:search What about the retryQueue of redis?" })
      const from = api.received.length
      const args = ["--agent-arg=--approval-mode", "--agent-arg=yolo", "--profile", "mcp-only", "--enable-lint-ai"]
      const { replays } = yield* lintAiJson(sandbox, "replay", asked.result.session_id ?? "", ...args)
      const { events } = archiveOf(sandbox, replays[0].session_id)
      assert.isTrue(sentTo(api, from).includes("We decided to read REDIS_URL everywhere"))
      assert.isFalse(sentTo(api, from).includes("[lint-ai-memory:"))
      assert.isFalse(events.some((event) => event.kind === "context_injected"))
    })
  )

  it.live("that fails stays as a failed one that can be inspected", () =>
    Effect.gen(function* () {
      const api = yield* startFakeGeminiApi(answers)
      const { sandbox } = yield* user(api)
      yield* runGemini(gemini, sandbox, { prompt: "scenario:broken Say something." })
      const [broken] = readArchives(sandbox.project, "gemini")
      const args = ["replay", broken?.manifest.session_id ?? "", "--json"]
      const failed = yield* run({ command: sandbox.lintAi, args, cwd: sandbox.project, env: sandbox.env })
      assert.strictEqual(failed.exitCode, 1, failed.stdout)
      const [replay] = JSON.parse(failed.stdout).replays
      assert.deepStrictEqual([replay.status, replay.prompt_count], ["failed", 0])
      assert.include(replay.reason, "The model is not there today.")
      const archive = archiveOf(sandbox, replay.session_id)
      assert.strictEqual(archive.manifest.status, "failed")
      assert.isTrue(archive.events.some((event) => event.kind === "user_prompt"))
    })
  )
})
