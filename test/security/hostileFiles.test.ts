import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { verifyBundle } from "../../src/evidence/air/bundle.ts"
import { readZip, writeZip, ZipInvalid } from "../../src/evidence/air/zip.ts"
import { runCommand } from "../support/cli.ts"
import { enableRecording, newUser, recordingUser, snapshot, type TestUser } from "../support/recording.ts"

/** Everything below the test's directory but what is in the session roots of the project, and the anchors of sessions. */
const outside = (user: TestUser) =>
  Object.fromEntries(Object.entries(snapshot(user.directory)).filter(([file]) => !/-sessions|anchors/.test(file)))

const header = (id: string, more: object = {}) => ({
  lint_ai_export: 1,
  manifest: {
    schema_version: 1,
    session_id: id,
    provider: "claude",
    identity: "provider",
    project_root: "/somewhere",
    started_at: "2026-01-01T00:00:00.000Z",
    status: "completed",
    recording_mode: "capture-only",
    event_count: 1,
    byte_count: 1,
    redaction_count: 0,
    truncation_count: 0,
    recorder_version: "0.1.0",
    ...more
  }
})

describe("a session that somebody else exported", () => {
  it.live("is imported into the session root, or refused, wherever its names lead", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      // What an export of our own looks like, with another id.
      fs.mkdirSync(path.join(user.directory, "in"))
      const file = path.join(user.directory, "in", "export.jsonl")
      const transcript = path.join(user.directory, "in", "t.jsonl")
      const said = (sessionId: string) =>
        `${JSON.stringify({ type: "user", uuid: "u", sessionId, cwd: "/w", version: "2.1.0", timestamp: "2026-01-01T00:00:00.000Z", message: { role: "user", content: "Hello." } })}\n`
      fs.writeFileSync(transcript, said("plain"))
      const own = yield* runCommand(user, ["sessions", "import", transcript, "--transcript", "claude", "--json"])
      assert.isUndefined(own.failure, own.err + own.out)
      const exported = yield* runCommand(user, ["sessions", "export", JSON.parse(own.out).path, "--format", "jsonl"])
      assert.isUndefined(exported.failure, exported.err)
      yield* runCommand(user, ["sessions", "list"])
      const before = outside(user)
      const names = [
        "../../../evil",
        "/etc/evil",
        "..",
        ".",
        "a/../../b",
        "a\\..\\b",
        "C:\\evil",
        "a\u0000b",
        "CON",
        "x".repeat(5000)
      ]
      for (const name of names) {
        const text = exported.out.replaceAll('"claude:imported-plain', `"claude:${JSON.stringify(name).slice(1, -1)}`)
        fs.writeFileSync(file, text)
        yield* runCommand(user, ["sessions", "import", file, "--json"])
        fs.writeFileSync(transcript, said(name))
        yield* runCommand(user, ["sessions", "import", transcript, "--transcript", "claude", "--json"])
        fs.rmSync(file)
        fs.writeFileSync(transcript, said("plain"))
        assert.deepStrictEqual(outside(user), before, name)
      }
      const root = path.join(user.project, ".lint-ai/claude-sessions")
      for (const name of fs.readdirSync(root)) assert.match(name, /^[\w.-]+$/)
    })
  )

  it.live("is refused when it is no file, holds no such thing, or counts what cannot be", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      const before = snapshot(user.project)
      const file = path.join(user.directory, "bad.jsonl")
      const huge = { event_count: Number.MAX_VALUE, byte_count: -1 }
      for (const text of [
        "",
        "\n",
        "[]\n",
        `${"[".repeat(100_000)}\n`,
        `${JSON.stringify(header("claude:x", huge))}\n`,
        `${JSON.stringify(header("../x:y", { provider: "../x" }))}\n`,
        `${JSON.stringify(header("claude:x"))}\n{"sequence":1e999}\n`
      ]) {
        fs.writeFileSync(file, text)
        const run = yield* runCommand(user, ["sessions", "import", file, "--json"])
        assert.strictEqual(run.failure, "ImportInvalid", text.slice(0, 80))
      }
      const pipe = path.join(user.directory, "pipe")
      assert.strictEqual(spawnSync("mkfifo", [pipe]).status, 0)
      for (const place of [pipe, user.directory, "/dev/zero", path.join(user.directory, "gone")]) {
        const run = yield* runCommand(user, ["sessions", "import", place, "--json"])
        assert.isDefined(run.failure, place)
        const transcript = yield* runCommand(user, ["sessions", "import", place, "--transcript", "claude", "--json"])
        assert.isDefined(transcript.failure, place)
      }
      assert.deepStrictEqual(snapshot(user.project), before)
    })
  )
})

const uint32 = (value: number) => Buffer.from(Uint32Array.of(value).buffer)

describe("an evidence bundle of somebody who wishes the user no good", () => {
  it.live("writes nothing, whatever its members are named, and tells of those that are there twice", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* enableRecording(user)
      const names = ["../../evil", "/tmp/lint-ai-evil", "manifest.json", "manifest.json", "a\u0000b", "C:\\evil", ""]
      const file = path.join(user.directory, "b.air-evidence")
      fs.writeFileSync(file, writeZip(names.map((name) => ({ name, bytes: Buffer.from("{}") }))))
      assert.lengthOf(readZip(fs.readFileSync(file)), names.length)
      const before = snapshot(user.directory)
      const run = yield* runCommand(user, ["air", "verify", file, "--json"])
      assert.strictEqual(run.failure, "VerificationFailed")
      assert.deepStrictEqual(snapshot(user.directory), before)
      assert.isFalse(fs.existsSync("/tmp/lint-ai-evil"))
    })
  )

  it("unpacks to no more than it says, in memory that its size accounts for", () => {
    const zeros = Buffer.alloc(16 * 1024 * 1024)
    const bomb = writeZip([{ name: "records/actions.jsonl", bytes: zeros }])
    assert.isBelow(bomb.length, 100_000)
    // It says that it is small.
    const small = Buffer.from(bomb)
    const central = small.lastIndexOf(uint32(0x02014b50))
    small.writeUInt32LE(10, central + 24)
    assert.throws(() => readZip(small), ZipInvalid)
    // One member, named by its directory a thousand times.
    const entry = bomb.subarray(central, bomb.lastIndexOf(uint32(0x06054b50)))
    const end = Buffer.from(bomb.subarray(bomb.lastIndexOf(uint32(0x06054b50))))
    end.writeUInt16LE(1000, 8)
    end.writeUInt16LE(1000, 10)
    const many = Buffer.concat([bomb.subarray(0, central), ...Array.from({ length: 1000 }, () => entry), end])
    assert.throws(() => readZip(many), /more than 512 MiB/)
    assert.deepInclude(verifyBundle(many, {}), { verified: false, check: 1 })
    // A directory that counts more than there is, or lies at its own end.
    for (const [at, value] of [
      [10, 0xffff],
      [16, 0xffff],
      [18, 0xffff]
    ] as const) {
      const lying = Buffer.from(bomb)
      lying.writeUInt16LE(value, lying.lastIndexOf(uint32(0x06054b50)) + at)
      assert.throws(() => readZip(lying), ZipInvalid)
    }
  })

  it.live("is no way out of the directory of records, by links or names", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const runs = path.join(user.directory, "runs")
      const secret = path.join(user.directory, "secret.air.json")
      fs.mkdirSync(path.join(user.directory, "far"))
      fs.writeFileSync(path.join(user.directory, "far", "x.air.json"), '{"run_id":"far-away","chain_seq":1}')
      fs.writeFileSync(secret, '{"run_id":"far-away","chain_seq":1}')
      fs.mkdirSync(runs)
      fs.symlinkSync(secret, path.join(runs, "a.air.json"))
      fs.symlinkSync(path.join(user.directory, "far"), path.join(runs, "far"))
      fs.symlinkSync(runs, path.join(runs, "round"))
      assert.strictEqual(spawnSync("mkfifo", [path.join(runs, "pipe.air.json")]).status, 0)
      const run = yield* runCommand(user, ["air", "verify", runs, "--json"])
      assert.notInclude(run.out, "far-away")
      if (run.failure === undefined) assert.strictEqual(JSON.parse(run.out).reference.total_records, 0)
    })
  )
})

describe("a cloned repository with scenarios and experiments", () => {
  const scenario = (mark: string) => ({
    schema_version: 1,
    id: "trap",
    category: "decision-recall",
    setup_messages: [],
    continuation_prompt: "Which port?",
    expected_facts: [],
    validators: [{ name: "trap", command: ["sh", "-c", `touch '${mark}'`] }],
    limits: {}
  })

  it.live("has none of its commands run before somebody agreed, whatever consent it brings", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      const mark = path.join(user.directory, "mark")
      const own = path.join(user.project, ".lint-ai", "scenarios")
      fs.mkdirSync(own, { recursive: true })
      const file = path.join(own, "trap.json")
      fs.writeFileSync(file, JSON.stringify(scenario(mark)))
      const validated = yield* runCommand(user, ["scenario", "validate", file, "--json"])
      const { digest } = JSON.parse(validated.out).scenarios?.[0] ?? JSON.parse(validated.out).files[0]
      const consent = JSON.stringify({
        ...{ schema_version: 1, scenario_digest: digest, agreed_at: "2026-01-01T00:00:00.000Z" },
        ...{ key_id: "0".repeat(16), signature: "0".repeat(64) }
      })
      for (const place of ["scenario-trust", "state/scenario-trust"]) {
        fs.mkdirSync(path.join(user.project, ".lint-ai", place), { recursive: true })
        fs.writeFileSync(path.join(user.project, ".lint-ai", place, `${digest}.json`), consent)
      }
      const experiment = path.join(user.project, "experiment.json")
      fs.writeFileSync(
        experiment,
        JSON.stringify({
          schema_version: 1,
          id: "trap",
          arms: ["native", "lint-ai"].map((preset) => ({ preset, provider: "claude" })),
          variable: ["lint_ai", "native_memory"],
          scenarios: [".lint-ai/scenarios/trap.json"],
          repetitions: 1,
          memory: { from: "empty" }
        })
      )
      const run = yield* runCommand(user, ["scenario", "run", file, "--replay", "--provider", "claude", "--json"])
      assert.strictEqual(run.failure, "ScenarioNotTrusted", run.err + run.out)
      const ran = yield* runCommand(user, [
        "experiment",
        "run",
        experiment,
        "--root",
        path.join(user.directory, "root")
      ])
      assert.isDefined(ran.failure)
      assert.isFalse(fs.existsSync(mark))
      for (const args of [
        ["scenario", "validate", file],
        ["experiment", "run", experiment, "--dry-run"],
        ["experiment", "report", experiment],
        ["compare", "a", "b"]
      ]) {
        const { failure } = yield* runCommand(user, args)
        assert.notStrictEqual(failure, "ShowHelp", "there is such a command")
        assert.isFalse(fs.existsSync(mark), args.join(" "))
      }
    })
  )

  it.live("does not lead what is written for a scenario out of the project by links", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      const transcript = path.join(user.directory, "t.jsonl")
      fs.writeFileSync(
        transcript,
        `${JSON.stringify({ type: "user", uuid: "u", sessionId: "one", cwd: "/w", version: "2.1.0", timestamp: "2026-01-01T00:00:00.000Z", message: { role: "user", content: "Hello." } })}\n`
      )
      const imported = yield* runCommand(user, ["sessions", "import", transcript, "--transcript", "claude", "--json"])
      const session = JSON.parse(imported.out).path
      const elsewhere = path.join(user.directory, "elsewhere")
      fs.mkdirSync(elsewhere)
      for (const name of ["scenarios", "evaluations"])
        fs.symlinkSync(elsewhere, path.join(user.project, ".lint-ai", name))
      const made = yield* runCommand(user, ["scenario", "from-session", session, "--json"])
      assert.strictEqual(made.failure, "UnsafePath", made.out)
      assert.deepStrictEqual(fs.readdirSync(elsewhere), [])
    })
  )
})
