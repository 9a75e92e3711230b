import type { PreparedEvent } from "./preparedEvent.ts"

/** Name of the provider_event that stands where the record of a session has a gap or was out of order. */
export const gapName = "recording_gap"

/**
 * Why there is a gap. `spooled`: deliveries that did not get the lock in time stand right before it, later than they happened. `missing`: the anchor
 * knows of events that are not in the log any more. `manifest`: somebody else changed the manifest since it was last written.
 */
export type Gap =
  | { readonly cause: "spooled"; readonly deliveries: number; readonly events: number }
  | { readonly cause: "missing"; readonly from: number; readonly to: number }
  | { readonly cause: "manifest" }

/**
 * The event that keeps a gap in the chain for ever, whatever happens to recovery.json.
 *
 * @param identity tells this gap from others; the same gap is one event
 */
export const gapEvent = (gap: Gap, identity: string, timestamp: string): PreparedEvent => ({
  identity,
  timestamp,
  kind: "provider_event",
  payload: { name: gapName, fields: gap },
  redactions: []
})
