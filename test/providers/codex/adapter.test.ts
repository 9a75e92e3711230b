import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import { ArchivedEvent, type DraftEvent } from "../../../src/domain/event.ts"
import { sessionId } from "../../../src/domain/sessionId.ts"
import { claudeAdapter } from "../../../src/providers/claude/adapter.ts"
import { codexAdapter } from "../../../src/providers/codex/adapter.ts"
import { codexHooks, type HookRow } from "../../../src/providers/codex/hooks.ts"
import { adapterFor } from "../../../src/providers/registry.ts"
import { payload, payloads, sequence, sequences } from "./fixtures.ts"
import { read } from "./recording.ts"

/** The kind that each event becomes; a model request that used nothing is told per fixture. */
const kinds: Readonly<Record<string, DraftEvent["kind"]>> = {
  Interrupt: "provider_event",
  PermissionRequest: "provider_event",
  PostCompact: "compaction",
  PostModelRequest: "turn_usage",
  "post-model-request-4": "provider_event",
  "post-model-request-5": "provider_event",
  "post-model-request-6": "provider_event",
  "post-model-request-9": "provider_event",
  PostToolUse: "tool_result",
  PreCompact: "compaction",
  PreModelRequest: "provider_event",
  PreToolUse: "tool_call",
  SessionEnd: "session_end",
  SessionStart: "session_start",
  Stop: "assistant_message",
  SubagentStart: "subagent_start",
  SubagentStop: "subagent_stop",
  UserPromptSubmit: "user_prompt"
}

const archived = Schema.decodeUnknownSync(ArchivedEvent)
/** Fails unless the draft is an event that the archive can keep. */
const keep = (draft: DraftEvent) =>
  archived({
    schema_version: 1,
    sequence: 1,
    event_id: "e",
    timestamp: "2026-11-30T00:00:00.000Z",
    provider: "codex",
    session_id: sessionId("codex", "s"),
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

const rows: ReadonlyArray<readonly [string, HookRow]> = Object.entries(codexHooks)
const common = { session_id: "s", transcript_path: "/t/s.jsonl", cwd: "/p", turn_id: "turn-1" }

describe("the table of Codex's hook events", () => {
  it("has the 14 events of 0.171.0, and every one that was captured", () => {
    assert.strictEqual(rows.length, 14)
    const captured = [...payloads.map(([, one]) => one), ...sequences.flatMap(sequence).map((moment) => moment.payload)]
    const names = new Set(captured.map((one) => String(one.hook_event_name)))
    assert.deepStrictEqual([...names].sort(), rows.map(([name]) => name).sort())
  })

  it("lets every event but the end open an archive", () => {
    assert.deepStrictEqual(
      rows.filter(([, row]) => !row.opens).map(([name]) => name),
      ["SessionEnd"]
    )
  })
})

describe("a captured payload", () => {
  for (const [name, given] of payloads)
    it(`${name} becomes an event of its kind`, () => {
      const delivery = read(given)
      const kind = kinds[name] ?? kinds[String(given.hook_event_name)]
      assert.deepStrictEqual(
        delivery.events.map((event) => event.kind),
        [kind]
      )
      delivery.events.forEach(keep)
      assert.strictEqual(delivery.sessionId, given.session_id)
      assert.strictEqual(delivery.cwd, given.cwd)
      assert.strictEqual(delivery.transcriptPath, given.transcript_path ?? undefined)
      assert.strictEqual(delivery.events[0]?.turnId, given.turn_id)
      if (given.agent_id !== undefined) assert.strictEqual(delivery.events[0]?.providerIds?.agent_id, given.agent_id)
    })
})

describe("the fields of an event", () => {
  it("are those of its kind and no more", () => {
    assert.deepStrictEqual(only("session-start-1").payload, {
      source: "startup",
      model: "fake-model",
      permission_mode: "bypassPermissions"
    })
    assert.deepStrictEqual(only("session-end-1").payload, { reason: "other" })
    assert.deepStrictEqual(only("user-prompt-submit-1").payload, {
      text: "please do [[basic]]",
      origin: "user",
      permission_mode: "bypassPermissions"
    })
    assert.deepStrictEqual(only("pre-tool-use-1").payload, { tool_name: "Bash", input: { command: "echo hello" } })
    assert.deepStrictEqual(only("post-tool-use-1").payload, {
      tool_name: "Bash",
      input: { command: "echo hello" },
      response: "hello\n"
    })
    assert.deepStrictEqual(only("stop-1").payload, {
      text: "All done: ran echo, saw a failure, wrote a file.",
      final: true
    })
    assert.deepStrictEqual(only("subagent-stop-1").payload, { agent_type: "explorer", text: "Child done." })
    assert.deepStrictEqual(only("pre-compact-1").payload, { phase: "before", trigger: "auto" })
    assert.deepStrictEqual(only("post-compact-2").payload, { phase: "after", trigger: "manual" })
    assert.deepStrictEqual(only("permission-request-1").payload, {
      name: "PermissionRequest",
      fields: {
        tool_name: "Bash",
        tool_input: { command: "touch /home/dev/scratch/escalated", description: "please let me touch it" },
        permission_mode: "default"
      }
    })
    assert.deepStrictEqual(only("interrupt-1").payload, {
      name: "Interrupt",
      fields: { permission_mode: "bypassPermissions" }
    })
  })

  it("keep the ids of rollout, thread, request, response and agent", () => {
    const thread = "01a22aa4-f7a7-7173-96ff-3901bce7fcfa"
    assert.deepStrictEqual(only("session-start-1").providerIds, { rollout: `rollout-2026-11-30T04-09-44-${thread}` })
    assert.deepStrictEqual(only("post-model-request-1").providerIds, {
      request_id: "66350289-075a-4f16-9580-27213131ec25",
      response_id: "resp_fake000001",
      thread_id: thread
    })
    const agent = "01a22aa5-2f53-78b1-a6b9-a0e7c6f31f4d"
    assert.deepStrictEqual(only("subagent-start-1").providerIds, {
      agent_id: agent,
      rollout: `rollout-2026-11-30T04-09-58-${agent}`
    })
    assert.deepStrictEqual(only("pre-tool-use-23").providerIds, { tool_use_id: "call_fake000061", agent_id: agent })
  })

  it("tell a subagent's prompt from the user's", () => {
    const event = only("user-prompt-submit-4")
    assert.strictEqual(event.kind === "user_prompt" && event.payload.origin, "subagent")
  })

  it("are kept under the hook's name when one that the kind needs is missing", () => {
    const { events } = read({ ...common, hook_event_name: "PreToolUse", tool: { name: "Bash" }, tool_use_id: "t1" })
    assert.deepStrictEqual(
      events.map(({ kind, payload: kept, providerIds }) => ({ kind, kept, providerIds })),
      [
        {
          kind: "provider_event",
          kept: { name: "PreToolUse", fields: { tool: { name: "Bash" }, tool_use_id: "t1" } },
          providerIds: { tool_use_id: "t1" }
        }
      ]
    )
  })
})

describe("a model request", () => {
  it("gives its usage in the kinds of the archive: what was read from the cache is not input", () => {
    const event = only("post-model-request-7")
    const tokens = {
      input_tokens: 422,
      output_tokens: 50,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 600,
      reasoning_output_tokens: 10,
      total_tokens: 1072
    }
    assert.deepStrictEqual(event.payload, {
      source: "hook-payload",
      messages: [
        {
          message_id: "resp_fake000059",
          model: "unknown-model",
          agent_id: "01a22aa5-2f53-78b1-a6b9-a0e7c6f31f4d",
          ...tokens
        }
      ]
    })
    assert.deepStrictEqual(event.usage, { source: "hook-payload", ...tokens })
  })

  it("that failed is kept with its error, and one that was cancelled without", () => {
    assert.deepStrictEqual(only("post-model-request-6").payload, {
      name: "PostModelRequest",
      fields: {
        kind: "sampling",
        attempt_number: 1,
        model: "fake-model",
        status: "failed",
        error: "rate limit exceeded: slow down"
      }
    })
    assert.deepStrictEqual(only("post-model-request-9").payload, {
      name: "PostModelRequest",
      fields: { kind: "sampling", attempt_number: 1, model: "fake-model", status: "cancelled" }
    })
  })

  it("is another one at the next attempt", () => {
    const attempt = (number: number) => read({ ...payload("post-model-request-6"), attempt_number: number }).events[0]
    assert.notDeepEqual(attempt(1)?.identity, attempt(2)?.identity)
    assert.deepStrictEqual(attempt(2)?.identity, attempt(2)?.identity)
  })
})

describe("the identity of an event", () => {
  const identity = (given: Record<string, unknown>) => read({ ...common, ...given }).events[0]?.identity

  it("is one for a prompt that is delivered twice, and two for equal prompts of two turns", () => {
    const prompt = (turn: string) => identity({ hook_event_name: "UserPromptSubmit", prompt: "go on", turn_id: turn })
    assert.deepStrictEqual(prompt("a"), prompt("a"))
    assert.notDeepEqual(prompt("a"), prompt("b"))
  })

  it("is that of the call for its start and for its end", () => {
    const call = { tool_name: "Bash", tool_input: {}, tool_use_id: "c1" }
    assert.deepStrictEqual(identity({ hook_event_name: "PreToolUse", ...call }), ["tool_start", "c1"])
    assert.deepStrictEqual(identity({ hook_event_name: "PostToolUse", ...call, tool_response: "x" }), [
      "tool_end",
      "c1"
    ])
  })
})

describe("an event that the table does not know", () => {
  it("keeps its name and its own fields", () => {
    const { events, opens, boundary } = read({ ...common, hook_event_name: "MoonRise", agent_id: "a1", phase: "full" })
    assert.isTrue(opens)
    assert.strictEqual(boundary, "none")
    assert.deepStrictEqual(events[0]?.payload, { name: "MoonRise", fields: { agent_id: "a1", phase: "full" } })
    assert.deepStrictEqual(events[0]?.providerIds, { agent_id: "a1" })
  })

  it("may be called like a property that every object has", () => {
    for (const name of ["constructor", "toString", "__proto__"])
      assert.deepStrictEqual(
        read({ ...common, hook_event_name: name }).events.map(
          (event) => event.kind === "provider_event" && event.payload.name
        ),
        [name]
      )
  })
})

describe("the Codex adapter", () => {
  it("is the one that the registry gives", () => {
    assert.strictEqual(adapterFor("codex"), codexAdapter)
  })

  it("answers nothing, whatever the event", () => {
    for (const [name] of rows) assert.strictEqual(codexAdapter.answer(name), "")
  })

  it("names the features that the Claude adapter names", () => {
    assert.deepStrictEqual(Object.keys(codexAdapter.capabilities), Object.keys(claudeAdapter.capabilities))
  })

  it("refuses what is no payload, without a word of it", () => {
    for (const given of [null, 7, "text", [], {}, { hook_event_name: 7 }, { hook_event_name: "" }]) {
      const exit = Effect.runSyncExit(codexAdapter.read({ payload: given, event: undefined, env: {} }))
      assert.isTrue(Exit.isFailure(exit))
    }
  })
})
