import { gapName } from "../archive/gap.ts"
import type { ArchivedEvent } from "../domain/event.ts"
import type { Manifest } from "../domain/manifest.ts"
import { commonToolName } from "../domain/toolNames.ts"
import { preferredSource, type UsageSource } from "../domain/usage.ts"
import { isObject } from "../providers/jsonObject.ts"
import { usageTotals } from "../recorder/usageTotals.ts"
import { replayEventName } from "./replayEvent.ts"

const explores = new Set(["read", "list", "find", "grep", "fetch", "web_search"])
/** Codex reads and searches with its shell: a command that only looks, and writes nowhere. */
const looks =
  /^\s*(?:cat|head|tail|nl|sed -n|rg|grep|find|ls|tree|wc|git (?:log|show|diff|status|grep|ls-files))\b[^>;&|]*$/

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

/**
 * Counts and adds up the events of a session, which come in their order, except those of the spool. Holds what grows with tool calls and model messages, and
 * nothing of what was said.
 */
export const tallyOf = ({ capabilities }: Pick<Manifest, "capabilities">) => {
  let first: string | undefined
  let last: string | undefined
  let events = 0
  let redactions = 0
  let truncations = 0
  let began = false
  let ended = false
  let gaps = 0
  let calls = 0
  let errors = 0
  let repeated = 0
  let injected = 0
  let prompts = 0
  let promptAt: number | undefined
  let turnAt: number | undefined
  let lastInTurn: number | undefined
  let working: number | undefined
  let answeredAt: number | undefined
  let exitCode: number | null = null
  let cost: number | null = null
  let settingsRoot: string | null = null
  let mcp: number | undefined
  let mcpUntold = false
  const turns = new Set<string>()
  const models = new Set<string>()
  const modes = new Set<string>()
  const memories = new Set<string>()
  const looked = new Set<string>()
  const called = new Set<string>()
  const usageEvents: Array<ArchivedEvent> = []
  const messages = new Map<UsageSource, Map<string, { readonly main: boolean; readonly time: number | undefined }>>()

  const closeTurn = (): void => {
    if (turnAt !== undefined && lastInTurn !== undefined) working = (working ?? 0) + Math.max(0, lastInTurn - turnAt)
    turnAt = undefined
    lastInTurn = undefined
  }
  const toolEnded = (event: Extract<ArchivedEvent, { readonly kind: "tool_result" | "tool_error" }>): void => {
    const id = event.provider_ids?.tool_use_id
    if (event.kind === "tool_error") {
      errors++
      // Refused before any hook ran: the error alone says that there was a call.
      if (id !== undefined && !called.has(id)) calls++
    }
    if (!commonToolName(event.provider, event.payload.tool_name).startsWith("mcp:lint_ai:")) return
    if (event.payload.duration_ms === undefined) mcpUntold = true
    else mcp = (mcp ?? 0) + event.payload.duration_ms
    // What was cut of a long answer is not seen.
    const answer = event.kind === "tool_result" ? (JSON.stringify(event.payload.response) ?? "") : ""
    for (const [id] of answer.matchAll(/\bmem_[0-9a-f]{8,64}\b/g)) memories.add(id)
  }
  const seeUsage = (event: Extract<ArchivedEvent, { readonly kind: "turn_usage" }>): void => {
    usageEvents.push(event)
    const { source } = event.payload
    const known = messages.get(source) ?? new Map()
    for (const { message_id, model, agent_id, time } of event.payload.messages) {
      if (model !== undefined) models.add(model)
      known.set(message_id, { main: agent_id === undefined, time: time === undefined ? undefined : Date.parse(time) })
    }
    if (known.size > 0) messages.set(source, known)
  }
  const seeProviderEvent = (event: Extract<ArchivedEvent, { readonly kind: "provider_event" }>): void => {
    if (event.payload.name === gapName) gaps++
    const { fields } = event.payload
    if (event.payload.name !== replayEventName || !isObject(fields)) return
    if (typeof fields.exit_code === "number") exitCode = fields.exit_code
    if (typeof fields.cost_usd === "number") cost = fields.cost_usd
    if (typeof fields.settings_root === "string") settingsRoot = fields.settings_root
  }

  const add = (event: ArchivedEvent, from: "log" | "spooled" = "log"): void => {
    const at = Date.parse(event.timestamp)
    events++
    redactions += event.redactions.length
    truncations += event.truncated?.length ?? 0
    // One in the spool may have happened long before.
    if (from === "log" || first === undefined) {
      first ??= event.timestamp
      last = event.timestamp
    }
    if (event.turn_id !== undefined) turns.add(event.turn_id)
    if (event.kind === "user_prompt" && event.payload.origin === "user") {
      closeTurn()
      prompts++
      turnAt = at
      lastInTurn = at
      promptAt ??= at
    } else if (turnAt !== undefined && isWork.has(event.kind)) lastInTurn = Math.max(lastInTurn ?? at, at)
    const answers = event.kind === "assistant_message" || event.kind === "tool_call" || event.kind === "tool_error"
    if (answers && promptAt !== undefined && at >= promptAt) answeredAt = Math.min(answeredAt ?? at, at)
    switch (event.kind) {
      case "session_start":
        began = true
        ended = false
        if (event.payload.model !== undefined) models.add(event.payload.model)
        if (event.payload.permission_mode !== undefined) modes.add(event.payload.permission_mode)
        return
      case "session_end":
        ended = true
        return
      case "user_prompt":
        if (event.payload.permission_mode !== undefined) modes.add(event.payload.permission_mode)
        return
      case "tool_call": {
        calls++
        if (event.provider_ids?.tool_use_id !== undefined) called.add(event.provider_ids.tool_use_id)
        const look = lookOf(event)
        if (look !== undefined && looked.has(look)) repeated++
        else if (look !== undefined) looked.add(look)
        return
      }
      case "tool_result":
      case "tool_error":
        toolEnded(event)
        return
      case "turn_usage":
        seeUsage(event)
        return
      case "context_injected":
        injected += event.payload.bytes
        for (const id of event.payload.record_ids) memories.add(id)
        return
      case "provider_event":
        seeProviderEvent(event)
        return
    }
  }

  const end = () => {
    closeTurn()
    const source = preferredSource([...messages].map(([name, told]) => [name, told.size] as const)) ?? null
    const told = source === null ? [] : [...(messages.get(source)?.values() ?? [])]
    for (const { time, main } of told) {
      if (main && time !== undefined && promptAt !== undefined && time >= promptAt) {
        answeredAt = Math.min(answeredAt ?? time, time)
      }
    }
    const mainTold = told.filter(({ main }) => main).length
    return {
      began,
      ended,
      gaps,
      metrics: {
        models: [...models],
        settings_root: settingsRoot,
        permission_modes: [...modes],
        exit_code: exitCode,
        duration_ms:
          first === undefined || last === undefined ? null : Math.max(0, Date.parse(last) - Date.parse(first)),
        working_ms: working ?? null,
        first_response_ms: promptAt === undefined || answeredAt === undefined ? null : answeredAt - promptAt,
        tokens: source === null ? null : (usageTotals(usageEvents)[source] ?? null),
        usage_source: source,
        cost_usd: cost,
        turns: turns.size > 0 ? turns.size : prompts,
        model_turns: mainTold === 0 ? null : mainTold,
        tool_calls: calls,
        tool_errors: errors,
        repeated_exploration: repeated,
        injected_bytes: injected,
        memories_used: [...memories],
        event_count: events,
        redaction_count: redactions,
        truncation_count: truncations,
        mcp_ms: mcpUntold ? null : (mcp ?? (capabilities?.tool_calls === "absent" ? null : 0))
      }
    }
  }
  return { add, end }
}

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
