import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { sessionId } from "../../src/domain/sessionId.ts"
import { agentTrace } from "../../src/export/agentTrace.ts"
import { atif } from "../../src/export/atif.ts"
import { exportArchive, type Format, streamed } from "../../src/export/Exporter.ts"
import { jsonl } from "../../src/export/jsonl.ts"
import { markdown } from "../../src/export/markdown.ts"
import { otlp } from "../../src/export/otlp.ts"
import { stepCutter } from "../../src/export/steps.ts"
import { answered, append, ended, eventOf, filesOf, prompt, started } from "../support/events.ts"
import { machineOf, newUser, type TestUser } from "../support/recording.ts"

const calls = 600

/** A session of one long turn, some 20 MiB, with a subagent at work beside it. */
const long = (user: TestUser) =>
  Effect.gen(function* () {
    yield* append(user, [started(), prompt("p")])
    for (let n = 0; n < calls; n += 100) {
      const events = Array.from({ length: 100 }, (_, m) => {
        const id = `c${n + m}`
        const ids = { tool_use_id: id, ...(m % 4 === 0 ? { agent_id: "agent-0001" } : {}) }
        const place = { turn_id: "t1", provider_ids: ids }
        return [
          eventOf("tool_call", id, { tool_name: "Bash", input: { command: id } }, place),
          eventOf("tool_result", id, { tool_name: "Bash", response: `${id} ${"y".repeat(36_000)}` }, place)
        ]
      })
      yield* append(user, events.flat())
    }
    yield* append(user, [ended()])
    return filesOf(user)
  })

/** A session of which only results were observed, some 20 MiB, until one answer and its usage. */
const given = (user: TestUser) =>
  Effect.gen(function* () {
    yield* append(user, [started(), prompt("p")])
    for (let n = 0; n < calls; n += 100) {
      yield* append(
        user,
        Array.from({ length: 100 }, (_, m) =>
          eventOf("tool_result", `r${n + m}`, { tool_name: "Bash", response: `r${n + m} ${"y".repeat(36_000)}` })
        )
      )
    }
    const usage = { source: "transcript", messages: [{ message_id: "m1", model: "some-model", output_tokens: 3 }] }
    yield* append(user, [answered("so it is"), eventOf("turn_usage", "u", usage), ended()])
    return filesOf(user)
  })

const formats: Readonly<Record<string, Format>> = {
  jsonl: streamed(jsonl),
  markdown: streamed(() => markdown()),
  atif,
  otlp: otlp({ content: true, openInference: true }),
  "agent-trace": agentTrace
}

const sessions = { "a long session": long, "a session of results alone": given }

for (const [title, session] of Object.entries(sessions)) {
  describe(`exporting ${title}`, () => {
    for (const [name, format] of Object.entries(formats)) {
      it.effect(`gives pieces of bounded size, not the whole: ${name}`, () =>
        Effect.gen(function* () {
          const user = yield* newUser
          yield* Effect.gen(function* () {
            const { directory, events } = yield* session(user)
            assert.isAbove(fs.statSync(events).size, 20 * 2 ** 20)
            let longest = 0
            let count = 0
            yield* exportArchive(directory, format, (text) =>
              Effect.sync(() => {
                longest = Math.max(longest, text.length)
                count += 1
              })
            )
            // A piece of the log is 1 MiB; content is twice in a span with both conventions, and a batch of subagents is one piece.
            assert.isBelow(longest, 8 * 2 ** 20)
            assert.isTrue(name === "agent-trace" || count > 1)
          }).pipe(Effect.provide(machineOf(user)))
        })
      )
    }
  })
}

describe("the steps of a session in which nothing is said", () => {
  it("hold no more than a bound, lose nothing, and leave the last input to the answer", () => {
    const bytes = 400_000
    const held: Array<ReadonlyArray<number>> = []
    const said: Array<ReadonlyArray<number>> = []
    const nothing = {
      source: undefined,
      calls: new Map(),
      agents: new Map(),
      models: [],
      configHash: undefined,
      firstTime: undefined,
      lastTime: undefined
    }
    const cutter = stepCutter(nothing, (step) => {
      held.push(step.inputs.map((input) => input.sequence))
      said.push(step.outputs.map((output) => output.sequence))
    })
    for (let sequence = 1; sequence <= 100; sequence++) cutter.event(resultAt(sequence), bytes)
    cutter.event(answerAt(101), bytes)
    for (let sequence = 102; sequence <= 200; sequence++) cutter.event(answerAt(sequence), bytes)
    cutter.end()
    assert.isBelow(Math.max(...held.map((inputs) => inputs.length)), 10)
    assert.isBelow(Math.max(...said.map((outputs) => outputs.length)), 10)
    const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n)
    assert.deepStrictEqual(held.flat(), numbers(1, 100))
    assert.deepStrictEqual(said.flat(), numbers(101, 200))
    const first = said.findIndex((outputs) => outputs.length > 0)
    assert.strictEqual(held[first]?.at(-1), 100)
  })
})

const placeAt = (sequence: number) => ({
  schema_version: 1 as const,
  event_id: `e${sequence}`,
  session_id: sessionId("claude", "s"),
  sequence,
  timestamp: "2026-08-16T12:00:00.000Z",
  provider: "claude" as const,
  redactions: []
})
const resultAt = (sequence: number) =>
  ({ ...placeAt(sequence), kind: "tool_result", payload: { tool_name: "Bash" } }) as const
const answerAt = (sequence: number) =>
  ({ ...placeAt(sequence), kind: "assistant_message", payload: { text: `a${sequence}`, final: false } }) as const
