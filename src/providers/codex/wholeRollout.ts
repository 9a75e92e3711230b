import type { DraftEvent } from "../../domain/event.ts"
import { isObject } from "../../domain/jsonObject.ts"
import { parseLine } from "../transcriptLines.ts"
import type { WholeTranscriptReader } from "../WholeTranscript.ts"
import { isRunning, outcomeOfAnswer } from "./refusals.ts"
import {
  answerText,
  type Call,
  type CallEnd,
  endOfItem,
  errorOf,
  inputOf,
  rolloutReader,
  toolOfCall,
  toolOfItem
} from "./rollout.ts"

type Fields = Readonly<Record<string, unknown>>

const mostMessages = 100

/**
 * A whole rollout of Codex (0.171.0, and its older form without items): prompts, answers, calls with their ends, usage. Reasoning is left out, and what
 * Codex adds for the model (instructions, environment).
 */
export const codexWholeRollout = (thread: string | undefined): WholeTranscriptReader => {
  let sessionId: string | undefined
  let version: string | undefined
  let cwd: string | undefined
  let branch: string | undefined
  let started = false
  /** Reads usage and how calls ended, as it does for the hooks. */
  let reader = rolloutReader(thread ?? "", undefined, Number.NEGATIVE_INFINITY)
  const calls = new Map<string, Call>()
  const told = new Set<string>()
  const counted = new Set<string>()
  let lastTime: string | undefined

  const envelope = (turnId: string | undefined, id?: string) => ({
    ...(turnId === undefined ? {} : { turnId }),
    ...(id === undefined ? {} : { providerIds: { tool_use_id: id } }),
    ...(lastTime === undefined ? {} : { timestamp: lastTime })
  })
  const takeUsage = (): ReadonlyArray<DraftEvent> => {
    const found = reader.found.messages.size > 0 ? reader.found.messages : reader.found.counts
    const messages = [...found].filter(([id]) => !counted.has(id)).map(([, message]) => message)
    for (const message of messages) counted.add(message.message_id)
    const groups = Array.from({ length: Math.ceil(messages.length / mostMessages) }, (_, n) =>
      messages.slice(n * mostMessages, (n + 1) * mostMessages)
    )
    return groups.map((group) => ({
      kind: "turn_usage",
      payload: { source: "codex-transcript", messages: group },
      identity: ["usage", ...group.map((message) => message.message_id)],
      ...envelope(undefined)
    }))
  }
  const end = (
    id: string,
    tool_name: string,
    ended: CallEnd,
    turnId: string | undefined
  ): ReadonlyArray<DraftEvent> => {
    if (told.has(id)) return []
    told.add(id)
    const common = { identity: ["tool_end", id], ...envelope(turnId, id) }
    const duration = ended.durationMs === undefined ? {} : { duration_ms: ended.durationMs }
    return ended.outcome === undefined
      ? [{ kind: "tool_result", payload: { tool_name, response: ended.text ?? "", ...duration }, ...common }]
      : [
          {
            kind: "tool_error",
            payload: { tool_name, outcome: ended.outcome, ...errorOf(ended, ended.text), ...duration },
            ...common
          }
        ]
  }
  const prompt = (text: string, id: string, turnId: string | undefined): ReadonlyArray<DraftEvent> =>
    text === ""
      ? []
      : [
          ...takeUsage(),
          { kind: "user_prompt", payload: { text, origin: "user" }, identity: ["prompt", id], ...envelope(turnId) }
        ]

  const readers: Readonly<Record<string, (payload: Fields) => ReadonlyArray<DraftEvent>>> = {
    session_meta: (payload) => {
      if (thread === undefined && sessionId === undefined) {
        reader = rolloutReader(textIn(payload.id) ?? "", undefined, Number.NEGATIVE_INFINITY)
      }
      sessionId ??= textIn(payload.id)
      version ??= textIn(payload.cli_version)
      cwd ??= textIn(payload.cwd)
      branch ??= isObject(payload.git) ? textIn(payload.git.branch) : undefined
      return []
    },
    "event_msg/user_message": (payload) => prompt(textIn(payload.message) ?? "", `${lastTime}`, undefined),
    "event_msg/item_completed": (payload) => {
      const { item } = payload
      const turnId = textIn(payload.turn_id)
      if (!isObject(item)) return []
      const id = textIn(item.id) ?? ""
      if (item.type === "UserMessage") return prompt(answerText(item.content), id, turnId)
      const ended = endOfItem(item, false)
      if (ended === undefined || id === "" || calls.has(id)) return []
      // Called by a program in code mode: only its item tells of it.
      const tool_name = toolOfItem(item, undefined)
      if (told.has(id)) return []
      const input = item.type === "McpToolCall" ? item.arguments : { command: item.command ?? item.changes }
      return [
        { kind: "tool_call", payload: { tool_name, input }, identity: ["tool_start", id], ...envelope(turnId, id) },
        ...end(id, tool_name, ended, turnId)
      ]
    },
    "event_msg/turn_aborted": (payload) => [
      {
        kind: "provider_event",
        payload: { name: "user_interrupt", fields: {} },
        identity: ["interrupt", textIn(payload.turn_id) ?? `${lastTime}`],
        ...envelope(textIn(payload.turn_id))
      }
    ],
    "event_msg/task_complete": (payload) => {
      const error = isObject(payload.error) ? textIn(payload.error.message) : undefined
      const turnId = textIn(payload.turn_id)
      const failed: ReadonlyArray<DraftEvent> =
        error === undefined
          ? []
          : [
              {
                kind: "assistant_message",
                payload: { text: "", final: true, error },
                identity: ["turn_failed", turnId ?? ""],
                ...envelope(turnId)
              }
            ]
      return [...failed, ...takeUsage()]
    },
    "response_item/message": (payload) => {
      const text = answerText(payload.content)
      if (payload.role !== "assistant" || text === "") return []
      return [
        {
          kind: "assistant_message",
          payload: { text, final: payload.phase === "final_answer" },
          identity: ["answer", textIn(payload.id) ?? `${lastTime}`],
          ...envelope(turnOf(payload))
        }
      ]
    },
    "response_item/function_call": (payload) => called(payload, "arguments"),
    "response_item/custom_tool_call": (payload) => called(payload, "input"),
    "response_item/function_call_output": (payload) => answered(payload),
    "response_item/custom_tool_call_output": (payload) => answered(payload),
    compacted: () => [
      {
        kind: "compaction",
        payload: { phase: "after" },
        identity: ["compaction", `${lastTime}`],
        ...envelope(undefined)
      }
    ]
  }

  return {
    line: (bytes) => {
      const entry = parseLine(bytes)
      if (!isObject(entry) || !isObject(entry.payload) || typeof entry.type !== "string") return []
      reader.visit(bytes)
      const { timestamp, payload } = entry
      if (typeof timestamp === "string" && canonicalTime.test(timestamp)) lastTime = timestamp
      const isTyped = entry.type === "event_msg" || entry.type === "response_item"
      const events = readers[isTyped ? `${entry.type}/${String(payload.type)}` : entry.type]?.(payload) ?? []
      if (started || events.length === 0) return events
      started = true
      return [{ kind: "session_start", payload: {}, identity: ["start"], ...envelope(undefined) }, ...events]
    },
    end: takeUsage,
    facts: () => ({ sessionId: sessionId ?? thread, version, cwd, branch })
  }

  function called(payload: Fields, field: "arguments" | "input"): ReadonlyArray<DraftEvent> {
    const id = textIn(payload.call_id)
    const name = textIn(payload.name)
    if (id === undefined || name === undefined) return []
    const isProgram = field === "input" && name === "exec"
    const call: Call = {
      name,
      namespace: textIn(payload.namespace),
      input: payload[field],
      isProgram,
      turnId: turnOf(payload)
    }
    calls.set(id, call)
    if (isProgram) return []
    const content = { tool_name: toolOfCall(call), input: inputOf(call.input) }
    return [{ kind: "tool_call", payload: content, identity: ["tool_start", id], ...envelope(call.turnId, id) }]
  }

  function answered(payload: Fields): ReadonlyArray<DraftEvent> {
    const id = textIn(payload.call_id)
    const call = id === undefined ? undefined : calls.get(id)
    if (id === undefined || call === undefined || call.isProgram) return []
    const text = answerText(payload.output)
    const known = reader.found.ends.get(id)
    if (known === undefined && isRunning(text)) return []
    const ended = known ?? { outcome: outcomeOfAnswer(text), exitCode: undefined, durationMs: undefined, text }
    return end(id, toolOfCall(call), { ...ended, text: ended.text ?? text }, turnOf(payload) ?? call.turnId)
  }
}

const canonicalTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const textIn = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)
const turnOf = (payload: Fields): string | undefined => {
  const passed = payload.internal_chat_message_metadata_passthrough
  return isObject(passed) ? textIn(passed.turn_id) : undefined
}
