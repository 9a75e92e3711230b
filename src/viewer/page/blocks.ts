import { lastNotAbove } from "../../domain/lastNotAbove.ts"
import type { Chunk, EventDetail, SessionOutline } from "../document.ts"

/** A block of data of this page, by its id; undefined when there is none. */
export const readBlock = (id: string): unknown => {
  const element = document.getElementById(id)
  return element === null ? undefined : JSON.parse(element.textContent ?? "")
}

/** The events behind the entries of a session. A chunk is parsed when one of its entries is asked for, and kept. */
export const eventReader = (outline: SessionOutline) => {
  const parsed = new Map<number, Chunk>()
  return (entry: number): ReadonlyArray<EventDetail> => {
    const position = lastNotAbove(outline.chunks, entry)
    let chunk = parsed.get(position)
    if (chunk === undefined) {
      chunk = (readBlock(`events-${position}`) as Chunk | undefined) ?? []
      parsed.set(position, chunk)
    }
    return chunk[entry - (outline.chunks[position] ?? 0)] ?? []
  }
}
export type EventReader = ReturnType<typeof eventReader>
