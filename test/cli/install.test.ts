import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { type Provider, providers } from "../../src/domain/provider.ts"
import { installerFor } from "../../src/providers/installers.ts"
import { awkwardHooks as antigravityHooks } from "../providers/antigravity/awkwardHooks.ts"
import { awkwardSettings as claudeSettings } from "../providers/claude/awkwardSettings.ts"
import { awkwardConfigs, awkwardMemories, awkwardHooks as codexHooks } from "../providers/codex/awkwardFiles.ts"
import { awkwardSettings as geminiSettings } from "../providers/gemini/awkwardSettings.ts"
import { runCommand } from "../support/cli.ts"
import { newUser, type TestUser } from "../support/recording.ts"

/** A file that a user may have, by its path in the project. */
interface Starting {
  readonly name: string
  readonly file: string
  readonly text: string | undefined
}

const at = (
  file: string,
  all: ReadonlyArray<{ readonly name: string; readonly text: string | undefined }>
): ReadonlyArray<Starting> => all.map(({ name, text }) => ({ name: `${file}: ${name}`, file, text }))

const starting: Readonly<Record<Provider, ReadonlyArray<Starting>>> = {
  claude: [
    ...at(".claude/settings.local.json", claudeSettings),
    ...at(".claude/settings.json", [{ name: "of colleagues", text: `{ "model": "opus" }` }])
  ],
  codex: [
    ...at(".codex/hooks.json", codexHooks),
    ...at(".codex/config.toml", awkwardConfigs),
    ...at("AGENTS.md", awkwardMemories)
  ],
  gemini: [...at(".gemini/settings.json", geminiSettings), ...at("GEMINI.md", awkwardMemories)],
  antigravity: [...at(".agents/hooks.json", antigravityHooks), ...at("AGENTS.md", awkwardMemories)]
}

/** Every file and directory of the user and of the project, with its bytes and mode; what lint-ai keeps for itself left out. */
const everything = (user: TestUser): Readonly<Record<string, string>> => {
  const found: Record<string, string> = {}
  for (const top of [user.project, user.home]) {
    for (const name of fs.readdirSync(top, { recursive: true, encoding: "utf8" })) {
      const file = path.join(top, name)
      const status = fs.statSync(file)
      const bytes = status.isDirectory() ? "" : fs.readFileSync(file).toString("base64")
      found[file] = `${status.mode.toString(8)} ${bytes}`
    }
  }
  return found
}

const place = (user: TestUser, { file, text }: Starting) => {
  if (text === undefined) return
  const target = path.join(user.project, file)
  fs.mkdirSync(path.dirname(target), { recursive: true })
  fs.writeFileSync(target, text)
}

describe("install, then uninstall", () => {
  for (const provider of providers) {
    it.live(`leaves every file of ${provider} as it was, whatever it looks like`, () =>
      Effect.gen(function* () {
        assert.isAtLeast(starting[provider].length, 12)
        for (const one of starting[provider]) {
          const user = yield* newUser
          place(user, one)
          const before = everything(user)
          const installed = yield* runCommand(user, ["install", provider, "--mcp", "--yes"])
          assert.strictEqual(installed.failure, undefined, `${one.name}: ${installed.err}`)
          const between = everything(user)
          assert.notDeepEqual(between, before, one.name)
          const again = yield* runCommand(user, ["install", provider, "--mcp", "--yes"])
          assert.include(again.out, "nothing was changed", one.name)
          assert.deepStrictEqual(everything(user), between, one.name)
          const removed = yield* runCommand(user, ["uninstall", provider])
          assert.strictEqual(removed.failure, undefined, one.name)
          assert.deepStrictEqual(everything(user), before, one.name)
        }
      }).pipe(Effect.scoped)
    )

    it.live(`writes nothing for ${provider} on a dry run`, () =>
      Effect.gen(function* () {
        const user = yield* newUser
        const before = everything(user)
        const dry = yield* runCommand(user, ["install", provider, "--mcp", "--dry-run"])
        assert.include(dry.out, "--dry-run")
        assert.deepStrictEqual(everything(user), before)
        yield* runCommand(user, ["install", provider, "--yes"])
        const between = everything(user)
        assert.include((yield* runCommand(user, ["uninstall", provider, "--dry-run"])).out, "--dry-run")
        assert.deepStrictEqual(everything(user), between)
      }).pipe(Effect.scoped)
    )
  }
})

describe("install", () => {
  for (const provider of providers) {
    const scopes = installerFor(provider)?.scopes ?? []
    it.live(`takes the scopes that ${provider} has, and says which when another is asked for`, () =>
      Effect.gen(function* () {
        const user = yield* newUser
        for (const scope of ["local", "project", "user"] as const) {
          for (const command of [
            ["install", provider, "--dry-run"],
            ["uninstall", provider, "--dry-run"]
          ]) {
            const { failure } = yield* runCommand(user, [...command, "--scope", scope])
            assert.strictEqual(failure, scopes.includes(scope) ? undefined : "ScopeUnsupported", `${command} ${scope}`)
          }
        }
      }).pipe(Effect.scoped)
    )
  }

  it.live("says what Codex still asks for, also when all is installed", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const note = "Codex runs a hook only after you have trusted it"
      for (const args of [["--dry-run"], ["--yes"], ["--yes"], ["--yes", "--json"]]) {
        assert.include((yield* runCommand(user, ["install", "codex", ...args])).out.replace(/\s+/g, " "), note)
      }
    }).pipe(Effect.scoped)
  )

  it.live("says when what it installed cannot be found, because lint-ai is not on the PATH", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const hint = "lint-ai is not on your PATH"
      assert.include((yield* runCommand(user, ["install", "gemini", "--yes"])).out, hint)
      assert.notInclude((yield* runCommand(user, ["install", "claude", "--yes"])).out, hint)
      const bin = path.join(user.directory, "bin")
      fs.mkdirSync(bin)
      fs.writeFileSync(path.join(bin, "lint-ai"), "", { mode: 0o755 })
      const host = { env: { ...user.env, PATH: bin } }
      assert.notInclude((yield* runCommand(user, ["install", "gemini", "--yes"], { host })).out, hint)
    }).pipe(Effect.scoped)
  )

  it.live("says that all hooks are switched off, as status does", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const settings = path.join(user.home, ".claude", "settings.json")
      fs.mkdirSync(path.dirname(settings), { recursive: true })
      fs.writeFileSync(settings, '{ "disableAllHooks": true }')
      const words = (text: string) => text.replace(/\s+/g, " ")
      const note = `${settings} switches all hooks off: nothing is recorded before that setting is removed.`
      for (const args of [["--dry-run"], ["--yes"], ["--yes", "--json"]])
        assert.include(words((yield* runCommand(user, ["install", "claude", ...args])).out), note)
      assert.include(words((yield* runCommand(user, ["status"])).out), "switched off with all other hooks, by ")
      fs.writeFileSync(settings, '{ "disableAllHooks": false }')
      assert.notInclude(words((yield* runCommand(user, ["install", "claude", "--yes"])).out), "switches all hooks off")
    }).pipe(Effect.scoped)
  )

  it.live("says that its program may go, where a package runner has fetched it, as doctor does", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      for (const [place, may] of [
        ["_npx/3c1f/node_modules/lint-ai/dist", true],
        ["pnpm/dlx/ab12/node_modules/lint-ai/dist", true],
        ["xfs-1/dlx-77/node_modules/lint-ai/dist", true],
        ["bunx-0-lint-ai@latest/node_modules/lint-ai/dist", true],
        ["npm/registry.example/lint-ai/0.1.0/dist", true],
        ["lib/node_modules/lint-ai/dist", false],
        ["my-npx-things/lint-ai/dist", false]
      ] as const) {
        const dist = path.join(user.directory, place)
        fs.mkdirSync(dist, { recursive: true })
        for (const file of ["main.mjs", "hook.cjs"]) fs.writeFileSync(path.join(dist, file), "")
        const host = { entry: path.join(dist, "main.mjs") }
        for (const args of [["install", "claude", "--dry-run"], ["init", "--yes"], ["doctor"]]) {
          const { out } = yield* runCommand(user, args, { host })
          assert.strictEqual(out.includes("is in a cache of packages"), may, `${place} ${args.join(" ")}`)
        }
      }
    }).pipe(Effect.scoped)
  )

  it.live("says in one line which commands it corrects", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const hostOf = (name: string) => {
        const dist = path.join(user.directory, name, "dist")
        fs.mkdirSync(dist, { recursive: true })
        for (const file of ["main.mjs", "hook.cjs"]) fs.writeFileSync(path.join(dist, file), "")
        return { host: { entry: path.join(dist, "main.mjs") } }
      }
      for (const provider of providers) {
        yield* runCommand(user, ["install", provider, "--yes"], hostOf("one"))
        const { out } = yield* runCommand(user, ["install", provider, "--dry-run"], hostOf("two"))
        const lines = out.split("\n").filter((line) => line.includes("correct the command"))
        const whole = out.replace(/\s+/g, " ")
        assert.isAtMost(lines.length, 2, out)
        // What colleagues share names no path, and so needs no correction.
        if (provider === "claude")
          assert.match(whole, /- correct the commands of SessionStart, SessionEnd, UserPromptSubmit/)
      }
    }).pipe(Effect.scoped)
  )

  it.live("writes nothing where what was asked for cannot be turned on", () =>
    Effect.gen(function* () {
      for (const provider of providers) {
        const user = yield* newUser
        fs.writeFileSync(user.config, "a file where the key should go")
        const args = ["install", provider, "--session-recording", "capture-only", "--yes"]
        const keyless = yield* runCommand(user, args)
        assert.strictEqual(keyless.failure, "NoKey")
        assert.deepStrictEqual(fs.readdirSync(user.project), [])
        fs.rmSync(user.config)

        fs.writeFileSync(path.join(user.project, ".lint-ai"), "a file where the state should go")
        const refused = yield* runCommand(user, args)
        assert.strictEqual(refused.failure, "NotAdopted")
        assert.deepStrictEqual(fs.readdirSync(user.project), [".lint-ai"])
        fs.rmSync(path.join(user.project, ".lint-ai"))

        fs.mkdirSync(path.join(user.project, ".lint-ai", "state.json"), { recursive: true })
        const stuck = yield* runCommand(user, args)
        assert.strictEqual(stuck.failure, "NotAdopted")
        assert.deepStrictEqual(fs.readdirSync(user.project), [".lint-ai"])
      }
    }).pipe(Effect.scoped)
  )

  it.live("makes no directory where a slip in LINT_AI_PROJECT_DIR leads", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const file = path.join(user.directory, "file")
      fs.writeFileSync(file, "")
      for (const place of [path.join(user.directory, "shopp"), file]) {
        const host = { env: { ...user.env, LINT_AI_PROJECT_DIR: place } }
        for (const args of [
          ["init", "--yes"],
          ["install", "claude", "--yes"],
          ["status"],
          ["sessions", "list"],
          ["record", "start", "--yes"]
        ]) {
          const { failure, exit } = yield* runCommand(user, args, { host })
          assert.strictEqual(failure, "NotADirectory", args.join(" "))
          assert.include(String(Exit.isFailure(exit) && Cause.squash(exit.cause)), "LINT_AI_PROJECT_DIR")
        }
      }
      assert.isFalse(fs.existsSync(path.join(user.directory, "shopp")))
    }).pipe(Effect.scoped)
  )

  it.live("makes no directory beside one whose name is no UTF-8, nor where the working directory was", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      for (const [name, words] of [
        ["by\ufffdtes", "no UTF-8"],
        ["gone", "is not a directory"]
      ] as const) {
        const cwd = path.join(user.directory, name)
        for (const args of [
          ["init", "--yes"],
          ["install", "gemini", "--yes"],
          ["record", "start", "--yes"],
          ["enable"]
        ]) {
          const { failure, exit } = yield* runCommand(user, args, { host: { cwd } })
          assert.strictEqual(failure, "NotADirectory", args.join(" "))
          assert.include(String(Exit.isFailure(exit) && Cause.squash(exit.cause)), words)
        }
        assert.isFalse(fs.existsSync(cwd))
      }
    }).pipe(Effect.scoped)
  )
})
