import { spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { inject } from "vitest"
import { startReceiver } from "../export/otlpReceiver.ts"
import { compiledHook, newUser, type TestUser } from "../support/recording.ts"

const fixtures = path.join(import.meta.dirname, "../fixtures")
const rollouts = path.join(fixtures, "transcripts/codex")
const transcript = path.join(fixtures, "claude/transcripts/main-332.jsonl")

interface Run {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

const cli = (user: TestUser, args: ReadonlyArray<string>, env: Record<string, string> = {}): Run => {
  const [command = "", ...first] = compiledHook(inject("builtProgram"))
  const run = spawnSync(command, [...first, ...args], {
    cwd: user.project,
    env: { ...user.env, TRUST_SIGNING_KEY: "a key of the test", ...env },
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024
  })
  return { status: run.status, stdout: run.stdout, stderr: run.stderr }
}

const cliLater = (user: TestUser, args: ReadonlyArray<string>) =>
  Effect.callback<number | null>((resume) => {
    const [command = "", ...first] = compiledHook(inject("builtProgram"))
    const env = { ...user.env, TRUST_SIGNING_KEY: "a key of the test" }
    spawn(command, [...first, ...args], { cwd: user.project, env, stdio: "ignore" }).on("close", (status) =>
      resume(Effect.succeed(status))
    )
  })

const done = (run: Run) => {
  assert.strictEqual(run.status, 0, run.stdout + run.stderr)
  return JSON.parse(run.stdout)
}
const failed = (run: Run, status: number, tag: string) => {
  assert.strictEqual(run.status, status, run.stdout + run.stderr)
  assert.strictEqual(JSON.parse(run.stdout).error.tag, tag)
}
/** Exit code 4 and nothing but the report. */
const unsound = (run: Run) => {
  assert.strictEqual(run.status, 4, run.stdout + run.stderr)
  return JSON.parse(run.stdout)
}

const imported = (user: TestUser): string =>
  done(cli(user, ["sessions", "import", "--transcript", "claude", transcript, "--json"])).session_id

describe("evidence from the command line", () => {
  it.live("imports, verifies, compares and says by its exit code what is wrong", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      failed(cli(user, ["sessions", "import", transcript, "--json"]), 2, "ImportInvalid")
      const id = imported(user)
      failed(cli(user, ["sessions", "import", "--transcript", "claude", transcript, "--json"]), 5, "AlreadyImported")
      assert.strictEqual(done(cli(user, ["sessions", "verify", id, "--json"])).verdict, "complete")
      const compared = done(cli(user, ["sessions", "verify", id, "--against-transcript", transcript, "--json"]))
      assert.isTrue(compared.against_transcript.agrees)
      const other = transcript.replace("main-332", "main-197")
      unsound(cli(user, ["sessions", "verify", id, "--against-transcript", other, "--json"]))
      const directory = path.join(user.project, ".lint-ai/claude-sessions", id.replace(":", "-"))
      fs.renameSync(directory, `${directory}-moved`)
      assert.strictEqual(done(cli(user, ["sessions", "verify", "--all", "--json"])).sessions.length, 1)
      fs.rmSync(`${directory}-moved`, { recursive: true })
      const [gone] = unsound(cli(user, ["sessions", "verify", "--all", "--json"])).sessions
      assert.deepInclude(gone, { session_id: id, verdict: "broken" })
      unsound(cli(user, ["sessions", "verify", id, "--json"]))
      failed(cli(user, ["sessions", "verify", "claude:never", "--json"]), 3, "SessionNotFound")
    })
  )

  it.live("deletes and prunes with a tombstone, after asking", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const id = imported(user)
      failed(cli(user, ["sessions", "prune", "--json"]), 2, "NoRetentionRule")
      failed(cli(user, ["sessions", "prune", "--older-than", "soon", "--json"]), 2, "NotATime")
      failed(cli(user, ["sessions", "prune", "--keep", "0", "--json"]), 5, "NeedsConfirmation")
      const planned = done(cli(user, ["sessions", "prune", "--keep", "0", "--dry-run", "--json"]))
      assert.strictEqual(planned.would_delete[0].session_id, id)
      assert.strictEqual(done(cli(user, ["sessions", "prune", "--max-size", "1GB", "--yes", "--json"])).kept, 1)
      fs.mkdirSync(user.config, { recursive: true })
      fs.writeFileSync(path.join(user.config, "config.json"), JSON.stringify({ retention: { older_than: "1h" } }))
      assert.strictEqual(done(cli(user, ["sessions", "prune", "--yes", "--json"])).deleted[0].session_id, id)
      const [anchor] = fs.readdirSync(path.join(user.state, "anchors"))
      const tombstone = JSON.parse(fs.readFileSync(path.join(user.state, "anchors", anchor ?? ""), "utf8"))
      assert.strictEqual(tombstone.deleted_by, "prune")
      failed(cli(user, ["sessions", "verify", "--all", "--json"]), 3, "NoSessions")
    })
  )

  it.live("shows and rotates keys by their fingerprints", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      assert.deepStrictEqual(done(cli(user, ["evidence", "key", "show", "--json"])).keys, [])
      const id = imported(user)
      const { previous, current } = done(cli(user, ["evidence", "key", "rotate", "--json"]))
      const { keys } = done(cli(user, ["evidence", "key", "show", "--json"]))
      assert.deepStrictEqual(
        keys.map((key: { readonly id: string }) => key.id),
        [previous, current]
      )
      assert.strictEqual(done(cli(user, ["sessions", "verify", id, "--json"])).verdict, "complete")
    })
  )

  it.live("exports AIR records from several processes into one chain, bundles and verifies them", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const ids = fs
        .readdirSync(rollouts)
        .map(
          (name) =>
            done(cli(user, ["sessions", "import", "--transcript", "codex", path.join(rollouts, name), "--json"]))
              .session_id
        )
      const runs = path.join(user.directory, "runs")
      const all = yield* Effect.all(
        ids.map((id) => cliLater(user, ["air", "export", id, "--runs", runs])),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(new Set(all), new Set([0]))
      const verified = done(cli(user, ["air", "verify", runs, "--json"]))
      assert.deepInclude(verified, { verdict: "complete", reasons: [] })
      const bundle = path.join(user.directory, "b.air-evidence")
      const { signer } = done(cli(user, ["air", "bundle", runs, "--out", bundle, "--json"]))
      failed(cli(user, ["air", "bundle", runs, "--out", bundle, "--json"]), 5, "OutputExists")
      assert.isTrue(done(cli(user, ["air", "verify", bundle, "--expect-signer", signer, "--json"])).strict)
      unsound(cli(user, ["air", "verify", bundle, "--expect-signer", "ed25519:0", "--json"]))
      const another = cli(user, ["air", "verify", runs, "--json"], { TRUST_SIGNING_KEY: "another" })
      unsound(another)
      assert.include(another.stdout, "a chain of another key breaks at its first record too")
      failed(cli(user, ["air", "verify", runs, "--key-file", "none.key", "--json"]), 3, "AirKeyUnreadable")
      fs.writeFileSync(path.join(user.directory, "short.seed"), "abcd")
      const short = ["--sign-key-file", path.join(user.directory, "short.seed"), "--json"]
      failed(cli(user, ["air", "bundle", runs, ...short]), 2, "SigningSeedMalformed")
      failed(cli(user, ["air", "verify", path.join(user.directory, "none"), "--json"]), 3, "AirUnreadable")
      failed(
        cli(user, ["air", "export", "--runs", runs, "--json"], { TRUST_SIGNING_KEY: "air-blackbox-default" }),
        2,
        "WeakAirKey"
      )
      failed(cli(user, ["air", "export", "--runs", runs, "--json"], { TRUST_SIGNING_KEY: "" }), 2, "NoAirKey")
      const names = fs.readdirSync(runs).filter((name) => name.endsWith(".air.json"))
      const record = JSON.parse(cli(user, ["air", "load", path.join(runs, names[0] ?? "")]).stdout)
      assert.strictEqual(record.version, "1.0.0")
    })
  )

  it.live("sends spans to a collector that was named, and says that they leave", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const id = imported(user)
      const receiver = yield* startReceiver()
      const args = ["sessions", "export", id, "--format", "otlp", "--endpoint", receiver.url]
      // This process must answer while the program runs, so it is not waited for synchronously.
      assert.strictEqual(yield* cliLater(user, args), 0)
      assert.strictEqual(receiver.received.length, 1)
      const unreachable = cli(user, ["sessions", "export", id, "--format", "otlp", "--endpoint", "http://127.0.0.1:1"])
      assert.strictEqual(unreachable.status, 1)
      assert.include(unreachable.stderr, "leave this machine")
      failed(cli(user, ["sessions", "export", id, "--endpoint", receiver.url, "--json"]), 2, "OnlyForOtlp")
      for (const format of ["jsonl", "markdown", "atif", "otlp", "agent-trace"]) {
        assert.strictEqual(cli(user, ["sessions", "export", id, "--format", format]).status, 0)
      }
    })
  )
})
