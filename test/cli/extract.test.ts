import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { PreparedEvent } from "../../src/archive/preparedEvent.ts"
import { extractorHosts } from "../../src/memory/extraction/contract.ts"
import { installFakeAgent } from "../memory/extraction/fakeAgents.ts"
import { runCommand } from "../support/cli.ts"
import { answered, append, called, ended, eventOf, filesOf, prompt, started } from "../support/events.ts"
import { machineOf, recordingUser, snapshot, type TestUser } from "../support/recording.ts"

const key = `sk-ant-api03-${"a1B2".repeat(24)}-AAAA`
const decision = {
  kind: "decision",
  title: "Postgres over SQLite",
  body: "The job queue uses Postgres because SQLite locked up under eight workers.",
  tags: ["database"]
} as const
const fact = {
  kind: "memory",
  title: "How to run the tests",
  body: "The tests need `make seed` before `npm test`, or the fixtures are missing.",
  tags: []
} as const

const recorded = (user: TestUser, events: ReadonlyArray<PreparedEvent>) =>
  append(user, events).pipe(Effect.provide(machineOf(user)))

/** A user with one recorded session: events 1 to 6. */
const userWithSession = Effect.gen(function* () {
  const user = yield* recordingUser
  yield* recorded(user, [
    started(),
    prompt("p1", "Which database should the job queue use?"),
    called("c1"),
    answered("SQLite locked up under eight workers, so the job queue uses Postgres now."),
    prompt("p2", "The tests fail without fixtures"),
    answered("Run make seed before npm test: the fixtures were missing.")
  ])
  return user
})

const staging = (user: TestUser) => path.join(user.project, ".lint-ai", "claude-memory", "staging")
const receipts = (user: TestUser) =>
  fs
    .readdirSync(path.join(staging(user), "receipts"))
    .map((name) => JSON.parse(fs.readFileSync(path.join(staging(user), "receipts", name), "utf8")).receipt)

describe("extract", () => {
  for (const host of extractorHosts) {
    it.live(`by ${host} stages what it proposes, with the events that it comes from`, () =>
      Effect.gen(function* () {
        const user = yield* userWithSession
        const agent = installFakeAgent(user, host)
        agent.reply(1, [decision, fact])
        const run = yield* runCommand(user, ["extract", "s", "--host", host, "--json"], agent)
        assert.isUndefined(run.failure, run.err)
        const report = JSON.parse(run.out)
        assert.deepInclude(report, {
          ok: true,
          session_id: "claude:s",
          host,
          form: "conversation",
          chunks: 1,
          candidates: 2
        })
        assert.deepStrictEqual(report.events, { from: 2, to: 6 })
        assert.deepStrictEqual(
          report.staged.map(({ title, events, grounded }: Record<string, unknown>) => ({ title, events, grounded })),
          [
            { title: decision.title, events: [2, 4], grounded: true },
            { title: fact.title, events: [6], grounded: true }
          ]
        )
        assert.include(
          agent.sent(1),
          "user: Which database should the job queue use?\nassistant [tool_use: Bash]\nassistant: SQLite"
        )
        assert.include(run.err, "it goes to the agent's model")
      }).pipe(Effect.scoped)
    )
  }

  it.live("says what leaves the machine where something does, once, and not where there is nothing to send", () =>
    Effect.gen(function* () {
      const user = yield* userWithSession
      const agent = installFakeAgent(user, "claude")
      agent.reply(1, [decision])
      const first = yield* runCommand(user, ["extract"], agent)
      assert.lengthOf(first.err.match(/it goes to the agent's model/g) ?? [], 1)
      const second = yield* runCommand(user, ["extract"], agent)
      assert.include(second.out, "Nothing new since the last extraction")
      assert.strictEqual(second.err, "")
      assert.strictEqual(agent.runs(), 1)
    }).pipe(Effect.scoped)
  )

  it.live("goes on where it stopped, and an empty answer is one", () =>
    Effect.gen(function* () {
      const user = yield* userWithSession
      const agent = installFakeAgent(user, "claude")
      agent.reply(1, [])
      agent.reply(2, [fact])
      agent.reply(3, [])
      const first = yield* runCommand(user, ["extract"], agent)
      assert.strictEqual(first.out, "Claude Code found nothing that lasts in events 2 to 6 of claude:s.\n")
      assert.match((yield* runCommand(user, ["extract"], agent)).out, /^Nothing new since the last extraction/)
      assert.strictEqual(agent.runs(), 1, "nothing new is no reason to start an agent")
      yield* recorded(user, [prompt("p3", "And how do I run the tests?"), ended()])
      const second = yield* runCommand(user, ["extract"], agent)
      assert.match(
        second.out,
        /^Claude Code found 1 note in event 7 of claude:s\.\n\nID +KIND +TITLE\ncand_\w+ +memory +How to run the tests\n\n`lint-ai extract review`/
      )
      assert.notInclude(agent.sent(2), "Which database")
      yield* runCommand(user, ["extract", "--again"], agent)
      assert.include(agent.sent(3), "Which database")
      assert.include(agent.sent(3), "And how do I")
    }).pipe(Effect.scoped)
  )

  it.live("shows what it would send and sends nothing", () =>
    Effect.gen(function* () {
      const user = yield* userWithSession
      const agent = installFakeAgent(user, "claude")
      const run = yield* runCommand(user, ["extract", "--preview"], agent)
      assert.match(run.out, /^user: Which database should the job queue use\?\nassistant \[tool_use: Bash\]\n/)
      assert.strictEqual(agent.runs(), 0)
      assert.isFalse(fs.existsSync(staging(user)))
    }).pipe(Effect.scoped)
  )

  it.live("fails loudly, keeps the cursor, and leaves a receipt without what the agent may have let slip", () =>
    Effect.gen(function* () {
      const user = yield* userWithSession
      const agent = installFakeAgent(user, "claude")
      const run = yield* runCommand(user, ["extract", "--json"], agent)
      assert.strictEqual(run.failure, "ExtractionFailed")
      assert.strictEqual(run.out, "")
      assert.notInclude(String(run.exit), key)
      const [receipt, ...others] = receipts(user)
      assert.deepStrictEqual(others, [])
      assert.deepInclude(receipt, {
        _tag: "failure",
        session_id: "claude:s",
        host: "claude",
        reason: "extractor-failed"
      })
      assert.match(receipt.error, /^no reply, key \[REDACTED:/)
      agent.reply(2, [fact])
      const again = JSON.parse((yield* runCommand(user, ["extract", "--json"], agent)).out)
      assert.deepStrictEqual(again.events, { from: 2, to: 6 })
      assert.deepStrictEqual(receipts(user), [], "nobody is told to do again what was done since")
    }).pipe(Effect.scoped)
  )

  it.live("keeps out secrets, thin notes and what is known, and says why without the text", () =>
    Effect.gen(function* () {
      const user = yield* userWithSession
      const agent = installFakeAgent(user, "claude")
      agent.reply(1, [
        decision,
        { ...decision, title: "Postgres over  SQLite!" },
        {
          ...decision,
          body: "Under eight workers SQLite locks up: because of this, Postgres is used by the job queues."
        },
        { ...fact, tags: [key] },
        { ...fact, body: "too short" },
        { ...fact, body: "That was it for today, and then some more of it." }
      ])
      const run = yield* runCommand(user, ["extract", "--json"], agent)
      const report = JSON.parse(run.out)
      assert.lengthOf(report.staged, 1)
      assert.deepStrictEqual(
        report.dropped.map(({ category }: { category: string }) => category),
        ["duplicate-lexical", "duplicate-semantic", "secret-detected", "too-thin", "trivia"]
      )
      for (const drop of report.dropped) assert.hasAllKeys(drop, ["category", "recoverable", "cause", "next_action"])
      const everything = fs
        .readdirSync(staging(user), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => fs.readFileSync(path.join(entry.parentPath, entry.name), "utf8"))
        .join("")
      assert.notInclude(everything + run.out, key)
      assert.deepInclude(receipts(user)[0], { _tag: "dropped" })
    }).pipe(Effect.scoped)
  )

  it.live("takes nothing of a reply that breaks the schema", () =>
    Effect.gen(function* () {
      const user = yield* userWithSession
      const agent = installFakeAgent(user, "codex")
      agent.reply(1, [fact, { ...decision, source: "x" }])
      const run = yield* runCommand(user, ["extract", "--host", "codex"], agent)
      assert.strictEqual(run.failure, "ExtractionFailed")
      assert.deepStrictEqual(fs.readdirSync(path.join(staging(user), "candidates")), [])
      assert.deepInclude(receipts(user)[0], { reason: "malformed-output", host: "codex" })
    }).pipe(Effect.scoped)
  )

  it.live(
    "sends events that nobody knows as they are, and fails for an archive without any; never is either empty",
    () =>
      Effect.gen(function* () {
        const user = yield* recordingUser
        const agent = installFakeAgent(user, "claude")
        yield* recorded(user, [started()])
        const silent = yield* runCommand(user, ["extract"], agent)
        assert.strictEqual(silent.failure, "ExtractionFailed")
        assert.deepInclude(receipts(user)[0], { reason: "transcript-unavailable" })
        assert.strictEqual(agent.runs(), 0)
        yield* recorded(user, [
          eventOf("provider_event", "new", { name: "BrandNew", fields: { said: "we chose Postgres" } })
        ])
        agent.reply(1, [])
        const run = yield* runCommand(user, ["extract", "--json"], agent)
        assert.deepInclude(JSON.parse(run.out), { form: "provider-events", chunks: 1, unrecognized: 1 })
        assert.include(agent.sent(1), '{"name":"BrandNew","fields":{"said":"we chose Postgres"}}')
      }).pipe(Effect.scoped)
  )

  it.live("counts what of the log could not be read, and what it does not know", () =>
    Effect.gen(function* () {
      const user = yield* userWithSession
      const agent = installFakeAgent(user, "claude")
      agent.reply(1, [])
      yield* recorded(user, [eventOf("provider_event", "new", { name: "BrandNew" })])
      const { events } = filesOf(user)
      const lines = fs.readFileSync(events, "utf8").split("\n")
      lines.splice(2, 0, "{not json")
      fs.writeFileSync(events, lines.join("\n"))
      const run = yield* runCommand(user, ["extract"], agent)
      assert.include(run.out, "1 event of a kind that lint-ai does not know was not sent.")
      assert.include(run.out, "1 damaged piece of the log could not be read and was not sent.")
    }).pipe(Effect.scoped)
  )

  it.live("does not send what the redactor has learnt to know since the recording", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      const agent = installFakeAgent(user, "claude")
      agent.reply(1, [])
      // As an older recorder may have left it.
      yield* recorded(user, [started(), prompt("p", `use ${key} for it`)])
      const preview = yield* runCommand(user, ["extract", "--preview"], agent)
      yield* runCommand(user, ["extract"], agent)
      assert.include(agent.sent(1), preview.out.trim())
      assert.notInclude(agent.sent(1), key)
      assert.include(agent.sent(1), "use [REDACTED:")
    }).pipe(Effect.scoped)
  )

  it.live("is not done twice at once for one session, and not in a project that is not the user's", () =>
    Effect.gen(function* () {
      const user = yield* userWithSession
      const agent = installFakeAgent(user, "claude")
      agent.reply(1, [])
      agent.reply(2, [])
      const both = yield* Effect.all([runCommand(user, ["extract"], agent), runCommand(user, ["extract"], agent)], {
        concurrency: 2
      })
      assert.deepStrictEqual(both.map(({ failure }) => failure ?? "").sort(), ["", "LockTimeout"])
      const state = path.join(user.project, ".lint-ai", "state.json")
      fs.writeFileSync(state, fs.readFileSync(state, "utf8").replace("capture-only", "assist"))
      assert.strictEqual((yield* runCommand(user, ["extract"], agent)).failure, "NotAdopted")
      assert.strictEqual((yield* runCommand(user, ["extract", "review"], agent)).failure, "NotAdopted")
    }).pipe(Effect.scoped)
  )
})

describe("extract review", () => {
  const extracted = Effect.gen(function* () {
    const user = yield* userWithSession
    const agent = installFakeAgent(user, "claude")
    agent.reply(1, [decision, fact])
    const { staged } = JSON.parse((yield* runCommand(user, ["extract", "--json"], agent)).out)
    return { user, agent, ids: staged.map(({ id }: { id: string }) => id) as ReadonlyArray<string> }
  })
  const memories = (user: TestUser) => {
    const segments = path.join(user.project, ".lint-ai", "claude-memory", "segments")
    if (!fs.existsSync(segments)) return []
    return fs
      .readdirSync(segments)
      .flatMap((name) => fs.readFileSync(path.join(segments, name), "utf8").trim().split("\n"))
      .map((line) => JSON.parse(line))
  }

  it.live("shows what waits", () =>
    Effect.gen(function* () {
      const { user, ids } = yield* extracted
      const run = yield* runCommand(user, ["extract", "review"])
      for (const id of ids) assert.include(run.out, id)
      assert.include(run.out, "from claude:s, events 2, 4, by Claude Code")
      assert.include(run.out, "lint-ai extract review accept ID")
      assert.lengthOf(JSON.parse((yield* runCommand(user, ["extract", "review", "--json"])).out).candidates, 2)
    }).pipe(Effect.scoped)
  )

  it.live("keeps no words of a memory that was accepted and is forgotten, and those of others", () =>
    Effect.gen(function* () {
      for (const which of ["its id", "its session"]) {
        const { user, ids } = yield* extracted
        const [first = ""] = ids
        const { accepted } = JSON.parse((yield* runCommand(user, ["extract", "review", "accept", first, "--json"])).out)
        const named = which === "its id" ? [accepted[0].memory_id] : ["--session", "s"]
        assert.isUndefined((yield* runCommand(user, ["memory", "forget", ...named, "--yes"])).failure)
        const left = Object.entries(snapshot(path.join(user.project, ".lint-ai", "claude-memory")))
        assert.deepStrictEqual(
          left.flatMap(([name, text]) => (text.includes(decision.body) ? [name] : [])),
          [],
          which
        )
        assert.lengthOf(JSON.parse((yield* runCommand(user, ["extract", "review", "--json"])).out).candidates, 1)
      }
    }).pipe(Effect.scoped)
  )

  it.live("stores what is accepted, with session and events, and never proposes again what was decided", () =>
    Effect.gen(function* () {
      const { user, agent, ids } = yield* extracted
      const [first = "", second = ""] = ids
      const accepted = JSON.parse((yield* runCommand(user, ["extract", "review", "accept", first, "--json"])).out)
      yield* runCommand(user, ["extract", "review", "reject", second.replace("cand_", "")])
      const [memory, ...others] = memories(user)
      assert.deepStrictEqual(others, [])
      assert.deepStrictEqual(accepted, { accepted: [{ id: first, memory_id: memory.id }] })
      assert.deepInclude(memory, {
        kind: "fact",
        session_id: "claude:s",
        source: "lint-ai://claude/session/s/events/2-4",
        text: `[decision] ${decision.title}\n${decision.body}\ntags: database`,
        created: "2026-08-16T12:00:00.000Z"
      })
      assert.deepStrictEqual(memory.events, [2, 4])
      assert.deepStrictEqual(JSON.parse((yield* runCommand(user, ["extract", "review", "--json"])).out).candidates, [])
      agent.reply(2, [decision, fact])
      const again = JSON.parse((yield* runCommand(user, ["extract", "--again", "--json"], agent)).out)
      assert.deepStrictEqual(again.staged, [])
      assert.lengthOf(again.dropped, 2)
      for (const name of fs.readdirSync(path.join(staging(user), "candidates"))) {
        fs.rmSync(path.join(staging(user), "candidates", name))
      }
      agent.reply(3, [decision])
      const stored = JSON.parse((yield* runCommand(user, ["extract", "--again", "--json"], agent)).out)
      assert.strictEqual(stored.dropped[0].category, "duplicate-lexical", "the memory itself knows it too")
    }).pipe(Effect.scoped)
  )

  it.live("asks a person about each", () =>
    Effect.gen(function* () {
      const { user } = yield* extracted
      const run = yield* runCommand(user, ["extract", "review"], { answers: ["a", "r"] })
      assert.include(run.out, "1 accepted, 1 rejected, 0 left.")
      assert.lengthOf(memories(user), 1)
      const none = yield* runCommand(user, ["extract", "review"], { answers: ["a"] })
      assert.match(none.out, /^No candidates wait/)
    }).pipe(Effect.scoped)
  )

  it.live("decides about all only with a yes, and about none that is not there", () =>
    Effect.gen(function* () {
      const { user } = yield* extracted
      const run = (...args: ReadonlyArray<string>) => runCommand(user, ["extract", "review", ...args])
      assert.strictEqual((yield* run("accept")).failure, "NothingChosen")
      assert.strictEqual((yield* run("accept", "--all")).failure, "NeedsConfirmation")
      assert.strictEqual((yield* run("accept", "cand_1", "--all", "--yes")).failure, "NotBoth")
      assert.strictEqual((yield* run("reject", "cand_no")).failure, "CandidateNotFound")
      assert.strictEqual((yield* run("reject", "cand_")).failure, "CandidateAmbiguous")
      assert.lengthOf(memories(user), 0)
      assert.isUndefined((yield* run("accept", "--all", "--yes")).failure)
      assert.lengthOf(memories(user), 2)
    }).pipe(Effect.scoped)
  )
})
