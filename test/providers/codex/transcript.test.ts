import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { DraftEvent, TranscriptCursor } from "../../../src/domain/event.ts"
import { CurrentDeadline, type Deadline, unlimited } from "../../../src/platform/Deadline.ts"
import { Disk } from "../../../src/platform/Disk.ts"
import { usageTotals } from "../../../src/recorder/usageTotals.ts"
import { rolloutLines } from "./fixtures.ts"
import { read } from "./recording.ts"

let directory: string
beforeEach(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), "lint-ai-rollout-"))
})
afterEach(() => fs.rmSync(directory, { recursive: true, force: true }))

const thread = "01a22aa4-f7a7-7173-96ff-3901bce7fcfa"
const nameOf = (id: string) => `rollout-2026-11-30T04-09-44-${id}.jsonl`
const place = (content: string | Uint8Array, id = thread): string => {
  const file = path.join(directory, "sessions", "2026", "11", "30", nameOf(id))
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, content)
  return file
}

interface From {
  readonly cursors?: ReadonlyArray<TranscriptCursor>
  readonly sinceMs?: number
  readonly deadline?: Deadline
}

const deliver = (payload: object, { cursors = [], sinceMs = 0, deadline = unlimited }: From = {}) => {
  const { transcript, events } = read({ session_id: thread, cwd: "/p", turn_id: "t1", ...payload })
  if (transcript === undefined) return events
  return Effect.runSync(
    transcript({ cursors, sinceMs }).pipe(Effect.provide(Disk.layer), Effect.provideService(CurrentDeadline, deadline))
  )
}

/** What a Stop finds in the rollout. */
const atStop = (file: string, from?: From): ReadonlyArray<DraftEvent> =>
  deliver({ hook_event_name: "Stop", last_assistant_message: "done", transcript_path: file }, from)

const cursorsOf = (events: ReadonlyArray<DraftEvent>): ReadonlyArray<TranscriptCursor> =>
  events.flatMap((event) => (event.kind === "turn_usage" ? [...(event.payload.cursors ?? [])] : []))
const idsOf = (events: ReadonlyArray<DraftEvent>) =>
  events.flatMap((event) => (event.kind === "turn_usage" ? event.payload.messages.map((one) => one.message_id) : []))
const total = (events: ReadonlyArray<DraftEvent>) => usageTotals(events)["codex-transcript"]

/** Each response of the fake model: 600 tokens of the input from the cache, 50 of output with 10 of reasoning. */
const tokens = (inputs: ReadonlyArray<number>) => {
  const input = inputs.reduce((sum, one) => sum + one, 0)
  return {
    input_tokens: input - 600 * inputs.length,
    output_tokens: 50 * inputs.length,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 600 * inputs.length,
    reasoning_output_tokens: 10 * inputs.length,
    total_tokens: input + 50 * inputs.length
  }
}

/** Counted by hand in the captured rollouts: input_tokens of each token_usage_record. */
const captured: Readonly<Record<string, ReadonlyArray<number>>> = {
  "rollout-basic.jsonl": [1001, 1002, 1003, 1004, 1009, 1010, 1011],
  "rollout-sub1.jsonl": [1020, 1021, 1024],
  "rollout-sub1-child.jsonl": [1022, 1023],
  "rollout-sub2.jsonl": [1025, 1027, 1029],
  "rollout-sub2-child.jsonl": [1026, 1028],
  "rollout-stopblock.jsonl": [1070, 1071],
  "rollout-mcp.jsonl": [1085, 1086, 1087],
  "rollout-tui-interrupted.jsonl": [1074, 1075, 1076, 1077]
}

const idIn = (lines: ReadonlyArray<string>): { id: string; session_id: string } => JSON.parse(lines[0] ?? "").payload

describe("the usage in a captured rollout", () => {
  for (const [name, inputs] of Object.entries(captured))
    it(`${name} is counted once for each response`, () => {
      const lines = rolloutLines(name)
      const { id, session_id } = idIn(lines)
      const file = place(lines.join(""), id)
      const stop = { hook_event_name: "Stop", session_id, transcript_path: file }
      const events = deliver(stop)
      assert.deepStrictEqual(total(events), tokens(inputs))
      assert.deepStrictEqual(cursorsOf(events), [{ file: nameOf(id), offset: fs.statSync(file).size }])
      assert.deepStrictEqual(idsOf(deliver(stop, { cursors: cursorsOf(events) })), [])
    })

  it("names the subagent that used it", () => {
    const lines = rolloutLines("rollout-sub1-child.jsonl")
    const { id, session_id } = idIn(lines)
    const [usage] = deliver({
      hook_event_name: "SubagentStop",
      session_id,
      agent_id: id,
      transcript_path: place("", session_id),
      agent_transcript_path: place(lines.join(""), id)
    }).filter((event) => event.kind === "turn_usage")
    assert.deepStrictEqual(
      usage?.kind === "turn_usage" && usage.payload.messages.map(({ agent_id, model }) => [agent_id, model]),
      [
        [id, "unknown-model"],
        [id, "unknown-model"]
      ]
    )
  })

  it("is the same however the lines are cut into readings", () => {
    const content = Buffer.from(rolloutLines("rollout-tui-interrupted.jsonl").join(""))
    const { id } = idIn(rolloutLines("rollout-tui-interrupted.jsonl"))
    const whole = total(deliver({ hook_event_name: "Stop", session_id: id, transcript_path: place(content, id) }))
    for (let step = 1; step < 40; step++) {
      const kept: Array<DraftEvent> = []
      let cursors: ReadonlyArray<TranscriptCursor> = []
      for (let end = step * 331; ; end += step * 331) {
        const file = place(content.subarray(0, end), id)
        const events = deliver({ hook_event_name: "Stop", session_id: id, transcript_path: file }, { cursors })
        kept.push(...events)
        if (cursorsOf(events).length > 0) cursors = cursorsOf(events)
        if (end >= content.length) break
      }
      assert.deepStrictEqual(total(kept), whole, `steps of ${step * 331} bytes`)
    }
  })
})

const line = (type: string, payload: object, timestamp = "2026-11-30T04:00:00.000Z"): string =>
  `${JSON.stringify({ timestamp, ordinal: 1, type, payload })}\n`
const usage = (input: number) => ({
  input_tokens: input,
  cached_input_tokens: 600,
  cache_write_input_tokens: 0,
  output_tokens: 50,
  reasoning_output_tokens: 10,
  total_tokens: input + 50
})
const record = (id: string, input: number, fields: object = {}, timestamp?: string) =>
  line(
    "token_usage_record",
    { thread_id: thread, turn_id: "t1", response_id: id, usage: usage(input), ...fields },
    timestamp
  )
const count = (totalTokens: number, input: number) =>
  line("event_msg", {
    type: "token_count",
    info: { total_token_usage: { total_tokens: totalTokens }, last_token_usage: usage(input) }
  })

describe("the version of Codex", () => {
  const meta = (version: unknown) => line("session_meta", { id: thread, cli_version: version })
  const started = (content: string) =>
    deliver(
      { hook_event_name: "SessionStart", source: "startup", transcript_path: place(content) },
      { sinceMs: Date.parse("2026-11-30T04:00:01.000Z") }
    ).map((event) => event.payload)

  it("is that of the first line of the rollout, which is older than the first hook", () => {
    assert.deepStrictEqual(started(meta("0.171.0") + meta("0.1.0")), [{ source: "startup", agent_version: "0.171.0" }])
  })

  it("is not made up where the rollout does not tell it", () => {
    for (const content of ["", meta(undefined), meta(171), record("r", 1000)]) {
      assert.deepStrictEqual(started(content), [{ source: "startup" }])
    }
  })
})

describe("usage in a rollout", () => {
  it("of another thread, copied into this one, is not counted", () => {
    const file = place(record("theirs", 5000, { thread_id: "another" }) + record("ours", 1000))
    assert.deepStrictEqual(idsOf(atStop(file)), ["ours"])
  })

  it("from before the recording is not counted", () => {
    const file = place(record("old", 1000, {}, "2026-11-30T03:59:59.999Z") + record("new", 1001))
    assert.deepStrictEqual(idsOf(atStop(file, { sinceMs: Date.parse("2026-11-30T04:00:00.000Z") })), ["new"])
  })

  it("counts the last record of a response that is written again", () => {
    assert.deepStrictEqual(total(atStop(place(record("r", 1000) + record("r", 1200)))), tokens([1200]))
  })

  it("takes an older version's running totals, each total once, and a fork's without those of its parent", () => {
    const file = place(count(9050, 1000) + count(9050, 1000) + count(10_101, 1001) + count(10_101, 1001))
    const events = atStop(file)
    assert.deepStrictEqual(total(events), tokens([1000, 1001]))
    fs.appendFileSync(file, count(10_101, 1001) + count(11_153, 1002))
    const more = atStop(file, { cursors: cursorsOf(events) })
    assert.deepStrictEqual(total([...events, ...more]), tokens([1000, 1001, 1002]))
  })

  it("does not take running totals where there are records, not even when the records were read before", () => {
    const file = place(record("r1", 1000) + count(1050, 1000))
    const events = atStop(file)
    fs.appendFileSync(file, count(1050, 1000))
    assert.deepStrictEqual(idsOf([...events, ...atStop(file, { cursors: cursorsOf(events) })]), ["r1"])
  })

  it("leaves a child's running totals alone: an older version's child begins with a copy of its parent's", () => {
    const file = place(count(9050, 1000), "child")
    assert.deepStrictEqual(idsOf(deliver({ hook_event_name: "Stop", transcript_path: file })), [])
  })

  it("survives lines that are no JSON, of another shape, or not yet whole", () => {
    const file = place(
      `{"type":"token_usage_record"\n"token_usage_record"\n\n${line("token_usage_record", { response_id: 7, usage: "x" })}${record("r1", 1000)}{"type":"token_usage_rec`
    )
    assert.deepStrictEqual(idsOf(atStop(file)), ["r1"])
  })

  it("is left for the next time when the deadline has come", () => {
    const file = place(record("r1", 1000))
    const events = atStop(file, { deadline: { budgetMs: 1000, remainingMs: () => 0 } })
    assert.deepStrictEqual(
      events.map((event) => event.kind),
      ["assistant_message"]
    )
  })

  it("of a subagent that never stopped is read at the end of the session", () => {
    const child = "01a22aa5-0000-7173-96ff-000000000000"
    const main = place(record("main", 1000))
    const file = place(record("c1", 1000, { thread_id: child }), child)
    const asking = { hook_event_name: "PreModelRequest", request_id: "q", attempt_number: 1, agent_id: child }
    const cursors = cursorsOf(deliver({ ...asking, transcript_path: file }))
    fs.appendFileSync(file, record("c2", 1001, { thread_id: child }))
    const end = deliver({ hook_event_name: "SessionEnd", reason: "other", transcript_path: main }, { cursors })
    assert.deepStrictEqual(idsOf(end), ["main", "c2"])
    assert.strictEqual(end.at(-1)?.kind, "session_end")
  })
})

describe("a rollout that is not to be read", () => {
  const stop = (file: string) => atStop(file).map((event) => event.kind)

  it("is one by another name, a relative one, a directory, a link, or one that is missing", () => {
    const secret = path.join(directory, "notes.jsonl")
    fs.writeFileSync(secret, record("r1", 1000))
    const link = path.join(directory, nameOf("link"))
    fs.symlinkSync(secret, link)
    fs.mkdirSync(path.join(directory, nameOf("dir")))
    for (const file of [
      secret,
      link,
      nameOf(thread),
      path.join(directory, nameOf("dir")),
      path.join(directory, nameOf("no"))
    ])
      assert.deepStrictEqual(stop(file), ["assistant_message"], file)
  })

  it("is one that a cursor names outside of the sessions directory", () => {
    const main = place(record("main", 1000))
    fs.writeFileSync(path.join(directory, "evil.jsonl"), record("x", 1))
    const cursors = ["../../../../evil.jsonl", "evil.jsonl", "rollout-2026-11-30T04-09-44-../x.jsonl"].map((file) => ({
      file,
      offset: 0
    }))
    const end = deliver({ hook_event_name: "SessionEnd", reason: "other", transcript_path: main }, { cursors })
    assert.deepStrictEqual(idsOf(end), ["main"])
  })
})

const item = (fields: object) => line("event_msg", { type: "item_completed", turn_id: "t1", item: fields })
const call = (id: string, name: string, fields: object = {}) =>
  line("response_item", { type: "function_call", call_id: id, name, arguments: "{}", ...fields })
const answer = (id: string, output: unknown) =>
  line("response_item", { type: "function_call_output", call_id: id, output })

describe("the end of a command", () => {
  const post = (file: string) =>
    deliver({
      hook_event_name: "PostToolUse",
      transcript_path: file,
      tool_name: "Bash",
      tool_input: { command: "x" },
      tool_use_id: "c1",
      tool_response: "oops\n"
    })
  const command = (exit_code: number, status: string) =>
    item({ type: "CommandExecution", id: "c1", status, exit_code, duration: { secs: 1, nanos: 500_000_000 } })

  it("is an error with its exit code where the rollout tells one", () => {
    assert.deepStrictEqual(post(place(command(3, "failed")))[0]?.payload, {
      tool_name: "Bash",
      input: { command: "x" },
      outcome: "failed",
      error: "Exit code 3\noops\n",
      duration_ms: 1500
    })
  })

  it("is a result where the command did not fail, or the rollout does not tell", () => {
    for (const file of [place(command(0, "completed")), place(""), path.join(directory, "none.jsonl")]) {
      const [event] = post(file)
      assert.strictEqual(event?.kind, "tool_result")
      assert.deepStrictEqual(event?.identity, ["tool_end", "c1"])
    }
  })
})

describe("the end of a call that no hook tells of", () => {
  const ends = (content: string) =>
    atStop(place(content)).flatMap((event) =>
      event.kind === "tool_error" || event.kind === "tool_result"
        ? [[event.kind === "tool_error" ? event.payload.outcome : "result", event.payload.tool_name]]
        : []
    )

  it("has the outcome that its answer says", () => {
    const said: ReadonlyArray<readonly [answer: unknown, outcome: string]> = [
      ["unsupported call: x", "invalid"],
      ["failed to parse function arguments: missing field `cmd`", "invalid"],
      ["apply_patch verification failed: Failed to read file", "invalid"],
      ["Command blocked by PreToolUse hook: no. Command: x", "denied"],
      ["Tool call blocked by PreToolUse hook: no", "denied"],
      ['exec_command failed: CreateProcess { message: "Rejected(\\"no\\")" }', "denied"],
      ["approval policy is Never; reject command — you cannot ask", "denied"],
      [
        [
          { type: "input_text", text: "Wall time: 0.1 seconds\nOutput:" },
          { type: "input_text", text: "user rejected MCP tool call" }
        ],
        "denied"
      ],
      ["Wall time: 3.5 seconds\naborted by user", "interrupted"],
      ["unable to locate image at `/x.png`: No such file", "failed"],
      ["Wall time: 0.1 seconds\nOutput:\nwritten by the tool: unsupported call: x", "result"]
    ]
    for (const [given, outcome] of said)
      assert.deepStrictEqual(ends(call("c", "some_tool") + answer("c", given)), [[outcome, "some_tool"]], String(given))
  })

  it("waits while its command runs", () => {
    const running = "Chunk ID: 1\nWall time: 0.3 seconds\nProcess running with session ID 33445\nOutput:\n"
    assert.deepStrictEqual(ends(call("c", "exec_command") + answer("c", running)), [])
  })

  it("is interrupted where Codex took its command along, however it came to see that", () => {
    const died = (exit_code: number) => item({ type: "CommandExecution", id: "c", status: "failed", exit_code })
    const turnEnd = line("event_msg", { type: "task_complete", turn_id: "t1" })
    const began = call("c", "exec_command")
    assert.deepStrictEqual(ends(began + turnEnd + died(-1)), [["interrupted", "Bash"]])
    assert.deepStrictEqual(ends(began + turnEnd + died(137)), [["interrupted", "Bash"]])
    // Killed by somebody else while the agent worked, or failed by itself after that.
    assert.deepStrictEqual(ends(began + died(137) + turnEnd), [["failed", "Bash"]])
    assert.deepStrictEqual(ends(began + turnEnd + died(1)), [["failed", "Bash"]])
  })

  it("is named as its hooks would name it", () => {
    const answered = (id: string, name: string, namespace?: string) =>
      call(id, name, { namespace }) + answer(id, "unsupported call: x")
    assert.deepStrictEqual(
      ends(
        answered("a", "exec_command") +
          answered("b", "echo", "mcp__tiny") +
          answered("c", "wait_agent", "multi_agent_v1") +
          item({
            type: "McpToolCall",
            id: "d",
            server: "tiny",
            tool: "fail",
            status: "failed",
            result: { content: [] }
          })
      ),
      [
        ["invalid", "Bash"],
        ["invalid", "mcp__tiny__echo"],
        ["invalid", "multi_agent_v1wait_agent"],
        ["failed", "mcp__tiny__fail"]
      ]
    )
  })

  it("is not made up for the program that calls the tools in code mode, nor for a call that began out of sight", () => {
    const program = line("response_item", { type: "custom_tool_call", call_id: "p", name: "exec", input: "text(1)" })
    assert.deepStrictEqual(
      ends(program + answer("p", "Script completed") + answer("unseen", "unsupported call: x")),
      []
    )
  })
})
