import * as Schema from "effect/Schema"

/**
 * Who a process is, so that a pid which the system gives out again does not pass for it.
 *
 * `start` is in the system's own unit (clock ticks since boot on Linux); it is compared, never computed with. Fields are "" where the
 * platform does not tell.
 */
export const ProcessIdentity = Schema.Struct({
  pid: Schema.Natural,
  start: Schema.String,
  boot: Schema.String,
  namespace: Schema.String,
  host: Schema.String
})
export type ProcessIdentity = typeof ProcessIdentity.Type
