import { getNodeValue } from "jsonc-parser"
import { isObject } from "../../domain/jsonObject.ts"
import type { JsoncText } from "../jsoncText.ts"
import { codexHooks } from "./hooks.ts"

const topFields: ReadonlyArray<string> = ["description", "hooks"]
const handlerTypes: ReadonlyArray<unknown> = ["command", "mcp_tool", "prompt", "agent"]

/**
 * Why Codex would leave a whole hooks.json aside, with a warning that `codex exec` does not show; undefined when nothing is known against it.
 * Measured on 0.171.0: comments, trailing commas and a byte order mark; a top-level field that it does not know; an event, group or
 * handler of another shape. Unknown events and unknown keys of a handler are no reason.
 */
export const whyIgnored = (document: JsoncText, hasMark: boolean): string | undefined => {
  if (document.root === undefined) return undefined
  if (hasMark) return "it begins with a byte order mark"
  if (!isPlainJson(document.text)) return "it has comments or trailing commas"
  const keys = (document.root.children ?? []).map((member) => String(member.children?.[0]?.value))
  const unknown = keys.find((key) => !topFields.includes(key))
  if (unknown !== undefined) return `it has the field "${unknown}", which Codex does not know`
  if (new Set(keys).size < keys.length) return "it has a field twice"
  const content: unknown = getNodeValue(document.root)
  const hooks = isObject(content) ? content.hooks : undefined
  if (hooks === undefined) return undefined
  if (!isObject(hooks)) return "hooks is not an object"
  const wrong = Object.entries(hooks).find(
    ([event, groups]) => Object.hasOwn(codexHooks, event) && !(Array.isArray(groups) && groups.every(isGroup))
  )
  return wrong === undefined ? undefined : `hooks.${wrong[0]} is not a list of groups with handlers`
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
  isObject(group) &&
  (group.hooks === undefined ||
    (Array.isArray(group.hooks) &&
      group.hooks.every((handler) => isObject(handler) && handlerTypes.includes(handler.type))))
