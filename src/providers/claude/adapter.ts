import * as Effect from "effect/Effect"
import type { DraftEvent } from "../../domain/event.ts"
import { isObject } from "../../domain/jsonObject.ts"
import type { Usage } from "../../domain/usage.ts"
import { identityOf, mappedContent, textOf } from "../draftFields.ts"
import type { Delivery, HookInput, ProviderAdapter } from "../ProviderAdapter.ts"
import { outcomeOfAnswer } from "./batch.ts"
import { claudeHooks, type HookRow } from "./hooks.ts"
import { decodePayload, type HookPayload } from "./payload.ts"
import { tokensOf } from "./tokens.ts"
import { readUsage } from "./transcript.ts"

/** Claude Code, as measured on 2.1.197 and 2.1.332. It expects nothing on stdout: silence changes nothing. */
export const claudeAdapter: ProviderAdapter = {
  provider: "claude",
  capabilities: {
    session_start: "hook",
    session_end: "hook",
    prompts: "hook",
    prompt_expansions: "hook",
    assistant_messages: "hook",
    tool_calls: "hook",
    tool_results: "hook",
    tool_errors: "hook",
    denials: "hook",
    permission_requests: "hook",
    subagents: "hook",
    compaction: "hook",
    notifications: "hook",
    tasks: "hook",
    model_switches: "hook",
    context_injection: "hook",
    usage: "transcript",
    // Esc and Ctrl-C run no hook: the call just stays without an end.
    user_interrupts: "absent",
    thinking: "absent"
  },
  read: (input) => Effect.map(decodePayload(input.payload), (payload) => delivery(payload, input.env)),
  answer: () => ""
}

const delivery = (payload: HookPayload, env: HookInput["env"]): Delivery => {
  const row = rowOf(payload.hook_event_name)
  const { transcript_path: transcriptPath } = payload
  return {
    provider: "claude",
    event: payload.hook_event_name,
    sessionId: payload.session_id,
    transcriptPath,
    cwd: payload.cwd,
    projectDirectory: env.CLAUDE_PROJECT_DIR,
    agentPid: pidOf(env.CLAUDE_PID),
    ...versionOf(env),
    events: events(row, payload, env),
    boundary: row?.boundary ?? "none",
    opens: row?.opens ?? true,
    ...(row?.usage === true && transcriptPath !== undefined
      ? { transcript: readUsage(transcriptPath, payload.prompt_id) }
      : {})
  }
}

const rows: Readonly<Record<string, HookRow>> = claudeHooks
const rowOf = (event: string): HookRow | undefined => (Object.hasOwn(rows, event) ? rows[event] : undefined)

const pidOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined

/** The version of the agent, which no payload tells: AI_AGENT is `claude-code_2-1-332_harness` in the environment of its hooks (both versions). */
const versionOf = (env: HookInput["env"]): Pick<Delivery, "providerVersion"> => {
  const version = /^claude-code_(\d+-\d+-\d+)/.exec(agentNameIn(env))?.[1]
  return version === undefined ? {} : { providerVersion: version.replaceAll("-", ".") }
}

const agentNameIn = (env: HookInput["env"]): string => {
  try {
    return env.AI_AGENT ?? ""
  } catch {
    // On Deno with permissions that leave this name out, looking at it throws.
    return ""
  }
}

const events = (row: HookRow | undefined, payload: HookPayload, env: HookInput["env"]): ReadonlyArray<DraftEvent> => {
  if (row === undefined) return [unknownEvent(payload)]
  if (row !== claudeHooks.PostToolBatch) return [draft(row, payload, env.CLAUDE_PID)]
  return Array.isArray(payload.tool_calls)
    ? payload.tool_calls.map((call) => endOfCall(payload, call))
    : [unknownEvent(payload)]
}

/**
 * The end of one call of a batch, with the identity that its PostToolUse or PostToolUseFailure has: it is new only where neither came, and of all
 * calls only denied and invalid ones end in the batch alone (measured). A hook or an SDK host denies in its own words, so what does not say
 * otherwise was denied.
 */
const endOfCall = (batch: HookPayload, call: unknown): DraftEvent => {
  const { tool_calls: _, ...common } = batch
  const { tool_name, tool_input, tool_use_id, tool_response } = isObject(call) ? call : {}
  const outcome = outcomeOfAnswer(tool_response) ?? "denied"
  return draft(claudeHooks.PostToolBatch, { ...common, tool_name, tool_input, tool_use_id, tool_response, outcome })
}

const draft = (row: HookRow, payload: HookPayload, process?: string): DraftEvent => {
  const content = row.kind === "provider_event" ? providerEvent(payload, row.fields) : mappedContent(row, payload)
  // What a later version sends in another shape is kept as it came rather than lost.
  if (content === undefined) return unknownEvent(payload)
  const usage = usageOf(payload)
  return {
    kind: row.kind,
    payload: content,
    ...identityOf(row, payload, process),
    ...envelope(row.ids, payload),
    ...(usage === undefined ? {} : { usage })
    // contentOf has checked the content against the schema of the kind, which the compiler cannot follow through the table.
  } as DraftEvent
}

const providerEvent = (payload: HookPayload, fields: ReadonlyArray<string>) => ({
  name: payload.hook_event_name,
  fields: Object.fromEntries(
    fields.filter((field) => payload[field] !== undefined).map((field) => [field, payload[field]])
  )
})

/** What the envelope and the archive say already. */
const common = ["hook_event_name", "session_id", "transcript_path", "cwd", "prompt_id"]
const knownIds = ["tool_use_id", "agent_id"]

/** An event of a version that the table does not know: its name and its own fields. The recorder redacts and bounds them. */
const unknownEvent = (payload: HookPayload): DraftEvent => ({
  kind: "provider_event",
  payload: providerEvent(
    payload,
    Object.keys(payload).filter((key) => !common.includes(key))
  ),
  identity: ["payload", textOf(payload)],
  scope: "recent",
  ...envelope(knownIds, payload)
})

const envelope = (ids: ReadonlyArray<string>, payload: HookPayload): Pick<DraftEvent, "turnId" | "providerIds"> => {
  const providerIds: Record<string, string> = {}
  for (const id of ids) {
    const value = payload[id]
    if (typeof value === "string") providerIds[id] = value
  }
  return {
    ...(payload.prompt_id === undefined ? {} : { turnId: payload.prompt_id }),
    ...(Object.keys(providerIds).length === 0 ? {} : { providerIds })
  }
}

/**
 * The answer of a subagent's tool (Agent, before named Task) holds the usage of its last request only. It belongs to that event and to no
 * total: the transcript of the subagent has all of it.
 */
const usageOf = ({ tool_name, tool_response }: HookPayload): Usage | undefined => {
  if ((tool_name !== "Agent" && tool_name !== "Task") || !isObject(tool_response)) return undefined
  const tokens = tokensOf(tool_response.usage)
  return tokens === undefined ? undefined : { source: "hook-payload", ...tokens }
}
