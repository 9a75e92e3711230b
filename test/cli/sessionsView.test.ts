import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { laboratory, runIn } from "../experiment/laboratory.ts"
import { exampleSession } from "../export/example.ts"
import { runCommand } from "../support/cli.ts"
import { fileHolds } from "../support/fileEvents.ts"
import { machineOf, newUser, type TestUser } from "../support/recording.ts"

/** A user with a recorded session. */
const withSession = Effect.tap(newUser, (user) => exampleSession(user).pipe(Effect.provide(machineOf(user))))

/** A desktop on which things are shown by a program that writes down what it was asked to show. */
const desktop = (user: TestUser) => {
  const programs = path.join(user.directory, "programs")
  const shown = path.join(user.directory, "shown")
  fs.mkdirSync(programs)
  fs.writeFileSync(path.join(programs, "xdg-open"), `#!/bin/sh\necho "$1" > ${shown}\n`, { mode: 0o755 })
  return { shown, env: { ...user.env, DISPLAY: ":0", PATH: `${programs}:/usr/bin:/bin` } }
}

const data = (text: string): Record<string, unknown> => JSON.parse(text)

describe("sessions view", () => {
  it.live("writes a page of its own to the file that is named, for the user alone, and overwrites nothing", () =>
    Effect.gen(function* () {
      const user = yield* withSession
      const out = path.join(user.directory, "page.html")
      const run = yield* runCommand(user, ["sessions", "view", "claude:s", "--out", out, "--json"])
      assert.deepInclude(data(run.out), { session_id: "claude:s", event_count: 22, path: out, opened: false })
      const html = fs.readFileSync(out, "utf8")
      assert.strictEqual(data(run.out).byte_count, Buffer.byteLength(html))
      assert.isTrue(html.startsWith("<!doctype html>"))
      assert.include(html, "Fix the build.")
      assert.strictEqual(fs.statSync(out).mode & 0o777, 0o600)
      assert.strictEqual((yield* runCommand(user, ["sessions", "view", "--out", out])).failure, "OutputExists")
      assert.strictEqual(fs.readFileSync(out, "utf8"), html)
    }).pipe(Effect.scoped)
  )

  it.live("writes to a temporary directory that only the user may enter when no file is named", () =>
    Effect.gen(function* () {
      const user = yield* withSession
      const temporary = path.join(user.directory, "temporary")
      const run = yield* runCommand(user, ["sessions", "view", "--json"], { host: { temporary } })
      const file = String(data(run.out).path)
      assert.isTrue(file.startsWith(`${temporary}${path.sep}`))
      assert.strictEqual(path.basename(file), "claude-s.html")
      assert.strictEqual(fs.statSync(path.dirname(file)).mode & 0o777, 0o700)
    }).pipe(Effect.scoped)
  )

  it.live("shows the page where somebody is at a terminal", () =>
    Effect.gen(function* () {
      const user = yield* withSession
      const { env, shown } = desktop(user)
      const out = path.join(user.directory, "page.html")
      const run = yield* runCommand(user, ["sessions", "view", "--out", out], { answers: ["y"], host: { env } })
      assert.include(run.out, "Opened in the browser.")
      assert.strictEqual(yield* fileHolds(shown, (text) => text.endsWith("\n")), `${out}\n`)
    }).pipe(Effect.scoped)
  )

  it.live(
    "shows nothing with --no-open, where nobody is, where there is no desktop, and where nothing shows things",
    () =>
      Effect.gen(function* () {
        const user = yield* withSession
        const { env, shown } = desktop(user)
        const { DISPLAY: _none, ...headless } = env
        const cases = [
          { args: ["--no-open"], answers: ["y"], env },
          { args: [], answers: [], env },
          { args: [], answers: ["y"], env: headless },
          { args: [], answers: ["y"], env: { ...env, PATH: path.join(user.directory, "nothing") } }
        ]
        for (const [index, one] of cases.entries()) {
          const out = path.join(user.directory, `page-${index}.html`)
          const run = yield* runCommand(user, ["sessions", "view", "--out", out, "--json", ...one.args], {
            answers: one.answers,
            host: { env: one.env }
          })
          assert.isUndefined(run.failure)
          assert.strictEqual(data(run.out).opened, false)
          assert.isTrue(fs.existsSync(out))
        }
        assert.isFalse(fs.existsSync(shown))
      }).pipe(Effect.scoped)
  )

  it.live("fails for a session that is not there, and for a directory that is not", () =>
    Effect.gen(function* () {
      const user = yield* withSession
      assert.strictEqual((yield* runCommand(user, ["sessions", "view", "nobody"])).failure, "SessionNotFound")
      const out = path.join(user.directory, "none", "page.html")
      assert.strictEqual((yield* runCommand(user, ["sessions", "view", "--out", out])).failure, "DiskError")
    }).pipe(Effect.scoped)
  )

  it.live("gives the same page as sessions export --format html", () =>
    Effect.gen(function* () {
      const user = yield* withSession
      const out = path.join(user.directory, "page.html")
      yield* runCommand(user, ["sessions", "view", "--out", out])
      const run = yield* runCommand(user, ["sessions", "export", "claude:s", "--format", "html"])
      assert.strictEqual(run.out, fs.readFileSync(out, "utf8"))
    }).pipe(Effect.scoped)
  )
})

describe("compare --html", () => {
  it.live("writes the page of the comparison and those of its sessions beside it, and overwrites neither", () =>
    Effect.gen(function* () {
      const user = yield* withSession
      const out = path.join(user.directory, "compared.html")
      const run = yield* runCommand(user, ["compare", "claude:s", "--html", out])
      assert.isUndefined(run.failure)
      assert.include(run.out, out)
      const html = fs.readFileSync(out, "utf8")
      assert.include(html, '"page":"compared-sessions/1-claude-s.html"')
      assert.include(
        fs.readFileSync(path.join(user.directory, "compared-sessions", "1-claude-s.html"), "utf8"),
        "Fix the build."
      )
      assert.strictEqual((yield* runCommand(user, ["compare", "claude:s", "--html", out])).failure, "OutputExists")
      fs.rmSync(out)
      assert.strictEqual((yield* runCommand(user, ["compare", "claude:s", "--html", out])).failure, "OutputExists")
    }).pipe(Effect.scoped)
  )

  it.live("says where the page is, also beside a document and a file", () =>
    Effect.gen(function* () {
      const user = yield* withSession
      const first = path.join(user.directory, "first.html")
      const second = path.join(user.directory, "second.html")
      const asDocument = yield* runCommand(user, ["compare", "claude:s", "--html", first, "--json"])
      assert.strictEqual(data(asDocument.out).html, first)
      const text = path.join(user.directory, "compared.txt")
      const beside = yield* runCommand(user, ["compare", "claude:s", "--html", second, "--out", text])
      assert.include(beside.err, second)
      assert.include(beside.err, text)
    }).pipe(Effect.scoped)
  )
})

describe("experiment report --html", () => {
  it.live("writes what was found, and the sessions of the pairs that went apart beside it", () =>
    Effect.gen(function* () {
      const lab = yield* laboratory()
      yield* runIn(lab)
      const out = path.join(lab.user.directory, "found.html")
      const run = yield* runCommand(lab.user, ["experiment", "report", lab.root, "--html", out, "--json"])
      assert.isUndefined(run.failure)
      assert.strictEqual(data(run.out).html, out)
      const html = fs.readFileSync(out, "utf8")
      const document = JSON.parse(/id="comparison">([^<]*)</.exec(html)?.[1] ?? "")
      assert.strictEqual(document.title, "ports")
      const [pair] = document.comparisons[0].discordant
      assert.strictEqual(pair.passed, "lint-ai")
      for (const { page } of [pair.passed_session, pair.failed_session]) {
        const beside = path.join(lab.user.directory, decodeURIComponent(page))
        assert.include(fs.readFileSync(beside, "utf8"), "Where does")
      }
    }).pipe(Effect.scoped)
  )
})
