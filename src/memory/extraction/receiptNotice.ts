import * as Effect from "effect/Effect"
import { isObject } from "../../domain/jsonObject.ts"
import type { Provider } from "../../domain/provider.ts"
import type { MemoryPlace } from "../memoryPlace.ts"
import { noticeOf, takeReceipts } from "./receipts.ts"

/**
 * The agents that show their user what a hook answers in `systemMessage`, which never reaches the model. Antigravity CLI is not known to: there
 * the receipts wait.
 */
const showing: ReadonlySet<Provider> = new Set(["claude", "codex", "gemini"])

/** The answer of a hook with what extraction owes the user a word about. The receipts are gone then. */
export const withReceiptNotice = Effect.fnUntraced(function* (answer: string, place: MemoryPlace) {
  if (!showing.has(place.provider)) return answer
  const said = objectIn(answer)
  if (said === undefined) return answer
  const notice = noticeOf(yield* takeReceipts(place))
  return notice === undefined ? answer : JSON.stringify({ ...said, systemMessage: notice })
})

const objectIn = (answer: string): Readonly<Record<string, unknown>> | undefined => {
  if (answer.trim() === "") return {}
  try {
    const value: unknown = JSON.parse(answer)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
