import { spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { inject } from "vitest"
import { LockService } from "../../src/archive/LockService.ts"
import { sessionsRoot } from "../../src/archive/sessionDirectory.ts"
import { Processes } from "../../src/platform/Processes.ts"
import {
  claudeArchive,
  compiledHook,
  diagnosticsOf,
  enableRecording,
  machineOf,
  manifestOf,
  newUser,
  nodeHook,
  recordingUser,
  runHook,
  snapshot,
  strictEvents,
  type TestUser,
  userIn
} from "../support/recording.ts"

const program = () => compiledHook(inject("builtProgram"))

const payload = (user: TestUser, name: string, more: Record<string, unknown> = {}) => ({
  session_id: "s",
  hook_event_name: "UserPromptSubmit",
  cwd: user.project,
  prompt_id: name,
  prompt: name,
  ...more
})

/** Runs the hook, which must not be noticed whatever happens. */
const deliver = (user: TestUser, given: unknown, env: Record<string, string | undefined> = {}, args = ["claude"]) => {
  const all = Object.entries({ ...user.env, ...env }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined
  )
  const end = runHook(program(), { project: user.project, env: Object.fromEntries(all) }, given, args)
  assert.deepStrictEqual([end.status, end.stdout, end.stderr], [0, "", ""])
}

/** The prompts in an archive. What the archive adds of its own (a gap, say) is not ours to test here. */
const prompts = (user: TestUser, id = "s"): ReadonlyArray<string> =>
  strictEvents(claudeArchive(user, id).events).flatMap((event) =>
    event.kind === "user_prompt" ? [event.payload.text] : []
  )
const lines = (user: TestUser) => diagnosticsOf(user).map(({ tag, event, detail }) => [tag, event, detail])
const lintAi = (user: TestUser) => path.join(user.project, ".lint-ai")
const archives = (user: TestUser): ReadonlyArray<string> => {
  const root = sessionsRoot(user.project, "claude")
  return fs.existsSync(root) ? fs.readdirSync(root).filter((name) => !name.startsWith(".")) : []
}

const test = (sentence: string, body: (user: TestUser) => Effect.Effect<unknown, unknown>) =>
  it.live(sentence, () => Effect.flatMap(recordingUser, body))
const check = (sentence: string, body: (user: TestUser) => void) =>
  test(sentence, (user) => Effect.sync(() => body(user)))

describe("a hook that is not for us", () => {
  check("of an unknown agent leaves a line and nothing else", (user) => {
    deliver(user, payload(user, "a"), {}, ["copilot"])
    deliver(user, payload(user, "a"), {}, [])
    deliver(user, payload(user, "a"), {}, [`${"x".repeat(500)}`])
    assert.deepStrictEqual(
      diagnosticsOf(user).map(({ tag, provider }) => [tag, provider]),
      [
        ["UnknownProvider", "copilot"],
        ["UnknownProvider", ""],
        ["UnknownProvider", "x".repeat(32)]
      ]
    )
    assert.deepStrictEqual(archives(user), [])
  })

  check("in a child of lint-ai itself does nothing", (user) => {
    const before = snapshot(user.directory)
    deliver(user, payload(user, "a"), { LINT_AI_DISABLE_HOOKS: "1" })
    assert.deepStrictEqual(snapshot(user.directory), before)
    deliver(user, payload(user, "a"), { LINT_AI_DISABLE_HOOKS: "0" })
    assert.deepStrictEqual(prompts(user), ["a"])
  })

  it.live("in a project that is off creates nothing anywhere", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const before = snapshot(user.directory)
      deliver(user, payload(user, "a"))
      deliver(user, payload(user, "b"), { CLAUDE_PROJECT_DIR: undefined })
      deliver(user, { session_id: "s", hook_event_name: "SessionEnd", reason: "other" })
      assert.deepStrictEqual(snapshot(user.directory), before)
      // What goes wrong in it stays out of it.
      deliver(user, "no JSON")
      assert.deepStrictEqual(fs.readdirSync(user.project), [])
      assert.deepStrictEqual(lines(user), [["PayloadNotJson", undefined, "7 bytes that are no JSON"]])
    })
  )

  it.live("in a project whose .lint-ai came from another user changes nothing", () =>
    Effect.gen(function* () {
      const owner = yield* recordingUser
      deliver(owner, payload(owner, "a"))
      const other = userIn(owner.directory, "other")
      fs.cpSync(lintAi(owner), lintAi(other), { recursive: true })
      // The other user has a key and projects too.
      const own = { ...other, project: path.join(other.home, "own") }
      fs.mkdirSync(own.project)
      yield* enableRecording(own)
      const before = snapshot(owner.directory)
      deliver(other, payload(other, "b"))
      deliver(other, payload(other, "b"), { CLAUDE_PROJECT_DIR: undefined })
      assert.deepStrictEqual(snapshot(owner.directory), before)
    })
  )

  test("in a copy of one's own project changes nothing", (user) =>
    Effect.sync(() => {
      const copy = path.join(user.directory, "copy")
      fs.cpSync(user.project, copy, { recursive: true })
      const before = snapshot(user.directory)
      deliver(user, payload(user, "a", { cwd: copy }), { CLAUDE_PROJECT_DIR: copy })
      assert.deepStrictEqual(snapshot(user.directory), before)
    }))

  for (const [what, change, told] of [
    ["was edited", (text: string) => text.replace('"memory": false', '"memory": true'), []],
    ["is no JSON", () => "{", ["StateUnreadable"]],
    [
      "is of a later version",
      (text: string) => text.replace('"schema_version": 1', '"schema_version": 2'),
      ["StateUnreadable"]
    ]
  ] as const) {
    check(`in a project whose state ${what} changes nothing there, and tells the user what cannot be read`, (user) => {
      const file = path.join(lintAi(user), "state.json")
      const text = fs.readFileSync(file, "utf8")
      assert.notStrictEqual(change(text), text)
      fs.writeFileSync(file, change(text))
      const before = snapshot(user.project)
      deliver(user, payload(user, "a"))
      assert.deepStrictEqual(snapshot(user.project), before)
      assert.deepStrictEqual(
        lines(user).map(([tag]) => tag),
        [...told]
      )
    })
  }
})

describe("an event that this version does not know", () => {
  check("is kept as an event of the provider", (user) => {
    deliver(user, payload(user, "a", { hook_event_name: "MoonPhase", phase: "full" }))
    const [event] = strictEvents(claudeArchive(user, "s").events)
    assert.strictEqual(event?.kind, "provider_event")
    assert.deepInclude(event?.payload, { name: "MoonPhase" })
    assert.include(JSON.stringify(event), '"phase":"full"')
    assert.deepStrictEqual(lines(user), [])
  })

  check("with the name of something else is kept too", (user) => {
    for (const name of ["constructor", "__proto__", "toString", ""]) {
      deliver(user, payload(user, "a", { hook_event_name: name }))
    }
    const names = strictEvents(claudeArchive(user, "s").events).map((event) =>
      event.kind === "provider_event" ? event.payload.name : event.kind
    )
    assert.deepStrictEqual(names.slice(0, 3), ["constructor", "__proto__", "toString"])
  })
})

describe("a session without an id", () => {
  check("keeps the events of one transcript together, under a local id", (user) => {
    const without = (name: string, transcript: string) =>
      payload(user, name, { session_id: undefined, transcript_path: path.join(user.home, transcript) })
    deliver(user, without("a", "one.jsonl"))
    deliver(user, without("b", "one.jsonl"))
    deliver(user, without("c", "two.jsonl"))
    const found = archives(user).map((name) => {
      const directory = path.join(sessionsRoot(user.project, "claude"), name)
      const manifest = manifestOf(path.join(directory, "manifest.json"))
      assert.strictEqual(manifest.identity, "local")
      assert.match(manifest.session_id, /^claude:local-[0-9a-f]{16}$/)
      return strictEvents(path.join(directory, "events.jsonl")).length
    })
    assert.deepStrictEqual(found.sort(), [1, 2])
  })

  check("and without a transcript keeps those of one agent process together", (user) => {
    for (const name of ["a", "b"]) {
      deliver(user, payload(user, name, { session_id: "" }), { CLAUDE_PID: String(process.pid) })
    }
    const [name = "", ...others] = archives(user)
    assert.deepStrictEqual(others, [])
    assert.strictEqual(strictEvents(path.join(sessionsRoot(user.project, "claude"), name, "events.jsonl")).length, 2)
  })
})

describe("a session whose id is awkward", () => {
  const ids: ReadonlyArray<readonly [what: string, id: string]> = [
    ["leads out of the directory", "../../x"],
    ["is two dots", ".."],
    ["has 300 characters", "x".repeat(300)],
    ["has 300 other characters", `${"x".repeat(299)}y`],
    ["is in upper case", "ABC"],
    ["is in lower case", "abc"],
    ["is half of a pair", "\ud800"],
    ["is the other half of a pair", "\udc00"],
    ["has a NUL byte", "a\u0000b"],
    ["has line breaks", "a\nb\r"],
    ["is a device of Windows", "con"],
    ["is long and wide", "😀".repeat(200)]
  ]
  test("has a directory of its own inside of the project, and its id in the manifest", (user) =>
    Effect.sync(() => {
      for (const [what, id] of ids) {
        deliver(user, payload(user, what, { session_id: id }))
        assert.deepStrictEqual(prompts(user, id), [what])
        const manifest = manifestOf(claudeArchive(user, id).manifest)
        assert.strictEqual(manifest.session_id, `claude:${id}`)
        assert.strictEqual(manifest.identity, "provider")
      }
      assert.strictEqual(archives(user).length, ids.length)
      assert.deepStrictEqual(lines(user), [])
      assert.deepStrictEqual(fs.readdirSync(user.directory), ["user"])
      assert.deepStrictEqual(fs.readdirSync(user.project), [".lint-ai"])
    }))
})

describe("the project of a session", () => {
  check("is the agent's word for it, wherever the agent works", (user) => {
    const elsewhere = path.join(user.directory, "elsewhere")
    fs.mkdirSync(elsewhere)
    deliver(user, payload(user, "a", { cwd: elsewhere }))
    assert.deepStrictEqual(prompts(user), ["a"])
    assert.deepStrictEqual(fs.readdirSync(elsewhere), [])
  })

  check("stays that of its first event when the agent changes directory and does not tell its project", (user) => {
    const env = { CLAUDE_PROJECT_DIR: undefined }
    const inside = path.join(user.project, "src", "deep")
    const elsewhere = path.join(user.directory, "elsewhere")
    for (const directory of [inside, elsewhere]) fs.mkdirSync(directory, { recursive: true })
    deliver(user, payload(user, "a", { cwd: inside }), env)
    deliver(user, payload(user, "b", { cwd: elsewhere }), env)
    deliver(user, payload(user, "c", { cwd: path.join(user.directory, "gone") }), env)
    assert.deepStrictEqual(prompts(user), ["a", "b", "c"])
    assert.deepStrictEqual(fs.readdirSync(elsewhere), [])
    // Another session that begins there has nothing to do with the project.
    deliver(user, payload(user, "d", { cwd: elsewhere, session_id: "t" }), env)
    assert.deepStrictEqual(archives(user), ["claude-s"])
  })

  check("is found from a directory that was removed under the hook", (user) => {
    const gone = path.join(user.project, "gone")
    fs.mkdirSync(gone)
    // The compiled program does not come so far: Bun itself refuses to start without a working directory.
    const hook = nodeHook(inject("builtProgram"))
    const end = spawnSync("/bin/sh", ["-c", 'cd "$0" && rmdir "$0" && exec "$@"', gone, ...hook, "hook", "claude"], {
      env: user.env,
      encoding: "utf8",
      input: JSON.stringify(payload(user, "a", { cwd: gone }))
    })
    assert.deepStrictEqual([end.status, end.stdout, end.stderr], [0, "", ""])
    assert.deepStrictEqual(prompts(user), ["a"])
  })
})

describe("a link where lint-ai writes", () => {
  const elsewhere = (user: TestUser) => {
    const directory = path.join(user.directory, "elsewhere")
    fs.mkdirSync(directory, { recursive: true })
    return directory
  }
  /** Moves what is there away and puts a link to it in its place. */
  const linkTo = (user: TestUser, file: string) => {
    const target = path.join(elsewhere(user), "target")
    if (fs.existsSync(file)) fs.renameSync(file, target)
    else fs.mkdirSync(target)
    fs.symlinkSync(target, file)
  }
  const unsafe: ReadonlyArray<readonly [what: string, file: (user: TestUser) => string]> = [
    ["the directory of all sessions", (user) => sessionsRoot(user.project, "claude")],
    ["the directory of the session", (user) => claudeArchive(user, "s").directory],
    ["the log", (user) => claudeArchive(user, "s").events]
  ]
  for (const [what, file] of unsafe) {
    check(`in the place of ${what} is refused`, (user) => {
      deliver(user, payload(user, "a"))
      linkTo(user, file(user))
      const before = snapshot(elsewhere(user))
      deliver(user, payload(user, "b"))
      assert.deepStrictEqual(snapshot(elsewhere(user)), before)
      const [[tag, event, detail] = []] = lines(user)
      assert.deepStrictEqual([tag, event], ["UnsafePath", "UserPromptSubmit"])
      assert.include(detail, `${file(user)} is a symlink`)
      assert.isTrue(fs.existsSync(path.join(lintAi(user), "diagnostics.jsonl")), "the project's own diagnostics")
    })
  }

  for (const what of ["manifest", "checkpoint"] as const) {
    check(`in the place of the ${what} is replaced and not followed`, (user) => {
      deliver(user, payload(user, "a"))
      linkTo(user, claudeArchive(user, "s")[what])
      const before = snapshot(elsewhere(user))
      deliver(user, payload(user, "b"))
      assert.deepStrictEqual(snapshot(elsewhere(user)), before)
      assert.deepStrictEqual(prompts(user), ["a", "b"])
      assert.isTrue(fs.lstatSync(claudeArchive(user, "s")[what]).isFile())
    })
  }

  check("in the place of .lint-ai makes the project inert", (user) => {
    deliver(user, payload(user, "a"))
    linkTo(user, lintAi(user))
    const before = snapshot(user.directory)
    deliver(user, payload(user, "b"))
    assert.deepStrictEqual(snapshot(user.directory), before)
  })

  check("in the place of the diagnostics sends them to the user's directory", (user) => {
    const target = path.join(elsewhere(user), "diagnostics")
    fs.writeFileSync(target, "")
    fs.symlinkSync(target, path.join(lintAi(user), "diagnostics.jsonl"))
    fs.writeFileSync(sessionsRoot(user.project, "claude"), "a file")
    deliver(user, payload(user, "a"))
    assert.strictEqual(fs.readFileSync(target, "utf8"), "")
    assert.strictEqual(fs.readFileSync(path.join(user.state, "diagnostics.jsonl"), "utf8").split("\n").length, 2)
  })
})

describe("a disk on which the hook cannot write", () => {
  check("because a file stands where a directory should be leaves a line in the project", (user) => {
    fs.writeFileSync(sessionsRoot(user.project, "claude"), "a file")
    deliver(user, payload(user, "a"))
    assert.deepStrictEqual(
      lines(user).map(([tag, event]) => [tag, event]),
      [["DiskError", "UserPromptSubmit"]]
    )
    assert.isTrue(fs.existsSync(path.join(lintAi(user), "diagnostics.jsonl")))
  })

  check("at the user's own directories still records", (user) => {
    fs.rmSync(user.state, { recursive: true, force: true })
    fs.writeFileSync(user.state, "a file")
    deliver(user, payload(user, "a"))
    assert.deepStrictEqual(prompts(user), ["a"])
    const [[tag, , detail] = []] = lines({ ...user, state: user.directory })
    assert.strictEqual(tag, "DiskError")
    assert.include(detail, "after the event was stored")
  })

  check("because the session's directory is read-only leaves a line in the project, and the log as it was", (user) => {
    deliver(user, payload(user, "a"))
    const { directory, events } = claudeArchive(user, "s")
    const before = fs.readFileSync(events)
    // No mode keeps out root, as whom the tests may run; a flag of the file system does, where it has one.
    fs.chmodSync(directory, 0o500)
    spawnSync("chattr", ["+i", directory])
    try {
      if (canWrite(directory)) return
      deliver(user, payload(user, "b"))
      assert.deepStrictEqual(fs.readFileSync(events), before)
      assert.deepStrictEqual(
        lines(user).map(([tag, event]) => [tag, event]),
        [["DiskError", "UserPromptSubmit"]]
      )
      assert.isTrue(fs.existsSync(path.join(lintAi(user), "diagnostics.jsonl")))
    } finally {
      spawnSync("chattr", ["-i", directory])
      fs.chmodSync(directory, 0o700)
    }
    deliver(user, payload(user, "b"))
    assert.deepStrictEqual(prompts(user), ["a", "b"])
  })
})

const canWrite = (directory: string): boolean => {
  const probe = path.join(directory, "probe")
  try {
    fs.writeFileSync(probe, "")
    fs.rmSync(probe)
    return true
  } catch {
    return false
  }
}

describe("a lock that the hook does not get", () => {
  const held = (user: TestUser, use: () => void) =>
    Effect.flatMap(LockService, (locks) => locks.hold(claudeArchive(user, "s").lock, 0, Effect.sync(use))).pipe(
      Effect.provide(machineOf(user))
    )

  test("sends the event to the spool within the time, and the next hook takes it along", (user) =>
    Effect.gen(function* () {
      deliver(user, payload(user, "a"))
      yield* held(user, () => deliver(user, payload(user, "b"), { LINT_AI_HOOK_TIMEOUT_MS: "400" }))
      assert.deepStrictEqual(prompts(user), ["a"])
      assert.deepStrictEqual(fs.readdirSync(claudeArchive(user, "s").spool).length, 1)
      deliver(user, payload(user, "c"))
      assert.deepStrictEqual(prompts(user), ["a", "b", "c"])
      assert.deepStrictEqual(fs.readdirSync(claudeArchive(user, "s").spool), [])
    }))

  test("is had at once when its owner was killed, by whatever process came to its pid", (user) =>
    Effect.gen(function* () {
      deliver(user, payload(user, "a"))
      const processes = yield* Processes
      const self = yield* processes.self
      // This process lives, and is not the one that took the lock.
      fs.writeFileSync(
        claudeArchive(user, "s").lock,
        JSON.stringify({ token: "t", ...self, start: String(Number(self.start) - 1) })
      )
      deliver(user, payload(user, "b"))
      assert.deepStrictEqual(prompts(user), ["a", "b"])
    }).pipe(Effect.provide(machineOf(user))))

  test("of a hook that was stopped while it held it holds nobody up for longer than the time", (user) =>
    Effect.gen(function* () {
      deliver(user, payload(user, "a"))
      const child = spawn("/bin/sleep", ["60"])
      child.kill("SIGSTOP")
      const owner = yield* Effect.flatMap(Processes, (processes) => processes.identify(child.pid ?? 0))
      fs.writeFileSync(claudeArchive(user, "s").lock, JSON.stringify({ token: "t", ...owner }))
      deliver(user, payload(user, "b"), { LINT_AI_HOOK_TIMEOUT_MS: "400" })
      assert.deepStrictEqual(prompts(user), ["a"])
      const ended = Effect.callback<void>((resume) => {
        child.on("close", () => resume(Effect.void))
        child.kill("SIGKILL")
      })
      yield* ended
      deliver(user, payload(user, "c"))
      assert.deepStrictEqual(prompts(user), ["a", "b", "c"])
    }).pipe(Effect.provide(machineOf(user))))
})

describe("modes that are wider than they should be", () => {
  check("are repaired by the next hook", (user) => {
    deliver(user, payload(user, "a"))
    const { directory, events, manifest } = claudeArchive(user, "s")
    const root = sessionsRoot(user.project, "claude")
    for (const wide of [lintAi(user), root, directory]) fs.chmodSync(wide, 0o755)
    for (const wide of [events, manifest]) fs.chmodSync(wide, 0o644)
    deliver(user, payload(user, "b"))
    for (const repaired of [lintAi(user), root, directory]) {
      assert.strictEqual(fs.statSync(repaired).mode & 0o777, 0o700, repaired)
    }
    for (const repaired of [events, manifest]) {
      assert.strictEqual(fs.statSync(repaired).mode & 0o777, 0o600, repaired)
    }
  })
})
