import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readManifest } from "../../src/archive/manifestFile.ts"
import { spool } from "../../src/archive/spool.ts"
import { eventsSince, type Followed, newestEvents } from "../../src/live/followLog.ts"
import { deliver, prompt, start } from "../support/claudeDeliveries.ts"
import { claudeArchive, machineOf, recordingUser, snapshot, type TestUser } from "../support/recording.ts"

const logOf = Effect.fn(function* (user: TestUser) {
  const files = claudeArchive(user, "s1")
  const reading = yield* readManifest(files.manifest)
  if (reading._tag !== "Manifest") throw new Error("no manifest")
  return { ...files, content: reading.manifest }
})
const sequences = (followed: Followed) =>
  followed.events.map(({ event, spooled }) => (spooled ? "spool" : event.sequence))

const withLog = <A, E, R>(
  use: (user: TestUser, log: Effect.Success<ReturnType<typeof logOf>>) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const user = yield* recordingUser
    yield* deliver(user, "s1", [start, prompt(1), prompt(2)])
    return yield* Effect.flatMap(logOf(user), (log) => use(user, log)).pipe(Effect.provide(machineOf(user)))
  }).pipe(Effect.scoped)

describe("a log that is followed", () => {
  it.live("gives its newest events, then each new one once, and is not changed by it", () =>
    withLog((user, log) =>
      Effect.gen(function* () {
        const first = yield* newestEvents(log.directory, log.content, 2)
        assert.deepStrictEqual(sequences(first), [2, 3])
        const nothing = yield* eventsSince(log.directory, log.content, first.position)
        assert.deepStrictEqual(sequences(nothing), [])
        yield* deliver(user, "s1", [prompt(3)])
        const before = snapshot(log.directory)
        const more = yield* eventsSince(log.directory, log.content, nothing.position)
        assert.deepStrictEqual(sequences(more), [4])
        assert.deepStrictEqual(sequences(yield* eventsSince(log.directory, log.content, more.position)), [])
        assert.deepStrictEqual(snapshot(log.directory), before)
      })
    )
  )

  it.live("tells a line that is still being written when it is whole, and one without its newline only once", () =>
    withLog((user, log) =>
      Effect.gen(function* () {
        yield* deliver(user, "s1", [prompt(3)])
        const bytes = fs.readFileSync(log.events)
        const last = bytes.lastIndexOf("\n", bytes.length - 2) + 1
        fs.truncateSync(log.events, last)
        const { position } = yield* newestEvents(log.directory, log.content, 1)
        fs.writeFileSync(log.events, bytes.subarray(0, last + 40))
        const half = yield* eventsSince(log.directory, log.content, position)
        assert.deepStrictEqual(sequences(half), [])
        fs.writeFileSync(log.events, bytes.subarray(0, bytes.length - 1))
        const whole = yield* eventsSince(log.directory, log.content, half.position)
        assert.deepStrictEqual(sequences(whole), [4])
        fs.writeFileSync(log.events, bytes)
        assert.deepStrictEqual(sequences(yield* eventsSince(log.directory, log.content, whole.position)), [])
      })
    )
  )

  it.live("that was shortened says so and goes on with what is written after that", () =>
    withLog((user, log) =>
      Effect.gen(function* () {
        const { position } = yield* newestEvents(log.directory, log.content, 1)
        const bytes = fs.readFileSync(log.events)
        fs.truncateSync(log.events, bytes.indexOf("\n") + 1)
        const cut = yield* eventsSince(log.directory, log.content, position)
        assert.isTrue(cut.cut)
        assert.deepStrictEqual(sequences(cut), [])
        yield* deliver(user, "s1", [prompt(3)])
        const on = yield* eventsSince(log.directory, log.content, cut.position)
        // The recorder says that events are gone, then adds its own.
        assert.deepStrictEqual(
          on.events.map(({ event }) => event.kind),
          ["provider_event", "user_prompt"]
        )
      })
    )
  )

  it.live("whose file was replaced is told from its beginning", () =>
    withLog((_user, log) =>
      Effect.gen(function* () {
        const { position } = yield* newestEvents(log.directory, log.content, 1)
        const bytes = fs.readFileSync(log.events)
        fs.writeFileSync(`${log.events}.new`, bytes)
        fs.renameSync(`${log.events}.new`, log.events)
        const again = yield* eventsSince(log.directory, log.content, position)
        assert.isTrue(again.cut)
        assert.deepStrictEqual(sequences(again), [1, 2, 3])
        fs.rmSync(log.events)
        const gone = yield* eventsSince(log.directory, log.content, again.position)
        assert.isTrue(gone.cut)
        assert.isFalse((yield* eventsSince(log.directory, log.content, gone.position)).cut)
      })
    )
  )

  it.live("tells an event in the spool at once and not again when a writer takes it in", () =>
    withLog((user, log) =>
      Effect.gen(function* () {
        const { position } = yield* newestEvents(log.directory, log.content, 1)
        yield* spool(log.spool, [
          {
            identity: "x",
            timestamp: "2026-01-01T00:00:00.000Z",
            kind: "user_prompt",
            payload: { text: "late", origin: "user" },
            redactions: []
          }
        ])
        const early = yield* eventsSince(log.directory, log.content, position)
        assert.deepStrictEqual(sequences(early), ["spool"])
        assert.strictEqual(early.spooledCount, 1)
        const still = yield* eventsSince(log.directory, log.content, early.position)
        assert.deepStrictEqual(sequences(still), [])
        yield* deliver(user, "s1", [prompt(3)])
        const drained = yield* eventsSince(log.directory, log.content, still.position)
        assert.deepStrictEqual(
          drained.events.map(({ event }) => event.kind),
          ["provider_event", "user_prompt"],
          "the gap that the recorder names, and the new prompt"
        )
        assert.strictEqual(drained.spooledCount, 0)
      })
    )
  )

  it.live("gives the newest events of a log of any size from its end", () =>
    withLog((user, log) =>
      Effect.gen(function* () {
        const line = fs.readFileSync(log.events, "utf8").split("\n")[1] ?? ""
        const event = JSON.parse(line)
        const many = Array.from({ length: 3_000 }, (_, at) => {
          const payload = { ...event.payload, text: "x".repeat(400) }
          return `${JSON.stringify({ ...event, sequence: at + 1, event_id: `evt_${at}`, payload })}\n`
        })
        fs.writeFileSync(log.events, many.join(""))
        assert.isAbove(fs.statSync(log.events).size, 1_000_000)
        const newest = yield* newestEvents(log.directory, log.content, 3)
        assert.deepStrictEqual(sequences(newest), [2998, 2999, 3000])
        const most = yield* newestEvents(log.directory, log.content, 2_500)
        assert.strictEqual(most.events.length, 2_500)
        assert.strictEqual(user.project.length > 0, true)
      })
    )
  )
})
