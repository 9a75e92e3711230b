import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Disk } from "../../src/platform/Disk.ts"
import { Host } from "../../src/platform/Host.ts"
import { claudeInstaller, eventsFor } from "../../src/providers/claude/install.ts"
import { applyPlan, type Scope } from "../../src/providers/ProviderInstaller.ts"
import { startFakeMessagesApi } from "../support/fakeMessagesApi.ts"
import { claudeVersions, installClaude, makeSandbox, runClaude, type Sandbox } from "./claude.ts"
import { lintAiJson, recordProject } from "./lintAi.ts"
import { scenarios } from "./scenarios.ts"

const thisHost = (sandbox: Sandbox) =>
  Layer.merge(Disk.layer, Host.layerTest({ env: sandbox.env, home: sandbox.env.HOME ?? "/", cwd: sandbox.project }))

/** A program at an awkward path that notes each delivery: its own arguments and the name of the event. */
const notingProgram = (directory: string, notes: string): string => {
  fs.mkdirSync(directory, { recursive: true })
  const file = path.join(directory, "lint-ai")
  const name = `sed -n 's/.*"hook_event_name":"\\([A-Za-z]*\\)".*/\\1/p'`
  fs.writeFileSync(file, `#!/bin/sh\nprintf '%s %s %s\\n' "$1" "$2" "$(${name})" >> '${notes}'\n`, { mode: 0o755 })
  return file
}

/** Settings that a person had before. */
const ownSettings = `{
  "hooks": {
    "Stop": [{ "hooks": [{ "type": "command", "command": "true" }] }]
  }
}
`

describe.each(claudeVersions)("Claude Code %s", (version) => {
  let claude = ""
  beforeAll(async () => {
    claude = await Effect.runPromise(installClaude(version))
  })

  it.live.each(["local", "project", "user"] as const)("runs what install writes in the scope %s", (scope: Scope) =>
    Effect.gen(function* () {
      const api = yield* startFakeMessagesApi(scenarios)
      const sandbox = yield* makeSandbox(api)
      const notes = path.join(sandbox.root, "notes")
      const directory = scope === "project" ? sandbox.bin : path.join(sandbox.root, `it's "a" $HOME\\path`)
      const program = { file: notingProgram(directory, notes), args: [] }
      const settings =
        scope === "user"
          ? path.join(sandbox.claudeHome, "settings.json")
          : path.join(sandbox.project, ".claude", scope === "local" ? "settings.local.json" : "settings.json")
      const original = scope === "user" ? "{}" : ownSettings
      fs.mkdirSync(path.dirname(settings), { recursive: true })
      fs.writeFileSync(settings, original)

      const options = { project: sandbox.project, scope, program, agentVersion: version }
      yield* Effect.provide(Effect.flatMap(claudeInstaller.planInstall(options), applyPlan), thisHost(sandbox))
      const present = yield* runClaude(claude, sandbox, { prompt: "scenario:commands" })
      assert.strictEqual(present.exitCode, 0, present.stderr)
      assert.strictEqual(present.stderr, "")
      const delivered = fs.readFileSync(notes, "utf8").trim().split("\n")
      const expected = [
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "Stop",
        "SessionEnd"
      ]
      for (const event of expected) assert.include(delivered, `hook claude ${event}`)
      assert.deepStrictEqual(
        delivered.filter((line) => !eventsFor(version).includes(line.split(" ")[2] ?? "")),
        []
      )

      fs.rmSync(program.file)
      const missing = yield* runClaude(claude, sandbox, { prompt: "scenario:commands" })
      assert.strictEqual(missing.exitCode, 0, missing.stderr)
      assert.strictEqual(missing.result.result, present.result.result)

      yield* Effect.provide(
        Effect.flatMap(claudeInstaller.planUninstall({ project: sandbox.project, scope }), applyPlan),
        thisHost(sandbox)
      )
      assert.strictEqual(fs.readFileSync(settings, "utf8"), original)
    })
  )

  it.live.each([
    ["a repository", ".git"],
    ["a directory", undefined]
  ] as const)("is recorded in %s below a project that is on, once init was run there, and not before", ([, git]) =>
    Effect.gen(function* () {
      const api = yield* startFakeMessagesApi(scenarios)
      const sandbox = yield* makeSandbox(api)
      const below = path.join(sandbox.project, "code", "shop")
      fs.mkdirSync(below, { recursive: true })
      if (git !== undefined) execFileSync("git", ["init", "--quiet", below])
      const there = { ...sandbox, project: below }
      const binary = yield* recordProject(sandbox, claude)
      const countIn = (place: Sandbox) =>
        Effect.map(
          lintAiJson(place, binary, "sessions", "list", "--project", place.project),
          (list) => list.sessions.length
        )
      assert.strictEqual((yield* runClaude(claude, there, { prompt: "scenario:hello" })).exitCode, 0)
      assert.deepStrictEqual([yield* countIn(sandbox), yield* countIn(there)], [0, 0])
      const { view } = yield* lintAiJson(there, binary, "init", "--yes")
      assert.strictEqual(view.project, below)
      assert.strictEqual((yield* runClaude(claude, there, { prompt: "scenario:hello" })).exitCode, 0)
      assert.deepStrictEqual([yield* countIn(sandbox), yield* countIn(there)], [0, 1])
    })
  )

  const written: ReadonlyArray<[name: string, edit: (text: string) => string]> = [
    ["a comment", (text) => text.replace("{", "{ // mine")],
    ["a trailing comma", (text) => text.replace(/\}\s*$/, ",}")],
    ["a byte order mark", (text) => `\uFEFF${text}`],
    ["CRLF", (text) => text.replaceAll("\n", "\r\n")]
  ]
  it.live.each(written)("runs hooks from settings with %s only where install does not warn", ([, edit]) =>
    Effect.gen(function* () {
      const api = yield* startFakeMessagesApi(scenarios)
      const sandbox = yield* makeSandbox(api)
      const notes = path.join(sandbox.root, "notes")
      const settings = path.join(sandbox.project, ".claude", "settings.local.json")
      fs.mkdirSync(path.dirname(settings))
      fs.writeFileSync(settings, edit(ownSettings))
      const program = { file: notingProgram(sandbox.bin, notes), args: [] }
      const options = { project: sandbox.project, scope: "local", program, agentVersion: version } as const
      const plan = yield* Effect.provide(claudeInstaller.planInstall(options), thisHost(sandbox))
      yield* Effect.provide(applyPlan(plan), thisHost(sandbox))
      yield* runClaude(claude, sandbox, { prompt: "scenario:hello" })
      assert.strictEqual(fs.existsSync(notes), plan.notes.length === 0)
    })
  )
})
