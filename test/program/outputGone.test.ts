import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, inject, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { newUser } from "../support/recording.ts"

const programs: Readonly<Record<string, () => ReadonlyArray<string>>> = {
  "the binary": () => [path.join(inject("builtProgram"), "lint-ai")],
  "the bundle": () => [process.execPath, path.join(inject("builtProgram"), "main.mjs")]
}

/** Runs a program whose output is closed after its first piece, as `| head -1` does; or that gets a signal then. */
const untilRead = (
  program: ReadonlyArray<string>,
  stream: "stdout" | "stderr",
  cwd: string,
  env: NodeJS.ProcessEnv,
  signal?: NodeJS.Signals
) =>
  Effect.promise(
    () =>
      new Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>((resolve) => {
        const [file = "", ...args] = program
        const child = spawn(file, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] })
        for (const other of [child.stdout, child.stderr]) if (other !== child[stream]) other.resume()
        child[stream].once("data", () => {
          if (signal === undefined) return child[stream].destroy()
          child.kill(signal)
          child[stream].resume()
        })
        child.once("exit", (code, signal) => resolve({ code, signal }))
      })
  )

describe("a command whose reader has had enough", () => {
  for (const [name, program] of Object.entries(programs)) {
    it.live(`ends well and leaves nothing of its work behind (${name})`, () =>
      Effect.gen(function* () {
        const user = yield* newUser
        const temporary = path.join(user.directory, "temporary")
        fs.mkdirSync(temporary)
        const env = { ...user.env, PATH: process.env.PATH ?? "", TMPDIR: temporary }
        const end = yield* untilRead([...program(), "demo"], "stdout", user.project, env)
        assert.deepStrictEqual(end, { code: 0, signal: null })
        assert.deepStrictEqual(fs.readdirSync(temporary), [])
        const ended = yield* untilRead([...program(), "demo", "--keep"], "stdout", user.project, env, "SIGINT")
        assert.deepStrictEqual(ended, { code: 130, signal: null })
        assert.deepStrictEqual(fs.readdirSync(temporary), [], "nor when it is interrupted")
      }).pipe(Effect.scoped)
    )

    it.live(`ends well when it was its errors that were read (${name})`, () =>
      Effect.gen(function* () {
        const user = yield* newUser
        const files = Array.from({ length: 200 }, (_, at) => `none-${at}.json`)
        const args = ["scenario", "validate", ...files]
        const end = yield* untilRead([...program(), ...args], "stdout", user.project, user.env)
        assert.deepStrictEqual(end.signal, null)
        const told = yield* untilRead([...program(), "sessions", "inspect", "none"], "stderr", user.project, user.env)
        assert.deepStrictEqual(told.signal, null)
      }).pipe(Effect.scoped)
    )
  }
})
