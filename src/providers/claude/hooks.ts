import type { EventKind, Payload } from "../../domain/event.ts"
import type { HookPayload } from "./payload.ts"
import { promptOrigin } from "./promptOrigin.ts"

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
  /** Payload fields that become provider_ids; prompt_id is the turn and not repeated here. */
  readonly ids: ReadonlyArray<string>
  /** The oldest of the measured versions that knows the event. An unknown name in the settings makes the agent warn. */
  readonly since: "2.1.197" | "2.1.332"
  /** Whether install registers it. */
  readonly install: boolean
  readonly boundary: "start" | "end" | "none"
  /** Whether an archive may begin with it. */
  readonly opens: boolean
  /** Whether usage is read from the transcript at this event. */
  readonly usage: boolean
}
export type HookRow = { [K in EventKind]: Row<K> }[EventKind]

// What most rows have; a row says only what is its own.
const known = { since: "2.1.197", install: true, boundary: "none", opens: true, usage: false, ids: [] } as const
const new332 = { ...known, since: "2.1.332" } as const
// Not registered: it shows on screen, repeats files of the project, or replaces or gates an action. Understood when somebody sends it.
const unregistered = { ...known, install: false } as const

// The agent leaves it out where the turn ended without text.
const lastText = (payload: HookPayload) => payload.last_assistant_message ?? ""
const failure = (payload: HookPayload) => (payload.is_interrupt === true ? "interrupted" : "failed")

/**
 * Every hook event of Claude Code and what it becomes. The 34 names are those of 2.1.332, read from the shipped program; 2.1.197 has 30.
 *
 * A tool call has two identities, its start and its end, whatever the end is. PostToolBatch repeats the end of every call of the batch:
 * the calls that had a PostToolUse or PostToolUseFailure are known by then, and what remains was denied or invalid (see batch.ts).
 */
export const claudeHooks = {
  SessionStart: {
    ...known,
    kind: "session_start",
    fields: { source: "source", model: "model", permission_mode: "permission_mode" },
    identity: "payload",
    scope: "run",
    boundary: "start"
  },
  SessionEnd: {
    ...known,
    kind: "session_end",
    fields: { reason: "reason" },
    identity: "payload",
    scope: "run",
    boundary: "end",
    // `--resume` with an unknown id sends this alone.
    opens: false,
    usage: true
  },
  UserPromptSubmit: {
    ...known,
    kind: "user_prompt",
    fields: { text: "prompt", origin: promptOrigin, permission_mode: "permission_mode" },
    identity: ["prompt", "prompt_id", "prompt"]
  },
  // After UserPromptSubmit on 2.1.332, before it on 2.1.197: neither order makes the prompt of the user another one.
  UserPromptExpansion: {
    ...known,
    kind: "user_prompt",
    fields: {
      text: "prompt",
      origin: () => "expansion",
      permission_mode: "permission_mode",
      command_name: "command_name",
      command_args: "command_args"
    },
    identity: ["expansion", "prompt_id", "command_name", "command_args"]
  },
  PreToolUse: {
    ...known,
    kind: "tool_call",
    fields: { tool_name: "tool_name", input: "tool_input" },
    identity: ["tool_start", "tool_use_id"],
    ids: ["tool_use_id", "agent_id"]
  },
  PostToolUse: {
    ...known,
    kind: "tool_result",
    fields: { tool_name: "tool_name", input: "tool_input", response: "tool_response", duration_ms: "duration_ms" },
    identity: ["tool_end", "tool_use_id"],
    ids: ["tool_use_id", "agent_id"]
  },
  PostToolUseFailure: {
    ...known,
    kind: "tool_error",
    fields: {
      tool_name: "tool_name",
      outcome: failure,
      input: "tool_input",
      error: "error",
      duration_ms: "duration_ms"
    },
    identity: ["tool_end", "tool_use_id"],
    ids: ["tool_use_id", "agent_id"]
  },
  // One event per call: this row is that of a call which was refused.
  PostToolBatch: {
    ...known,
    kind: "tool_error",
    fields: { tool_name: "tool_name", outcome: "outcome", input: "tool_input", error: "tool_response" },
    identity: ["tool_end", "tool_use_id"],
    ids: ["tool_use_id", "agent_id"]
  },
  // Sent by auto mode only (static); a denial is seen in PostToolBatch anyway.
  PermissionDenied: {
    ...unregistered,
    kind: "tool_error",
    fields: { tool_name: "tool_name", outcome: () => "denied", input: "tool_input", error: "reason" },
    identity: ["tool_end", "tool_use_id"],
    ids: ["tool_use_id", "agent_id"]
  },
  // It has no tool_use_id.
  PermissionRequest: {
    ...known,
    kind: "provider_event",
    fields: ["tool_name", "tool_input", "permission_suggestions", "permission_mode"],
    identity: "payload",
    ids: ["agent_id"]
  },
  Stop: {
    ...known,
    kind: "assistant_message",
    fields: { text: lastText, final: () => true },
    identity: "payload",
    usage: true
  },
  // Instead of Stop when the API failed; `-p` does not wait for it, so it may be missing.
  StopFailure: {
    ...known,
    kind: "assistant_message",
    fields: { text: lastText, final: () => true, error: "error" },
    identity: "payload",
    usage: true
  },
  SubagentStart: {
    ...known,
    kind: "subagent_start",
    fields: { agent_type: "agent_type" },
    identity: ["subagent_start", "agent_id", "prompt_id"],
    ids: ["agent_id"]
  },
  // Compaction sends it with agent_type "" and without a SubagentStart.
  SubagentStop: {
    ...known,
    kind: "subagent_stop",
    fields: { agent_type: "agent_type", text: "last_assistant_message" },
    identity: "payload",
    ids: ["agent_id"]
  },
  PreCompact: {
    ...known,
    kind: "compaction",
    fields: { phase: () => "before", trigger: "trigger", instructions: "custom_instructions" },
    identity: "payload"
  },
  PostCompact: {
    ...known,
    kind: "compaction",
    fields: { phase: () => "after", trigger: "trigger", summary: "compact_summary" },
    identity: "payload"
  },
  Notification: {
    ...known,
    kind: "provider_event",
    fields: ["message", "title", "notification_type"],
    identity: "payload"
  },
  TaskCreated: {
    ...known,
    kind: "provider_event",
    fields: ["task_id", "task_subject", "task_description"],
    identity: "payload"
  },
  TaskCompleted: {
    ...known,
    kind: "provider_event",
    fields: ["task_id", "task_subject", "task_description"],
    identity: "payload"
  },
  PreModelSwitch: {
    ...new332,
    kind: "provider_event",
    fields: ["from_model", "to_model", "requested_model", "source", "context_tokens"],
    identity: "payload"
  },
  PostModelSwitch: {
    ...new332,
    kind: "provider_event",
    fields: ["from_model", "to_model", "requested_model", "source", "context_tokens"],
    identity: "payload"
  },

  MessageDisplay: {
    ...unregistered,
    kind: "provider_event",
    fields: ["message_id", "index", "final", "delta"],
    identity: ["display", "message_id", "index"],
    ids: ["message_id"]
  },
  InstructionsLoaded: {
    ...unregistered,
    kind: "provider_event",
    fields: ["file_path", "memory_type", "load_reason", "trigger_file_path"],
    identity: "payload"
  },
  Setup: { ...unregistered, kind: "provider_event", fields: ["trigger"], identity: "payload" },
  ConfigChange: { ...unregistered, kind: "provider_event", fields: ["source", "file_path"], identity: "payload" },
  CwdChanged: { ...unregistered, kind: "provider_event", fields: ["old_cwd", "new_cwd"], identity: "payload" },
  FileChanged: { ...unregistered, kind: "provider_event", fields: ["file_path", "event"], identity: "payload" },
  DirectoryAdded: {
    ...unregistered,
    since: "2.1.332",
    kind: "provider_event",
    fields: ["directory", "source"],
    identity: "payload"
  },
  // Gates the command of a skill; its tool_use_id is that of no call.
  PreSkillShellCommand: {
    ...unregistered,
    since: "2.1.332",
    kind: "provider_event",
    fields: ["tool_name", "tool_input", "command_name", "command_source", "invoked_by"],
    identity: ["skill_command", "tool_use_id"],
    ids: ["tool_use_id", "agent_id"]
  },
  Elicitation: {
    ...unregistered,
    kind: "provider_event",
    fields: ["mcp_server_name", "message", "mode", "requested_schema"],
    identity: "payload"
  },
  ElicitationResult: {
    ...unregistered,
    kind: "provider_event",
    fields: ["mcp_server_name", "mode", "action"],
    identity: "payload"
  },
  TeammateIdle: {
    ...unregistered,
    kind: "provider_event",
    fields: ["teammate_name", "team_name"],
    identity: "payload"
  },
  // Its hook makes the worktree instead of the agent.
  WorktreeCreate: { ...unregistered, kind: "provider_event", fields: ["name"], identity: "payload" },
  WorktreeRemove: { ...unregistered, kind: "provider_event", fields: ["worktree_path"], identity: "payload" }
} as const satisfies Record<string, HookRow>

export type ClaudeHook = keyof typeof claudeHooks
