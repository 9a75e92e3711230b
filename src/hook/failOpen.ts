import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { Diagnostics } from "../control/Diagnostics.ts"
import { DiskError } from "../platform/Disk.ts"

/** What is known of a delivery when something goes wrong; filled in as the hook learns it. */
export interface HookContext {
  /** As the hook was called: any text. */
  readonly provider: string
  event: string | undefined
  projectRoot: string | undefined
  /** The project that it is of, where nothing may be written there. */
  about: string | undefined
}

/**
 * What is known of a delivery from the start.
 *
 * @param args the agent's name and, where the agent does not say it in the payload, the event's
 */
export const contextOf = ([provider = "", event]: ReadonlyArray<string>): HookContext => ({
  provider,
  event,
  projectRoot: undefined,
  about: undefined
})

/** Errors whose message holds facts of ours and nothing from a payload. */
const speaking: ReadonlySet<string> = new Set([
  "NoPayload",
  "PayloadNotJson",
  "PayloadInvalid",
  "DeadlineExceeded",
  "UnsafePath",
  "StateUnreadable",
  "ReplayUnknown",
  "LockTimeout"
])

/** The tag of a failure, and the detail that is safe to keep: never the message of an unknown error, which may hold payload. */
const diagnose = (cause: Cause.Cause<unknown>): { readonly tag: string; readonly detail?: string } => {
  if (Cause.hasInterruptsOnly(cause)) return { tag: "Interrupted" }
  const error = Cause.squash(cause)
  if (error instanceof DiskError) return { tag: error._tag, detail: `${error.operation} ${error.code}` }
  if (typeof error === "object" && error !== null && "_tag" in error) {
    const tag = String(error._tag)
    const detail = "problem" in error ? String(error.problem) : error instanceof Error ? error.message : ""
    return speaking.has(tag) && detail !== "" ? { tag, detail } : { tag }
  }
  return { tag: "Defect", detail: error instanceof Error ? error.name : typeof error }
}

/**
 * The fail-open boundary: whatever an effect does, the agent gets `safe`, and the failure becomes one line of diagnostics. The diagnostic cannot
 * break the boundary either.
 */
export const failOpen =
  <A>(safe: A, context: HookContext) =>
  <E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, never, R | Diagnostics> =>
    Effect.catchCause(self, (cause) =>
      Effect.flatMap(Diagnostics, (diagnostics) =>
        diagnostics.note(context, {
          provider: context.provider.slice(0, 32),
          ...(context.event === undefined ? undefined : { event: context.event }),
          ...diagnose(cause)
        })
      ).pipe(
        Effect.catchCause(() => Effect.void),
        Effect.as(safe)
      )
    )
