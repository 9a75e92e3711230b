import * as Effect from "effect/Effect"
import type { AppendRequest } from "../../src/archive/appendSession.ts"
import type { PreparedEvent } from "../../src/archive/preparedEvent.ts"
import type { Manifest } from "../../src/domain/manifest.ts"
import { type SessionId, sessionId } from "../../src/domain/sessionId.ts"
import { append, eventOf, filesOf } from "../support/events.ts"
import type { TestUser } from "../support/recording.ts"

type Fields = Readonly<Record<string, unknown>>
type More = Partial<PreparedEvent>

const began = Date.UTC(2026, 7, 16, 12)

/** Builds the events of a session, each of which happens a second after the one before it. */
export const script = () => {
  const events: Array<PreparedEvent> = []
  let number = 0
  const add = (kind: PreparedEvent["kind"], payload: Fields, more: More = {}) => {
    const timestamp = new Date(began + number * 1000).toISOString()
    events.push(eventOf(kind, `${kind} ${++number}`, payload, { timestamp, ...more }))
    return steps
  }
  const steps = {
    events,
    add,
    start: (payload: Fields = { model: "model-1", permission_mode: "default" }) =>
      add("session_start", { source: "startup", ...payload }, { scope: "run" }),
    prompt: (text: string, more: More = {}) => add("user_prompt", { text, origin: "user" }, more),
    answer: (text: string, more: More = {}) => add("assistant_message", { text, final: true }, more),
    tool: (
      tool_name: string,
      input: unknown,
      more: More & { readonly duration_ms?: number; readonly fails?: string } = {}
    ) => {
      const { duration_ms, fails, ...rest } = more
      const own = { provider_ids: { tool_use_id: `call ${number}` }, ...rest }
      add("tool_call", { tool_name, input }, own)
      const ended = { tool_name, ...(duration_ms === undefined ? {} : { duration_ms }) }
      return fails === undefined
        ? add("tool_result", { ...ended, response: "ok" }, own)
        : add("tool_error", { ...ended, outcome: fails }, own)
    },
    usage: (output_tokens: number, message: Fields = {}) =>
      add("turn_usage", {
        source: "claude-transcript",
        messages: [{ message_id: `m${number}`, input_tokens: 100, output_tokens, ...message }]
      }),
    end: () => add("session_end", { reason: "other" }, { scope: "run" })
  }
  return steps
}

/** Records a session of Claude Code as the recorder does, and gives its directory. */
export const recorded = (
  user: TestUser,
  name: string,
  events: ReadonlyArray<PreparedEvent>,
  manifest: Partial<Manifest> = {},
  request: Partial<AppendRequest> = {}
) => {
  const id: SessionId = sessionId("claude", name)
  return Effect.as(
    append(user, events, {
      id,
      opening: Effect.succeed({
        provider: "claude",
        project_root: user.project,
        recording_mode: "capture-only",
        ...manifest
      }),
      ...request
    }),
    filesOf(user, id).directory
  )
}
