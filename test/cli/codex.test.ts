import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { codexHooks } from "../../src/providers/codex/hooks.ts"
import { runCommand } from "../support/cli.ts"
import { newUser, type TestUser } from "../support/recording.ts"

const fake = fileURLToPath(new URL("../support/fakeCodexServer.mjs", import.meta.url))
const events = Object.keys(codexHooks).length

/** A user with the hooks of lint-ai in a project, and with a Codex that trusts nothing. */
const codexUser = Effect.gen(function* () {
  const user = yield* newUser
  yield* runCommand(user, ["install", "codex", "--yes"])
  const bin = path.join(user.directory, "bin")
  fs.mkdirSync(bin)
  fs.writeFileSync(path.join(bin, "codex"), `#!/bin/sh\nexec '${process.execPath}' '${fake}' "$@"\n`, { mode: 0o755 })
  const edits = path.join(user.directory, "edits")
  fs.writeFileSync(edits, "")
  const host = {
    env: {
      ...user.env,
      PATH: `${bin}:/usr/bin:/bin`,
      FAKE_CODEX_HOOKS: path.join(user.project, ".codex/hooks.json"),
      FAKE_CODEX_EDITS: edits
    }
  }
  const trust = (args: ReadonlyArray<string> = [], answers: ReadonlyArray<string> = []) =>
    runCommand(user, ["codex", "trust", ...args], { host, answers })
  const edited = () =>
    fs
      .readFileSync(edits, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line))
  return { user, trust, edited }
})

const projectEdit = (user: TestUser) => ({
  keyPath: "projects",
  value: { [user.project]: { trust_level: "trusted" } },
  mergeStrategy: "upsert"
})

describe("`codex trust`", () => {
  it.live("asks for the project and then for the hooks, and shows both before", () =>
    Effect.gen(function* () {
      const { user, trust, edited } = yield* codexUser
      const { failure, err, out } = yield* trust([], ["y", "yes"])
      assert.strictEqual(failure, undefined)
      assert.match(err, /also those that others put there\.\nTrust the project\? .*hooks\.json\n.*for SessionStart/s)
      assert.include(out, `Codex runs ${events} hooks of lint-ai here.`)
      const [project, hooks] = edited()
      assert.deepStrictEqual(project, projectEdit(user))
      assert.strictEqual(Object.keys(hooks.value).length, events)
      assert.deepStrictEqual(Object.values(hooks.value)[0], { trusted_hash: "sha256:SessionStart" })
    }).pipe(Effect.scoped)
  )

  it.live("writes nothing that was not agreed to", () =>
    Effect.gen(function* () {
      const { user, trust, edited } = yield* codexUser
      assert.strictEqual((yield* trust([], ["n"])).failure, "Cancelled")
      assert.strictEqual((yield* trust([], [""])).failure, "Cancelled")
      assert.strictEqual((yield* trust([])).failure, "NeedsConfirmation")
      assert.strictEqual((yield* trust(["--json"])).failure, "NeedsConfirmation")
      assert.strictEqual((yield* trust(["--dry-run"], ["y", "y"])).failure, undefined)
      assert.deepStrictEqual(edited(), [])
      const half = yield* trust([], ["y", "n"])
      assert.strictEqual(half.failure, "Cancelled")
      assert.include(String(half.exit), "now, and not the hooks. Nothing else was changed.")
      assert.deepStrictEqual(edited(), [projectEdit(user)])
    }).pipe(Effect.scoped)
  )

  it.live("asks nothing with --yes, and prints one document with --json", () =>
    Effect.gen(function* () {
      const { trust } = yield* codexUser
      const { out, err } = yield* trust(["--yes", "--json"])
      assert.strictEqual(err, "")
      const { project_trusted, trusted_now, hooks } = JSON.parse(out)
      assert.deepStrictEqual([project_trusted, trusted_now.length, hooks.length], [true, events, events])
    }).pipe(Effect.scoped)
  )

  it.live("says what is missing: the hooks, or Codex", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      assert.strictEqual((yield* runCommand(user, ["codex", "trust"])).failure, "NotInstalled")
      yield* runCommand(user, ["install", "codex", "--yes"])
      assert.strictEqual((yield* runCommand(user, ["codex", "trust"])).failure, "AgentMissing")
      assert.strictEqual((yield* runCommand(user, ["codex", "watch"])).failure, "AgentMissing")
    }).pipe(Effect.scoped)
  )

  it.live("watches nothing where no app-server runs", () =>
    Effect.gen(function* () {
      const { user } = yield* codexUser
      const bin = path.join(user.directory, "bin")
      fs.writeFileSync(path.join(bin, "codex"), "#!/bin/sh\nexit 1\n")
      const host = { env: { ...user.env, PATH: bin } }
      const { failure } = yield* runCommand(user, ["codex", "watch", "--socket", "none.sock"], { host })
      assert.strictEqual(failure, "NoCodexServer")
    }).pipe(Effect.scoped)
  )
})
