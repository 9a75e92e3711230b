import * as Effect from "effect/Effect"
import type { DraftEvent } from "../../domain/event.ts"
import { textOf } from "../draftFields.ts"
import type { Delivery, HookInput, ProviderAdapter, TranscriptReading } from "../ProviderAdapter.ts"
import { antigravityHooks, type HookRow } from "./hooks.ts"
import { callIn, decodePayload, type HookPayload, numberIn, textIn } from "./payload.ts"
import {
  answerIn,
  beginDraft,
  callAt,
  callDrafts,
  callsOfTurn,
  isShort,
  promptBelow,
  readSteps,
  type Steps,
  usageOfTurn
} from "./transcript.ts"

/** Antigravity CLI, as public reports describe 1.0.3 to 1.5.14. The event's name comes as an argument of the hook's command. */
export const antigravityAdapter: ProviderAdapter = {
  provider: "antigravity",
  capabilities: {
    // From 1.3 on.
    session_start: "hook",
    session_end: "absent",
    prompts: "transcript",
    assistant_messages: "transcript",
    tool_calls: "hook",
    tool_results: "transcript",
    tool_errors: "hook",
    model_requests: "hook",
    context_injection: "hook",
    // Where the rows of the transcript have counts: versions of late 2026.
    usage: "transcript",
    call_ids: "absent",
    turn_ids: "absent",
    denials: "absent",
    permission_requests: "absent",
    notifications: "absent",
    // A sub-agent is a conversation of its own that does not name its parent.
    subagents: "absent",
    compaction: "absent",
    prompt_expansions: "absent",
    tasks: "absent",
    model_switches: "absent",
    user_interrupts: "absent",
    thinking: "absent"
  },
  read: (input) => Effect.map(decodePayload(input.payload), (payload) => delivery(payload, input)),
  answer: (event) => rowOf(event)?.answer ?? "{}"
}

const rows: Readonly<Record<string, HookRow>> = antigravityHooks
const rowOf = (event: string): HookRow | undefined => (Object.hasOwn(rows, event) ? rows[event] : undefined)

const delivery = (payload: HookPayload, input: HookInput): Delivery => {
  const event = input.event ?? "unnamed"
  const row = rowOf(event)
  const transcriptPath = textIn(payload, "transcriptPath") ?? textIn(payload, "transcript_path")
  const events = eventsOf(event, payload, input)
  const { workspacePaths } = payload
  const workspace: unknown = Array.isArray(workspacePaths) ? workspacePaths[0] : undefined
  return {
    provider: "antigravity",
    event,
    sessionId: textIn(payload, "conversationId") ?? input.env.ANTIGRAVITY_CONVERSATION_ID,
    transcriptPath,
    // The hook runs in the folder of hooks.json, which may be none of the project's.
    cwd: undefined,
    projectDirectory: typeof workspace === "string" && workspace !== "" ? workspace : undefined,
    agentPid: undefined,
    events,
    boundary: row?.boundary ?? "none",
    opens: row?.opens ?? true,
    ...(row === undefined || row.reads === "nothing" || transcriptPath === undefined
      ? {}
      : { transcript: retelling(transcriptPath, row.reads, payload, events), retold: true })
  }
}

const isFirstOfTurn = (payload: HookPayload): boolean => (numberIn(payload, "invocationNum") ?? 0) === 0

/** The events with what the transcript adds, in the order that things happened in. */
const retelling =
  (
    transcriptPath: string,
    reads: "prompt" | "step" | "turn",
    payload: HookPayload,
    events: ReadonlyArray<DraftEvent>
  ): TranscriptReading =>
  ({ cursors, sinceMs }) =>
    Effect.map(readSteps(transcriptPath, cursors), ({ steps, readings }) => {
      if (reads === "prompt") {
        if (!isFirstOfTurn(payload)) return events
        // The prompt was there before the hook that may have begun the archive.
        const prompt = promptBelow(steps, numberIn(payload, "initialNumSteps") ?? Number.POSITIVE_INFINITY, 0)
        return prompt === undefined ? events : [prompt, ...events]
      }
      if (reads === "step") return withResult(steps, payload, events)
      const prompt = isShort(steps) ? promptBelow(steps, Number.POSITIVE_INFINITY, sinceMs) : undefined
      return [
        ...(prompt === undefined ? [] : [prompt]),
        ...callsOfTurn(steps, sinceMs),
        ...events.map((event) => withAnswer(event, steps)),
        ...usageOfTurn(steps, readings, cursors, sinceMs, textIn(payload, "modelName"))
      ]
    })

const withResult = (steps: Steps, payload: HookPayload, events: ReadonlyArray<DraftEvent>) => {
  const index = numberIn(payload, "stepIdx")
  if (index === undefined) return events
  const call = callIn(payload)
  const told = call === undefined ? undefined : { index, ...call, error: textIn(payload, "error") }
  return callAt(steps, index, told)
}

/** The agent's own word for the answer where it gives one, else the transcript's. */
const withAnswer = (event: DraftEvent, steps: Steps): DraftEvent => {
  if (event.kind !== "assistant_message" || event.payload.text !== "") return event
  return { ...event, payload: { ...event.payload, text: answerIn(steps) ?? "" } }
}

/** What the hook itself tells. */
const eventsOf = (event: string, payload: HookPayload, input: HookInput): ReadonlyArray<DraftEvent> => {
  const index = numberIn(payload, "stepIdx")
  const call = callIn(payload)
  switch (event) {
    case "SessionStart":
      return [
        {
          kind: "session_start",
          payload: optional({ model: textIn(payload, "modelName") }),
          identity: ["session_start", ...run(input)]
        }
      ]
    case "PreInvocation":
      return [
        providerEvent(
          event,
          payload,
          ["modelName", "invocationNum", "initialNumSteps"],
          ["invocation", ...numbers(payload, "invocationNum", "initialNumSteps")]
        )
      ]
    case "PreToolUse":
      return call === undefined || index === undefined
        ? [unknownEvent(event, payload, input)]
        : [beginDraft(index, call.name, call.args)]
    case "PostToolUse":
      // An internal step is no call of a tool.
      if (call === undefined) return []
      return index === undefined
        ? [unknownEvent(event, payload, input)]
        : callDrafts({ index, ...call, error: textIn(payload, "error") })
    case "Stop":
      return [
        {
          kind: "assistant_message",
          payload: {
            text: textIn(payload, "finalModelOutput") ?? "",
            final: true,
            ...optional({ stop_reason: textIn(payload, "terminationReason"), error: textIn(payload, "error") })
          },
          identity: ["stop", ...run(input), textOf(payload)],
          scope: "recent"
        }
      ]
    default:
      return [unknownEvent(event, payload, input)]
  }
}

/** The agent's process: numbers begin anew in each, and nothing in the payload tells two runs of a conversation apart. */
const run = ({ parentPid }: HookInput): ReadonlyArray<string> => (parentPid === undefined ? [] : [String(parentPid)])

const numbers = (payload: HookPayload, ...fields: ReadonlyArray<string>): ReadonlyArray<string> =>
  fields.map((field) => String(numberIn(payload, field) ?? ""))

const optional = (fields: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined))

const providerEvent = (
  name: string,
  payload: HookPayload,
  fields: ReadonlyArray<string>,
  identity: ReadonlyArray<string>
): DraftEvent => ({
  kind: "provider_event",
  payload: {
    name,
    fields: Object.fromEntries(
      fields.filter((field) => payload[field] !== undefined).map((field) => [field, payload[field]])
    )
  },
  identity
})

/** What the envelope and the archive say already. */
const common = ["conversationId", "workspacePaths", "transcriptPath", "transcript_path", "artifactDirectoryPath"]

/** An event of a version that the table does not know: its name and its own fields. The recorder redacts and bounds them. */
const unknownEvent = (event: string, payload: HookPayload, input: HookInput): DraftEvent =>
  providerEvent(
    event,
    payload,
    Object.keys(payload).filter((key) => !common.includes(key)),
    ["payload", event, ...run(input), textOf(payload)]
  )
