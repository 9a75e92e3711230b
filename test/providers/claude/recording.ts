import * as Effect from "effect/Effect"
import type { DraftEvent } from "../../../src/domain/event.ts"
import { claudeAdapter } from "../../../src/providers/claude/adapter.ts"
import type { Delivery } from "../../../src/providers/ProviderAdapter.ts"

export const read = (payload: unknown, env: Record<string, string> = {}): Delivery =>
  Effect.runSync(claudeAdapter.read({ payload, event: undefined, env }))

/**
 * What an archive keeps of deliveries, per session: the first event of each identity, identities of scope `run` counted within a run. It is
 * the archive's rule in its shortest form.
 */
export const recorded = (deliveries: ReadonlyArray<Delivery>): ReadonlyArray<readonly [string, DraftEvent]> => {
  const known = new Set<string>()
  const ends = new Map<string, number>()
  const kept: Array<readonly [string, DraftEvent]> = []
  for (const { sessionId = "", events } of deliveries)
    for (const event of events) {
      const run = event.scope === "run" ? (ends.get(sessionId) ?? 0) : undefined
      const id = JSON.stringify([sessionId, event.identity, run])
      if (known.has(id)) continue
      known.add(id)
      kept.push([sessionId, event])
      if (event.kind === "session_end") ends.set(sessionId, (ends.get(sessionId) ?? 0) + 1)
    }
  return kept
}

/** One word for an event. */
export const word = (event: DraftEvent): string => {
  switch (event.kind) {
    case "session_start":
      return `start:${event.payload.source}`
    case "session_end":
      return `end:${event.payload.reason}`
    case "user_prompt":
      return event.payload.origin === "user" ? "prompt" : `prompt:${event.payload.origin}`
    case "assistant_message":
      return event.payload.error === undefined ? "answer" : `answer:${event.payload.error}`
    case "tool_call":
      return `${event.payload.tool_name}?`
    case "tool_result":
      return event.payload.tool_name
    case "tool_error":
      return `${event.payload.tool_name}:${event.payload.outcome}`
    case "compaction":
      return `compaction:${event.payload.phase}`
    case "provider_event":
      return event.payload.name
    default:
      return event.kind
  }
}

/** A sequence in words; ` | ` where another session begins. */
export const summary = (deliveries: ReadonlyArray<Delivery>): string => {
  let session: string | undefined
  return recorded(deliveries)
    .map(([id, event]) => {
      const other = session !== undefined && session !== id
      session = id
      return (other ? "| " : "") + word(event)
    })
    .join(" ")
}
