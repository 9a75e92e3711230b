import type { Delivery } from "../providers/ProviderAdapter.ts"

/** Fields of a payload that say which session it belongs to, as they stand near its beginning. */
const idFields = [
  ...["session_id", "hook_event_name", "prompt_id", "transcript_path", "cwd", "tool_use_id", "tool_name"],
  // Codex
  ...["turn_id", "agent_id"],
  // Antigravity CLI
  ...["conversationId", "transcriptPath"]
]
const searchedBytes = 64 * 1024

/**
 * What can be told of a payload that was too large to keep: the ids that stand in its first bytes. A field in the middle of a tool's input
 * could be taken for one; the first of each name is taken, and every agent writes its own first.
 */
export const oversizedPayload = (head: Buffer): Record<string, unknown> => {
  const text = head.subarray(0, searchedBytes).toString("utf8")
  const found: Record<string, unknown> = {}
  for (const field of idFields) {
    const value = new RegExp(`"${field}"\\s*:\\s*("(?:[^"\\\\]|\\\\.){0,4096}")`).exec(text)?.[1]
    if (value === undefined) continue
    try {
      found[field] = JSON.parse(value)
    } catch {
      // An escape that is none: the field is left out.
    }
  }
  return found
}

/** The delivery of an oversized payload: its place in the session, and a marker with its size instead of its content. */
export const withoutContent = ({ retold, transcript, ...delivery }: Delivery, totalBytes: number): Delivery => {
  const [first] = delivery.events
  return {
    ...delivery,
    // A reading that tells the events again would do so without the content that it builds on.
    ...(retold === true || transcript === undefined ? undefined : { transcript }),
    events: [
      {
        kind: "provider_event",
        payload: { name: delivery.event, fields: { oversized_bytes: totalBytes } },
        identity: [
          "oversized",
          delivery.event,
          String(totalBytes),
          ...delivery.events.flatMap((draft) => draft.identity)
        ],
        ...(first?.turnId === undefined ? undefined : { turnId: first.turnId }),
        ...(first?.providerIds === undefined ? undefined : { providerIds: first.providerIds }),
        ...(first?.call === undefined ? undefined : { call: first.call })
      }
    ]
  }
}
