import type { PromptOrigin } from "../../domain/event.ts"
import type { HookPayload } from "./payload.ts"

/** The agent's own wake-ups: values of `source` in the schema of 2.1.332, which were never seen sent. */
const ownWakeUps: ReadonlyArray<unknown> = ["system", "loop_wakeup", "schedule_wakeup", "poll_event"]

/**
 * Who wrote a prompt. The end of a background task comes as a prompt that begins with `<task-notification>` (2.1.332, measured).
 */
export const promptOrigin = ({ prompt, source }: HookPayload): PromptOrigin => {
  if (typeof prompt === "string" && prompt.startsWith("<task-notification>")) return "task-notification"
  return ownWakeUps.includes(source) ? "injected" : "user"
}
