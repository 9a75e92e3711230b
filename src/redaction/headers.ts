import { anyb64dot, base64, isIn, urldot, word } from "./characterClasses.ts"
import { isLegible, isPlaceholder, isRandom, isWordy } from "./literals.ts"
import { classifyName } from "./names.ts"
import { skipSpaces } from "./quoting.ts"
import type { Scan } from "./scan.ts"
import { isSlug } from "./slugs.ts"
import { words } from "./words.ts"

/** `Basic SFNT/TrueType tables`: words whose letters say by chance what credentials do. */
const isWords = (value: string): boolean => value.includes("/") && (isSlug(value) || isLegible(value))

const isCredentials = (base64Text: string): boolean => {
  const decoded = Buffer.from(base64Text.slice(0, 400), "base64").toString("latin1")
  return decoded.includes(":") && /^[\x20-\x7e\u00a0-\u00ff]+$/.test(decoded)
}

/** Behind the blanks at `at`, which may be encoded; -1 when there are none. */
const behindSpaces = (text: string, at: number): number => {
  if (text.charCodeAt(at) === 43) return at + 1
  if (text.startsWith("%20", at)) return at + 3
  const end = skipSpaces(text, at)
  return end === at ? -1 : end
}

/** Finds what follows `Bearer` and `Basic`. */
export const scanAuthorization = (scan: Scan): void => {
  scanScheme(scan, "bearer", (value) => value.length >= 12 && !isWordy(value) && /\d|[a-z][A-Z]/.test(value))
  scanScheme(scan, "basic", (value) => isIn(value.charCodeAt(0), base64) && isCredentials(value) && !isWords(value))
}

const scanScheme = (scan: Scan, scheme: "bearer" | "basic", holds: (value: string) => boolean): void => {
  const { text } = scan
  const lower = scan.lowerText()
  for (let at = lower.indexOf(scheme); at !== -1; at = lower.indexOf(scheme, at + scheme.length)) {
    scan.work.left -= 32
    if (scan.work.left < 0) return
    const start = behindSpaces(text, at + scheme.length)
    if (
      start === -1 ||
      isIn(text.charCodeAt(at - 1), word) ||
      text.slice(at, at + scheme.length).toLowerCase() !== scheme
    )
      continue
    let end = scan.runEnd(start, anyb64dot)
    const value = text.slice(start, end)
    while (text.charCodeAt(end) === 61 && end - start < 8192) end++
    if (value.length >= 8 && !isPlaceholder(value) && holds(value))
      scan.add(start, end, scheme === "bearer" ? "bearer-token" : "basic-auth")
  }
}

const cookieLines = /cookies?(?:\\*["'])?\s?[:=,]\s?\[?(?:\\*["'])?|-(?:b|-cookie)[ =](?:\\*["'])?/g

const attributes = words("path domain expires max-age samesite secure httponly priority partitioned version comment")
const sessionPieces =
  "sess sid auth token jwt csrf xsrf login remember identity secret key ticket access refresh user".split(" ")

/** Whether the name of a cookie, in lower case, is one that sessions have. */
const isSessionName = (lower: string): boolean => sessionPieces.some((piece) => lower.includes(piece))

const longestName = 80

/** Whether the name is written as cookies' names are, and is no attribute of a cookie. */
const isCookieName = (name: string, lower: string): boolean => {
  if (name.length === 0 || name.length > longestName || attributes.has(lower)) return false
  for (let i = 0; i < name.length; i++) {
    const code = name.charCodeAt(i)
    // `$`, `%` and `:` besides the signs of a URL.
    if (!isIn(code, urldot) && code !== 36 && code !== 37 && code !== 58) return false
  }
  return true
}

/** The values of cookies in a `Cookie` or `Set-Cookie` line that are sessions or look random. */
export const cookieSpans = (
  text: string,
  from: number,
  to: number,
  add: (start: number, end: number) => void
): void => {
  let at = from
  while (at < to) {
    let end = at
    while (end < to && text.charCodeAt(end) !== 59) end++
    const equals = text.indexOf("=", at)
    if (equals !== -1 && equals < end) {
      const name = text.slice(at, equals).trim()
      let start = equals + 1
      let stop = end
      while (start < stop && text.charCodeAt(start) === 34) start++
      while (stop > start && (text.charCodeAt(stop - 1) <= 34 || text.charCodeAt(stop - 1) === 92)) stop--
      const value = text.slice(start, stop)
      const lower = name.toLowerCase()
      if (isCookieName(name, lower) && !/\s|%2F/.test(value) && !isPlaceholder(value)) {
        const named = isSessionName(lower) || classifyName(name) !== undefined
        if (
          named ? value.length >= 6 && (!isWordy(value) || value.length >= 24) : value.length >= 16 && isRandom(value)
        )
          add(start, stop)
      }
    }
    at = end + 1
  }
}

/** Finds session values in cookie headers and in curl's `-b`. */
export const scanCookies = (scan: Scan): void => {
  const { text } = scan
  cookieLines.lastIndex = 0
  for (let hit = scan.nextInAnyCase(cookieLines); hit !== null; hit = scan.nextInAnyCase(cookieLines)) {
    scan.work.left -= 32
    if (scan.work.left < 0) return
    // A flag begins behind a blank.
    if (text.charCodeAt(hit.index) === 45 && !/[\s]/.test(text.charAt(hit.index - 1))) continue
    const from = hit.index + hit[0].length
    const rest = text.slice(from, from + 4096)
    const stop = rest.search(/[\r\n'"`]|\\[nr"']/)
    const to = stop === -1 ? from + rest.length : from + stop
    scan.work.left -= to - from
    if (rest.charCodeAt(0) === 123) readCookieMap(scan, from, rest)
    cookieSpans(text, from, to, (start, end) => scan.add(start, end, "cookie"))
    cookieLines.lastIndex = Math.max(from, to)
  }
}

const cookiePair = /["']([\w.-]{1,80})["']\s{0,4}:\s{0,4}["']([^"'\s]{8,4096})(?=["'])/g

/** `cookies={"sessionid": "…"}`: the values of sessions in a map of code. */
const readCookieMap = (scan: Scan, from: number, rest: string): void => {
  const close = rest.indexOf("}")
  for (const hit of rest.slice(0, close === -1 ? 0 : close).matchAll(cookiePair)) {
    const end = from + hit.index + hit[0].length
    const value = hit[2] ?? ""
    cookieSpans(`${hit[1]}=${value}`, 0, hit[0].length, () => scan.add(end - value.length, end, "cookie"))
  }
}

const cookieObject =
  /"name\\*"\s*:\s*\\*"([^"\\]{1,80})\\*"\s*,\s*\\*"value\\*"\s*:\s*\\*"([^"\\]{8,4096})(?=\\*"[^{}]{0,400}"(?:httpOnly|sameSite|secure|domain|expires)\\*")/gi

/** Finds session values in cookies as browsers' tools print them: `{"name": …, "value": …, "httpOnly": true}`. */
export const scanCookieObjects = (scan: Scan): void => {
  // From their rarest letters on: httpOnly, sameSite.
  if (scan.mayHold("Only") || scan.mayHold("Site")) scanPrintedCookies(scan)
}

const scanPrintedCookies = (scan: Scan): void => {
  const { text } = scan
  if (!text.includes("httpOnly") && !text.includes("sameSite")) return
  cookieObject.lastIndex = 0
  for (let hit = cookieObject.exec(text); hit !== null; hit = cookieObject.exec(text)) {
    scan.work.left -= 64 + hit[0].length
    if (scan.work.left < 0) return
    const value = hit[2] ?? ""
    const end = hit.index + hit[0].length
    if (
      !isPlaceholder(value) &&
      (isRandom(value) || (isSessionName((hit[1] ?? "").toLowerCase()) && !isWordy(value)))
    ) {
      scan.add(end - value.length, end, "cookie")
    }
  }
}
