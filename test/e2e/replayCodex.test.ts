import * as fs from "node:fs"
import * as path from "node:path"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type FakeResponsesApi, startFakeResponsesApi } from "../support/fakeResponsesApi.ts"
import { run } from "../support/program.ts"
import { readArchives, sessionsDirectory } from "./archive.ts"
import {
  type CodexSandbox,
  dummyKey,
  installCodex,
  installLintAi,
  lintAiJson,
  makeCodexSandbox,
  runCodex,
  trustAll
} from "./codex.ts"
import { closingOf, makeRepository, placesIn, untouched, worktreesOf } from "./replay.ts"

const decision = "The retryQueue connects to redis on port 6380. We decided to read REDIS_URL everywhere."
const answers = {
  decide: [{ text: decision }],
  ask: [{ text: "It is in REDIS_URL." }],
  more: [{ text: "Yes, since March." }],
  commit: [
    {
      calls: [
        { name: "exec_command", args: { cmd: "git commit --allow-empty -m 'By the agent' && git log -1 --format=%an" } }
      ]
    },
    { text: "Committed." }
  ],
  search: [
    { calls: [{ name: "search", namespace: "mcp__lint_ai", args: { query: "retryQueue redis" } }] },
    { calls: [{ name: "disable_lint_ai", namespace: "mcp__lint_ai", args: {} }] },
    { text: "Found." }
  ],
  broken: [{ error: { status: 400, message: "The model is not there today." } }]
}
const first = "scenario:ask Which port does the retryQueue use for redis?"
const second = "--scenario:more is that decided? (a prompt that begins with a dash)"

const sentTo = (api: FakeResponsesApi, from: number): string =>
  JSON.stringify(api.received.slice(from).map(({ body }) => body))

const archiveOf = (sandbox: CodexSandbox, id: string) => {
  const found = readArchives(sandbox.project, "codex").find(({ manifest }) => manifest.session_id === id)
  if (found === undefined) throw new Error(`no archive of ${id}`)
  return found
}

let codex = ""
beforeAll(async () => {
  codex = await Effect.runPromise(installCodex)
})

/** A user with Codex on the PATH and a repository, who records. */
const user = (api: FakeResponsesApi) =>
  Effect.gen(function* () {
    const sandbox = yield* makeCodexSandbox(api)
    fs.symlinkSync(codex, path.join(sandbox.root, "bin", "codex"))
    const repository = makeRepository(sandbox.project)
    yield* installLintAi(sandbox)
    assert.deepStrictEqual(yield* trustAll(codex, sandbox), [])
    return { sandbox, repository }
  })

describe("A replay with Codex", () => {
  it.live("is a new session apart from the user, with lint-ai off and on, and leaves all else as it was", () =>
    Effect.gen(function* () {
      const api = yield* startFakeResponsesApi(answers)
      const { sandbox, repository } = yield* user(api)
      yield* lintAiJson(sandbox, "enable", "codex")
      yield* runCodex(codex, sandbox, { prompt: "scenario:decide Why does the retryQueue fail to connect to redis?" })
      yield* lintAiJson(sandbox, "disable", "codex")
      const begun = yield* runCodex(codex, sandbox, { prompt: first })
      const thread = begun.result.sessionId ?? ""
      yield* run({
        command: codex,
        args: ["exec", "resume", "--json", "--skip-git-repo-check", thread, "-"],
        cwd: sandbox.project,
        env: sandbox.env,
        stdin: { text: second }
      })
      const id = `codex:${thread}`
      const own = [sandbox.env.HOME ?? "", sandbox.env.LINT_AI_CONFIG_DIR ?? "", sandbox.project]
      const sessions = sessionsDirectory(sandbox.project, "codex")
      const isNew = (file: string) =>
        file.startsWith(path.join(sessions, "codex-replay-")) || file.startsWith(path.join(sessions, ".frozen"))
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
        const [replay] = made.replays
        assert.deepStrictEqual(
          [replay.status, replay.exit_code, replay.prompt_count, replay.prompts_alone],
          ["completed", 0, 2, 0]
        )
        const archive = archiveOf(sandbox, replay.session_id)
        const { manifest, events } = archive
        assert.deepStrictEqual(
          [manifest.run_type, manifest.replay_of_session_id, manifest.status, manifest.lint_ai_enabled],
          ["replay", id, "completed", lintAi]
        )
        assert.strictEqual(manifest.repository_revision, repository.revision)
        assert.strictEqual(manifest.provider_session_ids?.length, 1)
        assert.notStrictEqual(manifest.provider_session_ids?.[0], thread)
        assert.deepStrictEqual(
          events.flatMap((event) => (event.kind === "user_prompt" ? [event.payload.text] : [])),
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
        const { stderr } = closingOf(archive)
        assert.notInclude(String(stderr), "Refusing to create helper binaries")
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

  it.live("has what the agent commits, with hooks of Git off, in its own work tree", () =>
    Effect.gen(function* () {
      const api = yield* startFakeResponsesApi(answers)
      const { sandbox, repository } = yield* user(api)
      const done = yield* runCodex(codex, sandbox, {
        prompt: "scenario:commit Commit it.",
        flags: ["--sandbox", "read-only"]
      })
      assert.isFalse(repository.hookRan())
      const { replays } = yield* lintAiJson(sandbox, "replay", done.result.sessionId ?? "")
      const { events } = archiveOf(sandbox, replays[0].session_id)
      const result = events.find((event) => event.kind === "tool_result")
      assert.include(JSON.stringify(result?.payload), "By the agent")
      assert.include(JSON.stringify(result?.payload), "lint-ai replay")
      assert.isFalse(repository.hookRan())
    })
  )

  it.live("reads the instructions of the project unless told otherwise, and never those of the user", () =>
    Effect.gen(function* () {
      const api = yield* startFakeResponsesApi(answers)
      const sandbox = yield* makeCodexSandbox(api)
      fs.symlinkSync(codex, path.join(sandbox.root, "bin", "codex"))
      fs.writeFileSync(path.join(sandbox.project, "AGENTS.md"), "The project's word is xyzzy.\n")
      fs.writeFileSync(path.join(sandbox.codexHome, "AGENTS.md"), "The user's word is plugh.\n")
      makeRepository(sandbox.project)
      yield* installLintAi(sandbox)
      yield* trustAll(codex, sandbox)
      const done = yield* runCodex(codex, sandbox, { prompt: "scenario:ask Which word?" })
      const wordsSince = (from: number) => ["xyzzy", "plugh"].map((word) => sentTo(api, from).includes(word))
      const replayed = (...args: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          const from = api.received.length
          yield* lintAiJson(sandbox, "replay", done.result.sessionId ?? "", ...args)
          return wordsSince(from)
        })
      assert.deepStrictEqual(wordsSince(0), [true, true])
      assert.deepStrictEqual(yield* replayed(), [true, false])
      assert.deepStrictEqual(yield* replayed("--no-instruction-files"), [false, false])
    })
  )

  it.live("with the MCP server alone finds the memory by asking for it", () =>
    Effect.gen(function* () {
      const api = yield* startFakeResponsesApi(answers)
      const { sandbox } = yield* user(api)
      yield* lintAiJson(sandbox, "enable", "codex")
      yield* runCodex(codex, sandbox, { prompt: "scenario:decide Why does the retryQueue fail to connect to redis?" })
      yield* lintAiJson(sandbox, "disable", "codex")
      const asked = yield* runCodex(codex, sandbox, { prompt: "scenario:search What about the retryQueue of redis?" })
      const from = api.received.length
      const args = ["replay", asked.result.sessionId ?? "", "--enable-lint-ai", "--profile", "mcp-only"]
      const { replays } = yield* lintAiJson(sandbox, ...args)
      const { events } = archiveOf(sandbox, replays[0].session_id)
      assert.isTrue(sentTo(api, from).includes("We decided to read REDIS_URL everywhere"))
      assert.isFalse(sentTo(api, from).includes("[lint-ai-memory:"))
      assert.isTrue(sentTo(api, from).includes("This is a replay"))
      assert.isFalse(events.some((event) => event.kind === "context_injected"))
    })
  )

  it.live("that fails stays as a failed one that can be inspected", () =>
    Effect.gen(function* () {
      const api = yield* startFakeResponsesApi(answers)
      const { sandbox } = yield* user(api)
      const broken = yield* runCodex(codex, sandbox, { prompt: "scenario:broken Say something." })
      const args = ["replay", broken.result.sessionId ?? "", "--json"]
      const failed = yield* run({ command: sandbox.lintAi, args, cwd: sandbox.project, env: sandbox.env })
      assert.strictEqual(failed.exitCode, 1)
      const [replay] = JSON.parse(failed.stdout).replays
      assert.deepStrictEqual([replay.status, replay.exit_code, replay.prompt_count], ["failed", 1, 0])
      assert.include(replay.reason, "The model is not there today.")
      const archive = archiveOf(sandbox, replay.session_id)
      assert.strictEqual(archive.manifest.status, "failed")
      assert.isTrue(archive.events.some((event) => event.kind === "user_prompt"))
    })
  )
})
