import { Pieces } from "./pieces.ts"
import type { Scan } from "./scan.ts"

// ANSI escape sequences, other control characters, soft hyphens, zero-width and direction characters: what splits a token without being seen.
const hidden =
  /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,512}(?:\x07|\x1b\\)|[@-Z\\^_])|(?:\\u001b|\\x1b|\\033|\\e)\[[0-9;]{0,16}[A-Za-z]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u00ad\u061c\u115f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]|[\ufe00-\ufe0f]/g

const hasHidden =
  /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u00ad\u061c\u115f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]|[\ufe00-\ufe0f]|\\(?:u001b|x1b|033|e)\[/

/** What the colours of a terminal begin with where their escape is written out. */
const escapes = ["\\u001b", "\\x1b[", "\\033[", "\\e["]

const nextIsAssignment = /^[A-Za-z_][A-Za-z0-9_]{0,80}=/

/** A token, a header or a line of a key fits on either side of a split. */
const window = 1024

const isVisible = (code: number): boolean => code > 32 && code !== 127

/** A piece of the text with every match of `pattern` replaced. */
const rewrite = (
  text: string,
  from: number,
  to: number,
  pattern: RegExp,
  replace: (match: string, after: number) => string
): Pieces => {
  const pieces = new Pieces()
  let at = from
  pattern.lastIndex = from
  for (let hit = pattern.exec(text); hit !== null && hit.index < to; hit = pattern.exec(text)) {
    pieces.add(text.slice(at, hit.index), at)
    at = hit.index + hit[0].length
    pieces.add(replace(hit[0], at), hit.index, hit[0].length)
  }
  if (at < to) pieces.add(text.slice(at, to), at)
  return pieces
}

// NUL parts the entries of /proc/*/environ.
const withoutHidden = (text: string) => (match: string, after: number) =>
  match === "\0" && nextIsAssignment.test(text.slice(after, after + 84)) ? "\n" : ""

const joinPiece = (text: string, from: number, to: number): Pieces =>
  rewrite(text, from, to, hidden, withoutHidden(text))

const percent = /%(?:25)?(?:2[0-9A-F]|3[A-F]|40|5[BDEF]|7[BCDE])/gi
// Signs that tokens are written with, encoded. Only in the middle of what could be a token: in ordinary query strings words stand around them.
const encodedSign = /%(?:25)?(?:2[BDEF4]|3[AD]|5F|7[CE])/gi
const tokenBefore = /[A-Za-z0-9_-]{6}$/
/** `$2b$`, `$apr1$`, `$aact_`: a token that begins with an encoded dollar. */
const dollarOpening = /%24[a-z0-9]{1,10}(?:%24|_)/y

const holdsEncoded = (text: string): boolean => {
  // "name":
  if (text.includes("%22%3A")) return true
  encodedSign.lastIndex = 0
  for (let hit = encodedSign.exec(text); hit !== null; hit = encodedSign.exec(text)) {
    if (tokenBefore.test(text.slice(Math.max(0, hit.index - 6), hit.index))) return true
    dollarOpening.lastIndex = hit.index
    if (dollarOpening.test(text)) return true
  }
  return false
}

const decoded = (match: string): string => String.fromCharCode(Number.parseInt(match.slice(-2), 16))

/** The places where a token may be percent-encoded, decoded. */
const decodePercent = (text: string): ReadonlyArray<Pieces> => {
  if (!holdsEncoded(text)) return []
  return placesOf(text, percent, () => true).map(([from, to]) => rewrite(text, from, to, percent, decoded))
}

// The quotes of JSON as HTML and scripts in it write them, and the signs of a token.
const entity = /&(?:quot|#34|#x22|amp);|\\u00(?:22|26|3[dD])/g
const entities: Readonly<Record<string, string>> = { "&amp;": "&", "\\u0026": "&", "\\u003d": "=", "\\u003D": "=" }

/** The places where names and values stand between quotes that are written as entities, with quotes. */
const decodeEntities = (text: string): ReadonlyArray<Pieces> =>
  placesOf(text, entity, () => true).map(([from, to]) =>
    rewrite(text, from, to, entity, (match) => entities[match] ?? '"')
  )

const placesOf = (
  text: string,
  pattern: RegExp,
  counts: (start: number, end: number, before: number) => boolean
): ReadonlyArray<[from: number, to: number]> => {
  const places: Array<[from: number, to: number]> = []
  pattern.lastIndex = 0
  let before = 0
  for (let hit = pattern.exec(text); hit !== null; hit = pattern.exec(text)) {
    const end = hit.index + hit[0].length
    const counted = counts(hit.index, end, before)
    before = end
    if (!counted) continue
    const last = places.at(-1)
    if (last !== undefined && hit.index - window <= last[1]) last[1] = Math.min(text.length, end + window)
    else places.push([Math.max(0, hit.index - window), Math.min(text.length, end + window)])
  }
  return places
}

/**
 * The places where hidden characters stand inside a word or a token is percent-encoded, each as a reader sees it, with what surrounds it. A colour that
 * begins or ends at a space in a line splits nothing.
 */
export const joinTokens = (scan: Scan): ReadonlyArray<Pieces> => {
  const mayHide = scan.mayHoldUnusual() || escapes.some((opening) => scan.mayHold(opening))
  const encoded = scan.mayHold("%") ? decodePercent(scan.text) : []
  const quoted = scan.mayHold("&quot;") || scan.mayHold("\\u0022") ? decodeEntities(scan.text) : []
  return mayHide ? [...joinHidden(scan.text), ...encoded, ...quoted] : [...encoded, ...quoted]
}

const joinHidden = (text: string): ReadonlyArray<Pieces> => {
  if (!hasHidden.test(text)) return []
  const inside = (start: number, end: number, before: number): boolean => {
    const from = start === before ? before : start
    const last = text.charCodeAt(from - 1)
    // A value that is coloured by itself stands behind the blank that parts it from its name; a line that is, has its name or command behind the colour.
    return (
      (isVisible(last) || last === 10 || from === 0 || ":=".includes(text.charAt(from - 2) || " ")) &&
      isVisible(text.charCodeAt(end))
    )
  }
  return placesOf(text, hidden, inside).map(([from, to]) => joinPiece(text, from, to))
}
