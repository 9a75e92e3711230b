import { alnum, base64, base64url, digits, hex, isAll, isIn, lowerhex, upperalnum, urldot } from "./characterClasses.ts"
import { isRandom, mixOf } from "./literals.ts"
import type { Scan } from "./scan.ts"
import { isPrefixOfFormat } from "./tokenFormats.ts"

/** As long as no identifier of an object is that vendors give out: those have 22 to 32 characters behind their prefix. */
const shortest = 34
const longestPrefix = 40

// Two letters before a dash may stand at the beginning of any text in base64.
const prefix = /^[a-z][a-z0-9]{2,15}[_-](?:[a-z][a-z0-9]{1,15}[_-]){0,2}$/

/** Prefixes of what is public, or no credential by itself: publishable keys, digests, checkout sessions, client ids. */
const publicPrefix =
  /^(?:pk|phc|pub|cs|ca|client|sha\d+|md5|nonce|integrity|hash|id|req|cid|etag|chunk|build|public)[_-]|[_-](?:publishable|public|pk|id)[_-]$/

const around = "/+.@="

/** Whether the run is a piece of something longer: of base64, a path, a host name. */
const isPart = (text: string, start: number, end: number): boolean =>
  "/+.@#".includes(text.charAt(start - 1) || " ") ||
  (around.includes(text.charAt(end) || " ") && isIn(text.charCodeAt(end + 1), alnum))

/**
 * Finds what long runs of letters and digits are credentials by their make-up: tokens of vendors whose format nobody told us (words in small letters, `_` or
 * `-`, and a long body of letters of both cases and digits), and keys of two parts that have no prefix.
 */
export const scanVendorTokens = (scan: Scan): void => {
  const { text } = scan
  for (const [runStart, end] of scan.longRuns()) {
    const start = behindEscape(text, runStart)
    const length = end - start
    if (length < 24) continue
    scan.work.left -= 16
    if (scan.work.left < 0) return
    // 43 and 86 are digests and coordinates of public keys in base64.
    if (length >= shortest + 3 && length !== 43 && length !== 86) readVendorToken(scan, start, end)
    if (length === 51 || length === 52) readWalletKey(scan, start, end)
    if (length > 46 && length < 51) readNgrokToken(scan, start, end)
    if (length > 65 && length < 70) readNumberedKey(scan, start, end)
    if (length === 64 && text.charCodeAt(start - 1) === 58) readRobotToken(scan, start, end)
    const next = text.charCodeAt(end)
    if (next === 58) readKeyOfTwoParts(scan, start, end, 24)
    else if (next === 46) readKeyOfTwoParts(scan, start, end, 32)
    if (length === 43 && text.charCodeAt(start - 1) === 58) readKeyOfApp(scan, start, end)
    if (length > 41 && text.startsWith("--", end - 42)) readSignedCookie(scan, end)
  }
}

/** Behind the n of an escaped line end and the `33m` of a colour, which look like letters of the run that begins at `at`. */
const behindEscape = (text: string, at: number): number => {
  const before = text.charCodeAt(at - 1)
  if (before === 92 && "nrt".includes(text.charAt(at) || " ")) return at + 1
  if (before !== 91 && before !== 59) return at
  let end = at
  while (end - at < 3 && isIn(text.charCodeAt(end), digits)) end++
  return text.charAt(end) === "m" ? end + 1 : at
}

const readVendorToken = (scan: Scan, start: number, end: number): void => {
  const { text } = scan
  let body = end
  while (body > start && isIn(text.charCodeAt(body - 1), alnum)) body--
  if (end - body < shortest || body === start || body - start > longestPrefix || isPart(text, start, end)) return
  const head = text.slice(start, body)
  // A known format has been judged by its own rule, which the user may have allowed.
  if (!prefix.test(head) || publicPrefix.test(head) || isPrefixOfFormat(head)) return
  const value = text.slice(body, end)
  const mix = mixOf(value)
  if (mix.digits > 1 && mix.upper > 3 && mix.lower > 3 && isRandom(value)) scan.add(start, end, "vendor-token")
}

/** The private key of a wallet as Bitcoin writes it (base58): 51 characters from 5 on, 52 from K or L on. */
const walletKey = /^(?:5[HJK]|[KL]\w{2})[1-9A-HJ-NP-Za-km-z]{49}$/

const readWalletKey = (scan: Scan, start: number, end: number): void => {
  const value = scan.text.slice(start, end)
  if ("5KL".includes(value.charAt(0)) && walletKey.test(value) && isRandom(value) && !isPart(scan.text, start, end))
    scan.add(start, end, "wallet-key")
}

/** ngrok: a number of 26 to 28 letters and digits that begins with 1 to 3, `_` and 20 or 21 more. */
const readNgrokToken = (scan: Scan, start: number, end: number): void => {
  const { text } = scan
  const sign = text.charCodeAt(end - 21) === 95 ? end - 21 : end - 22
  if (text.charCodeAt(sign) !== 95 || !"123".includes(text.charAt(start))) return
  if (!isAll(text, start, sign, alnum) || !isAll(text, sign + 1, end, alnum)) return
  if (isRandom(text.slice(start, sign)) && isRandom(text.slice(sign + 1, end))) scan.add(start, end, "ngrok-token")
}

/** TrueNAS: the number of the key, a dash, 64 letters and digits. */
const readNumberedKey = (scan: Scan, start: number, end: number): void => {
  const { text } = scan
  const body = end - 64
  if (text.charCodeAt(body - 1) !== 45 || !isAll(text, start, body - 1, digits)) return
  if (!isAll(text, body, end, alnum) || isPart(text, start, end)) return
  const { digits: numbers, upper, lower } = mixOf(text.slice(body, end))
  if (numbers > 3 && upper > 7 && lower > 7) scan.add(start, end, "numbered-key")
}

/** Quay: the name of an organisation, a plus, the name of its robot, a colon, 64 capitals and digits. */
const readRobotToken = (scan: Scan, start: number, end: number): void => {
  const { text } = scan
  if (!isAll(text, start, end, upperalnum) || mixOf(text.slice(start, end)).digits < 4) return
  let name = start - 1
  while (name > start - 256 && isIn(text.charCodeAt(name - 1), urldot)) name--
  if (name < start - 1 && text.charCodeAt(name - 1) === 43 && isIn(text.charCodeAt(name - 2), urldot))
    scan.add(start, end, "robot-token")
}

/** Ghost: 24 hexadecimal digits, a colon, 64 more. Zhipu: 32, a dot, 16 letters and digits. Ollama: 32, a dot, 24 of base64. */
const readKeyOfTwoParts = (scan: Scan, runStart: number, end: number, length: 24 | 32): void => {
  const { text } = scan
  const isGhost = length === 24
  const start = end - length
  const isOllama = !isGhost && !isIn(text.charCodeAt(end + 25), base64url) && isAll(text, end + 1, end + 25, base64url)
  const to = end + (isGhost ? 65 : isOllama ? 25 : 17)
  if (start < runStart || isIn(text.charCodeAt(to), base64url) || !isAll(text, start, end, lowerhex)) return
  if (start !== runStart) return
  if (!isOllama && !isAll(text, end + 1, to, isGhost ? lowerhex : alnum)) return
  if (isGhost || (isRandom(text.slice(end + 1, to)) && !isAll(text, end + 1, to, digits)))
    scan.add(start, to, isGhost ? "ghost-admin-key" : isOllama ? "ollama-key" : "zhipu-key")
}

/** Ably: an app and a key of six characters, a colon, 43 more. */
const readKeyOfApp = (scan: Scan, start: number, end: number): void => {
  const { text } = scan
  const from = start - 14
  if (text.charCodeAt(start - 8) !== 46 || !isAll(text, from, from + 6, base64url)) return
  if (
    (isIn(text.charCodeAt(from - 1), base64url) && !/(?:\\[nrt]|\[[\d;]{0,12}m)$/.test(text.slice(from - 14, from))) ||
    !isAll(text, start - 7, start - 1, base64url)
  )
    return
  if (isRandom(text.slice(start, end))) scan.add(from, end, "ably-key")
}

/** Rails: base64, two dashes and a signature of 40 hexadecimal digits. */
const readSignedCookie = (scan: Scan, end: number): void => {
  const { text } = scan
  if (!isAll(text, end - 40, end, hex)) return
  let from = end - 42
  while (end - from < 4096 && (isIn(text.charCodeAt(from - 1), base64) || text.charCodeAt(from - 1) === 61)) from--
  if (end - from > 82) scan.add(from, end, "rails-cookie")
}
