import type { IncomingMessage, Server, ServerResponse } from "node:http"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"

/** The port that was asked for cannot be had. */
export class PortUnavailable extends Data.TaggedError("PortUnavailable")<{
  readonly port: number
  /** The system's word for it: EADDRINUSE, EACCES, ... */
  readonly code: string
}> {
  override get message(): string {
    return this.code === "EADDRINUSE"
      ? `Port ${this.port} is taken. Give another --port, or none: then a free one is found.`
      : `Port ${this.port} cannot be used (${this.code}). Give another --port, or none: then a free one is found.`
  }
}

/** A request as it came; nothing in it is trusted. Its body is never read. */
export interface LoopbackRequest {
  readonly method: string
  /** What stands between method and version, not decoded: a path with its query, or whatever a client sent instead. */
  readonly target: string
  /** By lower-case name; values of a header that came more than once are all there. */
  readonly headers: ReadonlyMap<string, ReadonlyArray<string>>
}

/** A client that hears what happens until it goes. */
export interface Listener {
  /** Sends a piece of the body. False when the client is gone, or hears so slowly that it was sent away. */
  readonly send: (text: string) => boolean
}

export interface LoopbackResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** A text; or what is told while the client listens: it gets the listener, and gives what is to be done when that is gone. */
  readonly body: string | ((listener: Listener) => () => void)
}

/** What one client may cost; a reference, so that tests need not wait. */
export const LoopbackLimits = Context.Reference<{
  /** Bytes of a request's line and headers. */
  readonly headerBytes: number
  /** For the whole of a request; a client that drips it is sent away. */
  readonly requestMs: number
  /** How long a connection stays after an answer. */
  readonly keepAliveMs: number
  readonly connections: number
  /** Bytes that wait for a client that does not read. */
  readonly unreadBytes: number
}>("lint-ai/platform/LoopbackLimits", {
  defaultValue: () => ({
    headerBytes: 16 * 1024,
    requestMs: 10_000,
    keepAliveMs: 5_000,
    connections: 64,
    unreadBytes: 1024 * 1024
  })
})

/** Answers requests of this machine, and of no other. */
export class LoopbackServer extends Context.Service<
  LoopbackServer,
  {
    /**
     * Listens on 127.0.0.1 until the scope ends, which closes every connection at once.
     *
     * @param options `port`: 0 for any that is free
     * @returns the port
     */
    readonly serve: <R>(options: {
      readonly port: number
      readonly handle: (request: LoopbackRequest) => Effect.Effect<LoopbackResponse, never, R>
    }) => Effect.Effect<number, PortUnavailable, R | Scope.Scope>
  }
>()("lint-ai/platform/LoopbackServer") {
  static readonly layer = Layer.succeed(LoopbackServer, { serve })
}

function serve<R>(options: {
  readonly port: number
  readonly handle: (request: LoopbackRequest) => Effect.Effect<LoopbackResponse, never, R>
}): Effect.Effect<number, PortUnavailable, R | Scope.Scope> {
  return Effect.gen(function* () {
    const run = Effect.runForkWith(yield* Effect.context<R>())
    const limits = yield* LoopbackLimits
    // Loaded when it is needed: few commands listen.
    const server = process.getBuiltinModule("node:http").createServer(
      {
        maxHeaderSize: limits.headerBytes,
        headersTimeout: limits.requestMs,
        requestTimeout: limits.requestMs,
        keepAliveTimeout: limits.keepAliveMs,
        connectionsCheckingInterval: Math.min(1_000, limits.requestMs)
      },
      (request, response) => {
        // A body is nobody's business here; what is sent of it is dropped.
        request.resume()
        response.on("error", () => response.destroy())
        run(
          options.handle(requestOf(request)).pipe(
            Effect.catchCause(() => Effect.succeed(broken)),
            Effect.map((answer) => reply(request, response, answer, limits.unreadBytes))
          )
        )
      }
    )
    server.maxConnections = limits.connections
    server.on("clientError", (_error, socket) => {
      if (socket.writable) socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
      else socket.destroy()
    })
    // A client that wants to speak another protocol is not answered in it.
    server.on("upgrade", (_request, socket) => socket.destroy())
    return yield* Effect.acquireRelease(listening(server, options.port), () => closed(server))
  })
}

/** A fault of ours ends one answer, not the server. */
const broken: LoopbackResponse = {
  status: 500,
  headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" },
  body: "This could not be answered.\n"
}

const listening = (server: Server, port: number): Effect.Effect<number, PortUnavailable> =>
  Effect.callback<number, PortUnavailable>((resume) => {
    const refused = (error: NodeJS.ErrnoException) =>
      resume(Effect.fail(new PortUnavailable({ port, code: error.code ?? error.name })))
    server.once("error", refused)
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => {
      server.off("error", refused)
      const address = server.address()
      resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : port))
    })
  })

const closed = (server: Server): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    server.close(() => resume(Effect.void))
    server.closeAllConnections()
  })

const requestOf = (request: IncomingMessage): LoopbackRequest => {
  const headers = new Map<string, Array<string>>()
  for (let at = 0; at + 1 < request.rawHeaders.length; at += 2) {
    const name = (request.rawHeaders[at] ?? "").toLowerCase()
    headers.set(name, [...(headers.get(name) ?? []), request.rawHeaders[at + 1] ?? ""])
  }
  return { method: request.method ?? "", target: request.url ?? "", headers }
}

const reply = (
  request: IncomingMessage,
  response: ServerResponse,
  answer: LoopbackResponse,
  unreadBytes: number
): void => {
  if (response.destroyed) return
  const { body } = answer
  if (typeof body === "string") {
    const bytes = Buffer.from(body)
    response.writeHead(answer.status, { ...answer.headers, "content-length": String(bytes.length) })
    response.end(request.method === "HEAD" ? undefined : bytes)
    return
  }
  response.writeHead(answer.status, answer.headers)
  if (request.method === "HEAD") {
    response.end()
    return
  }
  const leave = body({
    send: (text) => {
      if (response.destroyed) return false
      response.write(text)
      if (response.writableLength <= unreadBytes) return true
      response.destroy()
      return false
    }
  })
  response.on("close", leave)
}
