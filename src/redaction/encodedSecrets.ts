import { base64, isIn } from "./characterClasses.ts"
import type { Scan } from "./scan.ts"
import type { Span } from "./spans.ts"

const probeStep = 48
const shortest = 40
/** The part of a long run that is decoded. A secret behind it in the same run goes unseen unless the beginning tells. */
const longestDecoded = 65_536

const printable = /^[\t\n\r\x20-\x7e\u00a0-\u024f]+$/

const decodeStart = (text: string, start: number): string =>
  Buffer.from(text.slice(start, start + probeStep), "base64").toString("latin1")

const isBase64Byte = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at)
  return isIn(code, base64) || code === 45 || code === 95
}

/**
 * Finds base64 whose content holds a secret: a dumped .env, a JSON body, a wrapped key. Only runs that decode to text are looked into, once.
 *
 * @param look finds the secrets of the decoded text; it does not decode again
 */
export const scanEncodedSecrets = (scan: Scan, look: (text: string) => ReadonlyArray<Span> | undefined): void => {
  const { text } = scan
  // One look every `shortest` characters meets every run of that length.
  for (let at = shortest - 1; at < text.length; at += shortest) {
    const probe = at
    if (!isBase64Byte(text, probe)) continue
    let start = probe
    while (start > 0 && probe - start < shortest && isBase64Byte(text, start - 1)) start--
    let end = probe
    while (end < text.length && isBase64Byte(text, end)) {
      // A run continues over one line end when base64 is wrapped at 76 columns.
      end++
      if (
        end - start >= 60 &&
        text.charCodeAt(end) === 10 &&
        isBase64Byte(text, end + 1) &&
        isBase64Byte(text, end + 20)
      )
        end++
    }
    scan.work.left -= (end - start) >> 2
    if (scan.work.left < 0) return
    if (end - start >= shortest && !/^[a-z]+$/i.test(text.slice(start, start + 60))) {
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
    at = end
  }
}
