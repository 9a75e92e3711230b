import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { SessionArchive } from "../../src/archive/SessionArchive.ts"
import { providers } from "../../src/domain/provider.ts"
import { claudeAdapter } from "../../src/providers/claude/adapter.ts"
import { Recorder } from "../../src/recorder/Recorder.ts"
import { runCommand } from "../support/cli.ts"
import { claudeArchive, machineOf, newUser, recordingUser, snapshot, type TestUser } from "../support/recording.ts"

/** Delivers hook payloads of one session to the recorder, in this process. */
const deliver = (user: TestUser, id: string, payloads: ReadonlyArray<Readonly<Record<string, unknown>>>) =>
  Effect.gen(function* () {
    const recorder = yield* Recorder
    for (const payload of payloads) {
      const delivery = yield* claudeAdapter.read({
        payload: { session_id: id, cwd: user.project, ...payload },
        event: undefined,
        env: user.env
      })
      yield* recorder.record(claudeAdapter, delivery, 1_000)
    }
  }).pipe(Effect.provide(machineOf(user)))

const session = [
  { hook_event_name: "SessionStart", source: "startup" },
  { hook_event_name: "UserPromptSubmit", prompt_id: "p1", prompt: "say `hi` <b>now</b>" },
  {
    hook_event_name: "PreToolUse",
    prompt_id: "p1",
    tool_name: "Bash",
    tool_input: { command: "true" },
    tool_use_id: "t1"
  },
  { hook_event_name: "Stop", prompt_id: "p1", last_assistant_message: "hi" },
  { hook_event_name: "SessionEnd", prompt_id: "p1", reason: "other" }
]

const twoSessions = Effect.gen(function* () {
  const user = yield* recordingUser
  yield* deliver(user, "11111111-aaaa", session)
  yield* deliver(user, "11112222-bbbb", session.slice(0, 3))
  return user
})

const data = (text: string): Record<string, unknown> => JSON.parse(text)

describe("sessions", () => {
  it.live("list shows every session, newest first, and the card of the newest with what to do next", () =>
    Effect.gen(function* () {
      const user = yield* twoSessions
      const run = yield* runCommand(user, ["sessions", "list"])
      const lines = run.out.split("\n")
      assert.match(lines[0] ?? "", /^SESSION +STATUS +STARTED/)
      assert.match(lines[1] ?? "", /^claude:11112222-bbbb +active/)
      assert.match(lines[2] ?? "", /^claude:11111111-aaaa +completed/)
      assert.include(run.out, "lint-ai sessions inspect claude:11112222-bbbb")
      assert.include(run.out, `Saved to .lint-ai/claude-sessions/claude-11112222-bbbb/`)
    }).pipe(Effect.scoped)
  )

  it.live("list, and all that need a session, say what to do where there is none", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      const off = yield* newUser
      const foreign = yield* recordingUser
      fs.rmSync(path.join(foreign.config, "keys.json"))
      for (const [who, remedy, wrong] of [
        [user, "Recording is on: work with Claude Code.", "lint-ai init"],
        [off, "lint-ai init", "Recording is on"],
        // Init would refuse.
        [foreign, "lint-ai adopt", "lint-ai init"]
      ] as const) {
        for (const command of ["list", "inspect", "verify", "export", "view"]) {
          const { out, exit } = yield* runCommand(who, ["sessions", command])
          const said = Exit.isSuccess(exit) ? out : String(Cause.squash(exit.cause))
          assert.include(said, remedy, command)
          assert.notInclude(said, wrong, command)
        }
      }
      assert.deepStrictEqual(data((yield* runCommand(user, ["sessions", "list", "--json"])).out), {
        sessions: [],
        unreadable: []
      })
    }).pipe(Effect.scoped)
  )

  it.live("of one agent or one directory that there are none of are not said to be none at all", () =>
    Effect.gen(function* () {
      const user = yield* twoSessions
      const empty = path.join(user.directory, "empty")
      fs.mkdirSync(empty)
      const gone = path.join(user.directory, "gone")
      for (const [flags, said, wrong] of [
        [
          ["--provider", "codex"],
          [`No sessions of Codex in ${user.project} yet.`, "lint-ai install codex", "work with Codex."],
          "Recording is on"
        ],
        [["--session-root", empty], [`No sessions in ${empty}.`, "--session-root"], "Recording is on"],
        [["--session-root", gone], [`No sessions in ${gone}. It does not exist;`], "Recording is on"],
        [
          ["--session-root", empty, "--provider", "gemini"],
          [`No sessions of Gemini CLI in ${empty}.`],
          "lint-ai install"
        ]
      ] as const) {
        for (const command of ["list", "inspect", "verify", "export", "view"]) {
          const { out, exit } = yield* runCommand(user, ["sessions", command, ...flags])
          const words = Exit.isSuccess(exit) ? out : String(Cause.squash(exit.cause))
          for (const part of said) assert.include(words, part, command)
          assert.notInclude(words, wrong, command)
        }
      }
    }).pipe(Effect.scoped)
  )

  it.live("a session is found by raw id, prefixed id, directory and unambiguous beginning, and only by them", () =>
    Effect.gen(function* () {
      const user = yield* twoSessions
      const directory = claudeArchive(user, "11111111-aaaa").directory
      for (const name of [
        "11111111-aaaa",
        "claude:11111111-aaaa",
        "claude-11111111-aaaa",
        directory,
        "claude:11111",
        "11111"
      ]) {
        const run = yield* runCommand(user, ["sessions", "inspect", name, "--json"])
        assert.strictEqual(data(run.out).session_id, "claude:11111111-aaaa", name)
      }
      assert.strictEqual((yield* runCommand(user, ["sessions", "inspect", "1111"])).failure, "SessionAmbiguous")
      assert.strictEqual((yield* runCommand(user, ["sessions", "inspect", "../.."])).failure, "SessionNotFound")
      const near = yield* runCommand(user, ["sessions", "inspect", "11111111-aaab"])
      assert.include(String(near.exit), "claude:11111111-aaaa")
      for (const slip of ["11121111", "claude:11112111", "cluade:11111111", "1111l111-aaaa", "claude-1111111-aaaa"]) {
        assert.include(String((yield* runCommand(user, ["sessions", "inspect", slip])).exit), "claude:1111", slip)
      }
      for (const far of ["9f0d7c1e", "zz", "codex:77777777"]) {
        assert.notInclude(String((yield* runCommand(user, ["sessions", "inspect", far])).exit), "claude:", far)
      }
    }).pipe(Effect.scoped)
  )

  it.live("inspect counts what the events say and changes no byte", () =>
    Effect.gen(function* () {
      const user = yield* twoSessions
      const { directory } = claudeArchive(user, "11112222-bbbb")
      const snapshot = () =>
        fs.readdirSync(directory).map((name) => [name, fs.statSync(path.join(directory, name)).mtimeMs])
      const before = snapshot()
      const { out } = yield* runCommand(user, ["sessions", "inspect", "11112222", "--json"])
      const inspection = data(out)
      assert.deepStrictEqual(inspection.counts, { session_start: 1, user_prompt: 1, tool_call: 1 })
      assert.deepStrictEqual(inspection.unresolved_tool_calls, [{ sequence: 3, tool_name: "Bash" }])
      assert.strictEqual(inspection.status, "active")
      assert.deepStrictEqual(snapshot(), before)
    }).pipe(Effect.scoped)
  )

  it.live("export gives the manifest and then every line as it stands in the log", () =>
    Effect.gen(function* () {
      const user = yield* twoSessions
      const files = claudeArchive(user, "11111111-aaaa")
      const { out } = yield* runCommand(user, ["sessions", "export", "11111111"])
      const [first = "", ...rest] = out.split("\n")
      assert.strictEqual(
        (data(first) as { manifest: { session_id: string } }).manifest.session_id,
        "claude:11111111-aaaa"
      )
      assert.strictEqual(rest.join("\n"), fs.readFileSync(files.events, "utf8"))
    }).pipe(Effect.scoped)
  )

  it.live("export to a file prints where it is and overwrites nothing", () =>
    Effect.gen(function* () {
      const user = yield* twoSessions
      const out = path.join(user.directory, "session.md")
      const run = yield* runCommand(user, ["sessions", "export", "11111111", "--format", "markdown", "--out", out])
      assert.include(run.out, out)
      const text = fs.readFileSync(out, "utf8")
      assert.include(text, "> say `hi` \\<b>now\\</b>")
      assert.strictEqual(fs.statSync(out).mode & 0o777, 0o600)
      for (const command of [["export"], ["view", "--no-open"]]) {
        const nowhere = path.join(user.directory, "none", "page")
        const { exit } = yield* runCommand(user, ["sessions", ...command, "11111111", "--out", nowhere])
        const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
        assert.deepInclude(error, { code: "ENOENT", path: path.dirname(nowhere) }, "what is missing is the directory")
      }
      const both = ["--format", "otlp", "--endpoint", "http://127.0.0.1:1", "--out", path.join(user.directory, "spans")]
      assert.strictEqual((yield* runCommand(user, ["sessions", "export", ...both])).failure, "OneDestination")
      const lines = yield* runCommand(user, ["sessions", "export", "11111111", "--format", "agent-trace"])
      assert.deepStrictEqual([lines.out, lines.err], ["", "Nothing of this session can be told in that format.\n"])
      const again = yield* runCommand(user, ["sessions", "export", "11111111", "--out", out])
      assert.strictEqual(again.failure, "OutputExists")
      assert.strictEqual(fs.readFileSync(out, "utf8"), text)
      // As an export leaves it that was killed.
      const other = path.join(user.directory, "other.md")
      fs.writeFileSync(`${other}.partial`, "")
      const { exit } = yield* runCommand(user, ["sessions", "export", "11111111", "--out", other])
      assert.include(Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "", `${other}.partial exists`)
    }).pipe(Effect.scoped)
  )

  it.live("verify tells a record that was altered and fails with its own error", () =>
    Effect.gen(function* () {
      const user = yield* twoSessions
      const files = claudeArchive(user, "11111111-aaaa")
      assert.strictEqual(
        data((yield* runCommand(user, ["sessions", "verify", "11111111", "--json"])).out).verdict,
        "complete"
      )
      fs.writeFileSync(files.events, fs.readFileSync(files.events, "utf8").replace('"text":"hi"', '"text":"ho"'))
      const run = yield* runCommand(user, ["sessions", "verify", "11111111", "--json"])
      assert.strictEqual(run.failure, "VerificationFailed")
      assert.strictEqual(data(run.out).broken_at, 4)
    }).pipe(Effect.scoped)
  )

  it.live("verify misses no record whose manifest is gone, or of which nothing but the directory is left", () =>
    Effect.gen(function* () {
      const user = yield* twoSessions
      const files = claudeArchive(user, "11111111-aaaa")
      const verdicts = Effect.map(
        Effect.suspend(() => runCommand(user, ["sessions", "verify", "--all", "--json"])),
        (run) => ({
          failure: run.failure,
          verdicts: (
            JSON.parse(run.out) as { sessions: ReadonlyArray<{ session_id: string; verdict: string }> }
          ).sessions
            .filter((one) => one.session_id.includes("11111111"))
            .map((one) => one.verdict)
        })
      )
      assert.deepStrictEqual(yield* verdicts, { failure: undefined, verdicts: ["complete"] })
      fs.rmSync(files.manifest)
      assert.deepStrictEqual(yield* verdicts, { failure: undefined, verdicts: ["partial"] })
      const cut = fs
        .readFileSync(files.events, "utf8")
        .split(/(?<=\n)/)
        .slice(0, -1)
      fs.writeFileSync(files.events, cut.join(""))
      assert.deepStrictEqual(yield* verdicts, { failure: "VerificationFailed", verdicts: ["broken"] })
      for (const left of ["", undefined]) {
        if (left === undefined) fs.rmSync(files.events)
        else fs.writeFileSync(files.events, left)
        assert.deepStrictEqual(yield* verdicts, { failure: "VerificationFailed", verdicts: ["broken"] })
      }
    }).pipe(Effect.scoped)
  )

  it.live("recover --finalize ends what no agent works on any more, and others only by name", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      yield* deliver(user, "44444444-dddd", session.slice(0, 2))
      const { manifest: file } = claudeArchive(user, "44444444-dddd")
      const gone = JSON.parse(fs.readFileSync(file, "utf8"))
      const statuses = (...args: ReadonlyArray<string>) =>
        Effect.map(runCommand(user, ["sessions", "recover", ...args, "--json"]), ({ out, err }) => ({
          statuses: (data(out).sessions as ReadonlyArray<{ status: string }>).map((one) => one.status),
          stays: err.includes("is being recorded and stays open")
        }))
      // The agent of this session is the parent of this process.
      assert.deepStrictEqual(yield* statuses("--finalize"), { statuses: ["active"], stays: true })
      fs.writeFileSync(file, JSON.stringify({ ...gone, agent_process: { ...gone.agent_process, start: "1" } }))
      assert.deepStrictEqual(yield* statuses(), { statuses: ["incomplete"], stays: false })
      fs.writeFileSync(file, JSON.stringify(gone))
      assert.deepStrictEqual(yield* statuses("44444444", "--finalize"), { statuses: ["incomplete"], stays: false })
      yield* deliver(user, "44444444-dddd", [{ hook_event_name: "UserPromptSubmit", prompt_id: "p2", prompt: "more" }])
      const again = JSON.parse(fs.readFileSync(file, "utf8"))
      fs.writeFileSync(file, JSON.stringify({ ...again, agent_process: { ...again.agent_process, start: "1" } }))
      assert.deepStrictEqual(yield* statuses("--finalize"), { statuses: ["incomplete"], stays: false })
      assert.strictEqual(JSON.parse(fs.readFileSync(file, "utf8")).end_reason, "recovered")
    }).pipe(Effect.scoped)
  )

  it.live("delete says before it asks that a session runs, or that others refer to it", () =>
    Effect.gen(function* () {
      const user = yield* twoSessions
      const { directory } = claudeArchive(user, "11111111-aaaa")
      const asked = Effect.map(
        runCommand(user, ["sessions", "delete", "11111111"], { answers: ["n"] }),
        (run) => run.err
      )
      assert.include(yield* asked, directory)
      assert.notInclude(yield* asked, "baseline")
      yield* Effect.flatMap(SessionArchive, (archive) => archive.freeze(directory)).pipe(
        Effect.provide(machineOf(user))
      )
      assert.include(yield* asked, "it is the baseline of a replay, scenario or experiment")
      yield* deliver(user, "44444444-dddd", session.slice(0, 2))
      const running = yield* runCommand(user, ["sessions", "delete", "44444444"], { answers: ["n"] })
      assert.include(running.err, "it is being recorded")
    }).pipe(Effect.scoped)
  )

  it.live("delete asks, takes no answer for a no, and removes the archive and its anchor on a yes", () =>
    Effect.gen(function* () {
      const user = yield* twoSessions
      const { directory } = claudeArchive(user, "11111111-aaaa")
      const anchors = () => fs.readdirSync(path.join(user.state, "anchors")).length
      assert.strictEqual((yield* runCommand(user, ["sessions", "delete", "11111111"])).failure, "NeedsConfirmation")
      assert.strictEqual(
        (yield* runCommand(user, ["sessions", "delete", "11111111"], { answers: ["n"] })).failure,
        "Cancelled"
      )
      assert.isTrue(fs.existsSync(directory))
      const before = anchors()
      const run = yield* runCommand(user, ["sessions", "delete", "11111111"], { answers: ["yes"] })
      assert.include(run.out, directory)
      assert.isFalse(fs.existsSync(directory))
      assert.isAtMost(anchors(), before)
    }).pipe(Effect.scoped)
  )

  it.live("verify takes no second word for what to check, which it would leave aside", () =>
    Effect.gen(function* () {
      const user = yield* twoSessions
      for (const more of [
        ["11111111"],
        ["nobody"],
        ["--against-transcript", path.join(user.directory, "transcript.jsonl")]
      ]) {
        const run = yield* runCommand(user, ["sessions", "verify", "--all", ...more])
        assert.strictEqual(run.failure, "NotBoth", more.join(" "))
      }
    }).pipe(Effect.scoped)
  )

  it.live("verify --all looks at the others when one cannot be read", () =>
    Effect.gen(function* () {
      const user = yield* twoSessions
      const { events, directory } = claudeArchive(user, "11112222-bbbb")
      fs.rmSync(events)
      fs.mkdirSync(events)
      const run = yield* runCommand(user, ["sessions", "verify", "--all", "--json"])
      assert.strictEqual(run.failure, "VerificationFailed")
      const verdicts = JSON.parse(run.out).sessions.map((one: Record<string, unknown>) => [one.session_id, one.verdict])
      assert.sameDeepMembers(verdicts, [
        [directory, "broken"],
        ["claude:11111111-aaaa", "complete"]
      ])
      assert.strictEqual((yield* runCommand(user, ["sessions", "verify", "11112222"])).failure, "DiskError")
    })
  )

  it.live("export says in every format what of a damaged log is not in it, and nothing of a whole one", () =>
    Effect.gen(function* () {
      const user = yield* twoSessions
      const { events } = claudeArchive(user, "11111111-aaaa")
      const out = (name: string) => ["--out", path.join(user.directory, name)]
      const damaged = fs.readFileSync(events, "utf8").split("\n")
      damaged[1] = "{ not an event"
      damaged[3] = "\0\0\0"
      for (const [log, pieces] of [
        [fs.readFileSync(events, "utf8"), 0],
        [damaged.join("\n"), 2]
      ] as const) {
        fs.writeFileSync(events, log)
        for (const format of ["jsonl", "markdown", "atif", "otlp", "agent-trace"]) {
          const args = ["sessions", "export", "11111111", "--format", format]
          for (const flags of [[], out(`${format}-${pieces}`)]) {
            const { err } = yield* runCommand(user, [...args, ...flags])
            const told =
              /^(\d+) damaged pieces of the log are not in the export: .lint-ai sessions verify claude:11111111-aaaa/m.exec(
                err
              )
            assert.strictEqual(told?.[1], pieces === 0 ? undefined : String(pieces), `${format} ${err}`)
          }
          const json = yield* runCommand(user, [...args, ...out(`${format}-${pieces}-json`), "--json"])
          assert.strictEqual(data(json.out).left_out, pieces)
        }
      }
    })
  )

  it.live("prune says what no rule may take, and why", () =>
    Effect.gen(function* () {
      const user = yield* twoSessions
      const { directory } = claudeArchive(user, "11111111-aaaa")
      yield* Effect.flatMap(SessionArchive, (archive) => archive.freeze(directory)).pipe(
        Effect.provide(machineOf(user))
      )
      const { out } = yield* runCommand(user, ["sessions", "prune", "--keep", "0", "--dry-run"])
      assert.strictEqual(
        out,
        "Nothing to delete: 2 sessions stay, 1 as the baseline of a replay, scenario or experiment and 1 still active.\n"
      )
    })
  )

  for (const [what, damage] of [
    ["is damaged", (file: string) => fs.writeFileSync(file, "garbage")],
    ["is gone", (file: string) => fs.rmSync(file)]
  ] as const) {
    const broken = Effect.gen(function* () {
      const user = yield* twoSessions
      const { directory, events } = claudeArchive(user, "11111111-aaaa")
      damage(path.join(directory, "manifest.json"))
      return { user, directory, events }
    })

    it.live(
      `an archive whose manifest ${what} is named by every command that was given its id, with what mends it`,
      () =>
        Effect.gen(function* () {
          const { user, directory } = yield* broken
          for (const command of ["inspect", "export", "view"]) {
            for (const given of ["1111111", "claude:11111111-aaaa", path.basename(directory), directory]) {
              const run = yield* runCommand(user, ["sessions", command, given])
              assert.strictEqual(run.failure, "SessionUnreadable", `${command} ${given}`)
            }
          }
          const other = yield* runCommand(user, ["sessions", "inspect", "claude"])
          assert.strictEqual(other.failure, undefined, "what fits one that can be read means that one")
          assert.strictEqual((yield* runCommand(user, ["sessions", "inspect", "nothing"])).failure, "SessionNotFound")
          yield* runCommand(user, ["sessions", "delete", "11112222", "--yes"])
          assert.strictEqual((yield* runCommand(user, ["sessions", "inspect"])).failure, "SessionUnreadable")
          yield* runCommand(user, ["sessions", "recover", "1111111"])
          assert.isUndefined((yield* runCommand(user, ["sessions", "inspect", "1111111"])).failure)
        })
    )

    it.live(`a baseline whose manifest ${what} gets it again, and its log is not touched`, () =>
      Effect.gen(function* () {
        const { user, directory, events } = yield* broken
        const before = fs.readFileSync(events)
        yield* Effect.flatMap(SessionArchive, (archive) => archive.freeze(directory)).pipe(
          Effect.provide(machineOf(user))
        )
        const mended = yield* runCommand(user, ["sessions", "recover", "--json"])
        assert.deepInclude(JSON.parse(mended.out).sessions.at(-1), { directory, event_count: 5, status: "completed" })
        assert.isTrue(before.equals(fs.readFileSync(events)))
        assert.isUndefined((yield* runCommand(user, ["sessions", "inspect", "1111111"])).failure)
        const again = yield* runCommand(user, ["sessions", "recover", "1111111"])
        assert.strictEqual(again.failure, "FrozenArchive")
      })
    )

    it.live(`an archive whose manifest ${what} can be deleted, and is not missed afterwards`, () =>
      Effect.gen(function* () {
        const { user, directory } = yield* broken
        assert.isUndefined((yield* runCommand(user, ["sessions", "delete", "1111111", "--yes", "--json"])).failure)
        assert.isFalse(fs.existsSync(directory))
        assert.isUndefined((yield* runCommand(user, ["sessions", "verify", "--all", "--json"])).failure)
      })
    )
  }

  it.live("recover mends a torn tail, and with --finalize ends what was left open", () =>
    Effect.gen(function* () {
      const user = yield* twoSessions
      const files = claudeArchive(user, "11112222-bbbb")
      fs.appendFileSync(files.events, '{"schema_version":1,"sequence":4,"ev')
      const { out } = yield* runCommand(user, ["sessions", "recover", "11112222", "--finalize", "--json"])
      const { sessions } = JSON.parse(out) as {
        sessions: ReadonlyArray<{ status: string; findings: ReadonlyArray<{ problem: string }> }>
      }
      assert.deepStrictEqual(
        sessions.map(({ status, findings }) => [status, ...findings.map((finding) => finding.problem)]),
        [["incomplete", "torn-tail"]]
      )
      const inspected = data((yield* runCommand(user, ["sessions", "inspect", "11112222", "--json"])).out)
      assert.strictEqual(inspected.end_reason, "recovered")
      assert.strictEqual(inspected.torn_tail, false)
      assert.strictEqual(
        data((yield* runCommand(user, ["sessions", "verify", "11112222", "--json"])).out).verdict,
        "complete"
      )
    }).pipe(Effect.scoped)
  )
})

describe("record", () => {
  it.live("start shows the card and turns on, stop ends what is open and leaves memory alone", () =>
    Effect.gen(function* () {
      const user = yield* twoSessions
      const stopped = yield* runCommand(user, ["record", "stop"])
      assert.include(stopped.out, "Recording is off")
      assert.include(stopped.out, "Session recorded")
      const next = ["sessions view", "sessions inspect", "sessions export", "memory promote", "sessions delete"]
      for (const command of next) assert.include(stopped.out, `lint-ai ${command} claude:11112222`)
      const inspected = data((yield* runCommand(user, ["sessions", "inspect", "11112222", "--json"])).out)
      assert.strictEqual(inspected.end_reason, "recording-stopped")
      assert.strictEqual(data((yield* runCommand(user, ["record", "status", "--json"])).out).recording, false)
      const started = yield* runCommand(user, ["record", "start"])
      assert.include(started.out, "Record session")
      assert.include(started.out, "lint-ai record stop claude")
      assert.strictEqual(data((yield* runCommand(user, ["record", "status", "--json"])).out).mode, "capture-only")
    }).pipe(Effect.scoped)
  )
})

describe("adopt", () => {
  it.live("a .lint-ai of somebody else is inert until its new owner says yes", () =>
    Effect.gen(function* () {
      const other = yield* twoSessions
      const user = yield* recordingUser
      fs.rmSync(path.join(user.project, ".lint-ai"), { recursive: true })
      fs.cpSync(path.join(other.project, ".lint-ai"), path.join(user.project, ".lint-ai"), { recursive: true })
      assert.strictEqual(data((yield* runCommand(user, ["status", "--json"])).out).consent, "inert")
      assert.strictEqual((yield* runCommand(user, ["record", "start"])).failure, "NotAdopted")
      yield* deliver(user, "33333333-cccc", session)
      assert.isFalse(fs.existsSync(claudeArchive(user, "33333333-cccc").directory))
      const asked = yield* runCommand(user, ["adopt"], { answers: ["y"] })
      assert.include(asked.err, "recording on")
      assert.strictEqual(data((yield* runCommand(user, ["status", "--json"])).out).consent, "adopted")
      yield* deliver(user, "33333333-cccc", session)
      assert.isTrue(fs.existsSync(claudeArchive(user, "33333333-cccc").directory))
    }).pipe(Effect.scoped)
  )

  for (const [what, make] of [
    ["a file", (place: string) => fs.writeFileSync(place, "hello\n")],
    ["a link to a file", (place: string) => fs.symlinkSync(import.meta.filename, place)],
    ["a link to a directory", (place: string) => fs.symlinkSync(import.meta.dirname, place)],
    ["a link to nothing", (place: string) => fs.symlinkSync("/no/such/place", place)]
  ] as const)
    it.live(`no command takes ${what} in its place for a .lint-ai`, () =>
      Effect.gen(function* () {
        const user = yield* newUser
        const place = path.join(user.project, ".lint-ai")
        make(place)
        const said = "it is a symbolic link or a file where a directory should be"
        for (const args of [["adopt", "--yes"], ["record", "start", "--yes"], ["enable"], ["init", "--yes"]]) {
          const { failure, exit, out } = yield* runCommand(user, args)
          assert.strictEqual(out, "")
          assert.deepStrictEqual(fs.readdirSync(user.project), [".lint-ai"])
          assert.strictEqual(failure, "NotAdopted", args.join(" "))
          assert.include(Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "", `${said}. Move it away.`)
        }
        for (const args of [["status"], ["record", "status"]])
          assert.include((yield* runCommand(user, args)).out.replace(/\s+/g, " "), `${said}. Move it away.`)
        if (what === "a file") assert.strictEqual((yield* runCommand(user, ["sessions", "list"])).err, "")
      }).pipe(Effect.scoped)
    )
})

describe("an archive of an older recorder", () => {
  it.live("is one without a chain, not one that was altered, and means itself by its id", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      const directory = path.join(user.project, ".lint-ai", "claude-sessions", "abc123")
      fs.mkdirSync(directory, { recursive: true })
      const common = { schema_version: 1, provider: "claude", session_id: "abc123" }
      const event = (sequence: number, kind: string, name: string, payload: object) =>
        `${JSON.stringify({ ...common, sequence, event_id: `abc123:${name}:${sequence}`, timestamp: `unix:${1754654400 + sequence}`, kind, payload, redactions: ["payload.prompt"] })}\n`
      fs.writeFileSync(
        path.join(directory, "events.jsonl"),
        event(1, "session_start", "SessionStart", {}) + event(2, "user_prompt", "UserPromptSubmit", { prompt: "hello" })
      )
      const manifest = {
        ...common,
        project_root: user.project,
        started_at: "unix:1754654400",
        ended_at: "unix:1754654999",
        status: "interrupted",
        recording_mode: "capture-only",
        event_count: 2
      }
      fs.writeFileSync(path.join(directory, "manifest.json"), JSON.stringify(manifest))
      yield* deliver(user, "abc123", session)

      for (const _again of [1, 2]) {
        const verified = yield* runCommand(user, ["sessions", "verify", "abc123", "--json"])
        assert.isUndefined(verified.failure)
        assert.deepInclude(data(verified.out), { session_id: "abc123", verdict: "unkeyed", event_count: 2 })
        assert.isUndefined((yield* runCommand(user, ["sessions", "recover", "abc123"])).failure)
      }
      const inspected = yield* runCommand(user, ["sessions", "inspect", "abc123"])
      assert.match(inspected.out, /Redactions +2\n/)
      assert.match(inspected.out, /Started +2025-08-08T12:00:00.000Z/)
      const other = yield* runCommand(user, ["sessions", "inspect", "claude:abc123", "--json"])
      assert.strictEqual(data(other.out).session_id, "claude:abc123")
    }).pipe(Effect.scoped)
  )
})

describe("archives whose key is not here", () => {
  it.live("stay as they are, whatever is run on them, and verify for who has the key", () =>
    Effect.gen(function* () {
      const owner = yield* twoSessions
      yield* deliver(owner, "44444444-dddd", session.slice(0, 2))
      const root = path.join(owner.project, ".lint-ai", "claude-sessions")
      // What a listing of one's own would mend.
      fs.rmSync(claudeArchive(owner, "44444444-dddd").checkpoint)
      const other = yield* newUser
      fs.cpSync(path.join(owner.project, ".lint-ai"), path.join(other.project, ".lint-ai"), { recursive: true })
      fs.appendFileSync(
        path.join(other.project, ".lint-ai", "claude-sessions", "claude-44444444-dddd", "events.jsonl"),
        "{"
      )
      const before = snapshot(other.project)
      for (const args of [
        ["sessions", "list"],
        ["sessions", "inspect"],
        ["sessions", "verify", "--all"],
        ["sessions", "recover"],
        ["sessions", "recover", "--finalize"],
        ["record", "stop"],
        ["status"],
        ["doctor"]
      ]) {
        const { out, failure } = yield* runCommand(other, args)
        assert.deepStrictEqual(snapshot(other.project), before, args.join(" "))
        // They are left alone on purpose, which is no failure, and they are there.
        if (args[1] === "recover") assert.isUndefined(failure)
        assert.notInclude(out, "No sessions to recover", args.join(" "))
      }
      assert.strictEqual((yield* runCommand(other, ["sessions", "recover", "44444444"])).failure, "KeyMissing")
      assert.include((yield* runCommand(other, ["record", "stop"])).err, "is not among yours")
      fs.cpSync(path.join(other.project, ".lint-ai", "claude-sessions"), root, { recursive: true })
      const verified = yield* runCommand(owner, ["sessions", "verify", "--all", "--json"])
      assert.isUndefined(verified.failure)
      assert.notInclude(verified.out, "broken")
    }).pipe(Effect.scoped)
  )
})

describe("turning something on", () => {
  it.live("says so when no hooks are there to do it", () =>
    Effect.gen(function* () {
      for (const agent of providers) {
        const user = yield* newUser
        const hint = `nothing comes of it yet: lint-ai install ${agent}`
        const commands = [
          ["record", "start", agent],
          ["record", "status", agent],
          ["enable", agent]
        ]
        for (const args of commands) {
          assert.include((yield* runCommand(user, args)).out, hint)
          assert.isFalse(data((yield* runCommand(user, [...args, "--json"])).out).hooks_installed)
        }
        yield* runCommand(user, ["install", agent, "--scope", "user", "--yes"])
        for (const args of commands) {
          const { out } = yield* runCommand(user, args)
          assert.notInclude(out, hint)
          // Codex alone asks for trust, and runs nothing before it has it.
          assert.strictEqual(out.includes("nothing comes of it yet: lint-ai codex trust"), agent === "codex")
          const state = data((yield* runCommand(user, [...args, "--json"])).out)
          assert.isTrue(state.hooks_installed)
          assert.strictEqual(state.hooks_idle_because === null, agent !== "codex")
        }
      }
    }).pipe(Effect.scoped)
  )

  it.live("says so when the hooks are there and switched off", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* runCommand(user, ["install", "claude", "--yes"])
      const file = path.join(user.project, ".claude", "settings.local.json")
      fs.writeFileSync(file, JSON.stringify({ ...JSON.parse(fs.readFileSync(file, "utf8")), disableAllHooks: true }))
      for (const args of [["record", "start"], ["record", "status"], ["enable"]]) {
        const { out } = yield* runCommand(user, args)
        assert.include(out, `But ${file} switches all hooks of Claude Code off, so nothing comes of it yet`)
      }
      const last = (yield* runCommand(user, ["init", "--yes"])).out.trimEnd().split("\n").at(-1)
      assert.include(last, `But ${file} switches all hooks of Claude Code off, so nothing comes of it yet`)
    }).pipe(Effect.scoped)
  )

  it.live(
    "says so when the agent does not use the file that they are in, and does not send to what would not help",
    () =>
      Effect.gen(function* () {
        const user = yield* newUser
        const file = path.join(user.project, ".claude", "settings.local.json")
        fs.mkdirSync(path.dirname(file))
        fs.writeFileSync(file, '{ "model": "opus", } // mine')
        for (const args of [
          ["init", "--yes"],
          ["install", "claude", "--session-recording", "capture-only", "--yes"],
          ["record", "start"],
          ["record", "status"],
          ["enable"]
        ]) {
          const { out } = yield* runCommand(user, args)
          assert.include(out.trimEnd().split("\n").at(-1), `But Claude Code does not use ${file}`, args.join(" "))
          assert.notInclude(out, "nothing comes of it yet: lint-ai install")
        }
      }).pipe(Effect.scoped)
  )
})

describe("what stands in the way of sessions", () => {
  it.live("is not taken for sessions that never were", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      yield* deliver(user, "11111111-a", session)
      const directory = path.join(user.project, ".lint-ai", "claude-sessions", "claude-11111111-a")
      for (const content of ["", "{}", '{"session_id": 5}']) {
        fs.writeFileSync(path.join(directory, "manifest.json"), content)
        const { out, err } = yield* runCommand(user, ["sessions", "list"])
        assert.strictEqual(out, "No session can be read.\n")
        assert.include(err, `${directory} cannot be read as a session`)
      }
    }).pipe(Effect.scoped)
  )

  for (const args of [
    ["sessions", "delete", "11111111", "22222222", "33333333", "--yes", "--json"],
    ["sessions", "prune", "--keep", "0", "--yes", "--json"]
  ])
    it.live(`a session that cannot be removed keeps nobody from removing and telling the others: ${args[1]}`, () =>
      Effect.gen(function* () {
        const user = yield* recordingUser
        const ids = ["11111111-a", "22222222-b", "33333333-c"]
        for (const id of ids) yield* deliver(user, id, session)
        const anchors = path.join(user.state, "anchors")
        const stuck = fs
          .readdirSync(anchors)
          .map((name) => path.join(anchors, name))
          .find((file) => fs.readFileSync(file, "utf8").includes("22222222-b"))
        assert.isDefined(stuck)
        fs.rmSync(stuck)
        fs.mkdirSync(path.join(stuck, "full"), { recursive: true })
        const { out, err, failure } = yield* runCommand(user, args)
        assert.strictEqual(failure, "NotDeleted")
        assert.include(err, stuck)
        const left = [path.join(user.project, ".lint-ai", "claude-sessions", "claude-22222222-b")]
        const told = JSON.parse(out)
        assert.deepStrictEqual(told.left, left)
        assert.deepStrictEqual(told.deleted.map((one: { session_id: string }) => one.session_id).toSorted(), [
          "claude:11111111-a",
          "claude:33333333-c"
        ])
        assert.deepStrictEqual(
          ids.map((id) => fs.existsSync(path.join(user.project, ".lint-ai", "claude-sessions", `claude-${id}`))),
          [false, true, false]
        )
      }).pipe(Effect.scoped)
    )

  for (const [what, place] of [
    ["the sessions of an agent", ".lint-ai/claude-sessions"],
    [".lint-ai", ".lint-ai"]
  ] as const)
    it.live(`a link in the place of ${what} is not followed by any command`, () =>
      Effect.gen(function* () {
        const user = yield* twoSessions
        const elsewhere = path.join(user.directory, "elsewhere")
        fs.renameSync(path.join(user.project, place), elsewhere)
        fs.symlinkSync(elsewhere, path.join(user.project, place))
        const before = snapshot(elsewhere)
        for (const args of [
          ["sessions", "list"],
          ["sessions", "inspect", "11112222"],
          ["sessions", "export", "11112222"],
          ["sessions", "recover"],
          ["sessions", "recover", "11112222", "--finalize"],
          ["sessions", "delete", "11112222", "--yes"],
          ["sessions", "prune", "--keep", "0", "--yes"],
          ["record", "stop"]
        ]) {
          const { out } = yield* runCommand(user, args)
          assert.notInclude(out, "11112222", args.join(" "))
          assert.deepStrictEqual(snapshot(elsewhere), before, args.join(" "))
        }
        assert.include((yield* runCommand(user, ["sessions", "list"])).err, "a link")
      }).pipe(Effect.scoped)
    )

  it.live("whose key cannot be read is not mended, and the disk is not blamed for it", () =>
    Effect.gen(function* () {
      const user = yield* twoSessions
      fs.writeFileSync(path.join(user.config, "keys.json"), "{")
      const { err, failure } = yield* runCommand(user, ["sessions", "recover"])
      assert.strictEqual(failure, "NotRecovered")
      assert.include(err, "keys.json: what is in it cannot be read. Put it back from a backup.")
    }).pipe(Effect.scoped)
  )

  for (const [what, spoil] of [
    ["a link", (file: string) => fs.symlinkSync("/etc/hostname", file)],
    ["a directory", (file: string) => fs.mkdirSync(file)]
  ] as const)
    it.live(`${what} in the place of one log keeps nobody from the others`, () =>
      Effect.gen(function* () {
        const user = yield* twoSessions
        const { sessions } = data((yield* runCommand(user, ["sessions", "list", "--json"])).out) as {
          sessions: ReadonlyArray<{ session_id: string; path: string }>
        }
        for (const { path: directory, session_id } of sessions) {
          const file = path.join(directory, "events.jsonl")
          const kept = fs.readFileSync(file)
          fs.rmSync(file)
          spoil(file)
          const { out, failure } = yield* runCommand(user, ["sessions", "list"])
          assert.isUndefined(failure)
          for (const one of sessions) assert.include(out, one.session_id)
          assert.isUndefined((yield* runCommand(user, ["status"])).failure)
          const recovered = yield* runCommand(user, ["sessions", "recover", "--json"])
          assert.strictEqual(recovered.failure, "NotRecovered")
          const { sessions: mended, left } = JSON.parse(recovered.out)
          assert.strictEqual(mended.length, sessions.length - 1)
          assert.deepStrictEqual(
            left.map((one: { directory: string }) => one.directory),
            [directory]
          )
          assert.strictEqual((yield* runCommand(user, ["sessions", "inspect", session_id])).failure, "DiskError")
          const watch = ["watch", "--once", "--follow", session_id]
          assert.strictEqual((yield* runCommand(user, watch)).failure, "DiskError")
          const search = yield* runCommand(user, ["sessions", "search", "e"])
          assert.include(search.err, file)
          assert.include(search.out, `in ${sessions.length - 1} session`)
          const found = data((yield* runCommand(user, ["sessions", "search", "e", "--json"])).out)
          assert.deepInclude(found, { unreadable: [directory] })
          fs.rmSync(file, { recursive: true })
          fs.writeFileSync(file, kept)
        }
      }).pipe(Effect.scoped)
    )
})

describe("a session root of one's own", () => {
  it.live("is refused where no directory can be", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const file = path.join(user.directory, "file")
      fs.writeFileSync(file, "")
      fs.symlinkSync(file, path.join(user.directory, "link"))
      for (const root of ["file", "file/below", "link"])
        for (const args of [
          ["record", "start", "--yes"],
          ["install", "claude", "--session-recording", "capture-only", "--yes"]
        ]) {
          const { failure } = yield* runCommand(user, [...args, "--session-root", path.join(user.directory, root)])
          assert.strictEqual(failure, "SessionRootUnusable", `${args} ${root}`)
        }
      assert.deepStrictEqual(fs.readdirSync(user.project), [])
    }).pipe(Effect.scoped)
  )

  it.live("is not the working directory when a variable was empty, and no other path is", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      for (const args of [
        ["record", "start", "--yes", "--session-root", ""],
        ["record", "start", "--yes", "--session-root="],
        ["record", "start", "--yes", "--project", ""],
        ["install", "claude", "", "--yes"],
        ["install", "claude", "--settings", "", "--yes"],
        ["status", ""],
        ["sessions", "inspect", ""],
        ["sessions", "export", "--out", ""]
      ])
        assert.notStrictEqual((yield* runCommand(user, args)).failure, undefined, args.join(" "))
      assert.deepStrictEqual(fs.readdirSync(user.project), [])
    }).pipe(Effect.scoped)
  )

  it.live("given at install holds from then on, also while nothing is recorded", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      const root = path.join(user.directory, "archives")
      yield* runCommand(user, ["record", "stop"])
      const install = ["install", "claude", "--session-root", root, "--yes"]
      const dry = yield* runCommand(user, [...install, "--dry-run"])
      assert.include(dry.out, root)
      assert.notInclude((yield* runCommand(user, ["record", "status"])).out, root)
      assert.isUndefined((yield* runCommand(user, install)).failure)
      const state = JSON.parse((yield* runCommand(user, ["record", "status", "--json"])).out)
      assert.deepStrictEqual([state.recording, state.session_root], [false, root])
      yield* runCommand(user, ["record", "start", "--yes"])
      assert.include((yield* runCommand(user, ["record", "status"])).out, root)
    }).pipe(Effect.scoped)
  )

  it.live("that was there before, in a Git work tree, is pointed out", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      fs.mkdirSync(path.join(user.project, ".git"))
      fs.mkdirSync(path.join(user.project, "records"))
      const note = "tell Git to ignore what is recorded there"
      for (const args of [
        ["record", "start", "--yes"],
        ["install", "claude", "--session-recording", "capture-only", "--yes"]
      ]) {
        const said = (root: string) =>
          Effect.map(runCommand(user, [...args, "--session-root", path.join(user.project, root)]), ({ out }) => out)
        assert.include(yield* said("records"), note)
        for (const own of ["new", ".lint-ai/claude-sessions"]) assert.notInclude(yield* said(own), note)
      }
    }).pipe(Effect.scoped)
  )
})
