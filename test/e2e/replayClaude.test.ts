import * as fs from "node:fs"
import * as path from "node:path"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type FakeMessagesApi, startFakeMessagesApi } from "../support/fakeMessagesApi.ts"
import { run, start } from "../support/program.ts"
import { readArchives, sessionsDirectory } from "./archive.ts"
import {
  claudeVersions,
  dummyKey,
  installClaude,
  interruptClaude,
  makeSandbox,
  runClaude,
  type Sandbox
} from "./claude.ts"
import { lintAi, lintAiJson, recordProject } from "./lintAi.ts"
import { closingOf, makeRepository, placesIn, processesWith, untouched, worktreesOf } from "./replay.ts"

const decision = "The retryQueue connects to redis on port 6380. We decided to read REDIS_URL everywhere."
const answers = {
  decide: [{ text: decision }],
  ask: [{ text: "It is in REDIS_URL." }, { text: "Yes, since March." }],
  commit: [
    {
      tools: [
        { name: "Bash", input: { command: "git commit --allow-empty -m 'By the agent' && pwd", description: "Commit" } }
      ]
    },
    { text: "Committed." }
  ],
  search: [
    { tools: [{ name: "mcp__lint-ai__search", input: { query: "retryQueue redis" } }] },
    { tools: [{ name: "mcp__lint-ai__disable_lint_ai", input: {} }] },
    { text: "Found." }
  ],
  broken: [{ error: { status: 400, type: "invalid_request_error", message: "The model is not there today." } }],
  slow: [{ text: "I think", stalls: true }]
}

const first = "scenario:ask Which port does the retryQueue use for redis?"
const second = "--is that decided? (a prompt that begins with a dash)"

/** What reached the model server since a request, without what belongs to no turn. */
const sentTo = (api: FakeMessagesApi, from: number): string =>
  JSON.stringify(api.received.slice(from).map(({ body }) => body))

/** A project with one decision in its memory, and after that a recorded session of two prompts with lint-ai off. */
const baseline = (claude: string, api: FakeMessagesApi) =>
  Effect.gen(function* () {
    const sandbox = yield* makeSandbox(api)
    const repository = makeRepository(sandbox.project)
    const binary = yield* recordProject(sandbox, claude)
    yield* lintAi(sandbox, binary, "enable", "claude")
    yield* runClaude(claude, sandbox, { prompt: "scenario:decide Why does the retryQueue fail to connect to redis?" })
    yield* lintAi(sandbox, binary, "disable", "claude")
    const begun = yield* runClaude(claude, sandbox, { prompt: first })
    const { session_id } = begun.result
    // As an argument it would be a flag.
    yield* run({
      command: claude,
      args: ["-p", "--output-format", "json", "--model", "sonnet", "--resume", session_id],
      cwd: sandbox.project,
      env: sandbox.env,
      stdin: { text: second }
    })
    return { sandbox, binary, repository, id: `claude:${session_id}` }
  })

const archiveOf = (sandbox: Sandbox, id: string) => {
  const found = readArchives(sandbox.project).find(({ manifest }) => manifest.session_id === id)
  if (found === undefined) throw new Error(`no archive of ${id}`)
  return found
}

describe.each(claudeVersions)("A replay with Claude Code %s", (version) => {
  let claude = ""
  beforeAll(async () => {
    claude = await Effect.runPromise(installClaude(version))
  })

  it.live("is a new session apart from the user, with lint-ai off and on, and leaves all else as it was", () =>
    Effect.gen(function* () {
      const api = yield* startFakeMessagesApi(answers)
      const { sandbox, binary, repository, id } = yield* baseline(claude, api)
      const own = [sandbox.claudeHome, sandbox.env.HOME ?? "", sandbox.env.LINT_AI_CONFIG_DIR ?? "", sandbox.project]
      const replays = path.join(sessionsDirectory(sandbox.project), "claude-replay-")
      const marks = path.join(sessionsDirectory(sandbox.project), ".frozen")
      const before = untouched(own, (file) => file.startsWith(replays) || file.startsWith(marks))

      const from = api.received.length
      const off = yield* lintAiJson(sandbox, binary, "replay", id)
      const sentOff = sentTo(api, from)
      const middle = api.received.length
      const on = yield* lintAiJson(sandbox, binary, "replay", id, "--enable-lint-ai")
      const sentOn = sentTo(api, middle)

      assert.isFalse(sentOff.includes("lint-ai-memory"))
      assert.isTrue(/\[lint-ai-memory:[0-9a-f]{32} begin\]/.test(sentOn))
      assert.isTrue(sentOn.includes("We decided to read REDIS_URL everywhere"))
      for (const [sent, made] of [
        [sentOff, off],
        [sentOn, on]
      ] as const) {
        assert.isTrue(sent.includes(second))
        assert.strictEqual(made.replays.length, 1)
        const [replay] = made.replays
        assert.deepStrictEqual(
          [replay.status, replay.exit_code, replay.prompt_count, replay.prompts_alone],
          ["completed", 0, 2, 0]
        )
        const { manifest, events, directory } = archiveOf(sandbox, replay.session_id)
        assert.strictEqual(directory, replay.path)
        assert.strictEqual(manifest.run_type, "replay")
        assert.strictEqual(manifest.replay_of_session_id, id)
        assert.strictEqual(manifest.status, "completed")
        assert.strictEqual(manifest.prompt_count, 2)
        assert.strictEqual(manifest.recording_enabled, true)
        assert.strictEqual(manifest.project_root, sandbox.project)
        assert.strictEqual(manifest.repository_revision, repository.revision)
        assert.strictEqual(manifest.provider_session_ids?.length, 1)
        assert.notInclude(id, manifest.provider_session_ids?.[0] ?? "?")
        assert.deepStrictEqual(
          events.flatMap((event) => (event.kind === "user_prompt" ? [event.payload.text] : [])),
          [first, second]
        )
        assert.deepStrictEqual(
          events.flatMap((event) => (event.kind === "session_start" ? [event.payload.source] : [])),
          ["startup", "resume"]
        )
        assert.strictEqual(closingOf({ manifest, events, directory }).exit_code, 0)
        assert.isTrue(events.some((event) => event.kind === "turn_usage"))
      }
      const offArchive = archiveOf(sandbox, off.replays[0].session_id)
      const onArchive = archiveOf(sandbox, on.replays[0].session_id)
      assert.deepStrictEqual([offArchive.manifest.lint_ai_enabled, offArchive.manifest.arm], [false, "claude-off"])
      assert.deepStrictEqual([onArchive.manifest.lint_ai_enabled, onArchive.manifest.arm], [true, "claude-lint-ai"])
      assert.isFalse(offArchive.events.some((event) => event.kind === "context_injected"))
      assert.isTrue(onArchive.events.some((event) => event.kind === "context_injected"))

      const after = untouched(own, (file) => file.startsWith(replays) || file.startsWith(marks))
      assert.deepStrictEqual(Object.keys(after), Object.keys(before))
      for (const [file, content] of Object.entries(after)) assert.isTrue(content === before[file], file)
      assert.isFalse(repository.hookRan())
      assert.deepStrictEqual(worktreesOf(sandbox.project), [])
      assert.deepStrictEqual(placesIn(sandbox.env.TMPDIR), [])
      assert.deepStrictEqual(api.strays, [])
      for (const { directory } of [offArchive, onArchive]) {
        for (const name of fs.readdirSync(directory, { recursive: true, encoding: "utf8" })) {
          const file = path.join(directory, name)
          if (fs.statSync(file).isFile()) assert.notInclude(fs.readFileSync(file, "latin1"), dummyKey)
        }
        const verified = yield* lintAiJson(sandbox, binary, "sessions", "verify", directory)
        assert.strictEqual(verified.verdict, "complete")
      }
    })
  )

  it.live("has what the agent commits, with hooks of Git off, and nothing of it reaches the project", () =>
    Effect.gen(function* () {
      const api = yield* startFakeMessagesApi(answers)
      const sandbox = yield* makeSandbox(api)
      const repository = makeRepository(sandbox.project)
      const binary = yield* recordProject(sandbox, claude)
      const done = yield* runClaude(claude, sandbox, { prompt: "scenario:decide Begin." })
      const id = `claude:${done.result.session_id}`
      const archive = archiveOf(sandbox, id)
      // A recorded prompt that has the agent commit: what the baseline did does not matter here.
      const other = yield* runClaude(claude, sandbox, { prompt: "scenario:commit Commit it.", allow: ["Read"] })
      const args = ["--agent-arg=--allowedTools", "--agent-arg=Bash"]
      const { replays } = yield* lintAiJson(sandbox, binary, "replay", other.result.session_id, ...args)
      const { events } = archiveOf(sandbox, replays[0].session_id)
      const result = events.find((event) => event.kind === "tool_result")
      assert.include(JSON.stringify(result?.payload), "By the agent")
      assert.strictEqual(replays[0].changed_since_revision.commits, 1)
      assert.isFalse(repository.hookRan())
      const { revision } = yield* lintAiJson(sandbox, binary, "replay", id, "--dry-run").pipe(
        Effect.map(({ plan }) => plan)
      )
      assert.strictEqual(revision, repository.revision)
      assert.deepStrictEqual(archiveOf(sandbox, id), archive)
    })
  )

  it.live("reads the project's instructions, and keeps a memory of its own, unless told otherwise", () =>
    Effect.gen(function* () {
      const api = yield* startFakeMessagesApi(answers)
      const sandbox = yield* makeSandbox(api)
      fs.writeFileSync(path.join(sandbox.project, "CLAUDE.md"), "The project's word is xyzzy.\n")
      fs.writeFileSync(path.join(sandbox.claudeHome, "CLAUDE.md"), "The user's word is plugh.\n")
      makeRepository(sandbox.project)
      const binary = yield* recordProject(sandbox, claude)
      const done = yield* runClaude(claude, sandbox, { prompt: "scenario:ask Which word?" })
      const replayed = (...args: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          const from = api.received.length
          yield* lintAiJson(sandbox, binary, "replay", done.result.session_id, ...args)
          const sent = sentTo(api, from)
          // Where the agent is told to keep its memory: in the place, not with the user.
          const own = /lint-ai-place-[0-9a-f]{16}\/settings\/projects\/[^"]*\/memory/.test(sent)
          return [...["xyzzy", "plugh", sandbox.claudeHome].map((word) => sent.includes(word)), own]
        })
      assert.deepStrictEqual(
        ["xyzzy", "plugh"].map((word) => sentTo(api, 0).includes(word)),
        [true, true]
      )
      assert.deepStrictEqual(yield* replayed(), [true, false, false, true])
      const off = yield* replayed("--no-instruction-files", "--native-memory", "off")
      assert.deepStrictEqual(off, [false, false, false, false])
    })
  )

  it.live("with the MCP server alone finds the memory by asking for it, and cannot change the switches", () =>
    Effect.gen(function* () {
      const api = yield* startFakeMessagesApi(answers)
      const sandbox = yield* makeSandbox(api)
      makeRepository(sandbox.project)
      const binary = yield* recordProject(sandbox, claude)
      yield* lintAi(sandbox, binary, "enable", "claude")
      yield* runClaude(claude, sandbox, { prompt: "scenario:decide Why does the retryQueue fail to connect to redis?" })
      yield* lintAi(sandbox, binary, "disable", "claude")
      const asked = yield* runClaude(claude, sandbox, { prompt: "scenario:search What about the retryQueue of redis?" })
      const state = fs.readFileSync(path.join(sandbox.project, ".lint-ai", "state.json"), "utf8")
      const from = api.received.length
      const args = ["--enable-lint-ai", "--profile", "mcp-only", "--agent-arg=--allowedTools"]
      const { replays } = yield* lintAiJson(
        sandbox,
        binary,
        ...["replay", asked.result.session_id, ...args, "--agent-arg=mcp__lint-ai__disable_lint_ai"]
      )
      const { events } = archiveOf(sandbox, replays[0].session_id)
      const results = events.flatMap((event) => (event.kind.startsWith("tool_") ? [JSON.stringify(event.payload)] : []))
      assert.isTrue(results.some((text) => text.includes("We decided to read REDIS_URL everywhere")))
      assert.isTrue(results.some((text) => text.includes("This is a replay")))
      assert.isFalse(events.some((event) => event.kind === "context_injected"))
      assert.isFalse(sentTo(api, from).includes("[lint-ai-memory:"))
      assert.strictEqual(fs.readFileSync(path.join(sandbox.project, ".lint-ai", "state.json"), "utf8"), state)
    })
  )

  it.live("that fails stays as a failed one that can be inspected", () =>
    Effect.gen(function* () {
      const api = yield* startFakeMessagesApi(answers)
      const sandbox = yield* makeSandbox(api)
      makeRepository(sandbox.project)
      const binary = yield* recordProject(sandbox, claude)
      const broken = yield* runClaude(claude, sandbox, { prompt: "scenario:broken Say something." })
      const failed = yield* lintAi(sandbox, binary, "replay", broken.result.session_id, "--json")
      assert.strictEqual(failed.exitCode, 1)
      const [replay] = JSON.parse(failed.stdout).replays
      assert.deepStrictEqual([replay.status, replay.exit_code, replay.prompt_count], ["failed", 1, 0])
      const archive = archiveOf(sandbox, replay.session_id)
      assert.strictEqual(archive.manifest.status, "failed")
      assert.include(String(closingOf(archive).stdout), "The model is not there today.")
      const inspected = yield* lintAiJson(sandbox, binary, "sessions", "inspect", replay.session_id)
      assert.strictEqual(inspected.status, "failed")
      assert.deepStrictEqual(worktreesOf(sandbox.project), [])
    })
  )

  it.live("that takes too long is ended and stays as a failed one", () =>
    Effect.gen(function* () {
      const { sandbox, binary, id } = yield* stalledBaseline(claude)
      const failed = yield* lintAi(sandbox, binary, "replay", id, "--timeout", "4s", "--json")
      assert.strictEqual(failed.exitCode, 1)
      const [replay] = JSON.parse(failed.stdout).replays
      assert.deepStrictEqual([replay.status, replay.exit_code, replay.prompt_count], ["failed", null, 0])
      assert.match(replay.reason, /the time of 4 s was over/)
      assert.strictEqual(archiveOf(sandbox, replay.session_id).manifest.status, "failed")
      assert.deepStrictEqual(processesWith(replay.session_id), [])
      assert.deepStrictEqual(placesIn(sandbox.env.TMPDIR), [])
    })
  )

  it.live("that is interrupted ends its agent, closes its archive and leaves nothing else behind", () =>
    Effect.gen(function* () {
      const { sandbox, binary, id } = yield* stalledBaseline(claude)
      const { running } = yield* startReplay(sandbox, binary, id)
      yield* running.signal("SIGINT")
      const end = yield* running.finished
      assert.strictEqual(end.exitCode, 130)
      assert.match(end.stderr, /Interrupted\. What was recorded of the replay stays as a failed session\./)
      const replay = readArchives(sandbox.project).find(({ manifest }) => manifest.run_type === "replay")
      assert.deepStrictEqual([replay?.manifest.status, replay?.manifest.end_reason], ["failed", "It was interrupted."])
      assert.deepStrictEqual(processesWith(replay?.manifest.session_id ?? ""), [])
      assert.deepStrictEqual(placesIn(sandbox.env.TMPDIR), [])
      assert.deepStrictEqual(worktreesOf(sandbox.project), [])
      const state = sandbox.env.LINT_AI_STATE_DIR ?? ""
      assert.deepStrictEqual(fs.readdirSync(path.join(state, "replays")), [])
      assert.deepStrictEqual(fs.readdirSync(path.join(state, "replay-places")), [])
    })
  )

  it.live("whose process is killed is shown as incomplete, and the next one removes what it left", () =>
    Effect.gen(function* () {
      const { sandbox, binary, id } = yield* stalledBaseline(claude)
      const { running } = yield* startReplay(sandbox, binary, id)
      yield* running.signal("SIGKILL")
      yield* running.finished
      const { sessions } = yield* lintAiJson(sandbox, binary, "sessions", "list")
      const cut = sessions.find((one: { readonly session_id: string }) => one.session_id.includes(":replay-"))
      assert.strictEqual(cut.status, "incomplete")
      // The agent outlives it, as any child of a killed program does.
      assert.isAbove(processesWith(cut.session_id).length, 0)
      assert.strictEqual(placesIn(sandbox.env.TMPDIR).length, 1)
      yield* lintAi(sandbox, binary, "replay", id, "--timeout", "1s")
      assert.deepStrictEqual(processesWith(cut.session_id), [])
      assert.deepStrictEqual(placesIn(sandbox.env.TMPDIR), [])
      assert.deepStrictEqual(worktreesOf(sandbox.project), [])
    })
  )
})

/** A project with a recorded session whose only prompt the model never answers to its end. */
const stalledBaseline = (claude: string) =>
  Effect.gen(function* () {
    const api = yield* startFakeMessagesApi(answers)
    const sandbox = yield* makeSandbox(api)
    makeRepository(sandbox.project)
    const binary = yield* recordProject(sandbox, claude)
    yield* interruptClaude(claude, sandbox, { prompt: "scenario:slow Think." }, () => api.answered("slow", 0))
    const [archive] = readArchives(sandbox.project)
    return { sandbox, binary, id: archive?.manifest.session_id ?? "" }
  })

/** Starts a replay, and waits until the model has begun to answer it. */
const startReplay = (sandbox: Sandbox, binary: string, id: string) =>
  Effect.gen(function* () {
    const api = yield* startFakeMessagesApi(answers)
    const env = { ...sandbox.env, ANTHROPIC_BASE_URL: api.url }
    const running = yield* start({ command: binary, args: ["replay", id, "--json"], cwd: sandbox.project, env })
    yield* api.answered("slow", 0)
    return { running }
  })
