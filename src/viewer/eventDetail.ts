import type { ArchivedEvent } from "../domain/event.ts"
import { boundValue } from "./boundValue.ts"
import type { EventDetail } from "./document.ts"

/** What is shown of an event that is open. A longer text would make a page slow, and nobody reads it in one. */
const detailBounds = { string: 256 * 1024, items: 1_000, depth: 24 }
/** What is left of the texts of a session after `pageCharacters`. */
const tightBounds = { string: 400, items: 50, depth: 8 }
const pageCharacters = 48 * 1024 * 1024

/** Makes the details of the events of one page, which get short when it has grown large. */
export const eventDetails = () => {
  let characters = 0
  return (event: ArchivedEvent): EventDetail => {
    const { sequence, event_id, timestamp, kind, turn_id, provider_ids, redactions, truncated, omitted } = event
    const bounded = boundValue(event.payload, characters > pageCharacters ? tightBounds : detailBounds, "payload")
    characters += bounded.characters
    return {
      sequence,
      event_id,
      timestamp,
      kind,
      ...(turn_id === undefined ? undefined : { turn_id }),
      ...(provider_ids === undefined ? undefined : { provider_ids }),
      payload: bounded.value,
      redactions: redactions.slice(0, 200),
      ...(truncated === undefined ? undefined : { truncated }),
      ...(omitted === undefined ? undefined : { omitted }),
      ...(bounded.cuts.length === 0 ? undefined : { shortened: bounded.cuts.slice(0, 200) })
    }
  }
}
