import { anyb64, isIn } from "./characterClasses.ts"
import type { Scan } from "./scan.ts"
import type { Span } from "./spans.ts"

const probeStep = 48
const shortest = 40
/** A base64 text of that length has so many characters together that are neither `+` nor `/`. */
const shortestRun = 20
/** The part of a long run that is decoded. A secret behind it in the same run goes unseen unless the beginning tells. */
const longestDecoded = 65_536

const printable = /^[\t\n\r\x20-\x7e\u00a0-\u024f]+$/

const decodeStart = (text: string, start: number): string =>
  Buffer.from(text.slice(start, start + probeStep), "base64").toString("latin1")

const isLettersOnly = (text: string, start: number, end: number): boolean => {
  for (let at = start; at < end && at < text.length; at++) {
    const letter = text.charCodeAt(at) | 32
    if (letter < 97 || letter > 122) return false
  }
  return true
}

const runAfter = /[A-Za-z0-9+/_-]*(?:\r?\n[A-Za-z0-9+/_-]{60,})*(?:\r?\n[A-Za-z0-9+/_-]+(?==))?/y

/**
 * Finds base64 whose content holds a secret: a dumped .env, a JSON body, a wrapped key. Only runs that decode to text are looked into, once.
 *
 * @param look finds the secrets of the decoded text; it does not decode again
 */
export const scanEncodedSecrets = (scan: Scan, look: (text: string) => ReadonlyArray<Span> | undefined): void => {
  const { text } = scan
  let done = 0
  for (const [runStart, runEnd] of scan.longRuns()) {
    if (runEnd - runStart < shortestRun) continue
    if (runStart < done) continue
    let start = runStart
    while (start > done && runStart - start < 40 && isIn(text.charCodeAt(start - 1), anyb64)) start--
    const next = text.charCodeAt(runEnd)
    let end = runEnd
    if (next === 10 || next === 13 || isIn(next, anyb64)) {
      runAfter.lastIndex = runEnd
      // base64 is wrapped at 64 or 76 columns: the run goes on behind such a line end.
      end += runAfter.exec(text)?.[0].length ?? 0
    }
    done = end
    scan.work.left -= (end - start) >> 2
    if (scan.work.left < 0) return
    if (end - start >= shortest && !isLettersOnly(text, start, start + 60)) {
      if (printable.test(decodeStart(text, start).slice(0, 30))) {
        const decoded = Buffer.from(text.slice(start, Math.min(end, start + longestDecoded)), "base64").toString(
          "latin1"
        )
        scan.work.left -= decoded.length * 2
        const found = look(decoded)
        if (found !== undefined && found.length > 0) {
          let stop = end
          while (text.charCodeAt(stop) === 61 && stop < end + 2) stop++
          scan.add(start, stop, "encoded-secret")
        }
      }
    }
  }
}
