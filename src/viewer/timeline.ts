import { type Gap, gapName } from "../archive/gap.ts"
import type { ArchivedEvent } from "../domain/event.ts"
import type { Manifest } from "../domain/manifest.ts"
import { commonToolName } from "../domain/toolNames.ts"
import { counted, formatBytes } from "../export/format.ts"
import { mainThread, threadOf } from "../export/modelCalls.ts"
import { boundValue } from "./boundValue.ts"
import type { Agent, Entry, EventDetail, Turn } from "./document.ts"
import { inputSummary, oneLine } from "./summary.ts"

/** What is shown of an event that is open. A longer text would make a page slow, and nobody reads it in one. */
const detailBounds = { string: 256 * 1024, items: 1_000, depth: 24 }
/** What is left of the texts of a session after `pageCharacters`. */
const tightBounds = { string: 400, items: 50, depth: 8 }
const pageCharacters = 48 * 1024 * 1024
/** Entries of one page. A session of the size bound has fewer, unless its events are tiny. */
export const mostEntries = 100_000

type Mutable<A> = { -readonly [K in keyof A]: A[K] }

/** The entries of a session with the events behind each, its turns and its agents. */
export interface Timeline {
  readonly entries: ReadonlyArray<Entry>
  readonly details: ReadonlyArray<ReadonlyArray<EventDetail>>
  readonly turns: ReadonlyArray<Turn>
  readonly agents: ReadonlyArray<Agent>
  /** By the agent's own name of the tool. */
  readonly toolTimes: ReadonlyMap<string, number>
  readonly leftOut: number
}

const marker = /\[REDACTED:([a-z0-9][a-z0-9-]*)\]/g
/** How often each rule has left its marker in an event, added to what is counted already. */
const withRules = (counted: Entry["rules"], event: ArchivedEvent): Entry["rules"] => {
  if (event.redactions.length === 0) return counted
  const rules = new Map(Object.entries(counted ?? {}))
  for (const [, rule = ""] of JSON.stringify(event.payload).matchAll(marker)) {
    rules.set(rule, (rules.get(rule) ?? 0) + 1)
  }
  return rules.size === 0 ? undefined : Object.fromEntries(rules)
}

/** What a gap is, for a person. Its fields came from a file, so they may be anything. */
const gapSummary = (gap: Partial<Gap> | undefined): string => {
  switch (gap?.cause) {
    case "spooled":
      return `${counted(numberOf(gap.events), "event")} right before came later than they happened`
    case "missing":
      return `events ${numberOf(gap.from)} to ${numberOf(gap.to)} are gone, though they had been written`
    case "manifest":
      return "manifest.json was changed by somebody else before this"
    default:
      return ""
  }
}

const numberOf = (value: unknown): number => (typeof value === "number" ? value : 0)

/** Builds the timeline of a session from its events, in their order. Tool calls meet their ends by the agent's id of the call. */
export const timelineOf = (manifest: Manifest) => {
  const startMs = Date.parse(manifest.started_at)
  const entries: Array<Mutable<Entry>> = []
  const details: Array<Array<EventDetail>> = []
  const turns: Array<Mutable<Turn>> = []
  const agents: Array<Mutable<Agent>> = []
  const agentIndex = new Map<string, number>()
  const turnIds = new Set<string>()
  const toolTimes = new Map<string, number>()
  /** Calls without an end, oldest first. */
  const open = new Map<string, Array<number>>()
  /** Calls for an agent that has not shown itself yet. */
  const agentCalls: Array<number> = []
  let characters = 0
  let leftOut = 0

  const detailOf = (event: ArchivedEvent): EventDetail => {
    const { sequence, event_id, timestamp, kind, turn_id, provider_ids, redactions, truncated, omitted } = event
    const bounded = boundValue(event.payload, characters > pageCharacters ? tightBounds : detailBounds, "payload")
    characters += bounded.characters
    return {
      sequence,
      event_id,
      timestamp,
      kind,
      ...(turn_id === undefined ? undefined : { turn_id }),
      ...(provider_ids === undefined ? undefined : { provider_ids }),
      payload: bounded.value,
      redactions: redactions.slice(0, 200),
      ...(truncated === undefined ? undefined : { truncated }),
      ...(omitted === undefined ? undefined : { omitted }),
      ...(bounded.cuts.length === 0 ? undefined : { shortened: bounded.cuts.slice(0, 200) })
    }
  }
  const timeOf = (event: ArchivedEvent): number => Date.parse(event.timestamp) - startMs
  const agentOf = (event: ArchivedEvent): number | undefined => {
    const id = threadOf(event)
    if (id === mainThread) return undefined
    const at = timeOf(event)
    const known = agentIndex.get(id)
    if (known === undefined) {
      agentIndex.set(id, agents.length)
      agents.push({ id, depth: depthOfNew(), at, end: at })
    }
    const index = agentIndex.get(id) ?? 0
    const agent = agents[index]
    if (agent !== undefined) {
      agent.end = Math.max(agent.end, at)
      if (event.kind === "subagent_start" && event.payload.agent_type !== undefined) {
        agent.type = event.payload.agent_type
      }
    }
    return index
  }
  /** An agent belongs to the last call for one that no other agent has taken: calls for agents may run beside one another. */
  const depthOfNew = (): number => {
    const caller = entries[agentCalls.pop() ?? -1]
    const parent = caller?.agent === undefined ? undefined : agents[caller.agent]
    return (parent?.depth ?? 0) + 1
  }
  const turnOf = (event: ArchivedEvent): number | undefined => {
    if (threadOf(event) === mainThread) {
      const isNew =
        event.turn_id === undefined ? event.kind === "user_prompt" && turnIds.size === 0 : !turnIds.has(event.turn_id)
      if (isNew) {
        if (event.turn_id !== undefined) turnIds.add(event.turn_id)
        const at = timeOf(event)
        turns.push({ at, end: at, tools: 0, failures: 0, tokens: 0 })
      }
    }
    const turn = turns.at(-1)
    if (turn === undefined) return undefined
    turn.end = Math.max(turn.end, timeOf(event))
    if (event.kind === "user_prompt" && event.payload.origin === "user") turn.summary ??= oneLine(event.payload.text)
    return turns.length - 1
  }
  const keyOf = (event: ArchivedEvent & { readonly payload: { readonly tool_name: string } }): string =>
    event.provider_ids?.tool_use_id ?? `${threadOf(event)} ${event.payload.tool_name}`

  const mark = (entry: Mutable<Entry>, event: ArchivedEvent): void => {
    const rules = withRules(entry.rules, event)
    if (rules !== undefined) entry.rules = rules
    const cut = (event.truncated ?? []).reduce((sum, { bytes }) => sum + bytes, event.omitted?.length ?? 0)
    if (cut > 0) entry.cut = (entry.cut ?? 0) + cut
  }
  const add = (event: ArchivedEvent, waiting: boolean, about: Partial<Entry> & Pick<Entry, "kind">): number => {
    const agent = agentOf(event)
    const turn = turnOf(event)
    const entry: Mutable<Entry> = {
      sequence: event.sequence,
      at: timeOf(event),
      ...about,
      ...(agent === undefined ? undefined : { agent }),
      ...(turn === undefined ? undefined : { turn }),
      ...(waiting ? ({ waiting: true } as const) : undefined)
    }
    if (entry.summary === "") delete entry.summary
    mark(entry, event)
    if (entries.length >= mostEntries) {
      leftOut++
      return -1
    }
    entries.push(entry)
    details.push([detailOf(event)])
    return entries.length - 1
  }
  const ended = (index: number, event: ArchivedEvent, outcome: Entry["outcome"] & string, told?: number): void => {
    const entry = entries[index]
    if (entry === undefined) return
    entry.outcome = outcome
    entry.end_sequence = event.sequence
    const duration = told ?? Math.max(0, timeOf(event) - entry.at)
    entry.duration_ms = duration
    if (entry.name !== undefined) toolTimes.set(entry.name, (toolTimes.get(entry.name) ?? 0) + duration)
    details[index]?.push(detailOf(event))
    mark(entry, event)
    const turn = entry.turn === undefined ? undefined : turns[entry.turn]
    if (turn !== undefined) {
      turn.end = Math.max(turn.end, entry.at + duration)
      if (outcome !== "succeeded") turn.failures++
    }
    agentOf(event)
  }
  const toolEnd = (event: Extract<ArchivedEvent, { kind: "tool_result" | "tool_error" }>, waiting: boolean): void => {
    const { tool_name, duration_ms, input } = event.payload
    const outcome = event.kind === "tool_result" ? "succeeded" : event.payload.outcome
    const key = keyOf(event)
    const index = open.get(key)?.shift()
    if (index !== undefined) {
      if (open.get(key)?.length === 0) open.delete(key)
      ended(index, event, outcome, duration_ms)
      return
    }
    add(event, waiting, {
      kind: "tool",
      name: tool_name,
      tool: commonToolName(manifest.provider, tool_name),
      summary: inputSummary(input, manifest.project_root),
      outcome,
      ...(duration_ms === undefined ? undefined : { duration_ms })
    })
    const turn = turns.at(-1)
    if (turn === undefined) return
    turn.tools++
    if (outcome !== "succeeded") turn.failures++
  }

  const visit = (event: ArchivedEvent, waiting: boolean): void => {
    switch (event.kind) {
      case "session_start":
        add(event, waiting, { kind: "start", name: event.payload.source ?? "", summary: event.payload.model ?? "" })
        return
      case "session_end":
        add(event, waiting, { kind: "end", name: event.payload.reason ?? "" })
        return
      case "user_prompt":
        add(event, waiting, { kind: "prompt", name: event.payload.origin, summary: oneLine(event.payload.text) })
        return
      case "assistant_message":
        add(event, waiting, {
          kind: "answer",
          summary: oneLine(event.payload.text),
          ...(event.payload.error === undefined ? undefined : { name: event.payload.error, outcome: "failed" })
        })
        return
      case "tool_call": {
        const { tool_name, input } = event.payload
        const index = add(event, waiting, {
          kind: "tool",
          name: tool_name,
          tool: commonToolName(manifest.provider, tool_name),
          summary: inputSummary(input, manifest.project_root),
          outcome: "unresolved"
        })
        const turn = turns.at(-1)
        if (turn !== undefined) turn.tools++
        open.set(keyOf(event), [...(open.get(keyOf(event)) ?? []), index])
        if (entries[index]?.tool === "agent") agentCalls.push(index)
        return
      }
      case "tool_result":
      case "tool_error":
        toolEnd(event, waiting)
        return
      case "compaction":
        add(event, waiting, {
          kind: "compaction",
          name: event.payload.phase,
          summary: oneLine(event.payload.summary ?? event.payload.trigger ?? "")
        })
        return
      case "subagent_start":
      case "subagent_stop":
        add(event, waiting, {
          kind: "subagent",
          name: event.kind === "subagent_start" ? "began" : "ended",
          summary: oneLine(event.payload.text ?? "")
        })
        return
      case "turn_usage":
        add(event, waiting, {
          kind: "usage",
          name: event.payload.source,
          summary: `${counted(event.payload.messages.length, "message")}, as told by ${event.payload.source}`
        })
        return
      case "context_injected":
        add(event, waiting, {
          kind: "context",
          summary: oneLine(`${formatBytes(event.payload.bytes)}: ${event.payload.record_ids.join(", ")}`),
          duration_ms: event.payload.milliseconds
        })
        return
      case "provider_event":
        add(event, waiting, {
          kind: event.payload.name === gapName ? "gap" : "notice",
          name: event.payload.name,
          summary:
            event.payload.name === gapName
              ? gapSummary(event.payload.fields as Gap)
              : inputSummary(event.payload.fields, manifest.project_root)
        })
    }
  }
  return {
    event: visit,
    /** A piece of the log that is no event: what is wrong with it, and how many bytes it has from which offset. */
    damage: (problem: string, offset: number, bytes: number): void => {
      if (entries.length >= mostEntries) {
        leftOut++
        return
      }
      const turn = turns.length === 0 ? undefined : { turn: turns.length - 1 }
      const summary = `${bytes.toLocaleString("en-US")} bytes at byte ${offset.toLocaleString("en-US")} of the log`
      entries.push({ kind: "damage", at: entries.at(-1)?.at ?? 0, name: problem, summary, ...turn })
      details.push([])
    },
    end: (): Timeline => ({ entries, details, turns, agents, toolTimes, leftOut })
  }
}
