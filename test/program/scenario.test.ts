import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { inject } from "vitest"
import { fileHolds } from "../support/fileEvents.ts"
import { gone } from "../support/goneProcess.ts"
import { start } from "../support/program.ts"
import { compiledHook, recordingUser, runHook, snapshot, type TestUser } from "../support/recording.ts"

const built = () => compiledHook(inject("builtProgram"))

const cli = (user: TestUser, args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) => {
  const [command = "", ...first] = built()
  const run = spawnSync(command, [...first, ...args], {
    cwd: user.project,
    env: { PATH: process.env.PATH, ...user.env, ...env },
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024
  })
  return { status: run.status, stdout: run.stdout, stderr: run.stderr }
}

/** Records a session as Claude Code does, through the program's own hook. */
const deliver = (user: TestUser, id: string, answer: string) => {
  const given = { session_id: id, cwd: user.project, permission_mode: "default" }
  const turn = { ...given, prompt_id: "p1" }
  for (const payload of [
    { ...given, hook_event_name: "SessionStart", source: "startup", model: "model-1" },
    { ...turn, hook_event_name: "UserPromptSubmit", prompt: "Which store is it?" },
    { ...turn, hook_event_name: "Stop", last_assistant_message: answer },
    { ...given, hook_event_name: "SessionEnd", reason: "other" }
  ]) {
    assert.strictEqual(runHook(built(), user, payload).status, 0)
  }
}

const scenario = (user: TestUser, change: (made: Record<string, unknown>) => void) => {
  const file = path.join(user.directory, "s.json")
  const made = cli(user, [
    ...["--scenario-from-session", "base", "--session-provider", "claude", "--scenario-out", file, "--force"]
  ])
  assert.strictEqual(made.status, 0, made.stderr)
  const value = JSON.parse(fs.readFileSync(file, "utf8"))
  change(value)
  fs.writeFileSync(file, JSON.stringify(value))
  return file
}

describe("the built program", () => {
  it.live("makes, validates and runs a scenario, and says by its exit code how that went", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      deliver(user, "base", "It is the IndexStore.")
      const archive = path.join(user.project, ".lint-ai/claude-sessions/claude-base")
      const before = snapshot(archive)
      const passes = scenario(user, (made) => {
        made.expected_facts = [{ id: "store", match_any: ["indexstore"] }]
      })
      assert.strictEqual(cli(user, ["scenario", "validate", passes]).status, 0)
      const passed = cli(user, ["scenario", "run", passes])
      assert.strictEqual(passed.status, 0, passed.stderr)
      assert.match(passed.stdout, /pass {4}expected store: the answer holds "indexstore"/)

      const unknown = cli(user, ["scenario", "run", scenario(user, (made) => (made.limits = { max_budget_usd: 1 }))])
      assert.strictEqual(unknown.status, 7)
      assert.strictEqual(unknown.stderr, "Cannot be told: review-claude-base.\n")
      const failing = scenario(user, (made) => {
        made.expected_facts = [{ id: "store", match_any: ["PageStore"] }]
      })
      const failed = cli(user, ["scenario", "run", failing, "--json"])
      assert.strictEqual(failed.status, 6)
      assert.strictEqual(JSON.parse(failed.stdout).verdict, "fail", "one document, and no second for the failure")
      assert.deepStrictEqual(snapshot(archive), before)

      const compared = cli(user, ["compare", "base", "--json"])
      assert.strictEqual(compared.status, 0)
      assert.strictEqual(JSON.parse(compared.stdout).arms[0].quality.verdict, "fail")
    })
  )

  it.live("runs no command of a scenario without consent, and says where to look", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      deliver(user, "base", "It is the IndexStore.")
      const mark = path.join(user.directory, "mark")
      const file = scenario(user, (made) => {
        made.validators = [{ name: "evil", command: ["touch", mark] }]
      })
      for (const args of [["--fresh-workspace"], ["--replay"], ["--both"]]) {
        const run = cli(user, ["scenario", "run", file, ...args])
        assert.strictEqual(run.status, 5)
        assert.include(run.stderr, `lint-ai scenario trust ${file}`)
      }
      assert.strictEqual(cli(user, ["scenario", "trust", file]).status, 5, "nobody is there to be asked")
      assert.strictEqual(cli(user, ["scenario", "run", file]).status, 7, "what was recorded is judged without it")
      assert.isFalse(fs.existsSync(mark))
      assert.strictEqual(cli(user, ["scenario", "trust", file, "--yes"]).status, 0)
      const agreed = cli(user, ["scenario", "run", file, "--fresh-workspace"])
      assert.strictEqual(agreed.status, 0, agreed.stdout + agreed.stderr)
      assert.isTrue(fs.existsSync(mark))
    })
  )

  it.live("ends a validator, and all that it started, when it is interrupted", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      deliver(user, "base", "It is the IndexStore.")
      const pid = path.join(user.directory, "pid")
      const temporary = path.join(user.directory, "tmp")
      fs.mkdirSync(temporary)
      const file = scenario(user, (made) => {
        made.validators = [
          { name: "long", command: ["sh", "-c", `trap "" TERM; echo $$ > '${pid}'; while :; do sleep 1; done`] }
        ]
      })
      const [command = "", ...first] = built()
      const running = yield* start({
        command,
        args: [...first, "scenario", "run", file, "--fresh-workspace", "--yes"],
        cwd: user.project,
        env: { PATH: process.env.PATH ?? "", TMPDIR: temporary, ...user.env }
      })
      const validator = Number(yield* fileHolds(pid, (text) => text.endsWith("\n")))
      yield* running.signal("SIGINT")
      const end = yield* running.finished
      assert.strictEqual(end.exitCode, 130)
      yield* gone(validator)
      assert.deepStrictEqual(fs.readdirSync(temporary), [])
      assert.deepStrictEqual(fs.readdirSync(path.join(user.project, ".lint-ai/evaluations")), [])
    }).pipe(Effect.scoped)
  )

  it.live(
    "stands a hostile scenario: ten megabytes, a pattern that explodes, no end of nesting, paths that lead out",
    () =>
      Effect.gen(function* () {
        const user = yield* recordingUser
        deliver(user, "base", `It is ${"a".repeat(8_000)}!`)
        const file = (name: string, text: string) => {
          const place = path.join(user.directory, name)
          fs.writeFileSync(place, text)
          return place
        }
        const bomb = scenario(user, (made) => {
          made.expected_facts = [
            { id: "bomb", match_any: ["(a+)+$", "(a|aa)+$", "a*a*a*a*a*a*a*a*$"].map((one) => `${one}b`), regex: true }
          ]
        })
        assert.strictEqual(cli(user, ["scenario", "run", bomb]).status, 6)
        const hostile = [
          file("large.json", `{"id":"${"x".repeat(10 * 1024 * 1024)}"}`),
          file("deep.json", "[".repeat(1_000_000)),
          file("escapes.json", JSON.stringify({ "\u001b]0;title\u0007": 1 })),
          file("empty.json", ""),
          file("null.json", "null")
        ]
        for (const one of hostile) {
          const validated = cli(user, ["scenario", "validate", one], { COLUMNS: "40" })
          assert.strictEqual(validated.status, 2, one)
          assert.notInclude(validated.stdout + validated.stderr, "\u001b")
          assert.strictEqual(cli(user, ["scenario", "run", one, "--yes"]).status, 2, one)
        }
        assert.strictEqual(cli(user, ["scenario", "run", user.directory]).status, 3)
        const outside = scenario(user, (made) => {
          made.source_session = { provider: "claude", session_id: "other", archive: "../../../../etc" }
        })
        assert.strictEqual(cli(user, ["scenario", "run", outside]).status, 3)
        assert.strictEqual(cli(user, ["scenario", "validate", outside]).status, 2)
        const changed = scenario(user, (made) => {
          made.source_session = { ...(made.source_session as object), events_sha256: "0".repeat(64) }
        })
        assert.strictEqual(cli(user, ["scenario", "run", changed]).status, 4)
      })
  )

  it.live("compares sessions in a table that fits, in a document and in a file that overwrites none", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      deliver(user, "base", "It is the IndexStore.")
      deliver(user, "other", "It is the PageStore.")
      const narrow = cli(user, ["compare", "base", "other", "--all"], { COLUMNS: "40" })
      assert.strictEqual(narrow.status, 0)
      for (const line of narrow.stdout.split("\n")) {
        if (!line.includes(user.directory)) assert.isAtMost(line.length, 40, line)
      }
      assert.include(narrow.stdout, "another answer")
      const out = path.join(user.directory, "report.md")
      assert.strictEqual(cli(user, ["compare", "base", "other", "--markdown", "--out", out]).status, 0)
      assert.match(fs.readFileSync(out, "utf8"), /^# Comparison\n/)
      assert.strictEqual(cli(user, ["compare", "base", "--out", out]).status, 5)
      assert.strictEqual(cli(user, ["compare", "nothing"]).status, 3)
      assert.strictEqual(cli(user, ["compare"]).status, 2)
    })
  )
})
