import { digits, isIn, urldot } from "./characterClasses.ts"
import { isBlank } from "./quoting.ts"

const openingWords = ["$env:", "export", "declare -x", "set", "SET", "const", "let", "var", "readonly", "local"]

/** Behind the digits at `at`, at most `most` of them. */
export const behindDigits = (line: string, at: number, most: number): number => {
  let i = at
  while (i - at < most && isIn(line.charCodeAt(i), digits)) i++
  return i
}

/** Behind `src/file.ts:12:` at `at`, as tools print places; -1 when there is none. */
export const behindPlace = (line: string, at: number): number => {
  let colon = at
  for (let code = line.charCodeAt(colon); isIn(code, urldot) || code === 47; code = line.charCodeAt(colon)) colon++
  if (colon === at || colon - at > 120 || line.charCodeAt(colon) !== 58) return -1
  const end = behindDigits(line, colon + 1, 140)
  return end > colon + 1 && line.charCodeAt(end) === 58 ? end + 1 : -1
}

/** Whether `line` from `at` on is what may stand before a name that begins its line, of `most` parts: see `opensLine`. */
const isOpening = (line: string, at: number, most: number): boolean => {
  let from = at
  while (isBlank(line.charCodeAt(from))) from++
  if (from >= line.length || (from === line.length - 1 && (line.endsWith('"') || line.endsWith("'")))) return true
  if (most === 0) return false
  // A list dash, a diff sign, a comment sign, the number of a line.
  const sign = line.charAt(from)
  if ((sign === "+" || sign === "-" || sign === "#") && isOpening(line, from + 1, most - 1)) return true
  if (sign === "/" && line.charAt(from + 1) === "/" && isOpening(line, from + 2, most - 1)) return true
  const number = behindDigits(line, from, 7)
  if (number > from && "→:|\t".includes(line.charAt(number) || " ") && isOpening(line, number + 1, most - 1))
    return true
  const place = behindPlace(line, from)
  if (place !== -1 && isOpening(line, place, most - 1)) return true
  return openingWords.some((word) => line.startsWith(word, from) && isOpening(line, from + word.length, most - 1))
}

/** What such an opening may end in, besides blanks. */
const openingEnds = "+-:→|#/txrylTn\"'"

/**
 * Whether a name begins its line: behind nothing, or behind at most three of indentation, a list dash, a diff sign, a line number of a tool, a comment sign, a
 * word such as `export`; a quote may stand right before it.
 */
export const opensLine = (text: string, nameStart: number): boolean => {
  const from = Math.max(0, nameStart - 140)
  let at = nameStart
  while (at > from && isBlank(text.charCodeAt(at - 1))) at--
  const before = text.charCodeAt(at - 1)
  if (at === 0 || before === 10 || before === 13 || before === 0) return true
  if (!openingEnds.includes(text.charAt(at - 1))) return false
  const line = text.slice(from, nameStart)
  const escaped = line.lastIndexOf("\\n")
  const lineFrom = Math.max(line.lastIndexOf("\n"), line.lastIndexOf("\r"), line.lastIndexOf("\0"))
  return isOpening(line.slice(lineFrom + 1), 0, 3) || (escaped > lineFrom && isOpening(line.slice(escaped + 2), 0, 3))
}
