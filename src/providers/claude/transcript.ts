import * as path from "node:path"
import * as Effect from "effect/Effect"
import type { MessageUsage } from "../../domain/event.ts"
import { isObject } from "../../domain/jsonObject.ts"
import { CurrentDeadline } from "../../platform/Deadline.ts"
import { Disk } from "../../platform/Disk.ts"
import type { TranscriptReading } from "../ProviderAdapter.ts"
import {
  type FileReading,
  isKind,
  isNews,
  isOver,
  parseLine,
  readNewLines,
  unread,
  usageDrafts
} from "../transcriptLines.ts"
import { tokensOf } from "./tokens.ts"

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
        if (isOver(deadline)) {
          readings.push(...unread(name, readings, cursors))
          continue
        }
        const from = cursors.find((cursor) => cursor.file === name)?.offset ?? 0
        const agentId = /^agent-(.*)\.jsonl$/.exec(name)?.[1]
        const visit = (line: Buffer): void => {
          const message = messageOf(line, sinceMs, agentId)
          if (message !== undefined) messages.set(message.message_id, message)
        }
        const reading = yield* readNewLines(name, file, from, deadline, visit)
        if (reading !== undefined && isNews(reading, cursors)) readings.push(reading)
      }
      return usageDrafts({
        source: "claude-transcript",
        messages: [...messages.values()],
        readings,
        before: cursors,
        turnId
      })
    })

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

/** One line's message; undefined for every other kind of line, of which there are many. */
const messageOf = (line: Buffer, sinceMs: number, fileAgentId: string | undefined): MessageUsage | undefined => {
  // Most of a transcript is prompts, tool output and requests: parsed only for what it needs.
  if (!line.includes('"assistant"') || !line.includes('"usage"')) return undefined
  const entry = parseLine(line)
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
