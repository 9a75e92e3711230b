import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { runCommand } from "../support/cli.ts"
import { machineOf, recordingUser, snapshot, type TestUser, userIn } from "../support/recording.ts"
import { recorded, script } from "./recorded.ts"

/** A baseline and two replays of it, each with another answer. */
const userWithReplays = Effect.tap(recordingUser, (user) =>
  Effect.gen(function* () {
    const session = (answer: string) => script().start().prompt("Which store?").answer(answer).usage(20).end().events
    yield* recorded(user, "base", session("It is the IndexStore."))
    const replay = { run_type: "replay", replay_of_session_id: "claude:base" as never } as const
    yield* recorded(user, "one", session("It is the PageStore."), { ...replay, arm: "off", lint_ai_enabled: false })
    yield* recorded(user, "two", session("The [REDACTED:token]."), { ...replay, arm: "on", lint_ai_enabled: true })
  }).pipe(Effect.provide(machineOf(user)))
)

const scenario = (user: TestUser) => {
  const file = path.join(user.directory, "s.json")
  fs.writeFileSync(
    file,
    JSON.stringify({
      schema_version: 1,
      id: "s",
      category: "session-review",
      setup_messages: [],
      continuation_prompt: "Which store?",
      expected_facts: [{ id: "store", match_any: ["IndexStore"] }],
      validators: [{ name: "t", command: ["touch", path.join(user.directory, "mark")] }],
      limits: { max_output_tokens: 100 }
    })
  )
  return file
}

const facts = (out: string) =>
  JSON.parse(out).arms.map(
    (arm: { readonly quality: { readonly expected: unknown } | null }) => arm.quality?.expected ?? null
  )
const passed = { passed: 1, failed: 0, unknown: 0 }
const failed = { passed: 0, failed: 1, unknown: 0 }
const unknown = { passed: 0, failed: 0, unknown: 1 }

describe("compare", () => {
  it.effect("judges each session by itself in passing, runs nothing and changes nothing", () =>
    Effect.gen(function* () {
      const user = yield* userWithReplays
      const before = snapshot(user.directory)
      const file = scenario(user)
      const run = yield* runCommand(user, ["compare", "base", "one", "two", "--scenario", file, "--json"])
      assert.isUndefined(run.failure, run.err)
      assert.deepStrictEqual(facts(run.out), [passed, failed, unknown])
      fs.rmSync(file)
      assert.deepStrictEqual(snapshot(user.directory), before)
    })
  )

  it.effect("tells what scenario run found, of the scenario that judged most of the sessions", () =>
    Effect.gen(function* () {
      const user = yield* userWithReplays
      const file = scenario(user)
      const none = yield* runCommand(user, ["compare", "base", "one", "--json"])
      assert.deepStrictEqual(facts(none.out), [null, null])
      for (const session of ["base", "one"]) yield* runCommand(user, ["scenario", "run", file, "--session", session])
      const run = yield* runCommand(user, ["compare", "base", "one", "two", "--json"])
      assert.deepStrictEqual(facts(run.out), [passed, failed, null])
    })
  )

  it.effect("takes no verdict from a project that is not this user's", () =>
    Effect.gen(function* () {
      const user = yield* userWithReplays
      yield* runCommand(user, ["scenario", "run", scenario(user), "--session", "base"])
      // The same directory, for somebody with another key.
      const other = { ...userIn(user.directory, "other"), project: user.project }
      const run = yield* runCommand(other, ["compare", "base", "--json"])
      assert.isUndefined(run.failure, run.err)
      assert.deepStrictEqual(facts(run.out), [null])
    })
  )

  it.effect("reports one session alone, and says which replays of it there are", () =>
    Effect.gen(function* () {
      const user = yield* userWithReplays
      const run = yield* runCommand(user, ["compare", "base"])
      assert.notInclude(run.out, "DIFFERENCE")
      assert.include(run.err, "It has 2 replays: lint-ai compare claude:base")
    })
  )

  it.effect("names every arm with all that it is, and asks for nothing that is not there", () =>
    Effect.gen(function* () {
      const user = yield* userWithReplays
      const run = yield* runCommand(user, ["compare", "base", "one", "two"], { columns: 160 })
      assert.include(run.out, "off (arm off)")
      assert.include(run.out, "on (arm on)")
      assert.strictEqual((run.out.match(/^Sessions +\//gm) ?? []).length, 3)
      assert.strictEqual((yield* runCommand(user, ["compare", "base", "three"])).failure, "SessionNotFound")
      const bad = yield* runCommand(user, ["compare", "base", "--scenario", path.join(user.directory, "none")])
      assert.strictEqual(bad.failure, "ScenarioUnreadable")
    })
  )
})
