import * as path from "node:path"
import * as Effect from "effect/Effect"
import type { DraftEvent } from "../../domain/event.ts"
import type { Usage } from "../../domain/usage.ts"
import { identityOf, mappedContent, textOf } from "../draftFields.ts"
import type { Delivery, ProviderAdapter } from "../ProviderAdapter.ts"
import { codexHooks, failedRequest, type HookRow } from "./hooks.ts"
import { decodePayload, type HookPayload } from "./payload.ts"
import { threadOf } from "./rollout.ts"
import { tokensOf } from "./tokens.ts"
import { retell } from "./transcript.ts"

/** Codex, as measured on 0.171.0. It expects nothing on stdout: silence changes nothing, and plain text after Stop would be an error. */
export const codexAdapter: ProviderAdapter = {
  provider: "codex",
  capabilities: {
    session_start: "hook",
    session_end: "hook",
    prompts: "hook",
    prompt_expansions: "absent",
    assistant_messages: "hook",
    tool_calls: "hook",
    tool_results: "hook",
    tool_errors: "transcript",
    denials: "transcript",
    permission_requests: "hook",
    subagents: "hook",
    compaction: "hook",
    notifications: "absent",
    tasks: "absent",
    model_switches: "absent",
    context_injection: "hook",
    usage: "hook",
    user_interrupts: "hook",
    thinking: "absent"
  },
  read: ({ payload, env, parentPid }) =>
    Effect.map(decodePayload(payload), (decoded) => delivery(decoded, pidOf(env.LINT_AI_AGENT_PID), parentPid)),
  answer: () => ""
}

const rows: Readonly<Record<string, HookRow>> = codexHooks
const rowOf = (payload: HookPayload): HookRow | undefined => {
  const { hook_event_name: name } = payload
  if (name === "PostModelRequest" && tokensOf(payload.token_usage) === undefined) return failedRequest
  return Object.hasOwn(rows, name) ? rows[name] : undefined
}

/** @param agentPid what the command line of the hook tells (hookCommand.ts); without it the agent is the parent of the hook */
const delivery = (payload: HookPayload, agentPid: number | undefined, parentPid: number | undefined): Delivery => {
  const row = rowOf(payload)
  const event = row === undefined ? unknownEvent(payload) : draft(row, payload, agentPid ?? parentPid)
  const { transcript_path: rollout, agent_transcript_path: agentRollout, tool_use_id: toolUseId } = payload
  return {
    provider: "codex",
    event: payload.hook_event_name,
    sessionId: payload.session_id,
    transcriptPath: rollout,
    cwd: payload.cwd,
    projectDirectory: undefined,
    agentPid,
    events: [event],
    boundary: row?.boundary ?? "none",
    opens: row?.opens ?? true,
    ...(row === undefined || row.reads === "none" || rollout === undefined
      ? {}
      : {
          transcript: retell({
            event,
            reads: row.reads,
            toolUseId: typeof toolUseId === "string" ? toolUseId : undefined,
            sessionId: payload.session_id,
            turnId: payload.turn_id,
            rollout,
            agentRollout: typeof agentRollout === "string" ? agentRollout : undefined
          }),
          retold: true as const
        })
  }
}

const pidOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined

const draft = (row: HookRow, payload: HookPayload, process: number | undefined): DraftEvent => {
  const content = row.kind === "provider_event" ? providerEvent(payload, row.fields) : mappedContent(row, payload)
  // What a later version sends in another shape is kept as it came rather than lost.
  if (content === undefined) return unknownEvent(payload)
  const usage = row.kind === "turn_usage" ? usageOf(payload) : undefined
  return {
    kind: row.kind,
    payload: content,
    ...identityOf(row, payload, process === undefined ? undefined : String(process)),
    ...envelope(row.ids, payload),
    ...(usage === undefined ? {} : { usage })
    // contentOf has checked the content against the schema of the kind, which the compiler cannot follow through the table.
  } as DraftEvent
}

const usageOf = (payload: HookPayload): Usage | undefined => {
  const tokens = tokensOf(payload.token_usage)
  return tokens === undefined ? undefined : { source: "hook-payload", ...tokens }
}

const providerEvent = (payload: HookPayload, fields: ReadonlyArray<string>) => ({
  name: payload.hook_event_name,
  fields: Object.fromEntries(
    // Codex writes null for what there is not.
    fields
      .filter((field) => payload[field] !== undefined && payload[field] !== null)
      .map((field) => [field, payload[field]])
  )
})

/** What the envelope and the archive say already. */
const common = ["hook_event_name", "session_id", "transcript_path", "cwd", "turn_id"]
const knownIds = ["tool_use_id", "agent_id", "thread_id", "request_id"]

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
  const present = ids.flatMap((id) => {
    const value = id === "rollout" ? rolloutName(payload.transcript_path) : payload[id]
    return typeof value === "string" ? [[id, value]] : []
  })
  return {
    ...(payload.turn_id === undefined ? {} : { turnId: payload.turn_id }),
    ...(present.length === 0 ? {} : { providerIds: Object.fromEntries(present) })
  }
}

const rolloutName = (file: string | undefined): string | undefined =>
  file === undefined || threadOf(file) === undefined ? undefined : path.basename(file, ".jsonl")
