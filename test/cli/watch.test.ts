import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import { WatchLine, WatchView } from "../../src/live/watchSchema.ts"
import { Screen } from "../../src/platform/Screen.ts"
import { call, deliver, end, prompt, start } from "../support/claudeDeliveries.ts"
import { runCommand } from "../support/cli.ts"
import { recordingUser, type TestUser } from "../support/recording.ts"

/** Runs `watch` with arguments until the scope ends; what it writes to stdout comes piece by piece. */
const watch = Effect.fn(function* (user: TestUser, args: ReadonlyArray<string>) {
  const written = yield* Queue.unbounded<string>()
  const screen = Layer.effect(
    Screen,
    Effect.map(Screen, (one) => Screen.of({ ...one, out: (text) => Effect.asVoid(Queue.offer(written, text)) }))
  ).pipe(Layer.provide(Screen.layerTest({ out: [], err: [] })))
  const fiber = yield* Effect.forkScoped(runCommand(user, ["watch", ...args], { screen }))
  let rest: ReadonlyArray<string> = []
  const nextLine = Effect.gen(function* () {
    while (rest.length === 0) rest = (yield* Queue.take(written)).split("\n").slice(0, -1)
    const [line = "", ...others] = rest
    rest = others
    return line
  })
  return { nextLine, stop: Fiber.interrupt(fiber) }
})

const decodeLine = Schema.decodeUnknownSync(Schema.fromJsonString(WatchLine))
const decodeView = Schema.decodeUnknownSync(Schema.fromJsonString(WatchView))

describe("watch", () => {
  it.live("--once shows the active sessions and ends", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      assert.include((yield* runCommand(user, ["watch", "--once"])).out, "No session is being recorded")
      yield* deliver(user, "gone", [start, end])
      yield* deliver(user, "s1", [start, call(1)])
      const run = yield* runCommand(user, ["watch", "--once"], { columns: 60 })
      assert.match(run.out, /\nclaude:s1 +tool_call +Bash /)
      assert.notInclude(run.out, "gone")
      const view = decodeView((yield* runCommand(user, ["watch", "--once", "--json"])).out)
      assert.strictEqual(view.project, user.project)
      assert.deepStrictEqual(
        view.sessions.map((one) => [one.session_id, one.event_count, one.newest?.tool_name, one.hooks.count]),
        [["claude:s1", 2, "Bash", 2]]
      )
    }).pipe(Effect.scoped)
  )

  it.live("prints a line for each event of every session where stdout is no terminal", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      yield* deliver(user, "s1", [start])
      const { nextLine } = yield* watch(user, [])
      assert.match(yield* nextLine, /^claude:s1 {2}active, 1 event/)
      yield* deliver(user, "s1", [prompt(1, "hello\nthere")])
      assert.match(yield* nextLine, /claude:s1 {2}#2 +user_prompt +hello there/)
      yield* deliver(user, "s2", [start])
      assert.match(yield* nextLine, /^claude:s2 {2}active/)
      assert.match(yield* nextLine, /claude:s2 {2}#1 +session_start/)
      yield* deliver(user, "s1", [end])
      assert.match(yield* nextLine, /claude:s1 {2}#3 +session_end +other/)
      assert.match(yield* nextLine, /^claude:s1 {2}is not recorded any more: completed$/)
    }).pipe(Effect.scoped)
  )

  it.live("--json prints one object of its schema on each line", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      yield* deliver(user, "s1", [start])
      const { nextLine } = yield* watch(user, ["--json"])
      assert.strictEqual(decodeLine(yield* nextLine).type, "session")
      yield* deliver(user, "s1", [prompt(1), end])
      const types: Array<string> = []
      while (types.at(-1) !== "left") types.push(decodeLine(yield* nextLine).type)
      assert.deepStrictEqual(types, ["event", "event", "left"])
    }).pipe(Effect.scoped)
  )

  it.live("--follow begins with the last events of one session and goes on with its new ones alone", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      yield* deliver(user, "s1", [start, prompt(1), end])
      yield* deliver(user, "s2", [start])
      const { nextLine, stop } = yield* watch(user, ["--follow", "s1", "--last", "2"])
      assert.match(yield* nextLine, /^claude:s1 {2}completed, 3 events/)
      assert.match(yield* nextLine, /^\S+ {2}#2 +user_prompt +prompt 1/)
      assert.match(yield* nextLine, /^\S+ {2}#3 +session_end/)
      yield* deliver(user, "s2", [prompt(7)])
      yield* deliver(user, "s1", [{ ...start, source: "resume" }])
      assert.match(yield* nextLine, /^\S+ {2}#4 +session_start +resume/)
      yield* stop
      assert.strictEqual((yield* runCommand(user, ["watch", "--follow", "nobody"])).failure, "SessionNotFound")
    }).pipe(Effect.scoped)
  )
})
