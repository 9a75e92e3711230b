import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Configuration } from "../../src/control/Configuration.ts"
import { Toggles } from "../../src/control/Toggles.ts"
import { sha256 } from "../../src/platform/digest.ts"
import { defaultPolicy } from "../../src/redaction/policy.ts"
import { runCommand } from "../support/cli.ts"
import { machineOf, recordingUser, type TestUser } from "../support/recording.ts"

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
      for (const broken of ["{", "[]", '{"recording":{"durability":"sometimes"}}']) {
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
})

describe("lint-ai redact", () => {
  it.live("uses the user's rules, tells rules and places, and never shows the secret", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      write(user.config, { redaction: { extra: [{ id: "badge", prefixes: ["BADGE-"] }] } })
      const stdin = `{"note":"my BADGE-${"7".repeat(12)} here"}\n`
      const report = yield* runCommand(user, ["redact"], { stdin })
      assert.include(report.out, "badge")
      assert.notInclude(report.out, "BADGE-7")
      const lines = yield* runCommand(user, ["redact", "--lines", "-"], { stdin })
      assert.strictEqual(lines.out, '{"note":"my [REDACTED:badge] here"}\n')
    }).pipe(Effect.scoped)
  )

  it.live("says what to do about a file that is not there", () =>
    Effect.gen(function* () {
      const run = yield* runCommand(yield* recordingUser, ["redact", "nothing.txt"])
      assert.strictEqual(run.failure, "InputUnreadable")
    }).pipe(Effect.scoped)
  )
})
