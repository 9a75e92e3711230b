import * as Schema from "effect/Schema"

/** A piece of what was recorded, around what was looked for. Line breaks are spaces; `…` stands where something was left out. */
export const Excerpt = Schema.Struct({
  text: Schema.String,
  /** Where the words stand in `text`: beginning and end (exclusive), in code units of UTF-16. */
  matches: Schema.Array(Schema.Tuple([Schema.Natural, Schema.Natural]))
})
export type Excerpt = typeof Excerpt.Type

/** Code units before and after the first word, and in all. */
const before = 48
const longest = 180

/**
 * An excerpt of the texts in a value around the words; undefined when not every word is in one of the texts. Capital letters do not matter. Keys are
 * no content: an event with a field `command` is not about commands.
 */
export const excerptOf = (value: unknown, words: ReadonlyArray<string>): Excerpt | undefined => {
  const wanted = words.map((word) => patternOf(word))
  const texts = [...leavesOf(value)]
  const places = wanted.map((pattern) => texts.findIndex((text) => text.search(pattern) >= 0))
  if (places.some((place) => place < 0)) return undefined
  // The text in which most of the words are.
  const score = (text: string) => wanted.filter((pattern) => text.search(pattern) >= 0).length
  const best = texts.reduce((most, text) => (score(text) > score(most) ? text : most), texts[places[0] ?? 0] ?? "")
  const first = Math.min(...wanted.map((pattern) => best.search(pattern)).filter((at) => at >= 0))
  return cutAround(best, Number.isFinite(first) ? first : 0, words)
}

const cutAround = (text: string, at: number, words: ReadonlyArray<string>): Excerpt => {
  const from = Math.max(0, Math.min(at - before, text.length - longest))
  const piece = text
    .slice(from, from + longest)
    // Half of a pair, where a cut fell into one.
    .replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "")
    .replace(/\s+/g, " ")
  const shown = `${from > 0 ? "…" : ""}${piece.trim()}${from + longest < text.length ? "…" : ""}`
  const matches = words
    .flatMap((word) => [...shown.matchAll(patternOf(word.replace(/\s+/g, " "), "giu"))])
    .map((match): [number, number] => [match.index, match.index + match[0].length])
    .sort(([left], [right]) => left - right)
  return { text: shown, matches: joined(matches) }
}

/** Places that overlap are one. */
const joined = (places: ReadonlyArray<[number, number]>): ReadonlyArray<[number, number]> => {
  const result: Array<[number, number]> = []
  for (const [start, end] of places) {
    const last = result.at(-1)
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end)
    else if (end > start) result.push([start, end])
  }
  return result
}

const patternOf = (word: string, flags = "iu"): RegExp =>
  new RegExp(word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), flags)

/** Every string in a value, and every number as it is written. */
function* leavesOf(value: unknown): Generator<string> {
  if (typeof value === "string") yield value
  else if (typeof value === "number") yield String(value)
  else if (typeof value === "object" && value !== null) for (const inner of Object.values(value)) yield* leavesOf(inner)
}
