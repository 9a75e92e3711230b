import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Manifest } from "../domain/manifest.ts"
import { timestampOf } from "../domain/timestamp.ts"
import { Diagnostics } from "./Diagnostics.ts"

/**
 * How many hooks of the session's agent failed in its project from its beginning to its end, or till now where it has none: what they would have recorded
 * may be missing, which the record itself cannot tell.
 */
export const failedHooks = Effect.fn("failedHooks")(function* (
  manifest: Pick<Manifest, "provider" | "project_root" | "started_at" | "ended_at">
) {
  const diagnostics = yield* Diagnostics
  const { provider, project_root: projectRoot, started_at: from } = manifest
  const to = manifest.ended_at ?? timestampOf(yield* Clock.currentTimeMillis)
  const own = yield* diagnostics.read({ projectRoot })
  // What the project could not take.
  const elsewhere = (yield* diagnostics.read({ projectRoot: undefined })).filter((one) => one.project === projectRoot)
  return [...own, ...elsewhere].filter((one) => one.provider === provider && one.time >= from && one.time <= to).length
})
