import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import { ArchivedEvent, type DraftEvent } from "../../../src/domain/event.ts"
import { sessionId } from "../../../src/domain/sessionId.ts"
import { claudeAdapter } from "../../../src/providers/claude/adapter.ts"
import { adapterFor } from "../../../src/providers/registry.ts"
import { payload, payloads } from "./fixtures.ts"
import { read, recorded, word } from "./recording.ts"

/** The kind of each event's drafts. Alone, a call in a PostToolBatch was denied or invalid: its end would be known else. */
const kinds: Readonly<Record<string, DraftEvent["kind"]>> = {
  ConfigChange: "provider_event",
  CwdChanged: "provider_event",
  DirectoryAdded: "provider_event",
  Elicitation: "provider_event",
  ElicitationResult: "provider_event",
  FileChanged: "provider_event",
  InstructionsLoaded: "provider_event",
  MessageDisplay: "provider_event",
  Notification: "provider_event",
  PermissionRequest: "provider_event",
  PostCompact: "compaction",
  PostModelSwitch: "provider_event",
  PostToolBatch: "tool_error",
  PostToolUse: "tool_result",
  PostToolUseFailure: "tool_error",
  PreCompact: "compaction",
  PreModelSwitch: "provider_event",
  PreSkillShellCommand: "provider_event",
  PreToolUse: "tool_call",
  SessionEnd: "session_end",
  SessionStart: "session_start",
  Setup: "provider_event",
  Stop: "assistant_message",
  StopFailure: "assistant_message",
  SubagentStart: "subagent_start",
  SubagentStop: "subagent_stop",
  TaskCompleted: "provider_event",
  TaskCreated: "provider_event",
  UserPromptExpansion: "user_prompt",
  UserPromptSubmit: "user_prompt",
  WorktreeCreate: "provider_event"
}

const archived = Schema.decodeUnknownSync(ArchivedEvent)
/** Fails unless the draft is an event that the archive can keep. */
const keep = (draft: DraftEvent) =>
  archived({
    schema_version: 1,
    sequence: 1,
    event_id: "e",
    timestamp: "2026-11-30T00:00:00.000Z",
    provider: "claude",
    session_id: sessionId("claude", "s"),
    redactions: [],
    kind: draft.kind,
    payload: draft.payload,
    ...(draft.turnId === undefined ? {} : { turn_id: draft.turnId }),
    ...(draft.providerIds === undefined ? {} : { provider_ids: draft.providerIds }),
    ...(draft.usage === undefined ? {} : { usage: draft.usage })
  })

const only = (name: string): DraftEvent => {
  const { events } = read(payload(name))
  assert.strictEqual(events.length, 1)
  return events[0] as DraftEvent
}

const common = { session_id: "s", transcript_path: "/t/s.jsonl", cwd: "/p", prompt_id: "turn-1" }

describe("a captured payload", () => {
  for (const [name, given] of payloads)
    it(`${name} becomes an event of its kind`, () => {
      const delivery = read(given)
      const kind = kinds[name] ?? kinds[String(given.hook_event_name)]
      assert.deepStrictEqual(
        delivery.events.map((event) => event.kind),
        [kind]
      )
      for (const event of delivery.events) {
        keep(event)
        assert.strictEqual(event.turnId, given.prompt_id as string | undefined)
      }
      assert.strictEqual(delivery.sessionId, given.session_id as string)
      assert.strictEqual(delivery.transcriptPath, given.transcript_path as string)
      assert.strictEqual(delivery.cwd, given.cwd as string)
      assert.strictEqual(
        delivery.boundary,
        kind === "session_start" ? "start" : kind === "session_end" ? "end" : "none"
      )
      assert.strictEqual(delivery.opens, kind !== "session_end")
    })
})

describe("the fields of an event", () => {
  it("are those of its kind and no more", () => {
    assert.deepStrictEqual(only("SessionStart-5").payload, { source: "startup", model: "claude-opus-5-5" })
    assert.deepStrictEqual(only("SessionEnd-1").payload, { reason: "other" })
    assert.deepStrictEqual(only("UserPromptExpansion-2").payload, {
      text: "/hi you",
      origin: "expansion",
      permission_mode: "default",
      command_name: "hi",
      command_args: "you"
    })
    assert.deepStrictEqual(only("Stop-2").payload, { text: "All done.", final: true })
    assert.deepStrictEqual(only("StopFailure-1").payload, {
      text: "API Error: 400 synthetic bad request",
      final: true,
      error: "unknown"
    })
    assert.deepStrictEqual(only("PostToolUseFailure-1").payload, {
      tool_name: "Bash",
      outcome: "failed",
      input: { command: "echo oops >&2; exit 1", description: "Fail on purpose" },
      error: "Exit code 1\noops",
      duration_ms: 74
    })
    assert.deepStrictEqual(only("PostCompact-1").payload, {
      phase: "after",
      trigger: "manual",
      summary: "ok (fallback reply)"
    })
    assert.deepStrictEqual(only("TaskCreated-1").payload, {
      name: "TaskCreated",
      fields: { task_id: "1", task_subject: "First task", task_description: "Do the first thing" }
    })
  })

  it("have an empty text where a turn ended without one", () => {
    assert.deepStrictEqual(read({ ...common, hook_event_name: "Stop" }).events[0]?.payload, { text: "", final: true })
  })

  it("keep the whole input and response of a tool", () => {
    const { payload: kept, providerIds } = only("PostToolUse-4")
    const { tool_input: input, tool_response: response } = payload("PostToolUse-4")
    assert.deepStrictEqual(kept, { tool_name: "Agent", input, response, duration_ms: 292 })
    assert.deepStrictEqual(providerIds, { tool_use_id: "toolu_fake000004" })
  })

  it("name the subagent in which a tool ran", () => {
    assert.deepStrictEqual(only("PreToolUse-8").providerIds, {
      tool_use_id: "toolu_fake000010",
      agent_id: "a7ebc5d6237cc520d"
    })
  })

  it("carry the usage that an Agent's response tells, as the payload's own", () => {
    assert.deepStrictEqual(only("PostToolUse-4").usage, {
      source: "hook-payload",
      input_tokens: 100,
      output_tokens: 50,
      cache_creation_input_tokens: 20,
      cache_read_input_tokens: 3000,
      reasoning_output_tokens: 0
    })
    assert.isUndefined(only("PostToolUse-1").usage)
  })

  it("leave out what is null or of another type when they can", () => {
    const { events } = read({ ...common, hook_event_name: "PreCompact", trigger: 7, custom_instructions: null })
    assert.deepStrictEqual(
      events.map((event) => event.payload),
      [{ phase: "before" }]
    )
  })

  it("are kept under the hook's name when one that the kind needs is missing", () => {
    const { events } = read({ ...common, hook_event_name: "PreToolUse", tool: { name: "Bash" }, tool_use_id: "t1" })
    assert.deepStrictEqual(
      events.map(({ kind, payload, providerIds }) => ({ kind, payload, providerIds })),
      [
        {
          kind: "provider_event",
          payload: { name: "PreToolUse", fields: { tool: { name: "Bash" }, tool_use_id: "t1" } },
          providerIds: { tool_use_id: "t1" }
        }
      ]
    )
  })
})

describe("a prompt", () => {
  const origin = (fields: Record<string, unknown>) => {
    const [event] = read({ ...common, hook_event_name: "UserPromptSubmit", ...fields }).events
    return event?.kind === "user_prompt" ? event.payload.origin : event?.kind
  }

  it("is the user's unless it says otherwise", () => {
    assert.strictEqual(origin({ prompt: "go on" }), "user")
    assert.strictEqual(origin({ prompt: "/greet bob" }), "user")
    assert.strictEqual(origin({ prompt: "what is <task-notification>?" }), "user")
    assert.strictEqual(origin({ prompt: "go on", source: "sdk" }), "user")
    assert.strictEqual(origin({ prompt: "<task-notification>\n<task-id>a</task-id>" }), "task-notification")
    assert.strictEqual(origin({ prompt: "wake up", source: "loop_wakeup" }), "injected")
  })

  it("is two prompts when it comes in two turns, and one when it is delivered twice", () => {
    const prompt = (turn: string) =>
      read({ ...common, hook_event_name: "UserPromptSubmit", prompt: "go on", prompt_id: turn })
    assert.strictEqual(recorded([prompt("a"), prompt("a"), prompt("b")]).length, 2)
  })
})

describe("a batch of tool calls", () => {
  const call = (id: string, response: unknown) => ({
    tool_name: "Bash",
    tool_input: { command: id },
    tool_use_id: id,
    tool_response: response
  })
  const batch = read({
    ...common,
    hook_event_name: "PostToolBatch",
    tool_calls: [
      call("worked", "hello"),
      call("failed", "Exit code 1"),
      call("denied", "Permission to use Bash has been denied."),
      call("invalid", "<tool_use_error>InputValidationError: no command</tool_use_error>"),
      call("unseen", "hello")
    ]
  })
  const worked = read({ ...common, hook_event_name: "PostToolUse", ...call("worked", { stdout: "hello" }) })
  const failed = read({ ...common, hook_event_name: "PostToolUseFailure", ...call("failed", ""), error: "Exit code 1" })

  it("adds only the calls whose end was not recorded before", () => {
    assert.deepStrictEqual(
      recorded([worked, failed, batch, batch]).map(([, event]) => [event.providerIds?.tool_use_id, word(event)]),
      [
        ["worked", "Bash"],
        ["failed", "Bash:failed"],
        ["denied", "Bash:denied"],
        ["invalid", "Bash:invalid"],
        ["unseen", "Bash:denied"]
      ]
    )
  })

  it("keeps the answer of a refused call as its error", () => {
    assert.deepStrictEqual(batch.events[2]?.payload, {
      tool_name: "Bash",
      outcome: "denied",
      input: { command: "denied" },
      error: "Permission to use Bash has been denied."
    })
  })

  it("without calls, or with calls of another shape, is still an event", () => {
    const event = { ...common, hook_event_name: "PostToolBatch" }
    assert.deepStrictEqual(read({ ...event, tool_calls: [] }).events, [])
    for (const odd of [{ ...event }, { ...event, tool_calls: "x" }, { ...event, tool_calls: [1] }])
      assert.deepStrictEqual(
        read(odd).events.map(({ kind }) => kind),
        ["provider_event"]
      )
  })
})

describe("a call that the user interrupted", () => {
  it("has the outcome interrupted when a hook tells so, and nothing is made up when none does", () => {
    const { events } = read({
      ...common,
      hook_event_name: "PostToolUseFailure",
      tool_name: "Bash",
      tool_use_id: "t",
      error: "stopped",
      is_interrupt: true
    })
    assert.deepStrictEqual(events.map(word), ["Bash:interrupted"])
  })
})

describe("an event that the table does not know", () => {
  it("keeps its name and its own fields", () => {
    const { events, opens, boundary } = read({
      ...common,
      hook_event_name: "MoonRise",
      agent_id: "a1",
      phase: "full",
      nested: { deep: [1] }
    })
    assert.isTrue(opens)
    assert.strictEqual(boundary, "none")
    const [event] = events
    assert.deepStrictEqual(event?.payload, {
      name: "MoonRise",
      fields: { agent_id: "a1", phase: "full", nested: { deep: [1] } }
    })
    assert.deepStrictEqual(event?.providerIds, { agent_id: "a1" })
    assert.strictEqual(event?.turnId, "turn-1")
  })

  it("may be called like a property that every object has", () => {
    for (const name of ["constructor", "toString", "__proto__"])
      assert.deepStrictEqual(read({ ...common, hook_event_name: name }).events.map(word), [name])
  })
})

describe("a payload", () => {
  const invalid = (input: unknown) =>
    Effect.runSync(Effect.flip(claudeAdapter.read({ payload: input, event: undefined, env: {} }))).problem

  it("that is no object is refused", () => {
    for (const input of [undefined, null, 1, "text", [], [{ hook_event_name: "Stop" }]])
      assert.strictEqual(invalid(input), "the payload is not a JSON object")
  })

  it("without the name of the event is refused, and the reason holds nothing of it", () => {
    for (const input of [{}, { hook_event_name: "" }, { hook_event_name: 1, secret: "s3cret" }])
      assert.strictEqual(invalid(input), "hook_event_name is missing or not text")
  })

  it("may lack the session, or have one that is no text", () => {
    assert.isUndefined(read({ hook_event_name: "Stop" }).sessionId)
    assert.isUndefined(read({ hook_event_name: "Stop", session_id: 5, cwd: null }).sessionId)
  })

  it("may be nested deeper than JSON text can be written", () => {
    const deep = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`)
    assert.strictEqual(read({ ...common, hook_event_name: "Notification", message: "m", deep }).events.length, 1)
  })

  it.effect.prop(
    "of any shape is refused or gives events that the archive can keep",
    {
      event: Schema.Literals([...Object.keys(kinds), "Unheard"]),
      fields: Schema.Record(
        Schema.Literals([
          "tool_calls",
          "tool_name",
          "tool_use_id",
          "prompt",
          "prompt_id",
          "last_assistant_message",
          "agent_id"
        ]),
        Schema.Json
      ),
      more: Schema.Record(Schema.String, Schema.Json)
    },
    ({ event, fields, more }) =>
      Effect.gen(function* () {
        const exit = yield* Effect.exit(
          claudeAdapter.read({ payload: { ...more, ...fields, hook_event_name: event }, event: undefined, env: {} })
        )
        assert.isTrue(Exit.isSuccess(exit))
        if (Exit.isSuccess(exit)) exit.value.events.forEach(keep)
      }),
    { arbitrary: { runs: 300 } }
  )

  it.effect.prop("of any JSON value never makes the adapter throw", { value: Schema.Json }, ({ value }) =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(claudeAdapter.read({ payload: value, event: undefined, env: {} }))
      assert.isFalse(Exit.hasDies(exit))
    })
  )
})

describe("the environment of a hook", () => {
  it("tells the project and the agent's process", () => {
    const delivery = read(payload("Stop-1"), { CLAUDE_PROJECT_DIR: "/home/dev/p1", CLAUDE_PID: "4711" })
    assert.strictEqual(delivery.projectDirectory, "/home/dev/p1")
    assert.strictEqual(delivery.agentPid, 4711)
    for (const pid of ["", "0", "-1", "x", "1e3", "99999999999"])
      assert.isUndefined(read(payload("Stop-1"), { CLAUDE_PID: pid }).agentPid)
  })

  it("tells the version of the agent", () => {
    const version = (env: Record<string, string>) => read(payload("SessionStart-1"), env).providerVersion
    assert.strictEqual(version({ AI_AGENT: "claude-code_2-1-332_harness" }), "2.1.332")
    assert.strictEqual(version({ AI_AGENT: "claude-code_2-1-197_harness" }), "2.1.197")
    assert.strictEqual(version({ AI_AGENT: "claude-code_3-0-0" }), "3.0.0")
    for (const name of ["", "claude-code", "claude-code_", "claude-code_harness", "codex_1-2-3_agent", "2.1.332"])
      assert.isUndefined(version({ AI_AGENT: name }), name)
    assert.isUndefined(version({}))
  })

  it("may not be readable as a whole: what Deno was not permitted throws, and the delivery counts", () => {
    const env = Object.defineProperty({ CLAUDE_PROJECT_DIR: "/home/dev/p1" }, "AI_AGENT", {
      get: () => {
        throw new Error("NotCapable")
      }
    })
    const delivery = read(payload("SessionStart-1"), env)
    assert.strictEqual(delivery.projectDirectory, "/home/dev/p1")
    assert.isUndefined(delivery.providerVersion)
  })
})

describe("the answer to Claude", () => {
  it("is silence", () => {
    assert.strictEqual(claudeAdapter.answer("PreToolUse"), "")
    assert.strictEqual(adapterFor("claude"), claudeAdapter)
  })
})
