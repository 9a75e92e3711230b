import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Completions } from "effect/cli"
import * as Effect from "effect/Effect"
import { demoSession } from "../../src/cli/demo/session.ts"
import { documents } from "../../src/cli/documents/documents.ts"
import { jsonSchemaOf, schemaFile } from "../../src/cli/documents/jsonSchema.ts"
import { program } from "../../src/cli/program.ts"
import { deliver, start } from "../support/claudeDeliveries.ts"
import { runCommand } from "../support/cli.ts"
import { misfits } from "../support/documents.ts"
import { claudeArchive, newUser, recordingUser, type TestUser } from "../support/recording.ts"

const root = path.join(import.meta.dirname, "../..")

/** A user with the recording of the demonstration, and one that is active. */
const demoUser = Effect.gen(function* () {
  const user = yield* recordingUser
  const transcriptPath = path.join(user.directory, "transcript.jsonl")
  const sessionId = "5f0d7c1e-demo-session"
  const demo = demoSession({ sessionId, project: user.project, transcriptPath, nowIso: new Date().toISOString() })
  fs.writeFileSync(transcriptPath, demo.transcript)
  yield* deliver(user, sessionId, demo.deliveries)
  yield* deliver(user, "77aa-active", [start])
  return user
})

type Described = Completions.CommandDescriptor
/** Groups too: some do something themselves when no command of theirs is named. */
const commandsBelow = (
  command: Described,
  path: ReadonlyArray<string>
): ReadonlyArray<readonly [string, Described]> => [
  [path.join(" "), command],
  ...command.subcommands.flatMap((one) => commandsBelow(one, [...path, one.name]))
]

/** Runs a command that must end well; `runCommand` holds what it prints against its schema. */
const run = Effect.fn(function* (user: TestUser, line: string, answers: ReadonlyArray<string> = []) {
  const result = yield* runCommand(user, [...line.split(" "), "--json"], { answers })
  assert.isUndefined(result.failure, `${line}: ${result.failure} ${result.err}`)
  assert.notStrictEqual(result.out, "", line)
  return result.out
})

describe("the documents of commands", () => {
  it("are in docs/json as the sources give them", () => {
    const { status, stderr } = spawnSync(process.execPath, [path.join(root, "scripts/json-schemas.mjs"), "--check"], {
      encoding: "utf8"
    })
    assert.strictEqual(status, 0, stderr)
  })

  it("have a schema for every command that prints one", () => {
    const documented = new Set(documents.map(({ command }) => command))
    const aliases = new Set(["sessions ls", "sessions rm", "memory ls"])
    const without = commandsBelow(Completions.fromCommand(program), [])
      .filter(([name, command]) => !aliases.has(name) && command.flags.some((flag) => flag.name === "json"))
      .map(([name]) => name)
      .filter((name) => !documented.has(name))
    assert.deepStrictEqual(without, [])
  })

  it("are described by schemas of draft 2020-12 whose names are their own", () => {
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true })
    for (const one of documents) assert.isFunction(ajv.compile(jsonSchemaOf(one)), one.command)
    assert.strictEqual(new Set(documents.map(schemaFile)).size, documents.length)
  })

  it("do not fit when a field is missing, another one is there or one has another type", () => {
    const adopted = documents.find(({ command }) => command === "memory adopt")
    if (adopted === undefined) throw new Error("no such document")
    assert.deepStrictEqual(misfits(adopted, '{"adopted":["/p"]}'), [])
    for (const wrong of ["{}", '{"adopted":[],"more":1}', '{"adopted":"/p"}', "[]"]) {
      assert.notDeepEqual(misfits(adopted, wrong), [], wrong)
    }
  })

  it.live("fit what commands print about a recorded session", () =>
    Effect.gen(function* () {
      const user = yield* demoUser
      const id = "5f0d"
      for (const line of [
        "status",
        "record status",
        "sessions list",
        "sessions search login",
        `sessions inspect ${id}`,
        "sessions inspect 77aa",
        `sessions view ${id} --out ${user.directory}/page.html --no-open`,
        `sessions export ${id} --out ${user.directory}/session.jsonl`,
        `sessions export ${id} --format otlp --out ${user.directory}/session.otlp.json`,
        `sessions verify ${id}`,
        "sessions verify --all",
        "sessions recover",
        "watch --once",
        "sessions prune --keep 0 --dry-run",
        `memory promote ${id} --preview`,
        `memory promote ${id} --yes`,
        "memory list",
        "memory search login",
        "memory stats",
        "memory rebuild",
        "memory adopt --yes",
        "memory forget --session claude:5f0d7c1e-demo-session --yes",
        `extract ${id} --preview`,
        "extract review",
        "evidence key show",
        "evidence key rotate",
        "redact check",
        "adopt",
        "install claude --dry-run",
        "install claude --yes",
        "uninstall claude --dry-run",
        "uninstall claude",
        "uninstall --purge --dry-run",
        "enable claude",
        "disable claude",
        "record start claude --yes",
        "record stop claude",
        "sessions delete 77aa --yes",
        "sessions prune --keep 0 --yes"
      ]) {
        yield* run(user, line)
      }
    }).pipe(Effect.scoped)
  )

  it.live("fit what commands print where nothing is on, and where what is there does not count", () =>
    Effect.gen(function* () {
      const lines = [
        "status",
        "record status",
        "adopt --yes",
        "sessions list",
        "doctor",
        "memory stats",
        "watch --once"
      ]
      const fresh = yield* newUser
      for (const line of lines) yield* runCommand(fresh, [...line.split(" "), "--json"])
      // Whose key is another one.
      const { config } = yield* newUser
      const owner = yield* demoUser
      const there = { ...owner, config, env: { ...owner.env, LINT_AI_CONFIG_DIR: config } }
      assert.strictEqual(JSON.parse(yield* run(there, "status")).consent, "inert")
      for (const line of lines) yield* runCommand(there, [...line.split(" "), "--json"])
    }).pipe(Effect.scoped)
  )

  it.live("fit what `redact` prints, and keep what it has to say of lines apart from their values", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      for (const stdin of ["", "password=hunter2-and-more\n"]) {
        assert.isUndefined((yield* runCommand(user, ["redact", "--json"], { stdin })).failure)
      }
      const lines = yield* runCommand(user, ["redact", "--lines", "--json"], { stdin: '{"a":1}\nno JSON\n' })
      assert.strictEqual(lines.failure, "LinesNotJson")
      assert.strictEqual(lines.out, '{"a":1}\n"no JSON"\n')
      assert.include(lines.err, "not JSON, redacted as text: line 2")
    }).pipe(Effect.scoped)
  )

  it.live("fit what commands print of an import, of damage and of a broken record", () =>
    Effect.gen(function* () {
      const user = yield* demoUser
      const exported = path.join(user.directory, "session.jsonl")
      yield* run(user, `sessions export 5f0d --out ${exported}`)
      const other = yield* demoUser
      yield* run(other, `sessions import ${exported} --session-root ${path.join(other.directory, "elsewhere")}`)
      const { events } = claudeArchive(user, "77aa-active")
      fs.appendFileSync(events, '{"schema_version":1,"torn')
      yield* run(user, "sessions verify 77aa")
      yield* run(user, "sessions recover 77aa")
      const demo = claudeArchive(user, "5f0d7c1e-demo-session")
      fs.writeFileSync(demo.events, fs.readFileSync(demo.events, "utf8").replace("The login test", "The LOGIN test"))
      const transcript = path.join(user.directory, "transcript.jsonl")
      const differs = ["sessions", "verify", "5f0d", "--against-transcript", transcript, "--json"]
      assert.include(["TranscriptDiffers", "VerificationFailed"], (yield* runCommand(user, differs)).failure)
      // The report, then the failure that it says all of.
      const broken = yield* runCommand(user, ["sessions", "verify", "5f0d", "--json"])
      assert.strictEqual(broken.failure, "VerificationFailed")
      assert.strictEqual(JSON.parse(broken.out).verdict, "broken")
      const memory = JSON.parse(yield* run(user, "memory promote 5f0d --yes"))
      yield* run(user, `memory show ${memory.added[0]}`)
    }).pipe(Effect.scoped)
  )

  it.live("fit what commands print of AIR records", () =>
    Effect.gen(function* () {
      const user = yield* demoUser
      const key = path.join(user.directory, "air.key")
      fs.writeFileSync(key, `${"k".repeat(48)}\n`, { mode: 0o600 })
      const runs = path.join(user.directory, "runs")
      yield* run(user, `air export 5f0d --runs ${runs} --key-file ${key}`)
      yield* run(user, `air verify ${runs} --key-file ${key}`)
      const record = fs.readdirSync(runs).find((name) => name.endsWith(".air.json"))
      yield* run(user, `air load ${path.join(runs, record ?? "none")}`)
      yield* run(user, `air config-hash ${key}`)
      const missing = yield* runCommand(user, ["air", "load", "gone", "--json"])
      assert.strictEqual(missing.failure, "AirUnreadable")
    }).pipe(Effect.scoped)
  )
})
