import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type DraftEvent, payloads as schemas, type TranscriptCursor } from "../../../src/domain/event.ts"
import { Disk } from "../../../src/platform/Disk.ts"
import { antigravityAdapter } from "../../../src/providers/antigravity/adapter.ts"
import { antigravityHooks } from "../../../src/providers/antigravity/hooks.ts"
import { usageTotals } from "../../../src/recorder/usageTotals.ts"
import { temporaryDirectory } from "../../support/temporaryHost.ts"
import { type Json, payload, payloads, read, readSample, transcript } from "./fixtures.ts"

/** What the hook alone tells of each sample. */
const expected: Readonly<Record<string, string>> = {
  "SessionStart-1": "session_start",
  "PreInvocation-1": "provider_event PreInvocation",
  "PreInvocation-2": "provider_event PreInvocation",
  "PreInvocation-3": "provider_event PreInvocation",
  "PostInvocation-1": "provider_event PostInvocation",
  "PreToolUse-1": "tool_call run_command step-3",
  "PreToolUse-2": "tool_call view_file step-5",
  "PreToolUse-3": "tool_call call_mcp_tool step-7",
  "PostToolUse-1": "tool_call run_command step-3, tool_result run_command step-3",
  "PostToolUse-2": "",
  "PostToolUse-3": "tool_call view_file step-9, tool_error view_file failed step-9",
  "Stop-1": "assistant_message NO_TOOL_CALL",
  "Stop-2": "assistant_message All done. NO_TOOL_CALL",
  "Stop-3": "assistant_message ERROR agent executor error"
}

const phrase = (event: DraftEvent): string => {
  const { name, tool_name, outcome, text, stop_reason, error } = event.payload as Record<string, unknown>
  const words = event.kind.startsWith("tool_") ? [tool_name, outcome] : [name, text, stop_reason, error]
  return [event.kind, ...words, event.providerIds?.tool_use_id]
    .filter((word) => word !== undefined && word !== "")
    .join(" ")
}
const phrases = (events: ReadonlyArray<DraftEvent>): string => events.map(phrase).join(", ")

describe("a sample", () => {
  it("is listed here, and every event of the table has one", () => {
    assert.sameMembers(Object.keys(expected), payloads.map(([name]) => name) as Array<string>)
    assert.sameMembers([...new Set(payloads.map(([name]) => name.split("-")[0]))], Object.keys(antigravityHooks))
  })

  it.each(payloads.map(([name]) => name))("%s becomes its events", (name) => {
    const delivery = readSample(name)
    assert.strictEqual(phrases(delivery.events), expected[name])
    for (const event of delivery.events) {
      assert.isTrue(Schema.is(schemas[event.kind] as Schema.Top)(event.payload))
    }
    assert.strictEqual(delivery.sessionId, "00000000-1111-4222-8333-444444444444")
    assert.strictEqual(delivery.projectDirectory, name === "PreInvocation-2" ? undefined : "/home/dev/proj")
    assert.strictEqual(delivery.cwd, undefined)
  })

  it("is answered {}, but for the gate, which needs its own word", () => {
    for (const [event, row] of Object.entries(antigravityHooks)) {
      assert.strictEqual(antigravityAdapter.answer(event), event === "PreToolUse" ? '{"decision":"allow"}' : "{}")
      assert.strictEqual(row.install === "gate", event === "PreToolUse")
    }
    assert.strictEqual(antigravityAdapter.answer("Later"), "{}")
  })
})

describe("identity", () => {
  it("of a call is its step: the gate and the end tell of one beginning", () => {
    const [begin] = readSample("PreToolUse-1").events
    const [again, end] = readSample("PostToolUse-1").events
    assert.deepStrictEqual(begin?.identity, again?.identity)
    assert.notDeepEqual(begin?.identity, end?.identity)
    assert.deepStrictEqual(readSample("PreToolUse-1", { stepIdx: "3" }).events[0]?.identity, begin?.identity)
  })

  it("of the end of a turn is that of its execution, in one process", () => {
    const of = (fields: Json, pid: number) => readSample("Stop-1", fields, pid).events[0]?.identity
    assert.deepStrictEqual(of({}, 1), of({}, 1))
    assert.notDeepEqual(of({}, 1), of({}, 2))
    assert.notDeepEqual(of({}, 1), of({ executionNum: 1 }, 1))
  })
})

describe("a payload", () => {
  it("of an unknown event is kept with its own fields", () => {
    const [event] = read("Later", { conversationId: "c", workspacePaths: ["/p"], more: 1 }).events
    assert.deepStrictEqual(event?.payload, { name: "Later", fields: { more: 1 } })
  })

  it("of any other shape is kept or refused, never an accident", () => {
    for (const given of [null, [], "x", 3]) {
      const exit = Effect.runSyncExit(antigravityAdapter.read({ payload: given, event: "Stop", env: {} }))
      assert.strictEqual(exit._tag, "Failure")
    }
    for (const event of [...Object.keys(antigravityHooks), undefined]) {
      for (const given of [
        {},
        { toolCall: "x", stepIdx: -1, workspacePaths: "p" },
        { toolCall: { name: "" }, stepIdx: {} }
      ]) {
        const delivery = read(event, given)
        for (const draft of delivery.events) assert.isTrue(Schema.is(schemas[draft.kind] as Schema.Top)(draft.payload))
        assert.strictEqual(delivery.projectDirectory, undefined)
      }
    }
  })
})

const inDirectory = <A, E>(use: (file: string) => Effect.Effect<A, E, Disk>) =>
  Effect.flatMap(temporaryDirectory, (directory) => use(path.join(directory, "transcript.jsonl"))).pipe(
    Effect.provide(Disk.layer),
    Effect.scoped
  )

/** What a delivery becomes when the transcript is there. */
const told = (
  name: string,
  transcriptPath: string,
  {
    fields = {},
    cursors = [],
    sinceMs = 0
  }: { fields?: Json; cursors?: ReadonlyArray<TranscriptCursor>; sinceMs?: number } = {}
): Effect.Effect<ReadonlyArray<DraftEvent>, never, Disk> =>
  readSample(name, { transcriptPath, ...fields }).transcript?.({ cursors, sinceMs }) ?? Effect.succeed([])

const rows = (...rows: ReadonlyArray<Json>): string => rows.map((row) => `${JSON.stringify(row)}\n`).join("")
const planner = (step_index: number, calls: ReadonlyArray<Json>, more: Json = {}): Json => ({
  step_index,
  source: "MODEL",
  type: "PLANNER_RESPONSE",
  ...(calls.length === 0 ? {} : { tool_calls: calls }),
  ...more
})

describe("the transcript", () => {
  it.effect("gives the prompt at the first request of a turn, without what the agent adds", () =>
    inDirectory((file) =>
      Effect.gen(function* () {
        fs.writeFileSync(file, transcript("transcript"))
        const first = yield* told("PreInvocation-1", file)
        assert.strictEqual(phrases(first), "user_prompt say hello, provider_event PreInvocation")
        assert.deepStrictEqual(first[0]?.payload, { text: "say hello", origin: "user" })
        assert.deepStrictEqual(first[0]?.identity, ["prompt", "0"])
        assert.strictEqual(first[0]?.timestamp, "2026-10-01T00:00:00.000Z")
        assert.strictEqual(phrases(yield* told("PreInvocation-2", file)), "provider_event PreInvocation")
        // The numbers as text.
        assert.strictEqual(
          phrases(yield* told("PreInvocation-3", file)),
          "user_prompt say hello, provider_event PreInvocation"
        )
      })
    )
  )

  it.effect("gives the result of a call by the number of its step, whatever the order of the rows", () =>
    inDirectory((file) =>
      Effect.gen(function* () {
        for (const name of ["transcript", "transcript_full"] as const) {
          fs.writeFileSync(file, transcript(name))
          const events = yield* told("PostToolUse-1", file)
          assert.strictEqual(phrases(events), expected["PostToolUse-1"])
          assert.include(JSON.stringify(events[1]?.payload), "hello\\n")
        }
      })
    )
  )

  it.effect("gives the call itself where the hook has none", () =>
    inDirectory((file) =>
      Effect.gen(function* () {
        fs.writeFileSync(file, transcript("transcript"))
        const [begin, end] = yield* told("PostToolUse-1", file, { fields: { toolCall: null } })
        assert.deepStrictEqual(begin?.payload, {
          tool_name: "run_command",
          input: { CommandLine: "echo hello", Cwd: "/home/dev/proj", WaitMsBeforeAsync: 5000 }
        })
        assert.strictEqual(end?.kind, "tool_result")
        // A step of the agent's own is no call.
        assert.deepStrictEqual(yield* told("PostToolUse-2", file), [])
      })
    )
  )

  it.effect("pairs the calls of one message with its results in their order, over gaps", () =>
    inDirectory((file) =>
      Effect.gen(function* () {
        fs.writeFileSync(
          file,
          rows(
            { step_index: 9, type: "VIEW_FILE", content: "nine" },
            { step_index: 7, type: "RUN_COMMAND", content: "seven" },
            planner(4, [
              { name: "run_command", args: { CommandLine: '"a"' } },
              { name: "view_file", args: { AbsolutePath: '"/b"' } }
            ]),
            { step_index: 8, type: "SYSTEM_MESSAGE", content: "between" }
          )
        )
        const nameAt = (stepIdx: number) =>
          Effect.map(told("PostToolUse-1", file, { fields: { toolCall: null, stepIdx } }), phrases)
        assert.strictEqual(yield* nameAt(7), "tool_call run_command step-7, tool_result run_command step-7")
        assert.strictEqual(yield* nameAt(9), "tool_call view_file step-9, tool_result view_file step-9")
        assert.strictEqual(yield* nameAt(8), "")
        assert.strictEqual(yield* nameAt(10), "")
      })
    )
  )

  it.effect("tells an error where the hook or the row has one", () =>
    inDirectory((file) =>
      Effect.gen(function* () {
        const call = planner(1, [{ name: "view_file", args: {} }])
        const outcome = (row: Json) =>
          Effect.gen(function* () {
            fs.writeFileSync(file, rows(call, { step_index: 2, type: "VIEW_FILE", ...row }))
            return (yield* told("PostToolUse-1", file, { fields: { toolCall: null, stepIdx: 2 } }))[1]?.payload
          })
        assert.deepStrictEqual(yield* outcome({ error: "no such file" }), {
          tool_name: "view_file",
          outcome: "failed",
          input: {},
          error: "no such file"
        })
        assert.deepInclude(yield* outcome({ status: "ERROR", content: "gone" }), { outcome: "failed", error: "gone" })
        assert.deepInclude(yield* outcome({ content: "text" }), { response: "text" })
      })
    )
  )

  it.effect("gives answer and usage at the end of a turn, and what no hook told", () =>
    inDirectory((file) =>
      Effect.gen(function* () {
        fs.writeFileSync(file, transcript("transcript_full"))
        const events = yield* told("Stop-1", file)
        assert.strictEqual(
          phrases(events),
          "user_prompt say hello, tool_call run_command step-3, tool_result run_command step-3, assistant_message All done. NO_TOOL_CALL, turn_usage"
        )
        // By hand, from the row of step 4.
        assert.deepStrictEqual(usageTotals(events as never), {
          "antigravity-transcript": { input_tokens: 900, cache_read_input_tokens: 300, output_tokens: 47 }
        })
        const usage = events.at(-1)
        assert.deepStrictEqual(usage?.kind === "turn_usage" && usage.payload.messages, [
          {
            message_id: "step-4",
            model: "gemini-3.6-flash-medium",
            time: "2026-10-01T00:00:04Z",
            input_tokens: 900,
            cache_read_input_tokens: 300,
            output_tokens: 47
          }
        ])
        // The next turn begins behind it.
        const cursors = usage?.kind === "turn_usage" ? (usage.payload.cursors ?? []) : []
        fs.appendFileSync(
          file,
          rows(
            { step_index: 5, type: "USER_INPUT", content: "<USER_REQUEST>more</USER_REQUEST>" },
            planner(6, [], { content: "No more.", input_tokens: 10, output_tokens: "3" })
          )
        )
        const next = yield* told("Stop-1", file, { cursors })
        assert.strictEqual(phrases(next), "user_prompt more, assistant_message No more. NO_TOOL_CALL, turn_usage")
        assert.deepStrictEqual(usageTotals([...events, ...next] as never)["antigravity-transcript"], {
          input_tokens: 910,
          cache_read_input_tokens: 300,
          output_tokens: 50
        })
      })
    )
  )

  it.effect("has no usage in versions that do not write it", () =>
    inDirectory((file) =>
      Effect.gen(function* () {
        fs.writeFileSync(file, transcript("transcript"))
        const events = yield* told("Stop-1", file)
        assert.notInclude(phrases(events), "turn_usage")
        assert.include(phrases(events), "assistant_message All done.")
      })
    )
  )

  it.effect("tells nothing of before the recording began, but the prompt that is being answered", () =>
    inDirectory((file) =>
      Effect.gen(function* () {
        fs.writeFileSync(file, transcript("transcript_full"))
        const sinceMs = Date.parse("2026-10-01T00:00:03.900Z")
        assert.strictEqual(
          phrases(yield* told("Stop-1", file, { sinceMs })),
          "tool_call run_command step-3, tool_result run_command step-3, assistant_message All done. NO_TOOL_CALL, turn_usage"
        )
        assert.strictEqual(
          phrases(yield* told("PreInvocation-1", file, { sinceMs })),
          "user_prompt say hello, provider_event PreInvocation"
        )
      })
    )
  )

  it.effect.each(["missing", "no JSON", "of another name"])("that is %s leaves what the hook tells", (what) =>
    inDirectory((file) =>
      Effect.gen(function* () {
        const other = path.join(path.dirname(file), "other.txt")
        if (what === "no JSON") fs.writeFileSync(file, '{\n[]\n{"step_index":"x","type":"USER_INPUT"}\n\u0000')
        if (what === "of another name") fs.writeFileSync(other, transcript("transcript"))
        for (const name of ["PreInvocation-1", "PostToolUse-1", "PostToolUse-3", "Stop-2"]) {
          const events = yield* told(name, what === "of another name" ? other : file)
          assert.strictEqual(phrases(events), expected[name])
        }
      })
    )
  )

  it("is asked for by no event that has nothing to gain", () => {
    for (const name of ["SessionStart-1", "PreToolUse-1", "PostInvocation-1"]) {
      assert.strictEqual(readSample(name).transcript, undefined)
    }
    assert.strictEqual(read("Stop", { ...payload("Stop-1"), transcriptPath: undefined }).transcript, undefined)
  })
})
