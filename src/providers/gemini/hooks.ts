import type { EventKind, Payload } from "../../domain/event.ts"
import { withoutContext } from "./injectedContext.ts"
import type { HookPayload } from "./payload.ts"
import { errorOf, outcomeOf, responseOf } from "./toolAnswer.ts"

/** Where a field of the event comes from: a field of the hook's payload, by name, or a function of the payload. */
export type Source = string | ((payload: HookPayload) => unknown)

interface Mapping<K extends EventKind> {
  readonly kind: K
  /** Event field <- payload field. A provider_event keeps the named payload fields as they are. */
  readonly fields: K extends "provider_event" ? ReadonlyArray<string> : { readonly [F in keyof Payload<K>]: Source }
}
export type EventMapping = { [K in EventKind]: Mapping<K> }[EventKind]

export type HookRow = EventMapping & {
  /** What the event becomes instead when its payload says so. */
  readonly unless?: readonly [applies: (payload: HookPayload) => boolean, mapping: EventMapping]
  /**
   * What makes two deliveries one event: the whole payload, for it carries the agent's own time to the millisecond. A second run of a
   * resumed session has another time.
   */
  readonly identity: "payload"
  /** Whether it is the beginning or the end of a tool call, whose id is made of its name and input. */
  readonly isOfCall: boolean
  readonly boundary: "start" | "end" | "none"
  /** Whether an archive may begin with it. */
  readonly opens: boolean
  /**
   * What the session file is read for at this event: `rest` is usage and the calls that no hook told of, `answer` is the text of the
   * answer as well.
   */
  readonly reads: "nothing" | "rest" | "answer"
  /** Whether install registers it. */
  readonly install: boolean
  /** The agent runs the hook only for this value: of `trigger` here. */
  readonly matcher?: string
  /** What the agent reads on stdout. Any text that is not JSON would be shown to the user. */
  readonly answer: "{}"
}

// What most rows have; a row says only what is its own.
const common = {
  identity: "payload",
  isOfCall: false,
  boundary: "none",
  opens: true,
  reads: "nothing",
  install: true,
  answer: "{}"
} as const
// Not registered: it comes with every request, or every piece of an answer, and holds the conversation so far. Understood when sent.
const unregistered = { ...common, install: false, kind: "provider_event", fields: [] } as const

// Stands for an answer without text.
const noText = "[no response text]"

/**
 * Every hook event of Gemini CLI and what it becomes (0.61.0; names and payloads measured).
 *
 * A call has a beginning only when its end is missing: the user cancelled it, or it was denied. An unknown tool or bad arguments run no
 * hook at all. The session file tells of these (unseenCalls.ts). The calls of a sub-agent come with the session of its parent and without
 * a mark. A second BeforeAgent in one turn, with the reason why another tool's AfterAgent hook refused the answer, looks like a prompt of
 * the user.
 */
export const geminiHooks = {
  SessionStart: { ...common, kind: "session_start", fields: { source: "source" }, boundary: "start" },
  // Three times on a quit at the terminal, once in `-p`, where the agent waits for it. After an API error in `-p` not at all.
  SessionEnd: {
    ...common,
    kind: "session_end",
    fields: { reason: "reason" },
    boundary: "end",
    opens: false,
    reads: "rest"
  },
  BeforeAgent: {
    ...common,
    kind: "user_prompt",
    fields: { text: ({ prompt }) => withoutContext(prompt), origin: () => "user" },
    reads: "rest"
  },
  // The text here is wrong when the answer came in pieces, and joins all answers of the turn: it is for want of the session file's.
  AfterAgent: {
    ...common,
    kind: "assistant_message",
    fields: {
      text: ({ prompt_response }) => (prompt_response === noText ? "" : prompt_response),
      final: () => true
    },
    reads: "answer"
  },
  BeforeTool: {
    ...common,
    kind: "tool_call",
    fields: { tool_name: "tool_name", input: "tool_input" },
    isOfCall: true
  },
  AfterTool: {
    ...common,
    kind: "tool_result",
    fields: { tool_name: "tool_name", input: "tool_input", response: responseOf },
    unless: [
      (payload) => outcomeOf(payload) !== undefined,
      {
        kind: "tool_error",
        fields: { tool_name: "tool_name", outcome: outcomeOf, input: "tool_input", error: errorOf }
      }
    ],
    isOfCall: true
  },
  // `auto` comes before every request to the model, whether anything is compressed or not: it is no compaction.
  PreCompress: {
    ...common,
    kind: "compaction",
    fields: { phase: () => "before", trigger: "trigger" },
    unless: [({ trigger }) => trigger !== "manual", { kind: "provider_event", fields: ["trigger"] }],
    matcher: "manual"
  },
  Notification: {
    ...common,
    kind: "provider_event",
    fields: ["notification_type", "message", "details"]
  },

  BeforeModel: unregistered,
  AfterModel: unregistered,
  BeforeToolSelection: unregistered
} as const satisfies Record<string, HookRow>

export type GeminiHook = keyof typeof geminiHooks
