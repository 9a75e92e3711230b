/** What a hook event becomes. `reads`: what the transcript is asked for then. */
export interface HookRow {
  /** Event kinds, in their order; those after `transcript:` only the transcript can tell. */
  readonly becomes: string
  readonly reads: "nothing" | "prompt" | "step" | "turn"
  readonly boundary: "start" | "none"
  /** Whether an archive may begin with it. */
  readonly opens: boolean
  /** `default`: registered. `gate`: only when asked for, for what it answers decides. `never`: it adds nothing. */
  readonly install: "default" | "gate" | "never"
  /**
   * The oldest version that surely knows it. A name that the agent does not know may silence the whole file, and reports on SessionStart
   * disagree up to 1.2.13.
   */
  readonly since: "1.0.3" | "1.3.0"
  /** Its handlers stand in the list of the event; those of the tool events in groups with a matcher (1.1.2 and later). */
  readonly flat: boolean
  /** What the agent reads on stdout. An unknown key is an error to it. */
  readonly answer: "{}" | '{"decision":"allow"}'
}

const common = {
  boundary: "none",
  opens: true,
  install: "default",
  since: "1.0.3",
  flat: true,
  answer: "{}"
} as const

/**
 * The hook events of Antigravity CLI and what they become, from public reports (no capture). No event has an id, a time or a text of its
 * own: what names it is the number of a step in the conversation, which the hook and the transcript share, or of an execution.
 *
 * | event | identity |
 * | --- | --- |
 * | prompt | its step |
 * | call, its end | the step of the result; the id of the pair is `step-<n>` |
 * | PreInvocation | its number in the turn and the number of steps before it |
 * | Stop | the number of the execution, the process that started the hook, the payload |
 */
export const antigravityHooks = {
  SessionStart: { ...common, becomes: "session_start", reads: "nothing", boundary: "start", since: "1.3.0" },
  // Before each request to the model. The first of a turn is when the prompt is there.
  PreInvocation: { ...common, becomes: "provider_event; transcript: user_prompt", reads: "prompt" },
  PostInvocation: { ...common, becomes: "provider_event", reads: "nothing", install: "never" },
  // A permission gate: whatever it prints decides. {} refuses the tool, and so does a failure; `allow` may spare the user a question.
  PreToolUse: {
    ...common,
    becomes: "tool_call",
    reads: "nothing",
    install: "gate",
    flat: false,
    answer: '{"decision":"allow"}'
  },
  // It has the call, but never the result; in 1.0.8 not even the call. Null for steps of the agent that are no tools.
  PostToolUse: { ...common, becomes: "tool_call, tool_result or tool_error", reads: "step", flat: false },
  // The end of a turn. Absent when the user interrupts it or a permission is refused.
  Stop: { ...common, becomes: "assistant_message; transcript: user_prompt, turn_usage", reads: "turn" }
} as const satisfies Record<string, HookRow>

export type AntigravityHook = keyof typeof antigravityHooks
