import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Chunk, type SessionDocument, SessionOutline } from "../../src/viewer/document.ts"
import { sessionHtml } from "../../src/viewer/html.ts"
import { sessionDocument } from "../../src/viewer/sessionDocument.ts"
import { everySession } from "../export/everySession.ts"
import { exampleSession } from "../export/example.ts"
import { record } from "../export/sessions.ts"
import { append, eventOf, filesOf, prompt, started } from "../support/events.ts"
import { machineOf, newUser } from "../support/recording.ts"

/** The document of a session of the example. */
const example = Effect.gen(function* () {
  const user = yield* newUser
  return yield* exampleSession(user).pipe(Effect.flatMap(sessionDocument), Effect.provide(machineOf(user)))
})

const lines = ({ outline }: SessionDocument) =>
  outline.entries.map((entry) =>
    [
      entry.kind,
      entry.name ?? "",
      entry.outcome ?? "",
      entry.agent === undefined ? "" : (outline.agents[entry.agent]?.type ?? ""),
      entry.turn === undefined ? "" : `turn ${entry.turn + 1}`
    ]
      .filter((word) => word !== "")
      .join(" ")
  )

describe("the document of a session", () => {
  it.effect("pairs calls with their ends, in the order of their beginnings, and says in which turn and agent", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(lines(yield* example), [
        "start startup",
        "prompt user turn 1",
        "tool Bash failed turn 1",
        "tool Read succeeded turn 1",
        "tool Nonsense invalid turn 1",
        "tool Agent succeeded turn 1",
        "subagent began Explore turn 1",
        "tool Bash succeeded Explore turn 1",
        "subagent ended Explore turn 1",
        "tool Edit succeeded turn 1",
        "compaction after turn 1",
        "answer turn 1",
        "usage claude-transcript turn 1",
        "usage hook-payload turn 1",
        "prompt user turn 2",
        "answer The service is overloaded. failed turn 2",
        "end other turn 2"
      ])
    })
  )

  it.effect("counts tokens of one source, for each call and each turn", () =>
    Effect.gen(function* () {
      const { outline } = yield* example
      assert.strictEqual(outline.calls.length, 7)
      assert.deepInclude(outline.calls[0], { input: 10, output: 5, cache_read: 90, cache_write: 0 })
      assert.deepStrictEqual(
        outline.turns.map(({ tokens, tools, failures }) => ({ tokens, tools, failures })),
        [
          { tokens: 209, tools: 6, failures: 2 },
          { tokens: 0, tools: 0, failures: 0 }
        ]
      )
    })
  )

  it.effect("has the events behind each entry in its chunk", () =>
    Effect.gen(function* () {
      const { chunks, outline } = yield* example
      const details = chunks.flat()
      assert.strictEqual(details.length, outline.entries.length)
      outline.entries.forEach((entry, index) => {
        const sequences = details[index]?.map(({ sequence }) => sequence)
        assert.deepStrictEqual(
          sequences,
          [entry.sequence, entry.end_sequence].filter((one) => one !== undefined)
        )
      })
    })
  )

  for (const [name, provider, payloads] of everySession) {
    it.effect(`is what its schema says, and loses no event: ${name}`, () =>
      Effect.gen(function* () {
        const user = yield* newUser
        yield* Effect.gen(function* () {
          for (const archive of yield* record(user, provider, payloads)) {
            const { chunks, outline } = yield* sessionDocument(archive)
            // As it comes out of the page.
            const read = JSON.parse(JSON.stringify({ outline, chunks }))
            assert.deepStrictEqual(
              Schema.decodeUnknownSync(SessionOutline, { onExcessProperty: "error" })(read.outline),
              outline
            )
            assert.deepStrictEqual(
              Schema.decodeUnknownSync(Schema.Array(Chunk), { onExcessProperty: "error" })(read.chunks),
              chunks
            )
            const sequences = chunks.flat(2).map(({ sequence }) => sequence)
            assert.strictEqual(new Set(sequences).size, sequences.length)
            assert.strictEqual(sequences.length, outline.card.event_count)
          }
        }).pipe(Effect.provide(machineOf(user)))
      })
    )
  }

  it.effect("nests an agent below the one that called for it, also where several work beside one another", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const call = (id: string, agent?: string) =>
        eventOf(
          "tool_call",
          id,
          { tool_name: "Agent", input: { prompt: id } },
          { provider_ids: { tool_use_id: id, ...(agent === undefined ? {} : { agent_id: agent }) } }
        )
      const begins = (agent: string) =>
        eventOf("subagent_start", agent, { agent_type: agent }, { provider_ids: { agent_id: agent } })
      yield* Effect.gen(function* () {
        yield* append(user, [
          started(),
          call("c1"),
          call("c2"),
          begins("first"),
          call("c3", "first"),
          begins("inner"),
          begins("second"),
          call("c4", "inner"),
          begins("innermost")
        ])
        const { outline } = yield* sessionDocument(filesOf(user).directory)
        assert.deepStrictEqual(
          outline.agents.map(({ type, depth }) => [type, depth]),
          [
            ["first", 1],
            ["inner", 2],
            ["second", 1],
            ["innermost", 3]
          ]
        )
      }).pipe(Effect.provide(machineOf(user)))
    })
  )

  it.effect("says what a gap is, and takes whatever stands in its fields", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const gaps = [
        { cause: "spooled", deliveries: 2, events: 3 },
        { cause: "missing", from: 5, to: 9 },
        { cause: "manifest" },
        { cause: "spooled", events: { toString: null } },
        null,
        "text"
      ]
      yield* Effect.gen(function* () {
        yield* append(user, [
          started(),
          ...gaps.map((fields, index) => eventOf("provider_event", `g${index}`, { name: "recording_gap", fields }))
        ])
        const { outline } = yield* sessionDocument(filesOf(user).directory)
        assert.deepStrictEqual(
          outline.entries.filter(({ kind }) => kind === "gap").map(({ summary }) => summary),
          [
            "3 events right before came later than they happened",
            "events 5 to 9 are gone, though they had been written",
            "manifest.json was changed by somebody else before this",
            "0 events right before came later than they happened",
            undefined,
            undefined
          ]
        )
      }).pipe(Effect.provide(machineOf(user)))
    })
  )

  it.effect("says what is not whole, and keeps its place where a piece of the log is damaged", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* Effect.gen(function* () {
        yield* append(user, [started(), prompt("p"), eventOf("tool_call", "c", { tool_name: "Bash" })])
        const files = filesOf(user)
        const log = fs.readFileSync(files.events, "utf8").split("\n")
        log.splice(1, 0, "not an event")
        fs.writeFileSync(files.events, log.join("\n"))
        const { outline } = yield* sessionDocument(files.directory)
        assert.deepStrictEqual(lines({ outline, chunks: [] }), [
          "start startup",
          "damage malformed",
          "prompt user turn 1",
          "tool Bash unresolved turn 1"
        ])
        assert.isFalse(outline.completeness.whole)
        assert.include(outline.completeness.notes, "1 damaged piece between the events.")
        assert.include(outline.completeness.notes, "1 tool call without a recorded end.")
        assert.strictEqual(outline.integrity?.verdict, "partial")
      }).pipe(Effect.provide(machineOf(user)))
    })
  )

  it.effect("becomes one file, whose size has a bound that the session does not have", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* Effect.gen(function* () {
        yield* append(user, [started(), prompt("p")])
        for (let n = 0; n < 7; n++) {
          yield* append(user, [
            eventOf(
              "tool_result",
              `r${n}`,
              { tool_name: "Bash", response: Array.from({ length: 40 }, () => "x".repeat(250_000)) },
              { provider_ids: { tool_use_id: `r${n}` } }
            )
          ])
        }
        const files = filesOf(user)
        const written = fs.statSync(files.events).size
        assert.isAbove(written, 64 * 2 ** 20)
        const { html } = yield* sessionHtml(files.directory)
        assert.isBelow(html.length, 60 * 2 ** 20)
      }).pipe(Effect.provide(machineOf(user)))
    })
  )
})
