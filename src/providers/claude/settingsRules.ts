import { getNodeValue } from "jsonc-parser"
import { type JsoncText, nodeAt } from "../jsoncText.ts"

/**
 * Why Claude Code would leave a whole settings file aside, which it does without a word in `-p`; undefined when nothing is known against
 * it. Measured: comments and trailing commas on 2.1.332 and 2.1.197, an event that is no list on 2.1.332, a group without a list of
 * handlers on 2.1.197. A byte order mark, CRLF, unknown events and unknown keys are no reason.
 */
export const whyIgnored = (document: JsoncText): string | undefined => {
  if (document.root === undefined) return undefined
  if (!isPlainJson(document.text)) {
    return "it has comments or trailing commas, and Claude Code leaves such a file aside as a whole"
  }
  const hooks = nodeAt(document, ["hooks"])
  const events: ReadonlyArray<[event: string, groups: unknown]> =
    hooks?.type === "object" ? Object.entries(getNodeValue(hooks)) : []
  const wrong = events.find(([, groups]) => !Array.isArray(groups) || !groups.every(isGroup))
  return wrong === undefined
    ? undefined
    : `hooks.${wrong[0]} is not a list of groups, and some versions of Claude Code then leave the file aside as a whole`
}

const isPlainJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const isGroup = (group: unknown): boolean =>
  typeof group === "object" &&
  group !== null &&
  "hooks" in group &&
  Array.isArray(group.hooks) &&
  group.hooks.every((handler) => typeof handler === "object" && handler !== null)
