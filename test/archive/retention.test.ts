import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { listArchives } from "../../src/archive/readArchive.ts"
import { archiveBytes, parseAge, parseSize, planPrune, type RetentionRules } from "../../src/archive/retention.ts"
import { SessionArchive } from "../../src/archive/SessionArchive.ts"
import { sessionsRoot } from "../../src/archive/sessionDirectory.ts"
import { sessionId } from "../../src/domain/sessionId.ts"
import { append, ended, filesOf, prompt, started } from "../support/events.ts"
import { machineOf, newUser, type TestUser } from "../support/recording.ts"

const day = (n: number) => `2026-08-${String(n).padStart(2, "0")}T12:00:00.000Z`
const ids = ["d1", "d2", "d3", "d4"].map((name) => sessionId("claude", name))

/** Four ended sessions, one a day; the second is larger. One that still runs. */
const recorded = (user: TestUser) =>
  Effect.gen(function* () {
    for (const [n, id] of ids.entries()) {
      const text = n === 1 ? "x".repeat(5_000) : "short"
      const events = [started(), prompt("p", text), ended()].map((event) => ({ ...event, timestamp: day(n + 1) }))
      yield* append(user, events, { id })
    }
    const events = [{ ...started(), timestamp: day(1) }]
    const agent = { pid: process.pid, start: "", boot: "", namespace: "", host: "" }
    yield* append(user, events, { id: sessionId("claude", "running"), changes: { agent_process: agent } })
  })

const plan = (user: TestUser, rules: RetentionRules) =>
  Effect.gen(function* () {
    const { sessions } = yield* listArchives(sessionsRoot(user.project, "claude"))
    const made = yield* planPrune(
      sessions.map((one) =>
        one.manifest.session_id === "claude:running" ? { ...one, status: "active" as const } : one
      ),
      rules,
      Date.parse(day(5))
    )
    return made.remove.map(({ session, reason }) => `${session.manifest.session_id.slice(7)} ${reason}`)
  })

const dayMs = 86_400_000

describe("pruning", () => {
  it.effect("takes sessions by age, number and size, the oldest first, and none that still runs", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* Effect.gen(function* () {
        yield* recorded(user)
        const size = (n: number) => archiveBytes(filesOf(user, ids[n]).directory)
        assert.deepStrictEqual(yield* plan(user, { olderThanMs: 2.5 * dayMs }), ["d2 age", "d1 age"])
        assert.deepStrictEqual(yield* plan(user, { olderThanMs: 2.5 * dayMs, keep: 3 }), ["d1 age"])
        assert.deepStrictEqual(yield* plan(user, { keep: 1 }), ["d3 number", "d2 number", "d1 number"])
        assert.deepStrictEqual(yield* plan(user, { keep: 9 }), [])
        const both = (yield* size(3)) + (yield* size(2))
        assert.deepStrictEqual(yield* plan(user, { maxBytes: both }), ["d2 size", "d1 size"])
        // What is too large goes; an older one that still fits stays.
        assert.deepStrictEqual(yield* plan(user, { maxBytes: both + (yield* size(0)) }), ["d2 size"])
        assert.deepStrictEqual(yield* plan(user, { maxBytes: 0, keep: 2 }), ["d2 size", "d1 size"])
        assert.deepStrictEqual(yield* plan(user, {}), [])
      }).pipe(Effect.provide(machineOf(user)))
    })
  )

  it.effect("spares the baseline of a replay", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* Effect.gen(function* () {
        yield* recorded(user)
        const archive = yield* SessionArchive
        yield* archive.freeze(filesOf(user, ids[0]).directory)
        assert.deepStrictEqual(yield* plan(user, { keep: 0 }), ["d4 number", "d3 number", "d2 number"])
        assert.isTrue(fs.existsSync(filesOf(user, ids[0]).directory))
      }).pipe(Effect.provide(machineOf(user)))
    })
  )

  it("reads ages and sizes as people write them", () => {
    assert.deepStrictEqual(["90m", "12h", "30d", "2w"].map(parseAge), [5.4e6, 4.32e7, 30 * dayMs, 14 * dayMs])
    assert.deepStrictEqual(["", "d", "-1d", "1y", "1.5d", "1 d 2h"].map(parseAge), Array(6).fill(undefined))
    assert.deepStrictEqual(["100", "2kb", "1.5 MB", "2GiB", "1TB"].map(parseSize), [100, 2000, 1.5e6, 2 ** 31, 1e12])
    assert.deepStrictEqual(["", "-1", "1XB", "MB", "1e9"].map(parseSize), Array(5).fill(undefined))
  })
})
