import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { EventKind, Payload } from "../../src/domain/event.ts"
import { type Scenario, startFakeMessagesApi } from "../support/fakeMessagesApi.ts"
import { fileHolds } from "../support/fileEvents.ts"
import { assertSound } from "./agreement.ts"
import { type Archive, openCalls, outline, outlineByTurn, readArchive, sessionsDirectory } from "./archive.ts"
import {
  answering,
  claudeVersions,
  converse,
  installClaude,
  interruptClaude,
  makeSandbox,
  runClaude,
  type Sandbox
} from "./claude.ts"
import { recordProject } from "./lintAi.ts"
import { allGone } from "./replay.ts"
import { bash, scenarios } from "./scenarios.ts"
import { prepareTour, takeTour } from "./tour.ts"

describe.each(claudeVersions)("a recorded session of Claude Code %s", (version) => {
  let claude = ""
  beforeAll(async () => {
    claude = await Effect.runPromise(installClaude(version))
  })

  /** A user who has turned recording on in an empty project. */
  const recordingUser = (more: Readonly<Record<string, Scenario>> = {}) =>
    Effect.gen(function* () {
      const api = yield* startFakeMessagesApi({ ...scenarios, ...more })
      const sandbox = yield* makeSandbox(api)
      return { api, sandbox, lintAi: yield* recordProject(sandbox, claude) }
    })

  it.live("has prompt, answer and usage of a plain turn", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser()
      const end = yield* runClaude(claude, user.sandbox, { prompt: "scenario:hello Say hello." })
      const archive = readArchive(user.sandbox.project)

      assert.strictEqual(end.result.result, "Hello.")
      assert.strictEqual(archive.manifest.session_id, `claude:${end.result.session_id}`)
      assert.strictEqual(archive.manifest.project_root, user.sandbox.project)
      assert.strictEqual(archive.manifest.provider_version, version)
      assert.deepStrictEqual(outline(archive.events), [
        "session_start startup",
        "user_prompt user",
        "assistant_message",
        "session_end other"
      ])
      assert.deepStrictEqual(textsOf(archive), ["scenario:hello Say hello.", "Hello."])
      assert.deepStrictEqual(modelsOf(archive), [user.api.sent[0]?.model])
      yield* assertSound(user, archive, "completed")
    })
  )

  it.live("is that of the work tree when the agent is started below its top", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser()
      const { project } = user.sandbox
      fs.mkdirSync(path.join(project, ".git"))
      fs.writeFileSync(path.join(project, ".git", "HEAD"), "ref: refs/heads/main\n")
      fs.mkdirSync(path.join(project, ".git", "objects"))
      fs.mkdirSync(path.join(project, ".git", "refs"))
      const below = path.join(project, "deep", "below")
      fs.mkdirSync(below, { recursive: true })
      const end = yield* runClaude(claude, { ...user.sandbox, project: below }, { prompt: "scenario:hello Say hello." })
      assert.strictEqual(end.result.result, "Hello.")
      assert.deepStrictEqual(fs.readdirSync(below), [])
      // 2.1.197 does not look for the settings of the top there, and runs no hook.
      if (version === "2.1.197") {
        assert.isFalse(fs.existsSync(path.join(project, ".lint-ai", "claude-sessions")))
        return
      }
      const archive = readArchive(project)
      assert.strictEqual(archive.manifest.project_root, project)
      yield* assertSound(user, archive, "completed")
    })
  )

  it.live("is that of the project when the agent makes a worktree in it", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser()
      const { project, env } = user.sandbox
      const git = (...args: ReadonlyArray<string>) =>
        execFileSync("git", ["-C", project, "-c", "user.name=a", "-c", "user.email=a@b", ...args], { env: { ...env } })
      git("init", "-q")
      git("commit", "-q", "--allow-empty", "-m", "x")
      yield* runClaude(claude, user.sandbox, { prompt: "scenario:commands", flags: ["--worktree", "feature"] })
      const archive = readArchive(project)
      assert.strictEqual(archive.manifest.project_root, project)
      assert.isFalse(fs.existsSync(path.join(project, ".claude", "worktrees", "feature", ".lint-ai")))
      yield* assertSound(user, archive, "completed")
    })
  )

  it.live("has what tools were given and gave back, and why one failed", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser()
      yield* runClaude(claude, user.sandbox, { prompt: "scenario:commands" })
      const archive = readArchive(user.sandbox.project)

      assert.deepStrictEqual(outline(archive.events), [
        "session_start startup",
        "user_prompt user",
        "tool_call Bash",
        "tool_result Bash",
        "tool_call Bash",
        "tool_error Bash failed",
        "assistant_message",
        "session_end other"
      ])
      const [result] = payloadsOf(archive, "tool_result")
      const [error] = payloadsOf(archive, "tool_error")
      assert.include(JSON.stringify(result?.input), "echo fine")
      assert.include(JSON.stringify(result?.response), "fine")
      assert.isNumber(result?.duration_ms)
      assert.match(String(error?.error), /Exit code 3\nwrong/)
      yield* assertSound(user, archive, "completed")
    })
  )

  it.live("tells a denied tool from a failed one", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser()
      yield* runClaude(claude, user.sandbox, { prompt: "scenario:denied" })
      const archive = readArchive(user.sandbox.project)

      assert.deepStrictEqual(outline(archive.events), [
        "session_start startup",
        "user_prompt user",
        "tool_call Write",
        ...(version === "2.1.197" ? [] : ["provider_event PermissionRequest"]),
        "tool_error Write denied",
        "assistant_message",
        "session_end other"
      ])
      yield* assertSound(user, archive, "completed")
    })
  )

  it.live("keeps two tools that run at once apart", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser()
      for (const name of ["one", "two"]) {
        fs.writeFileSync(path.join(user.sandbox.project, `${name}.txt`), `The content of ${name}.\n`)
      }
      yield* runClaude(claude, user.sandbox, { prompt: "scenario:parallel" })
      const archive = readArchive(user.sandbox.project)

      assert.deepStrictEqual(outline(archive.events).toSorted(), [
        "assistant_message",
        "session_end other",
        "session_start startup",
        "tool_call Read",
        "tool_call Read",
        "tool_result Read",
        "tool_result Read",
        "user_prompt user"
      ])
      const results = archive.events.filter((event) => event.kind === "tool_result")
      for (const { provider_ids, payload } of results) {
        const call = archive.events.find(
          (event) => event.kind === "tool_call" && event.provider_ids?.tool_use_id === provider_ids?.tool_use_id
        )
        const file = /(one|two)\.txt/.exec(JSON.stringify(call?.payload))?.[1]
        assert.include(JSON.stringify(payload.response), `The content of ${file}.`)
      }
      yield* assertSound(user, archive, "completed")
    })
  )

  it.live("has a subagent with its tools and its usage", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser()
      yield* runClaude(claude, user.sandbox, { prompt: "scenario:agent" })
      const archive = readArchive(user.sandbox.project)

      assert.deepStrictEqual(outline(archive.events), [
        "session_start startup",
        "user_prompt user",
        "tool_call Agent",
        "subagent_start",
        "tool_call Bash in subagent",
        "tool_result Bash in subagent",
        "subagent_stop",
        "tool_result Agent",
        "assistant_message",
        "session_end other"
      ])
      const agents = archive.events.map((event) => event.provider_ids?.agent_id).filter((id) => id !== undefined)
      assert.strictEqual(new Set(agents).size, 1)
      assert.strictEqual(user.api.sent.length, 4)
      yield* assertSound(user, archive, "completed")
    })
  )

  it.live("has a subagent in the background, whose end is not taken for a prompt of the user", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser()
      yield* runClaude(claude, user.sandbox, { prompt: "scenario:background" })
      const archive = readArchive(user.sandbox.project)

      // The two agents run at the same time: nothing is certain of the order between them.
      const [first = [], second = [], ...others] = outlineByTurn(archive.events)
      assert.deepStrictEqual(first.toSorted(), [
        "assistant_message",
        "subagent_start",
        "subagent_stop",
        "tool_call Agent",
        "tool_call Bash in subagent",
        "tool_result Agent",
        "tool_result Bash in subagent",
        "user_prompt user"
      ])
      assert.deepStrictEqual(second, ["user_prompt task-notification", "assistant_message", "session_end other"])
      assert.deepStrictEqual(others, [])
      yield* assertSound(user, archive, "completed")
    })
  )

  it.live("goes on in its archive when it is resumed", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser()
      const first = yield* runClaude(claude, user.sandbox, { prompt: "scenario:hello" })
      const before = readArchive(user.sandbox.project)
      const resume = ["--resume", first.result.session_id]
      yield* runClaude(claude, user.sandbox, { prompt: "scenario:hello", flags: resume })
      yield* runClaude(claude, user.sandbox, { prompt: "scenario:commands", flags: resume })
      const archive = readArchive(user.sandbox.project)

      assert.deepStrictEqual(archive.events.slice(0, before.events.length), before.events)
      assert.deepStrictEqual(outline(archive.events), [
        "session_start startup",
        "user_prompt user",
        "assistant_message",
        "session_end other",
        "session_start resume",
        "user_prompt user",
        "assistant_message",
        "session_end other",
        "session_start resume",
        "user_prompt user",
        "tool_call Bash",
        "tool_result Bash",
        "tool_call Bash",
        "tool_error Bash failed",
        "assistant_message",
        "session_end other"
      ])
      yield* assertSound(user, archive, "completed")
    })
  )

  it.live("has a turn that the API refused", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser()
      const conversation = yield* converse(claude, user.sandbox)
      const { session_id } = yield* conversation.turn("scenario:refused")
      yield* refusalRecorded(user.sandbox, session_id)
      yield* conversation.turn("scenario:hello")
      yield* conversation.end
      const archive = readArchive(user.sandbox.project)

      assert.deepStrictEqual(outline(archive.events), [
        "session_start startup",
        "user_prompt user",
        "assistant_message failed",
        "user_prompt user",
        "assistant_message",
        "session_end other"
      ])
      yield* assertSound(user, archive, "completed")
    })
  )

  it.live("has every kind of event that Claude Code tells of", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser()
      prepareTour(user.sandbox.project)
      yield* takeTour(claude, version, user.sandbox, (id) => refusalRecorded(user.sandbox, id))
      const archive = readArchive(user.sandbox.project)

      // Some hooks are not waited for, and a compaction ends one or two subagents of its own: what happened, not when or how often.
      const turns = outlineByTurn(archive.events).map((turn) => [...new Set(turn)].toSorted())
      const onlyNew = version === "2.1.197" ? [] : [["provider_event PostModelSwitch", "provider_event PreModelSwitch"]]
      assert.deepStrictEqual(turns, [
        ["assistant_message failed", "user_prompt user"],
        ["assistant_message", "user_prompt user"],
        ["assistant_message", "user_prompt expansion", "user_prompt user"],
        ["assistant_message", "tool_call Bash", "tool_error Bash failed", "tool_result Bash", "user_prompt user"],
        [
          "assistant_message",
          "provider_event PermissionRequest",
          "tool_call Write",
          "tool_error Write denied",
          "user_prompt user"
        ],
        [
          "assistant_message",
          "subagent_start",
          "subagent_stop",
          "tool_call Agent",
          "tool_call Bash in subagent",
          "tool_result Agent",
          "tool_result Bash in subagent",
          "user_prompt user"
        ],
        [
          "assistant_message",
          "provider_event TaskCompleted",
          "provider_event TaskCreated",
          "tool_call TaskCreate",
          "tool_call TaskUpdate",
          "tool_result TaskCreate",
          "tool_result TaskUpdate",
          "user_prompt user"
        ],
        [
          "assistant_message",
          "provider_event Notification",
          "tool_call mcp__asker__ask",
          "tool_result mcp__asker__ask",
          "user_prompt user"
        ],
        ...onlyNew,
        ["compaction after", "compaction before", "session_end other", "session_start compact", "subagent_stop"]
      ])
      // What a compaction used is in no transcript.
      const counted = user.api.sent.filter(({ scenario }) => scenario !== undefined)
      yield* assertSound(user, archive, "completed", counted)
    })
  )

  it.live.each(["refused", "unknownKey"])("is complete when the API ended it at once: %s", (scenario) =>
    Effect.gen(function* () {
      const user = yield* recordingUser()
      const end = yield* runClaude(claude, user.sandbox, { prompt: `scenario:${scenario}` })
      // Claude Code does not wait for the hook that tells of the refusal, which may still add its event.
      yield* allGone(user.sandbox.root)
      const archive = readArchive(user.sandbox.project)

      assert.strictEqual(end.exitCode, 1)
      assert.deepStrictEqual(
        outline(archive.events).filter((phrase) => phrase !== "assistant_message failed"),
        ["session_start startup", "user_prompt user", "session_end other"]
      )
      yield* assertSound(user, archive, "completed")
    })
  )

  it.live("shows nothing of requests that were tried again", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser()
      yield* runClaude(claude, user.sandbox, { prompt: "scenario:overloaded" })
      const archive = readArchive(user.sandbox.project)

      assert.strictEqual(user.api.received.filter(({ scenario }) => scenario === "overloaded").length, 3)
      assert.deepStrictEqual(outline(archive.events), [
        "session_start startup",
        "user_prompt user",
        "assistant_message",
        "session_end other"
      ])
      yield* assertSound(user, archive, "completed")
    })
  )

  it.live("ends without an answer when SIGINT comes while the model answers", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser()
      yield* interruptClaude(claude, user.sandbox, { prompt: "scenario:stalls" }, answering)
      const archive = readArchive(user.sandbox.project)

      assert.deepStrictEqual(outline(archive.events), [
        "session_start startup",
        "user_prompt user",
        "session_end other"
      ])
      yield* assertSound(user, archive, "completed")
    })
  )

  it.live.each(["SIGTERM", "SIGHUP"] as const)("ends when %s comes before the first word of the answer", (signal) =>
    Effect.gen(function* () {
      const user = yield* recordingUser()
      const asked = () => user.api.answered("stalls", 0)
      yield* interruptClaude(claude, user.sandbox, { prompt: "scenario:stalls" }, asked, signal)
      const archive = readArchive(user.sandbox.project)

      assert.deepStrictEqual(outline(archive.events), [
        "session_start startup",
        "user_prompt user",
        "session_end other"
      ])
      yield* assertSound(user, archive, "completed")
    })
  )

  /** A turn whose tool writes its pid into a file and then runs until the test ends: a killed agent leaves its tools behind. */
  const endlessTool = Effect.gen(function* () {
    const steps: Array<Scenario[number]> = []
    const user = yield* recordingUser({ endless: steps })
    const sign = path.join(user.sandbox.root, "tool-runs")
    steps.push({ text: "I start.", tools: [bash(`echo $$ > ${sign}; exec tail -f /dev/null`)] }, { text: "It ended." })
    yield* Effect.addFinalizer(() => Effect.sync(() => endProcess(fs.readFileSync(sign, "utf8"))))
    return { user, toolRuns: fileHolds(sign, (pid) => pid.endsWith("\n")) }
  })

  it.live("has a call without an end when SIGINT comes while a tool runs", () =>
    Effect.gen(function* () {
      const { user, toolRuns } = yield* endlessTool
      yield* interruptClaude(claude, user.sandbox, { prompt: "scenario:endless" }, () => toolRuns)
      const archive = readArchive(user.sandbox.project)

      const phrases = outline(archive.events)
      assert.deepStrictEqual(phrases.slice(0, 3), ["session_start startup", "user_prompt user", "tool_call Bash"])
      assert.strictEqual(openCalls(archive.events).length, 1)
      // 2.1.197 runs its SessionEnd hook only sometimes then (2 of 8 times).
      const ended = phrases[3] === "session_end other"
      if (version !== "2.1.197") assert.isTrue(ended)
      yield* ended ? assertSound(user, archive, "completed") : assertSound(user, archive, "incomplete", [])
    })
  )

  it.live("is shown as incomplete when the agent was killed", () =>
    Effect.gen(function* () {
      const { user, toolRuns } = yield* endlessTool
      yield* interruptClaude(claude, user.sandbox, { prompt: "scenario:endless" }, () => toolRuns, "SIGKILL")
      const archive = readArchive(user.sandbox.project)

      assert.deepStrictEqual(outline(archive.events), ["session_start startup", "user_prompt user", "tool_call Bash"])
      assert.strictEqual(openCalls(archive.events).length, 1)
      // Usage is read at the end of a turn and of the session, and there was neither.
      yield* assertSound(user, archive, "incomplete", [])
    })
  )

  it.live("goes on after an interrupted answer", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser()
      const conversation = yield* converse(claude, user.sandbox)
      yield* conversation.say("scenario:stalls")
      yield* conversation.answering
      yield* conversation.interrupt
      yield* conversation.result
      yield* conversation.turn("scenario:hello")
      yield* conversation.end
      const archive = readArchive(user.sandbox.project)

      assert.deepStrictEqual(outline(archive.events), [
        "session_start startup",
        "user_prompt user",
        "user_prompt user",
        "assistant_message",
        "session_end other"
      ])
      yield* assertSound(user, archive, "completed")
    })
  )
})

const payloadsOf = <K extends EventKind>(archive: Archive, kind: K): ReadonlyArray<Payload<K>> =>
  archive.events.filter((event) => event.kind === kind).map((event) => event.payload as Payload<K>)

/** Claude Code does not wait for the hook that tells of a refused turn, and ends it when it ends itself. */
const refusalRecorded = (sandbox: Sandbox, sessionId: string) =>
  fileHolds(path.join(sessionsDirectory(sandbox.project), `claude-${sessionId}`, "events.jsonl"), (text) =>
    text.includes('"kind":"assistant_message"')
  )

const endProcess = (pid: string): void => {
  try {
    process.kill(Number(pid), "SIGKILL")
  } catch {
    // The agent has ended it.
  }
}

/** The words of the user and of the agent, in order. */
const textsOf = ({ events }: Archive): ReadonlyArray<string> =>
  events.flatMap((event) =>
    event.kind === "user_prompt" || event.kind === "assistant_message" ? [event.payload.text] : []
  )

const modelsOf = (archive: Archive): ReadonlyArray<string | undefined> => [
  ...new Set(payloadsOf(archive, "turn_usage").flatMap(({ messages }) => messages.map(({ model }) => model)))
]
