import { applySpans, marker, mergeSpans, type Span } from "./spans.ts"

// A marker says less about its surroundings than the secret did that stood there: the name before it, the quote behind it or the line below may now be read
// in another way. What a second redaction would find is found at once, so that redacting again changes nothing.

const surroundings = 1024
/** A text up to here is looked at as a whole, because some forms reach far. */
const shortText = 32 * 1024
const longestLine = 2048
const mostLooks = 4
/** No text that people or tools write has so much around its secrets; one that was made to be slow has. */
const mostLookedAt = 64 * 1024

/** Where the line begins that holds `at`, or the place as far back as lines are followed. */
const lineStart = (text: string, at: number): number => {
  const from = Math.max(0, at - longestLine)
  const line = text.slice(from, at).lastIndexOf("\n")
  return line === -1 ? from : from + line + 1
}

const lineEnd = (text: string, at: number): number => {
  const line = text.slice(at, at + longestLine).indexOf("\n")
  return Math.min(text.length, line === -1 ? at + longestLine : at + line)
}

/** What surrounds the places where spans of a text became markers, in whole lines of the text with the markers. */
const placesAround = (text: string, spans: ReadonlyArray<Span>): ReadonlyArray<readonly [from: number, to: number]> => {
  if (text.length <= shortText) return [[0, text.length]]
  const places: Array<[from: number, to: number]> = []
  let moved = 0
  for (const span of spans) {
    const start = span.start + moved
    const end = start + marker(span.rule).length
    moved = end - span.end
    const last = places.at(-1)
    const to = lineEnd(text, Math.min(text.length, end + surroundings))
    if (last !== undefined && start - surroundings <= last[1]) last[1] = Math.max(last[1], to)
    else places.push([lineStart(text, Math.max(0, start - surroundings)), to])
  }
  return places
}

/**
 * The text with its spans redacted, and what a further redaction would find beside the markers.
 *
 * @param spans sorted, none overlapping
 * @param scan finds the spans of a piece of the text; undefined when it could not look at it
 * @param found is told what is found besides
 */
export const redactTwice = (
  original: string,
  spans: ReadonlyArray<Span>,
  scan: (piece: string) => ReadonlyArray<Span> | undefined,
  found: (span: Span) => void
): string => {
  let text = applySpans(original, spans)
  let last = spans
  let left = mostLookedAt
  for (let look = 0; look < mostLooks; look++) {
    const more: Array<Span> = []
    for (const [from, to] of placesAround(text, last)) {
      left -= to - from
      if (left < 0) break
      for (const { start, end, rule } of scan(text.slice(from, to)) ?? []) {
        // What reaches the edge of a piece goes on behind it, or begins before it.
        const isCut = (start === 0 && from > 0) || (from + end === to && to < text.length)
        if (!isCut) more.push({ start: from + start, end: from + end, rule })
      }
    }
    last = mergeSpans(text, more)
    if (last.length === 0) return text
    for (const span of last) found(span)
    text = applySpans(text, last)
  }
  return text
}
