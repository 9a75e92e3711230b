import * as Effect from "effect/Effect"
import { type LogRecord, scanLog } from "../archive/eventLog.ts"
import { eventBody, type PreparedEvent } from "../archive/preparedEvent.ts"
import { archiveFiles } from "../archive/sessionDirectory.ts"
import { readSpool } from "../archive/spool.ts"
import type { ArchivedEvent } from "../domain/event.ts"
import type { Manifest } from "../domain/manifest.ts"
import { Disk, type OpenFile } from "../platform/Disk.ts"

/** An event as a follower sees it. One that waits in the spool has no place yet: its sequence is 0, and it is not told again when it gets one. */
export interface FollowedEvent {
  readonly event: ArchivedEvent
  readonly spooled: boolean
}

/** How far a log has been followed. */
export interface LogPosition {
  /** Bytes of whole lines that were read; the next line begins here. */
  readonly offset: number
  /** The file that was read: another one under the name is another log. 0 when there was none. */
  readonly inode: number
  /** The last sequence that was told. */
  readonly sequence: number
  /** Marks of spooled events that were told before they had a place. */
  readonly early: ReadonlySet<string>
}

/** What came since a position. */
export interface Followed {
  readonly events: ReadonlyArray<FollowedEvent>
  readonly position: LogPosition
  /** Events that wait for a writer. */
  readonly spooledCount: number
  /** The log was shortened or is another one: what was told before may not be in it. */
  readonly cut: boolean
}

export const beginning: LogPosition = { offset: 0, inode: 0, sequence: 0, early: new Set() }

const newline = 0x0a
/** Where the newest events are looked for first, and at most. No event is longer than 64 KiB and its envelope. */
const firstTail = 256 * 1024
const longestTail = 8 * 1024 * 1024

/**
 * The newest `count` events of an archive and the position after them. Reads the end of the log only, so that it costs the same for an archive of
 * any size. Changes nothing and takes no lock.
 */
export const newestEvents = Effect.fnUntraced(function* (directory: string, manifest: Manifest, count: number) {
  const disk = yield* Disk
  const { events } = archiveFiles(directory)
  const status = yield* disk.status(events).pipe(Effect.orElseSucceed(() => undefined))
  if (status?.kind !== "file") return yield* withSpool(directory, manifest, beginning, [], false)
  const read = yield* disk.withFile(events, "read", (file) =>
    Effect.gen(function* () {
      const size = yield* file.size
      for (let tail = firstTail; ; tail *= 4) {
        const from = yield* lineStart(file, Math.max(0, size - tail))
        const found = yield* linesFrom(file, from, 0)
        if (found.events.length >= count || from === 0 || tail >= longestTail) return found
      }
    })
  )
  const position: LogPosition = {
    offset: read.offset,
    inode: status.inode,
    sequence: read.events.at(-1)?.event.sequence ?? 0,
    early: new Set()
  }
  return yield* withSpool(directory, manifest, position, count === 0 ? [] : read.events.slice(-count), false)
})

/** The events that came since `position`. Costs what they cost, and one look at the file. Changes nothing and takes no lock. */
export const eventsSince = Effect.fnUntraced(function* (directory: string, manifest: Manifest, position: LogPosition) {
  const disk = yield* Disk
  const { events } = archiveFiles(directory)
  const status = yield* disk.status(events).pipe(Effect.orElseSucceed(() => undefined))
  if (status?.kind !== "file") {
    const cut = position.offset > 0
    return yield* withSpool(directory, manifest, cut ? beginning : position, [], cut)
  }
  return yield* disk.withFile(events, "read", (file) =>
    Effect.gen(function* () {
      const size = yield* file.size
      const isOther = position.inode !== 0 && position.inode !== status.inode
      const isShorter = size < position.offset || !(yield* endsALine(file, position.offset))
      if (isOther || isShorter) {
        const again = yield* newestEvents(directory, manifest, isOther ? Number.POSITIVE_INFINITY : 0)
        return { ...again, cut: true } satisfies Followed
      }
      const read = yield* linesFrom(file, position.offset, position.sequence)
      const next = {
        ...position,
        offset: read.offset,
        inode: status.inode,
        sequence: read.events.at(-1)?.event.sequence ?? position.sequence
      }
      return yield* withSpool(directory, manifest, next, read.events, false)
    })
  )
})

/** Whether a line ends right before `offset`, as it did when the position was taken. */
const endsALine = (file: OpenFile, offset: number) =>
  offset === 0 ? Effect.succeed(true) : Effect.map(file.read(offset - 1, 1), (byte) => byte[0] === newline)

/** The beginning of the first line that begins at or after `from`. */
const lineStart = Effect.fnUntraced(function* (file: OpenFile, from: number) {
  if (from === 0) return 0
  for (let at = from - 1; ; at += firstTail) {
    const bytes = yield* file.read(at, firstTail)
    const end = bytes.indexOf(newline)
    if (end >= 0) return at + end + 1
    if (bytes.length < firstTail) return at + bytes.length
  }
})

/**
 * The events from the line at `from` on whose sequence is above `told`, and the end of the last whole line. An event whose newline is still missing
 * is told, and the line is read again.
 */
const linesFrom = Effect.fnUntraced(function* (file: OpenFile, from: number, told: number) {
  const events: Array<FollowedEvent> = []
  let offset = from
  let last = told
  yield* scanLog(file, from, {
    record: (record: LogRecord) => {
      if (record._tag !== "Event" || record.event.sequence <= last) return
      last = record.event.sequence
      events.push({ event: record.event, spooled: false })
    },
    line: (line) => {
      offset += line.length
    }
  })
  return { events, offset }
})

/** Adds what waits in the spool, and leaves out what was told while it waited there. */
const withSpool = Effect.fnUntraced(function* (
  directory: string,
  manifest: Manifest,
  position: LogPosition,
  read: ReadonlyArray<FollowedEvent>,
  cut: boolean
) {
  const { waiting } = yield* readSpool(archiveFiles(directory).spool).pipe(
    Effect.orElseSucceed(() => ({ waiting: [], problems: [] }))
  )
  const pending = waiting.flatMap((delivery) => delivery.events)
  const placed = new Set(read.map(({ event }) => markOf(event)))
  const fresh = pending.filter((event) => !position.early.has(markOf(event)) && !placed.has(markOf(event)))
  const marks = new Set(pending.map(markOf))
  return {
    events: [
      ...read.filter(({ event }) => !position.early.has(markOf(event))),
      ...fresh.map((event): FollowedEvent => ({ event: unplaced(event, manifest), spooled: true }))
    ],
    // A mark is needed for as long as its event waits, and until it was seen in the log.
    position: {
      ...position,
      early: new Set([...[...position.early].filter((mark) => !placed.has(mark)), ...marks])
    },
    spooledCount: pending.length,
    cut
  } satisfies Followed
})

const unplaced = (event: PreparedEvent, manifest: Manifest): ArchivedEvent =>
  eventBody(event, { provider: manifest.provider, sessionId: manifest.session_id, sequence: 0, eventId: "" }).event

/** What stays the same of an event when it moves from the spool to the log. */
const markOf = (event: Pick<ArchivedEvent, "timestamp" | "kind" | "turn_id" | "provider_ids">): string =>
  JSON.stringify([event.timestamp, event.kind, event.turn_id ?? "", Object.entries(event.provider_ids ?? {}).sort()])
