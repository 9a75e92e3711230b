import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Evaluation, Scenario } from "../../src/domain/scenario.ts"
import { type Acted, actedAgent, newStage, type Part } from "../experiment/actedAgent.ts"
import { runCommand } from "../support/cli.ts"
import { machineOf, recordingUser, snapshot, type TestUser } from "../support/recording.ts"
import { recorded, script } from "./recorded.ts"

const revision = "a".repeat(40)
const workTree = { revision, branch: "main", dirty: false, trackedRecordings: 0, exposesRecordings: false }

/** A user with one recorded session of two prompts, and a directory for scenarios. */
const userWithSession = (written = usual()) =>
  Effect.tap(recordingUser, (user) => recorded(user, "base", written.events).pipe(Effect.provide(machineOf(user))))
const usual = () =>
  script()
    .start()
    .prompt("Find the store.")
    .tool("Read", { file_path: "a" })
    .answer("Found it.")
    .prompt("Which store is it?")
    .usage(50)
    .answer("It is the `IndexStore`, in src/store.ts.")
    .end()

const agentOf = (user: TestUser, act: (part: Part) => Acted, stage = newStage()) => ({
  agent: actedAgent(stage, act),
  workTree,
  // Where validators find their programs.
  host: { env: { ...user.env, PATH: process.env.PATH ?? "" }, temporary: user.directory }
})

const fileOf = (user: TestUser, name = "s.json") => path.join(user.directory, name)
const write = (user: TestUser, some: Partial<Record<keyof Scenario, unknown>>, name = "s.json") => {
  const scenario = {
    schema_version: 1,
    id: "which-store",
    category: "session-review",
    setup_messages: [{ prompt: "Find the store." }],
    continuation_prompt: "Which store is it?",
    expected_facts: [{ id: "store", match_any: ["IndexStore"] }],
    forbidden_facts: [{ id: "wrong", match_any: ["MemoryStore"] }],
    validators: [],
    limits: {},
    ...some
  }
  fs.writeFileSync(fileOf(user, name), JSON.stringify(scenario))
  return fileOf(user, name)
}
const ofSession = {
  source_session: { provider: "claude", session_id: "base", archive: ".lint-ai/claude-sessions/claude-base" }
}
/** A validator that leaves a mark where it was run, in a directory of the test's. */
const marking = (user: TestUser) => [
  { name: "mark", command: ["sh", "-c", `pwd >> '${path.join(user.directory, "mark")}'`] }
]
const marks = (user: TestUser) => {
  const file = path.join(user.directory, "mark")
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8").trim().split("\n") : []
}
const archive = (user: TestUser) => snapshot(path.join(user.project, ".lint-ai/claude-sessions/claude-base"))
const evaluations = (user: TestUser): ReadonlyArray<Evaluation> => {
  const directory = path.join(user.project, ".lint-ai/evaluations")
  if (!fs.existsSync(directory)) return []
  return fs.readdirSync(directory).map((name) => JSON.parse(fs.readFileSync(path.join(directory, name), "utf8")))
}

describe("scenario from-session", () => {
  it.effect("takes all prompts but the last for the setup, refers to the recording and freezes it", () =>
    Effect.gen(function* () {
      const user = yield* userWithSession()
      const before = archive(user)
      const made = yield* runCommand(user, ["scenario", "from-session", "base", "--out", fileOf(user), "--json"])
      assert.isUndefined(made.failure, made.err)
      assert.deepInclude(JSON.parse(made.out), { path: fileOf(user), prompts: 2, incomplete_prompts: [] })
      const scenario = JSON.parse(fs.readFileSync(fileOf(user), "utf8"))
      assert.deepInclude(scenario, {
        id: "review-claude-base",
        category: "session-review",
        setup_messages: [{ prompt: "Find the store.", establishes_fact_ids: [] }],
        continuation_prompt: "Which store is it?",
        expected_facts: [],
        validators: [],
        limits: { max_duration_seconds: 600, max_output_tokens: 4000 }
      })
      assert.deepInclude(scenario.source_session, {
        provider: "claude",
        session_id: "claude:base",
        archive: ".lint-ai/claude-sessions/claude-base"
      })
      assert.isTrue(fs.existsSync(path.join(user.project, ".lint-ai/claude-sessions/.frozen/claude-base")))
      assert.deepStrictEqual(archive(user), before)
      // As it is now, a pass would tell nothing, and whoever holds anything against it is told so.
      const validated = yield* runCommand(user, ["scenario", "validate", fileOf(user)])
      assert.isUndefined(validated.failure)
      assert.include(validated.out.replace(/\s+/g, " "), "no facts and no validators: whatever is answered passes")
      const judged = yield* runCommand(user, ["scenario", "run", fileOf(user)])
      assert.include(judged.out.replace(/\s+/g, " "), "only limits were judged")
    })
  )

  it.effect("of a session with one prompt has no setup", () =>
    Effect.gen(function* () {
      const user = yield* userWithSession(script().start().prompt("Only this").answer("Yes").end())
      yield* runCommand(user, ["scenario", "from-session", "base", "--out", fileOf(user)])
      const scenario = JSON.parse(fs.readFileSync(fileOf(user), "utf8"))
      assert.deepInclude(scenario, { setup_messages: [], continuation_prompt: "Only this" })
      assert.notProperty(scenario.limits, "max_output_tokens", "what was not observed would make every verdict unknown")
    })
  )

  it.effect("says which prompts are not as the user wrote them, and leaves out those that nobody wrote", () =>
    Effect.gen(function* () {
      const user = yield* userWithSession(
        script()
          .start()
          .prompt("A", { redactions: ["payload.text"] })
          .add("user_prompt", { text: "a task ended", origin: "task-notification" })
          .prompt("B", { truncated: [{ path: "payload.text", bytes: 5 }] })
          .prompt("C")
          .end()
      )
      const made = yield* runCommand(user, ["scenario", "from-session", "base", "--out", fileOf(user), "--json"])
      assert.deepInclude(JSON.parse(made.out), {
        prompts: 3,
        incomplete_prompts: [
          { prompt: 1, altered: ["redacted"] },
          { prompt: 2, altered: ["cut"] }
        ]
      })
    })
  )

  it.effect("overwrites no file unless it is told to, and freezes nothing then", () =>
    Effect.gen(function* () {
      const user = yield* userWithSession()
      fs.writeFileSync(fileOf(user), "mine")
      const refused = yield* runCommand(user, ["scenario", "from-session", "base", "--out", fileOf(user)])
      assert.strictEqual(refused.failure, "ScenarioExists")
      assert.strictEqual(fs.readFileSync(fileOf(user), "utf8"), "mine")
      assert.isFalse(fs.existsSync(path.join(user.project, ".lint-ai/claude-sessions/.frozen")))
      for (const flag of ["--force", "--yes"]) {
        const forced = yield* runCommand(user, ["scenario", "from-session", "base", "--out", fileOf(user), flag])
        assert.isUndefined(forced.failure)
      }
      assert.include(fs.readFileSync(fileOf(user), "utf8"), "review-claude-base")
    })
  )

  it.effect("needs a session with a prompt", () =>
    Effect.gen(function* () {
      const user = yield* userWithSession(script().start().end())
      assert.strictEqual((yield* runCommand(user, ["scenario", "from-session", "base"])).failure, "NoPrompts")
      assert.strictEqual((yield* runCommand(user, ["scenario", "from-session", "none"])).failure, "SessionNotFound")
    })
  )
})

describe("scenario validate", () => {
  it.effect("tells all faults of all files, and what they refer to that is not there", () =>
    Effect.gen(function* () {
      const user = yield* userWithSession()
      const good = write(user, ofSession)
      const bad = write(user, { limits: { max_turns: 0 } }, "bad.json")
      const absent = write(
        user,
        { source_session: { ...ofSession.source_session, session_id: "gone", archive: "x" } },
        "absent.json"
      )
      const changed = write(
        user,
        { source_session: { ...ofSession.source_session, events_sha256: "0".repeat(64) } },
        "changed.json"
      )
      const none = fileOf(user, "none.json")
      const run = yield* runCommand(user, ["scenario", "validate", good, none, bad, absent, changed, "--json"])
      assert.strictEqual(run.failure, "ScenariosInvalid")
      const faults = JSON.parse(run.out).files.map((file: { faults: ReadonlyArray<{ path: string }> }) =>
        file.faults.map((fault) => fault.path)
      )
      assert.deepStrictEqual(faults, [
        [],
        [""],
        ["limits.max_turns"],
        ["source_session.archive"],
        ["source_session.events_sha256"]
      ])
      assert.isUndefined((yield* runCommand(user, ["scenario", "validate", good])).failure)
    })
  )

  it.effect("lets no text of a file draw on the terminal", () =>
    Effect.gen(function* () {
      const user = yield* userWithSession()
      const file = write(user, { "\u001b[2Jevil": 1, id: "\u001b[2J" } as never)
      const run = yield* runCommand(user, ["scenario", "validate", file], { columns: 40 })
      assert.notInclude(run.out, "\u001b")
      assert.strictEqual(run.failure, "ScenariosInvalid")
    })
  )
})

describe("scenario run", () => {
  it.effect("judges what was recorded, keeps the result apart, and changes neither recording nor scenario", () =>
    Effect.gen(function* () {
      const user = yield* userWithSession()
      const file = write(user, { ...ofSession, limits: { max_output_tokens: 100, max_tool_calls: 1 } })
      const [before, text] = [archive(user), fs.readFileSync(file, "utf8")]
      const run = yield* runCommand(user, ["scenario", "run", file, "--json"])
      assert.isUndefined(run.failure, run.err)
      const [result] = JSON.parse(run.out).scenarios[0].results
      assert.deepInclude(result, { role: "recorded", session_id: "claude:base", verdict: "pass" })
      assert.deepStrictEqual(evaluations(user), [result.evaluation])
      assert.deepStrictEqual(archive(user), before)
      assert.strictEqual(fs.readFileSync(file, "utf8"), text)
    })
  )

  it.effect.each([
    ["ScenarioFailed", { expected_facts: [{ id: "no", match_any: ["PageStore"] }] }],
    ["ScenarioFailed", { limits: { max_tool_calls: 0 } }],
    ["ScenarioUnknown", { limits: { max_budget_usd: 1 } }],
    ["ScenarioUnknown", { validators: [{ name: "t", command: ["true"] }] }],
    [undefined, {}]
  ] as const)("ends with %s by its verdict", ([failure, some]) =>
    Effect.gen(function* () {
      const user = yield* userWithSession()
      const run = yield* runCommand(user, ["scenario", "run", write(user, { ...ofSession, ...some })])
      assert.strictEqual(run.failure, failure, run.out)
    })
  )

  it.effect("runs no command for a recording, and none that nobody agreed to", () =>
    Effect.gen(function* () {
      const user = yield* userWithSession()
      const file = write(user, { ...ofSession, validators: marking(user) })
      yield* runCommand(user, ["scenario", "run", file])
      const fresh = yield* runCommand(user, ["scenario", "run", file, "--fresh-workspace"])
      assert.strictEqual(fresh.failure, "ScenarioNotTrusted")
      assert.match(
        fresh.err,
        /with your rights and an empty environment:\n {2}\S+: \S/,
        "shown, so that it can be agreed to"
      )
      const stage = newStage()
      const replayed = yield* runCommand(
        user,
        ["scenario", "run", file, "--both"],
        agentOf(user, () => ({ answer: "x" }), stage)
      )
      assert.strictEqual(replayed.failure, "ScenarioNotTrusted")
      assert.deepStrictEqual(stage.conversations, [], "no agent either")
      const refused = yield* runCommand(user, ["scenario", "run", file, "--fresh-workspace"], { answers: ["n"] })
      assert.strictEqual(refused.failure, "Cancelled")
      assert.include(refused.err, "mark: sh -c")
      assert.deepStrictEqual(marks(user), [])
    })
  )

  it.effect("asks once for each content of a scenario", () =>
    Effect.gen(function* () {
      const user = yield* userWithSession()
      const file = write(user, { ...ofSession, validators: marking(user) })
      const agent = agentOf(user, () => ({ answer: "IndexStore" }))
      const run = (answers: ReadonlyArray<string>) =>
        runCommand(user, ["scenario", "run", file, "--replay"], { ...agent, answers })
      assert.isUndefined((yield* run(["y"])).failure)
      const again = yield* run([])
      assert.isUndefined(again.failure)
      assert.notInclude(again.err, "Run these commands?")
      fs.appendFileSync(file, "\n")
      assert.strictEqual((yield* run([])).failure, "ScenarioNotTrusted", "another file")
      assert.isUndefined((yield* runCommand(user, ["scenario", "trust", file], { answers: ["yes"] })).failure)
      assert.isUndefined((yield* run([])).failure)
      assert.lengthOf(marks(user), 3)
    })
  )

  it.effect("with --yes agrees for that run alone", () =>
    Effect.gen(function* () {
      const user = yield* userWithSession()
      const file = write(user, { ...ofSession, validators: marking(user) })
      const agent = agentOf(user, () => ({ answer: "IndexStore" }))
      assert.isUndefined((yield* runCommand(user, ["scenario", "run", file, "--replay", "--yes"], agent)).failure)
      const next = yield* runCommand(user, ["scenario", "run", file, "--replay"], agent)
      assert.strictEqual(next.failure, "ScenarioNotTrusted")
      assert.lengthOf(marks(user), 1)
    })
  )

  it.effect("gives recording and replay each its own verdict, and runs validators in the replay's workspace", () =>
    Effect.gen(function* () {
      const user = yield* userWithSession()
      const before = archive(user)
      const file = write(user, { ...ofSession, validators: marking(user) })
      const stage = newStage()
      const agent = agentOf(user, () => ({ answer: "It is the MemoryStore." }), stage)
      const run = yield* runCommand(user, ["scenario", "run", file, "--both", "--yes", "--json"], agent)
      assert.strictEqual(run.failure, "ScenarioFailed", run.err)
      const [recording, replay] = JSON.parse(run.out).scenarios[0].results
      const verdicts = (one: { readonly evaluation: Evaluation }) => [
        ...one.evaluation.facts.map((fact) => fact.verdict),
        ...one.evaluation.validators.map((validator) => validator.verdict)
      ]
      assert.deepStrictEqual(verdicts(recording), ["pass", "pass", "unknown"])
      assert.deepStrictEqual(verdicts(replay), ["fail", "fail", "pass"])
      // One conversation, as the session was.
      assert.deepStrictEqual(stage.conversations, [
        { arm: "claude-off", prompts: ["Find the store.", "Which store is it?"] }
      ])
      assert.deepStrictEqual(marks(user), [path.join(stage.places[0] ?? "", "work")])
      assert.lengthOf(evaluations(user), 2)
      assert.deepStrictEqual(archive(user), before)
      const compared = yield* runCommand(user, ["compare", recording.session_id, replay.session_id, "--json"])
      const [baseline, other] = JSON.parse(compared.out).arms
      assert.strictEqual(baseline.quality.verdict, "unknown")
      assert.strictEqual(other.quality.verdict, "fail")
    })
  )

  it.effect("of no session has its setup in a conversation of its own", () =>
    Effect.gen(function* () {
      const user = yield* userWithSession()
      const stage = newStage()
      const run = yield* runCommand(
        user,
        ["scenario", "run", write(user, {}), "--replay", "--provider", "claude", "--enable-lint-ai", "--empty-memory"],
        agentOf(user, ({ memory }) => ({ answer: memory.length === 0 ? "Nothing" : "IndexStore" }), stage)
      )
      assert.isUndefined(run.failure, run.err)
      assert.deepStrictEqual(
        stage.conversations.map(({ prompts }) => prompts),
        [["Find the store."], ["Which store is it?"]]
      )
    })
  )

  it.effect("fails at a limit that ended the run, and does not know of facts when the agent failed", () =>
    Effect.gen(function* () {
      const user = yield* userWithSession()
      const file = write(user, { ...ofSession, limits: { max_duration_seconds: 60, max_turns: 2 } })
      const run = (acted: Acted) =>
        runCommand(
          user,
          ["scenario", "run", file, "--replay", "--json"],
          agentOf(user, () => acted)
        )
      const ended = yield* run({ answer: "", fails: "Claude Code was ended: the time was over.", durationMs: 60_001 })
      const [slow] = JSON.parse(ended.out).scenarios[0].results
      assert.strictEqual(ended.failure, "ScenarioFailed")
      assert.deepStrictEqual(
        slow.evaluation.limits.map(({ name, verdict }: { name: string; verdict: string }) => [name, verdict]),
        [
          ["max_duration_seconds", "fail"],
          ["max_turns", "unknown"]
        ]
      )
      const broken = yield* run({ answer: "", fails: "no such login" })
      const [failed] = JSON.parse(broken.out).scenarios[0].results
      assert.strictEqual(broken.failure, "ScenarioUnknown")
      assert.include(failed.notes, "no such login")
      assert.deepInclude(failed.evaluation.facts[0], { verdict: "unknown", why: "no answer was recorded" })
      // What it said last may be about an earlier prompt.
      const early = yield* run({ answer: "It is the IndexStore.", fails: "no such login" })
      assert.strictEqual(early.failure, "ScenarioUnknown")
    })
  )

  it.effect("says so when the recording was asked something else", () =>
    Effect.gen(function* () {
      const user = yield* userWithSession()
      const notesOf = (file: string) =>
        Effect.map(runCommand(user, ["scenario", "run", file, "--json"]), ({ out }) => {
          const [result] = JSON.parse(out).scenarios[0].results
          return result.notes
        })
      assert.deepStrictEqual(yield* notesOf(write(user, ofSession)), [])
      const [note] = yield* notesOf(write(user, { ...ofSession, continuation_prompt: "Which file is it in?" }))
      assert.include(note, "The last prompt of the recording is another one")
    })
  )

  it.effect("judges what the agent printed where the recording of its answer is redacted, and keeps none of it", () =>
    Effect.gen(function* () {
      const user = yield* userWithSession()
      const file = write(user, { ...ofSession, expected_facts: [{ id: "store", match_any: ["hunter-IndexStore"] }] })
      const agent = agentOf(user, () => ({
        answer: "The store is [REDACTED:token]",
        printed: "It is the hunter-IndexStore"
      }))
      const run = yield* runCommand(user, ["scenario", "run", file, "--replay"], agent)
      assert.isUndefined(run.failure, run.out)
    })
  )

  it.effect("needs to know which session, which agent, and what to judge by", () =>
    Effect.gen(function* () {
      const user = yield* userWithSession()
      const run = (...args: ReadonlyArray<string>) => runCommand(user, ["scenario", "run", ...args])
      const file = write(user, {})
      assert.strictEqual((yield* run(file)).failure, "NothingRecorded")
      assert.isUndefined((yield* run(file, "--session", "base")).failure)
      assert.strictEqual((yield* run(file, "--replay")).failure, "AgentNotNamed")
      assert.strictEqual((yield* run(write(user, { id: 1 }))).failure, "ScenarioInvalid")
      assert.strictEqual((yield* run(fileOf(user, "none.json"))).failure, "ScenarioUnreadable")
      const flags = yield* run(write(user, {}), "--replay", "--enable-lint-ai", "--disable-lint-ai")
      assert.strictEqual(flags.failure, "ReplayFlags")
    })
  )

  it.effect("goes to no archive and no repository outside of the project, wherever a scenario leads", () =>
    Effect.gen(function* () {
      const user = yield* userWithSession()
      const outside = path.join(user.directory, "outside")
      fs.cpSync(path.join(user.project, ".lint-ai/claude-sessions/claude-base"), outside, { recursive: true })
      fs.symlinkSync(outside, path.join(user.project, "link"))
      const manifest = path.join(outside, "manifest.json")
      fs.writeFileSync(manifest, fs.readFileSync(manifest, "utf8").replaceAll("claude:base", "claude:out"))
      const source = { ...ofSession.source_session, session_id: "out" }
      for (const archivePath of ["../../outside", outside, "link", "/etc", "."]) {
        const file = write(user, { source_session: { ...source, archive: archivePath } })
        assert.strictEqual((yield* runCommand(user, ["scenario", "run", file])).failure, "SourceMissing", archivePath)
      }
      const elsewhere = write(user, { ...ofSession, repository: { path: "../.." } })
      const agent = agentOf(user, () => ({ answer: "x" }))
      const replay = yield* runCommand(user, ["scenario", "run", elsewhere, "--replay"], agent)
      assert.strictEqual(replay.failure, "ScenarioElsewhere")
      assert.deepStrictEqual(evaluations(user), [])
    })
  )

  it.effect("sends no prompt that is not what the user wrote, unless it is told to", () =>
    Effect.gen(function* () {
      const user = yield* userWithSession(
        script()
          .start()
          .prompt("Use [REDACTED:token]", { redactions: ["payload.text"] })
          .prompt("Cut", { truncated: [{ path: "payload.text", bytes: 9 }] })
          .prompt("Which store is it?")
          .answer("It is the IndexStore.")
          .end()
      )
      const setup = (...prompts: ReadonlyArray<string>) => ({ setup_messages: prompts.map((prompt) => ({ prompt })) })
      const file = write(user, { ...ofSession, ...setup("Use [REDACTED:token]", "Cut") })
      const stage = newStage()
      const run = (given: string, ...args: ReadonlyArray<string>) =>
        runCommand(
          user,
          ["scenario", "run", given, "--replay", ...args],
          agentOf(user, () => ({ answer: "IndexStore" }), stage)
        )
      const refused = yield* run(file)
      assert.strictEqual(refused.failure, "ScenarioPromptsAltered")
      assert.deepStrictEqual(stage.conversations, [])
      assert.isUndefined((yield* runCommand(user, ["scenario", "run", file])).failure, "what was recorded is judged")
      const notesOf = (out: string): ReadonlyArray<string> =>
        JSON.parse(out).scenarios[0].results[0].notes.filter((note: string) => note.startsWith("Not what"))
      const sent = yield* run(file, "--allow-redacted", "--json")
      assert.isUndefined(sent.failure)
      assert.deepStrictEqual(notesOf(sent.out), ["Not what the user wrote: prompts 1, 2 of the scenario."])
      const anew = write(user, { ...ofSession, ...setup("Use TOKEN", "Cut no more") })
      const own = yield* run(anew, "--json")
      assert.isUndefined(own.failure)
      assert.deepStrictEqual(
        notesOf(own.out),
        [],
        "what is sent is the scenario's, whatever became of the recorded prompts"
      )
      assert.lengthOf(stage.conversations, 2)
    })
  )

  it.effect("is refused when the recording is not what the scenario was made of", () =>
    Effect.gen(function* () {
      const user = yield* userWithSession()
      const file = write(user, { source_session: { ...ofSession.source_session, events_sha256: "0".repeat(64) } })
      assert.strictEqual((yield* runCommand(user, ["scenario", "run", file])).failure, "SourceChanged")
    })
  )

  it.effect("writes its results where it is told to, and nothing into the project then", () =>
    Effect.gen(function* () {
      const user = yield* userWithSession()
      const out = path.join(user.directory, "results")
      const before = snapshot(user.project)
      yield* runCommand(user, ["scenario", "run", write(user, ofSession), "--out", out])
      assert.lengthOf(fs.readdirSync(out), 1)
      assert.deepStrictEqual(snapshot(user.project), before)
    })
  )
})
