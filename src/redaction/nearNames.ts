import { anyb64eq, isIn } from "./characterClasses.ts"
import { isHex, isPlaceholder, isRandom, isUuid, mixOf } from "./literals.ts"
import { isNameCode } from "./nameHits.ts"
import { classifyName } from "./names.ts"
import { isPublicValue } from "./publicValues.ts"
import { isQuote } from "./quoting.ts"
import type { Scan } from "./scan.ts"
import { isUpperName } from "./valueBehind.ts"

const farthest = 64

/** What stands right before the literal when it belongs to another name: `id: "`, `class="`. */
const otherName = /[\w"']\s*[:=]\s*["'`(]?$/
/** Digests, and what vendors give out as names of their objects. */
const publicOpening = /^(?:sha\d|md5|h1:|[a-z]{2,8}_)/

/**
 * Finds a literal that no word looks like, between quotes or parentheses and soon behind the name of a secret on the same line, whatever stands between the
 * two: `isLive ? "…"`, `getenv("TOKEN") ?: "…"`, `default('…')`.
 */
export const scanNearNames = (scan: Scan): void => {
  const { text } = scan
  const runs = scan.longRuns()
  if (runs.length === 0) return
  const names = scan.names()
  let next = 0
  for (const [runStart, runEnd] of runs) {
    while (next < names.length && (names[next + 1] ?? 0) <= runStart) next += 2
    const nameEnd = names[next - 1] ?? 0
    if (next === 0 || runStart - nameEnd > farthest) continue
    scan.work.left -= 64
    if (scan.work.left < 0) return
    let start = runStart
    while (start > nameEnd && isIn(text.charCodeAt(start - 1), anyb64eq)) start--
    const opening = text.charCodeAt(start - 1)
    if (!isQuote(opening) && opening !== 40) continue
    const end = scan.runEnd(runEnd, anyb64eq)
    if (text.charCodeAt(end) === (opening === 40 ? 41 : opening)) judge(scan, names[next - 2] ?? 0, nameEnd, start, end)
  }
}

/** Marks the literal when the name promises a secret and the literal looks it. */
const judge = (scan: Scan, middle: number, nameEnd: number, start: number, end: number): void => {
  const { text } = scan
  let nameStart = middle
  while (nameStart > 0 && middle - nameStart < 96 && isNameCode(text.charCodeAt(nameStart - 1))) nameStart--
  const name = text.slice(nameStart, nameEnd)
  const kind = classifyName(name)
  if (kind !== "secret" && kind !== "password") return
  // A digest may end like the name of a password.
  if (name.length > 15 && isRandom(name)) return
  const between = text.slice(nameEnd, start)
  if (between.includes("\n") || otherName.test(between)) return
  const value = text.slice(start, end)
  if (publicOpening.test(value) || isPlaceholder(value) || isUuid(value) || !isRandom(value) || isPublicValue(value))
    return
  const { digits, upper, lower } = mixOf(value)
  const isMixed = digits > 1 && upper > 1 && lower > 1
  // A call may make a digest of the secret.
  const isKey = isHex(value) && value.length >= 32 && (isUpperName(name) || !between.includes("("))
  if (isMixed || isKey) scan.add(start, end, kind === "password" ? "password" : "secret")
}
