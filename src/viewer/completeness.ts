import { counted } from "../domain/counted.ts"
import { unreadWords } from "../export/format.ts"
import type { Inspection } from "../export/inspection.ts"
import type { Completeness } from "./document.ts"

/** What keeps a record from telling all that happened, each a sentence for a person; none when it is whole. */
export const completenessOf = (inspection: Inspection, gaps: number, unresolved: number): Completeness => {
  const notes: Array<string> = []
  const note = (count: number, noun: string, what: string): void => {
    if (count > 0) notes.push(`${counted(count, noun)} ${what}.`)
  }
  if (inspection.status === "active") notes.push("The session is still active.")
  if (inspection.status === "incomplete") notes.push("The agent went away without an end.")
  if (inspection.status === "failed") notes.push("The agent failed.")
  if (inspection.joined === "mid-session") notes.push("Recording was turned on in a session that already ran.")
  if (inspection.torn_tail) notes.push("The last line was cut by an interrupted write.")
  note(inspection.damaged_count, "damaged piece", "between the events")
  note(gaps, "gap", "that the record names itself")
  note(inspection.dropped_count, "later event", "not kept: the session had reached its size bound")
  note(inspection.truncation_count, "place", "cut when it was recorded")
  note(inspection.omitted_count, "field", "left out because the event was too large")
  note(unresolved, "tool call", "without a recorded end")
  const unread = inspection.unread_transcripts.length
  if (unread > 0) notes.push(`${unreadWords(unread)}: what stands there is not counted.`)
  note(inspection.spooled_count, "event", "waiting for the next writer")
  return { whole: notes.length === 0, notes }
}
