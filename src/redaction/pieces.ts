import { lastNotAbove } from "../domain/lastNotAbove.ts"
import type { Span } from "./spans.ts"

/** A text that is put together from pieces of another, and the way back. */
export class Pieces {
  text = ""
  private readonly newAt: Array<number> = []
  private readonly originalAt: Array<number> = []
  private readonly originalLengths: Array<number> = []

  /**
   * Adds a piece at the end.
   *
   * @param originalAt where it stands in the other text
   * @param originalLength how long what it stands for is there
   */
  add(piece: string, originalAt: number, originalLength = piece.length): void {
    if (piece === "") return
    this.newAt.push(this.text.length)
    this.originalAt.push(originalAt)
    this.originalLengths.push(originalLength)
    this.text += piece
  }

  /**
   * The span of the other text from the same first to the same last character, with all that stands between them there. Where the pieces have another
   * order there, it is rather too long than too short.
   */
  toOriginal({ start, end, rule }: Span): Span {
    const first = lastNotAbove(this.newAt, start)
    const last = lastNotAbove(this.newAt, end - 1)
    const from = (this.originalAt[first] ?? 0) + start - (this.newAt[first] ?? 0)
    const original = this.originalAt[last] ?? 0
    const isLastOfPiece = end === (this.newAt[last + 1] ?? this.text.length)
    const to = original + (isLastOfPiece ? (this.originalLengths[last] ?? 0) : end - (this.newAt[last] ?? 0))
    return from < to
      ? { start: from, end: to, rule }
      : { start: original, end: (this.originalAt[first] ?? 0) + (this.originalLengths[first] ?? 0), rule }
  }
}
