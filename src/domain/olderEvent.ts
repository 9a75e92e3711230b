import { isObject } from "./jsonObject.ts"

/**
 * Events as older recorders wrote them: the same envelope, but with the hook's own payload inside, `truncated: true` instead of a list, and null
 * for what was not seen. Turned into the present form before they are decoded, so that old archives can be read like new ones.
 */
type Fields = Readonly<Record<string, unknown>>

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

/** What a field is called now, where it is a text or anything but null. */
const renamed = (payload: Fields, names: Readonly<Record<string, string>>): Fields =>
  Object.fromEntries(
    Object.entries(names).flatMap(([now, then]) => {
      const value = payload[then]
      return value === undefined || value === null ? [] : [[now, value]]
    })
  )

const answerOf = (payload: Fields): string => {
  const extra = isObject(payload.extra) ? payload.extra : {}
  return text(payload.last_assistant_message) ?? text(extra.last_assistant_message) ?? ""
}

const tokensOf = (usage: unknown): Fields =>
  isObject(usage) ? Object.fromEntries(Object.entries(usage).filter(([, count]) => typeof count === "number")) : {}

const tool = { tool_name: "tool_name", input: "tool_input" }

/** The present payload of each kind, from the older one and the event's id. */
const payloads: Readonly<Record<string, (payload: Fields, eventId: string) => Fields>> = {
  user_prompt: (payload) => ({
    text: text(payload.prompt) ?? "",
    origin: payload.hook_event_name === "UserPromptExpansion" ? "expansion" : "user",
    ...renamed(payload, { command_name: "command_name", command_args: "command_args" })
  }),
  assistant_message: (payload) => ({ text: answerOf(payload), final: true }),
  tool_call: (payload) => renamed(payload, tool),
  tool_result: (payload) => renamed(payload, { ...tool, response: "tool_response" }),
  tool_error: (payload) => ({ outcome: "failed", ...renamed(payload, { ...tool, error: "error" }) }),
  compaction: (payload) => ({
    phase: payload.hook_event_name === "PostCompact" ? "after" : "before",
    ...renamed(payload, { trigger: "trigger" })
  }),
  subagent_start: (payload) => renamed(payload, { agent_type: "agent_type" }),
  subagent_stop: (payload) => renamed(payload, { agent_type: "agent_type" }),
  session_start: (payload) => renamed(payload, { source: "source", model: "model" }),
  session_end: (payload) => renamed(payload, { reason: "reason" }),
  turn_usage: (payload, eventId) => ({
    source: payload.source,
    messages: [{ message_id: eventId, ...tokensOf(payload.usage) }]
  }),
  // The name of the hook stands in the id only: `<session>:<name>:<sequence>`.
  provider_event: (payload, eventId) => ({ name: eventId.split(":").at(-2) ?? "unknown", fields: payload })
}

/** Where something was redacted, by the present name of the field. */
const presentPath = (where: unknown): unknown =>
  typeof where === "string"
    ? where.replace(/^payload\.(prompt|tool_input|tool_response)(?=\W|$)/, (_, then) => `payload.${presentNames[then]}`)
    : where
const presentNames: Readonly<Record<string, string>> = {
  prompt: "text",
  tool_input: "input",
  tool_response: "response"
}

/** Whether an event was written by an older recorder: it has no chain, and its id counts instead of naming. */
const isOlder = (event: Fields): boolean =>
  event.chain_hash === undefined && typeof event.event_id === "string" && /:[A-Za-z]+:\d+$/.test(event.event_id)

/** An older event in the present form; anything else as it is. Total. */
export const modernEvent = (value: unknown): unknown => {
  if (!isObject(value) || !isOlder(value)) return value
  const payload = isObject(value.payload) ? value.payload : {}
  const make = payloads[String(value.kind)]
  const { truncated, usage, turn_id: _turn, ...rest } = value
  return {
    ...rest,
    ...(text(payload.turn_id) === undefined ? undefined : { turn_id: payload.turn_id }),
    ...(isObject(usage) && typeof usage.source === "string"
      ? { usage: { source: usage.source, ...tokensOf(usage) } }
      : undefined),
    ...(truncated === true ? { truncated: [{ path: "payload", bytes: 0 }] } : undefined),
    redactions: Array.isArray(value.redactions) ? value.redactions.map(presentPath) : [],
    payload: make === undefined ? payload : make(payload, String(value.event_id))
  }
}
