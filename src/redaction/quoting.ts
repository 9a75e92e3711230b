// Quotes at any escape depth: `"x"` in a file, `\"x\"` inside a JSON string, `\\\"x\\\"` inside a JSON string that holds JSON.

const doubleQuote = 34
const singleQuote = 39
const backtick = 96
const backslash = 92

/** Whether the character code is one of `"`, `'` and the backtick. */
export const isQuote = (code: number): boolean => code === doubleQuote || code === singleQuote || code === backtick

const stringLetters = "bBfFrRuUNLE@"
const isStringLetter = (code: number): boolean => code < 128 && stringLetters.includes(String.fromCharCode(code))

/** An opening or closing quote with the backslashes before it. */
export interface Quote {
  readonly depth: number
  readonly code: number
  /** The first character behind it. */
  readonly after: number
}

/** The quote at `at`, behind at most 15 backslashes; the letter of a string such as `b"…"`, `N'…'` or `@"…"` may stand before it. */
export const quoteAt = (text: string, at: number): Quote | undefined => {
  let i = at
  if (isStringLetter(text.charCodeAt(i)) && (isQuote(text.charCodeAt(i + 1)) || text.charCodeAt(i + 1) === backslash))
    i++
  const first = i
  while (i - first < 16 && text.charCodeAt(i) === backslash) i++
  const code = text.charCodeAt(i)
  return isQuote(code) ? { depth: i - first, code, after: i + 1 } : undefined
}

/** The end of a value that `quote` opened: the same quote at its depth or above. Without one the end of the line, at most `longest` on. */
export const quotedEnd = (text: string, quote: Quote, longest: number): number => {
  const from = quote.after
  const limit = Math.min(text.length, from + longest)
  let backslashes = 0
  for (let i = from; i < limit; i++) {
    const code = text.charCodeAt(i)
    if (code === backslash) {
      backslashes++
      continue
    }
    // More backslashes than the opening quote has: a quote inside the value. Fewer: the string around it ends, and the value with it.
    if (code === quote.code && backslashes <= quote.depth) return i - backslashes
    if (code === 10 || code === 13 || code === 27) return i
    // An odd quote that closes the string around an escaped one: `\"password\": \"abc"`.
    if (quote.depth > 0 && backslashes < quote.depth && code === doubleQuote) return i - backslashes
    backslashes = 0
  }
  return limit
}

/** Whether an escaped line end, tab or quote begins at this backslash: it ends an unquoted value inside a string. */
export const isEscapedEnd = (text: string, at: number): boolean => {
  let next = at
  while (next - at < 16 && text.charCodeAt(next) === backslash) next++
  const code = text.charCodeAt(next)
  return code === 110 || code === 114 || code === 116 || isQuote(code)
}

/** The first position at or after `at` that is neither space nor tab, at most 64 on. */
export const skipBlanks = (text: string, at: number): number => {
  let i = at
  while (i < at + 64 && (text.charCodeAt(i) === 32 || text.charCodeAt(i) === 9)) i++
  return i
}

/** The first position at or after `at` that is no white space. */
export const skipSpaces = (text: string, at: number): number => {
  let i = at
  while (isSpace(text.charCodeAt(i))) i++
  return i
}

/** Space or tab. */
export const isBlank = (code: number): boolean => code === 32 || code === 9

/** What `\s` matches, as far as names and values have it beside them. */
export const isSpace = (code: number): boolean =>
  code === 32 ||
  (code >= 9 && code <= 13) ||
  code === 0xa0 ||
  code === 0xfeff ||
  (code >= 0x2000 && code <= 0x3000 && String.fromCharCode(code).trim() === "")
