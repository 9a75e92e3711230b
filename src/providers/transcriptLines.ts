import * as Effect from "effect/Effect"
import type { DraftEvent, MessageUsage, TranscriptCursor } from "../domain/event.ts"
import { addTokens, type Tokens, type UsageSource } from "../domain/usage.ts"
import type { Deadline } from "../platform/Deadline.ts"
import { Disk, type OpenFile } from "../platform/Disk.ts"

// Of one file in one reading. The rest is for the next one.
const mostBytes = 16 * 1024 * 1024
const chunkBytes = 1024 * 1024
const newline = 0x0a
// Both stay under the bound of an array in an event, which is 128 items.
const mostMessages = 100
const mostCursors = 100
// Left for the recorder to write what was read; without it a long transcript would be read in vain at every hook.
const reserveMs = 500

/** What was read of one file: the offsets before and after, the name that its cursor has, and whether the file goes on behind what was read. */
export interface FileReading {
  readonly name: string
  readonly start: number
  readonly end: number
  readonly more: boolean
}

const hasOtherRest = ({ name, more }: FileReading, before: ReadonlyArray<TranscriptCursor>): boolean =>
  more !== (before.find((cursor) => cursor.file === name)?.more === true)

/** Whether a reading tells what the last one of its file did not. */
export const isNews = (reading: FileReading, before: ReadonlyArray<TranscriptCursor>): boolean =>
  reading.end > reading.start || hasOtherRest(reading, before)

/**
 * What stands for a file for which no time was left behind those that were read, where nothing has been read of it so far. Where nothing was read at all, an
 * event would only say so.
 */
export const unread = (
  name: string,
  readings: ReadonlyArray<FileReading>,
  before: ReadonlyArray<TranscriptCursor>
): ReadonlyArray<FileReading> =>
  readings.length === 0 || before.some((cursor) => cursor.file === name) ? [] : [{ name, start: 0, end: 0, more: true }]

/** Whether so little time is left that reading must stop for what was read to be written. */
export const isOver = (deadline: Deadline): boolean =>
  deadline.remainingMs() < Math.min(reserveMs, deadline.budgetMs / 2)

/** Looks before it opens: to open a pipe would wait for a writer. No link is followed. */
export const isKind = Effect.fnUntraced(function* (file: string, kind: "file" | "directory") {
  const disk = yield* Disk
  const status = yield* disk.status(file).pipe(Effect.orElseSucceed(() => undefined))
  return status?.kind === kind
})

/**
 * Hands every whole line after the offset `from` to `visit`. A file that became shorter is another one and read from its beginning.
 * Undefined when there is no such file or it cannot be read.
 */
export const readNewLines = Effect.fnUntraced(function* (
  name: string,
  file: string,
  from: number,
  deadline: Deadline,
  visit: (line: Buffer) => void
) {
  if (!(yield* isKind(file, "file"))) return undefined
  const disk = yield* Disk
  return yield* disk
    .withFile(
      file,
      "read",
      Effect.fnUntraced(function* (open) {
        const size = yield* open.size
        const start = from > size ? 0 : from
        const { end, position } = yield* readLines(open, start, Math.min(size, start + mostBytes), deadline, visit)
        return { name, start, end, more: position < size }
      })
    )
    .pipe(Effect.orElseSucceed(() => undefined))
})

/** Reads the lines between two offsets and returns the offset after the last whole one, and how far it looked. */
const readLines = Effect.fnUntraced(function* (
  file: OpenFile,
  start: number,
  limit: number,
  deadline: Deadline,
  visit: (line: Buffer) => void
) {
  let unfinished: Array<Buffer> = []
  let lineStart = start
  let position = start
  while (position < limit && !isOver(deadline)) {
    const chunk = yield* file.read(position, Math.min(chunkBytes, limit - position))
    if (chunk.length === 0) break
    let from = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
      visit(Buffer.concat([...unfinished, chunk.subarray(from, end)]))
      unfinished = []
      from = end + 1
      lineStart = position + from
    }
    unfinished.push(chunk.subarray(from))
    position += chunk.length
  }
  // A line longer than a reading is no message: stepping over it, or it would be read again for ever. What is left of it is no JSON.
  return { end: position - start >= mostBytes && lineStart === start ? position : lineStart, position }
})

/** The value of one line of JSON; undefined for text that is none, such as a line that is not yet whole. */
export const parseLine = (line: Buffer): unknown => {
  try {
    return JSON.parse(line.toString("utf8"))
  } catch {
    return undefined
  }
}

/**
 * The turn_usage events of one reading. None when there were no messages and little was read: lines without usage are cheaper to read
 * again than to write an event about, up to a point. That a file goes on, or does no more, is told in any case.
 *
 * @param messages each message id once, with its last snapshot
 * @param before the cursors that the reading began with
 */
export const usageDrafts = (reading: {
  readonly source: UsageSource
  readonly messages: ReadonlyArray<MessageUsage>
  readonly readings: ReadonlyArray<FileReading>
  readonly before: ReadonlyArray<TranscriptCursor>
  readonly turnId: string | undefined
}): ReadonlyArray<DraftEvent> => {
  const { source, messages, readings, before, turnId } = reading
  const read = readings.reduce((sum, { start, end }) => sum + end - start, 0)
  if (messages.length === 0 && read < chunkBytes && !readings.some((file) => hasOtherRest(file, before))) return []
  const groups = Array.from({ length: Math.max(1, Math.ceil(messages.length / mostMessages)) }, (_, index) =>
    messages.slice(index * mostMessages, (index + 1) * mostMessages)
  )
  return groups.map((group, index) => ({
    kind: "turn_usage",
    payload: {
      source,
      messages: group,
      // With the last one only: when writing ends before it, the next reading begins where this one began.
      ...(index === groups.length - 1 ? { cursors: cursorsAfter(readings, before) } : {})
    },
    identity: [
      "usage",
      ...readings.map(({ name, start, more }) => `${name}@${start}${more ? "+" : ""}`),
      ...group.map((message) => message.message_id)
    ],
    ...(turnId === undefined ? {} : { turnId }),
    ...(group.length === 0
      ? {}
      : { usage: { source, ...group.reduce((sum: Tokens, message) => addTokens(sum, message), {}) } })
  }))
}

/** Where each file ends now, the files of this reading first. */
const cursorsAfter = (
  readings: ReadonlyArray<FileReading>,
  before: ReadonlyArray<TranscriptCursor>
): ReadonlyArray<TranscriptCursor> =>
  [
    ...readings.map(({ name, end, more }) => ({ file: name, offset: end, ...(more ? { more: true as const } : {}) })),
    ...before.filter((cursor) => !readings.some(({ name }) => name === cursor.file))
  ].slice(0, mostCursors)
