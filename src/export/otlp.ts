import * as crypto from "node:crypto"
import * as Effect from "effect/Effect"
import type { ArchivedEvent } from "../domain/event.ts"
import type { Manifest } from "../domain/manifest.ts"
import type { Provider } from "../domain/provider.ts"
import type { Disk, DiskError } from "../platform/Disk.ts"
import { eachEvent, type Format, type Gathered, type Source } from "./Exporter.ts"
import { indexSession, type ModelCall, mainThread, promptTokens, type SessionIndex, threadOf } from "./modelCalls.ts"
import { type Step, stepCutter, type ToolCall, type ToolEnd } from "./steps.ts"

/** What is said beside ids, names, times and counts. */
export interface SpanOptions {
  /** Prompts, answers, tool input and output, as recorded. */
  readonly content: boolean
  /** The attributes of OpenInference beside those of OpenTelemetry. */
  readonly openInference: boolean
}

/** Version of the GenAI semantic conventions (repository semantic-conventions-genai, Development). */
const conventions = "0.1.0"
/** One request to a collector. Its usual limit is 4 MiB. */
const mostSpans = 512
const mostBytes = 2 * 1024 * 1024

const providerNames: Readonly<Record<Provider, string>> = {
  claude: "anthropic",
  codex: "openai",
  gemini: "gcp.gemini",
  antigravity: "gcp.gemini"
}
const agentNames: Readonly<Record<Provider, string>> = {
  claude: "claude-code",
  codex: "codex",
  gemini: "gemini-cli",
  antigravity: "antigravity-cli"
}

type Value = string | number | boolean | ReadonlyArray<string>
type Attributes = Readonly<Record<string, Value | undefined>>

interface Span {
  readonly name: string
  readonly id: string
  readonly parent: string | undefined
  readonly client: boolean
  readonly startMs: number
  readonly endMs: number
  readonly attributes: Attributes
  /** Set for a failure. */
  readonly error?: string
}

/**
 * OTLP/JSON: lines of one ExportTraceServiceRequest each. The session is one trace: `invoke_agent` for it and for each subagent, `chat` for each
 * model call that was observed, `execute_tool` for each tool call. Ids are made from those of the session and its events, so that the same session
 * always gives the same spans.
 */
export const otlp =
  (options: SpanOptions): Format =>
  (source, sink) =>
    otlpRequests(source, options, (request) => sink(`${request}\n`))

/** The trace of a session: 32 hex digits. */
export const traceIdOf = (manifest: Manifest): string =>
  digest("trace", manifest.session_id, manifest.started_at).slice(0, 32)

const digest = (...parts: ReadonlyArray<string>): string =>
  crypto
    .createHash("sha256")
    .update(JSON.stringify(["lint-ai", ...parts]))
    .digest("hex")

/** Gives `send` one request after the other. */
export const otlpRequests = (
  source: Source,
  options: SpanOptions,
  send: (request: string) => Effect.Effect<void, DiskError>
): Effect.Effect<number, DiskError, Disk> =>
  Effect.gen(function* () {
    const { manifest } = source
    const index = yield* indexSession(source.directory, manifest)
    const traceId = traceIdOf(manifest)
    const spanId = (...parts: ReadonlyArray<string>) => digest(traceId, ...parts).slice(0, 16)
    const agentSpan = (thread: string) => spanId("agent", thread)
    let spans: Array<string> = []
    let bytes = 0
    const add = (span: Span): void => {
      const text = JSON.stringify(encode(span, traceId))
      spans.push(text)
      bytes += text.length
    }
    const envelope = JSON.stringify({ resource: { attributes: attributes(resourceOf(manifest)) } }).slice(0, -1)
    const scope = JSON.stringify({
      scope: {
        name: "lint-ai",
        version: manifest.recorder_version ?? "",
        attributes: attributes({ "gen_ai.conventions.version": conventions })
      }
    }).slice(0, -1)
    const flush = Effect.suspend(() => {
      const requests: Array<string> = []
      for (let start = 0; start < spans.length; ) {
        let end = start
        let size = 0
        while (end < spans.length && end - start < mostSpans && (end === start || size < mostBytes)) {
          size += spans[end++]?.length ?? 0
        }
        requests.push(
          `{"resourceSpans":[${envelope},"scopeSpans":[${scope},"spans":[${spans.slice(start, end).join(",")}]}]}]}`
        )
        start = end
      }
      spans = []
      bytes = 0
      return Effect.forEach(requests, send, { discard: true })
    })
    const out: Gathered = {
      add: () => undefined,
      flush: Effect.suspend(() => (bytes >= mostBytes || spans.length >= mostSpans ? flush : Effect.void))
    }

    for (const span of agentSpans(manifest, index, agentSpan, options)) add(span)
    const tools = toolSpans(manifest, options, (call) => spanId("tool", call), agentSpan, add)
    const cutter = stepCutter(index, (step) => {
      for (const [at, call] of step.calls.entries()) {
        add({
          ...chatSpan(manifest, step, call, at, options),
          id: spanId("chat", call.usage.message_id),
          parent: agentSpan(step.thread)
        })
      }
    })
    const count = yield* eachEvent(source, out, (event, _, bytes) => {
      cutter.event(event, bytes)
      tools.event(event)
    })
    cutter.end()
    tools.end(index.lastTime ?? manifest.started_at)
    yield* flush
    return count
  })

const resourceOf = (manifest: Manifest): Attributes => ({
  "service.name": agentNames[manifest.provider],
  "service.version": manifest.provider_version,
  "vcs.ref.head.revision": manifest.repository_revision ?? undefined,
  "vcs.ref.head.name": manifest.repository_branch ?? undefined
})

const agentSpans = (
  manifest: Manifest,
  index: SessionIndex,
  spanOf: (thread: string) => string,
  options: SpanOptions
): ReadonlyArray<Span> => {
  const base = (thread: string, name: string): Attributes => ({
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.provider.name": providerNames[manifest.provider],
    "gen_ai.agent.name": name,
    "gen_ai.agent.id": thread === mainThread ? undefined : thread,
    "gen_ai.conversation.id": manifest.session_id,
    ...openInference(options, { "openinference.span.kind": "AGENT", "session.id": manifest.session_id })
  })
  const name = agentNames[manifest.provider]
  return [
    {
      name: `invoke_agent ${name}`,
      id: spanOf(mainThread),
      parent: undefined,
      client: false,
      startMs: Date.parse(index.firstTime ?? manifest.started_at),
      endMs: Date.parse(index.lastTime ?? manifest.started_at),
      attributes: { ...base(mainThread, name), "lint_ai.session.status": manifest.status },
      ...(manifest.status === "failed" ? { error: manifest.end_reason ?? "failed" } : undefined)
    },
    ...[...index.agents].map(([agent, { type, firstTime, lastTime }]) => ({
      name: `invoke_agent ${type ?? "subagent"}`,
      id: spanOf(agent),
      parent: spanOf(mainThread),
      client: false,
      startMs: Date.parse(firstTime),
      endMs: Date.parse(lastTime),
      attributes: base(agent, type ?? "subagent")
    }))
  ]
}

const openInference = (options: SpanOptions, own: Attributes): Attributes => (options.openInference ? own : {})

const chatSpan = (
  manifest: Manifest,
  step: Step,
  call: ModelCall,
  at: number,
  options: SpanOptions
): Omit<Span, "id" | "parent"> => {
  const { usage } = call
  const given = step.inputs.at(-1)
  // A model cannot have been asked before it was given what it answers: the nearest that is known where the agent tells no beginning.
  const known = given === undefined || at > 0 ? call.endMs : Math.min(Date.parse(given.timestamp), call.endMs)
  const prompt = promptTokens(usage)
  const said = options.content && at === step.calls.length - 1
  const heard = options.content && at === 0
  const failed = step.outputs.find(
    (output) => output.kind === "assistant_message" && output.payload.error !== undefined
  )
  const inputText = heard ? JSON.stringify(inputMessages(step)) : undefined
  const outputText = said ? JSON.stringify(outputMessages(step, usage.stop_reason)) : undefined
  return {
    name: usage.model === undefined ? "chat" : `chat ${usage.model}`,
    client: true,
    startMs: Math.min(call.startMs ?? known, call.endMs),
    endMs: call.endMs,
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": providerNames[manifest.provider],
      "gen_ai.conversation.id": manifest.session_id,
      "gen_ai.response.model": usage.model,
      "gen_ai.response.id": usage.message_id,
      "gen_ai.response.finish_reasons": usage.stop_reason === undefined ? undefined : [usage.stop_reason],
      "gen_ai.usage.input_tokens": prompt,
      "gen_ai.usage.output_tokens": usage.output_tokens ?? undefined,
      "gen_ai.usage.cache_read.input_tokens": usage.cache_read_input_tokens ?? undefined,
      "gen_ai.usage.cache_creation.input_tokens": usage.cache_creation_input_tokens ?? undefined,
      "gen_ai.usage.reasoning.output_tokens": usage.reasoning_output_tokens ?? undefined,
      "gen_ai.input.messages": inputText,
      "gen_ai.output.messages": outputText,
      "lint_ai.start_time.inferred": call.startMs === undefined ? true : undefined,
      ...openInference(options, {
        "openinference.span.kind": "LLM",
        "session.id": manifest.session_id,
        "llm.model_name": usage.model,
        "llm.token_count.prompt": prompt,
        "llm.token_count.completion": usage.output_tokens ?? undefined,
        "llm.token_count.total":
          prompt === undefined || usage.output_tokens === undefined || usage.output_tokens === null
            ? undefined
            : prompt + usage.output_tokens,
        "input.value": inputText,
        "input.mime_type": inputText === undefined ? undefined : "application/json",
        "output.value": outputText,
        "output.mime_type": outputText === undefined ? undefined : "application/json"
      })
    },
    ...(failed?.kind === "assistant_message" && at === step.calls.length - 1
      ? { error: options.content ? (failed.payload.error ?? "error") : "error" }
      : undefined)
  }
}

/** What the model was newly given, in the conventions' form; what it had before is in the spans before. */
const inputMessages = (step: Step): ReadonlyArray<object> =>
  step.inputs.flatMap((input): ReadonlyArray<object> => {
    switch (input.kind) {
      case "user_prompt":
        return [{ role: "user", parts: [{ type: "text", content: input.payload.text }] }]
      case "tool_result":
      case "tool_error":
        return [{ role: "tool", parts: [responsePart(input)] }]
      default:
        return []
    }
  })

const responsePart = (end: ToolEnd) => {
  const id = end.provider_ids?.tool_use_id
  return {
    type: "tool_call_response",
    ...(id === undefined ? undefined : { id }),
    response: (end.kind === "tool_result" ? end.payload.response : end.payload.error) ?? null
  }
}

const outputMessages = (step: Step, stopReason: string | undefined): ReadonlyArray<object> => {
  const parts = step.outputs.map((output) => {
    if (output.kind === "assistant_message") return { type: "text", content: output.payload.text }
    const id = output.provider_ids?.tool_use_id
    return {
      type: "tool_call",
      ...(id === undefined ? undefined : { id }),
      name: output.payload.tool_name,
      arguments: output.payload.input ?? null
    }
  })
  if (parts.length === 0) return []
  const calls = step.outputs.some((output) => output.kind !== "assistant_message")
  return [{ role: "assistant", parts, finish_reason: finishReason(stopReason) ?? (calls ? "tool_call" : "stop") }]
}

/** The providers' words for why an answer ended, as those of the conventions. */
const finishReason = (reason: string | undefined): string | undefined =>
  reason === undefined ? undefined : (finishReasons.get(reason) ?? reason)
const finishReasons: ReadonlyMap<string, string> = new Map([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["tool_use", "tool_call"],
  ["max_tokens", "length"],
  ["refusal", "content_filter"]
])

/** Calls that wait for their end keep what they were given only so far. */
const mostOpenCalls = 4_096

const toolSpans = (
  manifest: Manifest,
  options: SpanOptions,
  spanOf: (call: string) => string,
  agentSpan: (thread: string) => string,
  add: (span: Span) => void
) => {
  const open = new Map<string, ToolCall>()
  const put = (call: ToolCall | undefined, end: ToolEnd | undefined, lastTime: string): void => {
    const known = call ?? end
    if (known === undefined) return
    const id = known.provider_ids?.tool_use_id
    const name = known.payload.tool_name
    const input = call?.payload.input ?? end?.payload.input
    const answer = end === undefined ? undefined : end.kind === "tool_result" ? end.payload.response : end.payload.error
    const endMs = Date.parse(end?.timestamp ?? lastTime)
    const took = end?.payload.duration_ms
    const startMs = took !== undefined ? endMs - took : call === undefined ? endMs : Date.parse(call.timestamp)
    const inputText = options.content && input !== undefined ? textOf(input) : undefined
    const outputText = options.content && answer !== undefined ? textOf(answer) : undefined
    const outcome = end === undefined ? "unresolved" : end.kind === "tool_error" ? end.payload.outcome : undefined
    add({
      name: `execute_tool ${name}`,
      id: spanOf(id ?? known.event_id),
      parent: agentSpan(threadOf(known)),
      client: false,
      startMs: Math.min(startMs, endMs),
      endMs,
      attributes: {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.provider.name": providerNames[manifest.provider],
        "gen_ai.conversation.id": manifest.session_id,
        "gen_ai.tool.name": name,
        "gen_ai.tool.call.id": id,
        "gen_ai.tool.type": name.startsWith("mcp__") || name.startsWith("mcp_") ? "extension" : "function",
        "gen_ai.tool.call.arguments": inputText,
        "gen_ai.tool.call.result": outputText,
        "error.type": end?.kind === "tool_error" ? outcome : undefined,
        "lint_ai.tool.outcome": outcome,
        ...openInference(options, {
          "openinference.span.kind": "TOOL",
          "session.id": manifest.session_id,
          "tool.name": name,
          "input.value": inputText,
          "output.value": outputText
        })
      },
      ...(end?.kind === "tool_error" ? { error: end.payload.outcome } : undefined)
    })
  }
  return {
    event: (event: ArchivedEvent): void => {
      if (event.kind === "tool_call") {
        const { input: _input, ...rest } = event.payload
        // Many calls may wait at once, and their input is said only with the content.
        const kept = options.content ? event : { ...event, payload: rest }
        open.set(event.provider_ids?.tool_use_id ?? event.event_id, kept)
        if (open.size > mostOpenCalls) {
          const [[oldest, call] = []] = open
          if (oldest !== undefined) open.delete(oldest)
          put(call, undefined, event.timestamp)
        }
      } else if (event.kind === "tool_result" || event.kind === "tool_error") {
        const id = event.provider_ids?.tool_use_id
        const call = id === undefined ? undefined : open.get(id)
        if (id !== undefined) open.delete(id)
        put(call, event, event.timestamp)
      }
    },
    end: (lastTime: string): void => {
      for (const call of open.values()) put(call, undefined, lastTime)
    }
  }
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

const nanoseconds = (milliseconds: number): string => `${Math.round(milliseconds)}000000`

const attributes = (own: Attributes): ReadonlyArray<object> =>
  Object.entries(own).flatMap(([key, value]) => (value === undefined ? [] : [{ key, value: anyValue(value) }]))

/** Whole numbers are text in OTLP/JSON, as protobuf's JSON form has 64-bit integers. */
const anyValue = (value: Value): object => {
  if (typeof value === "string") return { stringValue: value }
  if (typeof value === "boolean") return { boolValue: value }
  if (typeof value === "number") return { intValue: String(value) }
  return { arrayValue: { values: value.map(anyValue) } }
}

/** Kinds and codes are numbers in OTLP/JSON: INTERNAL 1, CLIENT 3; ERROR 2. */
const encode = (span: Span, traceId: string): object => ({
  traceId,
  spanId: span.id,
  ...(span.parent === undefined ? undefined : { parentSpanId: span.parent }),
  name: span.name,
  kind: span.client ? 3 : 1,
  startTimeUnixNano: nanoseconds(span.startMs),
  endTimeUnixNano: nanoseconds(span.endMs),
  attributes: attributes(span.attributes),
  ...(span.error === undefined ? undefined : { status: { code: 2, message: span.error } })
})
