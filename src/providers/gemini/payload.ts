import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { isObject } from "../jsonObject.ts"
import { PayloadInvalid } from "../ProviderAdapter.ts"

/**
 * What Gemini CLI writes to a hook's stdin: one JSON object. These fields are common to all its events; the rest is kept as it came and
 * read by the table in hooks.ts. Seen on 0.61.0. There is no id of a turn or of a call.
 */
export const HookPayload = Schema.StructWithRest(
  Schema.Struct({
    hook_event_name: Schema.NonEmptyString,
    session_id: Schema.optionalKey(Schema.String),
    /** The session file. On the SessionStart of a resumed session it names a new one that stays empty. */
    transcript_path: Schema.optionalKey(Schema.String),
    cwd: Schema.optionalKey(Schema.String),
    timestamp: Schema.optionalKey(Schema.String)
  }),
  [Schema.Record(Schema.String, Schema.Unknown)]
)
export type HookPayload = typeof HookPayload.Type

const decode = Schema.decodeUnknownExit(HookPayload)
const textFields: ReadonlyArray<string> = ["session_id", "transcript_path", "cwd", "timestamp"]

/**
 * The payload of one delivery. A common field that is not text is left out rather than refused. Fails when there is no object or no event
 * name.
 */
export const decodePayload = (input: unknown): Effect.Effect<HookPayload, PayloadInvalid> => {
  if (!isObject(input))
    return Effect.fail(new PayloadInvalid({ provider: "gemini", problem: "the payload is not a JSON object" }))
  const readable = Object.entries(input).filter(
    ([key, value]) => typeof value === "string" || !textFields.includes(key)
  )
  const decoded = decode(Object.fromEntries(readable))
  return decoded._tag === "Success"
    ? Effect.succeed(decoded.value)
    : Effect.fail(new PayloadInvalid({ provider: "gemini", problem: "hook_event_name is missing or not text" }))
}
