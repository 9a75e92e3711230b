import * as Effect from "effect/Effect"
import type { DraftEvent } from "../domain/event.ts"
import { Disk, type DiskError } from "../platform/Disk.ts"

/** What a transcript says of its session. */
export interface TranscriptFacts {
  readonly sessionId: string | undefined
  readonly version: string | undefined
  readonly cwd: string | undefined
  readonly branch: string | undefined
}

/**
 * Reads a provider's own record of a session from its first line to its last: prompts, answers, tool calls and usage, as the hooks would have told
 * them. For imports, and to hold a record against it; a hook never does this.
 */
export interface WholeTranscriptReader {
  readonly line: (bytes: Buffer) => ReadonlyArray<DraftEvent>
  readonly end: () => ReadonlyArray<DraftEvent>
  readonly facts: () => TranscriptFacts
}

const chunkBytes = 1024 * 1024
const newline = 0x0a
/** A line longer than this is stepped over: no message is so long. */
const longestLine = 64 * 1024 * 1024

/** Hands every line of a file to `visit`, the last one too where its newline is missing; `flush` runs after each piece that was read. */
export const eachLine = Effect.fnUntraced(function* <E = never, R = never>(
  path: string,
  visit: (line: Buffer) => void,
  flush: Effect.Effect<void, E, R>
) {
  const disk = yield* Disk
  yield* disk.withFile(path, "read", (file) =>
    Effect.gen(function* (): Generator<Effect.Effect<unknown, DiskError | E, R>, void, never> {
      let unfinished: Array<Buffer> = []
      let length = 0
      for (let position = 0; ; ) {
        const chunk: Buffer = yield* file.read(position, chunkBytes)
        if (chunk.length === 0) break
        position += chunk.length
        let from = 0
        for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
          if (length <= longestLine) visit(Buffer.concat([...unfinished, chunk.subarray(from, end)]))
          unfinished = []
          length = 0
          from = end + 1
        }
        length += chunk.length - from
        if (length <= longestLine) unfinished.push(chunk.subarray(from))
        else unfinished = []
        yield* flush
      }
      if (length > 0 && length <= longestLine) visit(Buffer.concat(unfinished))
      yield* flush
    })
  )
})
