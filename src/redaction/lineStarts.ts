import { digits, isIn } from "./characterClasses.ts"
import { behindDigits, behindPlace } from "./lineOpenings.ts"
import { Pieces } from "./pieces.ts"
import { isBlank, skipBlanks } from "./quoting.ts"

// Tools put something before each line of what they show: its number, the place in a file, the time, the sign of a diff or of a quotation. A key and its
// value on two lines, a table and a block of YAML are only read as what they are without it.

/** Behind what a tool put before the line at `at`; `at` when there is nothing of the kind. */
type Start = (text: string, at: number) => number

const numbered: Start = (text, at) => {
  const number = skipBlanks(text, at)
  const end = behindDigits(text, number, 7)
  if (end === number) return at
  const sign = text.charAt(end)
  if (sign === "→" || sign === "\t") return end + 1
  return sign === ":" || sign === "|" || sign === "│" ? end + (text.charCodeAt(end + 1) === 32 ? 2 : 1) : at
}

const timeAndLevel =
  /\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?\]? (?:\[\w{1,8}\] |(?:TRACE|DEBUG|INFO ?|WARN ?|ERROR) )?/y

const timed: Start = (text, at) => {
  timeAndLevel.lastIndex = at
  return at + (timeAndLevel.exec(text)?.[0].length ?? 0)
}

const quoted: Start = (text, at) => (text.charCodeAt(at) === 62 ? at + (text.charCodeAt(at + 1) === 32 ? 2 : 1) : at)

/** A part of a path that no word is: it may be a secret itself. */
const opaque = /(?=[\w-]{0,40}\d)[\w-]{20}/

const placed: Start = (text, at) => {
  const behind = behindPlace(text, at)
  return behind === -1 || opaque.test(text.slice(at, behind)) ? at : behind
}

const signed: Start = (text, at) => ("+- ".includes(text.charAt(at) || "x") ? at + 1 : at)

/** What such a start may be, told by the first character of a line. */
const startAt = (text: string, at: number): Start | undefined => {
  const code = text.charCodeAt(at)
  if (code === 62) return quoted
  if (isBlank(code)) return numbered
  const number = code === 91 ? at + 1 : at
  if (isIn(text.charCodeAt(number), digits))
    return text.charCodeAt(number + 4) === 45 ? timed : at === 0 ? numbered : undefined
  return placed
}

/** The lines at the top that are looked at: a tool may say first what it shows. */
const mostAbove = 3
/** Before the first hunk of a diff stands what was changed, and in a commit why. */
const farthestHunk = 2048
/** What agents write patches with, which need no numbers of lines. */
const patchOpening = "*** Begin Patch\n"

/** Whether the top of the text may have such starts, told by little: most texts have none, and what reads them need not be compiled. */
const mayStart = (head: string): boolean => {
  let at = 0
  for (let line = 0; line < mostAbove; line++) {
    const code = head.charCodeAt(at)
    // A digit, also behind blanks, `>` and `[`
    if (code === 62 || code === 91 || isIn(head.charCodeAt(skipBlanks(head, at)), digits)) return true
    const end = head.indexOf("\n", at)
    if (end === -1) break
    const colon = head.indexOf(":", at)
    if (colon !== -1 && colon < end && isIn(head.charCodeAt(colon + 1), digits)) return true
    at = end + 1
  }
  return head.includes("@@ -") || head.includes(patchOpening)
}

/** Which start two lines in a row have, near the top of the text, and where the first of them begins. */
const findStart = (text: string): readonly [start: Start, from: number] | undefined => {
  let at = 0
  for (let line = 0; line < mostAbove; line++) {
    const next = text.indexOf("\n", at) + 1
    if (next === 0) break
    const start = startAt(text, at)
    if (start !== undefined && start(text, at) > at && start(text, next) > next) return [start, at]
    at = next
  }
  const near = text.slice(0, farthestHunk)
  const patch = near.indexOf(patchOpening)
  if (patch !== -1) return [signed, text.indexOf("\n", patch) + 1]
  const hunk = near.indexOf("@@ -")
  return hunk === 0 || text.charCodeAt(hunk - 1) === 10 ? [signed, text.indexOf("\n", hunk) + 1] : undefined
}

/** The text without what a tool put before its lines, and the way back; undefined when there is nothing of the kind. */
export const withoutLineStarts = (text: string): Pieces | undefined => {
  if (text.startsWith(commandOpening)) return withoutLabels(text)
  if (!mayStart(text.slice(0, farthestHunk))) return undefined
  const found = findStart(text)
  return found === undefined ? undefined : cut(text, ...found)
}

const commandOpening = "Command: "
const placeOpening = "\nDirectory: "
const outputOpening = "\nOutput: "
const farthestOutput = 4096

/** A command and its output as if they stood in a terminal, without the words that Gemini writes before them; where it ran stands below. */
const withoutLabels = (text: string): Pieces | undefined => {
  const label = text.slice(0, farthestOutput).indexOf(outputOpening)
  if (label === -1) return undefined
  const output = label + outputOpening.length
  const place = text.lastIndexOf(placeOpening, label)
  const end = place === -1 ? label : place
  const session = new Pieces()
  session.add("$ ", 0, commandOpening.length)
  session.add(text.slice(commandOpening.length, end), commandOpening.length)
  session.add("\n", end, output - end)
  session.add(text.slice(output), output)
  session.add(text.slice(end, label), end)
  return session
}

const cut = (text: string, start: Start, from: number): Pieces => {
  const lines = new Pieces()
  lines.add(text.slice(0, from), 0)
  for (let at = from; at < text.length; ) {
    const behind = start(text, at)
    const end = text.indexOf("\n", behind) + 1 || text.length
    lines.add(text.slice(behind, end), behind)
    at = end
  }
  return lines
}
