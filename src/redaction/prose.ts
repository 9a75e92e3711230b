import { isAddress, isPath, isPlaceholder, isRandom, isUuid, mixOf } from "./literals.ts"
import type { Scan } from "./scan.ts"

/** A way in which people and code mention a secret without naming it right beside it. The group is the secret. */
interface Mention {
  /** Spares most texts a larger pattern. */
  readonly hint: RegExp
  readonly pattern: RegExp
  /** How much the value must show: the more, the less the words around it say. */
  readonly holds: (value: string) => boolean
}

const plain = (value: string): boolean =>
  !isPlaceholder(value) && !isAddress(value) && !isPath(value) && !(value.includes("-") && isUuid(value))
const mixed = (value: string): boolean =>
  plain(value) && value.length >= 6 && mixOf(value).digits > 0 && mixOf(value).upper + mixOf(value).lower > 1
const random = (value: string): boolean => plain(value) && value.length >= 12 && isRandom(value)

const mentions: ReadonlyArray<Mention> = [
  // auth=("user", "password"), .basic_auth("user", Some("password")), HTTPBasicAuth("user", "password")
  {
    hint: /(?:auth|Auth|Credential|credentials|login)s?\s{0,3}[=(]/,
    pattern:
      /\b(?:auth|basic_?auth|http_auth|HTTP(?:Basic|Digest)Auth|[sS]etBasicAuth|UsernamePasswordCredentials|NetworkCredential|credentials|login)\s{0,3}[=(]{1,2}\s{0,3}\(?\s{0,3}["'][^"'\n]{1,80}["']\s{0,3},\s{0,3}(?:Some\()?["']([^"'\s]{4,120})["']/g,
    holds: mixed
  },
  // ALTER USER … IDENTIFIED BY '…'
  {
    hint: /identified /i,
    pattern: /\bidentified (?:with [\w"'`]{1,40} )?(?:by|as)(?: password)? ["']([^"'\n]{3,200})["']/gi,
    holds: (value) => !isPlaceholder(value)
  },
  // the secret for the webhook is …
  {
    hint: / (?:is|was|=)[ :]/i,
    pattern:
      /\b(?:secret|token|key|password|credential)s? (?:for|of|to|from|on|in)(?: [\w.-]{1,24}){1,5} (?:is|was|=)[ :]{1,2}["'`]?([^\s"'`,;]{12,400})/gi,
    holds: (value) => random(value.replace(/[.,;:!?)]+$/, ""))
  },
  // log in as admin / …
  {
    hint: /log ?in|sign in|credentials|logged in/i,
    pattern: /\b(?:log(?:ged)? ?in|sign in|credentials)\b[^\n/]{0,40}[ `"']\/[ `"']{0,2}([^\s"'`,;/]{6,80})/gi,
    holds: mixed
  }
]

/** People do not write longer messages than this; what is longer was printed by a program. */
const longestProse = 128 * 1024

/** Finds secrets that only the words around them tell, where the words leave little doubt. */
export const scanProse = (scan: Scan): void => {
  const { text } = scan
  if (text.length > longestProse) return
  for (const { hint, pattern, holds } of mentions) {
    if (!scan.mayMatch(hint)) continue
    pattern.lastIndex = 0
    for (let hit = pattern.exec(text); hit !== null; hit = pattern.exec(text)) {
      scan.work.left -= 64 + hit[0].length
      if (scan.work.left < 0) return
      const raw = hit[1] ?? ""
      if (!holds(raw)) continue
      const start = hit.index + hit[0].length - raw.length
      scan.add(start, start + raw.replace(/[.,;:?)]+$/, "").length, "prose-secret")
    }
  }
}
