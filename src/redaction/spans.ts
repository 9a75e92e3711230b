/** A piece of a text that has to go, and the id of the rule that says so. */
export interface Span {
  readonly start: number
  readonly end: number
  readonly rule: string
}

const markerStart = "[REDACTED:"

/** What stands in the place of a secret. The rule id is all that it tells. */
export const marker = (rule: string): string => `${markerStart}${rule}]`

/** What stands where nothing was looked at, because a budget was spent. */
export const unscanned: string = marker("unscanned")

/** Whether the text holds a marker of an earlier redaction. */
export const holdsMarker = (text: string): boolean => text.includes(markerStart)

/** Where the markers of earlier redactions stand. */
const markersIn = (text: string): ReadonlyArray<readonly [number, number]> => {
  const found: Array<readonly [number, number]> = []
  for (let at = text.indexOf(markerStart); at !== -1; at = text.indexOf(markerStart, at + 1)) {
    // A marker is short; an opening without an end near it is ordinary text.
    const end = text.slice(at, at + 80).indexOf("]")
    if (end !== -1) found.push([at, at + end + 1])
  }
  return found
}

const shortestRest = 4

/** The spans without what they share with markers. A span that holds a marker whole stays; one that is inside a marker goes. */
const besideMarkers = (text: string, spans: ReadonlyArray<Span>): Array<Span> => {
  const markers = markersIn(text)
  if (markers.length === 0) return [...spans]
  const kept: Array<Span> = []
  let next = 0
  for (const span of spans) {
    let { start, end } = span
    while (next < markers.length && (markers[next]?.[1] ?? 0) <= start) next++
    for (let at = next; at < markers.length; at++) {
      const [from, to] = markers[at] ?? [0, 0]
      if (from >= end) break
      if (start > from || (start === from && end <= to)) start = to
      if (end > from && end < to) end = from
    }
    const isWhole = start === span.start && end === span.end
    if (isWhole || end - start >= shortestRest) kept.push({ start, end, rule: span.rule })
  }
  return kept
}

/**
 * Sorts spans and joins those that overlap; the longest one gives its rule to the whole. Earlier markers stay what they are, so that redacting twice changes
 * nothing.
 */
export const mergeSpans = (text: string, spans: Array<Span>): ReadonlyArray<Span> => {
  if (spans.length === 0) return spans
  spans.sort((a, b) => a.start - b.start || b.end - a.end)
  const merged: Array<{ start: number; end: number; rule: string; longest: number }> = []
  let last: (typeof merged)[number] | undefined
  for (const { start, end, rule } of besideMarkers(text, spans)) {
    if (end <= start) continue
    const length = end - start
    if (last === undefined || start >= last.end) {
      last = { start, end, rule, longest: length }
      merged.push(last)
      continue
    }
    if (length > last.longest) {
      last.rule = rule
      last.longest = length
    }
    last.end = Math.max(last.end, end)
  }
  return merged
}

/** The text with each span replaced by its marker. The spans are sorted and do not overlap. */
export const applySpans = (text: string, spans: ReadonlyArray<Span>): string => {
  let out = ""
  let from = 0
  for (const span of spans) {
    out += text.slice(from, span.start) + marker(span.rule)
    from = span.end
  }
  return out + text.slice(from)
}
