import type { Mutable } from "effect/Types"
import type { ArchivedEvent } from "../domain/event.ts"
import type { Manifest } from "../domain/manifest.ts"
import { threadOf } from "../export/modelCalls.ts"
import { aboutEvent, outcomeOf, type ToolEvent } from "./aboutEvent.ts"
import { agentLanes } from "./agentLanes.ts"
import type { Agent, Entry, EventDetail, Turn } from "./document.ts"
import { eventDetails } from "./eventDetail.ts"
import { turnList } from "./turnList.ts"

/** Entries of one page. A session of the size bound has fewer, unless its events are tiny. */
export const mostEntries = 100_000

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

/** Builds the timeline of a session from its events, in their order. Tool calls meet their ends by the agent's id of the call. */
export const timelineOf = (manifest: Manifest) => {
  const startMs = Date.parse(manifest.started_at)
  const entries: Array<Mutable<Entry>> = []
  const details: Array<Array<EventDetail>> = []
  const toolTimes = new Map<string, number>()
  const agents = agentLanes()
  const turns = turnList()
  const calls = openCalls()
  const detailOf = eventDetails()
  let leftOut = 0

  const timeOf = (event: ArchivedEvent): number => Date.parse(event.timestamp) - startMs

  /** Adds the entry that an event begins. */
  const begin = (event: ArchivedEvent, waiting: boolean): void => {
    const at = timeOf(event)
    const agent = agents.place(event, at)
    const turn = turns.place(event, at)
    // Of a call that is left out this is an index that no entry ever has.
    if (event.kind === "tool_call") calls.begin(event, entries.length)
    if (entries.length >= mostEntries) {
      leftOut++
      return
    }
    const entry: Mutable<Entry> = {
      sequence: event.sequence,
      at,
      ...aboutEvent(event, manifest),
      ...(agent === undefined ? undefined : { agent }),
      ...(turn === undefined ? undefined : { turn }),
      ...(waiting ? ({ waiting: true } as const) : undefined)
    }
    if (entry.summary === "") delete entry.summary
    mark(entry, event)
    if (event.kind === "tool_call" && entry.tool === "agent") agents.agentCalled(event)
    entries.push(entry)
    details.push([detailOf(event)])
  }

  /** Adds an event to the entry of the call that it ends. */
  const end = (index: number, event: Exclude<ToolEvent, { readonly kind: "tool_call" }>): void => {
    const entry = entries[index]
    if (entry === undefined) return
    const at = timeOf(event)
    const duration = event.payload.duration_ms ?? Math.max(0, at - entry.at)
    entry.outcome = outcomeOf(event)
    entry.end_sequence = event.sequence
    entry.duration_ms = duration
    mark(entry, event)
    details[index]?.push(detailOf(event))
    if (entry.name !== undefined) toolTimes.set(entry.name, (toolTimes.get(entry.name) ?? 0) + duration)
    turns.callEnded(entry.turn, entry.at + duration, event.kind === "tool_error")
    agents.place(event, at)
  }

  return {
    event: (event: ArchivedEvent, waiting: boolean): void => {
      if (event.kind === "tool_result" || event.kind === "tool_error") {
        const call = calls.end(event)
        if (call !== undefined) {
          end(call, event)
          return
        }
      }
      begin(event, waiting)
    },
    /** A piece of the log that is no event: what is wrong with it, and how many bytes it has from which offset. */
    damage: (problem: string, offset: number, bytes: number): void => {
      if (entries.length >= mostEntries) {
        leftOut++
        return
      }
      const turn = turns.last()
      const summary = `${bytes.toLocaleString("en-US")} bytes at byte ${offset.toLocaleString("en-US")} of the log`
      entries.push({
        kind: "damage",
        at: entries.at(-1)?.at ?? 0,
        name: problem,
        summary,
        ...(turn === undefined ? undefined : { turn })
      })
      details.push([])
    },
    end: (): Timeline => ({ entries, details, turns: turns.end(), agents: agents.end(), toolTimes, leftOut })
  }
}

/** The entries of calls that have no end yet, by their indexes. Agents that give calls no ids end the oldest of a tool first. */
const openCalls = () => {
  const open = new Map<string, Array<number>>()
  const keyOf = (event: ToolEvent): string =>
    event.provider_ids?.tool_use_id ?? `${threadOf(event)} ${event.payload.tool_name}`
  return {
    begin: (event: ToolEvent, index: number): void => {
      const waiting = open.get(keyOf(event))
      if (waiting === undefined) open.set(keyOf(event), [index])
      else waiting.push(index)
    },
    /** The call that an event ends; undefined when none is known. */
    end: (event: ToolEvent): number | undefined => {
      const waiting = open.get(keyOf(event))
      const oldest = waiting?.shift()
      if (waiting?.length === 0) open.delete(keyOf(event))
      return oldest
    }
  }
}

/** Counts in an entry what was redacted and cut in an event of it. */
const mark = (entry: Mutable<Entry>, event: ArchivedEvent): void => {
  const rules = withRules(entry.rules, event)
  if (rules !== undefined) entry.rules = rules
  const cut = (event.truncated ?? []).reduce((sum, { bytes }) => sum + bytes, event.omitted?.length ?? 0)
  if (cut > 0) entry.cut = (entry.cut ?? 0) + cut
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
