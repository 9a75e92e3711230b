import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Disk } from "../../../src/platform/Disk.ts"
import type { Host } from "../../../src/platform/Host.ts"
import { codexHooks } from "../../../src/providers/codex/hooks.ts"
import { codexInstaller, sharedCommand } from "../../../src/providers/codex/install.ts"
import { installerFor } from "../../../src/providers/installers.ts"
import { applyPlan, type InstallOptions, type UninstallOptions } from "../../../src/providers/ProviderInstaller.ts"
import { diskAndHost, temporaryDirectory } from "../../support/temporaryHost.ts"
import { awkwardConfigs, awkwardHooks, awkwardMemories } from "./awkwardFiles.ts"

const program = { file: "/opt/lint-ai/lint-ai", args: [] }
const extras = ["mcp", "policy"] as const

interface Place {
  readonly directory: string
  readonly project: string
  readonly hooks: string
  readonly config: string
  readonly memory: string
  readonly home: string
  readonly installs: string
}

/** Runs a test with a project, a home and the real disk in a fresh directory. */
const inProject = <A, E>(use: (place: Place) => Effect.Effect<A, E, Disk | Host>) =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    const project = path.join(directory, "project")
    const home = path.join(directory, "home", ".codex")
    for (const made of [path.join(project, ".codex"), home]) fs.mkdirSync(made, { recursive: true })
    const place = {
      directory,
      project,
      home,
      hooks: path.join(project, ".codex", "hooks.json"),
      config: path.join(project, ".codex", "config.toml"),
      memory: path.join(project, "AGENTS.md"),
      installs: path.join(directory, "home", ".local", "state", "lint-ai", "installs")
    }
    return yield* use(place).pipe(Effect.provide(diskAndHost(directory)))
  }).pipe(Effect.scoped)

const plan = (place: Place, options: Partial<InstallOptions> = {}) =>
  codexInstaller.planInstall({
    project: place.project,
    scope: "project",
    program,
    agentVersion: "0.171.0",
    extras,
    ...options
  })
const install = (place: Place, options: Partial<InstallOptions> = {}) => Effect.flatMap(plan(place, options), applyPlan)
const uninstall = (place: Place, options: Partial<UninstallOptions> = {}) =>
  Effect.flatMap(codexInstaller.planUninstall({ project: place.project, ...options }), applyPlan)
const status = (place: Place) => codexInstaller.status({ project: place.project, program })

const read = (file: string): string | undefined => (fs.existsSync(file) ? fs.readFileSync(file, "utf8") : undefined)
const put = (file: string, text: string | undefined): void => {
  if (text === undefined) fs.rmSync(file, { force: true })
  else fs.writeFileSync(file, text)
}

const files = ["hooks", "config", "memory"] as const
const starts = [
  ...awkwardHooks.map(({ name, text }) => ({ name: `hooks.json: ${name}`, file: "hooks" as const, text })),
  ...awkwardConfigs.map(({ name, text }) => ({ name: `config.toml: ${name}`, file: "config" as const, text })),
  ...awkwardMemories.map(({ name, text }) => ({ name: `AGENTS.md: ${name}`, file: "memory" as const, text }))
]

describe.each(starts)("$name", ({ file, text }) => {
  it.effect("comes back byte for byte, and a second install changes nothing", () =>
    inProject((place) =>
      Effect.gen(function* () {
        put(place[file], text)
        const planned = yield* plan(place)
        assert.strictEqual(read(place[file]), text, "a plan writes nothing")
        yield* applyPlan(planned)
        const installed = files.map((one) => read(place[one]))
        assert.notInclude(installed.join(""), "/opt/lint-ai", "a shared file has no path of this machine")

        assert.deepStrictEqual(yield* install(place), [])
        assert.deepStrictEqual(
          files.map((one) => read(place[one])),
          installed
        )
        yield* uninstall(place)
        assert.strictEqual(read(place[file]), text)
        assert.deepStrictEqual(fs.readdirSync(place.installs), [])
      })
    )
  )

  it.effect("comes back through a link, which stays", () =>
    inProject((place) =>
      Effect.gen(function* () {
        const real = path.join(place.directory, "elsewhere")
        put(real, text ?? "")
        fs.symlinkSync(real, place[file])
        yield* install(place)
        assert.isTrue(fs.lstatSync(place[file]).isSymbolicLink())
        assert.notStrictEqual(read(real), text ?? "")
        yield* uninstall(place)
        assert.isTrue(fs.lstatSync(place[file]).isSymbolicLink())
        assert.strictEqual(read(real), text ?? "")
      })
    )
  )
})

const groupsOf = (
  text: string | undefined
): Record<string, ReadonlyArray<{ hooks: ReadonlyArray<Record<string, unknown>> }>> =>
  JSON.parse(text ?? "{}").hooks ?? {}

describe("the hooks of Codex", () => {
  it.effect("are all 14, for a shared file without a path, with times that Codex accepts", () =>
    inProject((place) =>
      Effect.gen(function* () {
        yield* install(place)
        const groups = groupsOf(read(place.hooks))
        assert.deepStrictEqual(Object.keys(groups), Object.keys(codexHooks))
        for (const [event, [group]] of Object.entries(groups))
          assert.deepStrictEqual(group, {
            hooks: [
              {
                type: "command",
                command: sharedCommand,
                timeout: event === "SessionEnd" || event === "Interrupt" ? 3 : 10
              }
            ]
          })
      })
    )
  )

  it.effect("come after those of others, so that no place that was trusted moves", () =>
    inProject((place) =>
      Effect.gen(function* () {
        put(place.hooks, `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"guard"}]}]}}`)
        yield* install(place)
        const stop = groupsOf(read(place.hooks)).Stop ?? []
        assert.deepStrictEqual(
          stop.map((group) => group.hooks[0]?.command),
          ["guard", sharedCommand]
        )
      })
    )
  )

  it.effect("of the user name the program by its path, and a moved one is corrected", () =>
    inProject((place) =>
      Effect.gen(function* () {
        yield* install(place, { scope: "user" })
        const file = path.join(place.home, "hooks.json")
        assert.include(read(file), "/opt/lint-ai/lint-ai hook codex")
        assert.include(read(path.join(place.home, "config.toml")), `command = "/opt/lint-ai/lint-ai"`)
        assert.include(read(path.join(place.home, "AGENTS.md")), "Never start or stop recording")
        assert.isUndefined(read(place.hooks))
        yield* install(place, { scope: "user", program: { file: "/new/lint-ai", args: [] } })
        assert.notInclude(read(file), "/opt/")
        yield* uninstall(place, { scope: "user" })
        for (const left of ["hooks.json", "config.toml", "AGENTS.md"])
          assert.isUndefined(read(path.join(place.home, left)))
      })
    )
  )

  it.effect("are registered alone when nothing else is asked for", () =>
    inProject((place) =>
      Effect.gen(function* () {
        yield* install(place, { extras: [] })
        assert.isUndefined(read(place.config))
        assert.isUndefined(read(place.memory))
      })
    )
  )

  it.effect("of a linked worktree go into the main checkout, the rest into the worktree", () =>
    inProject((place) =>
      Effect.gen(function* () {
        const git = (...args: ReadonlyArray<string>) =>
          execFileSync("git", ["-C", place.project, "-c", "user.name=a", "-c", "user.email=a@b", ...args], {
            env: { PATH: process.env.PATH, HOME: place.directory, GIT_CONFIG_NOSYSTEM: "1" }
          })
        git("init", "-q")
        git("commit", "-q", "--allow-empty", "-m", "x")
        const worktree = path.join(place.directory, "tree")
        git("worktree", "add", "-q", worktree)
        const planned = yield* plan({ ...place, project: worktree })
        assert.deepStrictEqual(
          planned.files.map((one) => one.path),
          [place.hooks, path.join(worktree, ".codex", "config.toml"), path.join(worktree, "AGENTS.md")]
        )
        assert.isTrue(planned.notes.some((note) => note.includes("linked worktree")))

        // Without a directory .codex of its own Codex runs no hooks there.
        const tree = { ...place, project: worktree }
        yield* install(tree, { extras: [] })
        assert.isTrue(fs.existsSync(path.join(worktree, ".codex")))
        assert.deepStrictEqual(yield* install(tree, { extras: [] }), [])
        yield* uninstall(tree)
        assert.isFalse(fs.existsSync(path.join(worktree, ".codex", "config.toml")))
        assert.isUndefined(read(place.hooks))
      })
    )
  )

  it.effect("are not put into a file of another shape, and nothing is written", () =>
    inProject((place) =>
      Effect.gen(function* () {
        for (const text of [`{"hooks":[]}`, `{"hooks":{"Stop":{}}}`, `[1]`, `{"hooks":`]) {
          put(place.hooks, text)
          const error = yield* Effect.flip(install(place))
          assert.include(error.message, "Nothing was written")
          assert.strictEqual(read(place.hooks), text)
        }
        put(place.hooks, undefined)
        put(place.config, "model = \n")
        const error = yield* Effect.flip(install(place))
        assert.include(error.message, "is no TOML at line 1")
        assert.isUndefined(read(place.hooks))
      })
    )
  )
})

describe("what a person is told", () => {
  it.effect("is that hooks need trust, and what is wrong with a file that Codex leaves aside", () =>
    inProject((place) =>
      Effect.gen(function* () {
        put(place.hooks, `{"$schema":"x"}`)
        const { notes } = yield* plan(place)
        assert.isTrue(notes.some((note) => note.includes("trusted")))
        assert.isTrue(notes.some((note) => note.includes(`the field "$schema"`)))
      })
    )
  )
})

describe("the state of an installation", () => {
  const trusted = (place: Place, extra = "") =>
    put(path.join(place.home, "config.toml"), `[projects."${place.project}"]\ntrust_level = "trusted"\n${extra}`)

  it.effect("tells a project that is not trusted, and hooks that are not", () =>
    inProject((place) =>
      Effect.gen(function* () {
        yield* install(place)
        const before = yield* status(place)
        assert.include(before.files[0]?.problem, "does not trust this project")
        assert.deepStrictEqual(before.missing, Object.keys(codexHooks))

        trusted(place)
        const after = yield* status(place)
        assert.isUndefined(after.files[0]?.problem)
        assert.deepStrictEqual(after.missing, [])
        assert.deepStrictEqual([...new Set(after.files[0]?.hooks.map((hook) => hook.trust))], ["untrusted"])
      })
    )
  )

  // What hooks/list of 0.171.0 gave for this command with a timeout of 10 at hooks.Stop.
  const stopDigest = "sha256:800624f1fb5ba5a9c27f98c212f7c091016cd4a73534118a5fb1c70ce9279162"

  it.effect("knows the digest by which Codex trusts a hook, and a hook that was changed since", () =>
    inProject((place) =>
      Effect.gen(function* () {
        const handler = (command: string) =>
          `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"${command}","timeout":10}]}]}}`
        const trustOf = Effect.map(status(place), (one) => one.files[0]?.hooks[0]?.trust)
        trusted(place, `[hooks.state."${place.hooks}:stop:0:0"]\ntrusted_hash = "${stopDigest}"\n`)
        put(place.hooks, handler("/opt/lint-ai/lint-ai hook codex"))
        assert.strictEqual(yield* trustOf, "trusted")
        put(place.hooks, handler("/new/lint-ai hook codex"))
        assert.strictEqual(yield* trustOf, "modified")
      })
    )
  )

  it.effect("names events that two files register, and a configuration that switches hooks off", () =>
    inProject((place) =>
      Effect.gen(function* () {
        yield* install(place)
        yield* install(place, { scope: "user", extras: [] })
        trusted(place, "[features]\nhooks = false\n")
        const { repeated, hooksOffIn } = yield* status(place)
        assert.deepStrictEqual(repeated, Object.keys(codexHooks))
        assert.deepStrictEqual(hooksOffIn, [path.join(place.home, "config.toml")])
      })
    )
  )
})

describe("the Codex installer", () => {
  it("is the one that the CLI gets", () => {
    assert.strictEqual(installerFor("codex"), codexInstaller)
  })
})
