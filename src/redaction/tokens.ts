import { alnum, base64, isIn, tokenSign } from "./characterClasses.ts"
import { unlikelyPairs } from "./letterPairs.ts"
import { isWordy } from "./literals.ts"
import type { Scan } from "./scan.ts"
import type { Span } from "./spans.ts"
import {
  anchorsOf,
  type FormatPart,
  formatTable,
  lineAt,
  linesOfComposed,
  type Run,
  readComposed,
  readFormat
} from "./tokenFormats.ts"

/** A format ready to match: what to search for, what stands before it, what follows. */
interface Matcher {
  readonly id: string
  readonly before: ReadonlyArray<FormatPart>
  readonly after: ReadonlyArray<FormatPart>
  readonly flags: string
  /** The single run after a prefix long enough to be told from ordinary text: its body may be cut short by the end of the text. */
  readonly cuttable: boolean
}

/**
 * The texts that the formats are searched by, chained by their first two characters: one may be the beginning of a longer one. Numbers in arrays, because
 * four hundred objects would take a fifth of a first scan to make.
 */
interface Anchors {
  /** For each pair of ASCII characters the number of its first anchor; 0 where there is none. */
  readonly first: Uint16Array
  /** By the number of an anchor: the next one with its pair. */
  readonly next: Array<number>
  /** Its third character, a space where there is none: most anchors of a chain are ruled out by that. */
  readonly thirds: Array<number>
  /** Where it stands in the table of formats; of a composed format the row, below 0. */
  readonly places: Array<number>
  /** The text of an anchor that is not in that table. */
  readonly texts: Array<string | undefined>
}

const space = 32

/** Chains the anchor at `at` of the text. */
const chain = ({ first, next, thirds, places }: Anchors, text: string, at: number, place: number): number => {
  const pair = (text.charCodeAt(at) << 7) | text.charCodeAt(at + 1)
  const number = next.length
  next[number] = first[pair] || 0
  thirds[number] = text.length === 2 ? space : text.charCodeAt(at + 2)
  places[number] = place
  first[pair] = number
  return number
}

/**
 * A table, and no regular expression of 447 words: to compile that one costs more than everything else in a first scan, and the table is as fast
 * over a long text.
 */
const chainAnchors = (): Anchors => {
  const anchors: Anchors = { first: new Uint16Array(128 * 128), next: [0], thirds: [0], places: [0], texts: [""] }
  for (let at = 1; at < formatTable.length; at = formatTable.indexOf("\n", at) + 1) {
    // A colon parts the prefixes from the rest.
    do {
      chain(anchors, formatTable, at, at)
      at = formatTable.indexOf(" ", at) + 1
    } while (formatTable.charCodeAt(at) !== 58)
  }
  const rows = linesOfComposed()
  for (let row = 0; row < rows.length; row++)
    for (const literal of anchorsOf(rows[row] ?? "")) anchors.texts[chain(anchors, literal, 0, -1 - row)] = literal
  return anchors
}

/** Made at the first use: a run that has no text to scan does not pay for it. */
let chained: Anchors | undefined

/** The length of the anchor when it stands at `at` of the text, else 0. Few do, so that none is cut from the table to be compared. */
const lengthAt = ({ texts, places }: Anchors, number: number, text: string, at: number): number => {
  const known = texts[number]
  if (known !== undefined) return text.startsWith(known, at) ? known.length : 0
  const place = places[number] ?? 0
  // The first two characters led here.
  let length = 2
  for (let code = formatTable.charCodeAt(place + 2); code !== space; code = formatTable.charCodeAt(place + ++length))
    if (code !== text.charCodeAt(at + length)) return 0
  return length
}

const makeMatcher = (text: string, place: number): Matcher | undefined => {
  if (place >= 0) {
    const { id, characters, min, max, flags } = readFormat(lineAt(place))
    const cuttable = max === Number.POSITIVE_INFINITY && text.length >= 4 && !flags.includes("s")
    return { id, before: [], after: [{ characters, min, max }], flags, cuttable }
  }
  const { id, anchor, parts, flags } = readComposed(linesOfComposed()[-1 - place] ?? "")
  return { id, before: parts.slice(0, anchor), after: parts.slice(anchor + 1), flags, cuttable: false }
}

/** By the number of an anchor; made when it is met, because a text has few of them. */
const matchers: Array<Matcher | undefined> = []

/** Six more characters of a token stand behind an anchor, which few words have; behind some prefixes signs of all kinds may. */
const isFollowed = (text: string, from: number, place: number): boolean => {
  for (let at = from; at < from + 6; at++) if (!isIn(text.charCodeAt(at), tokenSign)) return takesAnySign(place)
  return true
}

const takesAnySign = (place: number): boolean => {
  if (place < 0) return false
  const line = lineAt(place)
  return line.includes(" django ") || line.includes(" uri ")
}

const isRun = (part: FormatPart): part is Run => "characters" in part

/** Letters and digits only, and few of them: base64 holds such a prefix by chance. */
const isAmbiguous = (anchor: string): boolean => {
  if (anchor.length > 4) return false
  for (let i = 0; i < anchor.length; i++) if (!isIn(anchor.charCodeAt(i), alnum)) return false
  return true
}

/** Whether what stands to the left is the middle of base64, not a path. */
const insideBase64 = (text: string, at: number): boolean => {
  const before = text.slice(Math.max(0, at - 28), at)
  return /^[A-Za-z0-9+/]{28}$/.test(before) && /\d/.test(before) && /[A-Z]/.test(before)
}

/** Whether what stands to the left of `-` or `_` at the end is the beginning of a digest: `sha256=qaN-`. */
const insideDigest = (text: string, at: number): boolean =>
  /(?:sha\d{1,3}|h1|integrity)[=:-][\w-]{0,80}$/.test(text.slice(Math.max(0, at - 96), at))

/** Whether a token may begin at `at`: not in the middle of a word, where escapes (`\n`), `%3D` and ANSI colours are no words. */
const boundaryBefore = (text: string, at: number, flags: string, anchor: string): boolean => {
  if (at === 0 || flags.includes("a")) return true
  const code = text.charCodeAt(at - 1)
  // A path may end in a token, but not in one whose prefix is two characters.
  const strict = flags.includes("s")
  if (strict && (code === 46 || code === 95 || code === 45 || code === 36 || (code === 47 && anchor.length <= 2)))
    return false
  if ((code === 45 || code === 95) && anchor.length <= 3 && insideDigest(text, at)) return false
  if (!isIn(code, alnum)) return !isAmbiguous(anchor) || (code !== 43 && code !== 47) || !insideBase64(text, at)
  // Most letters before an anchor belong to a word: an escape has its sign one to five characters back.
  const before = text.slice(Math.max(0, at - 12), at)
  if (!before.includes("\\") && !before.includes("%") && !before.includes("[")) return false
  return /(?:\\[nrtbfv0]|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|\x1b\[[0-9;]*m|\\u001b\[[0-9;]*m|\\033\[[0-9;]*m)$/.test(
    before
  )
}

const matchForward = (scan: Scan, from: number, parts: ReadonlyArray<FormatPart>, index: number): number => {
  const { text } = scan
  let at = from
  for (let i = index; i < parts.length; i++) {
    const part = parts[i]
    if (part === undefined) return -1
    if (isRun(part)) {
      const end = scan.runEnd(at, part.characters)
      if (end - at < part.min) return -1
      const last = i === parts.length - 1
      if (end - at > part.max) {
        if (last) return -1
        at += part.max
      } else at = end
    } else {
      const fit = part.find((choice) => text.startsWith(choice, at))
      if (fit === undefined) return -1
      at += fit.length
    }
  }
  return at
}

const matchBackward = (text: string, from: number, parts: ReadonlyArray<FormatPart>): number => {
  let at = from
  for (let i = parts.length - 1; i >= 0; i--) {
    const part = parts[i]
    if (part === undefined) return -1
    if (isRun(part)) {
      const longest = Math.min(part.max, 256)
      let length = 0
      while (length < longest && at - length > 0 && isIn(text.charCodeAt(at - length - 1), part.characters)) length++
      if (length < part.min) return -1
      at -= length
    } else {
      const fit = part.find((choice) => text.endsWith(choice, at) && at >= choice.length)
      if (fit === undefined) return -1
      at -= fit.length
    }
  }
  return at
}

const cutMark = /^(?:\s*$|…|\.{3}|\s*(?:\.{3}|…|\[|<|\()\s*[^\n]{0,24}(?:truncated|omitted|cut|more))/i

const maskRun = /(.)\1{7}/

/** Half of it or more one character: the zeros of a file in base64, a mask. */
const isMonotonous = (shown: string): boolean => {
  if (shown.length < 24) return false
  const first = shown.charCodeAt(shown.length >> 1)
  let same = 0
  for (let at = 0; at < shown.length; at++) if (shown.charCodeAt(at) === first) same++
  return 2 * same >= shown.length
}

const holdsWhatIsAsked = (body: string, flags: string): boolean => {
  const shown = body.length > 96 ? body.slice(0, 96) : body
  if (flags.includes("d") && !/\d/.test(shown)) return false
  if (flags.includes("u") && !/[A-Z]/.test(shown)) return false
  if (flags.includes("l") && !/[a-z]/.test(shown)) return false
  if (flags.includes("w")) return true
  if (isMonotonous(shown)) return false
  // A short mixed body may read like camelCase with a number in it.
  if (shown.length < 12 && /\d/.test(shown) && /[A-Z]/.test(shown)) return true
  const isWord = !flags.includes("c") && isWordy(shown) && unlikelyPairs(shown) < 0.35
  return !isWord && !(maskRun.test(shown) && shown.length < 64)
}

const padded = (text: string, end: number): number => {
  let at = end
  while (at < end + 3 && text.charCodeAt(at) === 61) at++
  if (at === end) while (at < end + 9 && text.startsWith("%3D", at)) at += 3
  return at
}

const tryFormat = (scan: Scan, at: number, anchor: string, format: Matcher): readonly [number, number] | undefined => {
  const { text } = scan
  const start = format.before.length === 0 ? at : matchBackward(text, at, format.before)
  const ambiguous = format.before.length === 0 && isAmbiguous(anchor)
  if (start === -1 || !boundaryBefore(text, start, format.flags, format.before.length === 0 ? anchor : "________"))
    return undefined
  const bodyStart = at + anchor.length
  let end = matchForward(scan, bodyStart, format.after, 0)
  if (end === -1) {
    if (!format.cuttable) return undefined
    // Behind a word such as `token_` stand the ids of objects as well.
    const body = format.after[0]
    if (body === undefined || !isRun(body)) return undefined
    end = scan.runEnd(bodyStart, body.characters)
    if (end - bodyStart < (format.id === "generic-token" ? 16 : 8) || !cutMark.test(text.slice(end, end + 48)))
      return undefined
  }
  const body = text.slice(format.before.length === 0 ? bodyStart : start, end)
  if (!holdsWhatIsAsked(body, format.flags)) return undefined
  if (format.flags.includes("=")) end = padded(text, end)
  const bounded = format.after.some((part) => isRun(part) && part.max !== Number.POSITIVE_INFINITY)
  if (bounded && isIn(text.charCodeAt(end), ambiguous ? base64 : alnum)) return undefined
  return [start, end]
}

/** Of the tokens that have an anchor of this chain at a place the longest, which may begin before it. */
const longestToken = (scan: Scan, at: number, anchors: Anchors, chain: number): Span | undefined => {
  const { text } = scan
  const { next, thirds, places } = anchors
  const third = text.charCodeAt(at + 2)
  let longest: Span | undefined
  // What stands last in the tables comes first: of two that are as long the one that is asked later counts.
  for (let number = chain; number !== 0; number = next[number] || 0) {
    if (thirds[number] !== third && thirds[number] !== space) continue
    const length = lengthAt(anchors, number, text, at)
    if (length === 0) continue
    const place = places[number] ?? 0
    if (!isFollowed(text, at + length, place)) continue
    const anchor = text.slice(at, at + length)
    matchers[number] ??= makeMatcher(anchor, place)
    const matcher = matchers[number]
    if (matcher === undefined) continue
    scan.work.left -= 128
    const found = tryFormat(scan, at, anchor, matcher)
    if (found !== undefined && (longest === undefined || found[1] >= longest.end))
      longest = { start: found[0], end: found[1], rule: matcher.id }
  }
  return longest
}

/** Finds credentials that say themselves what they are. */
export const scanTokens = (scan: Scan): void => {
  const { text } = scan
  chained ??= chainAnchors()
  const anchors = chained
  const { first } = anchors
  let code = text.charCodeAt(0)
  for (let at = 1; at < text.length; at++) {
    const before = code
    code = text.charCodeAt(at)
    // A character beyond ASCII finds nothing, or other anchors.
    const chain = first[(before << 7) | code] || 0
    if (chain === 0) continue
    const found = longestToken(scan, at - 1, anchors, chain)
    if (scan.work.left < 0) return
    if (found === undefined) continue
    scan.add(found.start, found.end, found.rule)
    at = found.end
    code = text.charCodeAt(at)
  }
}
