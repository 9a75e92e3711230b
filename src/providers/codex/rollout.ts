import * as path from "node:path"
import type { DraftEvent, MessageUsage, ToolOutcome } from "../../domain/event.ts"
import { isObject } from "../../domain/jsonObject.ts"
import { parseLine } from "../transcriptLines.ts"
import { isRunning, outcomeOfAnswer } from "./refusals.ts"
import { tokensOf } from "./tokens.ts"

/**
 * Reads lines of a rollout, Codex's own record of one thread: `{timestamp, ordinal, type, payload}` (0.171.0; Codex calls the format no
 * stable interface). Taken from it is only what the hooks do not tell: usage, how calls ended, and why a turn failed.
 */
export interface RolloutReader {
  readonly visit: (line: Buffer) => void
  readonly found: RolloutFindings
}

export interface RolloutFindings {
  /** What the hooks did not tell, or will not, in the order of the lines. What they did tell has the same identity and counts once. */
  readonly events: Array<DraftEvent>
  /** Usage by response id. */
  readonly messages: Map<string, MessageUsage>
  /**
   * Usage from token_count lines by the thread's total, which is all that older versions wrote. 0.171.0 writes it beside its records, again and
   * again with the same total.
   */
  readonly counts: Map<string, MessageUsage>
  /** How each command and tool call of these lines ended that has an item of its own. */
  readonly ends: Map<string, CallEnd>
  /** Of the Codex that began the thread; its first line says it. */
  version: string | undefined
  /** Time of the last line of those that come once per model response or compaction. */
  mark: string | undefined
}

/** How a call ended, as its item tells. */
export interface CallEnd {
  readonly outcome: ToolOutcome | undefined
  readonly exitCode: number | undefined
  readonly durationMs: number | undefined
  readonly text: string | undefined
}

/** The thread that a rollout belongs to: `rollout-<time>-<thread id>.jsonl`. Undefined for any other name. */
export const threadOf = (file: string): string | undefined =>
  /^rollout-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-([\w-]{1,64})\.jsonl$/.exec(path.basename(file))?.[1]

/** What a line of the types that are read must contain; most lines are prompts and answers. */
const wanted = [
  '"session_meta"',
  '"token_usage_record"',
  '"token_count"',
  '"item_completed"',
  '"function_call',
  '"custom_tool_call',
  '"task_complete"',
  '"compacted"',
  '"turn_context"'
]

/**
 * @param thread the thread of the rollout
 * @param sessionId the session of it; another one than the thread for a subagent
 * @param sinceMs lines that are older belong to another archive
 */
export const rolloutReader = (thread: string, sessionId: string | undefined, sinceMs: number): RolloutReader => {
  const found: RolloutFindings = {
    events: [],
    messages: new Map(),
    counts: new Map(),
    ends: new Map(),
    version: undefined,
    mark: undefined
  }
  const agentId = sessionId === undefined || sessionId === thread ? undefined : thread
  const models = new Map<string, string>()
  const calls = new Map<string, Call>()
  const endedTurns = new Set<string>()

  /** What an event of a line has besides its content. */
  const envelope = (line: Line, turnId: string | undefined, ids: Readonly<Record<string, string>>) => {
    const providerIds = { ...ids, ...(agentId === undefined ? {} : { agent_id: agentId }) }
    return {
      ...(turnId === undefined ? {} : { turnId }),
      ...(Object.keys(providerIds).length === 0 ? {} : { providerIds }),
      ...(line.timestamp === undefined ? {} : { timestamp: line.timestamp })
    }
  }

  const end = (line: Line, turnId: string | undefined, callId: string, toolName: string, ended: CallEnd): void => {
    const common = { identity: ["tool_end", callId], ...envelope(line, turnId, { tool_use_id: callId }) }
    const duration = ended.durationMs === undefined ? {} : { duration_ms: ended.durationMs }
    found.events.push(
      ended.outcome === undefined
        ? {
            kind: "tool_result",
            payload: {
              tool_name: toolName,
              ...(ended.text === undefined ? {} : { response: ended.text }),
              ...duration
            },
            ...common
          }
        : {
            kind: "tool_error",
            payload: { tool_name: toolName, outcome: ended.outcome, ...errorOf(ended, ended.text), ...duration },
            ...common
          }
    )
  }

  const message = (id: string, tokens: NonNullable<ReturnType<typeof tokensOf>>, line: Line, turnId?: string) => {
    const model = turnId === undefined ? [...models.values()].at(-1) : models.get(turnId)
    return {
      message_id: id,
      ...(model === undefined ? {} : { model }),
      ...(line.timestamp === undefined ? {} : { time: line.timestamp }),
      ...(agentId === undefined ? {} : { agent_id: agentId }),
      ...tokens
    }
  }

  const readers: Readonly<Record<string, (line: Line) => void>> = {
    // A thread that began as a copy of another holds the line of that one too, further on.
    session_meta: ({ payload }) => {
      found.version ??= textIn(payload.cli_version)
    },
    turn_context: ({ payload }) => {
      const turn = textIn(payload.turn_id)
      const model = textIn(payload.model)
      if (turn !== undefined && model !== undefined) models.set(turn, model)
    },
    token_usage_record: (line) => {
      const { response_id, thread_id, turn_id, usage } = line.payload
      const tokens = tokensOf(usage)
      found.mark = line.timestamp
      // A thread that began as a copy of another may hold the records of that one.
      if (typeof response_id !== "string" || tokens === undefined || (thread_id !== undefined && thread_id !== thread))
        return
      found.messages.set(response_id, message(response_id, tokens, line, textIn(turn_id)))
    },
    compacted: (line) => {
      found.mark = line.timestamp
    },
    "event_msg/token_count": (line) => {
      const info = line.payload.info
      if (!isObject(info) || agentId !== undefined) return
      const total = isObject(info.total_token_usage) ? info.total_token_usage.total_tokens : undefined
      const tokens = tokensOf(info.last_token_usage)
      if (typeof total !== "number" || tokens === undefined) return
      const id = `${thread}:${total}`
      // The first line of a total is that of its response; later ones repeat it.
      if (!found.counts.has(id)) found.counts.set(id, message(id, tokens, line))
    },
    "event_msg/item_completed": (line) => {
      const item = line.payload.item
      const callId = isObject(item) ? textIn(item.id) : undefined
      const turnId = textIn(line.payload.turn_id)
      const ended = isObject(item) ? endOfItem(item, turnId !== undefined && endedTurns.has(turnId)) : undefined
      if (!isObject(item) || callId === undefined || ended === undefined) return
      found.ends.set(callId, ended)
      const call = calls.get(callId)
      // A patch that a shell command applied: its call is that of a command, and no PostToolUse comes for it.
      const isHidden = item.type === "FileChange" && call?.name === "exec_command"
      if (ended.outcome !== undefined || isHidden) end(line, turnId, callId, toolOfItem(item, call), ended)
    },
    "event_msg/task_complete": (line) => {
      const { error, turn_id, last_agent_message } = line.payload
      const reason = isObject(error) ? textIn(error.message) : undefined
      const turnId = textIn(turn_id)
      if (turnId !== undefined) endedTurns.add(turnId)
      if (reason === undefined || turnId === undefined) return
      found.events.push({
        kind: "assistant_message",
        payload: { text: textIn(last_agent_message) ?? "", final: true, error: reason },
        identity: ["turn_failed", turnId],
        ...envelope(line, turnId, {})
      })
    },
    "response_item/function_call": (line) => remember(line, "arguments"),
    "response_item/custom_tool_call": (line) => remember(line, "input"),
    "response_item/function_call_output": (line) => answered(line),
    "response_item/custom_tool_call_output": (line) => answered(line)
  }

  const remember = ({ payload }: Line, field: "arguments" | "input"): void => {
    const id = textIn(payload.call_id)
    const name = textIn(payload.name)
    if (id === undefined || name === undefined) return
    calls.set(id, {
      name,
      namespace: textIn(payload.namespace),
      input: payload[field],
      // The program that calls the tools in code mode; the calls that it makes have hooks and items of their own.
      isProgram: field === "input" && name === "exec",
      turnId: turnOf(payload)
    })
  }

  const answered = (line: Line): void => {
    const callId = textIn(line.payload.call_id)
    const call = callId === undefined ? undefined : calls.get(callId)
    if (callId === undefined || call === undefined || call.isProgram || found.ends.has(callId)) return
    const text = answerText(line.payload.output)
    if (isRunning(text)) return
    const outcome = outcomeOfAnswer(text)
    const turnId = turnOf(line.payload) ?? call.turnId
    if (outcome !== "invalid") {
      found.events.push({
        kind: "tool_call",
        payload: { tool_name: toolOfCall(call), input: inputOf(call.input) },
        identity: ["tool_start", callId],
        ...envelope(line, turnId, { tool_use_id: callId })
      })
    }
    end(line, turnId, callId, toolOfCall(call), { outcome, exitCode: undefined, durationMs: undefined, text })
  }

  return {
    found,
    visit: (bytes) => {
      if (!wanted.some((type) => bytes.includes(type))) return
      const line = lineOf(parseLine(bytes))
      if (line === undefined) return
      const isOld = line.timestamp !== undefined && Date.parse(line.timestamp) < sinceMs
      // The model of a turn that began before the recording still is that of its messages, and the thread begins before its first hook.
      if (isOld && line.type !== "turn_context" && line.type !== "session_meta") return
      readers[line.type]?.(line)
    }
  }
}

interface Line {
  /** `type`, and `type/payload.type` where the payload has a type of its own. */
  readonly type: string
  readonly timestamp: string | undefined
  readonly payload: Readonly<Record<string, unknown>>
}

export interface Call {
  readonly name: string
  readonly namespace: string | undefined
  readonly input: unknown
  readonly isProgram: boolean
  readonly turnId: string | undefined
}

const canonicalTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

const lineOf = (entry: unknown): Line | undefined => {
  if (!isObject(entry) || !isObject(entry.payload) || typeof entry.type !== "string") return undefined
  const { timestamp, payload, type } = entry
  return {
    type: type === "event_msg" || type === "response_item" ? `${type}/${String(payload.type)}` : type,
    timestamp: typeof timestamp === "string" && canonicalTime.test(timestamp) ? timestamp : undefined,
    payload
  }
}

/** 128 + SIGKILL, as shells tell it. */
const killed = 137

/**
 * How a tool's item says that it ended; undefined for items of other things.
 *
 * @param isLeft whether the turn of the call had ended: its command was left running
 */
export const endOfItem = (item: Readonly<Record<string, unknown>>, isLeft: boolean): CallEnd | undefined => {
  const failed = item.status === "failed" || item.status === "declined"
  switch (item.type) {
    case "CommandExecution": {
      const exitCode = typeof item.exit_code === "number" ? item.exit_code : undefined
      // Codex ended before the command did, and took it along: -1, or how it died where Codex still came to see that.
      const isTaken = exitCode === -1 || (isLeft && exitCode === killed)
      const outcome = item.status === "declined" ? "denied" : isTaken ? "interrupted" : failed ? "failed" : undefined
      return { outcome, exitCode, durationMs: durationOf(item.duration), text: textIn(item.aggregated_output) }
    }
    case "FileChange": {
      const text = [item.stdout, item.stderr].filter((part) => typeof part === "string").join("")
      const outcome = item.status === "declined" ? "denied" : failed ? "failed" : undefined
      return { outcome, exitCode: undefined, durationMs: undefined, text }
    }
    case "McpToolCall": {
      const error = isObject(item.error) ? textIn(item.error.message) : undefined
      const text = error ?? (isObject(item.result) ? answerText(item.result.content) : undefined)
      const outcome = failed ? ((error === undefined ? undefined : outcomeOfAnswer(error)) ?? "failed") : undefined
      return { outcome, exitCode: undefined, durationMs: durationOf(item.duration), text }
    }
    // Tools of Codex itself that have hooks: their answers tell no outcome.
    case "CollabAgentToolCall":
    case "SubAgentActivity":
      return { outcome: undefined, exitCode: undefined, durationMs: undefined, text: undefined }
    default:
      return undefined
  }
}

/** What an error says: the exit code where there is one, as other agents put it, and what the tool wrote. */
export const errorOf = (ended: CallEnd, written: unknown): { readonly error?: unknown } => {
  if (ended.exitCode === undefined || ended.exitCode < 0) return written === undefined ? {} : { error: written }
  const first = `Exit code ${ended.exitCode}`
  return { error: typeof written === "string" && written !== "" ? `${first}\n${written}` : first }
}

/** The name that the hooks have for a tool. */
export const toolOfCall = ({ name, namespace }: Call): string => {
  if (/^(?:exec_command|shell|shell_command|local_shell)$/.test(name)) return "Bash"
  if (namespace === undefined) return name
  return namespace.startsWith("mcp__") ? `${namespace}__${name}` : `${namespace}${name}`
}

export const toolOfItem = (item: Readonly<Record<string, unknown>>, call: Call | undefined): string => {
  if (call !== undefined) return toolOfCall(call)
  if (item.type === "McpToolCall") return `mcp__${String(item.server)}__${String(item.tool)}`
  return item.type === "FileChange" ? "apply_patch" : "Bash"
}

export const inputOf = (input: unknown): unknown => {
  if (typeof input !== "string") return input
  const value = parseLine(Buffer.from(input))
  return isObject(value) ? value : { input }
}

/** An answer is text or a list of content parts. */
export const answerText = (answer: unknown): string => {
  if (typeof answer === "string") return answer
  if (!Array.isArray(answer)) return ""
  return answer.flatMap((part) => (isObject(part) && typeof part.text === "string" ? [part.text] : [])).join("\n")
}

const durationOf = (duration: unknown): number | undefined =>
  isObject(duration) && typeof duration.secs === "number" && typeof duration.nanos === "number"
    ? Math.max(0, Math.round(duration.secs * 1000 + duration.nanos / 1e6))
    : undefined

const turnOf = (payload: Readonly<Record<string, unknown>>): string | undefined => {
  const passed = payload.internal_chat_message_metadata_passthrough
  return isObject(passed) ? textIn(passed.turn_id) : undefined
}

const textIn = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)
