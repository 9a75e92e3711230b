import * as Context from "effect/Context"
import * as Data from "effect/Data"

/** The time that one run may take was spent. `stage` is the step that noticed, never anything from the payload. */
export class DeadlineExceeded extends Data.TaggedError("DeadlineExceeded")<{
  readonly stage: string
  readonly budgetMs: number
}> {
  override get message(): string {
    return `the time budget of ${this.budgetMs} ms ended during ${this.stage}`
  }
}

/**
 * A moment after which a run must stop, as a value.
 *
 * The hook works synchronously, and a timer cannot cut synchronous work: whatever loops there (stdin, lock wait, redaction) asks the
 * deadline instead. `remainingMs` reads a monotonic clock, so a wall clock that jumps does not matter.
 */
export interface Deadline {
  readonly budgetMs: number
  /** Milliseconds left; 0 or less when it has passed. */
  readonly remainingMs: () => number
}

/** No limit: what the CLI and most tests run under. */
export const unlimited: Deadline = { budgetMs: Number.POSITIVE_INFINITY, remainingMs: () => Number.POSITIVE_INFINITY }

/** The deadline of the current run; unlimited unless the hook program provides one. */
export const CurrentDeadline = Context.Reference<Deadline>("lint-ai/platform/CurrentDeadline", {
  defaultValue: () => unlimited
})

/** A deadline `budgetMs` from now on the given monotonic clock (milliseconds, any origin). */
export const after = (budgetMs: number, monotonicMs: () => number): Deadline => {
  const end = monotonicMs() + budgetMs
  return { budgetMs, remainingMs: () => end - monotonicMs() }
}
