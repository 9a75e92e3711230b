import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import type { Disk } from "../platform/Disk.ts"
import { Host } from "../platform/Host.ts"
import {
  type Checked,
  checkMessage,
  type Envelope,
  errorAnswer,
  invalidRequest,
  parseError,
  type RequestId
} from "./envelope.ts"
import { type Framing, frame, type Incoming, MessageReader } from "./framing.ts"
import { toolNames } from "./tools.ts"
import { makeTrace } from "./trace.ts"

/** More of a message than this is dropped as it comes, and an error is the answer. */
export const messageLimit = 16 * 1024 * 1024
/** How long the last answers may take once the client has closed stdin. */
const lastAnswersMs = 10_000

/** The two ends of the client's pipes. */
export interface Pipes {
  readonly input: Stream.Stream<Uint8Array>
  /** Writes one whole message. When it returns, the system has it. */
  readonly write: (bytes: Uint8Array) => Effect.Effect<void>
}

interface Open {
  readonly framing: Framing
  readonly method: string
  readonly tool: string | undefined
  readonly startedMs: number
  readonly answered: Deferred.Deferred<{ readonly failed: boolean }>
}

/**
 * Standard input and output as the MCP server of Effect wants them, over pipes on which anything may come.
 *
 * That server reads JSON lines only; a line that is no JSON takes its neighbours with it, and a last line without an end is never answered. So
 * everything is taken apart and checked here: what is no request gets its error from here, requests go on one by one, and each answer
 * leaves in the framing in which its request came. The input ends only when every request has its answer.
 */
export const framedStdio = (pipes: Pipes): Layer.Layer<Stdio.Stdio, never, Host | Disk> =>
  Layer.effect(
    Stdio.Stdio,
    Effect.gen(function* () {
      const host = yield* Host
      const trace = yield* makeTrace
      const reader = new MessageReader(messageLimit)
      const open = new Map<RequestId, Open>()
      let initialized = false
      let lastFraming: Framing = "lines"

      const refuse = (id: RequestId | null, code: number, message: string, framing: Framing) =>
        pipes.write(frame(errorAnswer(id, code, message), framing))

      /** Takes a request on; its answer will be looked for. */
      const accept = Effect.fnUntraced(function* (request: Extract<Checked, { _tag: "Request" }>, framing: Framing) {
        const answered = yield* Deferred.make<{ readonly failed: boolean }>()
        const { id, method, message } = request
        open.set(id, { framing, method, tool: toolOf(message), startedMs: host.monotonicMs(), answered })
        return answered
      })

      /** A cancelled request gets no answer. */
      const forget = Effect.fnUntraced(function* (id: unknown) {
        const request = typeof id === "string" || typeof id === "number" ? open.get(id) : undefined
        if (request === undefined || request.method === "initialize") return
        open.delete(id as RequestId)
        yield* Deferred.succeed(request.answered, { failed: true })
      })

      const admit = Effect.fnUntraced(function* (checked: Checked, framing: Framing) {
        switch (checked._tag) {
          case "Answer":
            return undefined
          case "Refused":
            yield* refuse(checked.id, checked.code, checked.message, framing)
            return undefined
          case "Notification":
            if (checked.method === "notifications/cancelled") yield* forget(checked.message.params?.requestId)
            return checked.message
          case "Request":
            if (open.has(checked.id)) {
              const problem = "Invalid request: a request with this id has no answer yet."
              yield* refuse(checked.id, invalidRequest, problem, framing)
              return undefined
            }
            if (!initialized && !beforeInitialize.has(checked.method)) {
              const problem = `Invalid request: send initialize before ${nameOf(checked.method)}.`
              yield* refuse(checked.id, invalidRequest, problem, framing)
              return undefined
            }
            return checked.message
        }
      })

      const one = (incoming: Incoming): Stream.Stream<Uint8Array> => {
        lastFraming = incoming.framing
        const { framing } = incoming
        switch (incoming._tag) {
          case "TooLarge": {
            const problem = `Invalid request: a message of ${incoming.bytes} bytes; at most ${messageLimit} are read.`
            return nothing(refuse(null, invalidRequest, problem, framing))
          }
          case "Malformed":
            return nothing(refuse(null, parseError, `Parse error: ${incoming.problem}.`, framing))
          case "Message": {
            const checked = checkMessage(incoming.text)
            const line = (message: Envelope) => Stream.succeed(frame(JSON.stringify(message), "lines"))
            return Stream.unwrap(
              Effect.gen(function* () {
                const message = yield* admit(checked, framing)
                if (message === undefined) return Stream.empty
                if (checked._tag !== "Request") return line(message)
                const answered = yield* accept(checked, framing)
                if (checked.method !== "initialize") return line(message)
                // What a hasty client sends behind it needs the session that this makes.
                const settled = Effect.map(Deferred.await(answered), ({ failed }) => {
                  initialized ||= !failed
                })
                return Stream.concat(line(message), nothing(settled))
              })
            )
          }
        }
      }

      const allAnswered = Effect.suspend(() =>
        Effect.forEach([...open.values()], ({ answered }) => Deferred.await(answered), { discard: true })
      ).pipe(Effect.timeoutOrElse({ duration: lastAnswersMs, orElse: () => Effect.void }))

      const stdin = Stream.concat(
        pipes.input.pipe(Stream.flatMap((chunk) => Stream.fromIterable(reader.push(chunk)))),
        Stream.suspend(() => Stream.fromIterable(reader.end()))
      ).pipe(Stream.flatMap(one), Stream.concat(Stream.suspend(() => nothing(allAnswered))))

      const send = Effect.fnUntraced(function* (text: string) {
        const message = JSON.parse(text) as {
          readonly id?: RequestId
          readonly error?: unknown
          readonly method?: string
        }
        const request = message.method === undefined && message.id !== undefined ? open.get(message.id) : undefined
        yield* pipes.write(frame(text, request?.framing ?? lastFraming))
        if (message.id === undefined || request === undefined) return
        open.delete(message.id)
        const failed = message.error !== undefined
        yield* trace({
          method: request.method,
          tool: request.tool,
          milliseconds: host.monotonicMs() - request.startedMs,
          outcome: failed ? "error" : "result"
        })
        yield* Deferred.succeed(request.answered, { failed })
      })

      const sendAll = (bytes: string | Uint8Array) =>
        Effect.forEach(linesOf(typeof bytes === "string" ? bytes : Buffer.from(bytes).toString("utf8")), send, {
          discard: true
        })

      return Stdio.make({
        args: Effect.succeed([]),
        stdin,
        stdout: () => Sink.forEach(sendAll),
        stderr: () => Sink.drain
      })
    })
  )

/** What a client may ask before initialize: also a probe for newer protocols, which gets its "no such method". */
const beforeInitialize: ReadonlySet<string> = new Set(["initialize", "ping", "server/discover"])
/** Methods that an error may repeat. */
const known: ReadonlySet<string> = new Set(["tools/list", "tools/call"])
const nameOf = (method: string): string => (known.has(method) ? method : "anything else")

const toolOf = (message: Envelope): string | undefined => {
  const name = message.method === "tools/call" ? message.params?.name : undefined
  return typeof name === "string" && toolNames.has(name) ? name : undefined
}

const nothing = (effect: Effect.Effect<unknown>): Stream.Stream<never> =>
  Stream.unwrap(Effect.map(effect, () => Stream.empty))

const linesOf = (text: string): ReadonlyArray<string> => text.split("\n").filter((line) => line !== "")
