import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { LockService } from "../../src/archive/LockService.ts"
import { archiveFiles } from "../../src/archive/sessionDirectory.ts"
import { Disk } from "../../src/platform/Disk.ts"
import { Host } from "../../src/platform/Host.ts"
import { Processes } from "../../src/platform/Processes.ts"
import { type FakeMessagesApi, type Scenario, startFakeMessagesApi } from "../support/fakeMessagesApi.ts"
import { assertSound, filesOfLintAi, type RecordingUser } from "./agreement.ts"
import { outline, readArchive } from "./archive.ts"
import { claudeVersions, installClaude, makeSandbox, type Result, runClaude, type Sandbox } from "./claude.ts"
import { lintAiJson, recordProject } from "./lintAi.ts"
import { bash, scenarios } from "./scenarios.ts"

const work: Scenario = [
  { text: "One that works.", tools: [bash("echo fine")] },
  { text: "One that fails.", tools: [bash("echo wrong >&2; exit 3")] },
  { text: "One that is denied.", tools: [{ name: "Write", input: { file_path: "out.txt", content: "x" } }] },
  { text: "That was all." }
]

/** All that the user and the model see of a session. */
const seen = (
  end: { readonly exitCode: number | null; readonly result: Result },
  api: FakeMessagesApi,
  at: Sandbox
) => ({
  exitCode: end.exitCode,
  result: end.result.result,
  isError: end.result.is_error,
  denials: end.result.permission_denials.length,
  requests: api.received.map(({ scenario, step }) => `${scenario} ${step}`),
  tools: toolBlocks(api).map((block) => block.replaceAll(at.root, ""))
})

/** The calls of tools and their results, as the last request tells them. */
const toolBlocks = (api: FakeMessagesApi): ReadonlyArray<string> =>
  (api.received.at(-1)?.body?.messages ?? [])
    .flatMap(({ content }) => (typeof content === "string" ? [] : content))
    .filter(({ type }) => type === "tool_use" || type === "tool_result")
    .map(({ type, name, input, content, is_error }) => JSON.stringify({ type, name, input, content, is_error }))

interface Installed {
  readonly sandbox: Sandbox
  readonly binary: string
}

/** Another program in the place of lint-ai. */
const replaceBy =
  (script: string, mode = 0o755) =>
  ({ binary }: Installed): void => {
    // Removed first: the file is shared with other tests.
    fs.rmSync(binary)
    fs.writeFileSync(binary, script, { mode })
  }

const lintAiDirectory = ({ sandbox }: Installed): string => path.join(sandbox.project, ".lint-ai")

const fileInPlaceOf = (directory: string): void => {
  fs.rmSync(directory, { recursive: true, force: true })
  fs.writeFileSync(directory, "no directory\n")
}

interface Fault {
  readonly break: (installed: Installed) => void
  /** Where lint-ai tells of it: in its diagnostics, or as the reason why it does not record. Nowhere when it does not even start. */
  readonly toldIn: "nowhere" | "diagnostics" | "status"
}

const faults: Readonly<Record<string, Fault>> = {
  "its binary is gone": { toldIn: "nowhere", break: ({ binary }) => fs.rmSync(binary) },
  "its binary may not be started": { toldIn: "nowhere", break: replaceBy("#!/bin/sh\n", 0o644) },
  "its binary is empty": { toldIn: "nowhere", break: replaceBy("") },
  "its binary is cut short": {
    toldIn: "nowhere",
    break: (installed) => {
      const beginning = fs.readFileSync(installed.binary).subarray(0, 1024 * 1024)
      replaceBy("")(installed)
      fs.writeFileSync(installed.binary, beginning)
    }
  },
  "its binary crashes": { toldIn: "nowhere", break: replaceBy("#!/bin/sh\nkill -SEGV $$\n") },
  "its binary fails": { toldIn: "nowhere", break: replaceBy("#!/bin/sh\necho 'It broke.' >&2\nexit 1\n") },
  "its binary knows no hooks": {
    toldIn: "nowhere",
    // As a program of another version may say it. For Claude Code it is the code of a hook that objects: it would block the prompt.
    break: replaceBy("#!/bin/sh\necho 'Unknown command: hook' >&2\nexit 2\n")
  },
  "its binary is a text that no shell understands": { toldIn: "nowhere", break: replaceBy('half ( "a script\n') },
  "its binary answers with half a document": {
    toldIn: "nowhere",
    break: replaceBy(`#!/bin/sh\ncat > /dev/null\nprintf '{"decision": "blo'\n`)
  },
  "its binary hangs": {
    toldIn: "nowhere",
    break: (installed) => {
      replaceBy("#!/bin/sh\nexec tail -f /dev/null\n")(installed)
      // The agent ends a hook after the time that install wrote; ten seconds each would make a long test.
      const settings = path.join(installed.sandbox.project, ".claude", "settings.local.json")
      fs.writeFileSync(settings, fs.readFileSync(settings, "utf8").replaceAll(/"timeout": \d+/g, '"timeout": 1'))
    }
  },
  "there is a file in the place of its sessions": {
    toldIn: "diagnostics",
    break: (installed) => fileInPlaceOf(path.join(lintAiDirectory(installed), "claude-sessions"))
  },
  "its state is damaged": {
    toldIn: "status",
    break: (installed) => fs.writeFileSync(path.join(lintAiDirectory(installed), "state.json"), '{"half":')
  },
  "the user's state directory is a file": {
    toldIn: "diagnostics",
    break: ({ sandbox }) => fileInPlaceOf(sandbox.env.LINT_AI_STATE_DIR ?? "")
  },
  "the user's key is gone": {
    toldIn: "status",
    break: ({ sandbox }) => fileInPlaceOf(sandbox.env.LINT_AI_CONFIG_DIR ?? "")
  }
}

/**
 * Makes it impossible to create a file in `.lint-ai`. The mode of a directory does not stop root, so root makes it immutable; where root may not
 * do that either (in most containers), other things stand in the places of what lint-ai would create.
 */
const seal = (directory: string): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.sync(() => {
        if (process.getuid?.() !== 0) {
          fs.chmodSync(directory, 0o500)
          return () => fs.chmodSync(directory, 0o700)
        }
        try {
          execFileSync("chattr", ["+i", directory], { stdio: "ignore" })
          return () => execFileSync("chattr", ["-i", directory])
        } catch {
          fileInPlaceOf(path.join(directory, "claude-sessions"))
          fs.mkdirSync(path.join(directory, "diagnostics.jsonl"))
          return () => undefined
        }
      }),
      (open) => Effect.sync(() => open())
    )
  )

/** The lines of diagnostics in the project or, where it cannot be written, in the user's own directory. */
const diagnosticsOf = (user: RecordingUser): ReadonlyArray<string> =>
  filesOfLintAi(user)
    .filter(({ file }) => path.basename(file) === "diagnostics.jsonl")
    .flatMap(({ text }) => text.trimEnd().split("\n"))

const locks = LockService.layer.pipe(
  Layer.provide(Processes.layer.pipe(Layer.provideMerge(Layer.mergeAll(Disk.layer, Host.layer))))
)

describe.each(claudeVersions)("Claude Code %s works as without lint-ai", (version) => {
  let claude = ""
  let without: ReturnType<typeof seen>

  const user = Effect.gen(function* () {
    const api = yield* startFakeMessagesApi({ ...scenarios, work })
    return { api, sandbox: yield* makeSandbox(api) }
  })

  beforeAll(async () => {
    claude = await Effect.runPromise(installClaude(version))
    without = await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const { api, sandbox } = yield* user
          return seen(yield* runClaude(claude, sandbox, { prompt: "scenario:work" }), api, sandbox)
        })
      )
    )
    assert.strictEqual(without.tools.length, 6)
    assert.strictEqual(without.result, "That was all.")
  })

  it.live("when it records", () =>
    Effect.gen(function* () {
      const { api, sandbox } = yield* user
      yield* recordProject(sandbox, claude)
      const end = yield* runClaude(claude, sandbox, { prompt: "scenario:work" })
      assert.deepStrictEqual(seen(end, api, sandbox), without)
      assert.strictEqual(end.stderr, "")
    })
  )

  it.live.each(Object.entries(faults))("when %s", ([, { break: breakIt, toldIn }]) =>
    Effect.gen(function* () {
      const { api, sandbox } = yield* user
      const binary = yield* recordProject(sandbox, claude)
      breakIt({ sandbox, binary })
      const end = yield* runClaude(claude, sandbox, { prompt: "scenario:work" })

      assert.deepStrictEqual(seen(end, api, sandbox), without)
      if (toldIn === "diagnostics") assert.isNotEmpty(diagnosticsOf({ api, sandbox, lintAi: binary }))
      if (toldIn === "status") assert.strictEqual((yield* lintAiJson(sandbox, binary, "status")).consent, "inert")
    })
  )

  it.live("when .lint-ai cannot be written", () =>
    Effect.gen(function* () {
      const { api, sandbox } = yield* user
      const binary = yield* recordProject(sandbox, claude)
      yield* seal(lintAiDirectory({ sandbox, binary }))
      const end = yield* runClaude(claude, sandbox, { prompt: "scenario:work" })

      assert.deepStrictEqual(seen(end, api, sandbox), without)
      assert.isNotEmpty(diagnosticsOf({ api, sandbox, lintAi: binary }))
    })
  )

  it.live("when nothing more can be written, and its archive stays whole", () =>
    Effect.gen(function* () {
      const { api, sandbox } = yield* user
      const binary = yield* recordProject(sandbox, claude)
      const first = yield* runClaude(claude, sandbox, { prompt: "scenario:hello" })
      const before = readArchive(sandbox.project)

      // As on a full disk, for lint-ai alone: every write fails, because no file may grow. 25 is the signal that would tell so.
      const whole = `${binary}-whole`
      fs.renameSync(binary, whole)
      fs.writeFileSync(binary, `#!/bin/sh\ntrap '' 25\nulimit -f 0\nexec '${whole}' "$@"\n`, { mode: 0o755 })
      const resume = ["--resume", first.result.session_id]
      const end = yield* runClaude(claude, sandbox, { prompt: "scenario:work", flags: resume })
      fs.renameSync(whole, binary)

      assert.deepStrictEqual(seen(end, api, sandbox), { ...without, requests: ["hello 0", ...without.requests] })
      assert.deepStrictEqual(readArchive(sandbox.project).events, before.events)
      yield* runClaude(claude, sandbox, { prompt: "scenario:hello", flags: resume })
      const archive = readArchive(sandbox.project)
      assert.deepStrictEqual(outline(archive.events.slice(before.events.length)), [
        "session_start resume",
        "user_prompt user",
        "assistant_message",
        "session_end other"
      ])
      yield* assertSound({ api, sandbox, lintAi: binary }, archive, "completed")
    })
  )

  it.live("when another process holds the lock, and loses no event", () =>
    Effect.gen(function* () {
      const { api, sandbox } = yield* user
      const binary = yield* recordProject(sandbox, claude)
      const first = yield* runClaude(claude, sandbox, { prompt: "scenario:hello" })
      const before = readArchive(sandbox.project)

      // Less than the two seconds that each hook would wait for the lock.
      const env = { ...sandbox.env, LINT_AI_HOOK_TIMEOUT_MS: "500" }
      const session = { prompt: "scenario:work", flags: ["--resume", first.result.session_id] }
      const locked = yield* LockService
      const end = yield* locked.hold(
        archiveFiles(before.directory).lock,
        1000,
        runClaude(claude, { ...sandbox, env }, session)
      )
      assert.deepStrictEqual(seen(end, api, sandbox), { ...without, requests: ["hello 0", ...without.requests] })
      assert.deepStrictEqual(readArchive(sandbox.project).events, before.events)

      // The next hook that gets the lock brings in what waits, and reads the usage from where it was last read.
      yield* runClaude(claude, sandbox, { ...session, prompt: "scenario:hello" })
      const archive = readArchive(sandbox.project)
      assert.deepStrictEqual(outline(archive.events).slice(outline(before.events).length), [
        "session_start resume",
        "user_prompt user",
        "tool_call Bash",
        "tool_result Bash",
        "tool_call Bash",
        "tool_error Bash failed",
        "tool_call Write",
        ...(version === "2.1.197" ? [] : ["provider_event PermissionRequest"]),
        "tool_error Write denied",
        "assistant_message",
        "provider_event recording_gap", // says that what stands before it came late
        "session_end other",
        "session_start resume",
        "user_prompt user",
        "assistant_message",
        "session_end other"
      ])
      yield* assertSound({ api, sandbox, lintAi: binary }, archive, "completed")
    }).pipe(Effect.provide(locks))
  )
})
