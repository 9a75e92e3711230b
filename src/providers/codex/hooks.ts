import type { EventKind, MessageUsage, Payload } from "../../domain/event.ts"
import type { HookPayload } from "./payload.ts"
import { tokensOf } from "./tokens.ts"

/** Where a field of the event comes from: a field of the hook's payload, by name, or a function of the payload. */
export type Source = string | ((payload: HookPayload) => unknown)

interface Row<K extends EventKind> {
  readonly kind: K
  /** Event field <- payload field. A provider_event keeps the named payload fields as they are. */
  readonly fields: K extends "provider_event" ? ReadonlyArray<string> : { readonly [F in keyof Payload<K>]: Source }
  /** A word for what is named and the payload fields that name it; "payload" where no ids do, or one of them is missing. */
  readonly identity: "payload" | readonly [word: string, ...fields: ReadonlyArray<string>]
  /** `run`: the same payload comes again in every run of a resumed session, so the identity counts within one run. */
  readonly scope?: "run"
  /** The same payload comes again with every compaction: what the rollout says last is a part of the identity. */
  readonly again?: true
  /** Payload fields that become provider_ids; turn_id is the turn and not repeated here. `rollout` is the rollout's file name. */
  readonly ids: ReadonlyArray<string>
  /** The default of Codex for SessionEnd and Interrupt is 1 second and it gives no more than 3; for all else it is 600. */
  readonly timeoutSeconds: number
  readonly boundary: "start" | "end" | "none"
  /** Whether an archive may begin with it. */
  readonly opens: boolean
  /**
   * What is read from rollouts at this event (transcript.ts). `end`: how the tool call of this event ended. `mark`: what `again` needs. `thread`: what is
   * new in the rollout of the event's own thread. `agent`: of the subagent that ended. `all`: of the session and of every subagent of it.
   */
  readonly reads: "none" | "end" | "mark" | "thread" | "agent" | "all"
}
export type HookRow = { [K in EventKind]: Row<K> }[EventKind]

// What most rows have; a row says only what is its own. Ours ends itself after two seconds, SessionEnd after one.
const usual = { boundary: "none", opens: true, reads: "none", timeoutSeconds: 10, ids: ["agent_id"] } as const

const lastText = (payload: HookPayload) => payload.last_assistant_message ?? ""
const isAgent = (payload: HookPayload) => payload.agent_id !== undefined

/** The usage of one model request; nothing where it failed or was cancelled. */
const usageOfRequest = ({ token_usage, response_id, request_id, model, agent_id }: HookPayload) => {
  const tokens = tokensOf(token_usage)
  const id = response_id ?? request_id
  if (tokens === undefined || typeof id !== "string") return undefined
  const message: MessageUsage = {
    message_id: id,
    ...(typeof model === "string" ? { model } : {}),
    ...(agent_id === undefined ? {} : { agent_id }),
    ...tokens
  }
  return [message]
}

/**
 * Every hook event of Codex 0.171.0 and what it becomes.
 *
 * A tool call has two identities, its start and its end, whatever the end is and whoever tells of it. PostToolUse comes for a command that
 * failed too, without its exit code; and it does not come for calls that were refused, for MCP tools that failed, and for commands that
 * still ran when Codex ended. The rollout tells of these, and has them by the time of the next PreModelRequest or Stop.
 */
export const codexHooks = {
  SessionStart: {
    ...usual,
    kind: "session_start",
    fields: { source: "source", model: "model", permission_mode: "permission_mode" },
    identity: "payload",
    scope: "run",
    // After each compaction, with source "compact".
    again: true,
    ids: ["rollout"],
    boundary: "start",
    reads: "mark"
  },
  SessionEnd: {
    ...usual,
    kind: "session_end",
    fields: { reason: "reason" },
    identity: "payload",
    scope: "run",
    timeoutSeconds: 3,
    boundary: "end",
    // Comes alone when a required MCP server did not start.
    opens: false,
    reads: "all"
  },
  // Subagents of the first generation (multi_agent_v1) send it too, those of the second do not.
  UserPromptSubmit: {
    ...usual,
    kind: "user_prompt",
    fields: {
      text: "prompt",
      origin: (payload) => (isAgent(payload) ? "subagent" : "user"),
      permission_mode: "permission_mode"
    },
    identity: ["prompt", "turn_id", "prompt"]
  },
  PreToolUse: {
    ...usual,
    kind: "tool_call",
    fields: { tool_name: "tool_name", input: "tool_input" },
    identity: ["tool_start", "tool_use_id"],
    ids: ["tool_use_id", "agent_id"]
  },
  PostToolUse: {
    ...usual,
    kind: "tool_result",
    fields: { tool_name: "tool_name", input: "tool_input", response: "tool_response" },
    identity: ["tool_end", "tool_use_id"],
    ids: ["tool_use_id", "agent_id"],
    reads: "end"
  },
  // It has no tool_use_id.
  PermissionRequest: {
    ...usual,
    kind: "provider_event",
    fields: ["tool_name", "tool_input", "permission_mode"],
    identity: "payload"
  },
  PreModelRequest: {
    ...usual,
    kind: "provider_event",
    fields: ["kind", "attempt_number", "model"],
    identity: ["model_request_start", "request_id", "attempt_number"],
    ids: ["request_id", "thread_id", "agent_id"],
    reads: "thread"
  },
  // This row is that of a request with usage; without, it becomes a provider_event (failedRequest).
  PostModelRequest: {
    ...usual,
    kind: "turn_usage",
    fields: { source: () => "hook-payload", messages: usageOfRequest },
    identity: ["model_request_end", "request_id", "attempt_number"],
    ids: ["request_id", "response_id", "thread_id", "agent_id"]
  },
  // Not sent for a turn that failed: the rollout tells of it, at the next event.
  Stop: {
    ...usual,
    kind: "assistant_message",
    fields: { text: lastText, final: () => true },
    identity: "payload",
    reads: "thread"
  },
  Interrupt: {
    ...usual,
    kind: "provider_event",
    fields: ["permission_mode"],
    identity: ["interrupt", "turn_id"],
    timeoutSeconds: 3,
    reads: "thread"
  },
  // Its transcript_path is the rollout of the subagent.
  SubagentStart: {
    ...usual,
    kind: "subagent_start",
    fields: { agent_type: "agent_type" },
    identity: ["subagent_start", "agent_id", "turn_id"],
    ids: ["agent_id", "rollout"]
  },
  // Its transcript_path is that of the parent.
  SubagentStop: {
    ...usual,
    kind: "subagent_stop",
    fields: { agent_type: "agent_type", text: "last_assistant_message" },
    identity: "payload",
    reads: "agent"
  },
  PreCompact: {
    ...usual,
    kind: "compaction",
    fields: { phase: () => "before", trigger: "trigger" },
    identity: "payload",
    again: true,
    reads: "mark"
  },
  PostCompact: {
    ...usual,
    kind: "compaction",
    fields: { phase: () => "after", trigger: "trigger" },
    identity: "payload",
    again: true,
    reads: "mark"
  }
} as const satisfies Record<string, HookRow>

export type CodexHook = keyof typeof codexHooks

/** PostModelRequest of a request that failed or was cancelled. */
export const failedRequest = {
  ...codexHooks.PostModelRequest,
  kind: "provider_event",
  fields: ["kind", "attempt_number", "model", "status", "error"]
} as const satisfies HookRow
