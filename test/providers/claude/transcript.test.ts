import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { DraftEvent, TranscriptCursor } from "../../../src/domain/event.ts"
import { CurrentDeadline, type Deadline, unlimited } from "../../../src/platform/Deadline.ts"
import { Disk } from "../../../src/platform/Disk.ts"
import { readUsage } from "../../../src/providers/claude/transcript.ts"
import { usageTotals } from "../../../src/recorder/usageTotals.ts"
import { fixtures, payload } from "./fixtures.ts"
import { read } from "./recording.ts"

let directory: string
beforeEach(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), "lint-ai-transcript-"))
})
afterEach(() => fs.rmSync(directory, { recursive: true, force: true }))

type TurnUsage = Extract<DraftEvent, { readonly kind: "turn_usage" }>
const isTurnUsage = (event: DraftEvent): event is TurnUsage => event.kind === "turn_usage"

const usageOf = (
  file: string,
  cursors: ReadonlyArray<TranscriptCursor> = [],
  { sinceMs = 0, deadline = unlimited }: { sinceMs?: number; deadline?: Deadline } = {}
): ReadonlyArray<TurnUsage> => {
  const events = Effect.runSync(
    readUsage(
      file,
      "turn-1"
    )({ cursors, sinceMs }).pipe(Effect.provide(Disk.layer), Effect.provideService(CurrentDeadline, deadline))
  )
  assert.isTrue(events.every(isTurnUsage))
  return events.filter(isTurnUsage)
}

const messagesOf = (events: ReadonlyArray<TurnUsage>) => events.flatMap((event) => event.payload.messages)
const cursorsOf = (events: ReadonlyArray<TurnUsage>) => events.at(-1)?.payload.cursors ?? []
const total = (events: ReadonlyArray<TurnUsage>) => usageTotals(events)["claude-transcript"]

const captured = (name: string) => fs.readFileSync(path.join(fixtures, "transcripts", name))
const transcript = (content: string | Uint8Array, name = "session.jsonl"): string => {
  const file = path.join(directory, name)
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, content)
  return file
}

interface Line {
  readonly id: string
  readonly output?: number
  readonly entry?: object
  readonly message?: object
}
const line = ({ id, output = 1, entry, message }: Line): string =>
  `${JSON.stringify({
    type: "assistant",
    timestamp: "2026-11-30T03:38:12.000Z",
    message: {
      id,
      model: "claude-opus-5-5",
      stop_reason: "end_turn",
      usage: { input_tokens: 10, output_tokens: output },
      ...message
    },
    ...entry
  })}\n`

/** Every message of the fake model reports the same tokens. */
const times = (messages: number) => ({
  input_tokens: 100 * messages,
  output_tokens: 50 * messages,
  cache_creation_input_tokens: 20 * messages,
  cache_read_input_tokens: 3000 * messages
})
const thinking = { reasoning_output_tokens: 0 }

/** Counted by hand in the files: distinct message ids that the model sent. */
const expected = {
  "main-332.jsonl": { ids: ["msg_fake000002", "msg_fake000003"], tokens: { ...times(2), ...thinking } },
  "main-197.jsonl": { ids: ["msg_fake000055", "msg_fake000056"], tokens: times(2) },
  "subagent-332.jsonl": { ids: ["msg_fake000006", "msg_fake000007"], tokens: { ...times(2), ...thinking } },
  "interactive-compacted-332.jsonl": {
    ids: ["msg_fake000001", "msg_fake000002"],
    tokens: { ...times(2), ...thinking }
  },
  "interactive-interrupts-332.jsonl": {
    ids: ["msg_fake000011", "msg_fake000012", "msg_fake000017", "msg_fake000018"],
    tokens: { ...times(4), ...thinking }
  },
  "forked-332.jsonl": { ids: ["msg_fake000016", "msg_fake000017"], tokens: { ...times(2), ...thinking } },
  "api-error-332.jsonl": { ids: [], tokens: undefined }
}

describe("a captured transcript", () => {
  for (const [name, { ids, tokens }] of Object.entries(expected))
    it(`${name} gives the usage of each message once`, () => {
      const file = transcript(captured(name))
      const events = usageOf(file)
      assert.deepStrictEqual(
        messagesOf(events).map((message) => message.message_id),
        ids
      )
      assert.deepStrictEqual(total(events), tokens)
      if (tokens === undefined) return
      assert.deepStrictEqual(events[0]?.usage, { source: "claude-transcript", ...tokens })
      assert.deepStrictEqual(cursorsOf(events), [{ file: "main", offset: captured(name).length }])
      assert.deepStrictEqual(usageOf(file, cursorsOf(events)), [])
    })

  it("tells model, time and stop reason of a message", () => {
    const [message] = messagesOf(usageOf(transcript(captured("main-332.jsonl"))))
    assert.deepStrictEqual(message, {
      message_id: "msg_fake000002",
      model: "claude-opus-5-5",
      time: "2026-11-30T03:38:12.439Z",
      stop_reason: "tool_use",
      ...times(1),
      ...thinking
    })
  })

  it("of a fork leaves out what it copied from its parent", () => {
    const file = transcript(captured("forked-332.jsonl"))
    assert.deepStrictEqual(usageOf(file, [], { sinceMs: Date.parse("2026-11-30T03:38:51.000Z") }), [])
    assert.deepStrictEqual(
      messagesOf(usageOf(file, [], { sinceMs: Date.parse("2026-11-30T03:38:46.000Z") })).map((m) => m.message_id),
      ["msg_fake000017"]
    )
  })

  it("counts the subagents that lie beside it, each under its own id", () => {
    const file = transcript(captured("main-332.jsonl"))
    const name = "agent-ad57bb9f5857f0843.jsonl"
    transcript(captured("subagent-332.jsonl"), `session/subagents/${name}`)
    transcript("{}", "session/subagents/agent-ad57bb9f5857f0843.meta.json")
    const events = usageOf(file)
    assert.deepStrictEqual(total(events), { ...times(4), ...thinking })
    assert.deepStrictEqual(
      messagesOf(events).map((message) => message.agent_id),
      [undefined, undefined, "ad57bb9f5857f0843", "ad57bb9f5857f0843"]
    )
    assert.deepStrictEqual(cursorsOf(events), [
      { file: "main", offset: captured("main-332.jsonl").length },
      { file: name, offset: captured("subagent-332.jsonl").length }
    ])
    assert.deepStrictEqual(usageOf(file, cursorsOf(events)), [])

    fs.appendFileSync(file, line({ id: "later" }))
    const later = usageOf(file, cursorsOf(events))
    assert.deepStrictEqual(
      messagesOf(later).map((message) => message.message_id),
      ["later"]
    )
    assert.deepStrictEqual(cursorsOf(later)[1], cursorsOf(events)[1])
  })
})

describe("a message", () => {
  it("counts with its last snapshot", () => {
    const file = transcript(line({ id: "m", output: 1 }) + line({ id: "n", output: 5 }) + line({ id: "m", output: 7 }))
    assert.deepStrictEqual(total(usageOf(file)), { input_tokens: 20, output_tokens: 12 })
  })

  it("whose blocks straddle two readings counts once", () => {
    const file = transcript(line({ id: "m", output: 3 }))
    const first = usageOf(file)
    fs.appendFileSync(file, line({ id: "m", output: 8 }))
    const second = usageOf(file, cursorsOf(first))
    assert.strictEqual(messagesOf(second).length, 1)
    assert.deepStrictEqual(total([...first, ...second]), { input_tokens: 10, output_tokens: 8 })
    assert.notDeepEqual(first[0]?.identity, second[0]?.identity)
  })

  it("that the user interrupted counts with what its beginning said", () => {
    const [message] = messagesOf(usageOf(transcript(line({ id: "m", message: { stop_reason: null } }))))
    assert.deepStrictEqual(message, {
      message_id: "m",
      model: "claude-opus-5-5",
      time: "2026-11-30T03:38:12.000Z",
      input_tokens: 10,
      output_tokens: 1
    })
  })

  it("that no model sent does not count, nor one without tokens or without an id", () => {
    const file = transcript(
      line({ id: "a", message: { model: "<synthetic>" } }) +
        line({ id: "b", entry: { isApiErrorMessage: true } }) +
        line({ id: "c", message: { usage: { input_tokens: 0, output_tokens: 0 } } }) +
        line({ id: "d", message: { usage: null } }) +
        line({ id: "" }) +
        line({ id: "e", entry: { type: "user" } }) +
        '{"type":"assistant","message":{"usage":\n' +
        "\0\0\0\n" +
        line({ id: "real" })
    )
    assert.deepStrictEqual(
      messagesOf(usageOf(file)).map((message) => message.message_id),
      ["real"]
    )
  })
})

describe("a reading", () => {
  it("leaves a line that is not whole for the next one", () => {
    const whole = line({ id: "a" })
    const file = transcript(whole + line({ id: "b" }).slice(0, -10))
    const first = usageOf(file)
    assert.deepStrictEqual(cursorsOf(first), [{ file: "main", offset: Buffer.byteLength(whole) }])
    fs.appendFileSync(file, line({ id: "b" }).slice(-10))
    assert.deepStrictEqual(
      messagesOf(usageOf(file, cursorsOf(first))).map((message) => message.message_id),
      ["b"]
    )
  })

  it("begins again in a file that became shorter", () => {
    const file = transcript(line({ id: "a" }) + line({ id: "b" }))
    const first = usageOf(file)
    fs.writeFileSync(file, line({ id: "c" }))
    assert.deepStrictEqual(
      messagesOf(usageOf(file, cursorsOf(first))).map((message) => message.message_id),
      ["c"]
    )
  })

  it("gives at most 100 messages an event, and its end only with the last one", () => {
    const file = transcript(Array.from({ length: 250 }, (_, index) => line({ id: `m${index}` })).join(""))
    const events = usageOf(file)
    assert.deepStrictEqual(
      events.map((event) => [event.payload.messages.length, event.usage?.input_tokens, event.payload.cursors?.length]),
      [
        [100, 1000, undefined],
        [100, 1000, undefined],
        [50, 500, 1]
      ]
    )
    assert.strictEqual(new Set(events.map((event) => JSON.stringify(event.identity))).size, 3)
    assert.isTrue(events.every((event) => event.turnId === "turn-1"))
  })

  it("takes 16 MiB of a file at most, and the rest comes in the next", () => {
    const filler = `${JSON.stringify({ type: "attachment", text: "x".repeat(1_000_000) })}\n`
    const file = transcript(line({ id: "first" }) + filler.repeat(17) + line({ id: "last" }))
    const first = usageOf(file)
    const second = usageOf(file, cursorsOf(first))
    assert.deepStrictEqual(
      [first, second].map((events) => messagesOf(events).map((message) => message.message_id)),
      [["first"], ["last"]]
    )
    assert.isBelow(cursorsOf(first)[0]?.offset ?? 0, 16 * 1024 * 1024)
  })

  it("steps over a line that is longer than that", () => {
    const file = transcript(`"${"x".repeat(17 * 1024 * 1024)}"\n${line({ id: "after" })}`)
    const first = usageOf(file)
    assert.deepStrictEqual(messagesOf(first), [])
    assert.deepStrictEqual(cursorsOf(first), [{ file: "main", offset: 16 * 1024 * 1024, more: true }])
    assert.deepStrictEqual(
      messagesOf(usageOf(file, cursorsOf(first))).map((message) => message.message_id),
      ["after"]
    )
  })

  it("ends when the time is nearly over, at a line that it read", () => {
    const filler = `${JSON.stringify({ type: "attachment", text: "x".repeat(100_000) })}\n`
    const part = (id: string) => line({ id }) + filler.repeat(15)
    const file = transcript(part("a") + part("b") + part("c"))
    let asked = 0
    // Each question takes 600 of 2000 ms; 500 are left to write what was read.
    const deadline: Deadline = { budgetMs: 2000, remainingMs: () => 2000 - 600 * asked++ }
    const first = usageOf(file, [], { deadline })
    const end = cursorsOf(first)[0]?.offset ?? 0
    assert.isAbove(end, 0)
    assert.isBelow(end, fs.statSync(file).size)
    assert.strictEqual(fs.readFileSync(file)[end - 1], 10)
    const all = [...first, ...usageOf(file, cursorsOf(first))]
    assert.deepStrictEqual(
      messagesOf(all).map((message) => message.message_id),
      ["a", "b", "c"]
    )
  })

  it.prop(
    "in any pieces gives the same totals as one",
    [Schema.Array(Schema.Natural).check(Schema.isMaxLength(12))],
    ([lengths]) => {
      const content = captured("interactive-interrupts-332.jsonl")
      const file = transcript("")
      let written = 0
      let cursors: ReadonlyArray<TranscriptCursor> = []
      const events: Array<TurnUsage> = []
      for (const length of [...lengths.map((length) => length % 9000), content.length]) {
        fs.appendFileSync(file, content.subarray(written, written + length))
        written = Math.min(content.length, written + length)
        const reading = usageOf(file, cursors)
        events.push(...reading)
        if (reading.length > 0) cursors = cursorsOf(reading)
      }
      assert.deepStrictEqual(total(events), expected["interactive-interrupts-332.jsonl"].tokens)
    },
    { arbitrary: { runs: 60 } }
  )
})

describe("a path that is no transcript", () => {
  it("gives nothing", () => {
    const real = transcript(line({ id: "m" }), "real.jsonl")
    fs.symlinkSync(real, path.join(directory, "link.jsonl"))
    fs.mkdirSync(path.join(directory, "directory.jsonl"))
    transcript(line({ id: "m" }), "other.txt")
    for (const given of [
      "",
      "missing.jsonl",
      path.relative(process.cwd(), real),
      path.join(directory, "missing.jsonl"),
      path.join(directory, "link.jsonl"),
      path.join(directory, "directory.jsonl"),
      path.join(directory, "other.txt"),
      `${real}\0.jsonl`
    ])
      assert.deepStrictEqual(usageOf(given), [], given)
    assert.strictEqual(messagesOf(usageOf(real)).length, 1)
  })

  it("among the subagents is not read", () => {
    const outside = transcript(line({ id: "outside" }), "outside/subagents/agent-a.jsonl")
    const file = transcript(line({ id: "m" }))
    fs.mkdirSync(path.join(directory, "session/subagents"), { recursive: true })
    fs.symlinkSync(outside, path.join(directory, "session/subagents/agent-link.jsonl"))
    transcript(line({ id: "other" }), "session/subagents/notes.jsonl")
    assert.strictEqual(messagesOf(usageOf(file)).length, 1)

    fs.rmSync(path.join(directory, "session"), { recursive: true })
    fs.symlinkSync(path.join(directory, "outside"), path.join(directory, "session"))
    assert.strictEqual(messagesOf(usageOf(file)).length, 1)
  })
})

describe("a delivery", () => {
  it("has usage to read at the end of a turn and of the session only", () => {
    const reads = (name: string) => read(payload(name)).transcript !== undefined
    assert.deepStrictEqual(["Stop-1", "StopFailure-1", "SessionEnd-1"].map(reads), [true, true, true])
    assert.deepStrictEqual(["SessionStart-1", "PostToolUse-1", "SubagentStop-1"].map(reads), [false, false, false])
    assert.isUndefined(read({ hook_event_name: "Stop" }).transcript)
  })
})
