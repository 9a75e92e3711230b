import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { parse } from "jsonc-parser"
import type { Disk } from "../../../src/platform/Disk.ts"
import type { Host } from "../../../src/platform/Host.ts"
import { antigravityInstaller, eventsFor } from "../../../src/providers/antigravity/install.ts"
import { readHookCommand } from "../../../src/providers/hookCommand.ts"
import { applyPlan, type InstallOptions, type UninstallOptions } from "../../../src/providers/ProviderInstaller.ts"
import { diskAndHost, temporaryDirectory } from "../../support/temporaryHost.ts"
import { awkwardHooks } from "./awkwardHooks.ts"

const program = { file: "/opt/lint-ai/lint-ai", args: [] }
const commandOf = (event: string) => `/opt/lint-ai/lint-ai hook antigravity ${event}`
const newest = "1.5.14"

interface Place {
  readonly directory: string
  readonly project: string
  readonly shared: string
  readonly user: string
  readonly userMcp: string
  readonly installs: string
}

const inProject = <A, E>(use: (place: Place) => Effect.Effect<A, E, Disk | Host>) =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    const project = path.join(directory, "project")
    const config = path.join(directory, "home", ".gemini", "config")
    fs.mkdirSync(project)
    fs.mkdirSync(config, { recursive: true })
    const place = {
      directory,
      project,
      shared: path.join(project, ".agents", "hooks.json"),
      user: path.join(config, "hooks.json"),
      userMcp: path.join(config, "mcp_config.json"),
      installs: path.join(directory, "home", ".local", "state", "lint-ai", "installs")
    }
    return yield* use(place).pipe(Effect.provide(diskAndHost(directory)))
  }).pipe(Effect.scoped)

const install = (place: Place, options: Partial<InstallOptions> = {}) =>
  Effect.flatMap(
    antigravityInstaller.planInstall({
      project: place.project,
      scope: "user",
      program,
      agentVersion: newest,
      ...options
    }),
    applyPlan
  )
const uninstall = (place: Place, options: Partial<UninstallOptions> = {}) =>
  Effect.flatMap(antigravityInstaller.planUninstall({ project: place.project, scope: "user", ...options }), applyPlan)

const read = (file: string): string | undefined => (fs.existsSync(file) ? fs.readFileSync(file, "utf8") : undefined)
const put = (file: string, text: string | undefined): void => {
  if (text !== undefined) fs.writeFileSync(file, text)
}
const meaning = (text: string | undefined): Record<string, Record<string, unknown>> =>
  parse((text ?? "").replace(/^\uFEFF/, "").trim() || "{}", [], { allowTrailingComma: true }) ?? {}

describe.each(awkwardHooks)("a hooks file that is $name", ({ text, withoutRecord }) => {
  it.effect("comes back byte for byte, and a second install changes nothing", () =>
    inProject((place) =>
      Effect.gen(function* () {
        put(place.user, text)
        put(place.userMcp, text === undefined ? undefined : `{"mcpServers": {"x": {"serverUrl": "http://127.0.0.1"}}}`)
        const mcp = read(place.userMcp)
        yield* install(place, { extras: ["mcp", "gates"] })
        const installed = read(place.user)
        for (const event of eventsFor(newest, true)) {
          assert.include(JSON.stringify(meaning(installed)["lint-ai"]?.[event]), commandOf(event))
        }
        assert.deepStrictEqual(meaning(installed).guard, meaning(text).guard)
        assert.deepStrictEqual(meaning(read(place.userMcp)).mcpServers?.["lint-ai"], {
          command: program.file,
          args: ["mcp", "serve", "antigravity"]
        })
        assert.deepStrictEqual(yield* install(place, { extras: ["mcp", "gates"] }), [])
        assert.strictEqual(read(place.user), installed)
        yield* uninstall(place)
        assert.deepStrictEqual([read(place.user), read(place.userMcp)], [text, mcp])
      })
    )
  )

  it.effect("comes back with what somebody else added after install", () =>
    inProject((place) =>
      Effect.gen(function* () {
        put(place.user, text)
        yield* install(place)
        fs.appendFileSync(place.user, "// later\n")
        yield* uninstall(place)
        assert.strictEqual(read(place.user)?.replace(/(\{\}\n)?\/\/ later\n$/, ""), text ?? "")
      })
    )
  )

  it.effect("loses only our entries when the record of the install is gone", () =>
    inProject((place) =>
      Effect.gen(function* () {
        put(place.user, text)
        yield* install(place)
        fs.rmSync(place.installs, { recursive: true })
        yield* uninstall(place)
        assert.strictEqual(read(place.user), withoutRecord ?? text)
      })
    )
  )
})

describe("what is registered", () => {
  it("is what a version surely knows; the gate only on request", () => {
    assert.deepStrictEqual(eventsFor("1.5.14", false), ["SessionStart", "PreInvocation", "PostToolUse", "Stop"])
    assert.deepStrictEqual(eventsFor("1.2.16", false), ["PreInvocation", "PostToolUse", "Stop"])
    assert.deepStrictEqual(eventsFor(undefined, false), ["PreInvocation", "PostToolUse", "Stop"])
    assert.include(eventsFor(undefined, true), "PreToolUse")
  })

  it.effect(
    "has the shape of Antigravity CLI: groups for tools, lists for the rest, the event in the command, seconds",
    () =>
      inProject((place) =>
        Effect.gen(function* () {
          yield* install(place)
          const handler = (event: string) => ({ type: "command", command: commandOf(event), timeout: 10 })
          assert.deepStrictEqual(meaning(read(place.user)), {
            "lint-ai": {
              SessionStart: [handler("SessionStart")],
              PreInvocation: [handler("PreInvocation")],
              PostToolUse: [{ matcher: "", hooks: [handler("PostToolUse")] }],
              Stop: [handler("Stop")]
            }
          })
        })
      )
  )

  it.effect("has groups everywhere before 1.1.2, and they are taken out again", () =>
    inProject((place) =>
      Effect.gen(function* () {
        yield* install(place, { agentVersion: "1.1.1" })
        assert.deepStrictEqual(meaning(read(place.user))["lint-ai"]?.Stop, [
          { hooks: [{ type: "command", command: commandOf("Stop"), timeout: 10 }] }
        ])
        const before = read(place.user) ?? ""
        yield* install(place, { agentVersion: "1.1.2" })
        assert.deepStrictEqual(meaning(read(place.user))["lint-ai"]?.Stop, [
          { type: "command", command: commandOf("Stop"), timeout: 10 }
        ])
        fs.writeFileSync(place.user, `${before}\n`)
        yield* uninstall(place)
        assert.strictEqual(read(place.user), undefined)
      })
    )
  )

  it.effect("keeps a gate that was asked for before", () =>
    inProject((place) =>
      Effect.gen(function* () {
        yield* install(place, { extras: ["gates"] })
        assert.deepStrictEqual(yield* install(place, { agentVersion: undefined }), [])
        assert.include(read(place.user), "PreToolUse")
      })
    )
  )

  it.effect("in a workspace has no path of this machine", () =>
    inProject((place) =>
      Effect.gen(function* () {
        for (const options of [{ scope: "project" }, { settingsFile: place.shared }] as const) {
          yield* install(place, { ...options, extras: ["mcp", "gates"] })
          const text = `${read(place.shared)}${read(path.join(place.project, ".agents", "mcp_config.json"))}`
          assert.include(text, "then lint-ai hook antigravity Stop || exit 0; fi")
          assert.notInclude(text, place.directory)
          assert.notInclude(text, program.file)
          yield* uninstall(place, { scope: "project" })
          assert.isFalse(fs.existsSync(place.shared))
        }
      })
    )
  )

  it.effect("is refused where our name holds something else", () =>
    inProject((place) =>
      Effect.gen(function* () {
        for (const text of ["[]", '{"lint-ai": []}', '{"lint-ai": {"Stop": {}}}', "{"]) {
          put(place.user, text)
          const failure = yield* Effect.flip(install(place))
          assert.include(failure.message, place.user)
          assert.strictEqual(read(place.user), text)
        }
      })
    )
  )

  it.effect("is told by status, with files that the agent would leave aside", () =>
    inProject((place) =>
      Effect.gen(function* () {
        const status = antigravityInstaller.status({ project: place.project, program, agentVersion: newest })
        assert.deepStrictEqual((yield* status).missing, eventsFor(newest, false))
        yield* install(place)
        const installed = yield* status
        assert.deepStrictEqual([installed.missing, installed.repeated], [[], []])
        assert.deepStrictEqual(installed.files[1]?.hooks.map(({ event, form }) => [event, form])[0], [
          "SessionStart",
          "path"
        ])
        put(place.user, (read(place.user) ?? "").replace(/^\{/, '{ "other": [],'))
        assert.include((yield* status).files[1]?.problem ?? "", "other")
        put(place.user, '{"lint-ai": {"enabled": false}}')
        assert.deepStrictEqual((yield* status).hooksOffIn, [place.user])
      })
    )
  )
})

describe("the gate's command", () => {
  it.effect("gives the answer of lint-ai, or the same without it", () =>
    inProject((place) =>
      Effect.gen(function* () {
        const file = path.join(place.directory, "a b", "lint-ai")
        fs.mkdirSync(path.dirname(file))
        yield* install(place, { program: { file, args: [] }, extras: ["gates"] })
        const groups = meaning(read(place.user))["lint-ai"]?.PreToolUse as ReadonlyArray<{
          readonly hooks: ReadonlyArray<{ readonly command: string }>
        }>
        const command = groups[0]?.hooks[0]?.command ?? ""
        // A program that does not read its payload breaks the pipe, which is no matter of the answer.
        const run = () => spawnSync("/bin/sh", ["-c", command], { input: "{}", encoding: "utf8" }).stdout.trim()
        assert.strictEqual(run(), '{"decision":"allow"}')
        fs.writeFileSync(file, `#!/bin/sh\necho noise >&2\nexit 7\n`, { mode: 0o755 })
        assert.strictEqual(run(), '{"decision":"allow"}')
        fs.writeFileSync(file, `#!/bin/sh\nprintf '{"decision":"allow"}'\n`)
        assert.strictEqual(run(), '{"decision":"allow"}')
        assert.deepStrictEqual(readHookCommand(command, "antigravity"), { form: "path", program: [file] })
      })
    )
  )
})
