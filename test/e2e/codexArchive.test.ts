import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { testedVersion } from "../../src/providers/codex/install.ts"
import {
  type FakeResponsesApi,
  type ResponseScenario,
  type ResponseSent,
  responsesUsage,
  startFakeResponsesApi
} from "../support/fakeResponsesApi.ts"
import { fileHolds } from "../support/fileEvents.ts"
import { type Archive, filesUnder, openCalls, outline, readArchives } from "./archive.ts"
import {
  type CodexSandbox,
  dummyKey,
  hooksOf,
  installCodex,
  installLintAi,
  interruptCodex,
  lintAiJson,
  makeCodexSandbox,
  runCodex,
  trustAll
} from "./codex.ts"

const shell = (cmd: string, more: object = {}) => ({ name: "exec_command", args: { cmd, ...more } })
const patch = (...lines: ReadonlyArray<string>) => ({
  name: "apply_patch",
  input: `*** Begin Patch\n${lines.join("\n")}\n*** End Patch\n`
})

const scenarios = {
  hello: [{ text: "Hello there." }],
  commands: [
    { text: "One that works.", calls: [shell("echo fine")] },
    { calls: [shell("echo wrong >&2; exit 3")] },
    { calls: [patch("*** Add File: made.txt", "+one")] },
    { text: "Ran them." }
  ],
  errors: [
    { calls: [patch("*** Update File: none.txt", "@@", "-x", "+y")] },
    { calls: [{ name: "no_such_tool", args: { x: 1 } }] },
    { calls: [{ name: "exec_command", args: { x: 1 } }] },
    { calls: [{ name: "view_image", args: { path: "/none.png" } }] },
    { text: "All wrong." }
  ],
  parallel: [{ calls: [shell("sleep 0.2; echo one"), shell("echo two")] }, { text: "Both." }],
  agent: [
    {
      calls: [
        {
          name: "spawn_agent",
          namespace: "multi_agent_v1",
          args: { message: "scenario:scout Look around.", agent_type: "explorer" }
        }
      ]
    },
    { calls: [{ name: "wait_agent", namespace: "multi_agent_v1", args: { targets: ["AGENT"], timeout_ms: 30_000 } }] },
    { text: "Somebody came back." }
  ],
  scout: [{ calls: [shell("echo seen")] }, { text: "I report." }],
  left: [{ calls: [shell("sleep 30", { yield_time_ms: 300 })] }, { text: "It goes on." }],
  full: [{ calls: [shell("echo much")], inputTokens: 5_000_000 }, { text: "After it." }],
  refused: [{ error: { status: 400, message: "This was on purpose." } }],
  slow: [{ calls: [shell("touch started; sleep 60", { yield_time_ms: 30_000 })] }, { text: "I waited." }]
} as const satisfies Readonly<Record<string, ResponseScenario>>

interface User {
  readonly api: FakeResponsesApi
  readonly sandbox: CodexSandbox
}

let codex = ""
beforeAll(async () => {
  codex = await Effect.runPromise(installCodex)
})

const newUser = Effect.gen(function* () {
  const api = yield* startFakeResponsesApi(scenarios)
  return { api, sandbox: yield* makeCodexSandbox(api) } satisfies User
})

const recordingUser = Effect.gen(function* () {
  const user = yield* newUser
  yield* installLintAi(user.sandbox)
  assert.deepStrictEqual(yield* trustAll(codex, user.sandbox), [])
  return user
})

const onlyArchive = ({ sandbox }: User): Archive => {
  const archives = readArchives(sandbox.project, "codex")
  assert.strictEqual(archives.length, 1)
  return archives[0] as Archive
}

/** What happened without the model requests, which come between all else. */
const story = ({ events }: Archive): ReadonlyArray<string> =>
  outline(events).filter((phrase) => phrase !== "provider_event PreModelRequest")

/** What must hold of every recorded session, whatever happened in it. */
const assertSound = Effect.fnUntraced(function* (
  { api, sandbox }: User,
  archive: Archive,
  status: string,
  counted: ReadonlyArray<ResponseSent> = api.sent
) {
  const { events, manifest } = archive
  assert.deepStrictEqual(
    events.map((event) => event.sequence),
    events.map((_, index) => index + 1)
  )
  assert.strictEqual(manifest.status, status)
  assert.strictEqual(manifest.event_count, events.length)
  assert.strictEqual(manifest.provider_version, testedVersion)
  const verified = yield* lintAiJson(sandbox, "sessions", "verify", manifest.session_id)
  assert.strictEqual(verified.verdict, "complete")
  if (counted.length > 0) {
    assert.deepStrictEqual(manifest.usage?.["hook-payload"], responsesUsage(counted))
    assert.deepStrictEqual(manifest.usage?.["codex-transcript"], responsesUsage(counted))
  }
  const written = [
    path.join(sandbox.project, ".lint-ai"),
    sandbox.env.LINT_AI_STATE_DIR ?? "",
    sandbox.env.LINT_AI_CONFIG_DIR ?? ""
  ].flatMap(filesUnder)
  for (const { file, text } of written) {
    assert.notInclude(text, dummyKey, file)
    assert.notInclude(path.basename(file), "diagnostics", text)
  }
})

describe("Codex", () => {
  it.live("runs no hook before it is trusted, and says so when it is asked", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* installLintAi(user.sandbox)
      const sessions = path.join(user.sandbox.project, ".lint-ai", "codex-sessions")
      const { hooks } = yield* hooksOf(codex, user.sandbox)
      assert.deepStrictEqual(hooks, [], "an untrusted project has none")

      const config = path.join(user.sandbox.codexHome, "config.toml")
      const before = fs.readFileSync(config, "utf8")
      fs.appendFileSync(config, `\n[projects."${user.sandbox.project}"]\ntrust_level = "trusted"\n`)
      const listed = yield* hooksOf(codex, user.sandbox)
      assert.strictEqual(listed.hooks.length, 14)
      assert.deepStrictEqual([...new Set(listed.hooks.map((hook) => hook.trust))], ["untrusted"])
      yield* runCodex(codex, user.sandbox, { prompt: "scenario:hello Hello." })
      assert.deepStrictEqual(filesUnder(sessions), [])

      assert.deepStrictEqual(yield* trustAll(codex, user.sandbox), [])
      assert.isTrue(fs.readFileSync(config, "utf8").startsWith(before), "the user's own stays")
      yield* runCodex(codex, user.sandbox, { prompt: "scenario:hello Hello." })
      assert.deepStrictEqual(story(onlyArchive(user)), [
        "session_start startup",
        "user_prompt user",
        "assistant_message",
        "session_end other"
      ])
    })
  )

  it.live("wants a hook trusted again after its command was changed", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      const file = path.join(user.sandbox.project, ".codex", "hooks.json")
      fs.writeFileSync(file, fs.readFileSync(file, "utf8").replaceAll("lint-ai hook codex", "lint-ai hook codex "))
      const { hooks } = yield* hooksOf(codex, user.sandbox)
      assert.deepStrictEqual([...new Set(hooks.map((hook) => hook.trust))], ["modified"])
      assert.deepStrictEqual(yield* trustAll(codex, user.sandbox), [])
    })
  )

  it.live("is recorded with a command that works, one that fails, and a patch", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      const end = yield* runCodex(codex, user.sandbox, { prompt: "scenario:commands Run them." })
      assert.deepStrictEqual([end.exitCode, end.result.answer], [0, "Ran them."])
      const archive = onlyArchive(user)
      assert.deepStrictEqual(story(archive), [
        "session_start startup",
        "user_prompt user",
        "tool_call Bash",
        "tool_result Bash",
        "tool_call Bash",
        "tool_error Bash failed",
        "tool_call apply_patch",
        "tool_result apply_patch",
        "assistant_message",
        "session_end other"
      ])
      const failed = archive.events.find((event) => event.kind === "tool_error")
      assert.strictEqual(failed?.kind === "tool_error" && failed.payload.error, "Exit code 3\nwrong\n")
      assert.deepStrictEqual(openCalls(archive.events), [])
      assert.strictEqual(archive.manifest.session_id, `codex:${end.result.sessionId}`)
      yield* assertSound(user, archive, "completed")
    })
  )

  it.live("is recorded with the calls that were refused, which no hook tells of", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      yield* runCodex(codex, user.sandbox, { prompt: "scenario:errors Go wrong." })
      const archive = onlyArchive(user)
      assert.deepStrictEqual(story(archive), [
        "session_start startup",
        "user_prompt user",
        "tool_call apply_patch",
        "tool_error apply_patch invalid",
        "tool_error no_such_tool invalid",
        "tool_error Bash invalid",
        "tool_call view_image",
        "tool_error view_image failed",
        "assistant_message",
        "session_end other"
      ])
      assert.deepStrictEqual(openCalls(archive.events), [])
      yield* assertSound(user, archive, "completed")
    })
  )

  it.live("is recorded with calls at the same time", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      yield* runCodex(codex, user.sandbox, { prompt: "scenario:parallel Both." })
      const archive = onlyArchive(user)
      assert.deepStrictEqual(
        story(archive).filter((phrase) => phrase.startsWith("tool_")),
        ["tool_call Bash", "tool_call Bash", "tool_result Bash", "tool_result Bash"]
      )
      assert.deepStrictEqual(openCalls(archive.events), [])
      yield* assertSound(user, archive, "completed")
    })
  )

  it.live("is recorded with a subagent, whose usage is counted once", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      yield* runCodex(codex, user.sandbox, {
        prompt: "scenario:agent Send somebody.",
        flags: ["--model", "unknown-model"]
      })
      const archive = onlyArchive(user)
      const told = story(archive)
      for (const phrase of [
        "tool_call spawn_agent",
        "subagent_start",
        "user_prompt subagent",
        "tool_call Bash in subagent",
        "tool_result Bash in subagent",
        "subagent_stop",
        "tool_result multi_agent_v1wait_agent"
      ])
        assert.strictEqual(told.filter((one) => one === phrase).length, 1, `${phrase} in\n${told.join("\n")}`)
      assert.deepStrictEqual(openCalls(archive.events), [])
      const agents = archive.events.flatMap((event) =>
        event.kind === "turn_usage" && event.payload.source === "codex-transcript"
          ? event.payload.messages.map((message) => message.agent_id)
          : []
      )
      assert.strictEqual(agents.filter((agent) => agent !== undefined).length, 2)
      yield* assertSound(user, archive, "completed")
    })
  )

  it.live("continues its archive when it is resumed, twice, and begins another one when it is forked", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      const first = yield* runCodex(codex, user.sandbox, { prompt: "scenario:hello Hello." })
      const id = first.result.sessionId ?? ""
      for (const prompt of ["scenario:commands Run them.", "scenario:hello Hello."]) {
        const end = yield* runCodex(codex, user.sandbox, { prompt, of: ["resume", id] })
        assert.strictEqual(end.exitCode, 0, end.stderr)
      }
      const archive = onlyArchive(user)
      assert.deepStrictEqual(
        story(archive).filter((phrase) => !phrase.startsWith("tool_")),
        ["startup", "resume", "resume"].flatMap((source) => [
          `session_start ${source}`,
          "user_prompt user",
          "assistant_message",
          "session_end other"
        ])
      )
      yield* assertSound(user, archive, "completed")

      const before = user.api.sent.length
      const fork = yield* runCodex(codex, user.sandbox, { prompt: "scenario:commands Again.", of: ["fork", id] })
      const forked = readArchives(user.sandbox.project, "codex").find(
        (one) => one.manifest.session_id === `codex:${fork.result.sessionId}`
      )
      assert.isDefined(forked)
      assert.strictEqual(story(forked as Archive)[0], "session_start fork")
      yield* assertSound(user, forked as Archive, "completed", user.api.sent.slice(before))
    })
  )

  it.live("is recorded with a compaction", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      yield* runCodex(codex, user.sandbox, { prompt: "scenario:full Fill it." })
      const archive = onlyArchive(user)
      assert.deepStrictEqual(story(archive).slice(2, 7), [
        "tool_call Bash",
        "tool_result Bash",
        "compaction before",
        "compaction after",
        "session_start compact"
      ])
      yield* assertSound(user, archive, "completed")
    })
  )

  it.live("is recorded with a turn that the API refused", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      const end = yield* runCodex(codex, user.sandbox, { prompt: "scenario:refused Try." })
      assert.strictEqual(end.exitCode, 1)
      const archive = onlyArchive(user)
      assert.deepStrictEqual(story(archive), [
        "session_start startup",
        "user_prompt user",
        "provider_event PostModelRequest",
        "assistant_message failed",
        "session_end other"
      ])
      yield* assertSound(user, archive, "completed")
    })
  )

  it.live("is recorded with a command that it took along when it ended", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      yield* runCodex(codex, user.sandbox, { prompt: "scenario:left Leave it." })
      const archive = onlyArchive(user)
      assert.deepStrictEqual(story(archive).slice(2), [
        "tool_call Bash",
        "assistant_message",
        "tool_error Bash interrupted",
        "session_end other"
      ])
      yield* assertSound(user, archive, "completed")
    })
  )

  it.live("ends its session when it is interrupted in a command", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      const mark = path.join(user.sandbox.project, "started")
      const started = fileHolds(mark, () => fs.existsSync(mark))
      yield* interruptCodex(codex, user.sandbox, { prompt: "scenario:slow Wait." }, started)
      const archive = onlyArchive(user)
      assert.deepStrictEqual(story(archive), [
        "session_start startup",
        "user_prompt user",
        "tool_call Bash",
        "tool_error Bash interrupted",
        "provider_event Interrupt",
        "session_end other"
      ])
      yield* assertSound(user, archive, "completed")
    })
  )

  it.live("is recorded in a linked worktree, with the hooks of the main checkout", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const { project, root, env } = user.sandbox
      const git = (...args: ReadonlyArray<string>) =>
        execFileSync("git", ["-C", project, "-c", "user.name=a", "-c", "user.email=a@b", ...args], { env: { ...env } })
      git("init", "-q")
      git("commit", "-q", "--allow-empty", "-m", "x")
      const worktree = path.join(root, "tree")
      git("worktree", "add", "-q", worktree)
      yield* installLintAi({ ...user.sandbox, project: worktree })
      assert.deepStrictEqual(yield* trustAll(codex, user.sandbox, worktree), [])
      const { hooks } = yield* hooksOf(codex, user.sandbox, worktree)
      assert.deepStrictEqual(
        [...new Set(hooks.map((hook) => hook.source))],
        [path.join(project, ".codex", "hooks.json")]
      )
      yield* runCodex(codex, user.sandbox, { prompt: "scenario:hello Hello.", cwd: worktree })
      assert.strictEqual(readArchives(worktree, "codex").length, 1)
    })
  )

  it.live("is not recorded where nobody turned recording on", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      yield* lintAiJson(user.sandbox, "record", "stop", "codex")
      yield* runCodex(codex, user.sandbox, { prompt: "scenario:hello Hello." })
      assert.deepStrictEqual(filesUnder(path.join(user.sandbox.project, ".lint-ai", "codex-sessions")), [])
    })
  )
})
