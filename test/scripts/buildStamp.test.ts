import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { temporaryDirectory } from "../support/temporaryHost.ts"

const script = path.join(import.meta.dirname, "../../scripts/buildStamp.mjs")

/** What a build of a checkout says of itself. */
const stampOf = (checkout: string, env: Readonly<Record<string, string>> = {}): { commit: string; date: string } => {
  const copy = path.join(checkout, "scripts", "buildStamp.mjs")
  const code = `import(${JSON.stringify(copy)}).then((stamp) => console.log(JSON.stringify({ commit: stamp.commitOf(["src"]), date: stamp.buildDate() })))`
  const environment = { PATH: process.env.PATH ?? "", HOME: checkout, GIT_CONFIG_NOSYSTEM: "1", ...env }
  return JSON.parse(execFileSync(process.execPath, ["-e", code], { env: environment, encoding: "utf8" }))
}

const checkoutIn = (directory: string): string => {
  for (const name of ["src", "scripts"]) fs.mkdirSync(path.join(directory, name), { recursive: true })
  fs.copyFileSync(script, path.join(directory, "scripts", "buildStamp.mjs"))
  fs.writeFileSync(path.join(directory, "src", "main.ts"), "")
  return directory
}

const git = (directory: string, ...args: ReadonlyArray<string>): string =>
  execFileSync("git", ["-c", "user.name=Test", "-c", "user.email=test@example.com", ...args], {
    cwd: directory,
    encoding: "utf8"
  }).trim()

describe("the stamp of a build", () => {
  it.live("is the commit of the checkout, and says when a file that is built differs from it", () =>
    Effect.gen(function* () {
      const checkout = checkoutIn(yield* temporaryDirectory)
      git(checkout, "init", "--quiet")
      git(checkout, "add", ".")
      git(checkout, "commit", "--quiet", "--message", "first")
      const commit = git(checkout, "rev-parse", "HEAD").slice(0, 7)
      assert.deepStrictEqual(stampOf(checkout), { commit, date: "" })
      fs.writeFileSync(path.join(checkout, "notes.txt"), "not built")
      assert.strictEqual(stampOf(checkout).commit, commit)
      fs.writeFileSync(path.join(checkout, "src", "main.ts"), "changed")
      assert.strictEqual(stampOf(checkout).commit, `${commit}-dirty`)
    }).pipe(Effect.scoped)
  )

  it.live("is what the environment says, which knows the commit where there is no Git", () =>
    Effect.gen(function* () {
      const checkout = checkoutIn(yield* temporaryDirectory)
      assert.deepStrictEqual(stampOf(checkout), { commit: "", date: "" })
      const env = { SOURCE_COMMIT: "0123456789abcdef0123456789abcdef01234567", SOURCE_DATE_EPOCH: "1767225600" }
      assert.deepStrictEqual(stampOf(checkout, env), { commit: "0123456", date: "2026-01-01T00:00:00.000Z" })
      assert.strictEqual(stampOf(checkout, { SOURCE_DATE_EPOCH: "yesterday" }).date, "")
    }).pipe(Effect.scoped)
  )

  it.live("is not the commit of another checkout around it", () =>
    Effect.gen(function* () {
      const outer = yield* temporaryDirectory
      git(outer, "init", "--quiet")
      git(outer, "commit", "--quiet", "--allow-empty", "--message", "another project")
      const inner = path.join(outer, "unpacked")
      fs.mkdirSync(inner)
      assert.strictEqual(stampOf(checkoutIn(inner)).commit, "")
    }).pipe(Effect.scoped)
  )
})
