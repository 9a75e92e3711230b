import * as path from "node:path"
import * as Effect from "effect/Effect"
import type { DraftEvent, MessageUsage, TranscriptCursor } from "../../domain/event.ts"
import { isObject } from "../../domain/jsonObject.ts"
import type { Tokens } from "../../domain/usage.ts"
import { CurrentDeadline } from "../../platform/Deadline.ts"
import { Disk } from "../../platform/Disk.ts"
import { type FileReading, isKind, isNews, isOver, parseLine, readNewLines, unread } from "../transcriptLines.ts"
import { unseenCalls } from "./unseenCalls.ts"

/**
 * Reads what is new in a session file, in either of its forms, and in the files of the session's sub-agents, which lie in a directory
 * beside it (`<session id>/<id>.jsonl`) and are the only place of their usage.
 *
 * The form of today is JSON lines: a header; messages, of which a later line with the same id is the same message; `{"$set": ...}`, which
 * may repeat the whole history when a session is resumed, or replace it by a shorter one with new ids and no tokens; `{"$rewindTo": id}`.
 * What was said and used is on the lines of the messages themselves, whatever the history looks like afterwards: `$set` is passed over.
 * Older versions keep one JSON document with a list of messages.
 *
 * @param transcriptPath from the payload, so any text: only an absolute path of a regular file is read, no link is followed
 */
export const readSession = Effect.fnUntraced(function* (
  transcriptPath: string,
  sessionId: string | undefined,
  cursors: ReadonlyArray<TranscriptCursor>,
  sinceMs: number
) {
  const deadline = yield* CurrentDeadline
  const found = new Findings(sinceMs)
  const readings: Array<FileReading> = []
  for (const { file, agentId } of yield* sessionFiles(transcriptPath, sessionId)) {
    const name = path.basename(file)
    if (isOver(deadline)) {
      readings.push(...unread(name, readings, cursors))
      continue
    }
    const from = cursors.find((cursor) => cursor.file === name)?.offset ?? 0
    const reading =
      path.extname(file) === ".json"
        ? yield* readDocument(name, file, from, found)
        : yield* readNewLines(name, file, from, deadline, (line) => {
            if (isMessageLine(line)) found.message(parseLine(line), agentId)
          })
    if (reading !== undefined && isNews(reading, cursors)) readings.push(reading)
  }
  return { readings, messages: [...found.usage.values()], unseen: found.unseen, answer: found.answer() }
})

/** The files that are there, the session's own first. */
const sessionFiles = Effect.fnUntraced(function* (transcriptPath: string, sessionId: string | undefined) {
  if (!path.isAbsolute(transcriptPath) || !/\.jsonl?$/.test(transcriptPath)) return []
  const main = { file: transcriptPath, agentId: undefined }
  if (sessionId === undefined || !/^\w[\w-]{0,120}$/.test(sessionId)) return [main]
  const directory = path.join(path.dirname(transcriptPath), sessionId)
  const disk = yield* Disk
  const names = (yield* isKind(directory, "directory"))
    ? yield* disk.list(directory).pipe(Effect.orElseSucceed((): ReadonlyArray<string> => []))
    : []
  return [
    main,
    ...names
      .filter((name) => /^\w[\w-]{0,120}\.jsonl$/.test(name))
      .map((name) => ({ file: path.join(directory, name), agentId: path.basename(name, ".jsonl") }))
  ]
})

/** Lines of messages begin with their id; the others, of which one may repeat all, need not be parsed. */
const isMessageLine = (line: Buffer): boolean => line[0] === 0x7b && !line.subarray(0, 16).includes('"$')

// An older session file is read as a whole: one that is larger is not read.
const mostDocumentBytes = 16 * 1024 * 1024

/** Reads a session that is one document. Its cursor is the time in milliseconds of the last message with usage. */
const readDocument = Effect.fnUntraced(function* (name: string, file: string, from: number, found: Findings) {
  const disk = yield* Disk
  const status = yield* disk.status(file).pipe(Effect.orElseSucceed(() => undefined))
  if (status?.kind !== "file" || status.size > mostDocumentBytes) return undefined
  const bytes = yield* disk.readFile(file).pipe(Effect.orElseSucceed(() => undefined))
  const session = bytes === undefined ? undefined : parseLine(bytes)
  if (!isObject(session) || !Array.isArray(session.messages)) return undefined
  let end = from
  for (const message of session.messages) {
    const time = isObject(message) && typeof message.timestamp === "string" ? Date.parse(message.timestamp) : Number.NaN
    found.message(message, undefined, time <= from)
    if (time > end && isObject(message) && tokensOf(message.tokens) !== undefined) end = time
  }
  return { name, start: from, end, more: false } satisfies FileReading
})

/** What the messages of one reading tell, in the order that they stand in. */
class Findings {
  readonly usage = new Map<string, MessageUsage>()
  readonly unseen: Array<DraftEvent> = []
  readonly #sinceMs: number
  /** The model's last message after the last prompt. */
  #last: { readonly text: string; readonly callsTools: boolean } | undefined

  constructor(sinceMs: number) {
    this.#sinceMs = sinceMs
  }

  /** Takes a message in. One that is `known` counts for the answer only: it was read before. */
  message(message: unknown, agentId: string | undefined, known = false): void {
    if (!isObject(message) || typeof message.id !== "string") return
    if (message.type === "user" && agentId === undefined && isPrompt(message.content)) this.#last = undefined
    if (message.type !== "gemini") return
    const callsTools = Array.isArray(message.toolCalls) && message.toolCalls.length > 0
    if (agentId === undefined) this.#last = { text: textOf(message.content), callsTools }
    const time = typeof message.timestamp === "string" ? message.timestamp : undefined
    // A session that is forked from another begins with the messages of that one.
    if (known || (time !== undefined && Date.parse(time) < this.#sinceMs)) return
    for (const event of unseenCalls(message.toolCalls)) {
      if (!this.unseen.some((other) => sameIdentity(other, event))) this.unseen.push(event)
    }
    const tokens = tokensOf(message.tokens)
    if (tokens === undefined) return
    this.usage.set(message.id, {
      message_id: message.id,
      ...(typeof message.model === "string" ? { model: message.model } : {}),
      ...(time === undefined ? {} : { time }),
      ...(agentId === undefined ? {} : { agent_id: agentId }),
      ...tokens
    })
  }

  /** The text of the turn's last message; undefined when it is not in the file yet, for a message that calls tools is not the last. */
  answer(): string | undefined {
    return this.#last === undefined || this.#last.callsTools ? undefined : this.#last.text
  }
}

const sameIdentity = (a: DraftEvent, b: DraftEvent): boolean =>
  a.identity.length === b.identity.length && a.identity.every((part, index) => part === b.identity[index])

/** What the user or a hook said, not what a tool answered nor what the agent says about itself. */
const isPrompt = (content: unknown): boolean => {
  const parts: ReadonlyArray<unknown> = Array.isArray(content) ? content : [content]
  if (parts.some((part) => isObject(part) && part.functionResponse !== undefined)) return false
  const text = textOf(content)
  return text !== "" && !text.startsWith("<session_context>")
}

/** Text, or a list of parts, some of which are thoughts or calls. */
const textOf = (content: unknown): string => {
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return ""
  return content
    .map((part) => (isObject(part) && typeof part.text === "string" && part.thought !== true ? part.text : ""))
    .join("")
}

/**
 * The counts of one message in the names of the archive; undefined when it counts nothing. `input` includes what was read from the cache,
 * and what the agent's own tools used is counted apart; thoughts are apart from `output` and added to it here, as other providers do.
 */
const tokensOf = (tokens: unknown): Tokens | undefined => {
  if (!isObject(tokens)) return undefined
  const count = (name: string): number => {
    const value = tokens[name]
    return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : 0
  }
  const cached = Math.min(count("cached"), count("input"))
  const counts = {
    input_tokens: count("input") - cached + count("tool"),
    cache_read_input_tokens: cached,
    output_tokens: count("output") + count("thoughts"),
    reasoning_output_tokens: count("thoughts"),
    total_tokens: count("total")
  }
  return Object.values(counts).some((value) => value > 0) ? counts : undefined
}
