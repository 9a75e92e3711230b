import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { inject } from "vitest"
import { compiledHook, newUser } from "../support/recording.ts"

describe("what lint-ai keeps", () => {
  it.live("is for its owner alone, whatever the user's umask", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const [program = ""] = compiledHook(inject("builtProgram"))
      const env = { ...user.env, PATH: process.env.PATH ?? "" }
      const run = (args: string, input = "") => {
        const end = spawnSync("/bin/sh", ["-c", `umask 000; exec "${program}" ${args}`], {
          cwd: user.project,
          env,
          input
        })
        assert.strictEqual(end.status, 0, `${args}: ${end.stderr}`)
      }
      run("enable claude")
      const event = (name: string, more: object) =>
        JSON.stringify({ session_id: "s", hook_event_name: name, prompt_id: "p", ...more })
      run("hook claude", event("UserPromptSubmit", { prompt: "how is the ledger rebuilt?" }))
      run("hook claude", event("Stop", { last_assistant_message: "The ledger is rebuilt from its snapshot." }))
      run("hook claude", event("SessionEnd", { reason: "other" }))
      run("hook claude", "no JSON")
      run("sessions export s --out out.jsonl")
      run("sessions view s --out out.html")
      run("memory rebuild")
      run("evidence key rotate")
      const wrong: Array<string> = []
      for (const top of [path.join(user.project, ".lint-ai"), user.config, user.state]) {
        for (const name of ["", ...fs.readdirSync(top, { recursive: true, encoding: "utf8" })]) {
          const status = fs.lstatSync(path.join(top, name))
          if (status.isSymbolicLink()) continue
          if ((status.mode & 0o077) !== 0)
            wrong.push(`${path.join(path.basename(top), name)} ${(status.mode & 0o777).toString(8)}`)
        }
      }
      for (const name of ["out.jsonl", "out.html"]) {
        const { mode } = fs.statSync(path.join(user.project, name))
        if ((mode & 0o077) !== 0) wrong.push(`${name} ${(mode & 0o777).toString(8)}`)
      }
      assert.deepStrictEqual(wrong, [])
    })
  )
})
