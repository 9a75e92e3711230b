import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { listArchives } from "../../src/archive/readArchive.ts"
import { SessionArchive } from "../../src/archive/SessionArchive.ts"
import { sessionsRoot } from "../../src/archive/sessionDirectory.ts"
import { stopRecording } from "../../src/control/switches.ts"
import type { Manifest } from "../../src/domain/manifest.ts"
import { Processes } from "../../src/platform/Processes.ts"
import { append, ended, eventOf, filesOf, prompt, started } from "../support/events.ts"
import { machineOf, manifestOf, newUser, type TestUser } from "../support/recording.ts"

const statusOf = (user: TestUser) => manifestOf(filesOf(user).manifest).status
const shown = (user: TestUser) =>
  Effect.map(listArchives(sessionsRoot(user.project, "claude")), ({ sessions }) => sessions[0]?.status)

/** A replay that this process runs: two prompts, each in a run of the agent of its own. */
const replay = Effect.fnUntraced(function* (user: TestUser, more: Partial<Manifest> = {}) {
  const processes = yield* Processes
  const opening = {
    provider: "claude",
    project_root: user.project,
    recording_mode: "capture-only",
    run_type: "replay",
    agent_process: yield* processes.self,
    ...more
  } as const
  const request = { opening: Effect.succeed(opening) }
  yield* append(user, [eventOf("provider_event", "begin", { name: "replay" })], request)
  yield* append(user, [started(), prompt("p"), ended()])
  yield* append(user, [started(), prompt("q"), ended()])
})

const gone = { pid: 1, start: "0", boot: "another", namespace: "", host: "test-host" }

describe("the archive of a replay", () => {
  it.live("is not over when its agent is, but when the one who replays says so", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* Effect.gen(function* () {
        yield* replay(user)
        assert.strictEqual(statusOf(user), "active")
        assert.strictEqual(yield* shown(user), "active")
        const end = eventOf("provider_event", "end", { name: "replay" }, { timestamp: "2026-08-16T12:05:00.000Z" })
        yield* append(user, [ended(), end], {
          changes: (before) => ({ status: "failed", ended_at: end.timestamp, prompt_count: before.event_count })
        })
        assert.deepInclude<object>(manifestOf(filesOf(user).manifest), {
          status: "failed",
          ended_at: "2026-08-16T12:05:00.000Z",
          prompt_count: 7,
          event_count: 8
        })
        assert.isTrue(fs.existsSync(filesOf(user).checksums))
      }).pipe(Effect.provide(machineOf(user)))
    }).pipe(Effect.scoped)
  )

  it.live("is shown as incomplete when that one was killed, also after a recovery", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const host = { hostname: "test-host" }
      yield* Effect.gen(function* () {
        const archive = yield* SessionArchive
        yield* replay(user, { agent_process: gone })
        assert.strictEqual(yield* shown(user), "incomplete")
        yield* archive.recover(filesOf(user).directory)
        assert.strictEqual(yield* shown(user), "incomplete")
      }).pipe(Effect.provide(machineOf(user, { host })))
    }).pipe(Effect.scoped)
  )

  it.live("goes on while it runs, when recording is turned off for the project", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* Effect.gen(function* () {
        yield* replay(user)
        const stopped = yield* stopRecording(user.project, "claude")
        assert.deepStrictEqual(stopped.closed, [])
        assert.strictEqual(statusOf(user), "active")
      }).pipe(Effect.provide(machineOf(user)))
    }).pipe(Effect.scoped)
  )
})
