import * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type Told, whenTold } from "./whenTold.ts"

/** Token counts of one answer, in the names of the Responses API. */
export interface ResponseTokens {
  /** Includes what was read from the cache. */
  readonly input_tokens: number
  readonly input_tokens_details: { readonly cached_tokens: number; readonly cache_write_tokens: number }
  /** Includes reasoning. */
  readonly output_tokens: number
  readonly output_tokens_details: { readonly reasoning_tokens: number }
  readonly total_tokens: number
}

/** A call of a tool: a function with arguments, or a tool that takes text. */
export type ResponseCall =
  | { readonly name: string; readonly namespace?: string; readonly args: Readonly<Record<string, unknown>> }
  | { readonly name: string; readonly input: string }

/** One answer of the model. */
export interface ResponseReply {
  readonly text?: string
  /** Instead of `text`, when the request holds these words. */
  readonly told?: Told
  /** All in one answer: the agent may run them at the same time. `AGENT` in an argument stands for the id of the newest subagent. */
  readonly calls?: ReadonlyArray<ResponseCall>
  /** An HTTP error instead of the answer. */
  readonly error?: { readonly status: number; readonly message: string }
  /** Says that so many tokens were in the input, so that the agent finds its context full. */
  readonly inputTokens?: number
}

/** What the model says in one conversation, answer by answer. */
export type ResponseScenario = ReadonlyArray<ResponseReply>

interface Item {
  readonly type?: string
  readonly role?: string
  readonly content?: string | ReadonlyArray<{ readonly text?: string }>
  readonly output?: unknown
  readonly call_id?: string
  readonly name?: string
}

export interface ResponseRequest {
  readonly model: string
  readonly input: ReadonlyArray<Item>
  readonly tools?: ReadonlyArray<{ readonly name?: string }>
  /** The form that the answer is to have. */
  readonly text?: { readonly format?: { readonly type: string; readonly schema?: unknown } }
}

/** One request that arrived. `step` is the number of answers that the turn already had, counted from 0. */
export interface ResponseReceived {
  readonly path: string
  readonly scenario: string | undefined
  readonly step: number
  readonly body: ResponseRequest
}

export interface ResponseSent {
  readonly scenario: string | undefined
  readonly step: number
  readonly tokens: ResponseTokens
}

export interface FakeResponsesApi {
  /** For `base_url` of a model provider. */
  readonly url: string
  readonly received: ReadonlyArray<ResponseReceived>
  readonly sent: ReadonlyArray<ResponseSent>
}

/**
 * A stand-in for OpenAI's Responses API on a free loopback port, for as long as the scope lives. It answers what Codex asks of a provider of its
 * own, which is POST /responses alone.
 *
 * The last prompt that has the words `scenario:<name>` chooses the scenario, and the number of the model's answers after it the answer. The
 * server keeps no conversation, so that a resume, a fork, a subagent and two sessions at once need nothing more.
 */
export const startFakeResponsesApi = (
  scenarios: Readonly<Record<string, ResponseScenario>>
): Effect.Effect<FakeResponsesApi, never, Scope.Scope> =>
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
    ({ server, received, sent }) => ({
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
      received,
      sent
    })
  )

interface RunningServer {
  readonly server: http.Server
  readonly received: ReadonlyArray<ResponseReceived>
  readonly sent: ReadonlyArray<ResponseSent>
}

const makeServer = (scenarios: Readonly<Record<string, ResponseScenario>>): RunningServer => {
  const received: Array<ResponseReceived> = []
  const sent: Array<ResponseSent> = []
  const server = http.createServer((request, response) => {
    const parts: Array<Buffer> = []
    request.on("data", (part: Buffer) => parts.push(part))
    request.on("end", () => {
      const { pathname } = new URL(request.url ?? "/", "http://127.0.0.1")
      if (request.method !== "POST" || !pathname.endsWith("/responses")) {
        response.writeHead(404, { "content-type": "application/json" })
        return response.end(JSON.stringify({ error: { message: `Nothing is served at ${pathname}.` } }))
      }
      const body = JSON.parse(Buffer.concat(parts).toString("utf8")) as ResponseRequest
      const place = placeOf(body.input)
      received.push({ path: pathname, ...place, body })
      // The summary stands in the place of the conversation, so it says how that goes on.
      const reply: ResponseReply = isSummary(body.input)
        ? { text: "A summary. scenario:after-summary" }
        : whenTold(replyOf(scenarios, place), body)
      if (reply.error !== undefined) {
        response.writeHead(reply.error.status, { "content-type": "application/json" })
        return response.end(JSON.stringify({ error: { message: reply.error.message, type: "invalid_request_error" } }))
      }
      const tokens = tokensOf(sent.length + 1, reply.inputTokens)
      sent.push({ ...place, tokens })
      return stream(response, body, reply, tokens, sent.length)
    })
  })
  return { server, received, sent }
}

const textOf = ({ content }: Item): string =>
  typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("\n")

const isPrompt = ({ type, role }: Item): boolean => role === "user" || type === "agent_message"
const isAnswer = ({ type, role }: Item): boolean =>
  type === "function_call" || type === "custom_tool_call" || type === "reasoning" || role === "assistant"

/** Where a request stands: which scenario its last prompt names, and how many answers there were since. */
const placeOf = (input: ReadonlyArray<Item>): { scenario: string | undefined; step: number } => {
  for (const [index, item] of [...input.entries()].toReversed()) {
    const name = isPrompt(item) ? [...textOf(item).matchAll(/scenario:([\w-]+)/g)].at(-1)?.[1] : undefined
    if (name === undefined) continue
    // An answer may be several items; between two answers are the outputs of the first one's calls.
    const since = input.slice(index + 1).filter((one) => isAnswer(one) || one.output !== undefined)
    const step = since.filter((one, at) => isAnswer(one) && !isAnswer(since[at - 1] ?? {})).length
    return { scenario: name, step }
  }
  return { scenario: undefined, step: 0 }
}

/** Codex compacts a conversation by asking the model for a summary of it. */
const isSummary = (input: ReadonlyArray<Item>): boolean => {
  const last = input.toReversed().find((item) => item.role === "user")
  return last !== undefined && /CONTEXT CHECKPOINT COMPACTION/.test(textOf(last))
}

const replyOf = (
  scenarios: Readonly<Record<string, ResponseScenario>>,
  { scenario, step }: { readonly scenario: string | undefined; readonly step: number }
): ResponseReply => {
  const steps = scenario === undefined ? undefined : scenarios[scenario]
  return steps?.[step] ?? { text: steps?.at(-1)?.text ?? "Nothing to add." }
}

/** Other counts for each answer, so that one that is missing or counted twice changes every total. */
const tokensOf = (number: number, input = 1000 + 11 * number): ResponseTokens => {
  const output = 40 + 3 * number
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 300 + 7 * number, cache_write_tokens: number },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 2 * number },
    total_tokens: input + output
  }
}

const stream = (
  response: http.ServerResponse,
  body: ResponseRequest,
  reply: ResponseReply,
  tokens: ResponseTokens,
  number: number
): void => {
  const id = `resp_${number}`
  const answer = { id, object: "response", created_at: 0, model: body.model }
  const output = [
    ...(reply.text === undefined ? [] : [messageItem(reply.text, number)]),
    ...(reply.calls ?? []).map((call, index) => callItem(call, `${number}_${index}`, body.input))
  ]
  const say = (type: string, fields: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`)
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" })
  say("response.created", { response: { ...answer, status: "in_progress", output: [] } })
  for (const [output_index, item] of output.entries()) {
    say("response.output_item.added", { output_index, item: { ...item, status: "in_progress" } })
    say("response.output_item.done", { output_index, item })
  }
  say("response.completed", { response: { ...answer, status: "completed", output, usage: tokens } })
  response.end()
}

const messageItem = (text: string, number: number) => ({
  type: "message",
  id: `msg_${number}`,
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text, annotations: [] }]
})

const callItem = (call: ResponseCall, id: string, input: ReadonlyArray<Item>) => {
  if ("input" in call) {
    return {
      type: "custom_tool_call",
      id: `ctc_${id}`,
      call_id: `call_${id}`,
      name: call.name,
      input: call.input,
      status: "completed"
    }
  }
  const outputs = JSON.stringify(input.map((item) => item.output ?? ""))
  const agent = [...outputs.matchAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g)].at(-1)?.[0]
  return {
    type: "function_call",
    id: `fc_${id}`,
    call_id: `call_${id}`,
    name: call.name,
    ...(call.namespace === undefined ? {} : { namespace: call.namespace }),
    arguments: JSON.stringify(call.args).replaceAll('"AGENT"', JSON.stringify(agent ?? "AGENT")),
    status: "completed"
  }
}

/** What answers used together, in the names of the archive. */
export const responsesUsage = (answers: ReadonlyArray<ResponseSent>) =>
  answers.reduce(
    (sum, { tokens }) => {
      const { cached_tokens: read, cache_write_tokens: written } = tokens.input_tokens_details
      return {
        input_tokens: sum.input_tokens + tokens.input_tokens - read - written,
        output_tokens: sum.output_tokens + tokens.output_tokens,
        cache_creation_input_tokens: sum.cache_creation_input_tokens + written,
        cache_read_input_tokens: sum.cache_read_input_tokens + read,
        reasoning_output_tokens: sum.reasoning_output_tokens + tokens.output_tokens_details.reasoning_tokens,
        total_tokens: sum.total_tokens + tokens.total_tokens
      }
    },
    {
      input_tokens: 0,
      output_tokens: 0,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      reasoning_output_tokens: 0,
      total_tokens: 0
    }
  )
