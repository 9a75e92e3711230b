import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { inject } from "vitest"
import { verifyArchive } from "../../src/evidence/verify.ts"
import {
  claudeArchive,
  compiledHook,
  diagnosticsOf,
  machineOf,
  manifestOf,
  recordingUser,
  strictEvents,
  type TestUser
} from "../support/recording.ts"

/** The archives that lie in the same place as one. */
const archivesBeside = (directory: string): ReadonlyArray<string> =>
  fs
    .readdirSync(path.dirname(directory))
    .filter((name) => !name.startsWith("."))
    .map((name) => path.join(path.dirname(directory), name))

/** Starts a hook and gives its exit code. */
const startHook = (program: ReadonlyArray<string>, user: TestUser, payload: unknown) =>
  Effect.callback<number | null>((resume) => {
    const [command = "", ...args] = program
    const child = spawn(command, [...args, "hook", "claude"], {
      cwd: user.project,
      env: user.env,
      stdio: ["pipe", "ignore", "ignore"]
    })
    child.on("close", (exitCode) => resume(Effect.succeed(exitCode)))
    child.stdin.end(JSON.stringify(payload))
  })

const payload = (name: string, more: Record<string, unknown> = {}) => ({
  session_id: "s",
  hook_event_name: "PreToolUse",
  prompt_id: "p",
  tool_use_id: name,
  tool_name: "Bash",
  ...more
})

describe("hooks that run at the same time", () => {
  it.live("as of parallel tools, each delivered twice, are recorded once each", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      const program = compiledHook(inject("builtProgram"))
      const names = Array.from({ length: 60 }, (_, n) => `tool-${n}`)
      const deliveries = names.flatMap((name) => [payload(name), payload(name)])
      const ends = yield* Effect.forEach(deliveries, (given) => startHook(program, user, given), { concurrency: 8 })
      assert.isTrue(ends.every((exitCode) => exitCode === 0))
      assert.deepStrictEqual(diagnosticsOf(user), [])
      const { directory, events: file, manifest } = claudeArchive(user, "s")
      const events = strictEvents(file)
      assert.deepStrictEqual(
        events.map((event) => event.sequence),
        names.map((_, index) => index + 1)
      )
      assert.deepStrictEqual(events.map((event) => event.provider_ids?.tool_use_id ?? "").sort(), [...names].sort())
      assert.strictEqual(manifestOf(manifest).event_count, names.length)
      assert.deepInclude(yield* Effect.provide(verifyArchive(directory), machineOf(user)), { verdict: "complete" })
    })
  )

  it.live("of many sessions that all begin at once make one archive each, under one key", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      const program = compiledHook(inject("builtProgram"))
      const ids = Array.from({ length: 12 }, (_, n) => `session-${n}`)
      const deliveries = ids.flatMap((id) => ["a", "b"].map((name) => payload(name, { session_id: id })))
      yield* Effect.forEach(deliveries, (given) => startHook(program, user, given), { concurrency: 12 })
      const keys = ids.map((id) => {
        assert.strictEqual(strictEvents(claudeArchive(user, id).events).length, 2)
        return manifestOf(claudeArchive(user, id).manifest).key_id
      })
      assert.strictEqual(new Set(keys).size, 1)
      assert.deepStrictEqual(diagnosticsOf(user), [])
    })
  )

  it.live("of two agents that both give no session id stay apart", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      const program = compiledHook(inject("builtProgram"))
      const deliveries = ["one.jsonl", "two.jsonl"].flatMap((transcript) =>
        ["a", "b", "c"].map((name) => payload(name, { session_id: undefined, transcript_path: `/tmp/${transcript}` }))
      )
      yield* Effect.forEach(deliveries, (given) => startHook(program, user, given), { concurrency: 6 })
      const { directory } = claudeArchive(user, "any")
      const counts = archivesBeside(directory).map((archive) => strictEvents(`${archive}/events.jsonl`).length)
      assert.deepStrictEqual(counts, [3, 3])
    })
  )
})
