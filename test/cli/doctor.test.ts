import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Check } from "../../src/cli/doctor/Check.ts"
import { Processes } from "../../src/platform/Processes.ts"
import { deliver, start } from "../support/claudeDeliveries.ts"
import { runCommand } from "../support/cli.ts"
import { machineOf, newUser, recordingUser, type TestUser } from "../support/recording.ts"

/** Writes a file, with its directories. */
const write = (file: string, content: unknown, mode = 0o600) => {
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  fs.writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content), { mode })
}

/** A program as an agent's is: it tells its version, and what else it is told to. */
const placeAgent = (user: TestUser, name: string, script: string) =>
  write(path.join(user.directory, "bin", name), `#!/bin/sh\n${script}\n`, 0o755)

const hostOf = (user: TestUser, env: Readonly<Record<string, string>> = {}) => ({
  env: { ...user.env, PATH: `${path.join(user.directory, "bin")}:/usr/bin:/bin`, ...env }
})

const doctor = (user: TestUser, env: Readonly<Record<string, string>> = {}) =>
  Effect.map(runCommand(user, ["doctor", "--json"], { host: hostOf(user, env) }), (run) => {
    const { checks } = JSON.parse(run.out) as { readonly checks: ReadonlyArray<Check> }
    return { ...run, checks }
  })

/** The checks of one name that want something done, as `what was found -> what to do`. */
const troubles = (checks: ReadonlyArray<Check>, name: string): ReadonlyArray<string> =>
  checks
    .filter((check) => check.name === name && (check.state === "fail" || check.state === "warn"))
    .map((check) => `${check.found} -> ${check.remedy}`)

const claudeHooks = (command: string, events: ReadonlyArray<string>, timeout = 10) => ({
  hooks: Object.fromEntries(events.map((event) => [event, [{ hooks: [{ type: "command", command, timeout }] }]]))
})

describe("doctor", () => {
  it.live("names Codex hooks that are not trusted, and how to trust them", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const file = path.join(user.project, ".codex/hooks.json")
      placeAgent(user, "lint-ai", "exit 0")
      yield* runCommand(user, ["install", "codex", "--yes"], { host: hostOf(user) })
      const foreign = troubles((yield* doctor(user)).checks, "Codex hooks")
      assert.strictEqual(foreign.length, 1, "what stands in a file that is not read is not to be installed again")
      assert.strictEqual(foreign[0]?.split(file).length, 2)
      assert.include(foreign[0], "does not trust this project")
      assert.isTrue(foreign[0]?.endsWith("-> lint-ai codex trust"))
      const unread = yield* runCommand(user, ["status"], { host: hostOf(user), columns: 200 })
      assert.include(
        unread.out,
        "installed and not trusted, so they do not run (lint-ai codex trust), in .codex/hooks.json"
      )

      write(path.join(user.home, ".codex/config.toml"), `[projects."${user.project}"]\ntrust_level = "trusted"\n`)
      const skipped = troubles((yield* doctor(user)).checks, "Codex hooks")
      assert.match(
        skipped[0] ?? "",
        /^SessionStart, .* and \d+ more not trusted, so the agent skips them -> lint-ai codex trust$/
      )

      const own = yield* runCommand(user, ["status"], { host: hostOf(user), columns: 200 })
      assert.include(own.out, "installed and not trusted, so they do not run (lint-ai codex trust)")

      fs.appendFileSync(
        path.join(user.home, ".codex/config.toml"),
        `[hooks.state."${file}:stop:0:0"]\ntrusted_hash = "sha256:${"0".repeat(64)}"\n`
      )
      const changed = troubles((yield* doctor(user)).checks, "Codex hooks")
      assert.include(changed, "Stop changed since you trusted it: the agent skips that -> lint-ai codex trust")
    })
  )

  it.live("names a lock whose owner has ended, and who takes it over", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      const lock = path.join(user.project, ".lint-ai/state.lock")
      const { self } = yield* Effect.provide(Processes, machineOf(user))
      // Above the largest pid of any system.
      write(lock, { token: "t", ...(yield* self), pid: 2 ** 30 })
      const { checks } = yield* doctor(user)
      const [found] = troubles(checks, "lock")
      assert.include(found, lock)
      assert.match(found ?? "", /which has ended -> nothing to do: .*sessions recover/)
    })
  )

  it.live("names what others can read, and the command that mends it", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      const directory = path.join(user.project, ".lint-ai")
      fs.chmodSync(path.join(directory, "state.json"), 0o644)
      const { checks, failure } = yield* doctor(user)
      assert.deepStrictEqual(troubles(checks, "modes"), [
        `1 path can be read by others, as ${directory}/state.json -> chmod -R go= ${directory}`
      ])
      assert.strictEqual(failure, "DoctorFoundFaults")
    })
  )

  it.live("names a key that others can read, which the next session mends, and takes a link for what it leads to", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      const keys = path.join(user.config, "keys.json")
      fs.chmodSync(keys, 0o644)
      assert.deepStrictEqual(troubles((yield* doctor(user)).checks, "key"), [
        `${keys} can be read by others (644) -> chmod 600 ${keys}`
      ])
      yield* deliver(user, "5f0d-session", [start])
      assert.deepStrictEqual(troubles((yield* doctor(user)).checks, "key"), [])

      const elsewhere = path.join(user.directory, "dotfiles.json")
      fs.renameSync(keys, elsewhere)
      fs.symlinkSync(elsewhere, keys)
      assert.deepStrictEqual(troubles((yield* doctor(user)).checks, "key"), [])
      fs.chmodSync(elsewhere, 0o640)
      assert.strictEqual(troubles((yield* doctor(user)).checks, "key").length, 1)
    })
  )

  it.live("tells keys that cannot be opened from damaged ones and from none", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      const keys = path.join(user.config, "keys.json")
      fs.rmSync(keys)
      fs.mkdirSync(keys)
      const [closed] = troubles((yield* doctor(user)).checks, "key")
      assert.include(closed, "cannot be opened (EISDIR) -> look at its owner and mode")
      fs.rmdirSync(keys)
      fs.writeFileSync(keys, "{", { mode: 0o600 })
      const [damaged] = troubles((yield* doctor(user)).checks, "key")
      assert.include(damaged, "backup")
    })
  )

  it.live("names a hook whose program is gone, by its path or from the PATH", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const gone = path.join(user.directory, "gone/lint-ai")
      write(
        path.join(user.project, ".claude/settings.local.json"),
        claudeHooks(`${gone} hook claude`, ["Stop", "SessionEnd"])
      )
      const byPath = troubles((yield* doctor(user)).checks, "Claude Code hooks")
      assert.include(byPath, `the program is gone: ${gone} hook claude -> lint-ai install claude`)

      yield* runCommand(user, ["install", "gemini", "--yes"], { host: hostOf(user) })
      const shared = troubles((yield* doctor(user)).checks, "Gemini CLI hooks")
      const settings = path.join(user.project, ".gemini/settings.json")
      assert.include(
        shared,
        `${settings} names lint-ai without a path, and it is not on the PATH -> npm install --global lint-ai`
      )
    })
  )

  it.live("names hooks that the agent would end before lint-ai ends itself", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const settings = path.join(user.project, ".claude/settings.local.json")
      placeAgent(user, "lint-ai", "exit 0")
      const command = `${path.join(user.directory, "bin/lint-ai")} hook claude`
      write(settings, claudeHooks(command, ["Stop", "SessionEnd"], 1))
      const [short] = troubles((yield* doctor(user)).checks, "Claude Code hooks").filter((one) =>
        one.startsWith("the agent ends")
      )
      // SessionEnd gives itself one second.
      assert.match(short ?? "", /^the agent ends Stop after 1000 ms, before lint-ai would give up itself/)
      assert.include(short, "LINT_AI_HOOK_TIMEOUT_MS")
      const { checks } = yield* doctor(user, { LINT_AI_HOOK_TIMEOUT_MS: "900" })
      assert.deepStrictEqual(
        troubles(checks, "Claude Code hooks").filter((one) => one.startsWith("the agent ends")),
        []
      )
    })
  )

  it.live("says which events other tools listen to as well", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* runCommand(user, ["install", "claude", "--yes"], { host: hostOf(user) })
      yield* runCommand(user, ["install", "antigravity", "--yes"], { host: hostOf(user) })
      const other = { type: "command", command: "notify-send done" }
      const add = (file: string, change: (settings: Record<string, Record<string, unknown>>) => void) => {
        const settings = JSON.parse(fs.readFileSync(file, "utf8"))
        change(settings)
        write(file, settings)
      }
      add(path.join(user.project, ".claude/settings.local.json"), (settings) => {
        settings.hooks = { ...settings.hooks, Stop: [settings.hooks?.Stop, { hooks: [other] }].flat() }
      })
      add(path.join(user.project, ".agents/hooks.json"), (settings) => {
        settings.notifier = { Stop: [other], PostToolUse: [{ matcher: "*", hooks: [other] }] }
      })
      const { checks } = yield* doctor(user)
      const found = checks.filter((check) => check.name.endsWith("of others")).map((check) => check.found)
      assert.match(found[0] ?? "", /^1 command of other tools at Stop, as in .*settings\.local\.json$/)
      assert.match(found[1] ?? "", /^2 commands of other tools at Stop, PostToolUse, as in .*hooks\.json$/)
    })
  )

  it.live("asks Antigravity CLI whether it has loaded the hooks", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const name = "Antigravity CLI hooks, as it says itself"
      const agy = (answer: string, code = 0) =>
        placeAgent(user, "agy", `case "$1" in --version) echo 1.5.14;; *) printf '%s' '${answer}'; exit ${code};; esac`)
      agy("[]")
      yield* runCommand(user, ["install", "antigravity", "--yes"], { host: hostOf(user) })
      assert.match(troubles((yield* doctor(user)).checks, name)[0] ?? "", /does not list lint-ai -> .*lint-ai install/)
      agy('{"hooks":[{"event":"Stop","command":"/opt/lint-ai/lint-ai hook antigravity Stop"}]}')
      const checkOf = (checks: ReadonlyArray<Check>) => checks.find((check) => check.name === name)?.state
      assert.strictEqual(checkOf((yield* doctor(user)).checks), "ok")
      agy("", 1)
      assert.strictEqual(checkOf((yield* doctor(user)).checks), "note")
    })
  )

  it.live("names events that the version of Claude Code does not know", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      placeAgent(user, "claude", "echo '2.1.197 (Claude Code)'")
      placeAgent(user, "lint-ai", "exit 0")
      const command = `${path.join(user.directory, "bin/lint-ai")} hook claude`
      write(path.join(user.project, ".claude/settings.local.json"), claudeHooks(command, ["Stop", "PreModelSwitch"]))
      const found = troubles((yield* doctor(user)).checks, "Claude Code hooks")
      assert.isTrue(found.some((one) => /registered for PreModelSwitch, which this version does not know/.test(one)))
      // Where the agent is not found, what it knows is not known, and hooks that it may know are not sent away.
      fs.rmSync(path.join(user.directory, "bin/claude"))
      const unknown = troubles((yield* doctor(user)).checks, "Claude Code hooks")
      assert.isFalse(unknown.some((one) => /does not know/.test(one)))
    })
  )

  it.live("is not needed to learn which agents are here and not recorded: init says so", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      for (const name of ["claude", "codex", "gemini"]) placeAgent(user, name, "echo 9.9.9")
      const first = yield* runCommand(user, ["init", "--yes"], { host: hostOf(user) })
      assert.include(first.out, "Recording is on. Work with Claude Code")
      assert.include(first.err, "Codex and Gemini CLI are here too, and not recorded:")
      // What it says does it.
      const commands = first.err.split("\n").flatMap((line) => /^ {2}lint-ai (.*)$/.exec(line)?.[1] ?? [])
      assert.lengthOf(commands, 2)
      for (const command of commands) yield* runCommand(user, [...command.split(" "), "--yes"], { host: hostOf(user) })
      const again = yield* runCommand(user, ["init", "--yes"], { host: hostOf(user) })
      assert.notInclude(again.err, "not recorded")
    })
  )

  it.live("asks all agents for their versions at once, as init does", () =>
    Effect.gen(function* () {
      for (const args of [
        ["doctor", "--json"],
        ["init", "--yes", "--json"]
      ]) {
        const user = yield* recordingUser
        const agents = ["claude", "codex", "gemini", "agy"]
        const all = agents.map((name) => `[ -e asked-${name} ]`).join(" && ")
        // Each answers only once all were asked.
        for (const name of agents) {
          const wait = `cd ${user.directory}; : > asked-${name}; until ${all}; do sleep 0.02; done`
          placeAgent(user, name, `${wait}; : > answered-${name}; echo 9.9.9`)
        }
        yield* runCommand(user, args, { host: hostOf(user) })
        for (const name of agents) {
          assert.isTrue(fs.existsSync(path.join(user.directory, `answered-${name}`)), `${args[0]} ${name}`)
        }
      }
    })
  )

  it.live("has one remedy for each fault, draws what --json tells, and fails when something does not work", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      const { checks, failure } = yield* doctor(user)
      assert.strictEqual(failure, "DoctorFoundFaults")
      for (const check of checks) {
        if (check.state === "fail" || check.state === "warn") assert.isNotEmpty(check.remedy, check.name)
      }
      const names = checks.map((check) => check.name)
      for (const name of ["program", "key", "redaction", "free space", "MCP server", "spool", "diagnostics", "locks"]) {
        assert.include(names, name)
      }
      const drawn = yield* runCommand(user, ["doctor"], { host: hostOf(user) })
      for (const check of checks.filter((one) => one.name !== "diagnostics" && one.name !== "free space")) {
        assert.include(drawn.out, `${check.name}: ${check.found}`)
      }
    })
  )
})
