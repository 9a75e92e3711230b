import { type CharacterClass, classesOf } from "./characterClasses.ts"
import type { Span } from "./spans.ts"

/** Work that a scan may still do, in visited characters. It is shared by all leaves of an event, and never given back. */
export interface WorkBudget {
  left: number
}

/**
 * One text being scanned: what the recognisers share.
 *
 * The ends of character runs are remembered per class. Without that, a text that repeats a token prefix is scanned once per repetition, to
 * its end each time.
 */
export class Scan {
  readonly text: string
  readonly spans: Array<Span> = []
  readonly work: WorkBudget
  private readonly runs = new Map<CharacterClass, [start: number, end: number]>()

  constructor(text: string, work: WorkBudget) {
    this.text = text
    this.work = work
  }

  /** Marks a piece for redaction. */
  add(start: number, end: number, rule: string): void {
    if (end > start) this.spans.push({ start, end, rule })
  }

  /** Where the run of `characters` that holds `at` ends; `at` itself when the character there is of another class. */
  runEnd(at: number, characters: CharacterClass): number {
    const known = this.runs.get(characters)
    if (known !== undefined && at >= known[0] && at < known[1]) return known[1]
    const { text } = this
    let end = at
    for (let code = text.charCodeAt(end); code < 128; code = text.charCodeAt(++end)) {
      if (((classesOf[code] ?? 0) & characters) === 0) break
    }
    this.work.left -= end - at
    if (known === undefined) this.runs.set(characters, [at, end])
    else {
      known[0] = at
      known[1] = end
    }
    return end
  }
}
