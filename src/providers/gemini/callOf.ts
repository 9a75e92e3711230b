import { isObject } from "../../domain/jsonObject.ts"

/**
 * What the beginning and the end of one tool call share. Gemini CLI gives calls no id: both hooks give the name of the tool and its input. Two equal
 * calls are the same by this; their events pair in order, each end with the oldest beginning that is open.
 *
 * @returns JSON text that is the same for equal values, whatever the order of their keys
 */
export const callOf = (toolName: unknown, input: unknown): string => {
  try {
    return JSON.stringify([toolName, input], (_, part) =>
      isObject(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part
    )
  } catch {
    // Nested deeper than JSON.stringify can go: such calls share an id.
    return ""
  }
}
