import * as Effect from "effect/Effect"
import type { DraftEvent } from "../../domain/event.ts"
import { contentOf, textOf } from "../draftFields.ts"
import type { Delivery, HookInput, ProviderAdapter, TranscriptReading } from "../ProviderAdapter.ts"
import { usageDrafts } from "../transcriptLines.ts"
import { callOf } from "./callOf.ts"
import { type EventMapping, geminiHooks, type HookRow, type Source } from "./hooks.ts"
import { decodePayload, type HookPayload } from "./payload.ts"
import { readSession } from "./transcript.ts"
import { isTime } from "./unseenCalls.ts"

/** Gemini CLI, as measured on 0.61.0. */
export const geminiAdapter: ProviderAdapter = {
  provider: "gemini",
  capabilities: {
    session_start: "hook",
    session_end: "hook",
    prompts: "hook",
    assistant_messages: "transcript",
    tool_calls: "hook",
    tool_results: "hook",
    tool_errors: "hook",
    invalid_calls: "transcript",
    denials: "transcript",
    permission_requests: "hook",
    notifications: "hook",
    context_injection: "hook",
    usage: "transcript",
    // Of /compress only. One that the agent begins by itself cannot be told from a request to the model.
    compaction: "hook",
    // Names and inputs of calls are told, ids are made from them.
    call_ids: "absent",
    turn_ids: "absent",
    // The calls of a sub-agent come as calls of the session, without a mark.
    subagents: "absent",
    prompt_expansions: "absent",
    tasks: "absent",
    model_switches: "absent",
    user_interrupts: "transcript",
    thinking: "absent"
  },
  read: (input) => Effect.map(decodePayload(input.payload), (payload) => delivery(payload, input.env)),
  answer: (event) => rowOf(event)?.answer ?? "{}"
}

const delivery = (payload: HookPayload, env: HookInput["env"]): Delivery => {
  const row = rowOf(payload.hook_event_name)
  const events = [row === undefined ? unknownEvent(payload) : draft(row, payload)]
  const { transcript_path: transcriptPath } = payload
  return {
    provider: "gemini",
    event: payload.hook_event_name,
    sessionId: payload.session_id,
    transcriptPath,
    cwd: payload.cwd,
    projectDirectory: env.GEMINI_PROJECT_DIR,
    // The shell that starts the hook says who started it (install.ts): it is gone before the agent is.
    agentPid: pidOf(env.LINT_AI_AGENT_PID),
    events,
    boundary: row?.boundary ?? "none",
    opens: row?.opens ?? true,
    ...(row === undefined || row.reads === "nothing" || transcriptPath === undefined
      ? {}
      : { transcript: retelling(transcriptPath, payload.session_id, row.reads, events), retold: true })
  }
}

const rows: Readonly<Record<string, HookRow>> = geminiHooks
const rowOf = (event: string): HookRow | undefined => (Object.hasOwn(rows, event) ? rows[event] : undefined)

const pidOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined

/**
 * The events of a delivery with what the session file adds: before them the calls that no hook told of, since they came before; usage
 * behind the answer that it is of, else before an end or the next prompt.
 */
const retelling =
  (
    transcriptPath: string,
    sessionId: string | undefined,
    reads: "rest" | "answer",
    events: ReadonlyArray<DraftEvent>
  ): TranscriptReading =>
  ({ cursors, sinceMs }) =>
    Effect.map(readSession(transcriptPath, sessionId, cursors, sinceMs), ({ unseen, answer, messages, readings }) => {
      const usage = usageDrafts({ source: "gemini-transcript", messages, readings, before: cursors, turnId: undefined })
      return reads === "answer"
        ? [...unseen, ...events.map((event) => withAnswer(event, answer)), ...usage]
        : [...unseen, ...usage, ...events]
    })

const withAnswer = (event: DraftEvent, text: string | undefined): DraftEvent =>
  event.kind === "assistant_message" && text !== undefined ? { ...event, payload: { ...event.payload, text } } : event

const draft = (row: HookRow, payload: HookPayload): DraftEvent => {
  const [applies, other] = row.unless ?? []
  const mapping: EventMapping = other !== undefined && applies?.(payload) === true ? other : row
  const content = mapping.kind === "provider_event" ? providerEvent(payload, mapping.fields) : mapped(mapping, payload)
  // What a later version sends in another shape is kept as it came rather than lost.
  if (content === undefined) return unknownEvent(payload)
  return {
    kind: mapping.kind,
    payload: content,
    ...(row.isOfCall ? { call: callOf(payload.tool_name, payload.tool_input) } : {}),
    ...envelope(payload)
    // contentOf has checked the content against the schema of the kind, which the compiler cannot follow through the table.
  } as DraftEvent
}

type FieldMapping = Exclude<EventMapping, { readonly kind: "provider_event" }>

const mapped = (mapping: FieldMapping, payload: HookPayload): Record<string, unknown> | undefined => {
  const sources: ReadonlyArray<[string, Source]> = Object.entries(mapping.fields)
  return contentOf(
    mapping.kind,
    sources.map(([field, source]) => [field, typeof source === "string" ? payload[source] : source(payload)])
  )
}

const providerEvent = (payload: HookPayload, fields: ReadonlyArray<string>) => ({
  name: payload.hook_event_name,
  fields: Object.fromEntries(
    fields.filter((field) => payload[field] !== undefined).map((field) => [field, payload[field]])
  )
})

/** What the envelope and the archive say already. */
const common = ["hook_event_name", "session_id", "transcript_path", "cwd", "timestamp"]

/** An event of a version that the table does not know: its name and its own fields. The recorder redacts and bounds them. */
const unknownEvent = (payload: HookPayload): DraftEvent => ({
  kind: "provider_event",
  payload: providerEvent(
    payload,
    Object.keys(payload).filter((key) => !common.includes(key))
  ),
  ...envelope(payload)
})

const envelope = (payload: HookPayload): Pick<DraftEvent, "identity" | "timestamp"> => ({
  identity: ["payload", textOf(payload)],
  ...(payload.timestamp !== undefined && isTime(payload.timestamp) ? { timestamp: payload.timestamp } : {})
})
