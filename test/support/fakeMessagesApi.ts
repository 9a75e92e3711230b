import * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type Told, whenTold } from "./whenTold.ts"

/** Token counts of one message, in the names of the Messages API. */
export interface TokenCounts {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_creation_input_tokens: number
  readonly cache_read_input_tokens: number
}

/** One answer of the model. */
export interface Reply {
  readonly thinking?: string
  readonly text?: string
  /** Instead of `text`, when the request holds these words. */
  readonly told?: Told
  /** All in one message: the agent may run them at the same time. */
  readonly tools?: ReadonlyArray<{ readonly name: string; readonly input: Readonly<Record<string, unknown>> }>
  readonly usage?: Partial<TokenCounts>
  /** An error instead of the answer: for the first `times` requests of this step, then the answer; without `times` for all. */
  readonly error?: { readonly status: number; readonly type: string; readonly message: string; readonly times?: number }
  /** Sends the beginning of the answer and then nothing, until the client goes away. */
  readonly stalls?: boolean
}

/** What the model says in one conversation, answer by answer. After the last one it repeats the text of the last. */
export type Scenario = ReadonlyArray<Reply>

/** One request that arrived. `step` is the number of answers that the conversation already had, counted from 0. */
export interface Received {
  readonly method: string
  readonly path: string
  /** The scenario that its prompt names; undefined when it names none. */
  readonly scenario: string | undefined
  readonly step: number
  /** The login that came with it: an API key, or `Bearer` and a token. */
  readonly login: string | undefined
  readonly body: MessagesRequest | undefined
}

/** One message that was sent, with the usage that the client was told. `whole` is false when it stalled. */
export interface Sent {
  readonly id: string
  readonly scenario: string | undefined
  readonly step: number
  readonly model: string
  readonly usage: TokenCounts
  readonly whole: boolean
}

export interface MessagesRequest {
  readonly model: string
  readonly stream?: boolean
  readonly system?: unknown
  readonly tools?: ReadonlyArray<{ readonly name: string }>
  readonly messages: ReadonlyArray<{ readonly role: string; readonly content: string | ReadonlyArray<ContentBlock> }>
}
/** The fields of a text, a tool_use and a tool_result, as far as somebody looks at them. */
interface ContentBlock {
  readonly type: string
  readonly text?: string
  readonly name?: string
  readonly input?: unknown
  readonly content?: unknown
  readonly is_error?: boolean
}

export interface FakeMessagesApi {
  /** For ANTHROPIC_BASE_URL. */
  readonly url: string
  readonly received: ReadonlyArray<Received>
  readonly sent: ReadonlyArray<Sent>
  /** Hosts that the agent tried to reach through this server as its proxy. */
  readonly strays: ReadonlyArray<string>
  /** Waits until the answer of that step is sent, or, when it stalls, until its beginning is. */
  readonly answered: (scenario: string, step: number) => Effect.Effect<Sent>
}

/**
 * A stand-in for the Anthropic Messages API on a free loopback port, for as long as the scope lives.
 *
 * The last prompt of a request chooses the scenario by the words `scenario:<name>`, and the number of assistant messages after it the
 * answer. The server keeps no conversation, so that a resume, a retry, a subagent and two sessions at once need nothing more. A prompt
 * that names no scenario, such as that of a compaction, is answered with one short text.
 */
export const startFakeMessagesApi = (
  scenarios: Readonly<Record<string, Scenario>>
): Effect.Effect<FakeMessagesApi, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<RunningServer>((resume) => {
        const running = makeServer(scenarios)
        running.server.listen(0, "127.0.0.1", () => resume(Effect.succeed(running)))
      }),
      ({ server }) =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          server.closeAllConnections()
        })
    ),
    (running) => running.api(`http://127.0.0.1:${(running.server.address() as AddressInfo).port}`)
  )

interface RunningServer {
  readonly server: http.Server
  readonly api: (url: string) => FakeMessagesApi
}

const unscripted: Reply = { text: "Nothing to add." }

const makeServer = (scenarios: Readonly<Record<string, Scenario>>): RunningServer => {
  const received: Array<Received> = []
  const sent: Array<Sent> = []
  const strays: Array<string> = []
  const waiting = new Set<(message: Sent) => void>()
  let tools = 0

  const noteSent = (message: Sent) => {
    sent.push(message)
    for (const wake of waiting) wake(message)
  }

  const answerMessages = (request: Received & { body: MessagesRequest }, response: http.ServerResponse) => {
    const { scenario, step, body } = request
    const reply = whenTold(replyOf(scenarios, scenario, step), body)
    const asked = received.filter((other) => other.scenario === scenario && other.step === step && other.body).length
    if (reply.error !== undefined && asked <= (reply.error.times ?? Number.POSITIVE_INFINITY)) {
      return sendError(response, reply.error)
    }
    const number = sent.length + 1
    const content = [
      ...(reply.thinking === undefined ? [] : [{ type: "thinking", thinking: reply.thinking, signature: "c2lnbmVk" }]),
      ...(reply.text === undefined ? [] : [{ type: "text", text: reply.text }]),
      ...(reply.tools ?? []).map((tool) => ({ type: "tool_use", id: `toolu_${pad(++tools)}`, ...tool }))
    ]
    const message: Message = {
      id: `msg_${pad(number)}`,
      type: "message",
      role: "assistant",
      model: body.model,
      content,
      stop_reason: reply.tools === undefined ? "end_turn" : "tool_use",
      stop_sequence: null,
      usage: { ...usageOf(number), ...reply.usage }
    }
    const whole = reply.stalls !== true
    const usage = whole ? message.usage : beginningOf(message.usage)
    noteSent({ id: message.id, scenario, step, model: body.model, usage, whole })
    if (body.stream === true) return stream(response, message, reply.stalls === true)
    return sendJson(response, 200, message)
  }

  const server = http.createServer((request, response) => {
    const parts: Array<Buffer> = []
    request.on("data", (part: Buffer) => parts.push(part))
    request.on("end", () => {
      const path = new URL(request.url ?? "/", "http://127.0.0.1").pathname
      const text = Buffer.concat(parts).toString("utf8")
      const body = request.method === "POST" ? (JSON.parse(text) as MessagesRequest) : undefined
      const login = [request.headers["x-api-key"]].flat()[0] ?? request.headers.authorization
      const entry: Received = { method: request.method ?? "", path, login, body, ...placeOf(body) }
      received.push(entry)
      if (path === "/v1/messages" && body !== undefined) return answerMessages({ ...entry, body }, response)
      if (path === "/v1/messages/count_tokens") {
        return sendJson(response, 200, { input_tokens: Math.ceil(text.length / 4) })
      }
      if (request.method === "HEAD") return response.writeHead(200).end()
      return sendError(response, { status: 404, type: "not_found_error", message: `Nothing is served at ${path}.` })
    })
  })
  server.on("connect", (request, socket) => {
    strays.push(request.url ?? "")
    socket.destroy()
  })

  return {
    server,
    api: (url) => ({
      url,
      received,
      sent,
      strays,
      answered: (scenario, step) =>
        Effect.callback<Sent>((resume) => {
          const wake = (message: Sent) => {
            if (message.scenario !== scenario || message.step !== step) return
            waiting.delete(wake)
            resume(Effect.succeed(message))
          }
          waiting.add(wake)
          for (const message of sent) wake(message)
          return Effect.sync(() => waiting.delete(wake))
        })
    })
  }
}

/** Where a request stands: which scenario its last prompt names, and how many answers there were since. */
const placeOf = (body: MessagesRequest | undefined): { scenario: string | undefined; step: number } => {
  let step = 0
  for (const message of (body?.messages ?? []).toReversed()) {
    if (message.role === "assistant") step += 1
    if (message.role !== "user") continue
    const prompt = promptOf(message.content)
    const named = [...prompt.matchAll(/scenario:([\w-]+)/g)].at(-1)?.[1]
    if (named !== undefined) return { scenario: named, step }
    if (prompt !== "") break
  }
  return { scenario: undefined, step: 0 }
}

/** The text that a person, or an agent in the place of one, wrote: neither tool results nor what the client adds on its own. */
const promptOf = (content: string | ReadonlyArray<ContentBlock>): string =>
  (typeof content === "string" ? [{ type: "text", text: content }] : content)
    .map((block) => (block.type === "text" ? (block.text ?? "") : ""))
    .join("\n")
    .replaceAll(/<system-reminder>.*?<\/system-reminder>/gs, "")
    .trim()

const replyOf = (scenarios: Readonly<Record<string, Scenario>>, scenario: string | undefined, step: number): Reply => {
  const steps = scenario === undefined ? undefined : scenarios[scenario]
  if (steps === undefined) return unscripted
  return steps[step] ?? { text: steps.at(-1)?.text ?? "Done." }
}

const pad = (number: number) => String(number).padStart(6, "0")

/** Another count for each message, so that a message that is missing or counted twice changes every total. */
const usageOf = (number: number): TokenCounts => ({
  input_tokens: 100 + number,
  output_tokens: 50 + 3 * number,
  cache_creation_input_tokens: 20 + 5 * number,
  cache_read_input_tokens: 3000 + 7 * number
})

/** What the beginning of an answer says of its usage. */
const beginningOf = (usage: TokenCounts): TokenCounts => ({ ...usage, output_tokens: 1 })

const noTokens: TokenCounts = {
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0
}

/** What messages used together. */
export const usageOfAll = (messages: ReadonlyArray<Sent>): TokenCounts =>
  messages.reduce((sum, { usage }) => addCounts(sum, usage), noTokens)

const addCounts = (left: TokenCounts, right: TokenCounts): TokenCounts => ({
  input_tokens: left.input_tokens + right.input_tokens,
  output_tokens: left.output_tokens + right.output_tokens,
  cache_creation_input_tokens: left.cache_creation_input_tokens + right.cache_creation_input_tokens,
  cache_read_input_tokens: left.cache_read_input_tokens + right.cache_read_input_tokens
})

const sendJson = (response: http.ServerResponse, status: number, body: unknown) =>
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))

/** The envelope of an API error. `retry-after: 0` keeps the client's retries short. */
const sendError = (response: http.ServerResponse, error: { status: number; type: string; message: string }) =>
  response
    .writeHead(error.status, { "content-type": "application/json", "retry-after": "0" })
    .end(JSON.stringify({ type: "error", error: { type: error.type, message: error.message } }))

interface Message {
  readonly id: string
  readonly type: "message"
  readonly role: "assistant"
  readonly model: string
  readonly content: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly stop_reason: string
  readonly stop_sequence: null
  readonly usage: TokenCounts
}

/** Server-sent events in the order of the real API: the first usage has one output token, the last the true count. */
const stream = (response: http.ServerResponse, message: Message, stalls: boolean) => {
  const send = (type: string, data: Readonly<Record<string, unknown>>) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`)
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" })
  send("message_start", { message: { ...message, content: [], stop_reason: null, usage: beginningOf(message.usage) } })
  send("ping", {})
  for (const [index, block] of message.content.entries()) {
    const { start, deltas } = piecesOf(block)
    send("content_block_start", { index, content_block: start })
    for (const delta of deltas) send("content_block_delta", { index, delta })
    if (stalls) return
    send("content_block_stop", { index })
  }
  send("message_delta", {
    delta: { stop_reason: message.stop_reason, stop_sequence: null },
    usage: message.usage
  })
  send("message_stop", {})
  response.end()
}

type Piece = Readonly<Record<string, unknown>>

const piecesOf = (block: Piece): { readonly start: Piece; readonly deltas: ReadonlyArray<Piece> } => {
  switch (block.type) {
    case "text":
      return {
        start: { type: "text", text: "" },
        deltas: (String(block.text).match(/.{1,40}/gsu) ?? []).map((text) => ({ type: "text_delta", text }))
      }
    case "thinking":
      return {
        start: { type: "thinking", thinking: "", signature: "" },
        deltas: [
          { type: "thinking_delta", thinking: block.thinking },
          { type: "signature_delta", signature: block.signature }
        ]
      }
    default:
      return {
        start: { ...block, input: {} },
        deltas: [{ type: "input_json_delta", partial_json: JSON.stringify(block.input) }]
      }
  }
}
