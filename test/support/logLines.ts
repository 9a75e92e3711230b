import * as Effect from "effect/Effect"
import { chainHash, genesis, seal } from "../../src/archive/chain.ts"
import { type DamageRecord, type EventRecord, scanLog } from "../../src/archive/eventLog.ts"
import { eventBody, eventId, type PreparedEvent } from "../../src/archive/preparedEvent.ts"
import { memoryFile } from "./memoryFile.ts"

const key = { id: "test", secret: Buffer.from("test") }
const place = { provider: "claude", sessionId: "claude:s" } as const

/** The lines of a log of these events, each with its newline, as a writer writes them. */
export const logLines = (events: ReadonlyArray<PreparedEvent>): ReadonlyArray<Buffer> => {
  let head = genesis(place.sessionId, "2026-08-16T12:00:00.000Z")
  return events.map((event, index) => {
    const id = eventId(place.sessionId, event, 0)
    const { body } = eventBody(event, { ...place, sequence: index + 1, eventId: id })
    head = chainHash(key, head, body)
    return Buffer.concat([seal(body, head), Buffer.from("\n")])
  })
}

/** What a reader finds in a log: the sequences of its events, the events with their bytes, and what else there is. */
export const readLog = (bytes: Buffer) => {
  const events: Array<EventRecord> = []
  const damage: Array<DamageRecord> = []
  let lineBytes = 0
  Effect.runSync(
    scanLog(memoryFile(bytes), 0, {
      record: (record) => void (record._tag === "Event" ? events.push(record) : damage.push(record)),
      line: (line) => {
        lineBytes += line.length
      }
    })
  )
  return {
    events,
    sequences: events.map((record) => record.event.sequence),
    damage,
    problems: damage.map((record) => record.problem),
    lineBytes
  }
}
