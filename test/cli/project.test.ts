import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { findProjectRoot } from "../../src/control/projectRoot.ts"
import { Toggles } from "../../src/control/Toggles.ts"
import { providers } from "../../src/domain/provider.ts"
import { runCommand } from "../support/cli.ts"
import { machineOf, newUser, type TestUser } from "../support/recording.ts"

/** The project that a session belongs to whose agent was started in a directory and says so, as Claude Code and Gemini CLI do. */
const projectOfSession = (user: TestUser, directory: string) =>
  Effect.gen(function* () {
    const toggles = yield* Toggles
    return yield* findProjectRoot({
      override: undefined,
      provider: directory,
      cwd: directory,
      isAdopted: (root) => Effect.map(toggles.read(root), (consent) => consent._tag === "adopted")
    })
  }).pipe(Effect.provide(machineOf(user)))

/**
 * Directories below a project that was set up before: whether a work tree of Git begins there, in the project itself or there, and in which of the two an
 * agent that is started there would be recorded.
 */
const places = [
  { name: "a package of a repository", top: ".git", below: undefined, own: false },
  { name: "a linked work tree of the project", top: ".git", below: "tree", own: false },
  { name: "a submodule, or a linked work tree of another repository", top: ".git", below: "file", own: true },
  { name: "a repository in the home directory", top: undefined, below: "directory", own: true },
  { name: "a directory without a repository", top: undefined, below: undefined, own: true }
] as const

const made = Effect.fnUntraced(function* ({ top, below }: (typeof places)[number]) {
  const user = yield* newUser
  const inner = path.join(user.project, "packages", "web")
  fs.mkdirSync(inner, { recursive: true })
  if (top !== undefined) fs.mkdirSync(path.join(user.project, top))
  if (below === "directory") fs.mkdirSync(path.join(inner, ".git"))
  if (below === "tree") fs.writeFileSync(path.join(inner, ".git"), `gitdir: ${user.project}/.git/worktrees/web\n`)
  if (below === "file") fs.writeFileSync(path.join(inner, ".git"), "gitdir: /elsewhere\n")
  const there = { host: { cwd: inner } }
  assert.strictEqual((yield* runCommand(user, ["init", "--yes"])).failure, undefined)
  return { user, inner, there }
})

describe("init below a project that is set up", () => {
  for (const place of places) {
    it.live(`sets up the project to which a session there belongs: ${place.name}`, () =>
      Effect.gen(function* () {
        const { user, inner, there } = yield* made(place)
        const { view } = JSON.parse((yield* runCommand(user, ["init", "--yes", "--json"], there)).out)
        assert.strictEqual(view.project, place.own ? inner : user.project)
        assert.strictEqual(yield* projectOfSession(user, inner), view.project)
        assert.strictEqual(fs.existsSync(path.join(inner, ".claude", "settings.local.json")), place.own)
        // From then on all commands mean the same.
        const status = yield* runCommand(user, ["status", "--json"], there)
        assert.strictEqual(JSON.parse(status.out).project, view.project)
        assert.strictEqual(status.err, "")
      }).pipe(Effect.scoped)
    )

    it.live(`is told by what looks at the project above or changes it, where it is none of it: ${place.name}`, () =>
      Effect.gen(function* () {
        const { user, inner, there } = yield* made(place)
        for (const args of [
          ["status"],
          ["record", "status"],
          ["record", "start", "--yes"],
          ["enable"],
          ["install", "claude", "--yes"],
          ["sessions", "list"]
        ]) {
          const { err } = yield* runCommand(user, args, there)
          assert.strictEqual(err.includes(`${inner} is no part of ${user.project}`), place.own, args.join(" "))
          assert.notInclude((yield* runCommand(user, args)).err, "is no part of")
        }
        assert.strictEqual((yield* runCommand(user, ["doctor"], there)).out.includes("work tree: "), place.own)
        const named = { host: { cwd: inner, env: { ...user.env, LINT_AI_PROJECT_DIR: user.project } } }
        assert.notInclude((yield* runCommand(user, ["status"], named)).err, "is no part of")
        assert.notInclude((yield* runCommand(user, ["status", user.project], there)).err, "is no part of")
      }).pipe(Effect.scoped)
    )
  }
})

describe("what install writes", () => {
  it.live("is said to be read in the directory of the project alone, where the agent does not look above", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      for (const provider of providers) {
        for (const scope of ["project", "user"]) {
          const { out } = yield* runCommand(user, ["install", provider, "--scope", scope, "--dry-run"])
          assert.strictEqual(out.includes("and not below it"), provider === "gemini" && scope === "project", provider)
        }
      }
    }).pipe(Effect.scoped)
  )

  it.live("is announced where a link leads it out of the project", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const elsewhere = path.join(user.directory, "elsewhere")
      fs.mkdirSync(elsewhere)
      for (const [provider, directory] of [
        ["claude", ".claude"],
        ["codex", ".codex"],
        ["gemini", ".gemini"],
        ["antigravity", ".agents"]
      ] as const) {
        fs.symlinkSync(elsewhere, path.join(user.project, directory))
        const { out } = yield* runCommand(user, ["install", provider, "--dry-run"])
        assert.include(out, "leads out of the project, to")
        assert.include(out, elsewhere)
      }
    }).pipe(Effect.scoped)
  )
})
