import * as Effect from "effect/Effect"
import { isObject } from "../../domain/jsonObject.ts"
import { PayloadInvalid } from "../ProviderAdapter.ts"

/**
 * What Gemini CLI writes to a hook's stdin: one JSON object. These fields are common to all its events; the rest is kept as it came and
 * read by the table in hooks.ts. Seen on 0.61.0. There is no id of a turn or of a call.
 */
export interface HookPayload extends Readonly<Record<string, unknown>> {
  readonly hook_event_name: string
  readonly session_id?: string
  /** The session file. On the SessionStart of a resumed session it names a new one that stays empty. */
  readonly transcript_path?: string
  readonly cwd?: string
  readonly timestamp?: string
}

const textFields: ReadonlyArray<string> = ["session_id", "transcript_path", "cwd", "timestamp"]

/**
 * The payload of one delivery. A common field that is not text is left out rather than refused: an event without its directory is better
 * than no event. Fails when there is no object or no event name.
 */
export const decodePayload = (input: unknown): Effect.Effect<HookPayload, PayloadInvalid> => {
  if (!isObject(input)) return invalid("the payload is not a JSON object")
  const { hook_event_name } = input
  if (typeof hook_event_name !== "string" || hook_event_name === "") {
    return invalid("hook_event_name is missing or not text")
  }
  const readable = Object.entries(input).filter(
    ([key, value]) => typeof value === "string" || !textFields.includes(key)
  )
  return Effect.succeed({ ...Object.fromEntries(readable), hook_event_name })
}

const invalid = (problem: string) => Effect.fail(new PayloadInvalid({ provider: "gemini", problem }))
