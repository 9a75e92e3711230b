import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Check } from "../../src/cli/doctor/Check.ts"
import { MemoryStore } from "../../src/memory/MemoryStore.ts"
import { memoryPlace } from "../../src/memory/memoryPlace.ts"
import { Sqlite } from "../../src/platform/Sqlite.ts"
import { claudeAdapter } from "../../src/providers/claude/adapter.ts"
import { Recorder } from "../../src/recorder/Recorder.ts"
import { runCommand } from "../support/cli.ts"
import { machineOf, recordingUser, snapshot, type TestUser } from "../support/recording.ts"

const data = (text: string) => JSON.parse(text)

const texts = [
  "The retryQueue connects to redis on port 6380, because docker-compose maps it so.",
  "We chose esbuild over webpack for the extension, since its cache was stale."
]

/** A user whose project remembers two sessions. */
const rememberingUser = Effect.tap(recordingUser, (user) =>
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const place = yield* memoryPlace(user.project, "claude")
    yield* store.add(
      place,
      texts.map((text, at) => ({
        kind: "outcome" as const,
        sessionId: `claude:s${at}`,
        text,
        place: "turn/1",
        identity: [text],
        revision: null,
        branch: null,
        created: `2026-11-0${at + 1}T10:00:00.000Z`
      }))
    )
  }).pipe(Effect.provide(machineOf(user)))
)

const deliver = (user: TestUser, id: string, payloads: ReadonlyArray<Readonly<Record<string, unknown>>>) =>
  Effect.gen(function* () {
    const recorder = yield* Recorder
    for (const payload of payloads) {
      const given = { session_id: id, cwd: user.project, ...payload }
      const delivery = yield* claudeAdapter.read({ payload: given, event: undefined, env: user.env })
      yield* recorder.record(claudeAdapter, delivery, 1_000)
    }
  }).pipe(Effect.provide(machineOf(user)))

const session = [
  { hook_event_name: "SessionStart", source: "startup" },
  { hook_event_name: "UserPromptSubmit", prompt_id: "p1", prompt: "Why does the ledger rebuild fail?" },
  {
    hook_event_name: "PreToolUse",
    prompt_id: "p1",
    tool_name: "Bash",
    tool_input: { command: "make ledger" },
    tool_use_id: "t1"
  },
  {
    hook_event_name: "PostToolUse",
    prompt_id: "p1",
    tool_name: "Bash",
    tool_input: {},
    tool_response: "outputword",
    tool_use_id: "t1"
  },
  {
    hook_event_name: "Stop",
    prompt_id: "p1",
    last_assistant_message: "The snapshot was missing; it is made first now."
  },
  { hook_event_name: "UserPromptSubmit", prompt_id: "p2", prompt: "And the invoices?" },
  { hook_event_name: "Stop", prompt_id: "p2", last_assistant_message: "They are derived from the ledger." },
  { hook_event_name: "SessionEnd", prompt_id: "p2", reason: "other" }
]

describe("memory", () => {
  it.live("without any says what to do, and makes nothing", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      const before = snapshot(user.project)
      for (const args of [["list"], ["stats"], ["rebuild"]]) {
        assert.include((yield* runCommand(user, ["memory", ...args])).out, "lint-ai memory promote")
      }
      assert.include((yield* runCommand(user, ["memory", "search", "x"])).out, 'Nothing found for "x"')
      assert.deepStrictEqual(data((yield* runCommand(user, ["memory", "list", "--json"])).out), { memories: [] })
      assert.strictEqual((yield* runCommand(user, ["memory", "show", "mem_1"])).failure, "MemoryNotFound")
      assert.strictEqual((yield* runCommand(user, ["memory", "forget", "--yes"])).failure, "NothingToForget")
      assert.deepStrictEqual(snapshot(user.project), before)
    }).pipe(Effect.scoped)
  )

  it.live("lists, shows and searches what is there, on any width of a terminal", () =>
    Effect.gen(function* () {
      const user = yield* rememberingUser
      const { memories } = data((yield* runCommand(user, ["memory", "list", "--json"])).out)
      assert.deepStrictEqual(
        memories.map(({ text }: { readonly text: string }) => text),
        [texts[1], texts[0]]
      )
      for (const columns of [30, 40, 80, 200]) {
        const { out } = yield* runCommand(user, ["memory", "list"], { columns })
        for (const line of out.split("\n")) assert.isAtMost(line.length, columns)
      }
      const shown = yield* runCommand(user, ["memory", "show", memories[0].id.slice(4, 12)])
      assert.include(shown.out, texts[1] ?? "")
      assert.include(shown.out, "lint-ai://claude/session/s1/turn/1")
      assert.strictEqual((yield* runCommand(user, ["memory", "show", "mem_"])).failure, "MemoryAmbiguous")
      const { results } = data((yield* runCommand(user, ["memory", "search", "retry", "queue", "--json"])).out)
      assert.strictEqual(results[0].memory.text, texts[0])
      assert.deepInclude(results[0], { excerpt: texts[0] })
      assert.includeMembers(results[0].matched, ["retri", "queue"])
      assert.strictEqual(results[0].memory.revision_status, "unknown")
    }).pipe(Effect.scoped)
  )

  it.live("forgets by id and by session, and asks first", () =>
    Effect.gen(function* () {
      const user = yield* rememberingUser
      const { memories } = data((yield* runCommand(user, ["memory", "list", "--json"])).out)
      assert.strictEqual((yield* runCommand(user, ["memory", "forget", memories[0].id])).failure, "NeedsConfirmation")
      assert.strictEqual(
        (yield* runCommand(user, ["memory", "forget", memories[0].id], { answers: ["n"] })).failure,
        "Cancelled"
      )
      yield* runCommand(user, ["memory", "forget", memories[0].id, "--yes"])
      const left = data((yield* runCommand(user, ["memory", "list", "--json"])).out).memories
      assert.deepStrictEqual(
        left.map(({ id }: { readonly id: string }) => id),
        [memories[1].id]
      )
      const gone = data(
        (yield* runCommand(user, ["memory", "forget", "--session", "claude:s0", "--yes", "--json"])).out
      )
      assert.deepStrictEqual(gone, { forgotten: [memories[1].id] })
      assert.notInclude(
        JSON.stringify(snapshot(path.join(user.project, ".lint-ai", "claude-memory", "segments"))),
        "6380"
      )
      const stats = data((yield* runCommand(user, ["memory", "stats", "--json"])).out)
      assert.strictEqual(stats.memories[0].stats.records, 0)
    }).pipe(Effect.scoped)
  )
})

describe("the session of a memory", () => {
  const namedOf = (given: string) =>
    Effect.gen(function* () {
      const user = yield* rememberingUser
      return yield* runCommand(user, ["memory", "list", "--session", given, "--json"])
    }).pipe(Effect.scoped)

  for (const given of ["claude:s0", "s0", "claude-s0"]) {
    it.live(`may be called ${given}`, () =>
      Effect.gen(function* () {
        const { memories } = data((yield* namedOf(given)).out)
        assert.deepStrictEqual(
          memories.map(({ text }: { readonly text: string }) => text),
          [texts[0]]
        )
      })
    )
  }

  it.live("that nothing is remembered of, or that is one of several, is said to be so", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* namedOf("s3")).failure, "MemorySessionNotFound")
      assert.strictEqual((yield* namedOf("s")).failure, "MemorySessionAmbiguous")
      const user = yield* rememberingUser
      const forgotten = yield* runCommand(user, ["memory", "forget", "--session", "s3", "--yes"])
      assert.strictEqual(forgotten.failure, "MemorySessionNotFound")
      const ofKind = yield* runCommand(user, ["memory", "list", "--kind", "fact"])
      assert.strictEqual(ofKind.out, "No memory is of this kind.\n")
    }).pipe(Effect.scoped)
  )
})

describe("a memory where there is no SQLite", () => {
  it.live("is said to be searched by nobody: by what turns it on, by doctor, and by what reads it", () =>
    Effect.gen(function* () {
      const user = yield* rememberingUser
      const without = { sqlite: Sqlite.layerNone }
      const doctor = (options: typeof without | undefined) =>
        Effect.map(runCommand(user, ["doctor", "--json"], options), ({ out }) =>
          (data(out).checks as ReadonlyArray<Check>).filter(({ found }) => found.includes("no SQLite"))
        )
      // Nobody asked for memory yet.
      assert.deepStrictEqual(yield* doctor(without), [])
      const enabled = yield* runCommand(user, ["enable", "claude"], without)
      assert.isUndefined(enabled.failure)
      assert.include(enabled.err, "This Node has no SQLite, so memory cannot be searched. Use the compiled lint-ai,")
      assert.deepStrictEqual(yield* doctor(without), [
        {
          name: "memory",
          state: "warn",
          found: "This Node has no SQLite, so memory cannot be searched",
          remedy: "Use the compiled lint-ai, Node 22.16 or later, or install the package libsql beside lint-ai."
        }
      ])
      assert.strictEqual((yield* runCommand(user, ["memory", "search", "redis"], without)).failure, "SqliteUnavailable")
      assert.notInclude((yield* runCommand(user, ["enable", "claude"])).err, "SQLite")
      assert.deepStrictEqual(yield* doctor(undefined), [])
    }).pipe(Effect.scoped)
  )
})

describe("a memory of which something is given to nobody", () => {
  const faults: ReadonlyArray<readonly [what: string, change: (text: string) => string, words: string | undefined]> = [
    ["is whole", (text) => text, undefined],
    ["was edited", (text) => text.replace("6380", "6381"), "1 memory was altered, or signed by no key of yours"],
    ["is torn", (text) => text.slice(0, -20), "1 line cannot be read"],
    ["has damaged lines", (text) => `{{{\n${text}x\n`, "2 lines cannot be read"],
    [
      "was edited and is torn",
      (text) => text.replace("6380", "6381").slice(0, -20),
      "1 line cannot be read, 1 memory was altered, or signed by no key of yours"
    ]
  ]
  for (const [what, change, words] of faults) {
    it.live(`because it ${what} is told where one looks for that`, () =>
      Effect.gen(function* () {
        const user = yield* rememberingUser
        const file = path.join(user.project, ".lint-ai/claude-memory/segments/00000001.jsonl")
        fs.writeFileSync(file, change(fs.readFileSync(file, "utf8")))
        const outputs = [
          (yield* runCommand(user, ["memory", "stats"])).out,
          (yield* runCommand(user, ["memory", "rebuild"])).out,
          (yield* runCommand(user, ["doctor"])).out
        ]
        for (const out of outputs) {
          if (words === undefined) assert.notInclude(out, "given to nobody")
          else assert.include(out, `${words}: given to nobody`)
        }
      }).pipe(Effect.scoped)
    )
  }

  it.live("because it came from elsewhere is told by doctor, with what takes it over", () =>
    Effect.gen(function* () {
      const user = yield* rememberingUser
      fs.rmSync(path.join(user.project, ".lint-ai/claude-memory/owner.json"))
      const { out } = yield* runCommand(user, ["doctor"])
      assert.match(out, /memory of Claude Code: .*is not yours.*\n.*lint-ai memory adopt/)
    }).pipe(Effect.scoped)
  )
})

describe("memory promote", () => {
  const promoted = (user: TestUser, ...args: ReadonlyArray<string>) =>
    Effect.map(runCommand(user, ["memory", "promote", "one", "--yes", "--json", ...args]), ({ out }) => data(out))

  it.live("makes a memory of each turn, once, with a link to its events", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      yield* deliver(user, "one", session)
      const preview = data((yield* runCommand(user, ["memory", "promote", "one", "--preview", "--json"])).out)
      assert.deepStrictEqual(
        preview.memories.map(({ events, text }: { readonly events: string; readonly text: string }) => [events, text]),
        [
          [
            "2-3,5",
            "Request: Why does the ledger rebuild fail?\nBash: make ledger\nResult: The snapshot was missing; it is made first now."
          ],
          ["6-7", "Request: And the invoices?\nResult: They are derived from the ledger."]
        ]
      )
      assert.isFalse(fs.existsSync(path.join(user.project, ".lint-ai", "claude-memory")))

      const first = yield* promoted(user)
      assert.deepInclude(first, { session_id: "claude:one", skipped_events: 3, known: [] })
      assert.strictEqual(first.added.length, 2)
      assert.deepInclude(yield* promoted(user), { added: [], known: first.added })
      const { memories } = data((yield* runCommand(user, ["memory", "list", "--json"])).out)
      assert.deepStrictEqual(memories.map(({ source }: { readonly source: string }) => source).sort(), [
        "lint-ai://claude/session/one/events/2-3,5",
        "lint-ai://claude/session/one/events/6-7"
      ])
      yield* runCommand(user, ["sessions", "delete", "one", "--yes"])
      const { results } = data((yield* runCommand(user, ["memory", "search", "ledger", "snapshot", "--json"])).out)
      assert.include(results[0].memory.text, "The snapshot was missing")
    }).pipe(Effect.scoped)
  )

  it.live("takes the events and the fields that were chosen", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      yield* deliver(user, "one", session)
      const preview = (...args: ReadonlyArray<string>) =>
        Effect.map(runCommand(user, ["memory", "promote", "one", "--preview", "--json", ...args]), ({ out }) =>
          data(out).memories.map(({ events }: { readonly events: string }) => events)
        )
      assert.deepStrictEqual(yield* preview("--events", "2-5"), ["2-3,5"])
      assert.deepStrictEqual(yield* preview("--events", "2-5", "--exclude", "3"), ["2,5"])
      assert.deepStrictEqual(yield* preview("--exclude", "2-5", "--exclude", "6"), ["7"])
      assert.deepStrictEqual(yield* preview("--fields", "answers"), ["5,7"])
      assert.deepStrictEqual(yield* preview("--fields", "results"), ["4"])
      assert.deepStrictEqual(yield* preview("--events", "90-99"), [])
      for (const [args, tag] of [
        [["--events", "5-2"], "EventsInvalid"],
        [["--events", "x"], "EventsInvalid"],
        [["--exclude", "1-x"], "EventsInvalid"],
        [["--fields", "thoughts"], "FieldUnknown"]
      ] as const) {
        const run = yield* runCommand(user, ["memory", "promote", "one", "--preview", ...args])
        assert.strictEqual(run.failure, tag, args.join(" "))
      }
      assert.strictEqual((yield* runCommand(user, ["memory", "promote", "one"])).failure, "NeedsConfirmation")
      assert.strictEqual((yield* runCommand(user, ["memory", "promote", "absent"])).failure, "SessionNotFound")
    }).pipe(Effect.scoped)
  )
})
