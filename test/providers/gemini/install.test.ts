import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { parse } from "jsonc-parser"
import type { Disk } from "../../../src/platform/Disk.ts"
import type { Host } from "../../../src/platform/Host.ts"
import {
  geminiHookCommand,
  geminiInstaller,
  registeredEvents,
  testedVersion
} from "../../../src/providers/gemini/install.ts"
import { readHookCommand } from "../../../src/providers/hookCommand.ts"
import { applyPlan, type InstallOptions, type UninstallOptions } from "../../../src/providers/ProviderInstaller.ts"
import { diskAndHost, temporaryDirectory } from "../../support/temporaryHost.ts"
import { awkwardSettings } from "./awkwardSettings.ts"

const program = { file: "/opt/lint-ai/lint-ai", args: [] }
const guard = (command: string) =>
  `LINT_AI_AGENT_PID=$PPID ${command} <&0 2>/dev/null & trap "kill -9 $!" TERM; wait $!; exit 0`
const command = guard("/opt/lint-ai/lint-ai hook gemini")
const sharedCommand = guard("lint-ai hook gemini")

interface Place {
  readonly directory: string
  readonly project: string
  readonly shared: string
  readonly user: string
  readonly memory: string
  readonly installs: string
}

const inProject = <A, E>(
  use: (place: Place) => Effect.Effect<A, E, Disk | Host>,
  env: Record<string, string> = {},
  platform: NodeJS.Platform = "linux"
) =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    const project = path.join(directory, "project")
    const place = {
      directory,
      project,
      shared: path.join(project, ".gemini", "settings.json"),
      user: path.join(directory, "home", ".gemini", "settings.json"),
      memory: path.join(project, "GEMINI.md"),
      installs: path.join(directory, "home", ".local", "state", "lint-ai", "installs")
    }
    fs.mkdirSync(path.dirname(place.user), { recursive: true })
    fs.mkdirSync(path.dirname(place.shared), { recursive: true })
    return yield* use(place).pipe(Effect.provide(diskAndHost(directory, env, platform)))
  }).pipe(Effect.scoped)

const plan = (place: Place, options: Partial<InstallOptions> = {}) =>
  geminiInstaller.planInstall({
    project: place.project,
    scope: "project",
    program,
    agentVersion: testedVersion,
    ...options
  })
const install = (place: Place, options: Partial<InstallOptions> = {}) => Effect.flatMap(plan(place, options), applyPlan)
const uninstall = (place: Place, options: Partial<UninstallOptions> = {}) =>
  Effect.flatMap(geminiInstaller.planUninstall({ project: place.project, ...options }), applyPlan)

const read = (file: string): string | undefined => (fs.existsSync(file) ? fs.readFileSync(file, "utf8") : undefined)
const put = (file: string, text: string | undefined): void => {
  if (text === undefined) fs.rmSync(file, { force: true })
  else {
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.writeFileSync(file, text)
  }
}

interface Settings {
  readonly hooks?: Readonly<Record<string, unknown>>
  readonly mcpServers?: Readonly<Record<string, unknown>>
}
const meaning = (text: string | undefined): Settings =>
  parse((text ?? "").replace(/^\uFEFF/, "").trim() || "{}", [], {
    allowTrailingComma: true,
    allowEmptyContent: true
  }) ?? {}

const extras = ["mcp", "policy"] as const

describe.each(awkwardSettings)("settings that are $name", ({ text, withoutRecord }) => {
  it.effect("come back byte for byte, and a second install changes nothing", () =>
    inProject((place) =>
      Effect.gen(function* () {
        put(place.user, text)
        yield* install(place, { scope: "user", extras })
        const installed = read(place.user)
        const { hooks = {}, mcpServers = {} } = meaning(installed)
        for (const event of registeredEvents) assert.include(JSON.stringify(hooks[event]), JSON.stringify(command))
        assert.deepStrictEqual(mcpServers["lint-ai"], {
          command: program.file,
          args: ["mcp", "serve", "gemini"]
        })
        assert.deepStrictEqual(yield* install(place, { scope: "user", extras }), [])
        assert.strictEqual(read(place.user), installed)
        yield* uninstall(place, { scope: "user" })
        assert.strictEqual(read(place.user), text)
      })
    )
  )

  it.effect("come back with what somebody else added after install", () =>
    inProject((place) =>
      Effect.gen(function* () {
        put(place.user, text)
        yield* install(place, { scope: "user", extras })
        fs.appendFileSync(place.user, "// later\n")
        yield* uninstall(place, { scope: "user" })
        assert.strictEqual(read(place.user)?.replace(/(\{\}\n)?\/\/ later\n$/, ""), text ?? "")
      })
    )
  )

  it.effect("lose only our entries when the record of the install is gone", () =>
    inProject((place) =>
      Effect.gen(function* () {
        put(place.user, text)
        yield* install(place, { scope: "user", extras })
        fs.rmSync(place.installs, { recursive: true })
        yield* uninstall(place, { scope: "user" })
        assert.strictEqual(read(place.user), withoutRecord ?? text)
      })
    )
  )
})

describe("what is registered", () => {
  it.effect("is every event of the table, with a timeout in milliseconds; PreCompress for /compress only", () =>
    inProject((place) =>
      Effect.gen(function* () {
        yield* install(place, { scope: "user" })
        const { hooks = {}, mcpServers } = meaning(read(place.user))
        const handler = { name: "lint-ai", type: "command", command, timeout: 10_000 }
        assert.deepStrictEqual(
          hooks,
          Object.fromEntries(
            registeredEvents.map((event) => [
              event,
              [event === "PreCompress" ? { matcher: "manual", hooks: [handler] } : { hooks: [handler] }]
            ])
          )
        )
        assert.strictEqual(mcpServers, undefined)
        assert.strictEqual(read(path.join(path.dirname(place.user), "GEMINI.md")), undefined)
      })
    )
  )

  it.effect("in a file that colleagues share has no path of this machine, under whatever name it is given", () =>
    inProject((place) =>
      Effect.gen(function* () {
        for (const options of [
          { scope: "project" },
          { settingsFile: place.shared },
          { scope: "user", settingsFile: place.shared }
        ] as const) {
          yield* install(place, { ...options, extras })
          const text = read(place.shared) ?? ""
          assert.include(text, JSON.stringify(sharedCommand))
          assert.deepStrictEqual(meaning(text).mcpServers, {
            "lint-ai": { command: "lint-ai", args: ["mcp", "serve", "gemini"] }
          })
          assert.notInclude(text + read(place.memory), place.directory)
          assert.notInclude(text + read(place.memory), program.file)
          yield* uninstall(place)
          assert.deepStrictEqual([read(place.shared), read(place.memory)], [undefined, undefined])
        }
      })
    )
  )

  it.effect("is found where GEMINI_CLI_HOME says", () =>
    inProject(
      (place) =>
        Effect.gen(function* () {
          yield* install(place, { scope: "user" })
          assert.include(read(path.join(place.directory, "elsewhere", ".gemini", "settings.json")), "lint-ai")
        }),
      { GEMINI_CLI_HOME: "elsewhere" }
    )
  )

  it.effect("names a program that has moved anew, and leaves what a person changed", () =>
    inProject((place) =>
      Effect.gen(function* () {
        yield* install(place, { scope: "user", extras })
        const custom = (read(place.user) ?? "")
          .replace('"timeout": 10000', '"timeout": 4000')
          .replace(JSON.stringify(command), JSON.stringify(`FOO=1 ${command}`))
          .replace('"command": "/opt/lint-ai/lint-ai",', '"command": "/opt/lint-ai/lint-ai", "env": { "A": "b" },')
        put(place.user, custom)
        yield* install(place, { scope: "user", program: { file: "/new/lint-ai", args: [] }, extras })
        const text = read(place.user) ?? ""
        assert.include(text, JSON.stringify(guard("/new/lint-ai hook gemini")))
        assert.include(text, JSON.stringify(`FOO=1 ${command}`))
        assert.include(text, '"timeout": 4000')
        assert.deepStrictEqual(meaning(text).mcpServers?.["lint-ai"], {
          command: "/new/lint-ai",
          env: { A: "b" },
          args: ["mcp", "serve", "gemini"]
        })
      })
    )
  )

  it.effect("refuses a file whose shape is another, or that has another server of our name", () =>
    inProject((place) =>
      Effect.gen(function* () {
        for (const text of [
          '{"hooks": []}',
          '{"hooks": {"BeforeTool": {}}}',
          "[]",
          "{",
          '{"mcpServers": []}',
          '{"mcpServers": {"lint-ai": {"command": "other"}}}'
        ]) {
          put(place.user, text)
          const failure = yield* Effect.flip(install(place, { scope: "user", extras }))
          assert.include(failure.message, place.user)
          assert.strictEqual(read(place.user), text)
        }
      })
    )
  )

  it.effect("is written through a link", () =>
    inProject((place) =>
      Effect.gen(function* () {
        const real = path.join(place.directory, "dotfiles.json")
        put(real, "{}\n")
        fs.symlinkSync(real, place.user)
        yield* install(place, { scope: "user" })
        assert.isTrue(fs.lstatSync(place.user).isSymbolicLink())
        assert.include(read(real), "lint-ai")
        yield* uninstall(place, { scope: "user" })
        assert.strictEqual(read(real), "{}\n")
      })
    )
  )

  it.effect("is not touched by a plan", () =>
    inProject((place) =>
      Effect.gen(function* () {
        const before = fs.readdirSync(place.directory, { recursive: true })
        const { files, notes } = yield* plan(place, { extras, agentVersion: "0.58.1" })
        assert.deepStrictEqual(
          files.map((file) => path.basename(file.path)),
          ["settings.json", "GEMINI.md"]
        )
        assert.include(notes.join("\n"), "0.58.1")
        assert.deepStrictEqual(fs.readdirSync(place.directory, { recursive: true }), before)
      })
    )
  )
})

describe("GEMINI.md", () => {
  it.effect.each(["# Mine\n", "# Mine", "# Mine\r\n\r\nText\r\n", "", "\n\n", "\u00e9\u0000 \ufffd\n"])(
    "comes back as it was: %j",
    (text) =>
      inProject((place) =>
        Effect.gen(function* () {
          put(place.memory, text)
          yield* install(place, { extras: ["policy"] })
          const installed = read(place.memory) ?? ""
          assert.isTrue(installed.startsWith(text))
          assert.include(installed, "Never start or stop recording")
          assert.deepStrictEqual(yield* install(place, { extras: ["policy"] }), [])
          yield* uninstall(place)
          assert.strictEqual(read(place.memory), text)
        })
      )
  )

  it.effect("keeps what the user writes around the block", () =>
    inProject((place) =>
      Effect.gen(function* () {
        put(place.memory, "# Mine\n")
        yield* install(place, { extras: ["policy"] })
        put(place.memory, `${read(place.memory)}\nMore.\n`.replace("Never start", "Always start"))
        yield* install(place, { extras: ["policy"] })
        assert.include(read(place.memory), "Never start or stop recording")
        yield* uninstall(place)
        assert.strictEqual(read(place.memory), "# Mine\n\nMore.\n")
      })
    )
  )
})

describe("status", () => {
  const status = (place: Place) => geminiInstaller.status({ project: place.project, program })

  it.effect("tells what is missing, repeated, and switched off", () =>
    inProject((place) =>
      Effect.gen(function* () {
        assert.deepStrictEqual((yield* status(place)).missing, registeredEvents)
        yield* install(place, { scope: "user" })
        const one = yield* status(place)
        assert.deepStrictEqual([one.missing, one.repeated, one.hooksOffIn], [[], [], []])
        assert.deepStrictEqual(one.files.flatMap((file) => file.hooks).map((hook) => hook.form)[0], "path")
        yield* install(place)
        const two = yield* status(place)
        assert.deepStrictEqual(two.repeated, registeredEvents)
        put(place.shared, '{"hooksConfig": {"enabled": false}}')
        assert.deepStrictEqual((yield* status(place)).hooksOffIn, [place.shared])
        put(place.shared, "{")
        assert.include((yield* status(place)).files[0]?.problem ?? "", place.shared)
      })
    )
  )
})

describe("the command of a hook", () => {
  const run = (line: string, env: Record<string, string> = {}) =>
    execFileSync("bash", ["-c", line], { input: "payload", encoding: "utf8", env: { PATH: "/usr/bin:/bin", ...env } })

  it.effect.each(["plain", "with space", "it's", "$HOME", "a`id`b", "a;b&c|d"])(
    "hands over stdin, stdout and the agent's pid from a directory called %j",
    (name) =>
      inProject((place) =>
        Effect.gen(function* () {
          const file = path.join(place.directory, name, "lint-ai")
          put(file, `#!/bin/sh\nprintf '[%s]' "$LINT_AI_AGENT_PID" "$@"\ncat\necho noise >&2\nexit 9\n`)
          fs.chmodSync(file, 0o755)
          const line = yield* geminiHookCommand({ file, args: [] })
          assert.strictEqual(run(line), `[${process.pid}][hook][gemini]payload`)
          assert.deepStrictEqual(readHookCommand(line, "gemini"), { form: "path", program: [file] })
        })
      )
  )

  it("does nothing where there is no such program, or none on the PATH", () => {
    assert.strictEqual(run(guard("/nowhere/lint-ai hook gemini")), "")
    assert.strictEqual(run(sharedCommand), "")
    assert.deepStrictEqual(readHookCommand(sharedCommand, "gemini"), { form: "shared", program: ["lint-ai"] })
    assert.strictEqual(readHookCommand(sharedCommand, "claude"), undefined)
  })

  it.effect("is one of PowerShell on Windows", () =>
    inProject(
      () =>
        Effect.gen(function* () {
          const file = "C:\\Program Files\\it's\\lint-ai.exe"
          const line = yield* geminiHookCommand({ file, args: [] })
          assert.strictEqual(line, "& 'C:\\Program Files\\it''s\\lint-ai.exe' hook gemini 2>$null; exit 0")
          const relative = yield* Effect.flip(geminiHookCommand({ file: "lint-ai.exe", args: [] }))
          assert.include(relative.message, "absolute path")
        }),
      {},
      "win32"
    )
  )
})
