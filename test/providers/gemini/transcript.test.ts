import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { DraftEvent, TranscriptCursor } from "../../../src/domain/event.ts"
import { CurrentDeadline } from "../../../src/platform/Deadline.ts"
import { Disk } from "../../../src/platform/Disk.ts"
import { unseenCalls } from "../../../src/providers/gemini/unseenCalls.ts"
import { usageTotals } from "../../../src/recorder/usageTotals.ts"
import { temporaryDirectory } from "../../support/temporaryHost.ts"
import { fixtures, type Json, payload, read } from "./fixtures.ts"

interface Place {
  readonly directory: string
  readonly file: string
}

const inDirectory = <A, E>(use: (place: Place) => Effect.Effect<A, E, Disk>) =>
  Effect.flatMap(temporaryDirectory, (directory) =>
    use({ directory, file: path.join(directory, "session-2026-11-30T03-36-6ada47d5.jsonl") })
  ).pipe(Effect.provide(Disk.layer), Effect.scoped)

/** What a delivery becomes when the session file is there. */
const told = (
  name: string,
  transcript_path: string,
  cursors: ReadonlyArray<TranscriptCursor> = [],
  sinceMs = 0,
  fields: Json = {}
): Effect.Effect<ReadonlyArray<DraftEvent>, never, Disk> => {
  const delivery = read(payload(name, { transcript_path, ...fields }))
  assert.isTrue(delivery.retold)
  return delivery.transcript?.({ cursors, sinceMs }) ?? Effect.succeed([])
}

const captured = (name: string): string => fs.readFileSync(path.join(fixtures, name), "utf8")
const total = (events: ReadonlyArray<DraftEvent>) => usageTotals(events as never)["gemini-transcript"]
const cursorsOf = (events: ReadonlyArray<DraftEvent>): ReadonlyArray<TranscriptCursor> =>
  events.flatMap((event) => (event.kind === "turn_usage" ? (event.payload.cursors ?? []) : []))
const kinds = (events: ReadonlyArray<DraftEvent>) => events.map((event) => event.kind)
const answerOf = (events: ReadonlyArray<DraftEvent>): string | undefined =>
  events.flatMap((event) => (event.kind === "assistant_message" ? [event.payload.text] : []))[0]

// Added up by hand from session-tools.jsonl: input 1000 + 1100 + 1200 + 1300, of which cached 900 + 1000 + 1100; output 20 + 21 + 22 + 23
// and 5 of thought.
const toolsUsage = {
  input_tokens: 1600,
  cache_read_input_tokens: 3000,
  output_tokens: 91,
  reasoning_output_tokens: 5,
  total_tokens: 4691
}

describe("a session file", () => {
  it.effect("gives the answer that the hook has garbled, then the usage", () =>
    inDirectory(({ file }) =>
      Effect.gen(function* () {
        fs.writeFileSync(file, captured("session-tools.jsonl"))
        const events = yield* told("AfterAgent-1", file)
        assert.deepStrictEqual(kinds(events), ["assistant_message", "turn_usage"])
        assert.strictEqual(answerOf(events), "All done: hello was said, the file was read and one command failed.")
        assert.deepStrictEqual(total(events), toolsUsage)
        assert.deepStrictEqual(
          events[0]?.identity,
          read(payload("AfterAgent-1", { transcript_path: file })).events[0]?.identity
        )
      })
    )
  )

  it.effect("is read once: what was told is not told again", () =>
    inDirectory(({ file }) =>
      Effect.gen(function* () {
        fs.writeFileSync(file, captured("session-tools.jsonl"))
        const cursors = cursorsOf(yield* told("AfterAgent-1", file))
        assert.deepStrictEqual(cursors, [{ file: path.basename(file), offset: fs.statSync(file).size }])
        assert.deepStrictEqual(kinds(yield* told("SessionEnd-1", file, cursors)), ["session_end"])
      })
    )
  )

  it.effect("counts each message once in a session that was resumed twice, history repeated", () =>
    inDirectory(({ file }) =>
      Effect.gen(function* () {
        const text = captured("session-resumed.jsonl")
        fs.writeFileSync(file, text)
        // 107 before the first resume, 4691 as above after it, 107 after the second.
        const expected = {
          input_tokens: 100 + 1600 + 100,
          cache_read_input_tokens: 3000,
          output_tokens: 7 + 91 + 7,
          reasoning_output_tokens: 5,
          total_tokens: 107 + 4691 + 107
        }
        const whole = yield* told("AfterAgent-1", file)
        assert.deepStrictEqual(total(whole), expected)
        assert.strictEqual(answerOf(whole), "Hello from the fake model.")

        // Cut anywhere, and read on from there.
        const lines = text.split("\n")
        for (let cut = 1; cut < lines.length; cut++) {
          fs.writeFileSync(file, `${lines.slice(0, cut).join("\n")}\n`)
          const first = yield* told("SessionEnd-1", file)
          fs.writeFileSync(file, text)
          const second = yield* told("SessionEnd-1", file, cursorsOf(first))
          assert.deepStrictEqual(total([...first, ...second]), expected, `cut after line ${cut}`)
        }
      })
    )
  )

  it.effect("holds nothing when it is the stub that a resume leaves", () =>
    inDirectory(({ file }) =>
      Effect.gen(function* () {
        fs.writeFileSync(file, captured("session-resume-stub.jsonl"))
        assert.deepStrictEqual(kinds(yield* told("SessionEnd-1", file)), ["session_end"])
      })
    )
  )

  it.effect("keeps what was used when a compression replaces the history", () =>
    inDirectory(({ file }) =>
      Effect.gen(function* () {
        const compressed = {
          $set: { messages: [{ id: "new", type: "user", content: [{ text: "<state_snapshot/>" }] }] }
        }
        const next = {
          id: "after",
          timestamp: "2026-11-30T03:40:00.000Z",
          type: "gemini",
          content: "Going on.",
          tokens: { input: 10, output: 2, cached: 0, thoughts: 0, tool: 3, total: 15 }
        }
        fs.writeFileSync(
          file,
          `${captured("session-tools.jsonl")}${JSON.stringify(compressed)}\n${JSON.stringify(next)}\n`
        )
        const events = yield* told("SessionEnd-1", file)
        assert.deepStrictEqual(total(events), {
          input_tokens: 1613,
          cache_read_input_tokens: 3000,
          output_tokens: 93,
          reasoning_output_tokens: 5,
          total_tokens: 4706
        })
      })
    )
  )

  it.effect("gives usage of sub-agents, with their ids", () =>
    inDirectory(({ directory, file }) =>
      Effect.gen(function* () {
        fs.writeFileSync(file, "")
        const id = "29b637af-0451-43c0-93e5-17cccef3bde8"
        fs.mkdirSync(path.join(directory, id))
        fs.writeFileSync(path.join(directory, id, "884063d1.jsonl"), captured("session-subagent.jsonl"))
        const events = yield* told("AfterAgent-2", file, [], 0, { session_id: id })
        assert.deepStrictEqual(total(events), {
          input_tokens: 430,
          cache_read_input_tokens: 0,
          output_tokens: 17,
          reasoning_output_tokens: 0,
          total_tokens: 447
        })
        const agents = events.flatMap((event) =>
          event.kind === "turn_usage" ? event.payload.messages.map((message) => message.agent_id) : []
        )
        assert.deepStrictEqual(agents, ["884063d1", "884063d1"])
        // Its words are not the session's answer.
        assert.strictEqual(answerOf(events), "Hello in one chunk.")
      })
    )
  )

  it.effect("tells the calls that no hook told of, before the answer", () =>
    inDirectory(({ file }) =>
      Effect.gen(function* () {
        fs.writeFileSync(file, captured("session-toolerrors.jsonl"))
        const events = yield* told("AfterAgent-1", file)
        assert.deepStrictEqual(kinds(events), [
          "tool_call",
          "tool_error",
          "tool_call",
          "tool_error",
          "assistant_message",
          "turn_usage"
        ])
        assert.deepStrictEqual(
          events.flatMap((event) =>
            event.kind === "tool_error" ? [[event.payload.tool_name, event.payload.outcome]] : []
          ),
          [
            ["no_such_tool", "invalid"],
            ["read_file", "invalid"]
          ]
        )
        assert.strictEqual(answerOf(events), "Three errors seen.")
      })
    )
  )

  it.effect("of an older version is one document, read by the time of its messages", () =>
    inDirectory(({ directory }) =>
      Effect.gen(function* () {
        const file = path.join(directory, "session-2026-01-01T00-00-6ada47d5.json")
        const messages = captured("session-tools.jsonl")
          .split("\n")
          .filter((line) => line.startsWith('{"id"'))
          .map((line) => JSON.parse(line))
        const document = (count: number) =>
          fs.writeFileSync(file, JSON.stringify({ sessionId: "s", messages: messages.slice(0, count) }, null, 2))
        document(3)
        const first = yield* told("SessionEnd-1", file)
        document(messages.length)
        const second = yield* told("AfterAgent-1", file, cursorsOf(first))
        assert.deepStrictEqual(total([...first, ...second]), toolsUsage)
        assert.strictEqual(answerOf(second), "All done: hello was said, the file was read and one command failed.")
        assert.deepStrictEqual(kinds(yield* told("SessionEnd-1", file, cursorsOf(second))), ["session_end"])
      })
    )
  )

  it.effect("that has not the answer yet leaves the hook's", () =>
    inDirectory(({ file }) =>
      Effect.gen(function* () {
        const lines = captured("session-tools.jsonl").split("\n")
        const upTo = (words: string) =>
          `${lines
            .slice(
              0,
              lines.findLastIndex((line) => line.includes(words))
            )
            .join("\n")}\n`
        fs.writeFileSync(file, upTo("All done"))
        assert.strictEqual(answerOf(yield* told("AfterAgent-2", file)), "Hello in one chunk.")
        // Nor is the answer to an earlier prompt the answer to this one.
        const next = JSON.stringify({ id: "p", type: "user", content: [{ text: "next" }] })
        fs.writeFileSync(file, `${captured("session-tools.jsonl")}${next}\n`)
        assert.strictEqual(answerOf(yield* told("AfterAgent-2", file)), "Hello in one chunk.")
      })
    )
  )

  it.effect("leaves out what is older than the recording", () =>
    inDirectory(({ file }) =>
      Effect.gen(function* () {
        fs.writeFileSync(file, captured("session-toolerrors.jsonl"))
        const events = yield* told("AfterAgent-1", file, [], Date.parse("2026-11-30T03:42:26.000Z"))
        assert.deepStrictEqual(kinds(events), ["tool_call", "tool_error", "assistant_message", "turn_usage"])
        assert.strictEqual(total(events)?.total_tokens, 430 + 435)
      })
    )
  )

  it.effect.each(["missing", "a directory", "a link", "no JSON", "another name"])(
    "that is %s gives what the hook had",
    (what) =>
      inDirectory(({ directory, file }) =>
        Effect.gen(function* () {
          if (what === "a directory") fs.mkdirSync(file)
          if (what === "a link") {
            fs.writeFileSync(path.join(directory, "other.jsonl"), captured("session-tools.jsonl"))
            fs.symlinkSync("other.jsonl", file)
          }
          if (what === "no JSON") fs.writeFileSync(file, '{\u0000}\n[1]\nnull\n{"id":3}\n{"id":"x","type":"gemini"')
          const named = what === "another name" ? path.join(directory, "passwd") : file
          const events = yield* told("AfterAgent-2", named)
          assert.deepStrictEqual(kinds(events), ["assistant_message"])
          assert.strictEqual(answerOf(events), "Hello in one chunk.")
        })
      )
  )

  it.effect("is left alone when the time is over", () =>
    inDirectory(({ file }) =>
      Effect.gen(function* () {
        fs.writeFileSync(file, captured("session-tools.jsonl"))
        const events = yield* told("AfterAgent-2", file).pipe(
          Effect.provideService(CurrentDeadline, { budgetMs: 2000, remainingMs: () => 100 })
        )
        assert.deepStrictEqual(kinds(events), ["assistant_message"])
      })
    )
  )
})

describe("a call that no hook told of", () => {
  const call = (status: string, response: Json) => [
    {
      id: "call-1",
      name: "run_shell_command",
      args: { command: "ls" },
      status,
      result: [{ functionResponse: { id: "call-1", response } }]
    }
  ]
  const outcome = (status: string, response: Json) =>
    unseenCalls(call(status, response)).flatMap((event) => (event.kind === "tool_error" ? [event.payload.outcome] : []))

  it.each([
    ["invalid", "error", { error: 'Tool "ls" not found. Did you mean "list"?' }],
    ["invalid", "error", { error: "params must have required property 'command'" }],
    ["invalid", "error", { error: "params/command must be string" }],
    ["denied", "error", { error: "Tool execution denied by policy. Not on Fridays." }],
    ["denied", "error", { error: "Tool execution blocked: no" }],
    ["denied", "cancelled", { error: "[Operation Cancelled] Reason: User denied execution." }],
    ["interrupted", "cancelled", { error: "[Operation Cancelled] User cancelled tool execution." }],
    // AfterTool told of these.
    [undefined, "error", { error: "File not found: /x" }],
    [undefined, "cancelled", { output: "so far", error: "[Operation Cancelled] User cancelled tool execution." }],
    [undefined, "success", { output: "params must have" }]
  ] as const)("is %s when it is %s with %j", (expected, status, response) => {
    assert.deepStrictEqual(outcome(status, response), expected === undefined ? [] : [expected])
  })

  it("ends the call that a hook began", () => {
    const begun = read(payload("BeforeTool-1", { tool_name: "run_shell_command", tool_input: { command: "ls" } }))
      .events[0]
    const [end, ...rest] = unseenCalls(call("error", { error: "Tool execution denied by policy." }))
    assert.deepStrictEqual(rest, [])
    assert.strictEqual(end?.call, begun?.call)
    assert.notStrictEqual(end?.call, undefined)
    assert.strictEqual(end?.providerIds?.call_id, "call-1")
  })
})
