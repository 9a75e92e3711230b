import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, inject, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Toggles } from "../../src/control/Toggles.ts"
import type { Toggles as ProviderToggles } from "../../src/domain/mode.ts"
import {
  claudeArchive,
  compiledHook,
  diagnosticsOf,
  machineOf,
  newUser,
  nodeHook,
  runHook,
  strictEvents,
  type TestUser
} from "../support/recording.ts"

/** The program that is tested lies elsewhere than the packages: a Node without SQLite finds libsql so. */
const packages = fileURLToPath(new URL("../../node_modules", import.meta.url))
const withPackages = (user: TestUser): TestUser => ({ ...user, env: { ...user.env, NODE_PATH: packages } })

const programs = [
  ["compiled", compiledHook(inject("builtProgram"))],
  ["on Node", nodeHook(inject("builtProgram"))]
] as const

const turn = (user: TestUser, to: Pick<ProviderToggles, "recording" | "memory">) =>
  Effect.flatMap(Toggles, (toggles) =>
    toggles.change(user.project, "claude", (before) => ({ ...before, ...to, mode: "assist" }))
  ).pipe(Effect.provide(machineOf(user)))

const said = "The retryQueue connects to redis on port 6380, but docker-compose maps 6379. We read REDIS_URL now."
const stop = { session_id: "one", hook_event_name: "Stop", prompt_id: "p1", last_assistant_message: said }
const ask = {
  session_id: "two",
  hook_event_name: "UserPromptSubmit",
  prompt_id: "p2",
  prompt: "retryQueue cannot connect to redis, which port?"
}
const memoryOf = (user: TestUser) => path.join(user.project, ".lint-ai", "claude-memory")

describe.each(programs)("memory in the hook %s", (_, program) => {
  it.live("gives the next session what the last one came to, and records that it did", () =>
    Effect.gen(function* () {
      const user = withPackages(yield* newUser)
      yield* turn(user, { recording: true, memory: true })
      assert.deepStrictEqual([runHook(program, user, stop).stdout, runHook(program, user, stop).stdout], ["", ""])
      const { status, stdout, stderr } = runHook(program, user, ask)
      assert.deepStrictEqual([status, stderr], [0, ""])
      assert.include(JSON.parse(stdout).hookSpecificOutput.additionalContext, `| Result: ${said}`)
      assert.strictEqual(runHook(program, user, ask).stdout, "")
      assert.deepStrictEqual(
        strictEvents(claudeArchive(user, "two").events).map(({ kind }) => kind),
        ["user_prompt", "context_injected"]
      )
      assert.deepStrictEqual(diagnosticsOf(user), [])
    }).pipe(Effect.scoped)
  )

  it.live("works without recording, and recording without it", () =>
    Effect.gen(function* () {
      const user = withPackages(yield* newUser)
      yield* turn(user, { recording: false, memory: true })
      runHook(program, user, stop)
      assert.include(runHook(program, user, ask).stdout, "6380")
      assert.isFalse(fs.existsSync(path.join(user.project, ".lint-ai", "claude-sessions")))
      yield* turn(user, { recording: true, memory: false })
      assert.strictEqual(runHook(program, user, { ...ask, session_id: "three" }).stdout, "")
      assert.isTrue(fs.existsSync(claudeArchive(user, "three").events))
    }).pipe(Effect.scoped)
  )

  it.live("makes nothing while it is off", () =>
    Effect.gen(function* () {
      const user = withPackages(yield* newUser)
      yield* turn(user, { recording: true, memory: false })
      runHook(program, user, stop)
      assert.isFalse(fs.existsSync(memoryOf(user)))
    }).pipe(Effect.scoped)
  )

  it.live("that cannot be used costs the session nothing, and is told", () =>
    Effect.gen(function* () {
      const user = withPackages(yield* newUser)
      yield* turn(user, { recording: true, memory: true })
      const elsewhere = path.join(user.directory, "elsewhere")
      fs.mkdirSync(elsewhere)
      fs.symlinkSync(elsewhere, memoryOf(user))
      for (const payload of [stop, ask]) {
        const { status, stdout, stderr } = runHook(program, user, payload)
        assert.deepStrictEqual([status, stdout, stderr], [0, "", ""])
      }
      assert.deepStrictEqual(fs.readdirSync(elsewhere), [])
      assert.deepStrictEqual(
        diagnosticsOf(user).map(({ tag, event }) => [tag, event]),
        [
          ["MemoryNotOwned", "Stop"],
          ["MemoryNotOwned", "UserPromptSubmit"]
        ]
      )
      assert.strictEqual(strictEvents(claudeArchive(user, "two").events).length, 1)
    }).pipe(Effect.scoped)
  )
})
