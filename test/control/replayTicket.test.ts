import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { currentReplay, issueTicket, type ReplayTicket, removeStaleTickets } from "../../src/control/replayTicket.ts"
import { claudeAdapter } from "../../src/providers/claude/adapter.ts"
import { Recorder } from "../../src/recorder/Recorder.ts"
import { machineOf, newUser, recordingUser, snapshot, type TestUser, userIn } from "../support/recording.ts"

const id = "claude:replay-20261130-080000-0011223344556677"

const ticketOf = (user: TestUser): ReplayTicket => ({
  session_id: id,
  provider: "claude",
  project_root: user.project,
  sessions_root: path.join(user.project, ".lint-ai", "claude-sessions"),
  workspace: path.join(user.directory, "work"),
  recording_mode: "capture-only",
  memory_root: path.join(user.directory, "memory"),
  memory_hooks: false,
  memory_mcp: false
})

/** The machine of an agent's hook that was started with this replay's id. */
const hookOf = (user: TestUser, replay = id) =>
  machineOf(user, { host: { env: { ...user.env, LINT_AI_REPLAY_SESSION_ID: replay } } })

const asked = (user: TestUser, provider: "claude" | "codex" = "claude", replay = id) =>
  currentReplay(provider).pipe(
    Effect.map((ticket) => (ticket === undefined ? "none" : "counts")),
    Effect.catchTag("ReplayUnknown", () => Effect.succeed("unknown")),
    // Apart from the layers of the user around it.
    Effect.provide(hookOf(user, replay), { local: true })
  )

const fileOf = (user: TestUser) => {
  const directory = path.join(user.state, "replays")
  return path.join(directory, fs.readdirSync(directory)[0] ?? "")
}

describe("a replay's ticket", () => {
  it.live("counts for the hooks of its agent, while the replay runs", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      assert.strictEqual(yield* asked(user), "unknown")
      yield* Effect.gen(function* () {
        yield* issueTicket(ticketOf(user))
        assert.strictEqual(yield* asked(user), "counts")
        assert.strictEqual(yield* asked(user, "codex"), "unknown")
        assert.strictEqual(yield* asked(user, "claude", `${id}8`), "unknown")
        assert.strictEqual(yield* asked(user, "claude", ""), "none")
      }).pipe(Effect.scoped, Effect.provide(machineOf(user)))
      assert.strictEqual(yield* asked(user), "unknown")
    }).pipe(Effect.scoped)
  )

  it.live("does not count when any field of it was changed, nor for another user", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* Effect.gen(function* () {
        yield* issueTicket(ticketOf(user))
        const whole = JSON.parse(fs.readFileSync(fileOf(user), "utf8"))
        for (const [field, value] of Object.entries(whole.ticket)) {
          const other = typeof value === "boolean" ? !value : field === "recording_mode" ? "off" : `${value}x`
          fs.writeFileSync(fileOf(user), JSON.stringify({ ...whole, ticket: { ...whole.ticket, [field]: other } }))
          assert.strictEqual(yield* asked(user), "unknown", field)
        }
        fs.writeFileSync(fileOf(user), JSON.stringify(whole))
        assert.strictEqual(yield* asked(user), "counts")
        const other = userIn(user.directory, "other")
        fs.mkdirSync(path.join(other.state, "replays"), { recursive: true })
        fs.copyFileSync(fileOf(user), path.join(other.state, "replays", path.basename(fileOf(user))))
        assert.strictEqual(yield* asked(other), "unknown")
      }).pipe(Effect.scoped, Effect.provide(machineOf(user)))
    }).pipe(Effect.scoped)
  )

  it.live("that nobody issued leads a session nowhere, and is not taken for a session of the user", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      const before = snapshot(user.project)
      const payload = {
        session_id: "s1",
        transcript_path: "/none",
        cwd: user.project,
        hook_event_name: "SessionStart",
        source: "startup"
      }
      const delivery = yield* claudeAdapter.read({ payload, event: undefined, env: user.env })
      const failure = yield* Effect.flatMap(Recorder, (recorder) =>
        recorder.record(claudeAdapter, delivery, 1000)
      ).pipe(Effect.flip, Effect.provide(hookOf(user)))
      assert.strictEqual(failure._tag, "ReplayUnknown")
      assert.deepStrictEqual(snapshot(user.project), before)
    }).pipe(Effect.scoped)
  )

  it.live("of a replay that was killed is thrown away, and one of a replay that runs is not", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* Effect.gen(function* () {
        yield* issueTicket(ticketOf(user))
        yield* removeStaleTickets()
        assert.strictEqual(yield* asked(user), "counts")
        const whole = JSON.parse(fs.readFileSync(fileOf(user), "utf8"))
        const gone = { ...whole.owner, boot: "another-boot" }
        fs.writeFileSync(fileOf(user), JSON.stringify({ ...whole, owner: gone }))
        yield* removeStaleTickets()
        assert.deepStrictEqual(fs.readdirSync(path.join(user.state, "replays")), [])
      }).pipe(Effect.scoped, Effect.provide(machineOf(user)))
    }).pipe(Effect.scoped)
  )
})
