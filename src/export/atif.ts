import * as Effect from "effect/Effect"
import type { ArchivedEvent } from "../domain/event.ts"
import type { Manifest } from "../domain/manifest.ts"
import type { Provider } from "../domain/provider.ts"
import { eachEvent, type Format, gather } from "./Exporter.ts"
import {
  type AgentSpan,
  indexSession,
  type ModelCall,
  mainThread,
  promptTokens,
  type SessionIndex,
  threadOf
} from "./modelCalls.ts"
import { type Input, type Output, type Step, stepCutter, type ToolEnd } from "./steps.ts"

/** The agents by the names that trajectories use. */
const agentNames: Readonly<Record<Provider, string>> = {
  claude: "claude-code",
  codex: "codex",
  gemini: "gemini-cli",
  antigravity: "antigravity-cli"
}

/** Steps that wait for the results of their calls: what is written is final. Over these bounds the oldest go without. */
const mostWaiting = 512
const mostWaitingBytes = 16 * 1024 * 1024
/** Bytes of subagents' events whose trajectories are kept in memory during one reading of the log. */
const gatheredBytes = 32 * 1024 * 1024

interface AtifMetrics {
  readonly prompt_tokens?: number
  readonly completion_tokens?: number
  readonly cached_tokens?: number
  readonly extra?: object
}

interface AtifStep {
  step_id: number
  readonly timestamp?: string
  readonly source: "system" | "user" | "agent"
  readonly model_name?: string
  readonly message: string
  readonly tool_calls?: ReadonlyArray<{
    readonly tool_call_id: string
    readonly function_name: string
    readonly arguments: object
  }>
  observation?: { readonly results: Array<object> }
  readonly metrics?: AtifMetrics
  readonly llm_call_count?: number
  readonly is_copied_context?: true
  extra?: object
}

/**
 * ATIF v1.7: the session as one trajectory, its subagents as trajectories of their own. Prompts are user steps, what an agent said and called
 * until it was given something new is one agent step, results stand with the call that they answer. Tokens are those that were observed.
 */
export const atif: Format = (source, sink) =>
  Effect.gen(function* () {
    const { manifest } = source
    const index = yield* indexSession(source.directory, manifest)
    const out = gather(sink)
    const head = trajectoryHead(manifest, index, mainThread)
    out.add(`${JSON.stringify({ ...head }).slice(0, -1)},"steps":[`)
    let count = 0
    const write = writer(manifest, index, (text) => out.add(text))
    const cutter = stepCutter(index, (step) => {
      if (step.thread === mainThread) write.step(step)
    })
    count = yield* eachEvent(source, out, (event, _, bytes) => {
      if (isEnd(event) && threadOf(event) === mainThread) write.end(event)
      cutter.event(event, bytes)
    })
    cutter.end()
    const totals = write.close()
    out.add(`],"final_metrics":${JSON.stringify(totals)}`)
    yield* out.flush

    const agents = [...index.agents.keys(), ...[...index.calls.keys()].filter((id) => id !== mainThread)]
    let first = true
    for (const batch of batches([...new Set(agents)], index.agents)) {
      const gathered = new Map(batch.map((agent) => [agent, { steps: "", write: writerInto(manifest, index) }]))
      const agentCutter = stepCutter(index, (step) => gathered.get(step.thread)?.write.step(step))
      yield* eachEvent({ ...source, onDamage: undefined }, out, (event, _, bytes) => {
        if (isEnd(event)) gathered.get(threadOf(event))?.write.end(event)
        agentCutter.event(event, bytes)
      })
      agentCutter.end()
      for (const [agent, { write: own }] of gathered) {
        const metrics = own.close()
        const text = own.text()
        // A subagent of which nothing but its start and end is known has no trajectory.
        if (text === "") continue
        out.add(first ? ',"subagent_trajectories":[' : ",")
        first = false
        const agentHead = JSON.stringify(trajectoryHead(manifest, index, agent)).slice(0, -1)
        out.add(`${agentHead},"steps":[${text}],"final_metrics":${JSON.stringify(metrics)}}`)
        yield* out.flush
      }
    }
    if (!first) out.add("]")
    const extra = {
      status: manifest.status,
      identity: manifest.identity,
      usage_source: index.source,
      continues_session_id: manifest.continues_session_id,
      redaction_policy: manifest.redaction_policy,
      recorder: "lint-ai",
      recorder_version: manifest.recorder_version
    }
    out.add(`,"extra":${JSON.stringify(extra)}}\n`)
    yield* out.flush
    return count
  })

const isEnd = (event: ArchivedEvent): event is ToolEnd => event.kind === "tool_result" || event.kind === "tool_error"

const trajectoryId = (manifest: Manifest, thread: string): string =>
  thread === mainThread ? manifest.session_id : `${manifest.session_id}#${thread}`

const trajectoryHead = (manifest: Manifest, index: SessionIndex, thread: string) => {
  const model =
    thread === mainThread
      ? index.models[0]
      : index.calls.get(thread)?.find((call) => call.usage.model !== undefined)?.usage.model
  return {
    schema_version: "ATIF-v1.7",
    session_id: manifest.session_id,
    trajectory_id: trajectoryId(manifest, thread),
    agent: {
      name: agentNames[manifest.provider],
      version: manifest.provider_version ?? "unknown",
      ...(model === undefined ? undefined : { model_name: model })
    }
  }
}

/** Subagents in groups that fit into memory; one that alone does not is a group of its own. */
const batches = (agents: ReadonlyArray<string>, known: ReadonlyMap<string, AgentSpan>) => {
  const groups: Array<Array<string>> = []
  let bytes = Number.POSITIVE_INFINITY
  for (const agent of agents) {
    const size = known.get(agent)?.bytes ?? 0
    if (bytes + size > gatheredBytes) {
      groups.push([])
      bytes = 0
    }
    groups.at(-1)?.push(agent)
    bytes += size
  }
  return groups
}

const writerInto = (manifest: Manifest, index: SessionIndex) => {
  const pieces: Array<string> = []
  return { ...writer(manifest, index, (text) => pieces.push(text)), text: () => pieces.join("") }
}

/** Turns the steps of one thread into those of a trajectory, and writes each when all its calls are answered. */
const writer = (manifest: Manifest, index: SessionIndex, add: (text: string) => void) => {
  const waiting: Array<{ readonly step: AtifStep; readonly open: Set<string>; readonly bytes: number }> = []
  /** Ends that came before the step of their call was cut: the step is open until something follows. */
  const early = new Map<string, ToolEnd>()
  const announced = new Set<string>()
  let waitingBytes = 0
  let written = 0
  const totals = {
    prompt: undefined as number | undefined,
    completion: undefined as number | undefined,
    cached: undefined as number | undefined
  }

  const put = (step: AtifStep): void => {
    written++
    step.step_id = written
    add(`${written === 1 ? "" : ","}${JSON.stringify(step)}`)
    const { prompt_tokens, completion_tokens, cached_tokens } = step.metrics ?? {}
    totals.prompt = plus(totals.prompt, prompt_tokens)
    totals.completion = plus(totals.completion, completion_tokens)
    totals.cached = plus(totals.cached, cached_tokens)
  }
  const drain = (all: boolean): void => {
    for (;;) {
      const [oldest] = waiting
      if (oldest === undefined) return
      const over = waiting.length > mostWaiting || waitingBytes > mostWaitingBytes
      if (oldest.open.size > 0 && !all && !over) return
      waiting.shift()
      waitingBytes -= oldest.bytes
      put(oldest.step)
    }
  }
  const push = (step: AtifStep, open: ReadonlyArray<string>, bytes: number): void => {
    waiting.push({ step, open: new Set(open), bytes })
    waitingBytes += bytes
  }
  const answer = (end: ToolEnd): boolean => {
    const id = end.provider_ids?.tool_use_id
    const holder = id === undefined ? undefined : waiting.find(({ open }) => open.has(id))
    if (id === undefined || holder === undefined) return false
    holder.open.delete(id)
    const observation = holder.step.observation ?? { results: [] }
    observation.results.push(resultOf(manifest, index, id, end))
    holder.step.observation = observation
    return true
  }
  return {
    step: (step: Step): void => {
      const spoke = step.outputs[0]?.sequence ?? Number.POSITIVE_INFINITY
      give(step.inputs.filter((input) => input.sequence < spoke))
      if (step.outputs.length > 0 || step.calls.length > 0) {
        const ids = callIds(step.outputs)
        push(agentStep(step), ids, JSON.stringify(step.outputs).length)
        for (const id of ids) {
          const end = early.get(id)
          early.delete(id)
          if (end !== undefined) answer(end)
        }
      }
      give(step.inputs.filter((input) => input.sequence >= spoke))
      drain(false)
    },
    /** Told of every end as it comes, before the step that it belongs to is cut. */
    end: (event: ToolEnd): void => {
      const id = event.provider_ids?.tool_use_id
      if (id === undefined || announced.has(id)) return
      if (!answer(event)) early.set(id, event)
      announced.add(id)
    },
    close: () => {
      drain(true)
      return {
        ...(totals.prompt === undefined ? undefined : { total_prompt_tokens: totals.prompt }),
        ...(totals.completion === undefined ? undefined : { total_completion_tokens: totals.completion }),
        ...(totals.cached === undefined ? undefined : { total_cached_tokens: totals.cached }),
        total_steps: written
      }
    }
  }

  function give(inputs: ReadonlyArray<Input>): void {
    for (const input of inputs) {
      const own = inputStep(input)
      if (own !== undefined) push(own, [], 0)
      else if (isEnd(input)) late(input)
    }
  }

  /** A result whose call was never seen, or whose step was written already: it is kept as what the system told. */
  function late(end: ToolEnd): void {
    const id = end.provider_ids?.tool_use_id
    if (id !== undefined && !early.has(id)) return
    if (id !== undefined) early.delete(id)
    const { source_call_id: _id, ...result } = resultOf(manifest, index, id ?? "", end) as { source_call_id: string }
    push(
      {
        step_id: 0,
        timestamp: end.timestamp,
        source: "system",
        message: "",
        observation: { results: [result] },
        extra: {
          tool_name: end.payload.tool_name,
          ...(id === undefined ? undefined : { tool_call_id: id }),
          sequences: [end.sequence]
        }
      },
      [],
      0
    )
  }
}

const plus = (sum: number | undefined, more: number | undefined): number | undefined =>
  more === undefined ? sum : (sum ?? 0) + more

const callIds = (outputs: ReadonlyArray<Output>): ReadonlyArray<string> => [
  ...new Set(outputs.flatMap((output) => (output.kind === "assistant_message" ? [] : [callId(output)])))
]

/** The provider's id of a call; the event's where there is none. */
const callId = (output: Exclude<Output, { readonly kind: "assistant_message" }>): string =>
  output.provider_ids?.tool_use_id ?? output.event_id

const inputStep = (input: Input): AtifStep | undefined => {
  const common = { step_id: 0, timestamp: input.timestamp, ...copied(input) }
  switch (input.kind) {
    case "user_prompt": {
      const { text, origin, permission_mode: _mode, ...command } = input.payload
      return {
        ...common,
        source: origin === "user" || origin === "subagent" ? "user" : "system",
        message: text,
        extra: { ...(origin === "user" ? undefined : { origin }), ...command, sequences: [input.sequence] }
      }
    }
    case "compaction":
      return {
        ...common,
        source: "system",
        message: input.payload.summary ?? "",
        extra: { event: "compaction", phase: input.payload.phase, sequences: [input.sequence] }
      }
    case "context_injected":
      return {
        ...common,
        source: "system",
        message: "",
        extra: { event: "context_injected", ...input.payload, sequences: [input.sequence] }
      }
    default:
      return undefined
  }
}

/** History that a fork took over from the session that it came from. */
const copied = (event: Input | Output): { readonly is_copied_context?: true } =>
  event.provider_ids?.forked_from === undefined ? {} : { is_copied_context: true }

const agentStep = (step: Step): AtifStep => {
  const [first] = step.outputs
  const messages = step.outputs.flatMap((output) =>
    output.kind === "assistant_message" && output.payload.text !== "" ? [output.payload.text] : []
  )
  const failure = step.outputs.find(
    (output) => output.kind === "assistant_message" && output.payload.error !== undefined
  )
  const calls = new Map<string, { tool_call_id: string; function_name: string; arguments: object }>()
  for (const output of step.outputs) {
    if (output.kind === "assistant_message") continue
    const id = callId(output)
    calls.set(id, {
      tool_call_id: id,
      function_name: output.payload.tool_name,
      arguments: objectOf(output.payload.input)
    })
  }
  const models = new Set(step.calls.flatMap((call) => (call.usage.model === undefined ? [] : [call.usage.model])))
  const [model] = models
  const sequences = step.outputs.map((output) => output.sequence)
  const timestamp =
    first?.timestamp ?? (step.calls[0] === undefined ? undefined : new Date(step.calls[0].endMs).toISOString())
  return {
    step_id: 0,
    ...(timestamp === undefined ? undefined : { timestamp }),
    source: "agent",
    ...(model === undefined ? undefined : { model_name: model }),
    message: messages.join("\n\n"),
    ...(calls.size === 0 ? undefined : { tool_calls: [...calls.values()] }),
    ...(step.calls.length === 0 ? undefined : { metrics: metricsOf(step.calls), llm_call_count: step.calls.length }),
    ...(first === undefined ? undefined : copied(first)),
    extra: {
      ...(failure?.kind === "assistant_message" ? { error: failure.payload.error } : undefined),
      ...(models.size > 1 ? { models: [...models] } : undefined),
      sequences
    }
  }
}

const objectOf = (input: unknown): object => {
  if (input === undefined || input === null) return {}
  return typeof input === "object" && !Array.isArray(input) ? input : { input }
}

const metricsOf = (calls: ReadonlyArray<ModelCall>): AtifMetrics => {
  const sum = (count: (call: ModelCall) => number | null | undefined): number | undefined =>
    calls.reduce((total: number | undefined, call) => plus(total, count(call) ?? undefined), undefined)
  const prompt = sum((call) => promptTokens(call.usage))
  const completion = sum((call) => call.usage.output_tokens)
  const cached = sum((call) => call.usage.cache_read_input_tokens)
  const written = sum((call) => call.usage.cache_creation_input_tokens)
  const reasoning = sum((call) => call.usage.reasoning_output_tokens)
  return {
    ...(prompt === undefined ? undefined : { prompt_tokens: prompt }),
    ...(completion === undefined ? undefined : { completion_tokens: completion }),
    ...(cached === undefined ? undefined : { cached_tokens: cached }),
    extra: {
      ...(written === undefined ? undefined : { cache_creation_tokens: written }),
      ...(reasoning === undefined ? undefined : { reasoning_tokens: reasoning }),
      message_ids: calls.map((call) => call.usage.message_id)
    }
  }
}

const resultOf = (manifest: Manifest, index: SessionIndex, id: string, end: ToolEnd): object => {
  const value = end.kind === "tool_result" ? end.payload.response : end.payload.error
  const text = value === undefined ? undefined : typeof value === "string" ? value : JSON.stringify(value)
  // A result that names the subagent which it ran.
  const agent =
    text === undefined
      ? undefined
      : [...index.agents].find(([name, { spoke }]) => spoke && name.length >= 8 && text.includes(name))?.[0]
  const duration = end.payload.duration_ms
  const extra = {
    ...(end.kind === "tool_error" ? { outcome: end.payload.outcome } : undefined),
    ...(duration === undefined ? undefined : { duration_ms: duration }),
    sequence: end.sequence
  }
  return {
    source_call_id: id,
    ...(text === undefined ? undefined : { content: text }),
    ...(agent === undefined || agent === threadOf(end)
      ? undefined
      : {
          subagent_trajectory_ref: [{ trajectory_id: trajectoryId(manifest, agent), session_id: manifest.session_id }]
        }),
    extra
  }
}
