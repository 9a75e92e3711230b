import * as Effect from "effect/Effect"
import { Keyring } from "../archive/Keyring.ts"
import { counted } from "../domain/counted.ts"
import { type MemoryPlace, memoryFiles } from "./memoryPlace.ts"
import { isAuthentic, listSegments, readSegment, recordOf } from "./segments.ts"

/** What of a memory is there and given to nobody. */
export interface SegmentFaults {
  /** Lines that are no records: torn, or damaged. */
  readonly damaged_lines: number
  /** Records that none of the user's keys signed as they are. */
  readonly unsigned_records: number
}

/** Reads all segments of a memory for what is wrong in them. Changes nothing. */
export const segmentFaults = Effect.fn("segmentFaults")(function* (place: MemoryPlace) {
  const keyring = yield* Keyring
  const ids = yield* Effect.orElseSucceed(keyring.list, () => [])
  const keys = new Map(
    yield* Effect.forEach(ids, ({ id }) => Effect.map(keyring.byId(id), (key) => [id, key] as const))
  )
  let damaged = 0
  let unsigned = 0
  for (const { file, size } of yield* listSegments(memoryFiles(place).segments)) {
    const end = yield* readSegment(file, 0, ({ text }) => {
      const record = recordOf(text)
      const key = record === undefined ? undefined : keys.get(record.key_id)
      if (record === undefined) damaged++
      else if (key === undefined || !isAuthentic(key, text)) unsigned++
      return "go on"
    })
    if (end < size) damaged++
  }
  return { damaged_lines: damaged, unsigned_records: unsigned } satisfies SegmentFaults
})

/** The same in words; undefined where nothing is wrong. */
export const faultWords = ({ damaged_lines, unsigned_records }: SegmentFaults): string | undefined => {
  const words = [
    ...(damaged_lines === 0 ? [] : [`${counted(damaged_lines, "line")} cannot be read`]),
    ...(unsigned_records === 0
      ? []
      : [`${counted(unsigned_records, "memory was", "memories were")} altered, or signed by no key of yours`])
  ]
  return words.length === 0 ? undefined : `${words.join(", ")}: given to nobody`
}
