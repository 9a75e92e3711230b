import type { ArchivedEvent } from "../domain/event.ts"

/** A prompt of a recorded session, as it is sent again. */
export interface RecordedPrompt {
  readonly sequence: number
  readonly text: string
  /** What the recording did to it: then it is not what the user wrote. */
  readonly altered: ReadonlyArray<"redacted" | "cut">
}

/** The prompts that the user wrote, in their order. What an agent or a tool put in as a prompt comes again by itself, where it does. */
export const userPrompts = (events: Iterable<ArchivedEvent>): ReadonlyArray<RecordedPrompt> => {
  const prompts: Array<RecordedPrompt> = []
  for (const event of events) {
    if (event.kind !== "user_prompt" || event.payload.origin !== "user") continue
    // An older recorder dropped a payload as a whole.
    const isText = (path: string) => path === "payload" || /^(payload\.)?text(\W|$)/.test(path)
    const cut = event.truncated?.some(({ path }) => isText(path)) === true || event.omitted?.some(isText) === true
    prompts.push({
      sequence: event.sequence,
      text: event.payload.text,
      altered: [...(event.redactions.some(isText) ? ["redacted" as const] : []), ...(cut ? ["cut" as const] : [])]
    })
  }
  return prompts
}

/** The model that the session was recorded with: as it began, else of its first answer that no subagent gave. */
export const recordedModel = (events: Iterable<ArchivedEvent>): string | undefined => {
  let answered: string | undefined
  for (const event of events) {
    if (event.kind === "session_start" && event.payload.model !== undefined && event.payload.model !== "") {
      return event.payload.model
    }
    if (event.kind === "turn_usage") {
      answered ??= event.payload.messages.find(
        (message) => message.agent_id === undefined && message.model !== undefined
      )?.model
    }
  }
  return answered
}

/** How much the agent might do without being asked, in its own word. */
export const recordedPermissions = (events: Iterable<ArchivedEvent>): string | undefined => {
  for (const event of events) {
    if (event.kind !== "session_start" && event.kind !== "user_prompt") continue
    if (event.payload.permission_mode !== undefined) return event.payload.permission_mode
  }
  return undefined
}
