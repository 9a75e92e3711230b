import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, inject, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type Framing, frame, MessageReader } from "../../src/mcp/framing.ts"
import type { McpHealth } from "../../src/mcp/verify.ts"
import { start } from "../support/program.ts"
import { compiledHook, newUser, nodeHook, type TestUser } from "../support/recording.ts"

const programs = [
  ["the compiled program", compiledHook],
  ["the Node bundle of the hook", nodeHook],
  ["the Node bundle", (built: string) => [process.execPath, path.join(built, "main.mjs")]]
] as const

interface Message {
  readonly jsonrpc: string
  readonly id: string | number | null
  readonly result?: {
    readonly serverInfo?: { readonly name: string }
    readonly protocolVersion?: string
    readonly tools?: ReadonlyArray<unknown>
    readonly isError?: boolean
    readonly structuredContent?: { readonly display: string; readonly project: string }
  }
  readonly error?: { readonly code: number; readonly message: string }
}

/** Gives the server an input that ends, and takes apart what it says. Every byte of it must belong to a message. */
const serve = (
  program: ReadonlyArray<string>,
  user: TestUser,
  input: string | Uint8Array,
  options: { readonly args?: ReadonlyArray<string>; readonly env?: Record<string, string> } = {}
) => {
  const [command = "", ...first] = program
  const { status, signal, stdout, stderr } = spawnSync(
    command,
    [...first, ...(options.args ?? ["mcp", "serve", "claude"])],
    {
      cwd: user.project,
      env: { ...user.env, ...options.env },
      input,
      maxBuffer: 64 * 1024 * 1024
    }
  )
  const reader = new MessageReader(64 * 1024 * 1024)
  const found = [...reader.push(stdout), ...reader.end()].map((one) => {
    assert.strictEqual(one._tag, "Message")
    const text = one._tag === "Message" ? one.text : ""
    const message: Message = JSON.parse(text)
    assert.strictEqual(message.jsonrpc, "2.0")
    return { framing: one.framing, message }
  })
  return {
    exit: status ?? signal,
    stderr: stderr.toString("utf8"),
    messages: found.map(({ message }) => message),
    framings: found.map(({ framing }) => framing)
  }
}

const request = (id: string | number, method: string, params?: object) =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params })
const initialize = (protocolVersion = "2025-11-25", id: string | number = 1) =>
  request(id, "initialize", {
    protocolVersion,
    capabilities: {},
    clientInfo: { name: "claude-code", version: "2.1.332" }
  })
const initialized = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })
const call = (id: string | number, name: string, args: unknown = {}) =>
  request(id, "tools/call", { name, arguments: args })
const lines = (...messages: ReadonlyArray<string>) => messages.map((message) => `${message}\n`).join("")

describe.each(programs)("%s", (_, programIn) => {
  const program = () => programIn(inject("builtProgram"))

  it.live.each(["lines", "headers"] as const)("serves a client that frames its messages with %s", (framing: Framing) =>
    Effect.gen(function* () {
      const user = yield* newUser
      const session = [
        initialize(),
        initialized,
        request("two", "ping"),
        request(3, "tools/list"),
        call(4, "record_session", { action: "start" }),
        call(5, "lint_ai_status")
      ]
      const { messages, framings, exit, stderr } = serve(
        program(),
        user,
        Buffer.concat(session.map((message) => frame(message, framing)))
      )
      assert.deepStrictEqual([exit, stderr], [0, ""])
      assert.isTrue(framings.every((one) => one === framing))
      const answer = (id: string | number) => messages.find((message) => message.id === id)?.result
      assert.deepInclude(answer(1)?.serverInfo, { name: "lint-ai" })
      assert.deepStrictEqual(answer("two"), {})
      assert.strictEqual(answer(3)?.tools?.length, 7)
      assert.propertyVal(answer(4)?.structuredContent, "display", "Lint-AI:OFF | Record:ON")
      assert.propertyVal(answer(5)?.structuredContent, "display", "Lint-AI:OFF | Record:ON")
      assert.isTrue(fs.existsSync(path.join(user.project, ".lint-ai", "state.json")))
    })
  )
})

describe("the MCP server", () => {
  const program = () => compiledHook(inject("builtProgram"))
  const big = "x".repeat(10_000_000)
  const deep = 500_000

  const hostile: ReadonlyArray<[name: string, text: string, code: number | undefined, id: string | number | null]> = [
    ["text that is no JSON", "garbage", -32700, null],
    ["half a message", '{"jsonrpc":"2.0","id":7,', -32700, null],
    ["ten megabytes of text", big, -32700, null],
    ["ten million brackets", "[".repeat(10_000_000), -32700, null],
    ["twenty megabytes", big + big, -32600, null],
    ["a message of ten megabytes", call(7, "search", { query: big }), -32602, 7],
    [
      "deep nesting",
      `{"jsonrpc":"2.0","id":7,"method":"x","params":{"a":${"[".repeat(deep)}${"]".repeat(deep)}}}`,
      -32600,
      7
    ],
    ["a number", "5", -32600, null],
    ["a batch", `[${request(7, "ping")}]`, -32600, null],
    ["an unknown method", request(7, "no/such"), -32601, 7],
    ["a method called __proto__", request(7, "__proto__"), -32601, 7],
    ["an unknown tool", call(7, "no_such_tool"), -32602, 7],
    ["a number as text", call(7, "list_memories", { limit: "5" }), -32602, 7],
    ["arguments of another type", call(7, "search", "query"), -32602, 7],
    ["no name of a tool", request(7, "tools/call", {}), -32602, 7],
    ["a second initialize without its parameters", request(7, "initialize", {}), -32602, 7],
    ["a control message of the layer below", request(7, "@effect/rpc/Eof"), -32601, 7],
    ["a header without a length", "Content-Type: x\r\n\r\n", -32700, null],
    ["a header with another length", "Content-Length: -5\r\n\r\n", -32700, null],
    ["bytes that are no UTF-8", '\u0000\u0001{"a"', -32700, null]
  ]
  it.live.each(hostile)("answers %s with an error, and what follows as ever", ([name, text, code, id]) =>
    Effect.gen(function* () {
      const user = yield* newUser
      const { messages, exit, stderr } = serve(
        program(),
        user,
        lines(initialize("2025-06-18"), initialized, text, call(8, "lint_ai_status"))
      )
      assert.deepStrictEqual([exit, stderr], [0, ""], name)
      const refused = messages.find((message) => message.id === id)
      const failed = refused?.result?.isError === true ? -32602 : refused?.error?.code
      assert.strictEqual(failed, code, name)
      assert.isDefined(messages.find((message) => message.id === 8)?.result?.structuredContent, name)
    })
  )

  it.live("reads CRLF, blank lines and a last line without its end", () =>
    Effect.gen(function* () {
      const input = `\r\n${initialize()}\r\n\r\n${initialized}\r\n \r\n${request(2, "ping")}`
      const { messages, exit } = serve(program(), yield* newUser, input)
      assert.deepStrictEqual([messages.map((message) => message.id), exit], [[1, 2], 0])
    })
  )

  it.live("answers each message in its own framing", () =>
    Effect.gen(function* () {
      const input = Buffer.concat([
        frame(initialize(), "headers"),
        frame(request(2, "ping"), "lines"),
        frame(request(3, "ping"), "headers"),
        frame("garbage", "headers")
      ])
      const { messages, framings } = serve(program(), yield* newUser, input)
      const by = new Map(messages.map((message, index) => [message.id, framings[index]]))
      assert.deepStrictEqual(
        [by.get(1), by.get(2), by.get(3), by.get(null)],
        ["headers", "lines", "headers", "headers"]
      )
    })
  )

  it.live("says that initialize comes first, but answers ping and refuses a probe before it", () =>
    Effect.gen(function* () {
      const probe = request("server-discover-probe-1", "server/discover", {
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {}
        }
      })
      const input = lines(
        request(1, "tools/list"),
        call(2, "enable_lint_ai"),
        request(3, "ping"),
        probe,
        initialize("2025-11-25", 4)
      )
      const user = yield* newUser
      const { messages } = serve(program(), user, input)
      const codes = messages.map((message) => [message.id, message.error?.code])
      assert.deepStrictEqual(codes, [
        [1, -32600],
        [2, -32600],
        [3, undefined],
        ["server-discover-probe-1", -32601],
        [4, undefined]
      ])
      assert.include(messages[0]?.error?.message, "initialize")
      assert.isFalse(fs.existsSync(path.join(user.project, ".lint-ai")))
    })
  )

  it.live.each([
    ["2025-11-25", "2025-11-25"],
    ["2025-06-18", "2025-06-18"],
    ["2025-03-26", "2025-03-26"],
    ["2024-11-05", "2024-11-05"],
    ["2031-01-01", "2025-11-25"]
  ])("speaks %s as %s", ([asked, spoken]) =>
    Effect.gen(function* () {
      const { messages } = serve(program(), yield* newUser, lines(initialize(asked)))
      assert.strictEqual(messages[0]?.result?.protocolVersion, spoken)
    })
  )

  it.live("writes no more than the protocol to stdout, and exits 0 when nobody says anything", () =>
    Effect.gen(function* () {
      const { messages, exit, stderr } = serve(program(), yield* newUser, "")
      assert.deepStrictEqual([messages, exit, stderr], [[], 0, ""])
    })
  )

  it.live.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("ends in order on %s", (signal) =>
    Effect.scoped(
      Effect.gen(function* () {
        const user = yield* newUser
        const [command = "", ...first] = program()
        const args = [...first, "mcp", "serve", "claude"]
        const running = yield* start({ command, args, cwd: user.project, env: user.env, stdin: "open" })
        yield* running.write(lines(initialize()))
        yield* running.nextLine
        yield* running.signal(signal)
        const end = yield* running.finished
        assert.deepStrictEqual([end.exitCode, end.signal, end.stderr], [0, null, ""])
      })
    )
  )

  it.live("serves the project that the agent names, wherever it is started", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const other = path.join(user.directory, "other")
      fs.mkdirSync(other)
      const projectOf = (args: ReadonlyArray<string>, env: Record<string, string>) =>
        serve(program(), user, lines(initialize(), call(2, "info")), { args, env }).messages[1]?.result
          ?.structuredContent?.project
      assert.strictEqual(projectOf(["mcp", "serve", "claude"], { CLAUDE_PROJECT_DIR: other }), other)
      assert.strictEqual(projectOf(["mcp", "serve", "claude"], { LINT_AI_PROJECT_DIR: other }), other)
      assert.strictEqual(projectOf(["mcp", "serve", "codex"], { CLAUDE_PROJECT_DIR: other }), user.project)
      assert.strictEqual(projectOf(["--claude-code-serve", other], {}), other)
      assert.strictEqual(projectOf(["--codex-serve"], {}), user.project)
      assert.strictEqual(projectOf([other, "--agy-serve"], {}), other)
    })
  )

  it.live("serves no project that is not there, as where an agent's name has a slip, and makes none", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      fs.writeFileSync(path.join(user.project, "file"), "")
      const record = lines(initialize(), call(2, "record_session", { action: "start" }))
      for (const args of [
        ["mcp", "serve", "cluade"],
        ["mcp", "serve", "claude", path.join(user.directory, "gone")],
        ["mcp", "serve", "claude", "file"]
      ]) {
        const { messages, exit, stderr } = serve(program(), user, record, { args })
        assert.deepStrictEqual([messages, exit], [[], 2], args.join(" "))
        assert.match(stderr, /is (neither a directory nor one of the agents claude, codex|no directory)/)
      }
      const env = { LINT_AI_PROJECT_DIR: path.join(user.directory, "gone") }
      const { messages } = serve(program(), user, record, { env })
      assert.isTrue(messages[1]?.result?.isError === true)
      assert.deepStrictEqual(fs.readdirSync(user.project), ["file"])
      assert.isFalse(fs.existsSync(path.join(user.directory, "gone")))
    })
  )

  it.live("traces what was asked and how long it took, and nothing of what was said", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const trace = path.join(user.directory, "trace.jsonl")
      const secret = "the-words-of-a-query"
      serve(
        program(),
        user,
        lines(
          initialize(),
          call(2, "search", { query: secret }),
          call(3, "not_ours"),
          request(4, `no/${"x".repeat(200)}`)
        ),
        { env: { LINT_AI_MCP_TRACE_PATH: trace } }
      )
      const text = fs.readFileSync(trace, "utf8")
      const traced = text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
      assert.deepStrictEqual(
        traced.map(({ method, tool, outcome }) => [method.slice(0, 12), tool, outcome]).sort(),
        [
          ["initialize", undefined, "result"],
          ["no/xxxxxxxxx", undefined, "error"],
          ["tools/call", "search", "result"],
          ["tools/call", undefined, "error"]
        ].sort()
      )
      for (const { ms, time } of traced) {
        assert.isAtLeast(ms, 0)
        assert.match(time, /^\d{4}-\d\d-\d\dT/)
      }
      for (const word of [secret, "not_ours", "x".repeat(70)]) assert.notInclude(text, word)
    })
  )
})

describe("mcp verify", () => {
  const verify = (user: TestUser, ...args: ReadonlyArray<string>) => {
    const [command = "", ...first] = compiledHook(inject("builtProgram"))
    return spawnSync(command, [...first, ...args], { cwd: user.project, env: user.env, encoding: "utf8" })
  }

  it.live.each([
    ["mcp", "verify", "claude", "--json"],
    ["--gemini-cli-verify-mcp", "--mcp-timeout-ms", "30000", "--json"]
  ])("%s %s %s %s says how the server does, in both framings, and changes nothing", (args) =>
    Effect.gen(function* () {
      const user = yield* newUser
      const { status, stdout, stderr } = verify(user, ...args)
      assert.deepStrictEqual([status, stderr], [0, ""])
      const { ok, runs } = JSON.parse(stdout)
      assert.isTrue(ok)
      assert.deepStrictEqual(
        runs.map((run: McpHealth) => [run.framing, run.tools_count, run.protocol_version, run.server_info.name]),
        [
          ["lines", 7, "2025-11-25", "lint-ai"],
          ["headers", 7, "2025-11-25", "lint-ai"]
        ]
      )
      assert.isFalse(fs.existsSync(path.join(user.project, ".lint-ai")))
    })
  )

  it.live("fails where the server takes too long, with what it waited for", () =>
    Effect.gen(function* () {
      const { status, stdout } = verify(yield* newUser, "mcp", "verify", "--timeout-ms", "1", "--json")
      assert.strictEqual(status, 1)
      assert.deepInclude(JSON.parse(stdout).error, { tag: "McpNotHealthy", step: "startup", framing: "lines" })
    })
  )
})
