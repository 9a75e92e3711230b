import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { inject } from "vitest"
import { start as begin, deliver, prompt } from "../support/claudeDeliveries.ts"
import { endOf, type Program, run, start } from "../support/program.ts"
import { recordingUser, snapshot, type TestUser } from "../support/recording.ts"

const built = inject("builtProgram")
const programs: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
  ["on Node", [process.execPath, path.join(built, "main.mjs")]],
  ["compiled", [path.join(built, "lint-ai")]]
]

const programOf = (command: ReadonlyArray<string>, user: TestUser, args: ReadonlyArray<string>): Program => ({
  command: command[0] ?? "",
  args: [...command.slice(1), ...args],
  cwd: user.project,
  env: { ...user.env, PATH: process.env.PATH ?? "" }
})

describe("commands that go on until they are told to end", () => {
  for (const [name, command] of programs) {
    it.live(`watch tells each event as it is recorded, changes nothing and ends with Ctrl-C, ${name}`, () =>
      Effect.gen(function* () {
        const user = yield* recordingUser
        yield* deliver(user, "s1", [begin])
        const before = snapshot(user.project)
        const program = programOf(command, user, ["watch", "--json"])
        const watching = yield* start(program)
        assert.strictEqual(JSON.parse(yield* watching.nextLine).type, "session")
        assert.deepStrictEqual(snapshot(user.project), before)
        yield* deliver(user, "s1", [prompt(1, "hello")])
        const event = JSON.parse(yield* watching.nextLine)
        assert.strictEqual(event.summary, "hello")
        yield* watching.signal("SIGINT")
        assert.strictEqual((yield* endOf(program, watching)).exitCode, 130)
      }).pipe(Effect.scoped)
    )

    it.live(`ui prints an address that lets one browser in, and ends with Ctrl-C, ${name}`, () =>
      Effect.gen(function* () {
        const user = yield* recordingUser
        yield* deliver(user, "s1", [begin, prompt(1)])
        const program = programOf(command, user, ["ui"])
        const serving = yield* start(program)
        yield* serving.nextLine
        const url = yield* serving.nextLine
        assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/enter\/[0-9a-f]{64}$/)
        const entered = yield* Effect.promise(() => fetch(url))
        const cookie = (entered.headers.get("set-cookie") ?? "").split(";")[0] ?? ""
        const base = /url=([^"]+)/.exec(yield* Effect.promise(() => entered.text()))?.[1] ?? ""
        const page = yield* Effect.promise(() => fetch(new URL(base, url), { headers: { cookie } }))
        assert.strictEqual(page.status, 200)
        const list = yield* Effect.promise(() => fetch(new URL(`${base}sessions`, url), { headers: { cookie } }))
        assert.strictEqual(JSON.parse(yield* Effect.promise(() => list.text())).sessions[0].session_id, "claude:s1")
        assert.strictEqual((yield* Effect.promise(() => fetch(url))).status, 403, "the address was used")
        // Whoever listens does not keep it from ending.
        const listening = yield* Effect.promise(() => fetch(new URL(`${base}live`, url), { headers: { cookie } }))
        assert.strictEqual(listening.headers.get("content-type"), "text/event-stream; charset=utf-8")
        yield* serving.signal("SIGINT")
        assert.strictEqual((yield* endOf(program, serving)).exitCode, 130)
        yield* Effect.promise(() => listening.text().catch(() => ""))
      }).pipe(Effect.scoped)
    )
  }

  it.live("a reader that has enough of an output ends the program without a word", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      yield* deliver(user, "s1", [begin])
      const [, [node = "", main = ""] = []] = programs[0] ?? []
      let number = 0
      // What the program cannot write any more is the event after the line that was read.
      const goesOn = Effect.forever(
        Effect.andThen(
          Effect.sleep("300 millis"),
          Effect.suspend(() => deliver(user, "s1", [prompt(++number)]))
        )
      )
      const ended = yield* run({
        command: "/bin/sh",
        args: ["-c", `"${node}" "${main}" watch --json | head -n 1`],
        cwd: user.project,
        env: { ...user.env, PATH: process.env.PATH ?? "" }
      }).pipe(Effect.raceFirst(goesOn))
      assert.strictEqual(ended.stderr, "")
      assert.strictEqual(JSON.parse(ended.stdout.split("\n")[0] ?? "").type, "session")
    }).pipe(Effect.scoped)
  )
})
