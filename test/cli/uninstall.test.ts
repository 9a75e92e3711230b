import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { providers } from "../../src/domain/provider.ts"
import { claudeSequence, record } from "../export/sessions.ts"
import { runCommand } from "../support/cli.ts"
import { machineOf, newUser, snapshot, type TestUser } from "../support/recording.ts"

const nothingOf = (user: TestUser) => {
  for (const directory of [user.config, user.state, path.join(user.project, ".lint-ai")]) {
    assert.isFalse(fs.existsSync(directory), `${directory} should be gone`)
  }
}

const recordSession = (user: TestUser) =>
  record(user, "claude", claudeSequence("nested-memory")).pipe(Effect.provide(machineOf(user)))

/** A user who has lint-ai in every agent, everywhere, and one recorded session. */
const settled = Effect.gen(function* () {
  const user = yield* newUser
  const before = { home: snapshot(user.home), project: snapshot(user.project) }
  for (const provider of providers) {
    for (const scope of provider === "claude" ? ["local", "user"] : ["project", "user"]) {
      const { failure } = yield* runCommand(user, ["install", provider, "--scope", scope, "--mcp", "--yes"])
      assert.strictEqual(failure, undefined, `${provider} ${scope}`)
    }
  }
  yield* recordSession(user)
  return { user, before }
})

describe("uninstall", () => {
  it.live("says what stays and how it goes", () =>
    Effect.gen(function* () {
      const { user } = yield* settled
      const { out } = yield* runCommand(user, ["uninstall", "claude"])
      for (const file of [
        path.join(user.project, ".lint-ai"),
        path.join(user.config, "keys.json"),
        path.join(user.state, "anchors")
      ]) {
        assert.include(out, file)
        assert.isTrue(fs.existsSync(file))
      }
      assert.include(out, "uninstall --purge")
      const json = JSON.parse((yield* runCommand(user, ["uninstall", "claude", "--json"])).out)
      assert.include(
        json.left.map((one: { path: string }) => one.path),
        path.join(user.config, "keys.json")
      )
    }).pipe(Effect.scoped)
  )

  it.live("leaves no directory behind that an install made for one of two files", () =>
    Effect.gen(function* () {
      for (const second of ["project", "local"]) {
        const user = yield* newUser
        const before = snapshot(user.project)
        const first = second === "project" ? "local" : "project"
        yield* runCommand(user, ["install", "claude", "--scope", first, "--yes"])
        yield* runCommand(user, ["install", "claude", "--scope", second, "--yes"])
        yield* runCommand(user, ["uninstall", "claude"])
        assert.deepStrictEqual(snapshot(user.project), before)
      }
    }).pipe(Effect.scoped)
  )

  it.live("names the settings of the user that still start lint-ai", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      for (const provider of providers) {
        const own = provider === "claude" ? "local" : "project"
        for (const scope of [own, "user"]) yield* runCommand(user, ["install", provider, "--scope", scope, "--yes"])
        const left = `still registers hooks of lint-ai: lint-ai uninstall ${provider} --scope user`
        assert.include((yield* runCommand(user, ["uninstall", provider])).out, left)
        assert.notInclude((yield* runCommand(user, ["uninstall", provider, "--scope", "user"])).out, "still registers")
      }
    }).pipe(Effect.scoped)
  )

  it.live("wants an agent or --purge, and not both", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      assert.strictEqual((yield* runCommand(user, ["uninstall"])).failure, "NothingToUninstall")
      assert.strictEqual((yield* runCommand(user, ["uninstall", "claude", "--purge"])).failure, "PurgeIsForAll")
      for (const part of [
        ["--scope", "user"],
        ["--settings", "x.json"]
      ]) {
        assert.strictEqual((yield* runCommand(user, ["uninstall", "--purge", "--yes", ...part])).failure, "NotBoth")
      }
    }).pipe(Effect.scoped)
  )
})

describe("uninstall --purge", () => {
  it.live("gives every file back as it was and leaves nothing of lint-ai", () =>
    Effect.gen(function* () {
      const { user, before } = yield* settled
      const purged = yield* runCommand(user, ["uninstall", "--purge", "--yes"])
      assert.strictEqual(purged.failure, undefined, purged.err)
      nothingOf(user)
      assert.deepStrictEqual({ home: snapshot(user.home), project: snapshot(user.project) }, before)
      assert.include((yield* runCommand(user, ["uninstall", "--purge", "--yes"])).out, "nothing to remove")
      nothingOf(user)
    }).pipe(Effect.scoped)
  )

  it.live("names every path before it asks, and does nothing after a no or without anybody to ask", () =>
    Effect.gen(function* () {
      const { user } = yield* settled
      const before = snapshot(user.directory)
      for (const [args, failure] of [
        [["--purge"], "NeedsConfirmation"],
        [["--purge", "--json"], "NeedsConfirmation"],
        [["--purge", "--dry-run"], undefined]
      ] as const) {
        assert.strictEqual((yield* runCommand(user, ["uninstall", ...args])).failure, failure)
        assert.deepStrictEqual(snapshot(user.directory), before)
      }
      const asked = yield* runCommand(user, ["uninstall", "--purge"], { answers: ["no"] })
      assert.strictEqual(asked.failure, "Cancelled")
      assert.deepStrictEqual(snapshot(user.directory), before)
      for (const file of [
        path.join(user.config, "keys.json"),
        path.join(user.state, "anchors"),
        path.join(user.state, "installs"),
        path.join(user.project, ".lint-ai"),
        path.join(user.project, ".claude", "settings.local.json"),
        path.join(user.home, ".gemini", "settings.json")
      ]) {
        assert.include(asked.err, file)
      }
    }).pipe(Effect.scoped)
  )

  it.live("asks apart for the recordings, and keeps them after a no", () =>
    Effect.gen(function* () {
      for (const how of [{ answers: ["yes", "no"] }, { flags: ["--yes", "--keep-recordings"] }]) {
        const { user } = yield* settled
        const lintAi = snapshot(path.join(user.project, ".lint-ai"))
        const { out, failure } = yield* runCommand(user, ["uninstall", "--purge", ...(how.flags ?? [])], {
          ...(how.answers === undefined ? undefined : { answers: how.answers })
        })
        assert.strictEqual(failure, undefined)
        assert.deepStrictEqual(snapshot(path.join(user.project, ".lint-ai")), lintAi)
        assert.isFalse(fs.existsSync(user.config))
        assert.include(out, "not verified any more")
      }
    }).pipe(Effect.scoped)
  )

  it.live("takes the hooks out of other projects, and leaves their recordings, which it names", () =>
    Effect.gen(function* () {
      const { user } = yield* settled
      const other: TestUser = { ...user, project: path.join(user.directory, "other") }
      fs.mkdirSync(other.project)
      const env = { ...user.env, CLAUDE_PROJECT_DIR: other.project }
      const there = { ...other, env }
      for (const provider of providers) yield* runCommand(there, ["install", provider, "--mcp", "--yes"])
      yield* recordSession(there)
      const { out } = yield* runCommand(user, ["uninstall", "--purge", "--yes"])
      assert.deepStrictEqual(fs.readdirSync(other.project), [".lint-ai"])
      assert.include(out, path.join(other.project, ".lint-ai"))
      nothingOf(user)
    }).pipe(Effect.scoped)
  )

  it.live(
    "takes the hooks out of settings that only their own path leads to: those behind a link, and those that were named",
    () =>
      Effect.gen(function* () {
        const { user } = yield* settled
        const other: TestUser = { ...user, project: path.join(user.directory, "other") }
        const dotfiles = path.join(user.directory, "dotfiles")
        fs.mkdirSync(other.project)
        fs.mkdirSync(dotfiles)
        const there = { ...other, env: { ...user.env, CLAUDE_PROJECT_DIR: other.project } }
        const before = '{ "theirs": true }\n'
        for (const [provider, own] of [
          ["claude", ".claude/settings.local.json"],
          ["codex", ".codex/hooks.json"],
          ["gemini", ".gemini/settings.json"],
          ["antigravity", ".agents/hooks.json"]
        ] as const) {
          const linked = path.join(dotfiles, `${provider}-linked.json`)
          const named = path.join(dotfiles, `${provider}-named.json`)
          for (const file of [linked, named]) fs.writeFileSync(file, before)
          fs.mkdirSync(path.join(other.project, path.dirname(own)))
          fs.symlinkSync(linked, path.join(other.project, own))
          for (const flags of [[], ["--settings", named]]) {
            const { failure, err } = yield* runCommand(there, ["install", provider, "--yes", ...flags])
            assert.strictEqual(failure, undefined, `${provider} ${err}`)
          }
          for (const file of [linked, named]) assert.notStrictEqual(fs.readFileSync(file, "utf8"), before, file)
        }
        const { out } = yield* runCommand(user, ["uninstall", "--purge", "--yes"])
        for (const name of fs.readdirSync(dotfiles)) {
          assert.strictEqual(fs.readFileSync(path.join(dotfiles, name), "utf8"), before, name)
        }
        assert.notInclude(out, "cannot be taken out")
        nothingOf(user)
      }).pipe(Effect.scoped)
  )

  it.live("takes experiments for recordings, wherever their project is", () =>
    Effect.gen(function* () {
      const { user } = yield* settled
      const experiment = path.join(user.state, "experiments", "memory-ab-00000000", "results.jsonl")
      fs.mkdirSync(path.dirname(experiment), { recursive: true })
      fs.writeFileSync(experiment, "{}\n")
      yield* runCommand(user, ["uninstall", "--purge", "--yes", "--keep-recordings"])
      assert.deepStrictEqual(fs.readdirSync(user.state), ["experiments"])
      yield* runCommand(user, ["uninstall", "--purge", "--yes"])
      assert.isFalse(fs.existsSync(user.state))
    }).pipe(Effect.scoped)
  )

  it.live("touches nothing in its directories that lint-ai did not make", () =>
    Effect.gen(function* () {
      const { user } = yield* settled
      const mine = path.join(user.config, "mine.txt")
      fs.writeFileSync(mine, "mine")
      const foreign = path.join(user.directory, "foreign")
      fs.mkdirSync(foreign)
      fs.writeFileSync(path.join(foreign, "kept"), "kept")
      fs.symlinkSync(foreign, path.join(user.state, "anchors", "link"))
      yield* runCommand(user, ["uninstall", "--purge", "--yes"])
      assert.deepStrictEqual(fs.readdirSync(user.config), ["mine.txt"])
      assert.isFalse(fs.existsSync(user.state))
      assert.strictEqual(fs.readFileSync(path.join(foreign, "kept"), "utf8"), "kept")
    }).pipe(Effect.scoped)
  )

  it.live("says which settings it cannot mend, and goes on", () =>
    Effect.gen(function* () {
      const { user } = yield* settled
      const broken = path.join(user.project, ".claude", "settings.local.json")
      fs.writeFileSync(broken, "{ not json")
      const { out, failure } = yield* runCommand(user, ["uninstall", "--purge", "--yes"])
      assert.strictEqual(failure, undefined)
      assert.include(out, broken)
      assert.strictEqual(fs.readFileSync(broken, "utf8"), "{ not json")
      nothingOf(user)
    }).pipe(Effect.scoped)
  )

  it.live("leaves a .lint-ai that is not this user's", () =>
    Effect.gen(function* () {
      const { user } = yield* settled
      const stateFile = path.join(user.project, ".lint-ai", "state.json")
      fs.writeFileSync(stateFile, fs.readFileSync(stateFile, "utf8").replace(/("signature": ?")./, "$1_"))
      const { out } = yield* runCommand(user, ["uninstall", "--purge", "--yes"])
      assert.isTrue(fs.existsSync(stateFile))
      assert.include(out, "not yours")
    }).pipe(Effect.scoped)
  )
})
