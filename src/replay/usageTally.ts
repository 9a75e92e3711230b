import type { ArchivedEvent, MessageUsage } from "../domain/event.ts"
import { addTokens, preferredSource, type Tokens, type UsageSource } from "../domain/usage.ts"

/** The models of a session, and the messages of the one source that stands for it (preferredSource). A message counts once, with its last snapshot. */
export const usageTally = () => {
  const models = new Set<string>()
  const sources = new Map<UsageSource, Map<string, MessageUsage>>()
  return {
    add: (event: ArchivedEvent): void => {
      if (event.kind === "session_start" && event.payload.model !== undefined) models.add(event.payload.model)
      if (event.kind !== "turn_usage" || event.payload.messages.length === 0) return
      const { source, messages } = event.payload
      const snapshots = sources.get(source) ?? new Map<string, MessageUsage>()
      sources.set(source, snapshots)
      for (const message of messages) {
        if (message.model !== undefined) models.add(message.model)
        snapshots.set(message.message_id, message)
      }
    },
    end: () => {
      const source = preferredSource([...sources].map(([name, messages]) => [name, messages.size])) ?? null
      const messages = [...((source && sources.get(source)?.values()) ?? [])]
      const own = messages.filter(({ agent_id }) => agent_id === undefined)
      return {
        models: [...models],
        usage_source: source,
        tokens: source === null ? null : messages.reduce<Tokens>((sum, message) => addTokens(sum, message), {}),
        model_turns: own.length === 0 ? null : own.length,
        /** Of the session itself, not of its subagents: milliseconds since 1970. */
        messageTimes: own.flatMap(({ time }) => (time === undefined ? [] : [Date.parse(time)]))
      }
    }
  }
}
