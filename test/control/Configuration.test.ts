import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Configuration } from "../../src/control/Configuration.ts"
import { configurationFaults } from "../../src/control/retentionSettings.ts"
import { Toggles } from "../../src/control/Toggles.ts"
import { dormant } from "../../src/domain/mode.ts"
import { sha256 } from "../../src/platform/digest.ts"
import { defaultPolicy } from "../../src/redaction/policy.ts"
import { claudeSequence, record } from "../export/sessions.ts"
import { runCommand } from "../support/cli.ts"
import { machineOf, newUser, recordingUser, type TestUser } from "../support/recording.ts"

const settingsOf = (user: TestUser) =>
  Effect.gen(function* () {
    const toggles = yield* Toggles
    const configuration = yield* Configuration
    return yield* configuration.load(user.project, yield* toggles.read(user.project))
  }).pipe(Effect.provide(Layer.fresh(machineOf(user))))

const write = (directory: string, config: unknown) => {
  fs.mkdirSync(directory, { recursive: true })
  fs.writeFileSync(path.join(directory, "config.json"), typeof config === "string" ? config : JSON.stringify(config))
}
const inProject = (user: TestUser) => path.join(user.project, ".lint-ai")
const allowed = { rule: "secret", sha256: sha256("harmless") }

describe("the configuration", () => {
  it.live("without any file is the defaults themselves", () =>
    Effect.gen(function* () {
      const settings = yield* settingsOf(yield* recordingUser)
      assert.strictEqual(settings.redaction, defaultPolicy)
      assert.deepStrictEqual(settings.sources, [])
    }).pipe(Effect.scoped)
  )

  it.live("of a project only tightens until the user adopts it, and again after it changed", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      write(inProject(user), {
        recording: { session_max_bytes: 2 ** 40, durability: "power" },
        redaction: { extra: [{ id: "badge", prefixes: ["BADGE-"] }], allow: [allowed] }
      })
      const before = yield* settingsOf(user)
      assert.deepStrictEqual([before.archive.durability, before.archive.maxBytes], ["power", 256 * 1024 * 1024])
      assert.deepStrictEqual(
        before.redaction.extra.map(({ id }) => id),
        ["badge"]
      )
      assert.deepStrictEqual(before.redaction.allow, [])
      assert.include(before.problems.map(({ problem }) => problem).join(), "lint-ai adopt")

      yield* runCommand(user, ["adopt", "--yes"])
      const adopted = yield* settingsOf(user)
      assert.strictEqual(adopted.archive.maxBytes, 2 ** 40)
      assert.deepStrictEqual(adopted.redaction.allow, [allowed])
      assert.deepStrictEqual(adopted.problems, [])

      yield* runCommand(user, ["record", "stop"])
      assert.deepStrictEqual(
        (yield* settingsOf(user)).redaction.allow,
        [allowed],
        "a change of the toggles keeps it adopted"
      )
      write(inProject(user), { redaction: { allow: [allowed, allowed] } })
      assert.deepStrictEqual((yield* settingsOf(user)).redaction.allow, [])
    }).pipe(Effect.scoped)
  )

  it.live("that cannot be read leaves the defaults in force and says so", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      for (const broken of [
        "",
        "{",
        "[]",
        "null",
        '"x"',
        '{"recording":{"durability":"sometimes"}}',
        '{"recording":[]}'
      ]) {
        write(user.config, broken)
        const settings = yield* settingsOf(user)
        assert.strictEqual(settings.redaction.allow.length + settings.redaction.extra.length, 0)
        assert.strictEqual(settings.archive.durability, "process")
        assert.strictEqual(settings.problems.length, 1, broken)
      }
      const checked = yield* runCommand(user, ["redact", "check"])
      assert.strictEqual(checked.failure, "PolicyFaulty")
      assert.include(checked.out, path.join(user.config, "config.json"))
    }).pipe(Effect.scoped)
  )

  it.live("keeps what is right of it in force where something else is wrong, and names that", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      const right = {
        redaction: { extra: [{ id: "badge", prefixes: ["BADGE-"] }] },
        recording: { session_max_bytes: 4096 }
      }
      for (const [place, wrong] of [
        ["redactoin", { ...right, redactoin: {} }],
        ["recording.durability", { ...right, recording: { ...right.recording, durability: "sometimes" } }],
        ["recording.durable", { ...right, recording: { ...right.recording, durable: true } }],
        ["retention.older_then", { ...right, retention: { older_then: "90d" } }],
        ["retention.older_than", { ...right, retention: { older_than: "90 moons" } }],
        ["retention.keep", { ...right, retention: { keep: "20" } }],
        ["retention", { ...right, retention: [] }]
      ] as const) {
        write(user.config, wrong)
        const settings = yield* settingsOf(user)
        assert.deepStrictEqual(
          settings.redaction.extra.map(({ id }) => id),
          ["badge"],
          place
        )
        assert.strictEqual(settings.archive.maxBytes, 4096, place)
        const [fault, ...more] = configurationFaults(settings)
        assert.deepStrictEqual(more, [], place)
        assert.isTrue(fault?.problem.startsWith(`${place}: `), `${place}: ${fault?.problem}`)

        // Who turns recording on, looks at the state or checks the rules is told.
        const checked = yield* runCommand(user, ["redact", "check"])
        assert.strictEqual(checked.failure, "PolicyFaulty")
        for (const args of [
          ["install", "claude", "--dry-run"],
          ["redact", "check"],
          ["status", "--json"]
        ]) {
          assert.include((yield* runCommand(user, args)).out, `${place}: `, args.join(" "))
        }
        assert.include((yield* runCommand(user, ["status"])).out, "lint-ai redact check")
        assert.include((yield* runCommand(user, ["doctor"])).out, `${place}: `)
      }
      for (const session_max_bytes of [-1, 1.5, "1 MB", null]) {
        write(user.config, { ...right, recording: { session_max_bytes } })
        const settings = yield* settingsOf(user)
        assert.strictEqual(settings.archive.maxBytes, 256 * 1024 * 1024)
        assert.strictEqual(settings.problems.length, 1)
      }
    }).pipe(Effect.scoped)
  )

  it.live("may begin with a byte order mark, as editors write it", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      write(user.config, `\uFEFF${JSON.stringify({ recording: { durability: "power" } })}`)
      const settings = yield* settingsOf(user)
      assert.deepStrictEqual(settings.problems, [])
      assert.strictEqual(settings.archive.durability, "power")
    }).pipe(Effect.scoped)
  )

  it.live("of a project that has nothing else of lint-ai can be adopted, and turns nothing on", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      write(inProject(user), { redaction: { allow: [allowed] } })
      assert.deepStrictEqual((yield* settingsOf(user)).redaction.allow, [])
      assert.strictEqual((yield* runCommand(user, ["adopt"])).failure, "NeedsConfirmation")
      const { out } = yield* runCommand(user, ["adopt", "--yes"])
      assert.include(out, "config.json as it is")
      const settings = yield* settingsOf(user)
      assert.deepStrictEqual(settings.redaction.allow, [allowed])
      assert.deepStrictEqual(settings.problems, [])
      const status = JSON.parse((yield* runCommand(user, ["status", "--json"])).out)
      assert.isFalse(
        status.providers.some((one: { recording: boolean; memory: boolean }) => one.recording || one.memory)
      )
    }).pipe(Effect.scoped)
  )

  it.live("of a project is shown to whoever is asked to adopt it, however it came", () =>
    Effect.gen(function* () {
      const brought = {
        redaction: {
          allow: [allowed, { ...allowed, rule: "x\n  - harmless\u001b[2J" }],
          extra: [{ id: "badge", prefixes: ["BADGE-"] }]
        },
        recording: { session_max_bytes: 1000 },
        retention: { keep: 0 }
      }
      const unsigned = { schema_version: 1, providers: { "c\n  nothing": dormant }, key_id: "other", signature: "none" }
      for (const state of [undefined, unsigned, "own"]) {
        const user = yield* state === "own" ? recordingUser : newUser
        write(inProject(user), brought)
        if (typeof state === "object") fs.writeFileSync(path.join(inProject(user), "state.json"), JSON.stringify(state))
        const { err, failure } = yield* runCommand(user, ["adopt"], { answers: ["no"] })
        assert.strictEqual(failure, "Cancelled")
        for (const words of [
          "lets 2 values through that redaction would take out (secret, x",
          "adds 1 redaction rule",
          "ends the record of a session at 1.0 KB",
          'sets what `sessions prune` deletes without flags: {"keep":0}'
        ]) {
          assert.include(err, `\n  - ${words}`)
        }
        assert.notMatch(err, /^ {2}(- harmless|nothing)|\u001b/m)
        assert.deepStrictEqual((yield* settingsOf(user)).redaction.allow, [])
        const { out } = yield* runCommand(user, ["adopt", "--yes", "--json"])
        assert.strictEqual(JSON.parse(out).config, path.join(inProject(user), "config.json"))
        assert.lengthOf((yield* settingsOf(user)).redaction.allow, 2)
      }
    }).pipe(Effect.scoped)
  )

  it.live("is what a person is shown who turns something on, and not the defaults", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      write(user.config, { redaction: { extra: [{ id: "badge", prefixes: ["BADGE-"] }], allow: [allowed] } })
      // One that came with a clone may make sessions so small that nothing is kept, and is not to do so unseen.
      write(inProject(user), { recording: { session_max_bytes: 1 } })
      for (const args of [
        ["init", "--yes"],
        ["install", "claude", "--session-recording", "capture-only", "--dry-run"],
        ["record", "start"],
        ["enable"]
      ]) {
        const { out } = yield* runCommand(user, args, { columns: 200 })
        assert.include(out.replace(/\s+/g, " "), "A session grows to 1 byte.", args.join(" "))
        assert.include(out.replace(/\s+/g, " "), "default-v1 with 1 more rule and 1 value let through.")
      }
    }).pipe(Effect.scoped)
  )

  it.live("that cannot be read is not said to be adopted", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      fs.mkdirSync(path.join(inProject(user), "config.json"))
      assert.strictEqual((yield* runCommand(user, ["adopt", "--yes"])).failure, "DiskError")
    }).pipe(Effect.scoped)
  )
})

describe("what adopt shows of a configuration", () => {
  it.live("is also what will not hold", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      for (const [content, fault] of [
        ["{ bad", "is no JSON"],
        ["[]", "is no JSON object"],
        ['{ "limits": 5 }', "limits: there is no such setting"],
        ['{ "recording": { "durability": "much" } }', "recording.durability: expected"]
      ] as const) {
        fs.writeFileSync(path.join(inProject(user), "config.json"), content)
        assert.include((yield* runCommand(user, ["adopt"])).err, fault)
      }
      write(inProject(user), { recording: { durability: "power" } })
      assert.notInclude((yield* runCommand(user, ["adopt"])).err, "does not hold")
    }).pipe(Effect.scoped)
  )
})

describe("the retention settings", () => {
  it.live("delete nothing while one of them cannot be read: the others alone would delete something else", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      yield* record(user, "claude", claudeSequence("nested-memory")).pipe(Effect.provide(machineOf(user)))
      const count = () =>
        Effect.map(runCommand(user, ["sessions", "list", "--json"]), ({ out }) => JSON.parse(out).sessions.length)
      assert.strictEqual(yield* count(), 1)
      for (const retention of [
        { keep: 0, older_than: "90 moons" },
        { keep: 0, older_then: "90d" },
        { keep: 0, older_than: 90 },
        { max_size: "1 B", keep: "20" },
        [{ keep: 0 }]
      ]) {
        write(user.config, { retention })
        for (const flags of [["--yes"], ["--dry-run"], ["--yes", "--json"]]) {
          assert.strictEqual((yield* runCommand(user, ["sessions", "prune", ...flags])).failure, "RetentionFaulty")
        }
        assert.strictEqual(yield* count(), 1)
      }
      for (const content of ['{ "retention": { "keep": 0 }', "[]", ""]) {
        fs.writeFileSync(path.join(user.config, "config.json"), content)
        assert.strictEqual(
          (yield* runCommand(user, ["sessions", "prune", "--yes"])).failure,
          "RetentionFaulty",
          content
        )
        assert.strictEqual(yield* count(), 1)
      }
      // Rules that are given stand for themselves.
      yield* runCommand(user, ["sessions", "prune", "--keep", "0", "--yes"])
      assert.strictEqual(yield* count(), 0)
    }).pipe(Effect.scoped)
  )
})
