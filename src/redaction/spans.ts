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

const markersIn = (text: string): ReadonlyArray<readonly [number, number]> => {
  const found: Array<readonly [number, number]> = []
  for (let at = text.indexOf(markerStart); at !== -1; at = text.indexOf(markerStart, at + 1)) {
    // A marker is short; an opening without an end near it is ordinary text.
    const end = text.slice(at, at + 80).indexOf("]")
    if (end !== -1) found.push([at, at + end + 1])
  }
  return found
}

/**
 * Sorts spans and joins those that overlap; the longest one gives its rule to the whole. Spans inside an earlier marker are dropped, so that
 * redacting twice changes nothing.
 */
export const mergeSpans = (text: string, spans: Array<Span>): ReadonlyArray<Span> => {
  if (spans.length === 0) return spans
  spans.sort((a, b) => a.start - b.start || b.end - a.end)
  const merged: Array<{ start: number; end: number; rule: string; longest: number }> = []
  let last: (typeof merged)[number] | undefined
  for (const { start, end, rule } of spans) {
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
  const markers = markersIn(text)
  if (markers.length === 0) return merged
  let next = 0
  return merged.filter((span) => {
    while (next < markers.length && (markers[next]?.[1] ?? 0) <= span.start) next++
    const marked = markers[next]
    return marked === undefined || marked[0] > span.start || marked[1] < span.end
  })
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
