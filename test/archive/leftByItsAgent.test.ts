import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readManifest } from "../../src/archive/manifestFile.ts"
import type { PreparedEvent } from "../../src/archive/preparedEvent.ts"
import { shownStatus } from "../../src/archive/readArchive.ts"
import { type SessionId, sessionId } from "../../src/domain/sessionId.ts"
import { endless } from "../../src/export/format.ts"
import { append, ended, eventOf, filesOf, prompt, session, started } from "../support/events.ts"
import { machineOf, newUser, type TestUser } from "../support/recording.ts"

const gone = { pid: 1, start: "0", boot: "another", namespace: "", host: "test-host" }
const other = { ...gone, pid: 2 }

/** A session that goes on in an agent that has gone by now. */
const run = (user: TestUser, id: SessionId, agent: typeof gone, events: ReadonlyArray<PreparedEvent>) =>
  append(user, events, {
    id,
    opening: Effect.succeed({
      provider: "claude",
      project_root: user.project,
      recording_mode: "capture-only",
      agent_process: agent
    }),
    changes: { agent_process: agent }
  })

const shown = (user: TestUser) =>
  Effect.gen(function* () {
    const files = filesOf(user)
    const reading = yield* readManifest(files.manifest)
    if (reading._tag !== "Manifest") return assert.fail(reading._tag)
    return yield* shownStatus(files.directory, reading.manifest)
  })

const at = (seconds: number) => ({ timestamp: `2026-08-16T12:00:0${seconds}.000Z` })
const first = [started("one"), prompt("p"), ended("one")]
const again = eventOf("session_start", "two", { source: "resume" }, { scope: "run", ...at(1) })
const fork = sessionId("claude", "fork")
const asked = (seconds: number) => eventOf("user_prompt", "f", { text: "f", origin: "user" }, at(seconds))

describe("a session that ended, and was begun again by an agent that has gone", () => {
  const check = (status: string, what: string, go: (user: TestUser) => ReadonlyArray<ReturnType<typeof run>>) =>
    it.live(`is ${status} where ${what}`, () =>
      Effect.gen(function* () {
        const user = yield* newUser
        yield* Effect.gen(function* () {
          for (const step of go(user)) yield* step
          assert.strictEqual(yield* shown(user), status)
        }).pipe(Effect.provide(machineOf(user, { host: { hostname: "test-host" } })))
      }).pipe(Effect.scoped)
    )

  check("completed", "that process went on with a fork at once", (user) => [
    run(user, session, other, first),
    run(user, session, gone, [again]),
    run(user, fork, gone, [asked(2), ended("f")])
  ])
  check("incomplete", "nothing else is known of that process", (user) => [
    run(user, session, other, first),
    run(user, session, gone, [again])
  ])
  check("incomplete", "another process began the other session", (user) => [
    run(user, session, other, first),
    run(user, session, gone, [again]),
    run(user, fork, other, [asked(2)])
  ])
  check("incomplete", "that process had the other session before", (user) => [
    run(user, fork, gone, [asked(0)]),
    run(user, session, other, first),
    run(user, session, gone, [again])
  ])
  check("incomplete", "something followed the beginning", (user) => [
    run(user, session, other, first),
    run(user, session, gone, [again, prompt("q")]),
    run(user, fork, gone, [asked(2)])
  ])
  check("incomplete", "it had not ended before", (user) => [
    run(user, session, gone, [again]),
    run(user, fork, gone, [asked(2)])
  ])

  it("has an end that is told so, and not as one that was never recorded", () => {
    assert.strictEqual(endless("completed"), "begun again since, and left")
    assert.strictEqual(endless("active"), "not yet")
    assert.strictEqual(endless("incomplete"), "no end was recorded")
    assert.strictEqual(endless("failed"), "no end was recorded")
  })
})
