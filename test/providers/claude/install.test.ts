import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { parse, stripComments } from "jsonc-parser"
import { Disk, DiskError } from "../../../src/platform/Disk.ts"
import type { Host } from "../../../src/platform/Host.ts"
import { claudeHooks } from "../../../src/providers/claude/hooks.ts"
import { claudeInstaller, eventsFor, oldestVersion } from "../../../src/providers/claude/install.ts"
import { sharedHookCommand } from "../../../src/providers/hookCommand.ts"
import { applyPlan, type InstallOptions, type UninstallOptions } from "../../../src/providers/ProviderInstaller.ts"
import { diskAndHost, temporaryDirectory } from "../../support/temporaryHost.ts"
import { awkwardSettings } from "./awkwardSettings.ts"
import { anySettingsText } from "./settingsText.ts"

const program = { file: "/opt/lint-ai/lint-ai", args: [] }
const command = "/opt/lint-ai/lint-ai hook claude || exit 0"
const newest = "2.1.332"

interface Place {
  readonly directory: string
  readonly project: string
  readonly local: string
  readonly shared: string
  /** Where records and backups are. */
  readonly installs: string
}

/** Runs a test with a project, a home and the real disk in a fresh directory. */
const inProject = <A, E>(use: (place: Place) => Effect.Effect<A, E, Disk | Host>, env: Record<string, string> = {}) =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    const project = path.join(directory, "project")
    fs.mkdirSync(path.join(project, ".claude"), { recursive: true })
    const place = {
      directory,
      project,
      local: path.join(project, ".claude", "settings.local.json"),
      shared: path.join(project, ".claude", "settings.json"),
      installs: path.join(directory, "home", ".local", "state", "lint-ai", "installs")
    }
    return yield* use(place).pipe(Effect.provide(diskAndHost(directory, env)))
  }).pipe(Effect.scoped)

const install = Effect.fnUntraced(function* (place: Place, options: Partial<InstallOptions> = {}) {
  const plan = yield* claudeInstaller.planInstall({
    project: place.project,
    scope: "local",
    program,
    agentVersion: newest,
    ...options
  })
  return yield* applyPlan(plan)
})

const uninstall = Effect.fnUntraced(function* (place: Place, options: Partial<UninstallOptions> = {}) {
  return yield* applyPlan(yield* claudeInstaller.planUninstall({ project: place.project, ...options }))
})

const read = (file: string): string | undefined => (fs.existsSync(file) ? fs.readFileSync(file, "utf8") : undefined)

const put = (file: string, text: string | undefined): void => {
  if (text === undefined) fs.rmSync(file, { force: true })
  else fs.writeFileSync(file, text)
}

/** The meaning of settings text as a reader of JSON with comments has it. */
const meaning = (text: string | undefined): Record<string, unknown> =>
  parse((text ?? "").replace(/^\uFEFF/, "").trim() || "{}", [], {
    allowTrailingComma: true,
    allowEmptyContent: true
  }) ?? {}

interface Group {
  readonly hooks?: unknown
}

/** The meaning without our groups, and without the containers that only held those. */
const meaningOfOthers = (text: string | undefined, before: string | undefined): unknown => {
  const settings = structuredClone(meaning(text))
  const hooks = settings.hooks as Record<string, unknown> | undefined
  const hooksBefore = meaning(before).hooks as Record<string, unknown> | undefined
  for (const event of Object.keys(hooks ?? {})) {
    if (hooks === undefined || !Array.isArray(hooks[event])) continue
    const isOurs = (group: Group | null) => JSON.stringify(group?.hooks)?.includes(JSON.stringify(command)) === true
    const left = hooks[event].filter((group: Group | null) => !isOurs(group))
    if (left.length > 0 || hooksBefore?.[event] !== undefined) hooks[event] = left
    else delete hooks[event]
  }
  if (hooks !== undefined && Object.keys(hooks).length === 0 && hooksBefore === undefined) delete settings.hooks
  return settings
}

const registeredEvents = (text: string | undefined): ReadonlyArray<string> =>
  Object.entries((meaning(text).hooks ?? {}) as Record<string, unknown>)
    .filter(([, groups]) => JSON.stringify(groups).includes("lint-ai"))
    .map(([event]) => event)

describe.each(awkwardSettings)("settings that are $name", ({ text, withoutRecord }) => {
  it.effect("come back byte for byte, and a second install changes nothing", () =>
    inProject((place) =>
      Effect.gen(function* () {
        put(place.local, text)
        yield* install(place)
        const installed = read(place.local)
        assert.deepStrictEqual([...registeredEvents(installed)].sort(), [...eventsFor(newest)].sort())
        assert.deepStrictEqual(meaningOfOthers(installed, text), meaning(text))

        const backups = fs.readdirSync(place.installs, { recursive: true })
        assert.deepStrictEqual(yield* install(place), [])
        assert.strictEqual(read(place.local), installed)
        assert.deepStrictEqual(fs.readdirSync(place.installs, { recursive: true }), backups)

        yield* uninstall(place)
        assert.strictEqual(read(place.local), text)
        assert.deepStrictEqual(fs.readdirSync(place.installs), [])
      })
    )
  )

  it.effect("come back with what somebody else added after install", () =>
    inProject((place) =>
      Effect.gen(function* () {
        put(place.local, text)
        yield* install(place)
        fs.appendFileSync(place.local, "// later\n")
        const [change] = yield* uninstall(place)
        assert.strictEqual(read(place.local)?.replace(/(\{\}\n)?\/\/ later\n$/, ""), text ?? "")
        assert.notStrictEqual(change?.backup, undefined)
      })
    )
  )

  it.effect("lose only our entries when the record of the install is gone", () =>
    inProject((place) =>
      Effect.gen(function* () {
        put(place.local, text)
        yield* install(place)
        fs.rmSync(place.installs, { recursive: true })
        yield* uninstall(place)
        assert.strictEqual(read(place.local), withoutRecord ?? text)
      })
    )
  )
})

describe("any settings", () => {
  it.effect.prop(
    "come back byte for byte, from the record and by cutting; a second install changes nothing",
    [anySettingsText],
    ([text]) =>
      inProject((place) =>
        Effect.gen(function* () {
          put(place.local, text)
          yield* install(place)
          const installed = read(place.local)
          assert.deepStrictEqual(meaningOfOthers(installed, text), meaning(text))
          assert.sameMembers([...registeredEvents(installed)], [...eventsFor(newest)])
          assert.deepStrictEqual(yield* install(place), [])
          assert.strictEqual(read(place.local), installed)

          yield* uninstall(place)
          assert.strictEqual(read(place.local), text)

          yield* install(place)
          assert.strictEqual(read(place.local), installed)
          fs.appendFileSync(place.local, "\n// later")
          yield* uninstall(place)
          assert.strictEqual(read(place.local), `${text}\n// later`)
        })
      ),
    { arbitrary: { runs: 100 } }
  )
})

describe("what is registered", () => {
  it("is what the table of hooks says, as far as the version knows it", () => {
    const all = Object.entries(claudeHooks).filter(([, row]) => row.install)
    assert.deepStrictEqual(
      eventsFor("2.1.332"),
      all.map(([event]) => event)
    )
    const old = all.filter(([, row]) => row.since === "2.1.197").map(([event]) => event)
    for (const version of [undefined, "2.1.197", "2.1.331", "2.0.9", "unknown"])
      assert.deepStrictEqual(eventsFor(version), old)
    assert.deepStrictEqual(eventsFor("2.1.332 (Claude Code)"), eventsFor("3.0.0"))
    for (const gate of ["WorktreeCreate", "MessageDisplay", "InstructionsLoaded"])
      assert.notInclude(eventsFor(newest), gate)
  })

  it.effect("has no matcher, an absolute command and a timeout of its own, SessionEnd too", () =>
    inProject((place) =>
      Effect.gen(function* () {
        yield* install(place)
        const hooks = meaning(read(place.local)).hooks as Record<string, unknown>
        for (const event of eventsFor(newest)) {
          assert.deepStrictEqual(hooks[event], [{ hooks: [{ type: "command", command, timeout: 10 }] }])
        }
      })
    )
  )

  it.effect("in the file of all colleagues is what every supported version knows", () =>
    inProject((place) =>
      Effect.gen(function* () {
        yield* install(place, { scope: "project", agentVersion: newest })
        assert.sameMembers([...registeredEvents(read(place.shared))], [...eventsFor(oldestVersion)])
      })
    )
  )

  it.effect("comes after the hooks of others", () =>
    inProject((place) =>
      Effect.gen(function* () {
        put(place.local, `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"first"}]}]}}`)
        yield* install(place)
        const stop = (meaning(read(place.local)).hooks as Record<string, ReadonlyArray<Group>>).Stop
        assert.deepStrictEqual(
          stop?.map((group) => JSON.stringify(group.hooks).includes("first")),
          [true, false]
        )
      })
    )
  )
})

describe("a second install", () => {
  it.effect("corrects the command of a binary that moved, where it stands", () =>
    inProject((place) =>
      Effect.gen(function* () {
        const old = { file: "/old place/lint-ai", args: [] }
        put(place.local, `{\n  "model": "opus"\n}\n`)
        yield* install(place, { program: old })
        const before = read(place.local)
        assert.include(before, "'/old place/lint-ai' hook claude")
        yield* install(place)
        assert.strictEqual(read(place.local), before?.replaceAll("'/old place/lint-ai' hook claude || exit 0", command))
        yield* uninstall(place)
        assert.strictEqual(read(place.local), `{\n  "model": "opus"\n}\n`)
      })
    )
  )

  it.effect("keeps one backup, of what was there before the first", () =>
    inProject((place) =>
      Effect.gen(function* () {
        put(place.local, "{ }")
        const [first] = yield* install(place)
        const [second] = yield* install(place, { program: { file: "/other/lint-ai", args: [] } })
        assert.strictEqual(read(first?.backup ?? ""), "{ }")
        assert.strictEqual(second?.backup, undefined)
        assert.strictEqual(fs.statSync(first?.backup ?? "").mode & 0o777, 0o600)
      })
    )
  )

  it.effect("adds the events of a newer agent and removes those that an older one does not know", () =>
    inProject((place) =>
      Effect.gen(function* () {
        const start = `{\n  "hooks": {\n    "PreModelSwitch": [ ]\n  }\n}\n`
        put(place.local, start)
        yield* install(place, { agentVersion: oldestVersion })
        const old = read(place.local)
        assert.notInclude(registeredEvents(old), "PreModelSwitch")
        yield* install(place, { agentVersion: newest })
        assert.include(registeredEvents(read(place.local)), "PreModelSwitch")
        yield* install(place, { agentVersion: undefined })
        assert.include(registeredEvents(read(place.local)), "PreModelSwitch")
        yield* install(place, { agentVersion: oldestVersion })
        assert.strictEqual(read(place.local), old)
        yield* uninstall(place)
        assert.strictEqual(read(place.local), start)
      })
    )
  )

  it.effect("leaves what a person changed in our entries", () =>
    inProject((place) =>
      Effect.gen(function* () {
        yield* install(place)
        const edited = (read(place.local) ?? "")
          .replace(`"timeout": 10`, `"timeout": 30, "statusMessage": "recording"`)
          .replace(
            `"command": "${command}"`,
            `"command": "LINT_AI_HOOK_TIMEOUT_MS=500 /gone/lint-ai hook claude 2>>log"`
          )
        put(place.local, edited)
        assert.deepStrictEqual(yield* install(place), [])
        assert.strictEqual(read(place.local), edited)
        yield* uninstall(place)
        assert.strictEqual(read(place.local), undefined)
      })
    )
  )

  it.effect("removes an entry that stands twice", () =>
    inProject((place) =>
      Effect.gen(function* () {
        yield* install(place)
        const once = read(place.local)
        put(
          place.local,
          once?.replace(
            `"Stop": [`,
            `"Stop": [ { "hooks": [ { "type": "command", "command": "/old/lint-ai hook claude", "timeout": 10 } ] },`
          )
        )
        yield* install(place)
        assert.deepStrictEqual(meaning(read(place.local)), meaning(once))
      })
    )
  )

  it.effect("finds entries of a program that is not called lint-ai by its record", () =>
    inProject((place) =>
      Effect.gen(function* () {
        yield* install(place, { program: { file: "/opt/recorder", args: [] } })
        yield* install(place)
        assert.notInclude(read(place.local), "recorder")
        yield* uninstall(place)
        assert.strictEqual(read(place.local), undefined)
      })
    )
  )
})

describe("uninstall", () => {
  it.effect("takes nothing out of other tools' hooks, also in a group with ours", () =>
    inProject((place) =>
      Effect.gen(function* () {
        yield* install(place)
        const shared = (read(place.local) ?? "").replace(
          `"hooks": [\n          {`,
          `"hooks": [\n          { "type": "command", "command": "lint-other hook claude" },\n          {`
        )
        put(place.local, shared)
        yield* uninstall(place)
        const hooks = meaning(read(place.local)).hooks as Record<string, unknown>
        assert.deepStrictEqual(Object.values(hooks), [
          [{ hooks: [{ type: "command", command: "lint-other hook claude" }] }]
        ])
      })
    )
  )

  it.effect("without anything of ours changes nothing", () =>
    inProject((place) =>
      Effect.gen(function* () {
        put(place.local, `{"hooks":{}}`)
        assert.deepStrictEqual(yield* uninstall(place), [])
        assert.strictEqual(read(place.local), `{"hooks":{}}`)
        assert.isFalse(fs.existsSync(place.installs))
      })
    )
  )

  it.effect("cuts when the backup was damaged", () =>
    inProject((place) =>
      Effect.gen(function* () {
        put(place.local, `{"a":1}`)
        const [change] = yield* install(place)
        put(change?.backup ?? "", "garbage")
        yield* uninstall(place)
        assert.strictEqual(read(place.local), `{"a":1}`)
      })
    )
  )

  it.effect("covers the files of the project, and the user's own only when named", () =>
    inProject((place) =>
      Effect.gen(function* () {
        const user = path.join(place.directory, "home", ".claude", "settings.json")
        for (const scope of ["local", "project", "user"] as const) yield* install(place, { scope })
        const removed = yield* uninstall(place)
        assert.deepStrictEqual(
          removed.map((change) => [change.path, change.outcome]),
          [
            [place.local, "removed"],
            [place.shared, "removed"]
          ]
        )
        assert.isTrue(fs.existsSync(user))
        yield* uninstall(place, { scope: "user" })
        assert.isFalse(fs.existsSync(user))
      })
    )
  )
})

describe("files", () => {
  it.effect("behind a link are written through it and keep their mode", () =>
    inProject((place) =>
      Effect.gen(function* () {
        const real = path.join(place.directory, "dotfiles.json")
        fs.writeFileSync(real, "{}")
        fs.chmodSync(real, 0o640)
        fs.symlinkSync("../../dotfiles.json", place.local)
        const plan = yield* claudeInstaller.planInstall({ project: place.project, scope: "local", program })
        assert.deepStrictEqual(plan.notes, [`${place.local} is a link: the settings are in ${real}.`])
        yield* applyPlan(plan)
        assert.isTrue(fs.lstatSync(place.local).isSymbolicLink())
        assert.include(read(real), command)
        assert.strictEqual(fs.statSync(real).mode & 0o777, 0o640)
        yield* uninstall(place)
        assert.strictEqual(read(real), "{}")
        assert.isTrue(fs.lstatSync(place.local).isSymbolicLink())
      })
    )
  )

  it.effect("that a link names but nobody made are made there", () =>
    inProject((place) =>
      Effect.gen(function* () {
        const real = path.join(place.directory, "later", "settings.json")
        fs.symlinkSync(real, place.local)
        yield* install(place)
        assert.include(read(real), command)
        yield* uninstall(place)
        assert.isFalse(fs.existsSync(real))
        assert.isTrue(fs.lstatSync(place.local).isSymbolicLink())
      })
    )
  )

  it.effect("are private, but for the one that colleagues read", () =>
    inProject((place) =>
      Effect.gen(function* () {
        fs.rmSync(path.dirname(place.local), { recursive: true })
        yield* install(place, { scope: "project" })
        yield* install(place)
        const modes = [path.dirname(place.shared), place.shared, place.local].map(
          (file) => fs.statSync(file).mode & 0o777
        )
        assert.deepStrictEqual(modes, [0o755, 0o644, 0o600])
      })
    )
  )

  it.effect("that colleagues share never hold a path of this machine, under whatever name they are given", () =>
    inProject((place) =>
      Effect.gen(function* () {
        for (const options of [
          { scope: "project" },
          { settingsFile: place.shared },
          { scope: "user", settingsFile: place.shared }
        ] as const) {
          yield* install(place, options)
          assert.include(read(place.shared), sharedHookCommand("claude"))
          assert.notInclude(read(place.shared), place.directory)
          assert.notInclude(read(place.shared), program.file)
          yield* uninstall(place)
        }
        fs.mkdirSync(path.dirname(place.shared), { recursive: true })
        put(place.shared, "{}")
        fs.symlinkSync("settings.json", place.local)
        yield* install(place)
        assert.notInclude(read(place.shared), program.file)
      })
    )
  )

  it.effect("of the user are found where CLAUDE_CONFIG_DIR says", () =>
    inProject(
      (place) =>
        Effect.gen(function* () {
          yield* install(place, { scope: "user" })
          assert.include(read(path.join(place.directory, "elsewhere", "settings.json")), command)
        }),
      { CLAUDE_CONFIG_DIR: "elsewhere" }
    )
  )

  it.effect("are not touched by a plan", () =>
    inProject((place) =>
      Effect.gen(function* () {
        put(place.local, "{}")
        const before = fs.readdirSync(place.directory, { recursive: true })
        const plan = yield* claudeInstaller.planInstall({ project: place.project, scope: "local", program })
        assert.strictEqual(plan.files[0]?.changes.length, eventsFor(undefined).length)
        assert.isTrue(plan.files[0]?.changes.includes("add SessionStart"))
        assert.deepStrictEqual(fs.readdirSync(place.directory, { recursive: true }), before)
        assert.strictEqual(read(place.local), "{}")
      })
    )
  )
})

describe("files that Claude Code leaves aside", () => {
  const ignored: ReadonlyArray<[name: string, text: string]> = [
    ["a comment", `{ /* mine */ "model": "opus" }`],
    ["a trailing comma", `{ "model": "opus", }`],
    ["an event that is no list", `{"hooks":{"Mine":{}}}`],
    ["a group without handlers", `{"hooks":{"Stop":[{"matcher":"x"}]}}`],
    ["a handler that is no object", `{"hooks":{"Stop":[{"hooks":[1]}]}}`]
  ]
  it.effect.each(ignored)("for %s are named in the plan and in the status", ([, text]) =>
    inProject((place) =>
      Effect.gen(function* () {
        put(place.local, text)
        const options = { project: place.project, program, agentVersion: newest }
        const plan = yield* claudeInstaller.planInstall({ ...options, scope: "local" })
        assert.include(plan.notes.join(), `The hooks will not run before ${place.local} is corrected`)
        yield* applyPlan(plan)
        const { files, missing } = yield* claudeInstaller.status(options)
        assert.include(files[0]?.problem, place.local)
        assert.strictEqual(files[0]?.hooks.length, eventsFor(newest).length)
        assert.deepStrictEqual(missing, eventsFor(newest))
      })
    )
  )

  it.effect("are not those with a byte order mark, CRLF, unknown events, or nothing in them", () =>
    inProject((place) =>
      Effect.gen(function* () {
        for (const text of [`\uFEFF{"x":1,\r\n"hooks":{"Mine":[]}}\r\n`, "", "\n"]) {
          put(place.local, text)
          const plan = yield* claudeInstaller.planInstall({ project: place.project, scope: "local", program })
          assert.deepStrictEqual(plan.notes, [])
        }
      })
    )
  )
})

describe("nothing is written", () => {
  const refused: ReadonlyArray<[name: string, text: string, tag: string, says: string]> = [
    ["text that is no JSON", `{\n  "a": 1\n  "b": 2\n}`, "SettingsUnreadable", "line 3, column 3: comma expected"],
    ["half a file", `{"hooks": {"Stop": [`, "SettingsUnreadable", "Correct the file"],
    ["a list", "[]", "SettingsUnexpected", "the file is an array where the agent expects an object"],
    ["hooks as a list", `{"hooks": []}`, "SettingsUnexpected", "hooks is an array"],
    ["hooks as null", `{"hooks": null}`, "SettingsUnexpected", "hooks is null"],
    [
      "an event as text",
      `{"hooks": {"Stop": "x"}}`,
      "SettingsUnexpected",
      "hooks.Stop is a string where the agent expects an array"
    ]
  ]
  it.effect.each(refused)("to %s", ([, text, tag, says]) =>
    inProject((place) =>
      Effect.gen(function* () {
        put(place.local, text)
        const error = yield* Effect.flip(install(place))
        assert.strictEqual(error._tag, tag)
        assert.include(error.message, says)
        assert.include(error.message, place.local)
        assert.strictEqual(read(place.local), text)
        assert.isFalse(fs.existsSync(place.installs))
      })
    )
  )

  it.effect("to text that is not UTF-8", () =>
    inProject((place) =>
      Effect.gen(function* () {
        fs.writeFileSync(place.local, Buffer.from("fffe7b007d00", "hex"))
        assert.strictEqual((yield* Effect.flip(install(place)))._tag, "SettingsUnreadable")
      })
    )
  )

  it.effect("where a directory is in the place of the file", () =>
    inProject((place) =>
      Effect.gen(function* () {
        fs.mkdirSync(place.local)
        assert.strictEqual((yield* Effect.flip(install(place)))._tag, "SettingsNotAFile")
      })
    )
  )

  it.effect("where links lead in a circle", () =>
    inProject((place) =>
      Effect.gen(function* () {
        fs.symlinkSync("settings.local.json", place.local)
        const error = yield* Effect.flip(install(place))
        assert.include(error.message, "ELOOP")
      })
    )
  )

  it.effect("when somebody wrote the file after the plan was made", () =>
    inProject((place) =>
      Effect.gen(function* () {
        yield* install(place, { scope: "project" })
        yield* install(place)
        const plan = yield* claudeInstaller.planUninstall({ project: place.project })
        const local = read(place.local)
        fs.appendFileSync(place.shared, "\n")
        const error = yield* Effect.flip(applyPlan(plan))
        assert.strictEqual(error._tag, "SettingsChanged")
        assert.include(error.message, place.shared)
        assert.strictEqual(read(place.local), local)
      })
    )
  )

  it.effect.each(["backup", "record", "settings"])("when the disk is full at the %s", (at) =>
    inProject((place) =>
      Effect.gen(function* () {
        put(place.local, "{ }")
        const disk = yield* Disk
        const isAt = (file: string) =>
          file.startsWith(place.installs)
            ? at === (path.basename(file).startsWith("record.json") ? "record" : "backup")
            : at === "settings"
        const full = Layer.succeed(Disk, {
          ...disk,
          withFile: (file, mode, use) =>
            mode === "new" && isAt(file)
              ? Effect.fail(new DiskError({ operation: "open", path: file, code: "ENOSPC" }))
              : disk.withFile(file, mode, use)
        })
        const error = yield* Effect.flip(install(place).pipe(Effect.provide(full)))
        assert.include(error.message, "ENOSPC")
        assert.strictEqual(read(place.local), "{ }")
        assert.deepStrictEqual(fs.readdirSync(path.dirname(place.local)), ["settings.local.json"])

        yield* install(place)
        yield* uninstall(place)
        assert.strictEqual(read(place.local), "{ }")
      })
    )
  )

  it.effect("for a program without an absolute path", () =>
    inProject((place) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(install(place, { program: { file: "lint-ai", args: [] } }))
        assert.strictEqual(error._tag, "HookProgramUnusable")
      })
    )
  )
})

describe("status", () => {
  const status = (place: Place, file: string, agentVersion = newest) =>
    claudeInstaller.status({ project: place.project, program: { file, args: [] }, agentVersion })

  it.effect("says what each file registers and whether the program is there", () =>
    inProject((place) =>
      Effect.gen(function* () {
        const binary = path.join(place.directory, "bin", "lint-ai")
        fs.mkdirSync(path.dirname(binary))
        fs.writeFileSync(binary, "")
        const nothing = yield* status(place, binary)
        assert.deepStrictEqual(nothing.missing, eventsFor(newest))
        assert.deepStrictEqual(
          nothing.files.map((file) => [file.scope, file.exists, file.hooks.length]),
          [
            ["local", false, 0],
            ["project", false, 0],
            ["user", false, 0]
          ]
        )

        yield* install(place, { program: { file: binary, args: [] } })
        const installed = yield* status(place, binary)
        assert.deepStrictEqual(installed.missing, [])
        const hooks = installed.files[0]?.hooks ?? []
        assert.deepStrictEqual(
          [...new Set(hooks.map((hook) => `${hook.state} ${hook.program}`))],
          [`current ${binary}`]
        )

        const other = path.join(place.directory, "bin", "lint-ai-2")
        fs.writeFileSync(other, "")
        const elsewhere = yield* status(place, other)
        assert.strictEqual(elsewhere.files[0]?.hooks[0]?.state, "other")

        const older = yield* status(place, binary, oldestVersion)
        assert.deepStrictEqual(
          older.files[0]?.hooks.filter((hook) => hook.state === "unwanted").map((hook) => hook.event),
          ["PreModelSwitch", "PostModelSwitch"]
        )

        fs.rmSync(binary)
        const gone = yield* status(place, other)
        assert.strictEqual(gone.files[0]?.hooks[0]?.state, "missing")
        assert.strictEqual(gone.files[0]?.hooks[0]?.program, undefined)
      })
    )
  )

  it.effect("looks for the shared form on PATH, and names events that two files register", () =>
    Effect.gen(function* () {
      const bin = yield* temporaryDirectory
      fs.writeFileSync(path.join(bin, "lint-ai"), "")
      yield* inProject(
        (place) =>
          Effect.gen(function* () {
            yield* install(place, { scope: "project" })
            const shared = yield* status(place, program.file)
            assert.strictEqual(shared.files[1]?.hooks[0]?.state, "current")
            assert.strictEqual(shared.files[1]?.hooks[0]?.program, path.join(bin, "lint-ai"))
            assert.deepStrictEqual([shared.repeated, shared.missing], [[], []])
            yield* install(place)
            const both = yield* status(place, program.file)
            assert.deepStrictEqual([both.repeated, both.missing], [eventsFor(oldestVersion), []])
          }),
        { PATH: `relative:${bin}` }
      )
    })
  )

  it.effect("tells of a file that cannot be read and of hooks that are switched off", () =>
    inProject((place) =>
      Effect.gen(function* () {
        put(place.local, "{")
        put(place.shared, `{"disableAllHooks": true}`)
        const found = yield* status(place, program.file)
        assert.include(found.files[0]?.problem, "is no JSON at line 1")
        assert.deepStrictEqual(found.hooksOffIn, [place.shared])
      })
    )
  )
})

describe("the test's own reader", () => {
  it("agrees with JSON.parse", () => {
    for (const { text } of awkwardSettings) {
      const plain = stripComments(text ?? "")
        .replace(/^\uFEFF/, "")
        .replace(/,(?=\s*[\]}])/g, "")
        .trim()
      assert.deepStrictEqual(meaning(text), JSON.parse(plain || "{}"))
    }
  })
})
