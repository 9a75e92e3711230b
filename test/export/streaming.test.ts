import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { agentTrace } from "../../src/export/agentTrace.ts"
import { atif } from "../../src/export/atif.ts"
import { exportArchive, type Format, streamed } from "../../src/export/Exporter.ts"
import { jsonl } from "../../src/export/jsonl.ts"
import { markdown } from "../../src/export/markdown.ts"
import { otlp } from "../../src/export/otlp.ts"
import { append, ended, eventOf, filesOf, prompt, started } from "../support/events.ts"
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

const formats: Readonly<Record<string, Format>> = {
  jsonl: streamed(jsonl),
  markdown: streamed(markdown),
  atif,
  otlp: otlp({ content: true, openInference: true }),
  "agent-trace": agentTrace
}

describe("exporting a long session", () => {
  for (const [name, format] of Object.entries(formats)) {
    it.effect(`gives pieces of bounded size, not the whole: ${name}`, () =>
      Effect.gen(function* () {
        const user = yield* newUser
        yield* Effect.gen(function* () {
          const { directory, events } = yield* long(user)
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
