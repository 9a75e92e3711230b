import { termsOf } from "../terms.ts"
import type { Candidate } from "./contract.ts"
import { noteText } from "./gates.ts"
import type { TranscriptLine } from "./transcript.ts"

/** Events that a note cites at most. */
const mostCited = 5
/** Share of the note's words, by weight, that an event has to add to be cited. */
const leastShare = 0.1

export interface Citation {
  readonly events: ReadonlyArray<number>
  /** Whether the events hold the note's words. */
  readonly grounded: boolean
}

/**
 * Finds the events that notes come from, by their words: an agent is not asked where it read something, since it could say anything. Words that
 * few events have count for more. Where no event fits, all that the agent was shown are cited, by the first and the last.
 */
export class Citations {
  private readonly lines: ReadonlyArray<{ readonly sequence: number; readonly terms: ReadonlySet<string> }>
  private readonly frequency = new Map<string, number>()

  constructor(lines: ReadonlyArray<TranscriptLine>) {
    this.lines = lines.map(({ sequence, text }) => ({ sequence, terms: new Set(termsOf(text)) }))
    for (const { terms } of this.lines) {
      for (const term of terms) this.frequency.set(term, (this.frequency.get(term) ?? 0) + 1)
    }
  }

  of(candidate: Candidate): Citation {
    const open = new Set(termsOf(`${noteText(candidate)}\n${candidate.tags.join("\n")}`))
    const weight = (term: string) =>
      Math.log(1 + this.lines.length / (this.frequency.get(term) ?? this.lines.length + 1))
    const whole = [...open].reduce((sum, term) => sum + weight(term), 0)
    const cited: Array<number> = []
    while (cited.length < mostCited) {
      let best: (typeof this.lines)[number] | undefined
      let most = whole * leastShare
      for (const line of this.lines) {
        let gain = 0
        for (const term of open) if (line.terms.has(term)) gain += weight(term)
        // The first of equals: where something was said, and not where it was said again.
        if (gain > most) [best, most] = [line, gain]
      }
      if (best === undefined) break
      cited.push(best.sequence)
      for (const term of best.terms) open.delete(term)
    }
    if (cited.length > 0) return { events: cited.sort((a, b) => a - b), grounded: true }
    const ends = [this.lines[0]?.sequence, this.lines.at(-1)?.sequence].filter((one) => one !== undefined)
    return { events: [...new Set(ends)], grounded: false }
  }
}
