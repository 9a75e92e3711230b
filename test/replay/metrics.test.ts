import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { sessionId } from "../../src/domain/sessionId.ts"
import { allTokens, measureSession } from "../../src/replay/metrics.ts"
import { replayEventName } from "../../src/replay/replayEvent.ts"
import { recorded, script } from "../scenario/recorded.ts"
import { machineOf, newUser, snapshot, type TestUser } from "../support/recording.ts"

const measure = <E, R>(record: (user: TestUser) => Effect.Effect<string, E, R>) =>
  Effect.gen(function* () {
    const user = yield* newUser
    return yield* Effect.flatMap(record(user), measureSession).pipe(Effect.provide(machineOf(user)))
  })

describe("the metrics of a session", () => {
  it.effect("are read from its archive, which stays as it is", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const metrics = yield* Effect.gen(function* () {
        const { events } = script()
          .start()
          .prompt("Where?")
          .tool("Read", { file_path: "a" })
          .answer("Here")
          .usage(7)
          .end()
        const directory = yield* recorded(user, "s", events, { provider_version: "2.1.332" })
        const before = snapshot(user.project)
        const measured = yield* measureSession(directory)
        assert.deepStrictEqual(snapshot(user.project), before)
        return measured
      }).pipe(Effect.provide(machineOf(user)))
      assert.deepInclude(metrics, {
        session_id: sessionId("claude", "s"),
        session_root: path.dirname(metrics.directory),
        provider_version: "2.1.332",
        models: ["model-1"],
        permission_modes: ["default"],
        outcome: "completed",
        // From the first event to the last, and from the prompt to the answer.
        duration_ms: 6_000,
        working_ms: 3_000,
        first_response_ms: 1_000,
        tokens: { input_tokens: 100, output_tokens: 7 },
        usage_source: "claude-transcript",
        turns: 1,
        model_turns: 1,
        tool_calls: 1,
        injected_bytes: 0,
        event_count: 7,
        recording_complete: true,
        lint_ai_enabled: false
      })
    })
  )

  it.effect("are null for what was not observed, never 0", () =>
    Effect.gen(function* () {
      const metrics = yield* measure((user) =>
        recorded(user, "s", script().start().end().events, { capabilities: { context_injection: "absent" } })
      )
      for (const name of [
        ...["provider_version", "repository_revision", "settings_root", "exit_code", "working_ms", "first_response_ms"],
        ...["tokens", "usage_source", "cost_usd", "model_turns", "injected_bytes", "retrieval_ms", "arm"]
      ] as const) {
        assert.isNull(metrics[name as keyof typeof metrics], name)
      }
    })
  )

  it.effect("leave out what the person took between prompts", () =>
    Effect.gen(function* () {
      const { events } = script().start().prompt("One").answer("1").prompt("Two").tool("Bash", {}).answer("2").end()
      const later = events.map((event, index) =>
        index < 3 ? event : { ...event, timestamp: new Date(Date.parse(event.timestamp) + 3_600_000).toISOString() }
      )
      const metrics = yield* measure((user) => recorded(user, "s", later))
      assert.strictEqual(metrics.working_ms, 1_000 + 3_000)
      assert.isAbove(metrics.duration_ms ?? 0, 3_600_000)
    })
  )

  it.effect("take the first message of the model for the first response where its time is known", () =>
    Effect.gen(function* () {
      const { events } = script()
        .start()
        .prompt("Where?")
        .answer("Here")
        .usage(3, { time: "2026-08-16T12:00:01.250Z" })
        .usage(3, { time: "2026-08-16T11:00:00.000Z" })
        .end()
      const metrics = yield* measure((user) => recorded(user, "s", events))
      // The second one is from before the prompt: from a session that was resumed.
      assert.strictEqual(metrics.first_response_ms, 250)
    })
  )

  it.effect("count reads and searches that were made before, and no other calls", () =>
    Effect.gen(function* () {
      const { events } = script()
        .start()
        .prompt("Where?")
        .tool("Read", { file_path: "a" })
        .tool("Read", { file_path: "b" })
        .tool("Read", { file_path: "a" })
        .tool("Bash", { command: "rg Store src" })
        .tool("Bash", { command: "rg Store src" })
        .tool("Bash", { command: "npm test" })
        .tool("Bash", { command: "npm test" })
        .tool("Bash", { command: "cat a > b" })
        .tool("Bash", { command: "cat a > b" })
        .tool("Edit", { file_path: "a" }, { fails: "failed" })
        .tool("Edit", { file_path: "a" })
        .end()
      const metrics = yield* measure((user) => recorded(user, "s", events))
      assert.deepInclude(metrics, { tool_calls: 11, tool_errors: 1, repeated_exploration: 2 })
    })
  )

  it.effect("count the model's answers in the session itself, and the tokens of its subagents too", () =>
    Effect.gen(function* () {
      const { events } = script()
        .start()
        .prompt("Go")
        .usage(5)
        .usage(7, { agent_id: "a1" })
        .usage(11, { message_id: "last" })
        .usage(12, { message_id: "last" })
        .answer("Done")
        .end()
      const metrics = yield* measure((user) => recorded(user, "s", events))
      assert.deepInclude(metrics, { model_turns: 2, tokens: { input_tokens: 300, output_tokens: 24 } })
    })
  )

  it.effect("tell injected context, the memories in it, and the time of lint-ai's own tools apart", () =>
    Effect.gen(function* () {
      const injected = (record_ids: ReadonlyArray<string>, bytes: number) => ({ record_ids, bytes, milliseconds: 2 })
      const { events } = script()
        .start()
        .add("context_injected", injected(["mem_a", "mem_b"], 300))
        .prompt("Go")
        .add("context_injected", injected(["mem_b"], 100))
        .tool("mcp__lint-ai__search", { query: "x" }, { duration_ms: 30 })
        .tool("Bash", {}, { duration_ms: 1_000 })
        .end()
      const metrics = yield* measure((user) => recorded(user, "s", events, { recording_mode: "assist" }))
      assert.deepInclude(metrics, {
        injected_bytes: 400,
        memories_used: ["mem_a", "mem_b"],
        mcp_ms: 30,
        retrieval_ms: 4,
        lint_ai_enabled: true
      })
    })
  )

  it.effect("count memories that the agent was given by lint-ai's own tools, and none that another tool names", () =>
    Effect.gen(function* () {
      const [given, named] = ["mem_0123456789abcdef0123", "mem_ffffffffffffffffffff"]
      const own = { provider_ids: { tool_use_id: "t1" } }
      const { events } = script()
        .start()
        .prompt("Go")
        .add("tool_call", { tool_name: "mcp__lint-ai__search", input: { query: "x" } }, own)
        .add("tool_result", { tool_name: "mcp__lint-ai__search", response: [{ text: `{"id":"${given}"}` }] }, own)
        .add("tool_result", { tool_name: "Read", response: named })
        .end()
      const metrics = yield* measure((user) => recorded(user, "s", events))
      assert.deepStrictEqual(metrics.memories_used, [given])
      assert.strictEqual(metrics.injected_bytes, 0)
    })
  )

  it.effect("do not know the time of lint-ai's tools when a call does not tell its own", () =>
    Effect.gen(function* () {
      const { events } = script()
        .start()
        .tool("mcp__lint-ai__search", {})
        .tool("mcp__lint-ai__info", {}, { duration_ms: 5 })
      assert.isNull((yield* measure((user) => recorded(user, "s", events))).mcp_ms)
    })
  )

  it.effect("of a replay tell its arm, its settings home and how its agent ended", () =>
    Effect.gen(function* () {
      const { events } = script()
        .add("provider_event", { name: replayEventName, fields: { phase: "begin", settings_root: "/place/settings" } })
        .start()
        .prompt("Go")
        .answer("Done")
        .end()
        .add("provider_event", { name: replayEventName, fields: { phase: "end", exit_code: 0, cost_usd: 0.25 } })
      const replay = { run_type: "replay", arm: "claude-lint-ai", lint_ai_enabled: true } as const
      const metrics = yield* measure((user) => recorded(user, "s", events, replay))
      assert.deepInclude(metrics, {
        arm: "claude-lint-ai",
        lint_ai_enabled: true,
        settings_root: "/place/settings",
        exit_code: 0,
        cost_usd: 0.25,
        recording_complete: true
      })
    })
  )

  const incomplete: ReadonlyArray<readonly [string, (user: TestUser) => ReturnType<typeof recorded>, string]> = [
    ["has no end", (user) => recorded(user, "s", script().start().prompt("Go").events), "it has no end"],
    ["has no beginning", (user) => recorded(user, "s", script().prompt("Go").end().events), "it has no beginning"],
    [
      "was joined",
      (user) => recorded(user, "s", script().prompt("Go").end().events, { joined: "mid-session" }),
      "it began in the middle of the session"
    ],
    [
      "names a gap",
      (user) =>
        recorded(
          user,
          "s",
          script()
            .start()
            .add("provider_event", { name: "recording_gap", fields: { cause: "manifest" } })
            .end().events
        ),
      "it names 1 gap"
    ],
    [
      "is damaged",
      (user) =>
        Effect.tap(recorded(user, "s", script().start().prompt("Go").answer("Done").end().events), (directory) =>
          Effect.sync(() => {
            const file = path.join(directory, "events.jsonl")
            const lines = fs.readFileSync(file, "utf8").split("\n")
            fs.writeFileSync(file, [lines[0], "{damage", ...lines.slice(2)].join("\n"))
          })
        ),
      "1 damaged line could not be read"
    ]
  ]
  it.effect.each(incomplete)("say that a recording that %s is not complete", ([, record, problem]) =>
    Effect.gen(function* () {
      const metrics = yield* measure(record)
      assert.isFalse(metrics.recording_complete)
      assert.include(metrics.recording_problems, problem)
    })
  )

  it.effect("do not ask for an end of an agent that has none", () =>
    Effect.gen(function* () {
      const metrics = yield* measure((user) =>
        recorded(user, "s", script().start().prompt("Go").events, { capabilities: { session_end: "absent" } })
      )
      assert.isTrue(metrics.recording_complete)
    })
  )
})

describe("all tokens", () => {
  it("are what the agent adds up, else the kinds, of which reasoning is part of the output", () => {
    assert.strictEqual(allTokens({ total_tokens: 9, input_tokens: 100 }), 9)
    const kinds = { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: 3, reasoning_output_tokens: 2 }
    assert.strictEqual(allTokens(kinds), 6)
    assert.isNull(allTokens(null))
    assert.isNull(allTokens({ reasoning_output_tokens: 2 }))
  })
})
