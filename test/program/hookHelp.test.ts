import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { assert, describe, inject, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { compiledHook, newUser } from "../support/recording.ts"

describe("what agents start", () => {
  for (const command of ["hook", "hook claude", "statusline", "mcp serve"])
    for (const flag of ["--help", "-h"])
      it.live(`explains itself: ${command} ${flag}`, () =>
        Effect.gen(function* () {
          const user = yield* newUser
          const [program = ""] = compiledHook(inject("builtProgram"))
          const { status, stdout, stderr } = spawnSync(program, [...command.split(" "), flag], {
            cwd: user.project,
            env: user.env,
            encoding: "utf8"
          })
          assert.deepStrictEqual([status, stderr], [0, ""])
          assert.match(stdout, /USAGE/)
          // Nothing was taken for an event that could not be recorded.
          assert.isFalse(fs.existsSync(user.state))
        })
      )
})
