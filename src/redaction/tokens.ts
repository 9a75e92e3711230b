import { alnum, base64, django, isIn, uri } from "./characterClasses.ts"
import { unlikelyPairs } from "./letterPairs.ts"
import { isWordy } from "./literals.ts"
import type { Scan } from "./scan.ts"
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

/** The formats whose anchors begin with the same two characters: an anchor that the search found may be the beginning of a longer one. */
type Bucket = ReadonlyArray<readonly [anchor: string, matcher: Matcher]>

const escapeForRegExp = (text: string): string => text.replace(/[$()*+.?[\\\]^{|}]/g, "\\$&")

const buckets = new Map<string, Bucket>()
let anchors: RegExp | undefined

const literalsOf = (part: FormatPart | undefined): ReadonlyArray<string> =>
  typeof part === "string" ? [part] : Array.isArray(part) ? (part as ReadonlyArray<string>) : []

/** Made at the first use: a run that has no text to scan does not pay for it. */
const anchorSearch = (): RegExp => {
  if (anchors !== undefined) return anchors
  const sources: Array<string> = []
  const punctuated: Array<string> = []
  for (const [, prefixes, characters] of prefixedFormats) {
    for (const prefix of prefixes.split(" "))
      (characters === django || characters === uri ? punctuated : sources).push(prefix)
  }
  for (const format of composedFormats)
    for (const literal of literalsOf(format[2][format[1]])) if (literal !== "") sources.push(literal)
  // Behind an anchor there are six more characters of a token; one inside an English word has no such neighbours.
  const choice = (literals: ReadonlyArray<string>): string => escapeForRegExp(literals.join("\n")).replaceAll("\n", "|")
  anchors = new RegExp(`(?:${choice(sources)})(?=[A-Za-z0-9_+/.$|:~%@=-]{6})|${choice(punctuated)}`, "g")
  return anchors
}

/** Where the tables have anchors with a certain beginning: positive for a prefixed format, negative for a composed one. */
let rowsByStart: ReadonlyMap<string, ReadonlyArray<number>> | undefined

const indexRows = (): ReadonlyMap<string, ReadonlyArray<number>> => {
  const rows = new Map<string, Array<number>>()
  const put = (anchor: string, row: number) => {
    const start = anchor.slice(0, 2)
    const known = rows.get(start)
    if (known === undefined) rows.set(start, [row])
    else if (known.at(-1) !== row) known.push(row)
  }
  for (const [row, [, prefixes]] of prefixedFormats.entries())
    if (prefixes.includes(" ")) for (const prefix of prefixes.split(" ")) put(prefix, row)
    else put(prefixes, row)
  for (const [row, [, anchor, parts]] of composedFormats.entries())
    for (const literal of literalsOf(parts[anchor])) put(literal, -1 - row)
  return rows
}

const makeBucket = (start: string): Bucket => {
  const bucket: Array<readonly [string, Matcher]> = []
  rowsByStart ??= indexRows()
  for (const row of rowsByStart.get(start) ?? []) {
    const prefixed = prefixedFormats[row]
    const composed = composedFormats[-1 - row]
    if (prefixed !== undefined) {
      const [id, prefixes, characters, min, max = Number.POSITIVE_INFINITY, flags = ""] = prefixed
      const after = [{ characters, min, max }]
      for (const prefix of prefixes.split(" ")) {
        const cuttable = max === Number.POSITIVE_INFINITY && prefix.length >= 4 && !flags.includes("s")
        if (prefix.startsWith(start)) bucket.push([prefix, { id, before: [], after, flags, cuttable }])
      }
    } else if (composed !== undefined) {
      const [id, anchor, parts, flags = ""] = composed
      const matcher = { id, before: parts.slice(0, anchor), after: parts.slice(anchor + 1), flags, cuttable: false }
      for (const literal of literalsOf(parts[anchor]))
        if (literal !== "" && literal.startsWith(start)) bucket.push([literal, matcher])
    }
  }
  return bucket
}

/** Made when an anchor with this beginning is met: a text has few of them. */
const bucketOf = (start: string): Bucket => {
  let bucket = buckets.get(start)
  if (bucket === undefined) {
    bucket = makeBucket(start)
    buckets.set(start, bucket)
  }
  return bucket
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

/** Finds credentials that say themselves what they are. */
export const scanTokens = (scan: Scan): void => {
  const { text } = scan
  const search = anchorSearch()
  search.lastIndex = 0
  let done = 0
  for (let hit = search.exec(text); hit !== null; hit = search.exec(text)) {
    const at = hit.index
    scan.work.left -= 32
    if (scan.work.left < 0) return
    // The next anchor may begin inside this one: `-us` in `sk-us-...`.
    search.lastIndex = at < done ? done : at + 1
    if (at < done) continue
    scan.work.left -= 192
    let best: readonly [number, number] | undefined
    let rule = ""
    for (const [anchor, format] of bucketOf(hit[0].slice(0, 2))) {
      if (!text.startsWith(anchor, at)) continue
      const found = tryFormat(scan, at, anchor, format)
      if (found !== undefined && (best === undefined || found[1] > best[1])) {
        best = found
        rule = format.id
      }
    }
    if (best !== undefined) {
      scan.add(best[0], best[1], rule)
      done = best[1]
    }
  }
}
