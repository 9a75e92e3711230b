import type * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { isObject } from "../../domain/jsonObject.ts"
import { graceTime, unusable } from "../agentProcess.ts"
import { AgentTooSlow, AgentUnusable } from "../ProviderCli.ts"
import { parseLine } from "../transcriptLines.ts"
import { jsonLines, WireBroken, webSocket } from "./messageWire.ts"

export type AppServerError = AgentUnusable | AgentTooSlow

/** What Codex tells without being asked. */
export interface Notification {
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

/** A conversation with `codex app-server`: JSON-RPC, one message a line, without the member "jsonrpc" (0.171.0). */
export interface AppServer {
  /** Asks and waits for the answer. An answer that is an error fails with its message. */
  readonly request: (method: string, params: object) => Effect.Effect<Readonly<Record<string, unknown>>, AppServerError>
  /** Each once, in their order, from the beginning of the conversation; ends with it. */
  readonly notifications: Stream.Stream<Notification>
}

export interface AppServerOptions {
  /** Absolute path of codex. */
  readonly program: string
  /** Speaks to an app-server that runs already instead of starting one. */
  readonly running?: RunningServer | undefined
  readonly cwd: string
  /** What lint-ai calls its own version. */
  readonly clientVersion: string
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>
}

/** An app-server in the background, such as the one that Codex in a terminal starts for itself. */
export interface RunningServer {
  /** Absolute path of its control socket; undefined for the usual one of the user's Codex. */
  readonly socket?: string | undefined
  readonly randomHex: (bytes: number) => string
}

/** How often a running app-server is asked whether it is still there. */
const pingEvery = Duration.seconds(10)

/** How long one answer may take. */
const answerTime = Duration.seconds(30)

/**
 * Starts an app-server, or connects to a running one, and introduces lint-ai to it. At the end of the scope the input of what was started is
 * closed, its group gets SIGTERM and two seconds later SIGKILL.
 *
 * What Codex asks for in return (an approval) is refused: lint-ai decides nothing in place of the user.
 */
export const startAppServer = Effect.fn("startAppServer")(function* (
  options: AppServerOptions
): Effect.fn.Return<AppServer, AppServerError, ChildProcessSpawner.ChildProcessSpawner | Scope.Scope> {
  const { program, running } = options
  const wire = running === undefined ? jsonLines() : webSocket(running.randomHex)
  const args =
    running === undefined ? [] : ["proxy", ...(running.socket === undefined ? [] : ["--sock", running.socket])]
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const input = yield* Queue.unbounded<Uint8Array, never>()
  const told = yield* Queue.unbounded<Notification, Cause.Done>()
  const waiting = new Map<number, Deferred.Deferred<Readonly<Record<string, unknown>>, AppServerError>>()
  const gone = (reason: string) => new AgentUnusable({ provider: "codex", program, reason })
  let ended: AgentUnusable | undefined

  const handle = yield* spawner
    .spawn(
      ChildProcess.make(program, ["app-server", ...args], {
        cwd: options.cwd,
        env: { ...options.env },
        stdin: Stream.fromQueue(input),
        stderr: "ignore",
        killSignal: "SIGTERM",
        forceKillAfter: graceTime
      })
    )
    .pipe(Effect.mapError((error) => unusable("codex", program, error)))

  yield* Queue.offerAll(input, wire.opening)
  const say = (message: object) => Queue.offerAll(input, wire.write(JSON.stringify(message)))
  const hear = Effect.fnUntraced(function* (text: string) {
    const message = parseLine(Buffer.from(text))
    if (!isObject(message)) return
    const { id, method, params, result, error } = message
    if (typeof method === "string") {
      if (id === undefined) yield* Queue.offer(told, { method, params: isObject(params) ? params : {} })
      else yield* say({ id, error: { code: -32601, message: "lint-ai answers no requests" } })
      return
    }
    const answer = typeof id === "number" ? waiting.get(id) : undefined
    if (answer === undefined) return
    if (isObject(error)) yield* Deferred.fail(answer, gone(`it answered "${String(error.message)}"`))
    else yield* Deferred.succeed(answer, isObject(result) ? result : {})
  })
  let hasHeard = true
  const listening = handle.stdout.pipe(
    Stream.runForEach(
      Effect.fnUntraced(function* (bytes) {
        hasHeard = true
        const { messages, replies, isOver } = yield* Effect.try({
          try: () => wire.read(bytes),
          catch: (error) => (error instanceof WireBroken ? error : new WireBroken({ problem: String(error) }))
        })
        yield* Queue.offerAll(input, replies)
        yield* Effect.forEach(messages, hear, { discard: true })
        if (isOver) return yield* new WireBroken({ problem: "it has ended" })
      })
    )
  )
  // The proxy of Codex stays when the app-server behind it is gone (0.171.0): only silence tells.
  const asking = Effect.gen(function* () {
    for (const { ping } = wire; ping !== undefined; ) {
      yield* Effect.sleep(pingEvery)
      if (!hasHeard) return
      hasHeard = false
      yield* Queue.offerAll(input, ping())
    }
    return yield* Effect.never
  })
  yield* Effect.raceFirst(listening, asking).pipe(
    Effect.ignore,
    Effect.andThen(
      Effect.gen(function* () {
        ended = gone("its app-server has ended")
        yield* Queue.end(told)
        for (const answer of waiting.values()) yield* Deferred.fail(answer, ended)
      })
    ),
    Effect.forkScoped
  )

  let nextId = 0
  const request: AppServer["request"] = Effect.fn("AppServer.request")(function* (method, params) {
    if (ended !== undefined) return yield* ended
    const id = nextId++
    const answer = yield* Deferred.make<Readonly<Record<string, unknown>>, AppServerError>()
    waiting.set(id, answer)
    yield* say({ id, method, params })
    return yield* Deferred.await(answer).pipe(
      Effect.timeoutOrElse({
        duration: answerTime,
        orElse: () =>
          Effect.fail(new AgentTooSlow({ provider: "codex", program, limitMs: Duration.toMillis(answerTime) }))
      }),
      Effect.ensuring(Effect.sync(() => waiting.delete(id)))
    )
  })

  yield* request("initialize", {
    clientInfo: { name: "lint-ai", title: "lint-ai", version: options.clientVersion },
    capabilities: null
  })
  yield* say({ method: "initialized" })
  return { request, notifications: Stream.fromQueue(told) }
})
