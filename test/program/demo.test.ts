import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, inject, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { newUser, type TestUser } from "../support/recording.ts"

const programs: Readonly<Record<string, () => ReadonlyArray<string>>> = {
  "the binary": () => [path.join(inject("builtProgram"), "lint-ai")],
  "the bundle": () => [process.execPath, path.join(inject("builtProgram"), "main.mjs")]
}

const demo = (program: ReadonlyArray<string>, user: TestUser, temporary: string, flags: ReadonlyArray<string> = []) => {
  const [file = "", ...args] = program
  const env = { ...user.env, PATH: process.env.PATH ?? "", TMPDIR: temporary }
  return spawnSync(file, [...args, "demo", ...flags], { cwd: user.project, env, encoding: "utf8" })
}

/** A directory that is in none of the places which everybody takes for temporary, as those of macOS and of many machines for builds. */
const elsewhere = Effect.acquireRelease(
  Effect.sync(() => {
    const cache = path.join(import.meta.dirname, "../../.cache")
    fs.mkdirSync(cache, { recursive: true })
    return fs.mkdtempSync(path.join(cache, "demo-"))
  }),
  (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true }))
)

describe("the demonstration", () => {
  for (const [name, program] of Object.entries(programs)) {
    it.live(`works wherever temporary files are kept, and leaves nothing (${name})`, () =>
      Effect.gen(function* () {
        const user = yield* newUser
        const apart = yield* elsewhere
        // The project is a repository, and the scratch project none of its own.
        const inProject = path.join(user.project, "tmp")
        fs.mkdirSync(inProject)
        fs.mkdirSync(path.join(user.project, ".git"))
        for (const [temporary, kept] of [
          [apart, apart],
          ["tmp", inProject],
          [path.join(user.directory, "gone"), user.directory]
        ] as const) {
          const before = fs.readdirSync(kept)
          const { status, stdout, stderr } = demo(program(), user, temporary)
          assert.strictEqual(status, 0, `${temporary}\n${stderr}`)
          assert.include(stdout, "none found")
          assert.deepStrictEqual(fs.readdirSync(kept), before)
          assert.sameMembers(fs.readdirSync(user.project), [".git", "tmp"])
        }
      }).pipe(Effect.scoped)
    )

    it.live(`is drawn in ASCII where the locale knows no other characters (${name})`, () =>
      Effect.gen(function* () {
        const user = yield* newUser
        const { status, stdout } = demo(program(), { ...user, env: { ...user.env, LC_ALL: "C" } }, user.directory)
        assert.strictEqual(status, 0)
        assert.match(stdout, /^[\n\x20-\x7e]*$/)
      }).pipe(Effect.scoped)
    )

    it.live(`says how to look at the project that it keeps, whatever that is called (${name})`, () =>
      Effect.gen(function* () {
        const user = yield* newUser
        const temporary = path.join(user.directory, "it's $HOME; here")
        fs.mkdirSync(temporary)
        const { status, stdout } = demo(program(), user, temporary, ["--keep"])
        assert.strictEqual(status, 0)
        const steps = /\n {2}(cd .*)\n {2}(export .*)\n/.exec(stdout)
        const [file = "", ...args] = program()
        const run = spawnSync(
          "sh",
          ["-c", `${steps?.[1]} && ${steps?.[2]} && exec "$@"`, "sh", file, ...args, "sessions", "verify", "--json"],
          { cwd: user.project, env: { HOME: user.home }, encoding: "utf8" }
        )
        assert.strictEqual(JSON.parse(run.stdout).verdict, "complete", run.stderr)
      }).pipe(Effect.scoped)
    )
  }
})
