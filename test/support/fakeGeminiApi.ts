import * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type Told, whenTold } from "./whenTold.ts"

/** Token counts of one answer, in the names of the Gemini API. */
export interface GeminiTokens {
  /** Includes what was read from the cache. */
  readonly promptTokenCount: number
  readonly cachedContentTokenCount: number
  /** Without thoughts. */
  readonly candidatesTokenCount: number
  readonly thoughtsTokenCount: number
  readonly totalTokenCount: number
}

/** One answer of the model. */
export interface GeminiReply {
  readonly thought?: string
  /** A list comes in so many pieces; a text in two. */
  readonly text?: string | ReadonlyArray<string>
  /** Instead of `text`, when the request holds these words. */
  readonly told?: Told
  /** All in one answer: the agent may run them at the same time. */
  readonly calls?: ReadonlyArray<{ readonly name: string; readonly args: Readonly<Record<string, unknown>> }>
  /** An error instead of the answer: for the first `times` requests of this step, then the answer; without `times` for all. */
  readonly error?: { readonly status: number; readonly message: string; readonly times?: number }
  /** Sends the beginning of the answer and then nothing, until the client goes away. */
  readonly stalls?: boolean
}

/** What the model says in one conversation, answer by answer. */
export type GeminiScenario = ReadonlyArray<GeminiReply>

export interface GeminiPart {
  readonly text?: string
  readonly thought?: boolean
  readonly functionCall?: { readonly name: string; readonly args: unknown }
  readonly functionResponse?: { readonly name: string; readonly response: unknown }
}
interface Content {
  readonly role: string
  readonly parts?: ReadonlyArray<GeminiPart>
}
export interface GeminiRequest {
  readonly contents: ReadonlyArray<Content>
  readonly generationConfig?: { readonly responseMimeType?: string; readonly responseJsonSchema?: unknown }
  readonly systemInstruction?: unknown
  readonly tools?: ReadonlyArray<{ readonly functionDeclarations?: ReadonlyArray<{ readonly name: string }> }>
}

/** One request that arrived. `step` is the number of answers that the conversation already had, counted from 0. */
export interface GeminiReceived {
  readonly path: string
  readonly scenario: string | undefined
  readonly step: number
  readonly body: GeminiRequest
}

export interface GeminiSent {
  readonly scenario: string | undefined
  readonly step: number
  readonly tokens: GeminiTokens
  readonly whole: boolean
}

export interface FakeGeminiApi {
  /** For GOOGLE_GEMINI_BASE_URL. */
  readonly url: string
  readonly received: ReadonlyArray<GeminiReceived>
  readonly sent: ReadonlyArray<GeminiSent>
  /** Waits until the answer of that step is sent, or, when it stalls, until its beginning is. */
  readonly answered: (scenario: string, step: number) => Effect.Effect<GeminiSent>
}

/**
 * A stand-in for the Gemini API on a free loopback port, for as long as the scope lives.
 *
 * The last prompt of a request chooses the scenario by the words `scenario:<name>`, and the number of the model's contents after it the
 * answer. The server keeps no conversation, so that a resume, a retry, a sub-agent and two sessions at once need nothing more. What the
 * agent asks on its own account (a summary, a value as JSON) is answered with something of the shape that it wants.
 */
export const startFakeGeminiApi = (
  scenarios: Readonly<Record<string, GeminiScenario>>
): Effect.Effect<FakeGeminiApi, never, Scope.Scope> =>
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
  readonly api: (url: string) => FakeGeminiApi
}

const makeServer = (scenarios: Readonly<Record<string, GeminiScenario>>): RunningServer => {
  const received: Array<GeminiReceived> = []
  const sent: Array<GeminiSent> = []
  const waiting = new Set<(answer: GeminiSent) => void>()

  const noteSent = (answer: GeminiSent) => {
    sent.push(answer)
    for (const wake of waiting) wake(answer)
  }

  const answer = (request: GeminiReceived, streams: boolean, response: http.ServerResponse) => {
    const { scenario, step, body } = request
    const own = ownRequest(body)
    if (own !== undefined) return send(response, [chunk([{ text: own }], tokensOf(0))], streams, false)
    const reply = whenTold(replyOf(scenarios, scenario, step), body)
    const asked = received.filter((other) => other.scenario === scenario && other.step === step).length
    if (reply.error !== undefined && asked <= (reply.error.times ?? Number.POSITIVE_INFINITY)) {
      const { status, message } = reply.error
      return sendJson(response, status, { error: { code: status, message, status: "INVALID_ARGUMENT" } })
    }
    const tokens = tokensOf(sent.length + 1)
    noteSent({ scenario, step, tokens, whole: reply.stalls !== true })
    send(response, chunksOf(reply, tokens), streams, reply.stalls === true)
  }

  const server = http.createServer((request, response) => {
    const parts: Array<Buffer> = []
    request.on("data", (part: Buffer) => parts.push(part))
    request.on("end", () => {
      const { pathname } = new URL(request.url ?? "/", "http://127.0.0.1")
      const method = /\/models\/[^/]+:(\w+)$/.exec(pathname)?.[1]
      const text = Buffer.concat(parts).toString("utf8")
      if (method === "countTokens") return sendJson(response, 200, { totalTokens: Math.ceil(text.length / 4) })
      if (method !== "generateContent" && method !== "streamGenerateContent") {
        return sendJson(response, 404, { error: { code: 404, message: `Nothing is served at ${pathname}.` } })
      }
      const body = JSON.parse(text) as GeminiRequest
      const entry: GeminiReceived = { path: pathname, ...placeOf(body), body }
      received.push(entry)
      answer(entry, method === "streamGenerateContent", response)
    })
  })

  return {
    server,
    api: (url) => ({
      url,
      received,
      sent,
      answered: (scenario, step) =>
        Effect.callback<GeminiSent>((resume) => {
          const wake = (answer: GeminiSent) => {
            if (answer.scenario !== scenario || answer.step !== step) return
            waiting.delete(wake)
            resume(Effect.succeed(answer))
          }
          waiting.add(wake)
          for (const answer of sent) wake(answer)
          return Effect.sync(() => waiting.delete(wake))
        })
    })
  }
}

/** Where a request stands: which scenario its last prompt names, and how many answers there were since. */
const placeOf = ({ contents }: GeminiRequest): { scenario: string | undefined; step: number } => {
  let step = 0
  for (const content of contents.toReversed()) {
    if (content.role === "model") step += 1
    if (content.role !== "user") continue
    const prompt = promptOf(content)
    const named = [...prompt.matchAll(/scenario:([\w-]+)/g)].at(-1)?.[1]
    if (named !== undefined) return { scenario: named, step }
    if (prompt !== "") break
  }
  return { scenario: undefined, step: 0 }
}

const promptOf = ({ parts = [] }: Content): string =>
  parts.some((part) => part.functionResponse !== undefined)
    ? ""
    : parts
        .map((part) => part.text ?? "")
        .join("\n")
        .trim()

const replyOf = (
  scenarios: Readonly<Record<string, GeminiScenario>>,
  scenario: string | undefined,
  step: number
): GeminiReply => {
  const steps = scenario === undefined ? undefined : scenarios[scenario]
  return steps?.[step] ?? { text: steps?.at(-1)?.text ?? "Nothing to add." }
}

/** The answer to what the agent asks on its own account; undefined for a request of the conversation. */
const ownRequest = ({ contents, generationConfig, systemInstruction, tools }: GeminiRequest): string | undefined => {
  if (generationConfig?.responseMimeType === "application/json") {
    return JSON.stringify(sampleOf(generationConfig.responseJsonSchema))
  }
  const words = JSON.stringify([systemInstruction, contents.at(-1)])
  if (words.includes("state_snapshot")) return "<state_snapshot><overall_goal>To test.</overall_goal></state_snapshot>"
  return tools === undefined && /summar/i.test(words) ? "A summary." : undefined
}

/** A small value that a JSON schema allows. */
const sampleOf = (schema: unknown): unknown => {
  if (typeof schema !== "object" || schema === null) return "ok"
  const { type, properties, enum: choices } = schema as { type?: string; properties?: object; enum?: Array<unknown> }
  if (choices !== undefined) return choices[0]
  switch (type) {
    case "array":
      return []
    case "boolean":
      return false
    case "number":
    case "integer":
      return 1
    case "string":
      return "ok"
    default:
      return Object.fromEntries(Object.entries(properties ?? {}).map(([key, value]) => [key, sampleOf(value)]))
  }
}

/** Other counts for each answer, so that one that is missing or counted twice changes every total. */
const tokensOf = (number: number): GeminiTokens => {
  const counts = {
    promptTokenCount: 1000 + 11 * number,
    cachedContentTokenCount: 300 + 7 * number,
    candidatesTokenCount: 40 + 3 * number,
    thoughtsTokenCount: 5 * number
  }
  const { promptTokenCount, candidatesTokenCount, thoughtsTokenCount } = counts
  return { ...counts, totalTokenCount: promptTokenCount + candidatesTokenCount + thoughtsTokenCount }
}

const chunksOf = (reply: GeminiReply, tokens: GeminiTokens): ReadonlyArray<Readonly<Record<string, unknown>>> => {
  const pieces: Array<ReadonlyArray<GeminiPart>> = []
  if (reply.thought !== undefined) pieces.push([{ text: reply.thought, thought: true }])
  for (const text of inPieces(reply.text ?? "")) pieces.push([{ text }])
  if (reply.calls !== undefined) pieces.push(reply.calls.map((functionCall) => ({ functionCall })))
  if (pieces.length === 0) pieces.push([{ text: "" }])
  return pieces.map((parts, index) => chunk(parts, index === pieces.length - 1 ? tokens : undefined))
}

const inPieces = (text: string | ReadonlyArray<string>): ReadonlyArray<string> => {
  if (typeof text !== "string") return text
  const middle = Math.ceil(text.length / 2)
  return [text.slice(0, middle), text.slice(middle)].filter((piece) => piece !== "")
}

/** As in the real API, the last chunk alone has the reason why it ends and the usage. */
const chunk = (parts: ReadonlyArray<GeminiPart>, tokens: GeminiTokens | undefined) => ({
  candidates: [
    { content: { role: "model", parts }, index: 0, ...(tokens === undefined ? {} : { finishReason: "STOP" }) }
  ],
  ...(tokens === undefined ? {} : { usageMetadata: tokens })
})

const send = (
  response: http.ServerResponse,
  chunks: ReadonlyArray<Readonly<Record<string, unknown>>>,
  streams: boolean,
  stalls: boolean
) => {
  if (!streams) return sendJson(response, 200, chunks.at(-1))
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" })
  for (const one of stalls ? chunks.slice(0, -1) : chunks) response.write(`data: ${JSON.stringify(one)}\r\n\r\n`)
  if (!stalls) response.end()
}

const sendJson = (response: http.ServerResponse, status: number, body: unknown) =>
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))

/** What answers used together, in the names of the archive. */
export const geminiUsage = (answers: ReadonlyArray<GeminiSent>) =>
  answers
    .filter(({ whole }) => whole)
    .reduce(
      (sum, { tokens }) => ({
        input_tokens: sum.input_tokens + tokens.promptTokenCount - tokens.cachedContentTokenCount,
        cache_read_input_tokens: sum.cache_read_input_tokens + tokens.cachedContentTokenCount,
        output_tokens: sum.output_tokens + tokens.candidatesTokenCount + tokens.thoughtsTokenCount,
        reasoning_output_tokens: sum.reasoning_output_tokens + tokens.thoughtsTokenCount,
        total_tokens: sum.total_tokens + tokens.totalTokenCount
      }),
      {
        input_tokens: 0,
        cache_read_input_tokens: 0,
        output_tokens: 0,
        reasoning_output_tokens: 0,
        total_tokens: 0
      }
    )
