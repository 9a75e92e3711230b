import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { parse } from "jsonc-parser"
import type { Disk } from "../../../src/platform/Disk.ts"
import type { Host } from "../../../src/platform/Host.ts"
import { claudeInstaller } from "../../../src/providers/claude/install.ts"
import { skillText } from "../../../src/providers/claude/skill.ts"
import { applyPlan, type InstallOptions, type UninstallOptions } from "../../../src/providers/ProviderInstaller.ts"
import { policyRules } from "../../../src/providers/policyText.ts"
import { snapshot } from "../../support/recording.ts"
import { diskAndHost, temporaryDirectory } from "../../support/temporaryHost.ts"
import { awkwardSettings } from "./awkwardSettings.ts"

const program = { file: "/opt/lint-ai/lint-ai", args: [] }
const entry = { command: "/opt/lint-ai/lint-ai", args: ["mcp", "serve", "claude"] }

interface Place {
  readonly directory: string
  readonly project: string
  readonly home: string
  readonly settings: string
  /** Claude Code's own state, which holds the private servers of each project. */
  readonly claudeJson: string
  readonly skill: string
}

/** Runs a test with a project, which is the top of a repository, and a home in a fresh directory. */
const inProject = <A, E>(use: (place: Place) => Effect.Effect<A, E, Disk | Host>, env: Record<string, string> = {}) =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    const project = path.join(directory, "project")
    const home = path.join(directory, "home")
    fs.mkdirSync(path.join(project, ".git"), { recursive: true })
    fs.mkdirSync(path.join(project, ".claude"))
    fs.mkdirSync(path.join(home, ".claude"), { recursive: true })
    return yield* use({
      directory,
      project,
      home,
      settings: path.join(project, ".claude", "settings.local.json"),
      claudeJson: path.join(home, ".claude.json"),
      skill: path.join(project, ".claude", "skills", "lint-ai-memory", "SKILL.md")
    }).pipe(Effect.provide(diskAndHost(directory, env)))
  }).pipe(Effect.scoped)

const all = ["mcp", "policy", "statusline"] as const

const install = Effect.fnUntraced(function* (place: Place, options: Partial<InstallOptions> = {}) {
  const plan = yield* claudeInstaller.planInstall({
    project: place.project,
    scope: "local",
    program,
    agentVersion: "2.1.332",
    extras: all,
    ...options
  })
  return yield* applyPlan(plan)
})

const uninstall = Effect.fnUntraced(function* (place: Place, options: Partial<UninstallOptions> = {}) {
  return yield* applyPlan(yield* claudeInstaller.planUninstall({ project: place.project, ...options }))
})

const read = (file: string): string | undefined => (fs.existsSync(file) ? fs.readFileSync(file, "utf8") : undefined)
const json = (file: string) => parse((read(file) ?? "").replace(/^\uFEFF/, ""), [], { allowTrailingComma: true })

const put = (file: string, text: string | undefined): void => {
  if (text !== undefined) fs.writeFileSync(file, text)
}

const serverIn = (place: Place, project = place.project) =>
  json(place.claudeJson)?.projects?.[project]?.mcpServers?.["lint-ai"]

/** What Claude Code keeps in its state file, as it writes it. */
const stateText = (place: Place, more = ""): string =>
  `{\n  "userID": "x",\n  "projects": {\n    "/elsewhere": {\n      "mcpServers": {}\n    },\n    "${place.project}": {\n      "allowedTools": [],\n      "mcpServers": {${more}},\n      "hasTrustDialogAccepted": true\n    }\n  },\n  "oauthAccount": null\n}`

describe("the MCP server of Claude Code", () => {
  it.live("is registered for its user in this project, and taken out byte for byte", () =>
    inProject((place) =>
      Effect.gen(function* () {
        const text = stateText(place)
        fs.writeFileSync(place.claudeJson, text, { mode: 0o600 })
        yield* install(place)
        assert.deepStrictEqual(serverIn(place), entry)
        assert.strictEqual(json(place.claudeJson).projects[place.project].hasTrustDialogAccepted, true)
        assert.strictEqual(fs.statSync(place.claudeJson).mode & 0o777, 0o600)
        assert.deepStrictEqual(yield* install(place), [])
        yield* uninstall(place)
        assert.strictEqual(read(place.claudeJson), text)
      })
    )
  )

  it.live("is not touched without being asked for", () =>
    inProject((place) =>
      Effect.gen(function* () {
        yield* install(place, { extras: ["statusline"] })
        assert.isUndefined(read(place.claudeJson))
        assert.isUndefined(read(place.skill))
      })
    )
  )

  it.live.each(awkwardSettings)("leaves a state file with $name as it was", ({ text }) =>
    inProject((place) =>
      Effect.gen(function* () {
        put(place.claudeJson, text)
        yield* install(place)
        assert.deepStrictEqual(serverIn(place), entry)
        yield* uninstall(place)
        assert.strictEqual(read(place.claudeJson), text)
      })
    )
  )

  it.live("is taken out of a state file that Claude Code has written since", () =>
    inProject((place) =>
      Effect.gen(function* () {
        fs.writeFileSync(place.claudeJson, stateText(place))
        yield* install(place)
        const written = json(place.claudeJson)
        fs.writeFileSync(place.claudeJson, JSON.stringify({ ...written, numStartups: 5 }, undefined, 2))
        yield* uninstall(place)
        const { numStartups, ...rest } = json(place.claudeJson)
        assert.strictEqual(numStartups, 5)
        assert.deepStrictEqual(rest, JSON.parse(stateText(place)))
      })
    )
  )

  it.live("of several projects is registered and taken out for each, in any order", () =>
    inProject((place) =>
      Effect.gen(function* () {
        const other = { ...place, project: path.join(place.directory, "other") }
        fs.mkdirSync(path.join(other.project, ".git"), { recursive: true })
        const text = stateText(place)
        for (const [first, second] of [
          [place, other],
          [other, place]
        ] as const) {
          fs.writeFileSync(place.claudeJson, text)
          yield* install(place, { extras: ["mcp"] })
          yield* install(other, { extras: ["mcp"] })
          assert.deepStrictEqual(serverIn(place), entry)
          assert.deepStrictEqual(serverIn(place, other.project), entry)
          yield* uninstall(first)
          assert.isUndefined(serverIn(place, first.project))
          assert.deepStrictEqual(serverIn(place, second.project), entry)
          yield* uninstall(second)
          assert.strictEqual(read(place.claudeJson), text)
        }
      })
    )
  )

  it.live("is that of the main checkout for a linked worktree, and of the top for a directory inside", () =>
    inProject((place) =>
      Effect.gen(function* () {
        const linked = path.join(place.directory, "linked")
        const own = path.join(place.project, ".git", "worktrees", "linked")
        fs.mkdirSync(own, { recursive: true })
        fs.writeFileSync(path.join(own, "commondir"), "../..\n")
        fs.mkdirSync(linked)
        fs.writeFileSync(path.join(linked, ".git"), `gitdir: ${own}\n`)
        yield* install(place, { project: linked })
        assert.deepStrictEqual(serverIn(place), entry)
        yield* uninstall({ ...place, project: linked })
        assert.isUndefined(serverIn(place))
        const inside = path.join(place.project, "packages")
        fs.mkdirSync(inside)
        yield* install(place, { project: inside })
        assert.deepStrictEqual(serverIn(place), entry)
      })
    )
  )

  it.live("is in CLAUDE_CONFIG_DIR where that is set", () =>
    Effect.gen(function* () {
      const own = yield* temporaryDirectory
      yield* inProject(
        (place) =>
          Effect.gen(function* () {
            yield* install(place)
            assert.isUndefined(read(place.claudeJson))
            assert.deepStrictEqual(json(path.join(own, ".claude.json")).projects[place.project].mcpServers, {
              "lint-ai": entry
            })
          }),
        { CLAUDE_CONFIG_DIR: own }
      )
    })
  )

  it.live("is named without a path where colleagues read it, and for all projects with the scope of the user", () =>
    inProject((place) =>
      Effect.gen(function* () {
        yield* install(place, { scope: "project" })
        assert.deepStrictEqual(json(path.join(place.project, ".mcp.json")), {
          mcpServers: { "lint-ai": { command: "lint-ai", args: entry.args } }
        })
        for (const [name, text] of Object.entries(snapshot(place.project))) assert.notInclude(text, "/opt/", name)
        assert.isUndefined(read(place.claudeJson))
        yield* uninstall(place)
        assert.isUndefined(read(path.join(place.project, ".mcp.json")))

        yield* install(place, { scope: "user" })
        assert.deepStrictEqual(json(place.claudeJson), { mcpServers: { "lint-ai": entry } })
        assert.isDefined(read(path.join(place.home, ".claude", "skills", "lint-ai-memory", "SKILL.md")))
        yield* uninstall(place, { scope: "user" })
        assert.isUndefined(read(place.claudeJson))
      })
    )
  )

  it.live("of another program with the same name stops the install before anything is written", () =>
    inProject((place) =>
      Effect.gen(function* () {
        const text = stateText(place, `"lint-ai": {"command": "other"}`)
        fs.writeFileSync(place.claudeJson, text)
        const error = yield* Effect.flip(install(place))
        assert.strictEqual(error._tag, "SettingsUnexpected")
        assert.isUndefined(read(place.settings))
        assert.isUndefined(read(place.skill))
        yield* uninstall(place)
        assert.strictEqual(read(place.claudeJson), text)
      })
    )
  )

  it.live.each([`{"projects": 5}`, `{"projects": {"PROJECT": []}}`, `{"projects": {"PROJECT": {"mcpServers": null}}}`])(
    "is not forced into %s",
    (shape) =>
      inProject((place) =>
        Effect.gen(function* () {
          const text = shape.replace("PROJECT", place.project)
          fs.writeFileSync(place.claudeJson, text)
          assert.strictEqual((yield* Effect.flip(install(place)))._tag, "SettingsUnexpected")
          assert.strictEqual(read(place.claudeJson), text)
          assert.isUndefined(read(place.settings))
        })
      )
  )
})

describe("the skill of Claude Code", () => {
  it.live("is written with the rules, brought up to date and taken away", () =>
    inProject((place) =>
      Effect.gen(function* () {
        yield* install(place)
        assert.strictEqual(read(place.skill), skillText)
        assert.include(skillText, policyRules)
        assert.match(skillText, /^---\nname: lint-ai-memory\ndescription: .+\n---\n/)
        assert.strictEqual(fs.statSync(place.skill).mode & 0o777, 0o644)
        assert.deepStrictEqual(yield* install(place), [])
        yield* uninstall(place)
        assert.isFalse(fs.existsSync(path.dirname(place.skill)))
      })
    )
  )

  it.live("that differs is not overwritten, and then nothing else is written either", () =>
    inProject((place) =>
      Effect.gen(function* () {
        fs.mkdirSync(path.dirname(place.skill), { recursive: true })
        fs.writeFileSync(place.skill, "mine")
        const before = snapshot(place.directory)
        const error = yield* Effect.flip(install(place))
        assert.strictEqual(error._tag, "TextDiffers")
        assert.include(error.message, place.skill)
        assert.deepStrictEqual(snapshot(place.directory), before)
        yield* install(place, { extras: ["statusline"] })
        assert.strictEqual(read(place.skill), "mine")
      })
    )
  )

  it.live("that was changed since stays", () =>
    inProject((place) =>
      Effect.gen(function* () {
        yield* install(place)
        fs.appendFileSync(place.skill, "And mine.\n")
        yield* uninstall(place)
        assert.strictEqual(read(place.skill), `${skillText}And mine.\n`)
      })
    )
  )

  it.live("that a colleague has committed is taken as it is", () =>
    inProject((place) =>
      Effect.gen(function* () {
        fs.mkdirSync(path.dirname(place.skill), { recursive: true })
        fs.writeFileSync(place.skill, skillText)
        yield* install(place)
        yield* uninstall(place)
        assert.strictEqual(read(place.skill), skillText)
      })
    )
  )
})

describe("the status line of Claude Code", () => {
  const ours = { type: "command", command: "/opt/lint-ai/lint-ai statusline claude" }

  it.live.each(awkwardSettings)("goes into settings with $name, and out again byte for byte", ({ text }) =>
    inProject((place) =>
      Effect.gen(function* () {
        put(place.settings, text)
        yield* install(place)
        assert.deepStrictEqual(json(place.settings).statusLine, ours)
        assert.deepStrictEqual(yield* install(place), [])
        yield* uninstall(place)
        assert.strictEqual(read(place.settings), text)
      })
    )
  )

  it.live.each(awkwardSettings)("goes out of settings with $name that were changed since", ({ text }) =>
    inProject((place) =>
      Effect.gen(function* () {
        put(place.settings, text)
        yield* install(place, { extras: [] })
        const without = read(place.settings)
        yield* install(place)
        fs.appendFileSync(place.settings, "\n")
        yield* uninstall(place)
        const left = read(place.settings)
        assert.notInclude(left ?? "", "lint-ai")
        assert.notInclude(without ?? "", "statusLine")
      })
    )
  )

  const others = ["settings.local.json", "settings.json", "user"] as const
  it.live.each(others)("is not added where a person has one in %s", (where) =>
    inProject((place) =>
      Effect.gen(function* () {
        const file =
          where === "user"
            ? path.join(place.home, ".claude", "settings.json")
            : path.join(place.project, ".claude", where)
        const text = `{"statusLine": {"type": "command", "command": "mine"}}`
        fs.writeFileSync(file, text)
        yield* install(place)
        const shown = [place.settings, file].map((one) => json(one)?.statusLine?.command)
        assert.notInclude(shown, ours.command)
        yield* uninstall(place)
        assert.strictEqual(read(file), text)
      })
    )
  )

  it.live("is left to the person who changed it, and corrected when lint-ai has moved", () =>
    inProject((place) =>
      Effect.gen(function* () {
        yield* install(place)
        yield* install(place, { program: { file: "/usr/local/bin/lint-ai", args: [] } })
        assert.strictEqual(json(place.settings).statusLine.command, "/usr/local/bin/lint-ai statusline claude")
        const changed = (read(place.settings) ?? "").replace("statusline claude", "statusline claude | cat")
        fs.writeFileSync(place.settings, changed)
        yield* uninstall(place)
        assert.strictEqual(json(place.settings).statusLine.command, "/usr/local/bin/lint-ai statusline claude | cat")
      })
    )
  )

  it.live("never goes into a file that colleagues share", () =>
    inProject((place) =>
      Effect.gen(function* () {
        yield* install(place, { scope: "project" })
        assert.notInclude(read(path.join(place.project, ".claude", "settings.json")) ?? "", "statusLine")
      })
    )
  )
})
