import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { isObject } from "../../domain/jsonObject.ts"
import { PayloadInvalid } from "../ProviderAdapter.ts"

/**
 * What Codex writes to a hook's stdin: one JSON object. These fields are common to all its events or to most; the rest is kept as it came
 * and read by the table in hooks.ts. Seen on 0.171.0.
 */
export const HookPayload = Schema.StructWithRest(
  Schema.Struct({
    hook_event_name: Schema.NonEmptyString,
    /** The session. Subagents have their parent's. */
    session_id: Schema.optionalKey(Schema.String),
    /** The rollout of the thread that the event happened in; null with `--ephemeral`. */
    transcript_path: Schema.optionalKey(Schema.String),
    cwd: Schema.optionalKey(Schema.String),
    turn_id: Schema.optionalKey(Schema.String),
    /** The thread of a subagent; absent in the session's own thread. */
    agent_id: Schema.optionalKey(Schema.String)
  }),
  [Schema.Record(Schema.String, Schema.Unknown)]
)
export type HookPayload = typeof HookPayload.Type

const decode = Schema.decodeUnknownExit(HookPayload)
const textFields: ReadonlyArray<string> = ["session_id", "transcript_path", "cwd", "turn_id", "agent_id"]

/**
 * The payload of one delivery. A common field that is not text is left out rather than refused: an event without its directory is better
 * than no event. Fails when there is no object or no event name.
 */
export const decodePayload = (input: unknown): Effect.Effect<HookPayload, PayloadInvalid> => {
  if (!isObject(input))
    return Effect.fail(new PayloadInvalid({ provider: "codex", problem: "the payload is not a JSON object" }))
  const readable = Object.entries(input).filter(
    ([key, value]) => typeof value === "string" || !textFields.includes(key)
  )
  const decoded = decode(Object.fromEntries(readable))
  return decoded._tag === "Success"
    ? Effect.succeed(decoded.value)
    : Effect.fail(new PayloadInvalid({ provider: "codex", problem: "hook_event_name is missing or not text" }))
}
