import type { TranscriptLine } from "./transcript.ts"

/** A part of a session that one request carries. */
export interface Chunk {
  readonly lines: ReadonlyArray<TranscriptLine>
  /** Sequence up to which the session is dealt with when this chunk is. */
  readonly through: number
}

export interface ChunkLimits {
  /** Bytes of text in one request: about 100,000 tokens, which fits every model that the agents offer and leaves room to answer. */
  readonly chunkBytes: number
  readonly chunks: number
  /** Bytes of text in one run. */
  readonly runBytes: number
}

export const usualLimits: ChunkLimits = { chunkBytes: 400_000, chunks: 3, runBytes: 2_000_000 }

/**
 * Cuts a session into requests, from its beginning: what was decided first is never what is dropped. What does not fit into one run is left for
 * the next, which goes on behind `through`.
 *
 * A line that was there before says nothing new and is left out, as agents report one message in several ways.
 */
export class Chunker {
  private readonly limits: ChunkLimits
  private readonly made: Array<Chunk> = []
  private readonly seen = new Set<string>()
  private lines: Array<TranscriptLine> = []
  private bytes = 0
  private runBytes = 0
  private through = 0
  private full = false

  constructor(limits: ChunkLimits = usualLimits) {
    this.limits = limits
  }

  /** An event without a text moves the end of the chunk that it follows. */
  add(sequence: number, timestamp: string, text: string | undefined): void {
    if (this.full) return
    if (text === undefined || this.seen.has(text)) {
      this.through = Math.max(this.through, sequence)
      return
    }
    const size = Buffer.byteLength(text) + 1
    if (this.lines.length > 0 && this.bytes + size > this.limits.chunkBytes) this.close()
    if (this.made.length >= this.limits.chunks || this.runBytes + size > this.limits.runBytes) {
      this.full = true
      return
    }
    this.seen.add(text)
    this.lines.push({ sequence, timestamp, text })
    this.bytes += size
    this.runBytes += size
    this.through = Math.max(this.through, sequence)
  }

  private close(): void {
    if (this.lines.length > 0) this.made.push({ lines: this.lines, through: this.through })
    this.lines = []
    this.bytes = 0
  }

  /** The chunks of this run, and whether there is more for another. */
  finish(): { readonly chunks: ReadonlyArray<Chunk>; readonly more: boolean; readonly through: number } {
    this.close()
    return { chunks: this.made, more: this.full, through: this.through }
  }
}
