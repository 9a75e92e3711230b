import * as fs from "node:fs"
import * as path from "node:path"
import * as Effect from "effect/Effect"
import type { PreparedEvent } from "../../src/archive/preparedEvent.ts"
import { append, eventOf, filesOf } from "../support/events.ts"
import type { TestUser } from "../support/recording.ts"

const at = (seconds: number) => `2026-08-16T12:00:${String(seconds).padStart(2, "0")}.000Z`

const call = (seconds: number, id: string, tool_name: string, input: unknown, agent?: string): PreparedEvent =>
  eventOf(
    "tool_call",
    id,
    { tool_name, input },
    { timestamp: at(seconds), turn_id: "t1", provider_ids: idsOf(id, agent) }
  )
const result = (seconds: number, id: string, tool_name: string, response: unknown, agent?: string): PreparedEvent =>
  eventOf(
    "tool_result",
    id,
    { tool_name, response, duration_ms: 900 },
    { timestamp: at(seconds), turn_id: "t1", provider_ids: idsOf(id, agent) }
  )
const idsOf = (id: string, agent: string | undefined) => ({
  tool_use_id: id,
  ...(agent === undefined ? {} : { agent_id: agent })
})

/** A session with one of everything: parallel calls, a failing and a refused one, a subagent, a compaction, usage, an edit, a second turn. */
const events: ReadonlyArray<PreparedEvent> = [
  eventOf(
    "session_start",
    "start",
    { source: "startup", model: "model-a", config_hash: "c0ffee" },
    { timestamp: at(0) }
  ),
  eventOf("user_prompt", "p1", { text: "Fix the build.", origin: "user" }, { timestamp: at(1), turn_id: "t1" }),
  call(3, "call-1", "Bash", { command: "make" }),
  call(3, "call-2", "Read", { file_path: "Makefile" }),
  result(4, "call-2", "Read", "all: build"),
  eventOf(
    "tool_error",
    "call-1",
    { tool_name: "Bash", outcome: "failed", error: "Exit code 2" },
    { timestamp: at(5), turn_id: "t1", provider_ids: { tool_use_id: "call-1" } }
  ),
  eventOf(
    "tool_error",
    "call-3",
    { tool_name: "Nonsense", outcome: "invalid", input: { a: 1 }, error: "No such tool" },
    { timestamp: at(7), turn_id: "t1", provider_ids: { tool_use_id: "call-3" } }
  ),
  call(9, "call-4", "Agent", { prompt: "Look around." }),
  eventOf(
    "subagent_start",
    "agent",
    { agent_type: "Explore", text: "Look around." },
    { timestamp: at(10), turn_id: "t1", provider_ids: { agent_id: "agent-0001" } }
  ),
  call(11, "call-5", "Bash", { command: "ls" }, "agent-0001"),
  result(12, "call-5", "Bash", { stdout: "Makefile" }, "agent-0001"),
  eventOf(
    "subagent_stop",
    "agent-end",
    { agent_type: "Explore", text: "One file." },
    { timestamp: at(13), turn_id: "t1", provider_ids: { agent_id: "agent-0001" } }
  ),
  result(14, "call-4", "Agent", { agentId: "agent-0001", content: "One file." }),
  call(16, "call-6", "Edit", { file_path: "Makefile" }),
  result(17, "call-6", "Edit", {
    filePath: "Makefile",
    structuredPatch: [
      { oldStart: 1, oldLines: 2, newStart: 1, newLines: 3, lines: [" all: build", "-old", "+new", "+newer"] }
    ]
  }),
  eventOf(
    "compaction",
    "c",
    { phase: "after", trigger: "auto", summary: "Made it build." },
    { timestamp: at(18), turn_id: "t1" }
  ),
  eventOf("assistant_message", "a1", { text: "It builds.", final: true }, { timestamp: at(20), turn_id: "t1" }),
  eventOf(
    "turn_usage",
    "u1",
    {
      source: "claude-transcript",
      messages: [
        {
          message_id: "m1",
          model: "model-a",
          time: at(2),
          input_tokens: 10,
          output_tokens: 5,
          cache_read_input_tokens: 90,
          stop_reason: "tool_use"
        },
        {
          message_id: "m2",
          model: "model-a",
          time: at(6),
          input_tokens: 12,
          output_tokens: 6,
          cache_creation_input_tokens: 8
        },
        { message_id: "m3", model: "model-a", time: at(8), input_tokens: 13, output_tokens: 7 },
        { message_id: "s1", model: "model-b", time: at(11), agent_id: "agent-0001", input_tokens: 3, output_tokens: 2 },
        { message_id: "s2", model: "model-b", time: at(13), agent_id: "agent-0001", input_tokens: 4, output_tokens: 3 },
        { message_id: "m4", model: "model-a", time: at(15), input_tokens: 14, output_tokens: 8 },
        {
          message_id: "m5",
          model: "model-a",
          time: at(19),
          input_tokens: 15,
          output_tokens: 9,
          stop_reason: "end_turn"
        }
      ]
    },
    { timestamp: at(21), turn_id: "t1" }
  ),
  // What a hook told of the same messages: it counts no second time.
  eventOf(
    "turn_usage",
    "u2",
    { source: "hook-payload", messages: [{ message_id: "m1", input_tokens: 999 }] },
    { timestamp: at(21) }
  ),
  eventOf("user_prompt", "p2", { text: "Thanks.", origin: "user" }, { timestamp: at(22), turn_id: "t2" }),
  eventOf(
    "assistant_message",
    "a2",
    { text: "", final: true, error: "The service is overloaded." },
    { timestamp: at(23), turn_id: "t2" }
  ),
  eventOf("session_end", "end", { reason: "other" }, { timestamp: at(24), scope: "run" })
]

/** Records the example; gives the directory of its archive. */
export const exampleSession = (user: TestUser) =>
  append(user, events, {
    opening: Effect.succeed({
      provider: "claude",
      provider_version: "2.1.332",
      project_root: "/home/dev/project",
      recording_mode: "capture-only",
      repository_revision: "0123456789abcdef0123456789abcdef01234567"
    })
  }).pipe(Effect.as(filesOf(user).directory))

const directory = path.join(import.meta.dirname, "../fixtures/exports")

/** What was checked by hand. Written anew only when somebody removes the file, to be checked again. */
export const golden = (name: string, made: unknown): unknown => {
  const file = path.join(directory, name)
  if (!fs.existsSync(file) && process.env.LINT_AI_WRITE_GOLDEN === "1") {
    fs.mkdirSync(directory, { recursive: true })
    fs.writeFileSync(file, `${JSON.stringify(made, undefined, 2)}\n`)
  }
  return JSON.parse(fs.readFileSync(file, "utf8"))
}
