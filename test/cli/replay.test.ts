import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { PreparedEvent } from "../../src/archive/preparedEvent.ts"
import { parseTimeout } from "../../src/cli/commands/replay.ts"
import { rewriteFlatFlags } from "../../src/cli/flatFlags.ts"
import { SessionId } from "../../src/domain/sessionId.ts"
import { MemoryStore } from "../../src/memory/MemoryStore.ts"
import { memoryPlace } from "../../src/memory/memoryPlace.ts"
import { DiskError } from "../../src/platform/Disk.ts"
import { type Conversation, type ConversationOutcome, IsolatedAgent } from "../../src/replay/IsolatedAgent.ts"
import { PromptsAltered, ReplayOrchestrator } from "../../src/replay/ReplayOrchestrator.ts"
import { runCommand } from "../support/cli.ts"
import { append, ended, filesOf, prompt, started } from "../support/events.ts"
import { machineOf, recordingUser, snapshot, type TestUser } from "../support/recording.ts"

const recorded = (user: TestUser, events: ReadonlyArray<PreparedEvent>, more: object = {}) =>
  append(user, events, {
    opening: Effect.succeed({
      provider: "claude",
      project_root: user.project,
      recording_mode: "capture-only",
      repository_revision: null,
      ...more
    })
  }).pipe(Effect.provide(machineOf(user)))

const baseline = (user: TestUser, more: object = {}) =>
  recorded(
    user,
    [
      started(),
      prompt("p1", "First, look\nat the queue"),
      { ...prompt("p2"), payload: { text: "injected", origin: "injected" } },
      prompt("p3", "--then go on"),
      ended()
    ],
    more
  )

/** A memory that the project has since a time. */
const remembered = (user: TestUser, created: string) =>
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const text = "The queue connects to redis on port 6380."
    const about = { sessionId: "claude:before", place: "turn/1", revision: null, branch: null, created }
    yield* store.add(yield* memoryPlace(user.project, "claude"), [
      { kind: "outcome", text, identity: [text], ...about }
    ])
  }).pipe(Effect.provide(machineOf(user)))

type Asked = Array<{
  readonly place?: Parameters<IsolatedAgent["Service"]["place"]>[0]
  readonly conversation?: Conversation
}>

/** An agent that answers everything, or fails, and tells what it was asked. */
const agent = (asked: Asked, more: Partial<ConversationOutcome> = {}) =>
  IsolatedAgent.layerTest({
    place: (request) =>
      Effect.sync(() => {
        asked.push({ place: request })
        return { notes: ["Login: a test."] }
      }),
    converse: (place, conversation) =>
      Effect.sync(() => {
        asked.push({ conversation })
        return {
          sessionId: SessionId.make(`claude:replay-${asked.length}`),
          directory: path.join(place.sessionsRoot, `claude-replay-${asked.length}`),
          costUsd: 0.01,
          durationMs: 1234,
          ...more
        }
      })
  })

describe("lint-ai replay", () => {
  it.live("stops at the first replay that cannot be made, and says why", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      yield* baseline(user)
      const made: Array<number> = []
      const full = new DiskError({ operation: "write", path: "/replays", code: "ENOSPC" })
      const run = yield* runCommand(user, ["replay", "s", "--repeat", "3"], {
        replays: ReplayOrchestrator.layerTest((_, number) =>
          Effect.suspend(() => {
            made.push(number)
            return number === 1 ? Effect.succeed({}) : Effect.fail(full)
          })
        )
      })
      assert.strictEqual(run.failure, "DiskError")
      assert.deepStrictEqual(made, [1, 2])
      assert.include(run.err, "Replaying 2 of 3")
    }).pipe(Effect.scoped)
  )

  it.live("fails when one of several replays failed, and tells of them all", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      yield* baseline(user)
      const run = yield* runCommand(user, ["replay", "s", "--repeat", "2", "--json"], {
        replays: ReplayOrchestrator.layerTest((_, number) =>
          Effect.succeed(number === 1 ? { status: "failed", reason: "The agent gave up.", promptCount: 0 } : {})
        )
      })
      assert.strictEqual(run.failure, "ReplayFailed")
      const { replays } = JSON.parse(run.out)
      assert.deepStrictEqual(
        replays.map((one: { readonly session_id: string; readonly status: string }) => [one.session_id, one.status]),
        [
          ["claude:replay-1", "failed"],
          ["claude:replay-2", "completed"]
        ]
      )
    }).pipe(Effect.scoped)
  )

  it.live("sends the user's prompts again as they are recorded, with lint-ai off, and says what to do next", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      yield* baseline(user)
      const before = fs.readFileSync(filesOf(user).events)
      const asked: Asked = []
      const run = yield* runCommand(user, ["replay", "s", "--model", "opus", "--timeout", "90s"], {
        agent: agent(asked)
      })
      assert.isUndefined(run.failure, run.err)
      assert.deepStrictEqual(asked[1]?.conversation, {
        prompts: ["First, look\nat the queue", "--then go on"],
        replayOf: SessionId.make("claude:s"),
        timeout: 90_000
      })
      assert.deepInclude(asked[0]?.place?.arm, {
        name: "claude-off",
        lint_ai: false,
        native_memory: true,
        instruction_files: true,
        model: "opus",
        memory: { from: "project", as_of: "2026-08-16T12:00:00.000Z" }
      })
      assert.strictEqual(asked[0]?.place?.sessionsRoot, path.join(user.project, ".lint-ai", "claude-sessions"))
      for (const text of [
        "Replay of claude:s",
        "lint-ai            off (recording is on)",
        "1. First, look at the queue",
        "2. --then go on",
        "completed  claude:replay-2",
        "2 prompts answered in 1.2 s, $0.0100",
        "- Login: a test.",
        "lint-ai sessions inspect claude:replay-2",
        "lint-ai compare claude:s claude:replay-2"
      ]) {
        assert.include(run.out, text)
      }
      // The baseline never changes again: the session that goes on opens a continuation.
      assert.isTrue(fs.existsSync(path.join(user.project, ".lint-ai", "claude-sessions", ".frozen", "claude-s")))
      yield* recorded(user, [started("again")])
      assert.isTrue(fs.readFileSync(filesOf(user).events).equals(before))
    }).pipe(Effect.scoped)
  )

  it.live("shows with --dry-run what it would do, and does nothing", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      yield* baseline(user, { repository_dirty: true, repository_revision: "a".repeat(40) })
      yield* remembered(user, "2026-08-16T11:00:00.000Z")
      const before = snapshot(user.directory)
      const asked: Asked = []
      const args = ["replay", "s", "--dry-run", "--enable-lint-ai", "--agent-arg=--allowedTools", "--agent-arg", "Bash"]
      const run = yield* runCommand(user, [...args, "--json"], { agent: agent(asked) })
      assert.isUndefined(run.failure, run.err)
      const { plan, dry_run } = JSON.parse(run.out)
      assert.isTrue(dry_run)
      assert.deepInclude(plan, {
        baseline: "claude:s",
        lint_ai: true,
        memory: { from: "project", as_of: "2026-08-16T12:00:00.000Z" },
        args: ["--allowedTools", "Bash"],
        revision: "a".repeat(40),
        model: null,
        timeout_ms: 900_000
      })
      assert.include(plan.notes.join(), "had uncommitted changes when the baseline began")
      assert.deepStrictEqual(asked, [])
      assert.deepStrictEqual(snapshot(user.directory), before)
      const drawn = yield* runCommand(user, args, { agent: agent(asked), columns: 40 })
      // A path, and a flag to copy, stand whole.
      for (const line of drawn.out.split("\n").filter((one) => !/[/]|--agent/.test(one))) {
        assert.isAtMost(line.length, 40, line)
      }
    }).pipe(Effect.scoped)
  )

  it.live("refuses a memory that holds nothing from before the baseline, before it does or shows anything", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      yield* baseline(user)
      yield* remembered(user, "2026-08-16T13:00:00.000Z")
      const asked: Asked = []
      for (const more of [[], ["--dry-run"]]) {
        const run = yield* runCommand(user, ["replay", "s", "--enable-lint-ai", ...more], { agent: agent(asked) })
        assert.strictEqual(run.failure, "PlaceError")
        assert.strictEqual(run.out, "")
      }
      const empty = yield* runCommand(user, ["replay", "s", "--enable-lint-ai", "--empty-memory", "--dry-run"])
      assert.isUndefined(empty.failure)
      assert.deepStrictEqual(asked, [])
    }).pipe(Effect.scoped)
  )

  it.live("says where the recording is a part of the session", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      yield* baseline(user, {
        joined: "mid-session",
        continues_session_id: SessionId.make("claude:r"),
        dropped_count: 3
      })
      const run = yield* runCommand(user, ["replay", "s", "--dry-run", "--json"], { agent: agent([]) })
      const notes = JSON.parse(run.out).plan.notes.join()
      assert.include(notes, "Recording began in the middle of the session")
      assert.include(notes, "The session goes on from claude:r")
      assert.include(notes, "The session grew over its size bound")
    }).pipe(Effect.scoped)
  )

  it.live("replays as often as asked, side by side, and fails when one of them does", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      yield* baseline(user)
      const asked: Asked = []
      const run = yield* runCommand(user, ["replay", "s", "--repeat", "3", "--json"], { agent: agent(asked) })
      const { replays } = JSON.parse(run.out)
      assert.strictEqual(new Set(replays.map((one: { session_id: string }) => one.session_id)).size, 3)
      const failing = agent([], {
        status: "failed",
        reason: "Claude Code failed at prompt 1 with exit code 3.",
        exitCode: 3
      })
      const failed = yield* runCommand(user, ["replay", "s"], { agent: failing })
      assert.strictEqual(failed.failure, "ReplayFailed")
      assert.include(failed.out, "Claude Code failed at prompt 1 with exit code 3.")
      const json = yield* runCommand(user, ["replay", "s", "--json"], { agent: failing })
      assert.deepInclude(JSON.parse(json.out).replays[0], { status: "failed", exit_code: 3 })
    }).pipe(Effect.scoped)
  )

  it.live("refuses prompts that are not what the user wrote, unless told otherwise", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      yield* recorded(user, [
        started(),
        prompt("p1", "one"),
        { ...prompt("p2", "has [REDACTED:token]"), redactions: ["payload.text"] },
        { ...prompt("p3", "cu"), truncated: [{ path: "payload.text", bytes: 9 }] },
        ended()
      ])
      const asked: Asked = []
      const refused = yield* runCommand(user, ["replay", "s"], { agent: agent(asked) })
      assert.strictEqual(refused.failure, "PromptsAltered")
      const both = new PromptsAltered({ session: "s", redacted: [2], cut: [3, 4] })
      assert.include(both.message, "prompt 2 was redacted, and prompts 3, 4 were cut")
      const json = yield* runCommand(user, ["replay", "s", "--allow-redacted", "--json"], { agent: agent(asked) })
      const { plan } = JSON.parse(json.out)
      assert.deepStrictEqual(
        plan.prompts.map((one: { altered: unknown }) => one.altered),
        [[], ["redacted"], ["cut"]]
      )
      assert.include(plan.notes.join(), "Not what the user wrote: 1 redacted and 1 cut of 3 prompts.")
    }).pipe(Effect.scoped)
  )

  it.live("refuses what cannot be replayed, and flags that contradict each other", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      yield* recorded(user, [started(), ended()])
      const failure = (...args: ReadonlyArray<string>) =>
        Effect.map(runCommand(user, ["replay", ...args], { agent: agent([]) }), (run) => run.failure)
      assert.strictEqual(yield* failure("s"), "NoPrompts")
      assert.strictEqual(yield* failure("nothing"), "SessionNotFound")
      for (const flags of [
        ["--enable-lint-ai", "--disable-lint-ai"],
        ["--enable-lint-ai", "--memory", "m", "--empty-memory"],
        ["--empty-memory"],
        ["--with-patch", "--patch", "p"],
        ["--timeout", "soon"],
        ["--timeout", "0"],
        ["--repeat", "0"]
      ]) {
        assert.strictEqual(yield* failure("s", ...flags), "ReplayFlags", flags.join(" "))
      }
    }).pipe(Effect.scoped)
  )

  it.live("refuses a session that still runs", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      yield* recorded(user, [started(), prompt("p1")])
      const run = yield* runCommand(user, ["replay", "s"], { agent: agent([]) })
      assert.strictEqual(run.failure, "BaselineRuns")
    }).pipe(Effect.scoped)
  )

  it.live("applies what is uncommitted while the recorded revision is checked out, or a patch", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      const git = (...args: ReadonlyArray<string>) =>
        execFileSync("git", ["-c", "user.name=dev", "-c", "user.email=dev@example.invalid", ...args], {
          cwd: user.project,
          encoding: "utf8",
          env: { PATH: process.env.PATH ?? "", HOME: user.home }
        }).trim()
      git("init", "--quiet")
      git("commit", "--quiet", "--allow-empty", "-m", "One")
      const revision = git("rev-parse", "HEAD")
      fs.writeFileSync(path.join(user.project, "new.txt"), "new\n")
      yield* baseline(user, { repository_revision: revision, repository_dirty: true })
      const workTree = { revision, branch: "main", dirty: true, trackedRecordings: 0, exposesRecordings: false }
      const host = { temporary: user.directory }
      const asked: Asked = []
      const run = yield* runCommand(user, ["replay", "s", "--with-patch"], { agent: agent(asked), workTree, host })
      assert.isUndefined(run.failure, run.err)
      const source = asked[0]?.place?.source
      assert.strictEqual(source?.revision, revision)
      assert.include(Buffer.from(source?.patch ?? []).toString(), "+++ b/new.txt")
      assert.deepStrictEqual(
        fs.readdirSync(user.directory).filter((name) => name.startsWith("lint-ai-place")),
        []
      )
      const moved = { ...workTree, revision: "b".repeat(40) }
      const refused = yield* runCommand(user, ["replay", "s", "--with-patch"], {
        agent: agent([]),
        workTree: moved,
        host
      })
      assert.strictEqual(refused.failure, "NoPatch")
      const file = path.join(user.directory, "own.patch")
      fs.writeFileSync(file, "a patch")
      const other: Asked = []
      yield* runCommand(user, ["replay", "s", "--patch", file], { agent: agent(other), host })
      assert.strictEqual(Buffer.from(other[0]?.place?.source.patch ?? []).toString(), "a patch")
      const missing = yield* runCommand(user, ["replay", "s", "--patch", "/none"], { agent: agent([]), host })
      assert.strictEqual(missing.failure, "NoPatch")
      // A plan that could not be carried out is none.
      const dry = yield* runCommand(user, ["replay", "s", "--patch", "/none", "--dry-run"], { agent: agent([]), host })
      assert.strictEqual(dry.failure, "NoPatch")
    }).pipe(Effect.scoped)
  )
})

describe("the flat flags of a replay", () => {
  for (const [flat, command] of [
    [
      "--replay-session abc --session-provider claude --replay-enable-lint-ai",
      "replay abc --provider claude --enable-lint-ai"
    ],
    ["--replay-session abc --replay-disable-lint-ai --json", "replay abc --disable-lint-ai --json"],
    ["--replay-session=abc --session-provider agy", "replay abc --provider antigravity"]
  ] as const) {
    it(`\`${flat}\` is \`${command}\``, () => {
      assert.deepStrictEqual(rewriteFlatFlags(flat.split(" ")), command.split(" "))
    })
  }
})

describe("a timeout", () => {
  it("is a number with a unit, of seconds without one", () => {
    assert.deepStrictEqual(
      ["90s", "15m", "2h", "500ms", "30", "1.5m"].map(parseTimeout),
      [90_000, 900_000, 7_200_000, 500, 30_000, 90_000]
    )
    assert.deepStrictEqual(["", "soon", "0s", "-5s", "1000h", "5 d"].map(parseTimeout), [
      ...[undefined, undefined, undefined, undefined, undefined, undefined]
    ])
  })
})
