import { Buffer } from "node:buffer"
import * as Effect from "effect/Effect"
import { parseLine } from "../archive/eventLog.ts"
import type { SessionSummary } from "../archive/readArchive.ts"
import { archiveFiles } from "../archive/sessionDirectory.ts"
import { readSpool } from "../archive/spool.ts"
import type { EventKind } from "../domain/event.ts"
import type { Provider } from "../domain/provider.ts"
import { Disk, type DiskError, type OpenFile } from "../platform/Disk.ts"
import { type Excerpt, excerptOf } from "./excerpt.ts"

export interface SearchQuery {
  /** Texts that must all be in one event; capital letters do not matter. */
  readonly words: ReadonlyArray<string>
  readonly kind?: EventKind | undefined
  /** How many events are given at most. */
  readonly limit: number
}

/** An event in which all words are. */
export interface SearchHit {
  readonly session_id: string
  readonly provider: Provider
  /** Null while the event waits in the spool. */
  readonly sequence: number | null
  readonly timestamp: string
  readonly kind: EventKind
  readonly tool_name: string | null
  readonly excerpt: Excerpt
  readonly path: string
}

export interface SearchResult {
  /** By session, newest first; in a session in the order in which they happened. */
  readonly hits: ReadonlyArray<SearchHit>
  /** Whether the limit kept some away. */
  readonly more: boolean
  readonly sessionCount: number
  readonly byteCount: number
  /** Logs that could not be read, or not to their end. */
  readonly failures: ReadonlyArray<DiskError>
}

const chunkSize = 1024 * 1024
const newline = 0x0a
/** Longer than any event: what has no newline for so long is no log. */
const longestLine = 16 * 1024 * 1024

/**
 * Looks for words in the recorded content of sessions, in the order in which they are given, until `limit` events were found. Reads logs piece by
 * piece and parses only lines that hold the words somewhere, so that it costs the reading of the logs and little more. Changes nothing.
 */
export const searchSessions = Effect.fn("searchSessions")(function* (
  sessions: ReadonlyArray<SessionSummary>,
  query: SearchQuery
) {
  const disk = yield* Disk
  const raw = query.words.map(patternOfJson)
  const hits: Array<SearchHit> = []
  let more = false
  const failures: Array<DiskError> = []
  let sessionCount = 0
  let byteCount = 0
  const take = (session: SessionSummary, event: Found, spooled: boolean): void => {
    if (query.kind !== undefined && event.kind !== query.kind) return
    const excerpt = excerptOf(event.payload, query.words)
    if (excerpt === undefined) return
    if (hits.length === query.limit) more = true
    else hits.push(hitOf(session, event, spooled, excerpt))
  }
  for (const session of sessions) {
    if (more) break
    sessionCount++
    const files = archiveFiles(session.directory)
    // What one archive has wrong keeps nobody from the others.
    byteCount += yield* disk
      .withFile(files.events, "read", (file) =>
        candidates(file, raw, (line, offset) => {
          for (const record of parseLine(line, offset, true)) {
            if (record._tag === "Event" && !more) take(session, record.event, false)
          }
          return more
        })
      )
      .pipe(
        Effect.catch((error) => {
          // A log that is not there yet holds nothing.
          if (error.code !== "ENOENT") failures.push(error)
          return Effect.succeed(0)
        })
      )
    const { waiting } = yield* readSpool(files.spool).pipe(Effect.orElseSucceed(() => ({ waiting: [], problems: [] })))
    for (const event of waiting.flatMap((delivery) => delivery.events)) if (!more) take(session, event, true)
    // A signal is heard between two pieces of work.
    yield* Effect.yieldNow
  }
  return { hits, more, sessionCount, byteCount, failures } satisfies SearchResult
})

interface Found {
  readonly sequence?: number
  readonly timestamp: string
  readonly kind: EventKind
  readonly payload: unknown
}

const hitOf = (session: SessionSummary, event: Found, spooled: boolean, excerpt: Excerpt): SearchHit => {
  const { payload } = event
  const tool = typeof payload === "object" && payload !== null && "tool_name" in payload ? payload.tool_name : null
  return {
    session_id: session.manifest.session_id,
    provider: session.manifest.provider,
    sequence: spooled ? null : (event.sequence ?? null),
    timestamp: event.timestamp,
    kind: event.kind,
    tool_name: typeof tool === "string" ? tool : null,
    excerpt,
    path: session.directory
  }
}

/** Finds a text as it stands in a line of JSON. Nothing but what JSON escapes is written in another way there. */
const patternOfJson = (word: string): RegExp =>
  new RegExp(
    JSON.stringify(word)
      .slice(1, -1)
      .replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"),
    "iu"
  )

/**
 * Tells each line in which all patterns match, until `visit` answers that it has enough.
 *
 * @returns bytes that were read
 */
const candidates = Effect.fnUntraced(function* (
  file: OpenFile,
  patterns: ReadonlyArray<RegExp>,
  visit: (line: Buffer, offset: number) => boolean
) {
  const isCandidate = (bytes: Buffer) => {
    const text = bytes.toString("utf8")
    return patterns.every((pattern) => pattern.test(text))
  }
  let rest: Buffer = Buffer.alloc(0)
  let offset = 0
  // Most logs are far shorter than a piece, and a buffer of that size for each of thousands costs more than reading them.
  const size = yield* file.size
  for (;;) {
    const from = offset + rest.length
    const chunk = yield* file.read(from, Math.max(0, Math.min(chunkSize, size - from)))
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    const atEnd = from + chunk.length >= size || chunk.length === 0
    const end = atEnd || bytes.length > longestLine ? bytes.length : bytes.lastIndexOf(newline) + 1
    const whole = bytes.subarray(0, end)
    // Most pieces of most logs hold nothing of what is looked for, and their lines need not be told apart.
    if (isCandidate(whole)) {
      for (let start = 0; start < whole.length; ) {
        const next = whole.indexOf(newline, start)
        const line = whole.subarray(start, next < 0 ? whole.length : next)
        if (isCandidate(line) && visit(line, offset + start)) return offset + whole.length
        start += line.length + 1
      }
    }
    offset += end
    rest = bytes.subarray(end)
    if (atEnd) return offset
    yield* Effect.yieldNow
  }
})
