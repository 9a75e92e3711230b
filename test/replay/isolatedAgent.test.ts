import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { archiveFiles } from "../../src/archive/sessionDirectory.ts"
import { SessionId } from "../../src/domain/sessionId.ts"
import { type AgentRun, AgentTooSlow } from "../../src/providers/ProviderCli.ts"
import { type Conversation, IsolatedAgent } from "../../src/replay/IsolatedAgent.ts"
import { type Answering, armOf, hooksOfClaude, isolatedAgentOf } from "../support/isolatedAgents.ts"
import { manifestOf, newUser, strictEvents, type TestUser } from "../support/recording.ts"

const sessionsRoot = (user: TestUser) => path.join(user.project, ".lint-ai", "claude-sessions")

/** One conversation in a place of its own. */
const held = (user: TestUser, conversation: Partial<Conversation> = {}, arm = armOf("claude")) =>
  Effect.gen(function* () {
    const agent = yield* IsolatedAgent
    const place = yield* agent.place({
      arm,
      source: { projectRoot: user.project, revision: undefined },
      below: path.join(user.directory, "below"),
      sessionsRoot: sessionsRoot(user)
    })
    const outcome = yield* agent.converse(place, {
      prompts: ["one", "--two", "three"],
      replayOf: SessionId.make("claude:baseline"),
      timeout: "1 minute",
      ...conversation
    })
    return { place, outcome }
  }).pipe(Effect.scoped)

const archived = (directory: string) => {
  const files = archiveFiles(directory)
  const events = strictEvents(files.events)
  const last = events.at(-1)
  const closing = last?.kind === "provider_event" ? (last.payload.fields as Record<string, unknown>) : {}
  return { manifest: manifestOf(files.manifest), events, closing }
}

describe("a conversation with an isolated agent", () => {
  it.live("sends the prompts in order, the later ones into the same conversation, and records them", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const runs: Array<AgentRun> = []
      const answer: Answering = (run) =>
        Effect.gen(function* () {
          runs.push(run)
          yield* hooksOfClaude(user, run, "s1")
          return { sessionId: "s1", text: `answer to ${run.prompt}`, costUsd: runs.length * 0.25 }
        })
      const { outcome, place } = yield* held(user).pipe(Effect.provide(isolatedAgentOf(user, answer)))
      assert.deepStrictEqual(
        runs.map(({ prompt, resume }) => [prompt, resume]),
        [
          ["one", undefined],
          ["--two", "s1"],
          ["three", "s1"]
        ]
      )
      assert.isTrue(runs.every((run) => run.env.LINT_AI_REPLAY_SESSION_ID === outcome.sessionId))
      assert.isUndefined(place.env.LINT_AI_REPLAY_SESSION_ID)
      assert.match(outcome.sessionId, /^claude:replay-\d{8}-\d{6}-[0-9a-f]{16}$/)
      assert.deepInclude(outcome, {
        status: "completed",
        exitCode: 0,
        promptCount: 3,
        answer: "answer to three",
        alone: 0,
        // This version adds up over the conversation.
        costUsd: 0.75
      })
      const { manifest, events, closing } = archived(outcome.directory)
      assert.deepInclude<object>(manifest, {
        session_id: outcome.sessionId,
        run_type: "replay",
        replay_of_session_id: "claude:baseline",
        arm: "claude-off",
        lint_ai_enabled: false,
        recording_enabled: true,
        prompt_count: 3,
        status: "completed",
        project_root: user.project,
        recording_mode: "capture-only",
        provider_session_ids: ["s1"]
      })
      assert.deepStrictEqual(
        events.map(({ kind }) => kind),
        [
          "provider_event",
          ...[0, 1, 2].flatMap(() => ["session_start", "user_prompt", "assistant_message", "session_end"]),
          "provider_event"
        ]
      )
      assert.deepInclude(closing, { phase: "end", status: "completed", exit_code: 0, prompts_answered: 3 })
      // The project itself was never turned on, and is not now.
      assert.isFalse(fs.existsSync(path.join(user.project, ".lint-ai", "state.json")))
      assert.deepStrictEqual(fs.readdirSync(path.join(user.directory, "below")), [])
    }).pipe(Effect.scoped)
  )

  it.live("adds the costs up where the agent tells those of a run, and sends alone what cannot go on", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      let count = 0
      const answer: Answering = (run) =>
        Effect.gen(function* () {
          count++
          yield* hooksOfClaude(user, run, `s${count}`)
          return { sessionId: `s${count}`, text: "yes", costUsd: 0.25 }
        })
      const layer = isolatedAgentOf(user, answer, { version: "2.0.1" })
      const { outcome } = yield* held(user).pipe(Effect.provide(layer))
      assert.deepInclude(outcome, { status: "completed", alone: 2, costUsd: 0.75 })
      const { manifest, closing } = archived(outcome.directory)
      assert.deepStrictEqual(manifest.provider_session_ids, ["s1", "s2", "s3"])
      assert.strictEqual(closing.prompts_alone, 2)
    }).pipe(Effect.scoped)
  )

  it.live("notices that Antigravity CLI has begun another conversation", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const runs: Array<AgentRun> = []
      const answer: Answering = (run) =>
        Effect.sync(() => {
          runs.push(run)
          return { sessionId: runs.length === 1 ? "a" : "b" }
        })
      const arm = armOf("antigravity")
      const { outcome } = yield* held(user, {}, arm).pipe(Effect.provide(isolatedAgentOf(user, answer)))
      assert.deepStrictEqual(
        runs.map(({ resume }) => resume),
        [undefined, "a", "b"]
      )
      assert.strictEqual(outcome.alone, 1)
      assert.match(runs[0]?.args?.[0] ?? "", /^--gemini_dir=\//)
    }).pipe(Effect.scoped)
  )

  it.live("stops at a prompt that fails, and keeps what the agent said without its secrets", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const token = `ghp_${"a1B2c3D4e5F6".repeat(3)}`
      const prompts: Array<string> = []
      const answer: Answering = (run) =>
        Effect.sync(() => {
          prompts.push(run.prompt)
          return prompts.length < 2
            ? { sessionId: "s1" }
            : { exitCode: 3, errors: [`It broke with ${token}.`], stdout: `token ${token}`, stderr: "x".repeat(20_000) }
        })
      const { outcome } = yield* held(user).pipe(Effect.provide(isolatedAgentOf(user, answer)))
      assert.deepStrictEqual(prompts, ["one", "--two"])
      assert.deepInclude(outcome, {
        status: "failed",
        exitCode: 3,
        promptCount: 1,
        // It is told, and kept in the manifest and in ledgers of experiments: no secret of the agent's words is in it.
        reason: "Claude Code failed at prompt 2 with exit code 3: It broke with [REDACTED:github-pat]."
      })
      const { manifest, closing } = archived(outcome.directory)
      assert.deepInclude<object>(manifest, { status: "failed", prompt_count: 1, end_reason: outcome.reason })
      assert.deepInclude(closing, { exit_code: 3, status: "failed" })
      assert.match(String(closing.stdout), /\[REDACTED:/)
      assert.isBelow(String(closing.stderr).length, 9_000)
      const bytes = fs.readFileSync(archiveFiles(outcome.directory).events, "utf8")
      assert.isFalse(bytes.includes(token))
      assert.isFalse(fs.readFileSync(archiveFiles(outcome.directory).manifest, "utf8").includes(token))
    }).pipe(Effect.scoped)
  )

  it.live("is no failed one because of what the agent warned of beside its answer", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const conversation = { prompts: ["one"] }
      const warned: Answering = () => Effect.succeed({ text: "yes", errors: ["SessionEnd was clamped to 3 s."] })
      const { outcome } = yield* held(user, conversation).pipe(Effect.provide(isolatedAgentOf(user, warned)))
      assert.strictEqual(outcome.status, "completed")
      const broken: Answering = () => Effect.succeed({ errors: ["No model."] })
      const other = yield* held(user, conversation).pipe(Effect.provide(isolatedAgentOf(user, broken)))
      assert.strictEqual(other.outcome.reason, "Claude Code failed at prompt 1 with exit code 0: No model.")
    }).pipe(Effect.scoped)
  )

  it.live("is a failed one when the agent takes too long, has gone, or no time is left", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const slow: Answering = () =>
        Effect.fail(new AgentTooSlow({ provider: "claude", program: "claude", limitMs: 60_000 }))
      const { outcome } = yield* held(user).pipe(Effect.provide(isolatedAgentOf(user, slow)))
      assert.deepInclude(outcome, { status: "failed", exitCode: undefined, promptCount: 0 })
      assert.match(outcome.reason ?? "", /was ended at prompt 1: the time of 60 s was over/)
      const { closing, manifest } = archived(outcome.directory)
      assert.strictEqual(closing.exit_code, null)
      // No hook has run: what lint-ai itself wrote, seconds after it began, is no time of the recording.
      assert.isUndefined(manifest.timing)
      const never: Answering = () => Effect.succeed({})
      const late = yield* held(user, { timeout: 0 }).pipe(Effect.provide(isolatedAgentOf(user, never)))
      assert.match(late.outcome.reason ?? "", /was over before prompt 1/)
    }).pipe(Effect.scoped)
  )

  it.live("closes its archive as failed when it is interrupted, and takes its ticket back", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const asked = yield* Deferred.make<string>()
      const answer: Answering = (run) =>
        Effect.andThen(Deferred.succeed(asked, run.env.LINT_AI_REPLAY_SESSION_ID ?? ""), Effect.never)
      const fiber = yield* Effect.forkChild(held(user).pipe(Effect.provide(isolatedAgentOf(user, answer))))
      yield* Deferred.await(asked)
      yield* Fiber.interrupt(fiber)
      const [name = ""] = fs.readdirSync(sessionsRoot(user)).filter((one) => !one.startsWith("."))
      const { manifest, closing } = archived(path.join(sessionsRoot(user), name))
      assert.deepInclude<object>(manifest, { status: "failed", end_reason: "It was interrupted." })
      assert.strictEqual(closing.reason, "It was interrupted.")
      assert.deepStrictEqual(fs.readdirSync(path.join(user.state, "replays")), [])
      assert.deepStrictEqual(fs.readdirSync(path.join(user.state, "replay-places")), [])
      assert.deepStrictEqual(fs.readdirSync(path.join(user.directory, "below")), [])
    }).pipe(Effect.scoped)
  )

  it.live("hands the agent its limits where it has flags for them", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const all: Array<ReadonlyArray<string>> = []
      const answer: Answering = (run) =>
        Effect.as(
          Effect.sync(() => all.push(run.args ?? [])),
          {}
        )
      const arm = armOf("claude", { args: ["--allowedTools", "Bash"], model: "sonnet" })
      const conversation = { prompts: ["one"], limits: { turns: 4, usd: 0.5 } }
      yield* held(user, conversation, arm).pipe(Effect.provide(isolatedAgentOf(user, answer)))
      assert.deepStrictEqual(all, [["--max-turns", "4", "--max-budget-usd", "0.5", "--allowedTools", "Bash"]])
    }).pipe(Effect.scoped)
  )
})
