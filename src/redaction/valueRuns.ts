import { isRandom } from "./literals.ts"
import { isEscapedEnd, isQuote, quoteAt, quotedEnd, skipBlanks } from "./quoting.ts"
import { isNamedForSecret, type Setting } from "./values.ts"

const longestQuoted = 16_384

/** A value beside a name: its bounds without quotes. */
export interface Found {
  readonly start: number
  readonly end: number
  readonly setting: Setting
  /** It is the first of a list, and this is where the others were found. */
  readonly rest?: Setting
}

const isLineEnd = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at)
  return (
    at >= text.length ||
    code === 10 ||
    code === 13 ||
    code === 0 ||
    (code === 92 && isEscapedEnd(text, at) && !isQuote(text.charCodeAt(at + 1)))
  )
}

// Runs of an unquoted value, inside a URL, and of a word. An escaped line end or quote ends them: `A=1\nB=2` in a JSON string. A colour of the terminal
// does, written out or not; one inside a value is taken away before the text is read a second time.
const bareRun = /(?:[^\s\x00-\x1f"'`,;<>\u2026\x7f\\]|\\(?!\\{0,15}(?:[nrt"'`]|(?:u001b|x1b|033|e)\[))){0,2048}/y
const urlRun = /(?:[^\s\x00-\x1f"'`,;<>\u2026\x7f\\&#)\]]|\\(?!\\{0,15}[nrt"'`u])){0,2048}/y
// In a connection string, where a password may hold the signs that part a URL: `;Password=#a&b;`. Ended by `&amp;` and `&name=`.
const fieldRun =
  /(?:[^\s\x00-\x1f"'`,;<>\u2026\x7f\\&]|&(?!\w{1,40}=|(?:amp|quot|apos|lt|gt);)|\\(?!\\{0,15}[nrt"'`u])){0,2048}/y
const wordRun = /(?:[^\s\x00-\x1f\\]|\\(?!\\{0,15}(?:[nrt"'`]|(?:u001b|x1b|033|e)\[))){1,2048}/y
const colours = /(?:(?:\x1b|\\{1,8}(?:u001b|x1b|033|e))\[[\d;]{0,16}[mK])+/y

/** Behind the colours of a terminal at `at`. */
const skipColours = (text: string, at: number): number => {
  const code = text.charCodeAt(at)
  if (code !== 27 && code !== 92) return at
  colours.lastIndex = at
  return at + (colours.exec(text)?.[0].length ?? 0)
}

const runEnd = (pattern: RegExp, text: string, from: number): number => {
  pattern.lastIndex = from
  return from + (pattern.exec(text)?.[0].length ?? 0)
}

/** A variable, with members or without; not a word that no name has. */
const isIdentifier = (value: string): boolean =>
  isNamedForSecret(value) || (/^[A-Za-z_][A-Za-z_.]*\d?$/.test(value) && !isRandom(value))

/** The end of an unquoted value; in a URL `&` and `#` end it as well. */
const bareEnd = (text: string, from: number, alone: string): number =>
  runEnd(alone === "" ? bareRun : alone === "&" ? fieldRun : urlRun, text, from)

/** Before the marks of direction and of no width that a value ends with. */
const beforeMarks = (text: string, end: number): number => {
  let to = end
  for (let code = text.charCodeAt(to - 1); code > 0x200a && (code < 0x206a || code === 0xfeff); ) {
    if (code > 0x200f && code < 0x202a) break
    code = text.charCodeAt(--to - 1)
  }
  return to
}

/** The end of the last word of the line that begins at `from`, when the line is that one word; -1 otherwise. */
export const lineValueEnd = (text: string, from: number): number => {
  const end = runEnd(wordRun, text, from)
  if (end === from) return -1
  const rest = skipBlanks(text, skipColours(text, end))
  return isLineEnd(text, rest) || (rest > end && text.charCodeAt(rest) === 35) ? end : -1
}

const trimPunctuation = (text: string, start: number, end: number): number => {
  let to = end
  while (to > start) {
    const last = text.charAt(to - 1)
    if (!")]}.:?,;|".includes(last)) break
    const before = text.slice(start, to - 1)
    if (last === ")" && before.includes("(")) break
    // [hidden], {token}
    if ((last === "]" || last === "}") && /^[[{][A-Za-z_ ]+$/.test(before)) break
    to--
  }
  return to
}

/**
 * The value that begins at `at`, with its quotes or without.
 *
 * @param alone characters that end it as well, where it stands in a URL
 */
export const readValue = (text: string, at: number, setting: Setting, alone = ""): Found | undefined => {
  let quote = quoteAt(text, at)
  if (quote !== undefined) {
    // """value""" and "\"value\""
    const sign = text.charAt(quote.after - 1)
    if (text.startsWith(sign + sign, quote.after)) quote = { ...quote, after: quote.after + 2 }
    else if (quote.depth === 0 && text.startsWith(`\\${sign}`, quote.after)) quote = quoteAt(text, quote.after) ?? quote
    return {
      start: quote.after,
      end: quotedEnd(text, quote, longestQuoted),
      setting: setting === "sure" || setting === "told" ? setting : "quoted"
    }
  }
  if (setting === "line" || (setting === "sure" && alone === "")) {
    const end = lineValueEnd(text, at)
    // A quote or comma at the end belongs to the text around the line.
    if (end !== -1 && !"\"'`,;)}]".includes(text.charAt(end - 1)))
      return { start: at, end: beforeMarks(text, end), setting }
  }
  // Pwd={value};
  const braced = setting === "sure" && text.charCodeAt(at) === 123 ? text.indexOf("}", at) : -1
  if (braced - at > 3 && braced - at < 128 && !/[\s{]/.test(text.slice(at + 1, braced)))
    return { start: at + 1, end: braced, setting: "quoted" }
  const bare = bareEnd(text, at, alone)
  const end = trimPunctuation(text, at, beforeMarks(text, bare))
  if (end <= at) return undefined
  // An argument or a field of code goes on with a comma.
  const goesOn = setting === "sure" && alone === "" && ",)".includes(text.charAt(end) || " ")
  return {
    start: at,
    end,
    setting: setting === "line" || (goesOn && isIdentifier(text.slice(at, end))) ? "bare" : setting
  }
}
