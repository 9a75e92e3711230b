import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { gapName } from "../../src/archive/gap.ts"
import { LockService } from "../../src/archive/LockService.ts"
import { SessionArchive } from "../../src/archive/SessionArchive.ts"
import { verifyArchive } from "../../src/evidence/verify.ts"
import { answered, append, ended, filesOf, prompt, started } from "../support/events.ts"
import { machineOf, newUser, strictEvents, type TestUser } from "../support/recording.ts"

const gapsOf = (user: TestUser) =>
  strictEvents(filesOf(user).events).flatMap((event) =>
    event.kind === "provider_event" && event.payload.name === gapName ? [[event.sequence, event.payload.fields]] : []
  )

const spooled = (user: TestUser, ...events: Parameters<typeof append>[1]) =>
  Effect.flatMap(LockService, (locks) => locks.hold(filesOf(user).lock, 0, append(user, events, { lockWaitMs: 1 })))

describe("a gap in a record", () => {
  it.live("is named in the chain after what came late", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* Effect.gen(function* () {
        yield* append(user, [started()])
        yield* spooled(user, prompt("a"), prompt("b"))
        yield* spooled(user, prompt("c"))
        yield* append(user, [answered("d")])
        assert.deepStrictEqual(gapsOf(user), [[5, { cause: "spooled", deliveries: 2, events: 3 }]])
        const verification = yield* verifyArchive(filesOf(user).directory)
        assert.deepInclude(verification, { verdict: "complete", reasons: [] })
        assert.deepStrictEqual(verification?.gaps, [{ sequence: 5, cause: "spooled", deliveries: 2, events: 3 }])
      }).pipe(Effect.provide(machineOf(user)))
    })
  )

  it.live("stands before an end that came late, so that the end stays the last", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* Effect.gen(function* () {
        const archive = yield* SessionArchive
        yield* append(user, [started()])
        yield* spooled(user, prompt("a"), ended())
        yield* archive.recover(filesOf(user).directory)
        assert.deepStrictEqual(gapsOf(user), [[3, { cause: "spooled", deliveries: 1, events: 2 }]])
        yield* append(user, [ended("again", "logout")])
        assert.strictEqual(strictEvents(filesOf(user).events).at(-1)?.kind, "session_end")
        assert.strictEqual(strictEvents(filesOf(user).events).length, 4)
      }).pipe(Effect.provide(machineOf(user)))
    })
  )

  it.live("is none where the late delivery is in the log already", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* Effect.gen(function* () {
        yield* append(user, [started(), prompt("a")])
        yield* spooled(user, prompt("a"))
        yield* append(user, [answered("b")])
        assert.deepStrictEqual(gapsOf(user), [])
      }).pipe(Effect.provide(machineOf(user)))
    })
  )

  it.live("names the events that are gone, for ever, whatever happens to recovery.json", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* Effect.gen(function* () {
        const archive = yield* SessionArchive
        const { directory, events, recovery } = filesOf(user)
        yield* append(user, [started(), prompt("a"), prompt("b"), prompt("c")])
        fs.truncateSync(events, fs.readFileSync(events).indexOf("\n") + 1)
        yield* archive.recover(directory)
        yield* append(user, [answered("d")])
        fs.rmSync(recovery)
        assert.deepStrictEqual(gapsOf(user), [[5, { cause: "missing", from: 2, to: 4 }]])
        const verification = yield* verifyArchive(directory)
        assert.deepInclude(verification, { verdict: "broken", broken_at: 2 })
      }).pipe(Effect.provide(machineOf(user)))
    })
  )
})
