import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Provider } from "../domain/provider.ts"
import { sessionId } from "../domain/sessionId.ts"
import { Host } from "../platform/Host.ts"

/** A new id of a replay: `<provider>:replay-<UTC time>-<random>`, in characters that its directory can have. Two at once are two. */
export const newReplayId = Effect.fn("newReplayId")(function* (provider: Provider) {
  const host = yield* Host
  const now = new Date(yield* Clock.currentTimeMillis).toISOString()
  const time = now.slice(0, 19).replace(/[-:]/g, "").replace("T", "-")
  return sessionId(provider, `replay-${time}-${host.randomHex(8)}`)
})
