import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as McpTest from "effect/ai/McpTest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Toggles } from "../../src/control/Toggles.ts"
import type { Provider } from "../../src/domain/provider.ts"
import { ServedAgent } from "../../src/mcp/handlers.ts"
import { protocols, registrations } from "../../src/mcp/server.ts"
import { claudeAdapter } from "../../src/providers/claude/adapter.ts"
import { Recorder } from "../../src/recorder/Recorder.ts"
import { machineOf, newUser, snapshot, type TestUser, userIn } from "../support/recording.ts"

/** What tools answer, as far as the tests look at it. */
interface Answer {
  readonly [more: string]: unknown
  readonly display: string
  readonly recording: boolean
  readonly session_id: string | null
  readonly session: Record<string, unknown> | null
  readonly closed: ReadonlyArray<string>
}

/** A client of the server that an agent of the user has started. */
const connect = (
  user: TestUser,
  options: {
    readonly provider?: Provider | undefined
    readonly client?: string
    readonly env?: Record<string, string>
    readonly parentPid?: number
    readonly protocolVersion?: (typeof protocols)[number]["protocolVersion"]
  } = {}
) =>
  Effect.gen(function* () {
    const client = yield* McpTest.makeClient(
      registrations.pipe(
        Layer.provide(Layer.succeed(ServedAgent, { provider: options.provider, project: undefined })),
        Layer.provide(
          machineOf(user, {
            host: {
              env: { ...user.env, ...options.env },
              ...(options.parentPid === undefined ? {} : { parentPid: options.parentPid })
            }
          })
        )
      ),
      {
        protocols,
        protocolVersion: options.protocolVersion,
        clientInfo: { name: options.client ?? "claude-code", version: "1" }
      }
    )
    const call = (name: string, args: Record<string, unknown> = {}, meta?: Record<string, unknown>) =>
      Effect.map(
        client.callTool({ name, arguments: args, ...(meta === undefined ? {} : { _meta: meta as never }) }),
        (result) => {
          const [content] = result.content
          const text = content?.type === "text" ? content.text : ""
          return { failed: result.isError === true, text, data: result.structuredContent as Answer }
        }
      )
    return { ...client, call }
  })

/** One hook of a session of Claude Code, as its agent process delivers it. */
const deliver = (user: TestUser, session: string, hook: string, more: Record<string, unknown> = {}) =>
  Effect.gen(function* () {
    const recorder = yield* Recorder
    const delivery = yield* claudeAdapter.read({
      payload: { session_id: session, hook_event_name: hook, cwd: user.project, ...more },
      event: undefined,
      env: { ...user.env, CLAUDE_PID: String(process.pid) }
    })
    return yield* recorder.record(claudeAdapter, delivery, 1_000)
  }).pipe(Effect.provide(machineOf(user)))

const consentOf = (user: TestUser) =>
  Effect.flatMap(Toggles, (toggles) => toggles.read(user.project)).pipe(Effect.provide(machineOf(user)))

describe("the tools of the MCP server", () => {
  it.live("are these, with what they may do and when they may be used", () =>
    Effect.gen(function* () {
      const client = yield* connect(yield* newUser)
      const { tools } = yield* client.listTools()
      assert.deepStrictEqual(
        tools.map((tool) => [tool.name, tool.annotations?.readOnlyHint]),
        [
          ["search", true],
          ["info", true],
          ["list_memories", true],
          ["record_session", false],
          ["enable_lint_ai", false],
          ["disable_lint_ai", false],
          ["lint_ai_status", true]
        ]
      )
      for (const tool of tools) {
        assert.deepInclude(tool.annotations, { destructiveHint: false, openWorldHint: false })
        assert.strictEqual(tool.inputSchema.type, "object")
        if (tool.annotations?.readOnlyHint === true) continue
        assert.include(tool.description ?? "", "only when the user asks for it in this conversation")
        assert.include(tool.description ?? "", "side effect of a search")
      }
    })
  )

  it.live("are listed without a store being opened or anything written", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const before = snapshot(user.directory)
      const client = yield* connect(user)
      yield* client.listTools()
      yield* client.call("lint_ai_status")
      yield* client.call("record_session", { action: "status" })
      yield* client.call("record_session")
      yield* client.call("search", { query: "anything" })
      assert.deepStrictEqual(snapshot(user.directory), before)
    })
  )

  it.live.each(protocols.map((protocol) => protocol.protocolVersion))("work in protocol %s", (protocolVersion) =>
    Effect.gen(function* () {
      const client = yield* connect(yield* newUser, { protocolVersion })
      assert.strictEqual(client.protocolVersion, protocolVersion)
      yield* client.ping
      assert.include((yield* client.call("lint_ai_status")).text, "Lint-AI:OFF | Record:OFF")
    })
  )

  it.live("start a recording that puts nothing into the context, say what it is, and stop it", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const client = yield* connect(user)
      const started = yield* client.call("record_session", { action: "start" })
      assert.deepInclude(started.data, {
        display: "Lint-AI:OFF | Record:ON",
        mode: "capture-only",
        memory: false,
        provider: "claude",
        project: user.project,
        session_root: path.join(user.project, ".lint-ai", "claude-sessions"),
        redaction_policy: "default-v1"
      })
      yield* deliver(user, "s", "UserPromptSubmit", { prompt: "hello" })
      const status = yield* client.call("lint_ai_status")
      assert.deepInclude(status.data, { session_id: "claude:s" })
      assert.deepInclude(status.data.session, { status: "active", event_count: 1, joined: "mid-session" })

      const stopped = yield* client.call("record_session", { action: "stop" })
      assert.deepInclude(stopped.data, { display: "Lint-AI:OFF | Record:OFF" })
      assert.strictEqual(stopped.data.closed.length, 1)
      assert.propertyVal(yield* deliver(user, "s", "UserPromptSubmit", { prompt: "more" }), "_tag", "Off")
    })
  )

  it.live("turn memory and recording on together, and memory off alone", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const client = yield* connect(user)
      assert.propertyVal((yield* client.call("enable_lint_ai")).data, "display", "Lint-AI:ON | Record:ON")
      assert.propertyVal((yield* client.call("disable_lint_ai")).data, "display", "Lint-AI:OFF | Record:ON")
      assert.propertyVal((yield* client.call("enable_lint_ai")).data, "mode", "assist")
      const stopped = yield* client.call("record_session", { action: "stop" })
      assert.propertyVal(stopped.data, "display", "Lint-AI:ON | Record:OFF")
      const consent = yield* consentOf(user)
      assert.deepStrictEqual(consent._tag === "adopted" ? Object.keys(consent.providers) : [], ["claude"])
    })
  )

  it.live("refuse in a project whose state is another user's, and say what to do", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const other = userIn(user.directory, "other")
      yield* Effect.flatMap(connect(other), (client) => client.call("enable_lint_ai"))
      fs.cpSync(path.join(other.project, ".lint-ai"), path.join(user.project, ".lint-ai"), { recursive: true })
      const before = snapshot(user.project)
      const client = yield* connect(user)
      for (const [tool, args] of [
        ["enable_lint_ai", {}],
        ["record_session", { action: "start" }]
      ] as const) {
        const answer = yield* client.call(tool, args)
        assert.isTrue(answer.failed)
        assert.include(answer.text, "lint-ai adopt")
      }
      const status = yield* client.call("lint_ai_status")
      assert.deepInclude(status.data, { consent: "inert", display: "Lint-AI:OFF | Record:OFF" })
      assert.deepStrictEqual(snapshot(user.project), before)
    })
  )

  it.live("answer honestly over a memory that is empty", () =>
    Effect.gen(function* () {
      const client = yield* connect(yield* newUser)
      assert.deepInclude((yield* client.call("search", { query: "why" })).data, { results: [], top_k: 5 })
      assert.deepInclude((yield* client.call("list_memories", { limit: 100 })).data, { count: 0, memories: [] })
      assert.deepInclude((yield* client.call("info")).data, { memory_count: 0, session_count: 0 })
      const tools = ["search", "list_memories", "info"]
      for (const tool of tools) assert.include((yield* client.call(tool, { query: "x" })).text, "Memory is off")
      yield* client.call("enable_lint_ai")
      for (const tool of tools) assert.include((yield* client.call(tool, { query: "x" })).text, "no memories yet")
    })
  )

  const wrong: ReadonlyArray<[tool: string, args: Record<string, unknown>]> = [
    ["search", {}],
    ["search", { query: "" }],
    ["search", { query: 5 }],
    ["search", { query: "x", top_k: "5" }],
    ["search", { query: "x", top_k: 0 }],
    ["search", { query: "x", top_k: 21 }],
    ["search", { query: "x", top_k: 1.5 }],
    ["search", { query: "x".repeat(5_000) }],
    ["list_memories", { limit: "20" }],
    ["list_memories", { limit: 101 }],
    ["list_memories", { limit: null }],
    ["record_session", { action: "explode" }],
    ["record_session", { action: true }]
  ]
  it.live.each(wrong)("refuse %s with %j, and repeat none of it", ([tool, args]) =>
    Effect.gen(function* () {
      const user = yield* newUser
      const client = yield* connect(user)
      const text = yield* client.call(tool, args).pipe(
        Effect.map((answer) => (answer.failed ? answer.text : "accepted")),
        Effect.catch((error) => Effect.succeed(error.message))
      )
      assert.include(text, "Invalid parameters")
      assert.notInclude(text, "explode")
      assert.isFalse(fs.existsSync(path.join(user.project, ".lint-ai")))
    })
  )

  it.live(
    "know the session: by the call, by the agent that started the server, by the environment, by the newest",
    () =>
      Effect.gen(function* () {
        const user = yield* newUser
        const idOf = (options: Parameters<typeof connect>[1], meta?: Record<string, unknown>) =>
          Effect.scoped(
            Effect.gen(function* () {
              const client = yield* connect(user, options)
              return (yield* client.call("lint_ai_status", {}, meta)).data.session_id
            })
          )
        const elsewhere = { parentPid: 1 }
        assert.isNull(yield* idOf(elsewhere))
        assert.strictEqual(yield* idOf({ ...elsewhere, env: { CLAUDE_CODE_SESSION_ID: "e" } }), "claude:e")
        yield* Effect.flatMap(connect(user), (client) => client.call("record_session", { action: "start" }))
        yield* deliver(user, "s", "SessionStart", { source: "startup" })
        assert.strictEqual(yield* idOf(elsewhere), "claude:s")
        assert.strictEqual(yield* idOf({ ...elsewhere, env: { CLAUDE_CODE_SESSION_ID: "e" } }), "claude:e")
        // After /clear the same agent has another session, and the environment still names the first.
        assert.strictEqual(
          yield* idOf({ parentPid: process.pid, env: { CLAUDE_CODE_SESSION_ID: "before-clear" } }),
          "claude:s"
        )
        assert.strictEqual(
          yield* idOf({ provider: "codex", client: "codex-mcp-client" }, { sessionId: "c" }),
          "codex:c"
        )
      })
  )

  it.live.each([
    ["claude-code", "claude"],
    ["codex-mcp-client", "codex"],
    ["gemini-cli-mcp-client", "gemini"],
    ["antigravity-client", "antigravity"],
    ["somebody else", "claude"]
  ] as const)("serve %s as %s when nobody says otherwise", ([client, provider]) =>
    Effect.gen(function* () {
      const user = yield* newUser
      const connected = yield* connect(user, { client })
      assert.propertyVal((yield* connected.call("enable_lint_ai")).data, "provider", provider)
      const told = yield* connect(user, { client, provider: "gemini" })
      assert.propertyVal((yield* told.call("lint_ai_status")).data, "provider", "gemini")
    })
  )

  it.live("take effect in the order in which they were called, without waiting for one another", () =>
    Effect.gen(function* () {
      const client = yield* connect(yield* newUser)
      const answers = yield* Effect.all(
        [
          client.call("record_session", { action: "start" }),
          client.call("lint_ai_status"),
          client.call("record_session", { action: "stop" }),
          client.call("lint_ai_status")
        ],
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        answers.map((answer) => answer.data.recording),
        [true, true, false, false]
      )
    })
  )
})
