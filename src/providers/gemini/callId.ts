import { isObject } from "../../domain/jsonObject.ts"
import { sha256 } from "../../platform/digest.ts"

/**
 * An id that the beginning and the end of one tool call share. Gemini CLI tells none: both hooks give the name of the tool and its input,
 * so the id is made of these. Two equal calls have one id; their events pair in order, each end with the oldest beginning that is open.
 */
export const callId = (toolName: unknown, input: unknown): string => {
  const digest = sha256(canonical([toolName, input])).slice(0, 16)
  return `${typeof toolName === "string" ? toolName.slice(0, 64) : "tool"}:${digest}`
}

/** JSON text that is the same for equal values, whatever the order of their keys. */
const canonical = (value: unknown): string => {
  try {
    return JSON.stringify(value, (_, part) =>
      isObject(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part
    )
  } catch {
    // Nested deeper than JSON.stringify can go: such calls share an id.
    return ""
  }
}
