import { hex, isIn } from "./characterClasses.ts"
import { unlikelyPairs } from "./letterPairs.ts"
import { standsForSecret } from "./placeholders.ts"
import { isSlug } from "./slugs.ts"

// What a value is, judged from its characters alone. Everything looks at the first 96 characters: what follows does not change the answer.

const judged = 96

const shownPart = (value: string): string => (value.length > judged ? value.slice(0, judged) : value)

/** Whether a value only stands for a secret: a reference, a mask, a word such as `changeme`, an earlier marker, nothing at all. */
export const isPlaceholder = (value: string): boolean =>
  value.length === 0 || standsForSecret(shownPart(value).toLowerCase())

// Apart, because most values need none of them; and without the flag for any case, which triples the cost to compile a pattern.
const urlShape = /^[A-Za-z][A-Za-z0-9+.-]*:\/\//
const mailShape = /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/
/** A date, a version, an IP address. */
const numbersShape =
  /^\d{4}-\d\d-\d\d(?:[Tt ]|$)|^(?:[\^~=]|[<>]=?) ?v?\d+(?:\.(?:\d+|[x*])){1,2}(?:-[\w.]+)?$|^\d+:\d[\w.+~-]*$|^[vV]?\d+(?:\.\d+){1,3}(?:-[\w.]+)?$|^(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?$/
const pathShape =
  /^(?:~|\.{1,2}|[A-Za-z]:)?[\\/](?:[\w.@ -]+[\\/])*[\w.@ -]*$|^(?:[\w@-][\w.@ -]*\/)+[\w.@ -]*\.[A-Za-z]\w{0,5}$/

/** How many characters of a value are hexadecimal digits in one run from `from` on. */
const hexRun = (value: string, from: number): number => {
  let end = from
  while (isIn(value.charCodeAt(end), hex)) end++
  return end - from
}

/** A UUID, with or without dashes. */
export const isUuid = (value: string): boolean => {
  const { length } = value
  if (length < 32 || length > 36) return false
  let digits = 0
  for (let at = 0; at < length; at++) {
    if (isIn(value.charCodeAt(at), hex)) digits++
    // A dash may stand behind 8, 12, 16 and 20 digits, once.
    else if (
      value.charCodeAt(at) !== 45 ||
      value.charCodeAt(at - 1) === 45 ||
      !(digits % 4 === 0 && digits >= 8 && digits <= 20)
    )
      return false
  }
  return digits === 32
}

/** Only hex digits: a digest, a commit, a trace id - or a key. */
export const isHex = (value: string): boolean => {
  const shown = shownPart(value)
  const second = shown.charCodeAt(1) | 32
  const from = shown.length > 2 && shown.charCodeAt(0) === 48 && second === 120 ? 2 : 0
  return shown.length > from && hexRun(shown, from) === shown.length - from
}

/** A URL, an e-mail address, a date, a version or an IP address. */
export const isAddress = (value: string): boolean => {
  const shown = shownPart(value)
  if (shown.includes("://") && urlShape.test(shown)) return true
  if (shown.includes("@") && mailShape.test(shown)) return true
  const code = shown.charCodeAt(0)
  // A digit, v and V, what stands before the version in a range of versions
  const mayBeNumbers =
    (code >= 48 && code <= 57) ||
    code === 118 ||
    code === 86 ||
    (code >= 60 && code <= 62) ||
    code === 94 ||
    code === 126
  return mayBeNumbers && (shown.includes(".") || shown.includes("-")) && numbersShape.test(shown)
}

/** A file path whose segments read like names. A base64 value may begin with a slash as well. */
export const isPath = (value: string): boolean => {
  const shown = shownPart(value)
  if (!shown.includes("/") && !shown.includes("\\")) return false
  if (!pathShape.test(shown)) return false
  return shown.split(/[\\/]/).every((segment) => segment.length < 24 || isWordy(segment))
}

/** How a value's characters are mixed. */
export interface Mix {
  readonly length: number
  readonly digits: number
  readonly upper: number
  readonly lower: number
  readonly other: number
  /** Mean length of the words that a reader of camelCase would see: `parseHTMLText` has three, of 4.3 letters. */
  readonly piece: number
}

/** Counts the kinds of characters in the judged part of a value. */
export const mixOf = (value: string): Mix => {
  const length = Math.min(value.length, judged)
  let digits = 0
  let upper = 0
  let lower = 0
  let boundaries = 0
  let before = 0
  let capitals = 0
  for (let i = 0; i < length; i++) {
    const code = value.charCodeAt(i)
    const kind = code >= 48 && code <= 57 ? 1 : code >= 65 && code <= 90 ? 2 : code >= 97 && code <= 122 ? 3 : 4
    if (kind === 1) digits++
    else if (kind === 2) upper++
    else if (kind === 3) lower++
    if (i > 0 && kind !== before && (before !== 2 || kind !== 3 || capitals > 1)) boundaries++
    capitals = kind === 2 ? capitals + 1 : 0
    before = kind
  }
  return { length, digits, upper, lower, other: length - digits - upper - lower, piece: length / (boundaries + 1) }
}

const separated =
  /^(?:[A-Za-z]?[a-z]+|[A-Z]+|v?\d{1,4})(?:[-_. /:,'’!?]+(?:[A-Za-z]?[a-z]+|[A-Z]+|v?\d{1,4}))*[-_. /:,'’!?]*$/
const camel = /^[A-Za-z]?[a-z]{2,}(?:[A-Z]{1,2}[a-z]{2,}|[A-Z]{2,4}(?=$|[a-z])|\d{1,3}(?=$|[A-Z]))*$/

/** Words and short numbers with separators between them, or one camelCase word: an identifier, a slug, a label. */
export const isWordy = (value: string): boolean => {
  const shown = shownPart(value)
  return separated.test(shown) || camel.test(shown)
}

/** The same, of letters that words have beside each other. */
export const isLegible = (value: string): boolean => isWordy(value) && unlikelyPairs(value) < 0.35

/**
 * Whether a value looks drawn at random: kinds of characters mixed as no word, identifier, path or address mixes them.
 *
 * English and code have pieces of four and more characters between changes of kind; base62 has 1.9, letters of both cases 2.4, hex 2.1, lower case with digits 2.5.
 */
export const isRandom = (value: string): boolean => {
  if (value.length < 8) return false
  const shown = shownPart(value)
  if (/[\s\x00-\x1f]/.test(shown)) return false
  if (isWordy(shown) && !/^[A-Za-z]{10,}$/.test(shown)) return false
  if (isAddress(shown) || isPath(shown)) return false
  const mix = mixOf(shown)
  if (mix.upper + mix.lower < 2) return false
  if (mix.digits === 0) {
    if (mix.length < 9) return false
    if (mix.upper < 2 || mix.lower < 2)
      return mix.length >= 10 && mix.other === 0 && unlikelyPairs(shown) >= (mix.length < 24 ? 0.4 : 0.3)
    return mix.piece < 2.9 || unlikelyPairs(shown) >= 0.3
  }
  if (mix.length >= 16 && mix.digits >= 3 && isHex(shown)) return true
  if (isSlug(shown)) return false
  if (mix.piece < 3.2) return true
  // Long runs of small letters that no word has.
  if (mix.length >= 12 && unlikelyPairs(shown) >= (mix.length < 24 ? 0.35 : 0.28)) return true
  // Separators make short words look mixed; one long segment that is mixed by itself decides.
  return shown
    .split(/[-_./:~]/)
    .some((segment) => segment.length >= 8 && segment.length !== shown.length && isRandom(segment))
}
