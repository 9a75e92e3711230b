import type { DraftEvent, ToolOutcome } from "../../domain/event.ts"
import { isObject } from "../../domain/jsonObject.ts"
import { callOf } from "./callOf.ts"

interface Rule {
  readonly pattern: RegExp
  readonly outcome: ToolOutcome
  /** Whether BeforeTool told of its beginning. */
  readonly begun: boolean
}

/**
 * Calls whose end no hook tells, by the words that the session file has for it (0.61.0, from the shipped program; the first two and the
 * refusals by policy and user seen). The file holds no kind of error. Errors of tools that ran are told by AfterTool and not listed.
 */
const rules: ReadonlyArray<Rule> = [
  { pattern: /^Tool "[^"\n]{1,200}" not found\./, outcome: "invalid", begun: false },
  { pattern: /^params(?:\/\S{1,200})? must /, outcome: "invalid", begun: false },
  { pattern: /^Tool execution denied by policy\./, outcome: "denied", begun: true },
  { pattern: /^Tool execution blocked: /, outcome: "denied", begun: true },
  { pattern: /^Agent execution stopped by hook: /, outcome: "denied", begun: true },
  { pattern: /^\[Operation Cancelled\] Reason: User denied execution/, outcome: "denied", begun: true },
  { pattern: /^\[Operation Cancelled\] /, outcome: "interrupted", begun: true }
]

/** The events of the calls of one message that no hook told of. A call that ran has an output, which AfterTool told. */
export const unseenCalls = (toolCalls: unknown): ReadonlyArray<DraftEvent> =>
  Array.isArray(toolCalls) ? toolCalls.flatMap(eventsOf) : []

const eventsOf = (call: unknown): ReadonlyArray<DraftEvent> => {
  if (!isObject(call) || (call.status !== "error" && call.status !== "cancelled")) return []
  const { id, name, args, timestamp } = call
  const response = responseOf(call.result)
  const error = response.error
  if (typeof id !== "string" || typeof name !== "string" || typeof error !== "string") return []
  if (response.output !== undefined) return []
  const rule = rules.find(({ pattern }) => pattern.test(error))
  if (rule === undefined) return []
  // The beginning that a hook told has the id that a hook can know; of the others the agent's own is known.
  const ids: Pick<DraftEvent, "providerIds" | "call"> = rule.begun
    ? { providerIds: { call_id: id }, call: callOf(name, args) }
    : { providerIds: { tool_use_id: id, call_id: id } }
  const time = typeof timestamp === "string" && isTime(timestamp) ? { timestamp } : {}
  const end: DraftEvent = {
    kind: "tool_error",
    payload: { tool_name: name, outcome: rule.outcome, input: args, error },
    identity: ["tool_end", id],
    ...ids,
    ...time
  }
  const begin: DraftEvent = {
    kind: "tool_call",
    payload: { tool_name: name, input: args },
    identity: ["tool_start", id],
    ...ids,
    ...time
  }
  return rule.begun ? [end] : [begin, end]
}

/** The form that an event's time has. */
export const isTime = (text: string): boolean => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text)

const responseOf = (result: unknown): Readonly<Record<string, unknown>> => {
  const part: unknown = Array.isArray(result) ? result[0] : undefined
  const answer = isObject(part) ? part.functionResponse : undefined
  const response = isObject(answer) ? answer.response : undefined
  return isObject(response) ? response : {}
}
