import { isObject } from "../../domain/jsonObject.ts"
import type { ProviderMemory, TranscriptMessage } from "../ProviderMemory.ts"
import { numberIn } from "./payload.ts"
import { promptOf, stepOf } from "./steps.ts"

/**
 * Antigravity CLI, from public reports: PreInvocation comes before each request to the model, and its first in a turn (number 0) is when a prompt
 * is new. An ephemeral message stays out of the conversation that the user sees.
 */
export const antigravityMemory: ProviderMemory = {
  takesContext: (event, payload) =>
    event === "PreInvocation" && isObject(payload) && (numberIn(payload, "invocationNum") ?? 0) === 0,
  answer: (_, context) => JSON.stringify({ injectSteps: [{ ephemeralMessage: context }] }),
  mostBytes: 8_000,
  messageOf: (line): TranscriptMessage | undefined => {
    const step = stepOf(line)
    if (step?.content === undefined) return undefined
    if (step.type === "USER_INPUT") return { role: "user", text: promptOf(step.content) }
    return step.type === "PLANNER_RESPONSE" ? { role: "assistant", text: step.content } : undefined
  }
}
