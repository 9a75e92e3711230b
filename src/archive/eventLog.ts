import { isUtf8 } from "node:buffer"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { ArchivedEvent } from "../domain/event.ts"
import { modernEvent } from "../domain/olderEvent.ts"
import type { DiskError, OpenFile } from "../platform/Disk.ts"

/**
 * The one parser of events.jsonl: readers, the writer that continues a log, and recovery all see the same records. It keeps every valid
 * event whatever stands around it, and says what else it found and where.
 */

/** `torn-tail`: the last line was cut by an interrupted write. `glued`: fragments between events on one line. */
export type Problem = "torn-tail" | "glued" | "nul" | "utf8" | "malformed" | "too-long"

export interface EventRecord {
  readonly _tag: "Event"
  readonly event: ArchivedEvent
  /** The exact bytes of the JSON object. */
  readonly line: Buffer
  readonly offset: number
  /** False for a complete event at the end of the file whose newline is missing. */
  readonly terminated: boolean
}

export interface DamageRecord {
  readonly _tag: "Damage"
  readonly problem: Problem
  readonly offset: number
  readonly bytes: Buffer
}

export type LogRecord = EventRecord | DamageRecord

/** Longer than any event by far: what has no newline for so long is no log, and is not read into memory. */
const longestLine = 16 * 1024 * 1024
const chunkSize = 1024 * 1024
const newline = 0x0a
/** How many times its length the search for events in a damaged line may cost, whatever the line holds. */
const searchFactor = 64

/** What is told while a log is read: each record, and after them each whole line with its newline. */
export interface LogVisitor<E = never> {
  readonly record: (record: LogRecord) => void
  readonly line?: (line: Buffer) => void
  /** Runs after each piece of the file that was read: what a visitor has gathered can leave memory here. Where it fails, the reading ends. */
  readonly flush?: Effect.Effect<void, DiskError | E>
}

/** Reads `file` from byte `from` (the beginning of a line) to its end, in order and in bounded memory. */
export const scanLog = Effect.fnUntraced(function* <E = never>(
  file: OpenFile,
  from: number,
  visitor: LogVisitor<E>
): Effect.fn.Return<void, DiskError | E> {
  const tell = (line: Buffer, offset: number, terminated: boolean) => {
    const records = line.length > longestLine ? [damage("too-long", offset, line)] : parseLine(line, offset, terminated)
    for (const record of records) visitor.record(record)
  }
  let rest: Buffer = Buffer.alloc(0)
  let offset = from
  for (;;) {
    const chunk = yield* file.read(offset + rest.length, chunkSize)
    if (chunk.length === 0) break
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let start = 0
    for (let end = rest.indexOf(newline); end >= 0; end = rest.indexOf(newline, start)) {
      tell(rest.subarray(start, end), offset + start, true)
      visitor.line?.(rest.subarray(start, end + 1))
      start = end + 1
    }
    if (rest.length - start > longestLine) {
      tell(rest.subarray(start), offset + start, false)
      visitor.line?.(rest.subarray(start))
      start = rest.length
    }
    offset += start
    rest = rest.subarray(start)
    if (visitor.flush !== undefined) yield* visitor.flush
  }
  tell(rest, offset, false)
})

const decodeEvent = Schema.decodeUnknownOption(ArchivedEvent)
/** The event that a line is, without its newline, also as older recorders wrote it; undefined for anything else. */
export const parseEvent = (line: Buffer): ArchivedEvent | undefined => {
  if (!isUtf8(line)) return undefined
  try {
    return Option.getOrUndefined(decodeEvent(modernEvent(JSON.parse(line.toString("utf8")))))
  } catch {
    return undefined
  }
}

const damage = (problem: Problem, offset: number, bytes: Buffer): DamageRecord => ({
  _tag: "Damage",
  problem,
  offset,
  bytes
})

/**
 * The records of one line without its newline. A line that is one event, as all undamaged ones are, is decoded at once; anything else is
 * searched for the events in it.
 */
export const parseLine = (line: Buffer, offset: number, terminated: boolean): ReadonlyArray<LogRecord> => {
  if (line.length === 0 || (terminated && line.length === 1 && line[0] === 0x0d)) return []
  const event = parseEvent(line)
  if (event !== undefined) return [{ _tag: "Event", event, line, offset, terminated }]
  const found: Array<LogRecord> = []
  let done = 0
  const flush = (until: number, last: boolean) => {
    for (const piece of damagedPieces(line.subarray(done, until), offset + done)) {
      const torn = last && !terminated && piece.problem !== "nul"
      found.push(torn ? damage("torn-tail", piece.offset, piece.bytes) : piece)
    }
  }
  let budget = searchFactor * line.length
  for (const start of eventStarts(line)) {
    if (start < done || budget <= 0) continue
    const end = objectEnd(line, start)
    budget -= (end ?? line.length) - start
    if (end === undefined || isInside(line, start, end)) continue
    const bytes = line.subarray(start, end)
    const inner = parseEvent(bytes)
    if (inner === undefined) continue
    flush(start, false)
    found.push({
      _tag: "Event",
      event: inner,
      line: bytes,
      offset: offset + start,
      terminated: terminated || end < line.length
    })
    done = end
  }
  flush(line.length, true)
  // Two whole events on one line leave no bytes between them, and yet the line is not as a writer leaves it.
  const second = found[1]
  if (second !== undefined && !found.some((record) => record._tag === "Damage")) {
    found.splice(1, 0, damage("glued", second.offset, Buffer.alloc(0)))
  }
  return found
}

/** Splits what is no event into runs of NUL bytes, which a power loss leaves, and the rest. */
const damagedPieces = (bytes: Buffer, offset: number): ReadonlyArray<DamageRecord> => {
  const pieces: Array<DamageRecord> = []
  for (let start = 0; start < bytes.length; ) {
    const nul = bytes[start] === 0
    let end = start
    while (end < bytes.length && (bytes[end] === 0) === nul) end++
    const piece = bytes.subarray(start, end)
    // White space around an event is no damage.
    if (nul || piece.toString("latin1").trim() !== "") {
      pieces.push(damage(nul ? "nul" : isUtf8(piece) ? "malformed" : "utf8", offset + start, piece))
    }
    start = end
  }
  return pieces
}

/**
 * Where an event may begin inside a damaged line. Every event begins with these bytes, and inside a JSON string the quotes would be escaped,
 * so they cannot come from a string of a payload.
 */
const firstBytes = Buffer.from('{"schema_version":')
const eventStarts = (line: Buffer): ReadonlyArray<number> => {
  const starts: Array<number> = []
  for (let at = line.indexOf(firstBytes); at >= 0; at = line.indexOf(firstBytes, at + 1)) starts.push(at)
  return starts
}

/**
 * Whether an object is a value inside of another one, as its neighbours show: whatever an agent's tool returned, also something in the shape of an
 * event. What follows an event is another event, damage or the end.
 */
const isInside = (line: Buffer, start: number, end: number): boolean =>
  ":,[".includes(String.fromCharCode(line[start - 1] ?? 0)) && ",}]".includes(String.fromCharCode(line[end] ?? 0))

/** The end (exclusive) of the JSON object that begins at `start`: its braces balance outside of strings. */
const objectEnd = (line: Buffer, start: number): number | undefined => {
  let depth = 0
  let inString = false
  for (let at = start; at < line.length; at++) {
    const byte = line[at]
    if (inString) {
      if (byte === 0x5c) at++
      else if (byte === 0x22) inString = false
    } else if (byte === 0x22) inString = true
    else if (byte === 0x7b) depth++
    else if (byte === 0x7d && --depth === 0) return at + 1
  }
  return undefined
}
