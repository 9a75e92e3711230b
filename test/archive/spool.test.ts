import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { gapName } from "../../src/archive/gap.ts"
import { LockService } from "../../src/archive/LockService.ts"
import { readEvents } from "../../src/archive/readArchive.ts"
import { SessionArchive } from "../../src/archive/SessionArchive.ts"
import { verifyArchive } from "../../src/evidence/verify.ts"
import { append, ended, filesOf, prompt, started } from "../support/events.ts"
import { machineOf, manifestOf, newUser, snapshot, strictEvents, type TestUser } from "../support/recording.ts"

const test = (
  name: string,
  body: (user: TestUser) => Effect.Effect<unknown, unknown, Layer.Success<ReturnType<typeof machineOf>>>
) =>
  it.live(name, () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* body(user).pipe(Effect.provide(machineOf(user)))
    })
  )

/** Appends while a live process, this one, holds the session's lock. */
const appendLocked = (user: TestUser, ...events: Parameters<typeof append>[1]) =>
  Effect.gen(function* () {
    const locks = yield* LockService
    fs.mkdirSync(filesOf(user).directory, { recursive: true, mode: 0o700 })
    return yield* locks.hold(filesOf(user).lock, 0, append(user, events, { lockWaitMs: 10 }))
  })

/** The events of the log in words, without those that only say that others came late. */
const texts = (user: TestUser) =>
  strictEvents(filesOf(user).events)
    .filter((event) => event.kind !== "provider_event" || event.payload.name !== gapName)
    .map((event) => (event.kind === "user_prompt" ? event.payload.text : event.kind))

/** What a reader is told, in order: of the log, then of the spool. */
const read = (user: TestUser) =>
  Effect.gen(function* () {
    const told: Array<readonly [from: "log" | "spool", sequence: number, id: string]> = []
    yield* readEvents(filesOf(user).directory, manifestOf(filesOf(user).manifest), {
      record: (record) =>
        void (record._tag === "Event" && told.push(["log", record.event.sequence, record.event.event_id])),
      spooled: (event) => told.push(["spool", event.sequence, event.event_id])
    })
    return told
  })

describe("an event whose writer did not get the lock", () => {
  test("goes to the spool, as one file for its owner alone, and the log is not touched", (user) =>
    Effect.gen(function* () {
      yield* append(user, [started()])
      const { events, spool } = filesOf(user)
      const before = fs.readFileSync(events)
      const result = yield* appendLocked(user, prompt("a"), prompt("b"))
      assert.strictEqual(result._tag, "Spooled")
      assert.deepStrictEqual(fs.readFileSync(events), before)
      const [name = "", ...others] = fs.readdirSync(spool)
      assert.deepStrictEqual(others, [])
      assert.strictEqual(fs.statSync(spool).mode & 0o777, 0o700)
      assert.strictEqual(fs.statSync(path.join(spool, name)).mode & 0o777, 0o600)
    }))

  test("is shown by readers at once, with the place and id that the next writer gives it, and they change nothing", (user) =>
    Effect.gen(function* () {
      yield* append(user, [started()])
      yield* appendLocked(user, prompt("a"))
      yield* appendLocked(user, prompt("b"))
      const before = snapshot(filesOf(user).directory)
      const told = yield* read(user)
      assert.deepStrictEqual(
        told.map(([from, sequence]) => [from, sequence]),
        [
          ["log", 1],
          ["spool", 2],
          ["spool", 3]
        ]
      )
      assert.deepInclude(yield* verifyArchive(filesOf(user).directory), { verdict: "complete", spooled_count: 2 })
      assert.deepStrictEqual(snapshot(filesOf(user).directory), before)
      yield* append(user, [ended()])
      const after = yield* read(user)
      assert.deepStrictEqual(
        after.slice(0, 3).map(([, sequence, id]) => [sequence, id]),
        told.map(([, sequence, id]) => [sequence, id])
      )
      assert.isTrue(after.every(([from]) => from === "log"))
    }))

  test("is taken along by the next writer, before its own events and in order", (user) =>
    Effect.gen(function* () {
      yield* append(user, [started()])
      for (const name of ["a", "b", "c"]) yield* appendLocked(user, prompt(name))
      yield* append(user, [prompt("d")])
      assert.deepStrictEqual(texts(user), ["session_start", "a", "b", "c", "d"])
      assert.deepStrictEqual(fs.readdirSync(filesOf(user).spool), [])
      assert.strictEqual(manifestOf(filesOf(user).manifest).event_count, 6)
    }))

  test("is one event although the same delivery also reached the log, or waits twice", (user) =>
    Effect.gen(function* () {
      yield* append(user, [started(), prompt("a")])
      yield* appendLocked(user, prompt("a"))
      yield* appendLocked(user, prompt("b"))
      yield* appendLocked(user, prompt("b"))
      assert.deepStrictEqual((yield* read(user)).length, 3)
      yield* append(user, [prompt("b"), prompt("c")])
      assert.deepStrictEqual(texts(user), ["session_start", "a", "b", "c"])
    }))

  test("may be the first of its archive, which begins with it", (user) =>
    Effect.gen(function* () {
      yield* appendLocked(user, { ...started(), timestamp: "2026-08-16T11:59:59.000Z" })
      assert.isFalse(fs.existsSync(filesOf(user).events))
      yield* append(user, [prompt("a")])
      assert.deepStrictEqual(texts(user), ["session_start", "a"])
      // The chain begins with that moment, and a manifest that is lost is made again with it.
      assert.strictEqual(manifestOf(filesOf(user).manifest).started_at, "2026-08-16T11:59:59.000Z")
      fs.rmSync(filesOf(user).manifest)
      yield* append(user, [prompt("b")])
      assert.deepInclude(yield* verifyArchive(filesOf(user).directory), { verdict: "complete" })
    }))
})

describe("a spool", () => {
  test("of more deliveries than one writer takes is drained by those that follow", (user) =>
    Effect.gen(function* () {
      yield* append(user, [started()])
      const names = Array.from({ length: 70 }, (_, n) => `p${n}`)
      for (const name of names) yield* appendLocked(user, prompt(name))
      yield* append(user, [prompt("x")])
      assert.strictEqual(fs.readdirSync(filesOf(user).spool).length, 6)
      yield* append(user, [prompt("y")])
      const all = texts(user)
      assert.deepStrictEqual(
        all.filter((text) => text.startsWith("p")),
        names
      )
      assert.strictEqual(all.length, 73)
    }))

  test("is drained by recovery as a whole", (user) =>
    Effect.gen(function* () {
      const archive = yield* SessionArchive
      yield* append(user, [started()])
      for (let n = 0; n < 70; n++) yield* appendLocked(user, prompt(`p${n}`))
      const { directory, manifest, spool } = filesOf(user)
      assert.isTrue(yield* archive.isUnsettled(directory, manifestOf(manifest)))
      assert.deepInclude(yield* archive.recover(directory), { drained: 70, event_count: 73 })
      assert.deepStrictEqual(fs.readdirSync(spool), [])
      assert.isFalse(yield* archive.isUnsettled(directory, manifestOf(manifest)))
    }))

  test("keeps what is no delivery, and takes the rest", (user) =>
    Effect.gen(function* () {
      const archive = yield* SessionArchive
      yield* append(user, [started()])
      yield* appendLocked(user, prompt("a"))
      const { directory, manifest, spool } = filesOf(user)
      fs.writeFileSync(path.join(spool, "000000000000000-1-0.json"), '{"schema_version":1,"events":[{}]}')
      fs.writeFileSync(path.join(spool, "000000000000001-1-0.json.1-0.tmp"), "half")
      yield* append(user, [prompt("b")])
      assert.deepStrictEqual(texts(user), ["session_start", "a", "b"])
      assert.strictEqual(fs.readdirSync(spool).length, 2)
      assert.isFalse(yield* archive.isUnsettled(directory, manifestOf(manifest)))
    }))

  test("whose writer was killed before it removed what it had appended adds nothing twice", (user) =>
    Effect.gen(function* () {
      yield* append(user, [started()])
      yield* appendLocked(user, prompt("a"), ended())
      const { spool } = filesOf(user)
      const kept = snapshot(spool)
      yield* append(user, [])
      assert.deepStrictEqual(texts(user), ["session_start", "a", "session_end"])
      for (const [name, bytes] of Object.entries(kept)) fs.writeFileSync(path.join(spool, name), bytes, "latin1")
      yield* append(user, [ended()])
      assert.deepStrictEqual(texts(user), ["session_start", "a", "session_end"])
      assert.deepStrictEqual(fs.readdirSync(spool), [])
    }))

  test("that is a link leads nowhere", (user) =>
    Effect.gen(function* () {
      yield* append(user, [started()])
      const elsewhere = path.join(user.directory, "elsewhere")
      fs.mkdirSync(elsewhere)
      fs.symlinkSync(elsewhere, filesOf(user).spool)
      const error = yield* Effect.flip(appendLocked(user, prompt("a")))
      assert.deepInclude(error, { _tag: "UnsafePath" })
      assert.deepStrictEqual(fs.readdirSync(elsewhere), [])
    }))
})
