import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { deliver, end, start } from "../support/claudeDeliveries.ts"
import { runCommand } from "../support/cli.ts"
import { recordingUser } from "../support/recording.ts"

describe("flags that are called the same everywhere", () => {
  it.live("name the project, also where an argument does", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      yield* deliver(user, "1111", [start, end])
      const elsewhere = path.join(user.directory, "elsewhere")
      fs.mkdirSync(elsewhere)
      const { CLAUDE_PROJECT_DIR: _none, ...env } = user.env
      const there = { host: { cwd: elsewhere, env } }
      for (const args of [
        ["status", "--json"],
        ["doctor", "--json"],
        ["adopt", "--json"],
        ["init", "--yes", "--json"],
        ["install", "claude", "--dry-run", "--json"],
        ["record", "status", "--json"],
        ["sessions", "list", "--json"],
        ["watch", "--once", "--json"]
      ]) {
        const { out, err } = yield* runCommand(user, [...args, "--project", user.project], there)
        assert.include(out, user.project, args.join(" "))
        assert.notInclude(out, elsewhere, args.join(" "))
        assert.notInclude(err, "is no part of")
      }
      assert.deepStrictEqual(fs.readdirSync(elsewhere), [])
    }).pipe(Effect.scoped)
  )

  it.live("write to stdout what is to go to -", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      yield* deliver(user, "1111", [start, end])
      for (const args of [
        ["sessions", "export", "1111"],
        ["sessions", "export", "1111", "--format", "markdown"],
        ["compare", "1111"]
      ]) {
        const { out } = yield* runCommand(user, args)
        assert.strictEqual((yield* runCommand(user, [...args, "--out", "-"])).out, out, args.join(" "))
        assert.isNotEmpty(out)
      }
      assert.isFalse(fs.existsSync(path.join(user.project, "-")))
    }).pipe(Effect.scoped)
  )
})
