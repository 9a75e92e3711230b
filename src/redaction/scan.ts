import { base64url, type CharacterClass, classesOf, isIn } from "./characterClasses.ts"
import { findNames } from "./nameHits.ts"
import { Pieces } from "./pieces.ts"
import type { Span } from "./spans.ts"

/** Work that a scan may still do, in visited characters. It is shared by all leaves of an event, and never given back. */
export interface WorkBudget {
  left: number
}

const unusual =
  /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u00ad\u00f6\u0142\u015e\u015f\u0370-\u180e\u200b-\u200f\u202a-\u206f\u3000-\ud7ff\uf900-\uffff]/

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
  /** Where the last object ended whose fields were read. */
  membersEnd = 0
  private narrow: string | undefined
  private lower: string | undefined
  private unusual: boolean | undefined
  private namesFound: ReadonlyArray<number> | undefined
  private denseText: Pieces | undefined
  private runsFound: ReadonlyArray<readonly [start: number, end: number]> | undefined
  private readonly runs = new Map<CharacterClass, [start: number, end: number]>()

  constructor(text: string, work: WorkBudget) {
    this.text = text
    this.work = work
  }

  /**
   * The text with one byte a character. One arrow makes a text two bytes wide, and the engine searches that two to six times slower: it compares four
   * characters at once in the one, two in the other. Characters beyond Latin-1 become others, so what is found here is looked up in the text.
   */
  private narrowText(): string {
    this.narrow ??= Buffer.from(this.text, "latin1").toString("latin1")
    return this.narrow
  }

  /**
   * Whether the text may hold an ASCII literal. False is sure; true may come from other characters with the same low byte.
   *
   * The first character of the literal is searched for before the rest is compared: a rare one is found several times as fast as a small letter.
   */
  mayHold(literal: string): boolean {
    return this.narrowText().includes(literal)
  }

  /** Whether the text may match a pattern of ASCII characters; true may be wrong as well. */
  mayMatch(pattern: RegExp): boolean {
    return pattern.test(this.narrowText())
  }

  /**
   * Whether the text may hold what ordinary text has not: control characters, letters of other scripts and such of Europe, what is not seen. False is sure, and
   * told by one class of few ranges; signs such as dashes, arrows and emoji are not among them.
   */
  mayHoldUnusual(): boolean {
    this.unusual ??= unusual.test(this.text)
    return this.unusual
  }

  /** The text as it is searched where case does not matter: in lower case, one byte a character, each at its place. */
  lowerText(): string {
    this.lower ??= this.narrowText().toLowerCase()
    return this.lower
  }

  /** The next match of a global pattern that only matches ASCII: a class such as `[^x]` belongs into a lookahead. */
  next(pattern: RegExp): RegExpExecArray | null {
    const narrow = this.narrowText()
    for (let hit = pattern.exec(narrow); hit !== null; hit = pattern.exec(narrow)) {
      if (this.text.startsWith(hit[0], hit.index)) return hit
      pattern.lastIndex = hit.index + 1
    }
    return null
  }

  /** The next match of a global pattern, written in lower case, whatever the case of the text. Without the flag for that: it triples the cost to compile. */
  nextInAnyCase(pattern: RegExp): RegExpExecArray | null {
    const lower = this.lowerText()
    for (let hit = pattern.exec(lower); hit !== null; hit = pattern.exec(lower)) {
      if (this.text.slice(hit.index, hit.index + hit[0].length).toLowerCase() === hit[0]) return hit
      pattern.lastIndex = hit.index + 1
    }
    return null
  }

  /** The places that sensitive names may have: for each the start of the telling piece and the end of the name. */
  names(): ReadonlyArray<number> {
    this.namesFound ??= findNames(this.text, this.lowerText())
    return this.namesFound
  }

  /** The runs of at least 16 letters, digits, `_` and `-`: where anything that is no word may be. */
  longRuns(): ReadonlyArray<readonly [start: number, end: number]> {
    this.runsFound ??= findLongRuns(this.text, this.narrowText())
    return this.runsFound
  }

  /**
   * The surroundings of the long runs, one under the other, as a text of its own: a tenth of an ordinary text, and every token is in it.
   */
  dense(): Pieces {
    this.denseText ??= gather(this.text, this.longRuns())
    return this.denseText
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

const margin = 80

const gather = (text: string, runs: ReadonlyArray<readonly [start: number, end: number]>): Pieces => {
  const dense = new Pieces()
  const add = (from: number, to: number) => {
    dense.add(text.slice(from, to), from)
    dense.add("\n\n", to, 0)
  }
  let from = 0
  let to = -1
  for (const [start, end] of runs) {
    if (start - margin > to || to === -1) {
      if (to !== -1) add(from, to)
      from = Math.max(0, start - margin)
    }
    to = Math.min(text.length, end + margin)
  }
  if (to !== -1) add(from, to)
  return dense
}

const isRunCharacter = (code: number): boolean => isIn(code, base64url)

const shortestRun = 16
// Written out, because a counted repetition is slower.
const longRun = new RegExp(`${"[\\w-]".repeat(shortestRun)}[\\w-]*`, "g")

const findLongRuns = (text: string, narrow: string): ReadonlyArray<readonly [start: number, end: number]> => {
  const found: Array<readonly [start: number, end: number]> = []
  longRun.lastIndex = 0
  for (let hit = longRun.exec(narrow); hit !== null; hit = longRun.exec(narrow)) {
    const end = hit.index + hit[0].length
    if (text.startsWith(hit[0], hit.index)) found.push([hit.index, end])
    else addRunsBetween(found, text, hit.index, end)
  }
  return found
}

/** Other characters are among a run of the narrow text: what is left between those may still be long. */
const addRunsBetween = (
  found: Array<readonly [start: number, end: number]>,
  text: string,
  from: number,
  end: number
) => {
  let start = from
  for (let at = start; at <= end; at++) {
    if (at < end && isRunCharacter(text.charCodeAt(at))) continue
    if (at - start >= shortestRun) found.push([start, at])
    start = at + 1
  }
}
