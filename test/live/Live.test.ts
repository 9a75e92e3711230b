import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { type Happening, openLive } from "../../src/live/Live.ts"
import { FileChanges } from "../../src/platform/FileChanges.ts"
import { call, deliver, end, prompt, start } from "../support/claudeDeliveries.ts"
import { claudeArchive, machineOf, recordingUser, type TestUser } from "../support/recording.ts"

type Live = Effect.Success<ReturnType<typeof openLive>>

const words = (happening: Happening): string => {
  const id = happening.session.manifest.session_id
  if (happening._tag === "event") return `${id} ${happening.followed.event.kind}`
  if (happening._tag === "left") return `${id} left ${happening.session.status}`
  return `${id} ${happening._tag}`
}

/** What happens until something happens in the words of `last`. */
const until = Effect.fn(function* (live: Live, last: string) {
  const told: Array<string> = []
  while (!told.includes(last)) {
    for (const happening of (yield* live.next).happenings) {
      told.push(words(happening))
      if (happening._tag === "appeared") {
        for (const { event } of happening.newest) {
          told.push(`${happening.session.manifest.session_id} ${event.kind}`)
        }
      }
    }
  }
  return told
})

const watching = <A, E, R>(changes: Layer.Layer<FileChanges>, use: (user: TestUser) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(recordingUser, (user) => use(user).pipe(Effect.provide([machineOf(user), changes]))).pipe(
    Effect.scoped
  )

describe("sessions that are watched", () => {
  for (const [name, changes] of [
    ["told by the file system", FileChanges.layer],
    ["found by time where that tells nothing", FileChanges.layerPolling]
  ] as const) {
    it.live(`appear, tell each event and leave, ${name}`, () =>
      watching(changes, (user) =>
        Effect.gen(function* () {
          const live = yield* openLive({ projectRoot: user.project }, { last: 0 })
          assert.deepStrictEqual((yield* live.first).sessions, [])
          yield* deliver(user, "s1", [start, prompt(1)])
          const begun = yield* until(live, "claude:s1 user_prompt")
          assert.deepStrictEqual(begun, ["claude:s1 appeared", "claude:s1 session_start", "claude:s1 user_prompt"])
          yield* deliver(user, "s1", [call(1)])
          assert.deepStrictEqual(yield* until(live, "claude:s1 tool_call"), ["claude:s1 tool_call"])
          yield* deliver(user, "s2", [start])
          yield* until(live, "claude:s2 session_start")
          yield* deliver(user, "s1", [end])
          assert.deepStrictEqual(yield* until(live, "claude:s1 left completed"), [
            "claude:s1 session_end",
            "claude:s1 left completed"
          ])
          yield* deliver(user, "s1", [{ ...start, source: "resume" }])
          assert.deepStrictEqual(yield* until(live, "claude:s1 session_start"), [
            "claude:s1 appeared",
            "claude:s1 session_start"
          ])
          fs.rmSync(claudeArchive(user, "s2").directory, { recursive: true })
          assert.deepStrictEqual(yield* until(live, "claude:s2 left active"), ["claude:s2 left active"])
        })
      )
    )
  }

  it.live("of another project, and those that have ended, are not told of", () =>
    watching(FileChanges.layer, (user) =>
      Effect.gen(function* () {
        yield* deliver(user, "old", [start, end])
        const live = yield* openLive({ projectRoot: user.project }, { last: 5 })
        assert.deepStrictEqual((yield* live.first).happenings, [])
        yield* deliver(user, "new", [start])
        assert.deepStrictEqual(yield* until(live, "claude:new session_start"), [
          "claude:new appeared",
          "claude:new session_start"
        ])
      })
    )
  )

  it.live("say what the hook took that recorded an event", () =>
    watching(FileChanges.layer, (user) =>
      Effect.gen(function* () {
        yield* deliver(user, "s1", [start])
        const live = yield* openLive({ projectRoot: user.project }, { last: 0 })
        yield* live.first
        yield* deliver(user, "s1", [prompt(1)])
        let told: number | undefined
        while (told === undefined) {
          const { happenings, sessions } = yield* live.next
          for (const one of happenings) if (one._tag === "event") told = one.hookMs ?? sessions[0]?.lastHookMs
        }
        assert.isAtLeast(told, 0)
      })
    )
  )

  it.live("one that has ended can be followed, with its last events first", () =>
    watching(FileChanges.layer, (user) =>
      Effect.gen(function* () {
        yield* deliver(user, "s1", [start, prompt(1), end])
        yield* deliver(user, "s2", [start])
        const { directory } = claudeArchive(user, "s1")
        const live = yield* openLive({ projectRoot: user.project }, { directory, last: 2 })
        const [appeared] = (yield* live.first).happenings
        assert.deepStrictEqual(appeared?._tag === "appeared" ? appeared.newest.map(({ event }) => event.kind) : [], [
          "user_prompt",
          "session_end"
        ])
        yield* deliver(user, "s2", [prompt(9)])
        yield* deliver(user, "s1", [{ ...start, source: "resume" }])
        assert.deepStrictEqual(yield* until(live, "claude:s1 session_start"), ["claude:s1 session_start"])
      })
    )
  )
})
