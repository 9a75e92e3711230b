import { alnum, base64, django, isIn, tokenSign, uri } from "./characterClasses.ts"
import { unlikelyPairs } from "./letterPairs.ts"
import { isWordy } from "./literals.ts"
import type { Scan } from "./scan.ts"
import type { Span } from "./spans.ts"
import { composedFormats, type FormatPart, prefixedFormats, type Run } from "./tokenFormats.ts"

/** A format ready to match: what to search for, what stands before it, what follows. */
interface Matcher {
  readonly id: string
  readonly before: ReadonlyArray<FormatPart>
  readonly after: ReadonlyArray<FormatPart>
  readonly flags: string
  /** The single run after a prefix long enough to be told from ordinary text: its body may be cut short by the end of the text. */
  readonly cuttable: boolean
}

/** A text that a format is searched by. */
interface Anchor {
  readonly text: string
  /** Signs of all kinds may follow it; behind any other there are six more characters of a token, which few words have. */
  readonly punctuated: boolean
  /** Where the tables have its format: positive for a prefixed one, negative for a composed one. */
  readonly row: number
}

/** The anchors by their first two characters: an anchor may be the beginning of a longer one. */
interface AnchorIndex {
  /** For each pair of ASCII characters the number of its bucket; 0 for one that no anchor begins with. */
  readonly bucketNumbers: Uint16Array
  readonly buckets: ReadonlyArray<ReadonlyArray<Anchor>>
}

const literalsOf = (part: FormatPart | undefined): ReadonlyArray<string> =>
  typeof part === "string" ? [part] : Array.isArray(part) ? (part as ReadonlyArray<string>) : []

/**
 * A table, and no regular expression of 447 words: to compile that one costs more than everything else in a first scan, and the table is as fast
 * over a long text.
 */
const indexAnchors = (): AnchorIndex => {
  const bucketNumbers = new Uint16Array(128 * 128)
  const buckets: Array<Array<Anchor>> = [[]]
  const put = (text: string, row: number, punctuated: boolean) => {
    const pair = (text.charCodeAt(0) << 7) | text.charCodeAt(1)
    const bucket = bucketNumbers[pair] || 0
    if (bucket === 0) bucketNumbers[pair] = buckets.push([{ text, row, punctuated }]) - 1
    else buckets[bucket]?.push({ text, row, punctuated })
  }
  // Without destructuring, which takes longer than all the rest when it is not compiled yet.
  prefixedFormats.forEach((format, row) => {
    const prefixes = format[1]
    const punctuated = format[2] === django || format[2] === uri
    if (prefixes.includes(" ")) for (const prefix of prefixes.split(" ")) put(prefix, row, punctuated)
    else put(prefixes, row, punctuated)
  })
  composedFormats.forEach((format, row) => {
    for (const literal of literalsOf(format[2][format[1]])) if (literal !== "") put(literal, -1 - row, false)
  })
  return { bucketNumbers, buckets }
}

/** Made at the first use: a run that has no text to scan does not pay for it. */
let anchorIndex: AnchorIndex | undefined

const makeMatcher = ({ text, row }: Anchor): Matcher | undefined => {
  const prefixed = prefixedFormats[row]
  if (prefixed !== undefined) {
    const [id, , characters, min, max = Number.POSITIVE_INFINITY, flags = ""] = prefixed
    const cuttable = max === Number.POSITIVE_INFINITY && text.length >= 4 && !flags.includes("s")
    return { id, before: [], after: [{ characters, min, max }], flags, cuttable }
  }
  const composed = composedFormats[-1 - row]
  if (composed === undefined) return undefined
  const [id, anchor, parts, flags = ""] = composed
  return { id, before: parts.slice(0, anchor), after: parts.slice(anchor + 1), flags, cuttable: false }
}

const matchers = new Map<Anchor, Matcher | undefined>()

/** Made when the anchor is met: a text has few of them. */
const matcherOf = (anchor: Anchor): Matcher | undefined => {
  const known = matchers.get(anchor)
  if (known !== undefined) return known
  const made = makeMatcher(anchor)
  matchers.set(anchor, made)
  return made
}

const isFollowed = (text: string, from: number): boolean => {
  for (let at = from; at < from + 6; at++) if (!isIn(text.charCodeAt(at), tokenSign)) return false
  return true
}

const isRun = (part: FormatPart): part is Run => typeof part === "object" && "characters" in part

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

/** Whether a token may begin at `at`: not in the middle of a word, where escapes (`\n`), `%3D` and ANSI colours are no words. */
const boundaryBefore = (text: string, at: number, flags: string, anchor: string): boolean => {
  if (at === 0 || flags.includes("a")) return true
  const code = text.charCodeAt(at - 1)
  // A path may end in a token, but not in one whose prefix is two characters.
  const strict = flags.includes("s")
  if (strict && (code === 46 || code === 95 || code === 45 || code === 36 || (code === 47 && anchor.length <= 2)))
    return false
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
      const choices = typeof part === "string" ? [part] : part
      const fit = choices.find((choice) => text.startsWith(choice, at))
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
      const choices = typeof part === "string" ? [part] : part
      const fit = choices.find((choice) => text.endsWith(choice, at) && at >= choice.length)
      if (fit === undefined) return -1
      at -= fit.length
    }
  }
  return at
}

const cutMark = /^(?:\s*$|…|\.{3}|\s*(?:\.{3}|…|\[|<|\()\s*[^\n]{0,24}(?:truncated|omitted|cut|more))/i

const maskRun = /(.)\1{7}/

const holdsWhatIsAsked = (body: string, flags: string): boolean => {
  const shown = body.length > 96 ? body.slice(0, 96) : body
  if (flags.includes("d") && !/\d/.test(shown)) return false
  if (flags.includes("u") && !/[A-Z]/.test(shown)) return false
  if (flags.includes("l") && !/[a-z]/.test(shown)) return false
  if (flags.includes("w")) return true
  // A short mixed body may read like camelCase with a number in it.
  if (shown.length < 12 && /\d/.test(shown) && /[A-Z]/.test(shown)) return true
  return !(isWordy(shown) && unlikelyPairs(shown) < 0.35) && !(maskRun.test(shown) && shown.length < 64)
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
    const body = format.after[0]
    if (body === undefined || !isRun(body)) return undefined
    end = scan.runEnd(bodyStart, body.characters)
    if (end - bodyStart < 8 || !cutMark.test(text.slice(end, end + 48))) return undefined
  }
  const body = text.slice(format.before.length === 0 ? bodyStart : start, end)
  if (!holdsWhatIsAsked(body, format.flags)) return undefined
  if (format.flags.includes("=")) end = padded(text, end)
  const bounded = format.after.some((part) => isRun(part) && part.max !== Number.POSITIVE_INFINITY)
  if (bounded && isIn(text.charCodeAt(end), ambiguous ? base64 : alnum)) return undefined
  return [start, end]
}

/** Of the tokens that have one of these anchors at a place the longest, which may begin before it. */
const longestToken = (scan: Scan, at: number, anchors: ReadonlyArray<Anchor>): Span | undefined => {
  const { text } = scan
  let longest: Span | undefined
  for (const anchor of anchors) {
    if (!text.startsWith(anchor.text, at) || !(anchor.punctuated || isFollowed(text, at + anchor.text.length))) continue
    const matcher = matcherOf(anchor)
    if (matcher === undefined) continue
    scan.work.left -= 128
    const found = tryFormat(scan, at, anchor.text, matcher)
    if (found !== undefined && (longest === undefined || found[1] > longest.end))
      longest = { start: found[0], end: found[1], rule: matcher.id }
  }
  return longest
}

/** Finds credentials that say themselves what they are. */
export const scanTokens = (scan: Scan): void => {
  const { text } = scan
  anchorIndex ??= indexAnchors()
  const { bucketNumbers, buckets } = anchorIndex
  let code = text.charCodeAt(0)
  for (let at = 1; at < text.length; at++) {
    const before = code
    code = text.charCodeAt(at)
    // A character beyond ASCII finds nothing, or a bucket of other anchors.
    const bucket = bucketNumbers[(before << 7) | code] || 0
    if (bucket === 0) continue
    const found = longestToken(scan, at - 1, buckets[bucket] ?? [])
    if (scan.work.left < 0) return
    if (found === undefined) continue
    scan.add(found.start, found.end, found.rule)
    at = found.end
    code = text.charCodeAt(at)
  }
}
