import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { exitCodes } from "../../src/cli/errors.ts"
import { Stdin } from "../../src/platform/Stdin.ts"
import { type CommandRun, runCommand } from "../support/cli.ts"
import { recordingUser } from "../support/recording.ts"

const write = (directory: string, config: unknown) => {
  fs.mkdirSync(directory, { recursive: true })
  fs.writeFileSync(path.join(directory, "config.json"), JSON.stringify(config))
}

const messageOf = ({ exit }: CommandRun): string => (Exit.isFailure(exit) ? String(Cause.squash(exit.cause)) : "")

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

  it.live("says what to do about what cannot be read as a file, and prints nothing of it", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      const at = (name: string) => path.join(user.project, name)
      fs.mkdirSync(at("directory"))
      execFileSync("mkfifo", [at("pipe")])
      fs.symlinkSync(at("loop"), at("loop"))
      for (const [name, words] of [
        ["nothing.txt", "does not exist"],
        ["directory", "it is a directory"],
        ["pipe", "lint-ai redact < FILE"],
        ["loop", "links"]
      ] as const) {
        for (const flags of [[], ["--lines"], ["--json"]]) {
          const run = yield* runCommand(user, ["redact", ...flags, name])
          assert.strictEqual(run.failure, "InputUnreadable", name)
          assert.include(messageOf(run), words)
          assert.strictEqual(run.out, "")
        }
      }
      assert.strictEqual(exitCodes.InputUnreadable, 3)
    }).pipe(Effect.scoped)
  )

  it.live("tells a person at a terminal what it waits for, and nobody else", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      fs.writeFileSync(path.join(user.project, "file"), "")
      const hint = "then Ctrl-D"
      for (const flags of [[], ["--lines"], ["-"]]) {
        const args = ["redact", ...flags]
        assert.include((yield* runCommand(user, args, { stdin: "{}", answers: ["there"] })).err, hint)
        assert.strictEqual((yield* runCommand(user, args, { stdin: "{}" })).err, "")
      }
      assert.strictEqual((yield* runCommand(user, ["redact", "file"], { answers: ["there"] })).err, "")
    }).pipe(Effect.scoped)
  )

  it.live("looks at nothing of what is more than it can look at, and does not pass the beginning for all", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      const large = path.join(user.project, "large.jsonl")
      fs.writeFileSync(large, "")
      fs.truncateSync(large, 256 * 1024 * 1024 + 1)
      const stdin = Layer.succeed(Stdin, {
        drain: ({ limit }) => Effect.succeed({ bytes: Buffer.from("{}\n"), total: limit + 1, stopped: "end" as const })
      })
      for (const input of [large, "-"]) {
        for (const flags of [[], ["--lines"], ["--json"]]) {
          const run = yield* runCommand(user, ["redact", ...flags, input], { stdin })
          assert.strictEqual(run.failure, "InputTooLarge")
          assert.include(messageOf(run), "nothing of it was looked at")
          assert.strictEqual(run.out, "")
        }
      }
    }).pipe(Effect.scoped)
  )
})
