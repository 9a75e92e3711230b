import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, inject, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { deliver, start } from "../support/claudeDeliveries.ts"
import { recordingUser } from "../support/recording.ts"

const programs: Readonly<Record<string, () => ReadonlyArray<string>>> = {
  "the binary": () => [path.join(inject("builtProgram"), "lint-ai")],
  "the bundle": () => [process.execPath, path.join(inject("builtProgram"), "main.mjs")]
}

describe("an output that does not take everything", () => {
  for (const [name, program] of Object.entries(programs))
    for (const command of ["sessions export", "sessions list", "sessions list --json", "--help"])
      it.live(`fails ${command} of ${name}`, () =>
        Effect.gen(function* () {
          const user = yield* recordingUser
          yield* deliver(user, "5f0d-session", [start])
          const [file = "", ...args] = program()
          const run = (out: string, flags: string) => {
            const descriptor = fs.openSync(out, flags)
            const { status, stderr } = spawnSync(file, [...args, ...command.split(" ")], {
              cwd: user.project,
              env: user.env,
              stdio: ["ignore", descriptor, "pipe"],
              encoding: "utf8"
            })
            fs.closeSync(descriptor)
            return { status, stderr }
          }
          // A device on which no space is ever left; macOS has none.
          if (process.platform === "linux") {
            const full = run("/dev/full", "w")
            assert.strictEqual(full.status, 1)
            assert.include(full.stderr, "no space is left on the disk")
          }
          const out = path.join(user.directory, "out")
          fs.writeFileSync(out, "before\n")
          assert.deepStrictEqual(run(out, "a"), { status: 0, stderr: "" })
          assert.match(fs.readFileSync(out, "utf8"), /^before\n[\s\S]+\n$/)
        })
      )
})
