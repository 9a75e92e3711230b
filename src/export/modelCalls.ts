import * as Effect from "effect/Effect"
import { readEvents } from "../archive/readArchive.ts"
import type { ArchivedEvent, MessageUsage } from "../domain/event.ts"
import type { Manifest } from "../domain/manifest.ts"
import { preferredSource, type Tokens, type tokenKinds, type UsageSource } from "../domain/usage.ts"

/** One model call that was observed: its usage, when it ended, and, where the agent told, when it began. */
export interface ModelCall {
  readonly usage: MessageUsage
  /** Milliseconds since 1970. */
  readonly endMs: number
  readonly startMs: number | undefined
  readonly turnId: string | undefined
}

/** The main thread of a session, beside those of its subagents, which their agent ids name. */
export const mainThread = ""

/** A subagent: the bytes of its events, and the times of the first and the last. */
export interface AgentSpan {
  readonly bytes: number
  readonly type: string | undefined
  /** Whether anything of it but its start was observed. */
  readonly spoke: boolean
  readonly firstTime: string
  readonly lastTime: string
}

/** What an export must know of a whole session before it writes the first step. */
export interface SessionIndex {
  /** Where the calls come from: counts of different sources are never mixed. Undefined when none were observed. */
  readonly source: UsageSource | undefined
  /** The calls of each thread, in the order in which they ended. */
  readonly calls: ReadonlyMap<string, ReadonlyArray<ModelCall>>
  readonly agents: ReadonlyMap<string, AgentSpan>
  readonly models: ReadonlyArray<string>
  readonly configHash: string | undefined
  readonly firstTime: string | undefined
  readonly lastTime: string | undefined
}

/** The thread in which an event happened. */
export const threadOf = (event: ArchivedEvent): string => event.provider_ids?.agent_id ?? mainThread

/**
 * Reads an archive once for its model calls and subagents, in memory that grows with their number and not with what they said.
 *
 * A message counts once, with its last snapshot. Where several sources told of the same session, one counts alone (preferredSource); the others only
 * lend it times that it does not have.
 */
export const indexSession = Effect.fn("indexSession")(function* (directory: string, manifest: Manifest) {
  const sources = new Map<UsageSource, Map<string, ModelCall>>()
  const began = new Map<string, number>()
  const spans = new Map<string, { readonly startMs: number | undefined; readonly endMs: number }>()
  const agents = new Map<string, AgentSpan>()
  const models = new Set<string>()
  let configHash: string | undefined
  let firstTime: string | undefined
  let lastTime: string | undefined

  const see = (event: ArchivedEvent, bytes: number): void => {
    firstTime ??= event.timestamp
    lastTime = event.timestamp
    const agent = event.provider_ids?.agent_id
    if (agent !== undefined) {
      const known = agents.get(agent)
      agents.set(agent, {
        bytes: (known?.bytes ?? 0) + bytes,
        type: event.kind === "subagent_start" ? event.payload.agent_type : known?.type,
        spoke: known?.spoke === true || speaks(event),
        firstTime: known?.firstTime ?? event.timestamp,
        lastTime: event.timestamp
      })
    }
    if (event.kind === "session_start") {
      if (event.payload.model !== undefined) models.add(event.payload.model)
      configHash = event.payload.config_hash ?? configHash
    }
    const request = event.provider_ids?.request_id
    if (event.kind === "provider_event" && request !== undefined && event.payload.name === "PreModelRequest") {
      began.set(request, Date.parse(event.timestamp))
    }
    if (event.kind !== "turn_usage") return
    const { source, messages } = event.payload
    const known = sources.get(source) ?? new Map<string, ModelCall>()
    for (const usage of messages) {
      if (usage.model !== undefined) models.add(usage.model)
      const endMs = usage.time === undefined ? Date.parse(event.timestamp) : Date.parse(usage.time)
      const startMs = request === undefined ? undefined : began.get(request)
      // A hook that ran right after the answer knows the time better than a transcript that was read later.
      if (request !== undefined) spans.set(usage.message_id, { startMs, endMs })
      // Set anew, so that the order is that of the last snapshot.
      known.delete(usage.message_id)
      known.set(usage.message_id, { usage, endMs, startMs, turnId: event.turn_id })
    }
    if (messages.length > 0) sources.set(source, known)
  }
  yield* readEvents(directory, manifest, {
    record: (record) => {
      if (record._tag === "Event") see(record.event, record.line.length)
    },
    spooled: (event) => see(event, JSON.stringify(event).length)
  })

  const source = preferredSource([...sources].map(([name, messages]) => [name, messages.size]))
  const calls = new Map<string, Array<ModelCall>>()
  for (const call of (source && sources.get(source)?.values()) ?? []) {
    const span = spans.get(call.usage.message_id)
    const thread = call.usage.agent_id ?? mainThread
    const own = calls.get(thread) ?? []
    own.push(span === undefined ? call : { ...call, ...span })
    calls.set(thread, own)
  }
  for (const own of calls.values()) own.sort((left, right) => left.endMs - right.endMs)
  return {
    source,
    calls,
    agents,
    models: [...models],
    configHash,
    firstTime,
    lastTime
  } satisfies SessionIndex
})

/** Whether an event becomes part of a step of its thread (see steps.ts). */
const speaks = (event: ArchivedEvent): boolean =>
  event.kind === "subagent_start" || event.kind === "subagent_stop"
    ? (event.payload.text ?? "") !== ""
    : !["session_start", "session_end", "turn_usage", "provider_event"].includes(event.kind)

/** Tokens of a prompt with what was read from and written to the cache, which archives count apart; undefined when none was observed. */
export const promptTokens = (tokens: Tokens): number | undefined =>
  sumOf(tokens, ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"])

const sumOf = (tokens: Tokens, kinds: ReadonlyArray<(typeof tokenKinds)[number]>): number | undefined => {
  const known = kinds.flatMap((kind) => {
    const count = tokens[kind]
    return count === undefined || count === null ? [] : [count]
  })
  return known.length === 0 ? undefined : known.reduce((sum, count) => sum + count, 0)
}
