/** A longer text is read as text alone. */
const longest = 32 * 1024
/** How often the text is searched. */
const mostStrings = 1000
/** A quote in JSON in JSON in JSON in JSON, with its backslashes. */
const longestQuote = 8

const opening = /(?:^|\n|: )[{[](?=\s{0,80}["{[\d])/
/** The number or the sign that a tool writes before each line. */
const framing = /^(?: {0,6}\d{1,6}[\u2192\t]|\+)/gm

/** The object or the array in JSON that the text holds, whole or behind words of a tool; undefined when there is none. */
export const jsonOf = (text: string): object | undefined => {
  if (text.length > longest || !text.includes('"')) return undefined
  const plain =
    text.includes("\u2192") || text.includes("\t") || text.includes("\n+") ? text.replace(framing, "") : text
  const start = plain.search(opening)
  if (start === -1) return undefined
  const from = plain.slice(start, start + 3).search(/[{[]/) + start
  const closing = plain.charCodeAt(from) === 123 ? "}" : "]"
  const end = plain.lastIndexOf(closing)
  if (end < from) return undefined
  // One value a line, as logs have it: told apart here, because what JSON.parse throws is dear.
  const lineEnd = plain.indexOf("\n", from)
  if (lineEnd !== -1 && lineEnd < end && plain.charAt(lineEnd - 1) === closing) return undefined
  try {
    return JSON.parse(plain.slice(from, end + 1)) as object
  } catch {
    return undefined
  }
}

/** Where strings of the JSON in a text stand in it, also those of JSON in its strings: what is between their quotes. */
export const placesOfStrings = (
  text: string,
  strings: Iterable<string>
): ReadonlyArray<[start: number, end: number]> => {
  const places: Array<[start: number, end: number]> = []
  let left = mostStrings
  for (const string of strings) {
    const before = places.length
    let written = JSON.stringify(string)
    for (let quote = 1; quote <= longestQuote && left > 0 && places.length === before; quote *= 2) {
      left--
      for (let at = text.indexOf(written); at !== -1; at = text.indexOf(written, at + written.length))
        places.push([at + quote, at + written.length - quote])
      written = JSON.stringify(written).slice(1, -1)
    }
  }
  return places
}
