import { isObject } from "../domain/jsonObject.ts"

/** Whether a number is written again as it was: `12345678901234567890`, `1.0` and `1e400` are not. */
const isExact = (written: string): boolean => String(Number(written)) === written

/** Behind the string that begins at `start` of JSON. By hand: a pattern that runs over a string of many megabytes overflows the stack. */
const behindString = (json: string, start: number): number => {
  for (let end = json.indexOf('"', start + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let backslashes = 0
    while (json.charCodeAt(end - 1 - backslashes) === 92) backslashes++
    if (backslashes % 2 === 0) return end + 1
  }
  return json.length
}

/** The JSON with a string in the place of each number that would be written otherwise: the mark and the number. */
const marking = (json: string, mark: string): string => {
  const tokens = /"|-?\d[\d.eE+-]*/g
  let marked = ""
  let done = 0
  for (let token = tokens.exec(json); token !== null; token = tokens.exec(json)) {
    const [written] = token
    if (written === '"') tokens.lastIndex = behindString(json, token.index)
    else if (!isExact(written)) {
      marked += `${json.slice(done, token.index)}"${mark}${written}"`
      done = tokens.lastIndex
    }
  }
  return marked + json.slice(done)
}

/** Writes marked numbers as numbers. */
const unmarking = (json: string, mark: string): string =>
  json
    .split(`"${mark}`)
    .map((piece, at) => (at === 0 ? piece : piece.replace('"', "")))
    .join("")

/**
 * Writes a value as JSON, its numbers as they stood in the text that it was made from.
 *
 * @param value what became of the text's value; a number that it still has is one that nothing took out
 * @param text the JSON that it was read from
 */
export const withExactNumbers = (value: unknown, text: string): string => {
  const written = JSON.stringify(value)
  // What no string of it begins with.
  let mark = "#"
  while (written.includes(`"${mark}`)) mark += "#"
  const marked = marking(text, mark)
  return marked === text ? written : unmarking(JSON.stringify(merge(value, JSON.parse(marked))), mark)
}

/** The value, with the marked text of each number that it has where `exact` has one. */
const merge = (value: unknown, exact: unknown): unknown => {
  if (typeof value === "number") return typeof exact === "string" ? exact : value
  if (Array.isArray(value)) return Array.isArray(exact) ? value.map((one, at) => merge(one, exact[at])) : value
  if (!isObject(value) || !isObject(exact)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, merge(one, Object.hasOwn(exact, key) ? exact[key] : undefined)])
  )
}
