import * as path from "node:path"
import * as Effect from "effect/Effect"
import { Disk } from "../platform/Disk.ts"
import type { ProviderMemory, TranscriptMessage } from "./ProviderMemory.ts"
import { isKind, parseLine } from "./transcriptLines.ts"

const firstBytes = 64 * 1024
const mostBytes = 4 * 1024 * 1024
const newline = 0x0a

/**
 * The last messages of a transcript, oldest first. Reads from its end, more and more, until it has them or 4 MiB.
 *
 * @param transcriptPath from the payload, so any text: only an absolute path of a regular `.jsonl` file is read, no link is followed
 */
export const lastMessages = Effect.fnUntraced(function* (
  transcriptPath: string | undefined,
  count: number,
  memory: Pick<ProviderMemory, "messageOf">
) {
  const none: ReadonlyArray<TranscriptMessage> = []
  if (transcriptPath === undefined || !path.isAbsolute(transcriptPath)) return none
  if (path.extname(transcriptPath) !== ".jsonl" || !(yield* isKind(transcriptPath, "file"))) return none
  const disk = yield* Disk
  return yield* disk
    .withFile(
      transcriptPath,
      "read",
      Effect.fnUntraced(function* (file) {
        const size = yield* file.size
        for (let length = firstBytes; ; length *= 4) {
          const start = Math.max(0, size - length)
          const bytes = yield* file.read(start, size - start)
          // A line that the reading begins in the middle of is left out.
          const from = start === 0 ? 0 : bytes.indexOf(newline) + 1
          const messages = messagesIn(bytes.subarray(from), memory)
          const enough = messages.length >= count && messages.some(({ role }) => role === "user")
          if (enough || start === 0 || length >= mostBytes) return messages.slice(-count)
        }
      })
    )
    .pipe(Effect.orElseSucceed(() => none))
})

const messagesIn = (bytes: Buffer, memory: Pick<ProviderMemory, "messageOf">): ReadonlyArray<TranscriptMessage> => {
  const messages: Array<TranscriptMessage> = []
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(newline, at)
    const stop = end < 0 ? bytes.length : end
    const message = memory.messageOf(parseLine(bytes.subarray(at, stop)))
    const last = messages.at(-1)
    // A message may come in several lines, one for each of its blocks, or be written again as it grows.
    if (message !== undefined && last?.role === message.role) {
      messages[messages.length - 1] = { role: message.role, text: joined(last.text, message.text) }
    } else if (message !== undefined) messages.push(message)
    at = stop + 1
  }
  return messages
}

const joined = (before: string, after: string): string =>
  after.startsWith(before) ? after : before.endsWith(after) ? before : `${before}\n${after}`
