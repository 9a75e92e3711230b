import { execFileSync, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, inject, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { deliver, end, prompt, start } from "../support/claudeDeliveries.ts"
import { compiledHook, recordingUser } from "../support/recording.ts"

describe("a machine without Git", () => {
  it.live("is what is said to be wrong, and not the recorded revision", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      const git = (...args: ReadonlyArray<string>) =>
        execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], { cwd: user.project })
      git("init", "--quiet")
      git("commit", "--quiet", "--allow-empty", "-m", "One")
      yield* deliver(user, "5f0d-session", [start, prompt(1), end])
      const bin = path.join(user.directory, "bin")
      fs.mkdirSync(bin)
      fs.writeFileSync(path.join(bin, "claude"), "#!/bin/sh\necho '2.1.332 (Claude Code)'\n", { mode: 0o755 })
      const [command = ""] = compiledHook(inject("builtProgram"))
      const run = (...args: ReadonlyArray<string>) =>
        spawnSync(command, args, { cwd: user.project, env: { ...user.env, PATH: bin }, encoding: "utf8" })
      const experiment = path.join(user.directory, "ab")
      for (const args of [
        ["sessions", "inspect", "5f0d"],
        ["status"],
        ["experiment", "init", experiment, "--session", "5f0d"]
      ]) {
        const { status, stderr } = run(...args)
        assert.strictEqual(status, 0, stderr)
      }
      for (const [args, words] of [
        [["experiment", "run", path.join(experiment, "experiment.jsonc"), "--dry-run"], "Git tells nothing of"],
        [["replay", "5f0d", "--dry-run", "--with-patch"], "Git tells nothing of"],
        [["replay", "5f0d"], "there is no git on the PATH"]
      ] as const) {
        const { status, stderr } = run(...args)
        assert.notStrictEqual(status, 0, args.join(" "))
        assert.include(stderr, words, args.join(" "))
      }
    }).pipe(Effect.scoped)
  )
})
