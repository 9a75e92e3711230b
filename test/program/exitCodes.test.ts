import { spawnSync } from "node:child_process"
import * as path from "node:path"
import { assert, describe, inject, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { deliver, end, start } from "../support/claudeDeliveries.ts"
import { recordingUser } from "../support/recording.ts"

describe("the exit code", () => {
  it.live("of a command that is given a file which is not there is that of what is not found", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      yield* deliver(user, "1111", [start, end])
      for (const args of [
        ["redact", "gone"],
        ["sessions", "inspect", "gone"],
        ["sessions", "import", "gone"],
        ["sessions", "import", "--transcript", "claude", "gone"],
        ["sessions", "verify", "1111", "--against-transcript", "gone"],
        ["sessions", "export", "1111", "--out", "gone/session.jsonl"],
        ["air", "load", "gone"],
        ["experiment", "run", "gone"],
        ["experiment", "report", "gone"],
        ["scenario", "run", "gone"],
        ["memory", "promote", "gone"]
      ]) {
        // `air load` prints JSON anyway.
        for (const flags of args[0] === "air" ? [[]] : [[], ["--json"]]) {
          const { status, stdout, stderr } = spawnSync(
            path.join(inject("builtProgram"), "lint-ai"),
            [...args, ...flags],
            { cwd: user.project, env: user.env, encoding: "utf8" }
          )
          assert.strictEqual(status, 3, `${args.join(" ")}\n${stdout}${stderr}`)
          if (flags.length > 0) assert.isFalse(JSON.parse(stdout).ok)
        }
      }
    }).pipe(Effect.scoped)
  )
})
