import type { ArchivedEvent } from "../domain/event.ts"

/** What an agent does about a prompt; the end of a session comes when the person leaves. */
const isWork: ReadonlySet<ArchivedEvent["kind"]> = new Set([
  "assistant_message",
  "tool_call",
  "tool_result",
  "tool_error",
  "compaction",
  "subagent_start",
  "subagent_stop",
  "context_injected"
])
const isAnswer: ReadonlySet<ArchivedEvent["kind"]> = new Set(["assistant_message", "tool_call", "tool_error"])

/** The turns of the user: how many, how long the agent worked on them, and how soon it answered the first. */
export const workTally = () => {
  const turnIds = new Set<string>()
  let prompts = 0
  let firstPromptAt: number | undefined
  let answeredAt: number | undefined
  /** When the agent was last seen at work on the turn that is open. */
  let workedUntil: number | undefined
  let workingMs = 0

  const answered = (at: number): void => {
    if (firstPromptAt !== undefined && at >= firstPromptAt) answeredAt = Math.min(answeredAt ?? at, at)
  }
  return {
    add: (event: ArchivedEvent): void => {
      const at = Date.parse(event.timestamp)
      if (event.turn_id !== undefined) turnIds.add(event.turn_id)
      if (event.kind === "user_prompt" && event.payload.origin === "user") {
        prompts++
        firstPromptAt ??= at
        workedUntil = at
      } else if (workedUntil !== undefined && isWork.has(event.kind)) {
        workingMs += Math.max(0, at - workedUntil)
        workedUntil = Math.max(workedUntil, at)
      }
      if (isAnswer.has(event.kind)) answered(at)
    },
    /** @param messageTimes when the model answered in the session itself, as its usage tells: milliseconds since 1970 */
    end: (messageTimes: Iterable<number>) => {
      for (const at of messageTimes) answered(at)
      return {
        turns: turnIds.size > 0 ? turnIds.size : prompts,
        working_ms: prompts === 0 ? null : workingMs,
        first_response_ms: firstPromptAt === undefined || answeredAt === undefined ? null : answeredAt - firstPromptAt
      }
    }
  }
}
