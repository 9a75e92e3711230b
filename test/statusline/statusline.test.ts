import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { enable, startRecording } from "../../src/control/switches.ts"
import type { Provider } from "../../src/domain/provider.ts"
import { claudeAdapter } from "../../src/providers/claude/adapter.ts"
import { Recorder } from "../../src/recorder/Recorder.ts"
import { statusLine } from "../../src/statusline/statusline.ts"
import { machineOf, newUser, snapshot, type TestUser, userIn } from "../support/recording.ts"

const fixture = (name: string) =>
  JSON.parse(fs.readFileSync(path.join(import.meta.dirname, "../fixtures/statusline", name), "utf8"))

/** What Claude Code writes to its status line in the user's project. */
const inputOf = (user: TestUser, more: Record<string, unknown> = {}) => ({
  ...fixture("claude-2.json"),
  session_id: "s",
  cwd: user.project,
  workspace: { current_dir: user.project, project_dir: user.project, added_dirs: [] },
  ...more
})

const show = (user: TestUser, input: unknown, provider: Provider = "claude", cwd = user.directory) =>
  statusLine(provider, typeof input === "string" ? input : JSON.stringify(input)).pipe(
    Effect.provide(machineOf(user, { host: { cwd } }))
  )

const deliver = (user: TestUser, hook: string, more: Record<string, unknown> = {}) =>
  Effect.gen(function* () {
    const recorder = yield* Recorder
    const payload = { session_id: "s", hook_event_name: hook, cwd: user.project, ...more }
    const env = { ...user.env, CLAUDE_PID: String(process.pid) }
    const delivery = yield* claudeAdapter.read({ payload, event: undefined, env })
    return yield* recorder.record(claudeAdapter, delivery, 1_000)
  }).pipe(Effect.provide(machineOf(user)))

describe("the status line", () => {
  it.live("says that nothing is on where nothing is, and creates nothing", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const before = snapshot(user.directory)
      assert.strictEqual(yield* show(user, inputOf(user)), "Lint-AI:OFF | Record:OFF\n")
      assert.deepStrictEqual(snapshot(user.directory), before)
    })
  )

  it.live.each(["claude-1.json", "claude-2.json"])("reads what Claude Code wrote in %s", (name) =>
    Effect.gen(function* () {
      const user = yield* newUser
      assert.strictEqual(yield* show(user, fixture(name)), "Lint-AI:OFF | Record:OFF\n")
    })
  )

  it.live("tells the events and redactions of the session while it is recorded", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* startRecording(user.project, "claude").pipe(Effect.provide(machineOf(user)))
      assert.strictEqual(yield* show(user, inputOf(user)), "Lint-AI:OFF | Record:ON\n")
      yield* deliver(user, "SessionStart", { source: "startup" })
      assert.strictEqual(yield* show(user, inputOf(user)), "Lint-AI:OFF | Record:ON | 1 event, 0 redacted\n")
      yield* deliver(user, "UserPromptSubmit", { prompt: "use ghp_0123456789abcdefghijABCDEFGHIJ012345 here" })
      yield* enable(user.project, "claude").pipe(Effect.provide(machineOf(user)))
      assert.strictEqual(yield* show(user, inputOf(user)), "Lint-AI:ON | Record:ON | 2 events, 1 redacted\n")
      // Another session of the project is not this one.
      assert.strictEqual(yield* show(user, inputOf(user, { session_id: "t" })), "Lint-AI:ON | Record:ON\n")
      yield* deliver(user, "SessionEnd", { reason: "other" })
      assert.strictEqual(yield* show(user, inputOf(user)), "Lint-AI:ON | Record:ON\n")
    })
  )

  it.live("is about the project in which the session began, wherever the agent went since", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* enable(user.project, "claude").pipe(Effect.provide(machineOf(user)))
      const workspace = { current_dir: user.directory, project_dir: user.project }
      assert.strictEqual(yield* show(user, inputOf(user, { workspace })), "Lint-AI:ON | Record:ON\n")
      const elsewhere = { current_dir: user.directory, project_dir: user.directory }
      assert.strictEqual(yield* show(user, inputOf(user, { workspace: elsewhere })), "Lint-AI:OFF | Record:OFF\n")
    })
  )

  it.live("takes the working directory, and the session that was written to last, where nobody says more", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* startRecording(user.project, "claude").pipe(Effect.provide(machineOf(user)))
      yield* deliver(user, "SessionStart", { source: "startup" })
      for (const input of ["", "garbage", "[]", "5", '{"workspace":7}', '{"cwd":null}']) {
        assert.strictEqual(
          yield* show(user, input, "claude", user.project),
          "Lint-AI:OFF | Record:ON | 1 event, 0 redacted\n"
        )
      }
      assert.strictEqual(yield* show(user, "", "codex", user.project), "Lint-AI:OFF | Record:OFF\n")
    })
  )

  it.live("says that another user's state counts for nothing", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const other = userIn(user.directory, "other")
      yield* enable(other.project, "claude").pipe(Effect.provide(machineOf(other)))
      fs.cpSync(path.join(other.project, ".lint-ai"), path.join(user.project, ".lint-ai"), { recursive: true })
      assert.strictEqual(yield* show(user, inputOf(user)), "Lint-AI:OFF | Record:OFF | not yours: lint-ai adopt\n")
    })
  )
})
