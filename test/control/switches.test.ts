import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { disable, enable, startRecording, stopRecording, togglesNow } from "../../src/control/switches.ts"
import { Toggles } from "../../src/control/Toggles.ts"
import { recordingMode } from "../../src/domain/mode.ts"
import { providers } from "../../src/domain/provider.ts"
import { machineOf, newUser, type TestUser } from "../support/recording.ts"

const asUser = <A, E, R>(use: (user: TestUser) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(newUser, (user) => Effect.provide(use(user), machineOf(user)))

describe("the switches", () => {
  it.live("turn recording on with memory, and memory off without recording", () =>
    asUser((user) =>
      Effect.gen(function* () {
        assert.deepInclude(yield* enable(user.project, "claude"), { memory: true, recording: true, mode: "assist" })
        const after = yield* disable(user.project, "claude")
        assert.deepInclude(after, { memory: false, recording: true })
        assert.strictEqual(recordingMode(after), "capture-only")
      })
    )
  )

  it.live("start recording as capture-only, and stop it without touching memory", () =>
    asUser((user) =>
      Effect.gen(function* () {
        assert.deepInclude(yield* startRecording(user.project, "claude"), { memory: false, mode: "capture-only" })
        yield* enable(user.project, "claude")
        const stopped = yield* stopRecording(user.project, "claude")
        assert.deepInclude(stopped.toggles, { memory: true, recording: false })
        assert.deepInclude(yield* startRecording(user.project, "claude"), { memory: true, mode: "assist" })
      })
    )
  )

  it.live("turn memory on with a recording that is started as assist", () =>
    asUser((user) =>
      Effect.gen(function* () {
        const after = yield* startRecording(user.project, "claude", { memory: true })
        assert.strictEqual(recordingMode(after), "assist")
      })
    )
  )

  it.live("keep an experiment's mode, and the place that was chosen for sessions", () =>
    asUser((user) =>
      Effect.gen(function* () {
        const toggles = yield* Toggles
        yield* toggles.change(user.project, "claude", () => ({ recording: true, memory: true, mode: "ab" }))
        yield* startRecording(user.project, "claude", { sessionRoot: path.join(user.directory, "elsewhere") })
        assert.deepInclude(yield* enable(user.project, "claude"), {
          mode: "ab",
          session_root: path.join(user.directory, "elsewhere")
        })
      })
    )
  )

  it.live("create nothing where there is nothing to turn off", () =>
    asUser((user) =>
      Effect.gen(function* () {
        yield* disable(user.project, "claude")
        yield* stopRecording(user.project, "claude")
        assert.isFalse(fs.existsSync(path.join(user.project, ".lint-ai")))
      })
    )
  )

  for (const [what, file] of [
    ["the state", (user: TestUser) => path.join(user.project, ".lint-ai", "state.json")],
    ["the keys", (user: TestUser) => path.join(user.config, "keys.json")]
  ] as const)
    it.live(`do not say that something is off where ${what} cannot be read`, () =>
      asUser((user) =>
        Effect.gen(function* () {
          yield* enable(user.project, "claude")
          const whole = fs.readFileSync(file(user))
          fs.writeFileSync(file(user), "{")
          assert.strictEqual((yield* Effect.flip(stopRecording(user.project, "claude")))._tag, "NotAdopted")
          assert.strictEqual((yield* Effect.flip(disable(user.project, "claude")))._tag, "NotAdopted")
          fs.writeFileSync(file(user), whole)
          assert.deepInclude(yield* togglesNow(user.project, "claude"), { memory: true, recording: true })
        })
      )
    )

  it.live("hold for one agent only", () =>
    asUser((user) =>
      Effect.gen(function* () {
        yield* enable(user.project, "codex")
        assert.deepInclude(yield* togglesNow(user.project, "claude"), { memory: false, recording: false })
      })
    )
  )

  it.live("lose none of fifty changes at once", () =>
    asUser((user) =>
      Effect.gen(function* () {
        const toggles = yield* Toggles
        const changes = Array.from({ length: 50 }, (_, index) => {
          const provider = providers[index % providers.length] ?? "claude"
          return toggles.change(user.project, provider, (before) => ({
            ...before,
            recording: true,
            session_root: `${before.session_root ?? "/"}x`
          }))
        })
        yield* Effect.all(changes, { concurrency: "unbounded" })
        const consent = yield* toggles.read(user.project)
        const marks = Object.values(consent._tag === "adopted" ? consent.providers : {}).map(
          (one) => (one.session_root ?? "/").length - 1
        )
        assert.strictEqual(
          marks.reduce((sum, count) => sum + count, 0),
          50
        )
      })
    )
  )
})
