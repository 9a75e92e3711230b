import * as Effect from "effect/Effect"
import { isObject } from "../../domain/jsonObject.ts"
import { PayloadInvalid } from "../ProviderAdapter.ts"

/**
 * What Antigravity CLI writes to a hook's stdin, as public reports have it (1.0.3 to 1.5.14; never captured by us): one JSON object with
 * camel-case names, without the event's name, a time or the working directory. Whole numbers may come as text, the way protobuf writes
 * 64-bit ones.
 */
export type HookPayload = Readonly<Record<string, unknown>>

/** The payload of one delivery. Fails when there is no object. */
export const decodePayload = (input: unknown): Effect.Effect<HookPayload, PayloadInvalid> =>
  isObject(input)
    ? Effect.succeed(input)
    : Effect.fail(new PayloadInvalid({ provider: "antigravity", problem: "the payload is not a JSON object" }))

export const textIn = (payload: HookPayload, field: string): string | undefined => {
  const value = payload[field]
  return typeof value === "string" && value !== "" ? value : undefined
}

/** A count, also where it came as text. */
export const numberIn = (payload: HookPayload, field: string): number | undefined => {
  const value = payload[field]
  const number = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0 ? number : undefined
}

/** The tool call of a hook; undefined for an internal step, whose hook has null. */
export const callIn = (payload: HookPayload): { readonly name: string; readonly args: unknown } | undefined => {
  const call = payload.toolCall
  return isObject(call) && typeof call.name === "string" && call.name !== ""
    ? { name: call.name, args: call.args }
    : undefined
}
