import * as fs from "node:fs"
import * as path from "node:path"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { registeredEvents } from "../../src/providers/gemini/install.ts"
import {
  type FakeGeminiApi,
  type GeminiScenario,
  type GeminiSent,
  geminiUsage,
  startFakeGeminiApi
} from "../support/fakeGeminiApi.ts"
import { fileHolds } from "../support/fileEvents.ts"
import { type Archive, filesUnder, openCalls, outline, readArchives } from "./archive.ts"
import {
  dummyKey,
  type GeminiSandbox,
  installGemini,
  interruptGemini,
  lintAiJson,
  makeGeminiSandbox,
  recordProject,
  registerHooks,
  runGemini
} from "./gemini.ts"

const shell = (command: string) => ({ name: "run_shell_command", args: { command, description: "A command" } })
const readFile = (file_path: string) => ({ name: "read_file", args: { file_path } })

const scenarios = {
  hello: [{ text: ["Hel", "lo", " the", "re."] }],
  commands: [
    { thought: "First one that works.", text: "One that works.", calls: [shell("echo fine")] },
    { text: ["One ", "that ", "fails."], calls: [shell("echo wrong >&2; exit 3")] },
    { text: ["Ran ", "both", "."] }
  ],
  errors: [
    { text: "A missing file.", calls: [readFile("missing.txt")] },
    {
      text: "Two that cannot be.",
      calls: [
        { name: "no_such_tool", args: { x: 1 } },
        { name: "read_file", args: {} }
      ]
    },
    { text: "Three errors." }
  ],
  parallel: [
    { text: "Two at once.", calls: [readFile("one.txt"), readFile("two.txt")] },
    { text: "The same again.", calls: [readFile("one.txt")] },
    { text: "Read all." }
  ],
  agent: [
    {
      text: "I send somebody.",
      calls: [{ name: "invoke_agent", args: { agent_name: "generalist", prompt: "scenario:scout Look around." } }]
    },
    { text: "Somebody came back." }
  ],
  scout: [
    { text: "I look.", calls: [readFile("one.txt")] },
    { text: "I report.", calls: [{ name: "complete_task", args: { result: { response: "There is one." } } }] }
  ],
  refused: [{ error: { status: 400, message: "This was on purpose." } }],
  asked: [
    { text: "I look.", calls: [{ name: "mcp_lint-ai_lint_ai_status", args: {} }] },
    { text: "I start it.", calls: [{ name: "mcp_lint-ai_record_session", args: { action: "start" } }] },
    { text: "I work.", calls: [readFile("one.txt")] },
    { text: "It is on." }
  ],
  slow: [{ text: "I wait.", calls: [shell("echo started; touch started; sleep 60")] }, { text: "I waited." }]
} as const satisfies Readonly<Record<string, GeminiScenario>>

interface User {
  readonly api: FakeGeminiApi
  readonly sandbox: GeminiSandbox
}

let gemini = ""
beforeAll(async () => {
  gemini = await Effect.runPromise(installGemini)
})

const recordingUser = Effect.gen(function* () {
  const api = yield* startFakeGeminiApi(scenarios)
  const sandbox = yield* makeGeminiSandbox(api)
  fs.writeFileSync(path.join(sandbox.project, "one.txt"), "one\n")
  fs.writeFileSync(path.join(sandbox.project, "two.txt"), "two\n")
  yield* recordProject(sandbox)
  return { api, sandbox } satisfies User
})

const onlyArchive = ({ sandbox }: User): Archive => {
  const archives = readArchives(sandbox.project, "gemini")
  assert.strictEqual(archives.length, 1)
  return archives[0] as Archive
}

/** What must hold of every recorded session, whatever happened in it. */
const assertSound = Effect.fnUntraced(function* (
  { api, sandbox }: User,
  archive: Archive,
  status: string,
  counted: ReadonlyArray<GeminiSent> = api.sent
) {
  const { events, manifest } = archive
  assert.deepStrictEqual(
    events.map((event) => event.sequence),
    events.map((_, index) => index + 1)
  )
  const list = yield* lintAiJson(sandbox, "sessions", "list")
  assert.deepStrictEqual(
    list.sessions.map((session: typeof manifest) => [session.session_id, session.status, session.event_count]),
    [[manifest.session_id, status, events.length]]
  )
  const verified = yield* lintAiJson(sandbox, "sessions", "verify", manifest.session_id)
  assert.strictEqual(verified.verdict, "complete")
  assert.deepStrictEqual(manifest.usage?.["gemini-transcript"] ?? geminiUsage([]), geminiUsage(counted))
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

const answers = ({ events }: Archive): ReadonlyArray<string> =>
  events.flatMap((event) => (event.kind === "assistant_message" ? [event.payload.text] : []))

describe("Gemini CLI", () => {
  it.live("delivers every hook that lint-ai registers and that a session without a terminal has", () =>
    Effect.gen(function* () {
      const api = yield* startFakeGeminiApi(scenarios)
      const sandbox = yield* makeGeminiSandbox(api)
      const deliveries = path.join(sandbox.root, "deliveries.jsonl")
      const hook = { type: "command", command: `cat >> '${deliveries}'; echo >> '${deliveries}'` }
      const settings = path.join(sandbox.geminiHome, "settings.json")
      const hooks = Object.fromEntries(registeredEvents.map((event) => [event, [{ hooks: [hook] }]]))
      fs.writeFileSync(settings, JSON.stringify({ ...JSON.parse(fs.readFileSync(settings, "utf8")), hooks }))
      const end = yield* runGemini(gemini, sandbox, { prompt: "scenario:commands Go." })
      assert.strictEqual(end.exitCode, 0, end.stderr)
      const told = new Set(
        fs
          .readFileSync(deliveries, "utf8")
          .split("\n")
          .filter((line) => line !== "")
          .map((line) => JSON.parse(line).hook_event_name)
      )
      // A permission is asked for at a terminal only.
      assert.sameMembers([...told], registeredEvents.filter((event) => event !== "Notification") as Array<string>)
    })
  )

  it.live("is recorded with a command that works and one that fails", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      const end = yield* runGemini(gemini, user.sandbox, { prompt: "scenario:commands Run them." })
      assert.deepStrictEqual([end.exitCode, end.result.response], [0, "Ran both."])
      const archive = onlyArchive(user)
      assert.deepStrictEqual(outline(archive.events), [
        "session_start startup",
        "user_prompt user",
        "tool_call run_shell_command",
        "tool_result run_shell_command",
        "tool_call run_shell_command",
        "tool_error run_shell_command failed",
        "assistant_message",
        "session_end exit"
      ])
      // The hook has it garbled, for it came in pieces.
      assert.deepStrictEqual(answers(archive), ["Ran both."])
      assert.deepStrictEqual(openCalls(archive.events), [])
      yield* assertSound(user, archive, "completed")
    })
  )

  it.live("is recorded with the calls that no hook told of", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      yield* runGemini(gemini, user.sandbox, { prompt: "scenario:errors Go wrong." })
      const archive = onlyArchive(user)
      assert.deepStrictEqual(outline(archive.events), [
        "session_start startup",
        "user_prompt user",
        "tool_call read_file",
        "tool_error read_file failed",
        "tool_call no_such_tool",
        "tool_error no_such_tool invalid",
        "tool_call read_file",
        "tool_error read_file invalid",
        "assistant_message",
        "session_end exit"
      ])
      assert.deepStrictEqual(openCalls(archive.events), [])
      yield* assertSound(user, archive, "completed")
    })
  )

  it.live("is recorded with calls at the same time and equal calls after one another", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      yield* runGemini(gemini, user.sandbox, { prompt: "scenario:parallel Read." })
      const archive = onlyArchive(user)
      const kinds = archive.events.map((event) => event.kind)
      assert.strictEqual(kinds.filter((kind) => kind === "tool_call").length, 3)
      assert.strictEqual(kinds.filter((kind) => kind === "tool_result").length, 3)
      assert.deepStrictEqual(openCalls(archive.events), [])
      assert.deepStrictEqual(answers(archive), ["Read all."])
      yield* assertSound(user, archive, "completed")
    })
  )

  it.live("is recorded with the usage of a sub-agent", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      yield* runGemini(gemini, user.sandbox, { prompt: "scenario:agent Send somebody." })
      const archive = onlyArchive(user)
      assert.deepStrictEqual(outline(archive.events), [
        "session_start startup",
        "user_prompt user",
        "tool_call invoke_agent",
        "tool_call read_file",
        "tool_result read_file",
        "tool_call complete_task",
        "tool_result complete_task",
        "tool_result invoke_agent",
        "assistant_message",
        "session_end exit"
      ])
      assert.deepStrictEqual(openCalls(archive.events), [])
      const messages = archive.events.flatMap((event) => (event.kind === "turn_usage" ? event.payload.messages : []))
      assert.deepStrictEqual(
        messages.map((message) => message.agent_id !== undefined),
        [false, false, true, true]
      )
      yield* assertSound(user, archive, "completed")
    })
  )

  it.live("continues its archive when it is resumed, twice", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      const first = yield* runGemini(gemini, user.sandbox, { prompt: "scenario:hello Hello." })
      const id = first.result.session_id ?? ""
      for (const prompt of ["scenario:commands Run them.", "scenario:hello Hello."]) {
        const end = yield* runGemini(gemini, user.sandbox, { prompt, flags: ["--resume", id] })
        assert.strictEqual(end.exitCode, 0, end.stderr)
      }
      const archive = onlyArchive(user)
      assert.deepStrictEqual(
        outline(archive.events).filter((phrase) => !phrase.startsWith("tool_")),
        ["startup", "resume", "resume"].flatMap((source) => [
          `session_start ${source}`,
          "user_prompt user",
          "assistant_message",
          "session_end exit"
        ])
      )
      assert.deepStrictEqual(answers(archive), ["Hello there.", "Ran both.", "Hello there."])
      yield* assertSound(user, archive, "completed")
    })
  )

  it.live("is incomplete when the API refuses: it then runs no further hook", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      const end = yield* runGemini(gemini, user.sandbox, { prompt: "scenario:refused Try." })
      assert.notStrictEqual(end.exitCode, 0)
      const archive = onlyArchive(user)
      assert.deepStrictEqual(outline(archive.events), ["session_start startup", "user_prompt user"])
      yield* assertSound(user, archive, "incomplete")
    })
  )

  it.live("ends its session when it is interrupted in a command", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      const started = fileHolds(path.join(user.sandbox.project, "started"), () =>
        fs.existsSync(path.join(user.sandbox.project, "started"))
      )
      yield* interruptGemini(gemini, user.sandbox, { prompt: "scenario:slow Wait." }, started)
      const archive = onlyArchive(user)
      assert.deepStrictEqual(outline(archive.events), [
        "session_start startup",
        "user_prompt user",
        "tool_call run_shell_command",
        "session_end exit"
      ])
      assert.strictEqual(openCalls(archive.events).length, 1)
      yield* assertSound(user, archive, "completed")
    })
  )

  it.live("is recorded from the moment that the agent is asked to start it", () =>
    Effect.gen(function* () {
      const api = yield* startFakeGeminiApi(scenarios)
      const sandbox = yield* makeGeminiSandbox(api)
      fs.writeFileSync(path.join(sandbox.project, "one.txt"), "one\n")
      yield* registerHooks(sandbox, ["mcp", "policy"])
      const end = yield* runGemini(gemini, sandbox, { prompt: "scenario:asked Record this session." })
      assert.deepStrictEqual([end.exitCode, end.result.response], [0, "It is on."])
      const archive = onlyArchive({ api, sandbox })
      assert.strictEqual(archive.manifest.joined, "mid-session")
      assert.deepStrictEqual(outline(archive.events), [
        "tool_result mcp_lint-ai_record_session",
        "tool_call read_file",
        "tool_result read_file",
        "assistant_message",
        "session_end exit"
      ])
      yield* assertSound({ api, sandbox }, archive, "completed", api.sent.slice(2))
    })
  )

  it.live("is recorded with both answers when another hook sends the first one back", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      const settings = path.join(user.sandbox.geminiHome, "settings.json")
      const once = path.join(user.sandbox.root, "once")
      const command = `test -e '${once}' || { touch '${once}'; echo 'scenario:hello Once more.' >&2; exit 2; }`
      const read = JSON.parse(fs.readFileSync(settings, "utf8"))
      read.hooks.AfterAgent.push({ hooks: [{ type: "command", command }] })
      fs.writeFileSync(settings, JSON.stringify(read))
      yield* runGemini(gemini, user.sandbox, { prompt: "scenario:commands Run them." })
      const archive = onlyArchive(user)
      assert.deepStrictEqual(
        outline(archive.events).filter((phrase) => !phrase.startsWith("tool_")),
        [
          "session_start startup",
          "user_prompt user",
          "assistant_message",
          "user_prompt user",
          "assistant_message",
          "session_end exit"
        ]
      )
      assert.deepStrictEqual(answers(archive), ["Ran both.", "Hello there."])
      yield* assertSound(user, archive, "completed")
    })
  )

  it.live("is not recorded where nobody turned recording on", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      yield* lintAiJson(user.sandbox, "record", "stop", "gemini")
      yield* runGemini(gemini, user.sandbox, { prompt: "scenario:hello Hello." })
      assert.deepStrictEqual(filesUnder(path.join(user.sandbox.project, ".lint-ai", "gemini-sessions")), [])
    })
  )
})
