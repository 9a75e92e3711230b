import type * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { isObject } from "../domain/jsonObject.ts"
import type { Provider } from "../domain/provider.ts"
import { Host } from "../platform/Host.ts"
import type { HookProgram } from "../providers/hookCommand.ts"
import { type Framing, frame, MessageReader } from "./framing.ts"

/** The server did not do what a client needs. */
export class McpNotHealthy extends Data.TaggedError("McpNotHealthy")<{
  readonly provider: Provider
  readonly framing: Framing
  /** What was asked when it went wrong. */
  readonly step: string
  readonly problem: string
  /** The end of what the server wrote to stderr. */
  readonly stderr: string
}> {
  override get message(): string {
    const said = this.stderr === "" ? "" : ` It wrote: ${this.stderr}`
    return `The MCP server failed at ${this.step} (${this.framing}): ${this.problem}.${said}`
  }
}

/** What one run of the server showed. Times are milliseconds. */
export interface McpHealth {
  readonly framing: Framing
  /** From the start of the process to its first answer. */
  readonly startup_ms: number
  readonly initialize_ms: number
  readonly protocol_version: string
  readonly server_info: { readonly name: string; readonly version: string }
  readonly tools_list_ms: number
  readonly tools_count: number
  /** A call of lint_ai_status. */
  readonly call_ms: number
  readonly display: string
  /** From closing its stdin to its exit. */
  readonly shutdown_ms: number
}

/** What is asked for: the protocol of the newest clients. */
const protocolVersion = "2025-11-25"
const answerLimit = 16 * 1024 * 1024
const keptStderr = 2_000

/**
 * Starts the server as a client does and talks to it: ping, initialize, tools/list, one call that changes nothing, and the end of stdin, after which
 * it must exit 0. Everything on its stdout must be protocol.
 *
 * @param timeoutMs for each answer
 */
export const verifyMcp = (options: {
  readonly provider: Provider
  readonly program: HookProgram
  readonly project: string
  readonly framing: Framing
  readonly timeoutMs: number
}): Effect.Effect<McpHealth, McpNotHealthy, Host | ChildProcessSpawner.ChildProcessSpawner> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { provider, framing, timeoutMs, program } = options
      const host = yield* Host
      const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
      let step = "startup"
      let stderr = ""
      const notHealthy = (problem: string) => new McpNotHealthy({ provider, framing, step, problem, stderr })
      const limited = <A>(effect: Effect.Effect<A, McpNotHealthy>) =>
        Effect.timeoutOrElse(effect, {
          duration: timeoutMs,
          orElse: () => Effect.fail(notHealthy(`no answer within ${timeoutMs} ms`))
        })

      const began = host.monotonicMs()
      const input = yield* Queue.unbounded<Uint8Array, Cause.Done>()
      const handle = yield* spawner
        .spawn(
          ChildProcess.make(program.file, [...program.args, "mcp", "serve", provider], {
            cwd: options.project,
            extendEnv: true,
            stdin: Stream.fromQueue(input),
            killSignal: "SIGTERM",
            forceKillAfter: Duration.seconds(1)
          })
        )
        .pipe(Effect.mapError(() => notHealthy(`${program.file} could not be started`)))
      yield* handle.stderr.pipe(
        Stream.decodeText(),
        Stream.runForEach((text) =>
          Effect.sync(() => {
            stderr = (stderr + text).trim().slice(-keptStderr)
          })
        ),
        Effect.ignore,
        Effect.forkScoped
      )
      const answers = yield* Queue.unbounded<string>()
      const reader = new MessageReader(answerLimit)
      yield* handle.stdout.pipe(
        Stream.runForEach((chunk) =>
          Effect.forEach(reader.push(chunk), (one) => Queue.offer(answers, one._tag === "Message" ? one.text : ""))
        ),
        Effect.ignore,
        Effect.andThen(Queue.offer(answers, "")),
        Effect.forkScoped
      )

      const send = (message: object) =>
        Queue.offer(input, frame(JSON.stringify({ jsonrpc: "2.0", ...message }), framing))
      let lastId = 0
      const ask = Effect.fnUntraced(function* (name: string, method: string, params: object = {}) {
        step = name
        const id = ++lastId
        const asked = host.monotonicMs()
        yield* send({ id, method, params })
        const text = yield* limited(Queue.take(answers))
        const ms = Math.round((host.monotonicMs() - asked) * 10) / 10
        const answer = yield* Effect.try({
          try: (): unknown => JSON.parse(text),
          catch: () => notHealthy(text === "" ? "it ended without an answer" : "its stdout carries something else")
        })
        if (!isObject(answer) || answer.id !== id) return yield* notHealthy("its stdout carries something else")
        if (!isObject(answer.result)) {
          const problem = isObject(answer.error) ? String(answer.error.message) : "the answer has no result"
          return yield* notHealthy(problem)
        }
        return { ms, result: answer.result }
      })

      yield* ask("startup", "ping")
      const startup = Math.round((host.monotonicMs() - began) * 10) / 10
      const initialize = yield* ask("initialize", "initialize", {
        protocolVersion,
        capabilities: {},
        clientInfo: { name: "lint-ai-verify", version: "1" }
      })
      const info = isObject(initialize.result.serverInfo) ? initialize.result.serverInfo : {}
      if (info.name !== "lint-ai") return yield* notHealthy("another server answers")
      yield* send({ method: "notifications/initialized" })
      const list = yield* ask("tools/list", "tools/list")
      const tools = Array.isArray(list.result.tools) ? list.result.tools : []
      if (tools.length === 0) return yield* notHealthy("it offers no tools")
      const call = yield* ask("tools/call", "tools/call", { name: "lint_ai_status", arguments: {} })
      const status = isObject(call.result.structuredContent) ? call.result.structuredContent : {}
      if (typeof status.display !== "string") return yield* notHealthy("lint_ai_status gave no status")

      step = "the end of stdin"
      const ended = host.monotonicMs()
      yield* Queue.end(input)
      const exitCode = yield* limited(Effect.mapError(handle.exitCode, () => notHealthy("it was killed")))
      if (Number(exitCode) !== 0) return yield* notHealthy(`exit code ${exitCode}`)
      return {
        framing,
        startup_ms: startup,
        initialize_ms: initialize.ms,
        protocol_version: String(initialize.result.protocolVersion),
        server_info: { name: info.name, version: String(info.version) },
        tools_list_ms: list.ms,
        tools_count: tools.length,
        call_ms: call.ms,
        display: status.display,
        shutdown_ms: Math.round((host.monotonicMs() - ended) * 10) / 10
      } satisfies McpHealth
    })
  )
