import { alnum, isIn } from "./characterClasses.ts"
import { isRandom, mixOf } from "./literals.ts"
import type { Scan } from "./scan.ts"
import { formatTable } from "./tokenFormats.ts"

/** As long as no identifier of an object is that vendors give out: those have 22 to 32 characters behind their prefix. */
const shortest = 34
const longestPrefix = 40

const prefix = /^(?:[a-z][a-z0-9]{1,15}[_-]){1,3}$/

/** Prefixes of what is public, or no credential by itself: publishable keys, digests, checkout sessions, client ids. */
const publicPrefix =
  /^(?:pk|phc|pub|cs|ca|client|sha\d+|md5|nonce|integrity|hash|id|req|cid|etag|chunk|build|public)[_-]|[_-](?:publishable|public|pk|id)[_-]$/

/**
 * Finds tokens of vendors whose format nobody told us: words in small letters, `_` or `-`, and a long body of letters of both cases and digits.
 */
export const scanVendorTokens = (scan: Scan): void => {
  const { text } = scan
  for (const [start, end] of scan.longRuns()) {
    if (end - start < shortest + 3) continue
    scan.work.left -= 32
    if (scan.work.left < 0) return
    let body = end
    while (body > start && isIn(text.charCodeAt(body - 1), alnum)) body--
    if (end - body < shortest || body === start || body - start > longestPrefix || isPart(text, start, end)) continue
    const head = text.slice(start, body)
    // A known format has been judged by its own rule, which the user may have allowed.
    if (!prefix.test(head) || publicPrefix.test(head) || formatTable.includes(`${head} `)) continue
    const value = text.slice(body, end)
    const { digits, upper, lower } = mixOf(value)
    if (digits > 1 && upper > 3 && lower > 3 && isRandom(value)) scan.add(start, end, "vendor-token")
  }
}

const around = "/+.@="

/** Whether the run is a piece of something longer: of base64, a path, a host name. */
const isPart = (text: string, start: number, end: number): boolean =>
  "/+.@#".includes(text.charAt(start - 1) || " ") ||
  (around.includes(text.charAt(end) || " ") && isIn(text.charCodeAt(end + 1), alnum))
