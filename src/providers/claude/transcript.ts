import * as path from "node:path"
import * as Effect from "effect/Effect"
import type { DraftEvent, MessageUsage, TranscriptCursor } from "../../domain/event.ts"
import { addTokens, type Tokens } from "../../domain/usage.ts"
import { CurrentDeadline, type Deadline } from "../../platform/Deadline.ts"
import { Disk, type OpenFile } from "../../platform/Disk.ts"
import type { TranscriptReading } from "../ProviderAdapter.ts"
import { isObject } from "./payload.ts"
import { tokensOf } from "./tokens.ts"

// Of one file in one reading. The rest is for the next one.
const mostBytes = 16 * 1024 * 1024
const chunkBytes = 1024 * 1024
const newline = 0x0a
// Both stay under the bound of an array in an event, which is 128 items.
const mostMessages = 100
const mostCursors = 100
// Left for the recorder to write what was read; without it a long transcript would be read in vain at every hook.
const reserveMs = 500

/**
 * Reads the usage of each message from the session's transcript and from those of its subagents, which lie in a directory beside it
 * (`<session>/subagents/agent-<id>.jsonl`) and are the only place of a subagent's usage.
 *
 * @param transcriptPath from the payload, so any text: only an absolute path of a regular `.jsonl` file is read, no link is followed
 * @param turnId the turn in which the reading happens
 *
 * A message's blocks are lines of their own which all repeat the message's usage, and the last one counts. The blocks may straddle two
 * readings; whoever adds up takes the last snapshot of each message id (recorder/usageTotals.ts).
 */
export const readUsage =
  (transcriptPath: string, turnId: string | undefined): TranscriptReading =>
  ({ cursors, sinceMs }) =>
    Effect.gen(function* () {
      const deadline = yield* CurrentDeadline
      const messages = new Map<string, MessageUsage>()
      const readings: Array<FileReading> = []
      for (const { name, file } of yield* transcriptFiles(transcriptPath)) {
        if (isOver(deadline)) break
        const from = cursors.find((cursor) => cursor.file === name)?.offset ?? 0
        const agentId = /^agent-(.*)\.jsonl$/.exec(name)?.[1]
        const visit = (line: Buffer): void => {
          const message = messageOf(line, sinceMs, agentId)
          if (message !== undefined) messages.set(message.message_id, message)
        }
        const reading = yield* readFile(name, file, from, deadline, visit)
        if (reading !== undefined && reading.end > reading.start) readings.push(reading)
      }
      return drafts([...messages.values()], readings, cursors, turnId)
    })

interface FileReading {
  readonly name: string
  readonly start: number
  readonly end: number
}

const isOver = (deadline: Deadline): boolean => deadline.remainingMs() < Math.min(reserveMs, deadline.budgetMs / 2)

/** The transcripts that are there, the session's own first. */
const transcriptFiles = Effect.fnUntraced(function* (transcriptPath: string) {
  if (!path.isAbsolute(transcriptPath) || path.extname(transcriptPath) !== ".jsonl") return []
  const session = transcriptPath.slice(0, -".jsonl".length)
  const directory = path.join(session, "subagents")
  const inside = (yield* isKind(session, "directory")) && (yield* isKind(directory, "directory"))
  const disk = yield* Disk
  const names = inside ? yield* disk.list(directory).pipe(Effect.orElseSucceed((): ReadonlyArray<string> => [])) : []
  return [
    { name: "main", file: transcriptPath },
    ...names
      .filter((name) => /^agent-[\w-]{1,100}\.jsonl$/.test(name))
      .map((name) => ({ name, file: path.join(directory, name) }))
  ]
})

/** Looks before it opens: to open a pipe would wait for a writer. */
const isKind = Effect.fnUntraced(function* (file: string, kind: "file" | "directory") {
  const disk = yield* Disk
  const status = yield* disk.status(file).pipe(Effect.orElseSucceed(() => undefined))
  return status?.kind === kind
})

/** Hands every whole line after `from` to `visit`. A file that became shorter is another one and read from its beginning. */
const readFile = Effect.fnUntraced(function* (
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
        return { name, start, end: yield* readLines(open, start, Math.min(size, start + mostBytes), deadline, visit) }
      })
    )
    .pipe(Effect.orElseSucceed(() => undefined))
})

/** Reads the lines between two offsets and returns the offset after the last whole one. */
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
  return position - start >= mostBytes && lineStart === start ? position : lineStart
})

/** One line's message; undefined for every other kind of line, of which there are many. */
const messageOf = (line: Buffer, sinceMs: number, fileAgentId: string | undefined): MessageUsage | undefined => {
  // Most of a transcript is prompts, tool output and requests: parsed only for what it needs.
  if (!line.includes('"assistant"') || !line.includes('"usage"')) return undefined
  const entry = parse(line)
  if (!isObject(entry) || entry.type !== "assistant" || !isObject(entry.message)) return undefined
  const { id, model, stop_reason, usage } = entry.message
  // The agent's own words about an error of the API: nobody was asked and nothing was used.
  if (entry.isApiErrorMessage === true || model === "<synthetic>") return undefined
  const tokens = tokensOf(usage)
  if (typeof id !== "string" || id === "" || tokens === undefined) return undefined
  const time = typeof entry.timestamp === "string" ? entry.timestamp : undefined
  // A fork begins with a copy of its parent's lines, times and message ids included.
  if (time !== undefined && Date.parse(time) < sinceMs) return undefined
  const agentId = fileAgentId ?? (entry.isSidechain === true ? entry.agentId : undefined)
  return {
    message_id: id,
    ...(typeof model === "string" ? { model } : {}),
    ...(time === undefined ? {} : { time }),
    ...(typeof agentId === "string" ? { agent_id: agentId } : {}),
    // null for a message that the user interrupted; its usage is what the beginning of the answer said.
    ...(typeof stop_reason === "string" ? { stop_reason } : {}),
    ...tokens
  }
}

const parse = (line: Buffer): unknown => {
  try {
    return JSON.parse(line.toString("utf8"))
  } catch {
    return undefined
  }
}

const drafts = (
  messages: ReadonlyArray<MessageUsage>,
  readings: ReadonlyArray<FileReading>,
  before: ReadonlyArray<TranscriptCursor>,
  turnId: string | undefined
): ReadonlyArray<DraftEvent> => {
  const read = readings.reduce((sum, { start, end }) => sum + end - start, 0)
  // Lines without usage are cheaper to read again than to write an event about, up to a point.
  if (messages.length === 0 && read < chunkBytes) return []
  const groups = Array.from({ length: Math.max(1, Math.ceil(messages.length / mostMessages)) }, (_, index) =>
    messages.slice(index * mostMessages, (index + 1) * mostMessages)
  )
  return groups.map((group, index) => ({
    kind: "turn_usage",
    payload: {
      source: "claude-transcript",
      messages: group,
      // With the last one only: when writing ends before it, the next reading begins where this one began.
      ...(index === groups.length - 1 ? { cursors: cursorsAfter(readings, before) } : {})
    },
    identity: [
      "usage",
      ...readings.map(({ name, start }) => `${name}@${start}`),
      ...group.map((message) => message.message_id)
    ],
    ...(turnId === undefined ? {} : { turnId }),
    ...(group.length === 0
      ? {}
      : {
          usage: { source: "claude-transcript", ...group.reduce((sum: Tokens, message) => addTokens(sum, message), {}) }
        })
  }))
}

/** Where each file ends now, the files of this reading first. */
const cursorsAfter = (
  readings: ReadonlyArray<FileReading>,
  before: ReadonlyArray<TranscriptCursor>
): ReadonlyArray<TranscriptCursor> =>
  [
    ...readings.map(({ name, end }) => ({ file: name, offset: end })),
    ...before.filter((cursor) => !readings.some(({ name }) => name === cursor.file))
  ].slice(0, mostCursors)
