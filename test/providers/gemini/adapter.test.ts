import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type DraftEvent, payloads as schemas } from "../../../src/domain/event.ts"
import { geminiAdapter } from "../../../src/providers/gemini/adapter.ts"
import { outcomeOf } from "../../../src/providers/gemini/toolAnswer.ts"
import { payload, payloads, read } from "./fixtures.ts"

const only = (given: unknown): DraftEvent => {
  const { events } = read(given)
  assert.strictEqual(events.length, 1)
  return events[0] as DraftEvent
}

/** What each captured payload becomes: its kind and, where there is one, the word that tells it apart. */
const expected: Readonly<Record<string, string>> = {
  "SessionStart-1": "session_start startup",
  "SessionStart-2": "session_start resume",
  "SessionStart-3": "session_start clear",
  "SessionStart-4": "session_start startup",
  "SessionEnd-1": "session_end exit",
  "SessionEnd-2": "session_end clear",
  "SessionEnd-3": "session_end exit",
  "BeforeAgent-1": "user_prompt [[tools]] please go",
  // What a SessionStart hook gave as context is not the user's.
  "BeforeAgent-2": "user_prompt [[tools]] please go",
  "BeforeAgent-3": "user_prompt later",
  "BeforeAgent-4":
    "user_prompt explain @hello.txt please\n--- Content from referenced files ---\nContent from @hello.txt:\nhello file\n--- End of content ---",
  "BeforeAgent-5": "user_prompt please retry",
  "AfterAgent-1":
    "assistant_message  I will run a command. a command. \nNow I will read a file. ead a file. \nNow a failing command. ng command. \nAll done: hello was said, the file was read and one command failed.  was read and one command failed.",
  "AfterAgent-2": "assistant_message Hello in one chunk.",
  "AfterAgent-3":
    "assistant_message Hello from the fake model. e fake model.\nHello from the fake model. e fake model.",
  "AfterAgent-4": "assistant_message ",
  "BeforeTool-1": "tool_call run_shell_command",
  "BeforeTool-2": "tool_call read_file",
  "BeforeTool-3": "tool_call write_file",
  "BeforeTool-4": "tool_call replace",
  "BeforeTool-5": "tool_call mcp_tiny_echo",
  "BeforeTool-6": "tool_call invoke_agent",
  "BeforeTool-7": "tool_call read_file",
  "AfterTool-1": "tool_result run_shell_command",
  "AfterTool-2": "tool_result read_file",
  "AfterTool-3": "tool_error run_shell_command failed",
  "AfterTool-4": "tool_error read_file failed",
  "AfterTool-5": "tool_result write_file",
  "AfterTool-6": "tool_result replace",
  "AfterTool-7": "tool_result mcp_tiny_echo",
  "AfterTool-8": "tool_error mcp_tiny_fail failed",
  "AfterTool-9": "tool_result invoke_agent",
  "AfterTool-10": "tool_result run_shell_command",
  "AfterTool-11": "tool_error run_shell_command interrupted",
  "PreCompress-1": "provider_event PreCompress",
  "PreCompress-2": "compaction manual",
  "Notification-1": "provider_event Notification",
  "Notification-2": "provider_event Notification",
  "BeforeModel-1": "provider_event BeforeModel",
  "BeforeModel-2": "provider_event BeforeModel",
  "AfterModel-1": "provider_event AfterModel",
  "AfterModel-2": "provider_event AfterModel",
  "AfterModel-3": "provider_event AfterModel",
  "AfterModel-4": "provider_event AfterModel",
  "BeforeToolSelection-1": "provider_event BeforeToolSelection"
}

const phrase = (event: DraftEvent): string => {
  const { source, reason, text, tool_name, outcome, trigger, name } = event.payload as Record<string, unknown>
  return [event.kind, ...[source, reason, text, tool_name, outcome, trigger, name].filter((word) => word !== undefined)]
    .map(String)
    .join(" ")
}

describe("a captured payload", () => {
  it("is listed here", () => {
    assert.sameMembers(Object.keys(expected), payloads.map(([name]) => name) as Array<string>)
  })

  it.each(payloads.map(([name]) => name))("%s becomes its event", (name) => {
    const event = only(payload(name))
    assert.strictEqual(phrase(event), expected[name])
    assert.isTrue(Schema.is(schemas[event.kind] as Schema.Top)(event.payload))
    assert.strictEqual(event.timestamp, payload(name).timestamp)
  })

  it.each(payloads.map(([name]) => name))("%s names its session and is answered with JSON", (name) => {
    const given = payload(name)
    const delivery = read(given, { GEMINI_PROJECT_DIR: "/home/dev/project", LINT_AI_AGENT_PID: "4711" })
    assert.strictEqual(delivery.sessionId, given.session_id)
    assert.strictEqual(delivery.projectDirectory, "/home/dev/project")
    assert.strictEqual(delivery.cwd, given.cwd)
    assert.strictEqual(delivery.agentPid, 4711)
    assert.strictEqual(geminiAdapter.answer(delivery.event), "{}")
  })
})

describe("a tool call", () => {
  const callIn = (name: string, fields = {}) => only(payload(name, fields)).call

  it("is one at its beginning and its end", () => {
    for (const [begin, end] of [
      ["BeforeTool-1", "AfterTool-1"],
      ["BeforeTool-2", "AfterTool-2"],
      ["BeforeTool-3", "AfterTool-5"],
      ["BeforeTool-4", "AfterTool-6"],
      ["BeforeTool-5", "AfterTool-7"],
      ["BeforeTool-6", "AfterTool-9"]
    ] as const)
      assert.strictEqual(callIn(begin), callIn(end), begin)
  })

  it("is told by its tool and input, whatever the order of the input's keys", () => {
    assert.strictEqual(
      callIn("BeforeTool-1"),
      callIn("BeforeTool-1", { tool_input: { description: "Say hello", command: "echo hello" } })
    )
    assert.notStrictEqual(callIn("BeforeTool-1"), callIn("AfterTool-3"))
    assert.notStrictEqual(callIn("BeforeTool-1"), callIn("BeforeTool-1", { tool_name: "other" }))
  })

  it("is another event each time that the agent makes it", () => {
    const first = only(payload("BeforeTool-1"))
    const again = only(payload("BeforeTool-1", { timestamp: "2026-11-30T03:36:09.000Z" }))
    assert.deepStrictEqual(first.identity, only(payload("BeforeTool-1")).identity)
    assert.notDeepEqual(first.identity, again.identity)
  })

  it("keeps its answer without the terminal's grid", () => {
    const { payload: shown } = only(payload("AfterTool-10"))
    assert.deepStrictEqual((shown as { response: unknown }).response, {
      llmContent: "<untrusted_context>\nOutput: hello\nProcess Group PGID: 7613\n</untrusted_context>"
    })
  })

  it("keeps the agent's own error, or what it told the model", () => {
    const errorOf = (name: string) => (only(payload(name)).payload as { error: unknown }).error
    assert.deepStrictEqual(errorOf("AfterTool-4"), {
      message: "File not found: /home/dev/project/no-such-file.txt",
      type: "file_not_found"
    })
    assert.strictEqual(errorOf("AfterTool-3"), "Output: oops\nExit Code: 3\nProcess Group PGID: 15792")
  })
})

describe("the answer of a shell command", () => {
  const shell = (text: unknown, tool_name = "run_shell_command") =>
    outcomeOf({ hook_event_name: "AfterTool", tool_name, tool_response: { llmContent: text } })
  const fenced = (text: string) => `<untrusted_context>\n${text}\n</untrusted_context>`

  it.each([
    [undefined, fenced("Output: fine\nProcess Group PGID: 1")],
    ["failed", fenced("Output: (empty)\nExit Code: 1\nProcess Group PGID: 1")],
    ["failed", fenced("Output: a\nExit Code: 130\nSignal: SIGINT\nBackground PIDs: 12, 13\nProcess Group PGID: 1")],
    ["failed", "Output: a\nExit Code: 2"],
    ["interrupted", fenced("Command was cancelled by user before it could complete. Below is the output")],
    ["failed", fenced("Command was automatically cancelled because it exceeded the timeout of 5.0 minutes")],
    // The command's own output.
    [undefined, fenced("Output: Exit Code: 3\nmore\nProcess Group PGID: 1")],
    [undefined, fenced("Output: I said: Command was cancelled by user before it could complete.")],
    [undefined, 3],
    [undefined, undefined]
  ])("proves %s: %j", (outcome, text) => {
    assert.strictEqual(shell(text), outcome)
  })

  it("is told by no other tool", () => {
    assert.strictEqual(shell(fenced("Output: x\nExit Code: 3\nProcess Group PGID: 1"), "mcp_x_y"), undefined)
  })
})

describe("a prompt", () => {
  const textOf = (prompt: unknown) => (only(payload("BeforeAgent-1", { prompt })).payload as { text?: string }).text

  it("loses what hooks put in front of it, and nothing else", () => {
    assert.strictEqual(textOf("<hook_context>a</hook_context>\n\n<hook_context>b</hook_context>\n\nhi"), "hi")
    assert.strictEqual(textOf("hi <hook_context>a</hook_context>\n\n"), "hi <hook_context>a</hook_context>\n\n")
    assert.strictEqual(textOf("<hook_context>a</hook_context> hi"), "<hook_context>a</hook_context> hi")
    assert.strictEqual(textOf(""), "")
  })

  it("that is no text is kept as it came", () => {
    assert.strictEqual(only(payload("BeforeAgent-1", { prompt: { parts: [] } })).kind, "provider_event")
  })
})

describe("a payload", () => {
  it("of an unknown event is kept with its own fields", () => {
    const event = only({ hook_event_name: "Later", session_id: "s", cwd: "/", a: { b: 1 }, timestamp: "no time" })
    assert.deepStrictEqual(event.payload, { name: "Later", fields: { a: { b: 1 } } })
    assert.strictEqual(event.timestamp, undefined)
  })

  it("without an event name is refused, and says no value", () => {
    for (const given of [null, [], "text", {}, { hook_event_name: 3 }, { hook_event_name: "" }]) {
      const exit = Effect.runSyncExit(geminiAdapter.read({ payload: given, event: undefined, env: {} }))
      assert.strictEqual(exit._tag, "Failure")
    }
  })

  it("with common fields of other types is kept without them", () => {
    const delivery = read({
      hook_event_name: "SessionEnd",
      session_id: 7,
      transcript_path: null,
      cwd: [],
      reason: "exit"
    })
    assert.deepStrictEqual(
      [delivery.sessionId, delivery.transcriptPath, delivery.cwd],
      [undefined, undefined, undefined]
    )
    assert.strictEqual(delivery.transcript, undefined)
    assert.strictEqual(delivery.events[0]?.kind, "session_end")
  })
})
