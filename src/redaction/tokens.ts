import { alnum, type CharacterClass, isIn } from "./characterClasses.ts"
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

interface Matchers {
  readonly byAnchor: ReadonlyMap<string, ReadonlyArray<Matcher>>
  readonly anchors: RegExp
}

const escapeForRegExp = (text: string): string => text.replace(/[$()*+.?[\\\]^{|}]/g, "\\$&")

let built: Matchers | undefined

/** Built at the first use: a run that has no text to scan does not pay for it. */
const matchers = (): Matchers => {
  if (built !== undefined) return built
  const byAnchor = new Map<string, Array<Matcher>>()
  const put = (anchor: string, matcher: Matcher) => {
    const known = byAnchor.get(anchor)
    if (known === undefined) byAnchor.set(anchor, [matcher])
    else known.push(matcher)
  }
  for (const [id, prefixes, characters, min, max = Number.POSITIVE_INFINITY, flags = ""] of prefixedFormats) {
    for (const prefix of prefixes.split(" ")) {
      const cuttable = max === Number.POSITIVE_INFINITY && prefix.length >= 4 && !flags.includes("s")
      put(prefix, { id, before: [], after: [{ characters, min, max }], flags, cuttable })
    }
  }
  for (const [id, anchor, parts, flags = ""] of composedFormats) {
    const literal = parts[anchor]
    const literals =
      typeof literal === "string" ? [literal] : Array.isArray(literal) ? (literal as ReadonlyArray<string>) : []
    for (const one of literals) {
      put(one, { id, before: parts.slice(0, anchor), after: parts.slice(anchor + 1), flags, cuttable: false })
    }
  }
  // Longest first: an alternation takes the first that fits, and every shorter anchor at the same place is looked up afterwards.
  const sources = [...byAnchor.keys()].sort((a, b) => b.length - a.length || (a < b ? -1 : 1)).map(escapeForRegExp)
  built = { byAnchor, anchors: new RegExp(sources.join("|"), "g") }
  return built
}

const isRun = (part: FormatPart): part is Run => typeof part === "object" && "characters" in part

/** Whether a token may begin at `at`: not in the middle of a word, where escapes (`\n`), `%3D` and ANSI colours are no words. */
const boundaryBefore = (text: string, at: number, flags: string): boolean => {
  if (at === 0 || flags.includes("a")) return true
  const code = text.charCodeAt(at - 1)
  if (flags.includes("s") && (code === 46 || code === 95 || code === 45 || code === 36 || code === 47)) return false
  if (!isIn(code, alnum)) return true
  const before = text.slice(Math.max(0, at - 12), at)
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
  return !isWordy(shown) && !(maskRun.test(shown) && shown.length < 64)
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
  if (start === -1 || !boundaryBefore(text, start, format.flags)) return undefined
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
  if (bounded && isIn(text.charCodeAt(end), alnum)) return undefined
  return [start, end]
}

/** Finds credentials that say themselves what they are. */
export const scanTokens = (scan: Scan): void => {
  const { text } = scan
  const { anchors, byAnchor } = matchers()
  anchors.lastIndex = 0
  let done = 0
  for (let hit = anchors.exec(text); hit !== null; hit = anchors.exec(text)) {
    const at = hit.index
    const longest = hit[0]
    scan.work.left -= 32
    if (scan.work.left < 0) return
    // The next anchor may begin inside this one: `-us` in `sk-us-...`.
    anchors.lastIndex = at + 1
    if (at < done) continue
    let best: readonly [number, number] | undefined
    let rule = ""
    for (let length = longest.length; length >= 1; length--) {
      const anchor = length === longest.length ? longest : longest.slice(0, length)
      for (const format of byAnchor.get(anchor) ?? []) {
        const found = tryFormat(scan, at, anchor, format)
        if (found !== undefined && (best === undefined || found[1] > best[1])) {
          best = found
          rule = format.id
        }
      }
    }
    if (best !== undefined) {
      scan.add(best[0], best[1], rule)
      done = best[1]
    }
  }
}

/** The class is exported for tests that draw tokens from the table. */
export type { CharacterClass }
