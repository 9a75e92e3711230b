import type { ArchivedEvent, MessageUsage } from "../domain/event.ts"
import { addTokens, type Tokens, type UsageBySource } from "../domain/usage.ts"

/**
 * The tokens of a session by source, from its turn_usage events in the order of the archive.
 *
 * A message counts once, with its last snapshot: a transcript repeats the usage of a message with every block of it, and two readings may
 * share a message. Usage on other events is left out, because the transcript counts it too.
 */
export const usageTotals = (events: Iterable<Pick<ArchivedEvent, "kind" | "payload">>): UsageBySource => {
  const sources = new Map<string, Map<string, MessageUsage>>()
  for (const event of events) {
    if (!isTurnUsage(event)) continue
    const { source, messages } = event.payload
    const snapshots = sources.get(source) ?? new Map<string, MessageUsage>()
    for (const message of messages) snapshots.set(message.message_id, message)
    if (messages.length > 0) sources.set(source, snapshots)
  }
  return Object.fromEntries([...sources].map(([source, snapshots]) => [source, sum(snapshots.values())]))
}

type TurnUsage = Extract<ArchivedEvent, { readonly kind: "turn_usage" }>

const isTurnUsage = (event: Pick<ArchivedEvent, "kind" | "payload">): event is Pick<TurnUsage, "kind" | "payload"> =>
  event.kind === "turn_usage"

const sum = (messages: Iterable<MessageUsage>): Tokens => {
  let total: Tokens = {}
  for (const message of messages) total = addTokens(total, message)
  return total
}
