import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, inject, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { compiledHook, newUser } from "../support/recording.ts"

/** What may stand at an agent's place in the PATH, as an installation that was not finished leaves it. */
const agents: Readonly<Record<string, (file: string) => void>> = {
  "is a text": (file) => fs.writeFileSync(file, "the native binary is not installed\n", { mode: 0o755 }),
  "is empty": (file) => fs.writeFileSync(file, "", { mode: 0o755 }),
  "is a program of another machine": (file) =>
    fs.writeFileSync(file, Buffer.from("\x7fELF\x02\x01\x01nonsense"), { mode: 0o755 }),
  "names an interpreter that is missing": (file) => fs.writeFileSync(file, "#!/no/such/interpreter\n", { mode: 0o755 }),
  "links to nothing": (file) => fs.symlinkSync("/no/such/program", file),
  "cannot be executed": (file) => fs.writeFileSync(file, "#!/bin/sh\n", { mode: 0o644 })
}

describe("an agent on the PATH", () => {
  for (const [what, make] of Object.entries(agents))
    for (const args of [["install", "claude", "--yes"], ["init", "--yes"], ["status"], ["doctor"]])
      it.live(`that ${what} is one without a version for ${args[0]}`, () =>
        Effect.gen(function* () {
          const user = yield* newUser
          const bin = path.join(user.project, "bin")
          fs.mkdirSync(bin)
          make(path.join(bin, "claude"))
          const [command = ""] = compiledHook(inject("builtProgram"))
          const env = { ...user.env, PATH: bin }
          const { status, stdout, stderr } = spawnSync(command, args, { cwd: user.project, env, encoding: "utf8" })
          assert.notInclude(stderr, "posix_spawn")
          assert.strictEqual(status, 0, stderr)
          if (args[0] === "doctor") {
            const isFound = what !== "links to nothing" && what !== "cannot be executed"
            assert.include(
              stdout,
              `Claude Code: ${isFound ? `${path.join(bin, "claude")} cannot be used: it ` : "not on the PATH"}`
            )
          }
        })
      )
})
