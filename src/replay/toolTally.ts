import type { ArchivedEvent } from "../domain/event.ts"
import { isObject } from "../domain/jsonObject.ts"
import { commonToolName } from "../domain/toolNames.ts"

/** Calls of tools, how many of them failed, and how many looked again at what had been looked at. */
export const toolTally = () => {
  const called = new Set<string>()
  const looked = new Set<string>()
  let calls = 0
  let errors = 0
  let repeated = 0
  return {
    add: (event: ArchivedEvent): void => {
      const id = event.provider_ids?.tool_use_id
      if (event.kind === "tool_call") {
        calls++
        if (id !== undefined) called.add(id)
        const look = lookOf(event)
        if (look === undefined) return
        if (looked.has(look)) repeated++
        looked.add(look)
      } else if (event.kind === "tool_error") {
        errors++
        // Refused before any hook ran: the error alone says that there was a call.
        if (id !== undefined && !called.has(id)) calls++
      }
    },
    end: () => ({ tool_calls: calls, tool_errors: errors, repeated_exploration: repeated })
  }
}

/** What a call looks at, as a text that is the same for the same look; undefined for one that does something else. */
const lookOf = (event: Extract<ArchivedEvent, { readonly kind: "tool_call" }>): string | undefined => {
  const { tool_name: name, input } = event.payload
  if (input === undefined) return undefined
  const kind = commonToolName(event.provider, name)
  if (kind === "shell") {
    const command = isObject(input) ? (input.command ?? input.cmd) : undefined
    const line = Array.isArray(command) ? command.at(-1) : command
    if (typeof line !== "string" || !looks.test(line)) return undefined
  } else if (!explores.has(kind)) return undefined
  // What was cut is compared by how much went, too.
  return JSON.stringify([kind, input, event.truncated ?? []])
}

const explores = new Set(["read", "list", "find", "grep", "fetch", "web_search"])
/** Codex reads and searches with its shell: a command that only looks, and writes nowhere. */
const looks =
  /^\s*(?:cat|head|tail|nl|sed -n|rg|grep|find|ls|tree|wc|git (?:log|show|diff|status|grep|ls-files))\b[^>;&|]*$/
