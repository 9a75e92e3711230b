import { cutUtf8 } from "../redaction/bound.ts"
import { termsOf } from "./terms.ts"

/** Bytes of one excerpt at most. */
const excerptBytes = 800

const gap = "..."

/**
 * The lines of a memory that hold most of what was asked for, in their order, in at most `limit` bytes of UTF-8. `...` stands for what was left
 * out between them. Without a match, the beginning.
 *
 * @param matched terms, as termsOf gives them
 */
export const excerptOf = (text: string, matched: ReadonlyArray<string>, limit: number = excerptBytes): string => {
  if (Buffer.byteLength(text) <= limit) return text.trim()
  const wanted = new Set(matched)
  const lines = text.split("\n").map((line, at) => {
    const held = new Set(termsOf(line).filter((term) => wanted.has(term)))
    return { at, line: line.trimEnd(), held: held.size }
  })
  const best = [...lines]
    .filter(({ line }) => line.trim() !== "")
    .sort((left, right) => right.held - left.held || left.at - right.at)
  const chosen: Array<{ readonly at: number; readonly line: string }> = []
  let left = limit
  for (const { at, line, held } of best) {
    if (held === 0 && chosen.length > 0) break
    const room = left - (chosen.length === 0 ? 0 : Buffer.byteLength(`\n${gap}\n`))
    if (room < 40) break
    const shown = Buffer.byteLength(line) <= room ? line : around(line, wanted, room)
    chosen.push({ at, line: shown })
    left = room - Buffer.byteLength(shown)
  }
  chosen.sort((one, other) => one.at - other.at)
  return chosen
    .map(({ at, line }, index) => {
      const before = chosen[index - 1]
      return before !== undefined && before.at !== at - 1 ? `${gap}\n${line}` : line
    })
    .join("\n")
}

/** A part of a long line around the first word that was asked for. */
const around = (line: string, wanted: ReadonlySet<string>, limit: number): string => {
  const words = [...line.matchAll(/\S+/gu)]
  const first = words.find(([word]) => termsOf(word).some((term) => wanted.has(term)))?.index ?? 0
  // A third of the room stands before the word, on a word's beginning.
  const from = words.find(({ index }) => index >= first - limit / 3)?.index ?? 0
  const start = from === 0 ? "" : gap
  const { kept, dropped } = cutUtf8(line.slice(from), limit - 2 * gap.length)
  return `${start}${kept}${dropped > 0 ? gap : ""}`
}
