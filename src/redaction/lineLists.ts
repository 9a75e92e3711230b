import { marker, type Span } from "./spans.ts"

const signs = "+- \\"

/** How the lines of a list are parted: a sign stands before each, as in the hunks of a patch, or a line end behind it, as in the cells of a notebook. */
type Form = "signed" | "ended" | "plain"

const formOf = (items: ReadonlyArray<unknown>): Form | undefined => {
  if (items.length < 2) return undefined
  let signed = true
  let ended = true
  let key = false
  // A list of arguments has dashes as well.
  let added = false
  for (const [index, item] of items.entries()) {
    if (typeof item !== "string") return undefined
    signed &&= signs.includes(item.charAt(0) || "x")
    added ||= item.startsWith("+")
    ended &&= item.endsWith("\n") || index === items.length - 1
    key ||= item.startsWith("-----BEGIN ")
  }
  return ended ? "ended" : signed && added ? "signed" : key ? "plain" : undefined
}

/** The lines with each span replaced in every line that it touches, so that a list keeps its length. */
const apply = (lines: ReadonlyArray<string>, spans: ReadonlyArray<Span>, gap: number): Array<string> => {
  let from = 0
  let next = 0
  return lines.map((line) => {
    const end = from + line.length
    // The line end of a notebook is part of its line, and stays.
    const last = line.endsWith("\n") ? end - 1 : end
    let out = ""
    let done = from
    for (let i = next; i < spans.length; i++) {
      const span = spans[i]
      if (span === undefined || span.start >= last) break
      if (span.end <= end) next = i + 1
      if (span.end <= done) continue
      const start = Math.max(span.start, done)
      out += line.slice(done - from, start - from) + marker(span.rule)
      done = Math.min(span.end, last)
    }
    out += line.slice(done - from)
    from = end + gap
    return out
  })
}

const mostLooks = 4

/**
 * A text that is kept as a list of its lines, read as a text; undefined for any other list.
 *
 * @param scan finds the spans of a text: sorted, none overlapping
 */
export const redactLines = (
  items: ReadonlyArray<unknown>,
  longest: number,
  scan: (text: string) => ReadonlyArray<Span> | undefined
): ReadonlyArray<string> | undefined => {
  const form = formOf(items)
  if (form === undefined) return undefined
  const skip = form === "signed" ? 1 : 0
  let lines = (items as ReadonlyArray<string>).map((item) => item.slice(skip))
  for (let look = 0; look < mostLooks; look++) {
    const text = lines.join(form === "ended" ? "" : "\n")
    const spans = text.length > longest ? undefined : scan(text)
    if (spans === undefined) return undefined
    if (spans.length === 0) break
    lines = apply(lines, spans, form === "ended" ? 0 : 1)
  }
  return skip === 0 ? lines : lines.map((line, index) => (items[index] as string).charAt(0) + line)
}
