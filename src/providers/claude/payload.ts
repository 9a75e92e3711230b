import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { isObject } from "../../domain/jsonObject.ts"
import { PayloadInvalid } from "../ProviderAdapter.ts"

/**
 * What Claude Code writes to a hook's stdin: one JSON object. These fields are common to all its events; the rest is kept as it came and
 * read by the table in hooks.ts. Seen on 2.1.197 and 2.1.332.
 */
export const HookPayload = Schema.StructWithRest(
  Schema.Struct({
    hook_event_name: Schema.NonEmptyString,
    session_id: Schema.optionalKey(Schema.String),
    transcript_path: Schema.optionalKey(Schema.String),
    cwd: Schema.optionalKey(Schema.String),
    /** The turn: on everything after the first input of the agent's process. */
    prompt_id: Schema.optionalKey(Schema.String)
  }),
  [Schema.Record(Schema.String, Schema.Unknown)]
)
export type HookPayload = typeof HookPayload.Type

const decode = Schema.decodeUnknownExit(HookPayload)
const textFields = ["session_id", "transcript_path", "cwd", "prompt_id"] as const

/**
 * The payload of one delivery. A common field that is not text is left out rather than refused: an event without its directory is better
 * than no event. Fails when there is no object or no event name.
 */
export const decodePayload = (input: unknown): Effect.Effect<HookPayload, PayloadInvalid> => {
  if (!isObject(input))
    return Effect.fail(new PayloadInvalid({ provider: "claude", problem: "the payload is not a JSON object" }))
  const readable = Object.entries(input).filter(
    ([key, value]) => typeof value === "string" || !textFields.includes(key as (typeof textFields)[number])
  )
  const decoded = decode(Object.fromEntries(readable))
  return decoded._tag === "Success"
    ? Effect.succeed(decoded.value)
    : Effect.fail(new PayloadInvalid({ provider: "claude", problem: "hook_event_name is missing or not text" }))
}
