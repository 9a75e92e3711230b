import { base64url, type CharacterClass, classesOf } from "./characterClasses.ts"
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
  private runsFound: ReadonlyArray<readonly [start: number, end: number]> | undefined
  private readonly runs = new Map<CharacterClass, [start: number, end: number]>()

  constructor(text: string, work: WorkBudget) {
    this.text = text
    this.work = work
  }

  /**
   * The runs of at least 16 letters, digits, `_` and `-`: where anything that is no word may be. One look every 16 characters meets each of them,
   * which costs a seventh of looking at every character.
   */
  longRuns(): ReadonlyArray<readonly [start: number, end: number]> {
    this.runsFound ??= findLongRuns(this.text)
    return this.runsFound
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

const probeStep = 16

const findLongRuns = (text: string): ReadonlyArray<readonly [start: number, end: number]> => {
  const found: Array<readonly [start: number, end: number]> = []
  const { length } = text
  let done = 0
  for (let at = probeStep - 1; at < length; at += probeStep) {
    let code = text.charCodeAt(at)
    if (code > 127 || ((classesOf[code] ?? 0) & base64url) === 0) continue
    let start = at
    while (start > done) {
      code = text.charCodeAt(start - 1)
      if (code > 127 || ((classesOf[code] ?? 0) & base64url) === 0) break
      start--
    }
    let end = at + 1
    while (end < length) {
      code = text.charCodeAt(end)
      if (code > 127 || ((classesOf[code] ?? 0) & base64url) === 0) break
      end++
    }
    if (end - start >= probeStep) {
      found.push([start, end])
      done = end
      at = end - 1
    }
  }
  return found
}
