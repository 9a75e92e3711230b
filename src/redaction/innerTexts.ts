import { Pieces } from "./pieces.ts"

const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", '"': '"', "\\": "\\", "/": "/" }

/** No value that only its name gives away is longer: such a string need not be looked at again with its name. */
const longestValue = 512

/** What stands in the strings of a JSON text, and the rest of it. */
export interface InnerTexts {
  readonly inner: Pieces
  readonly outer: Pieces
}

/**
 * Takes JSON apart whose strings have line ends or quotes of their own: `inner` are those strings, one under the other, as the files, commands or JSON texts
 * that they were before somebody wrote them into a field; `outer` is the rest with the short ones of them. Undefined when there are none.
 */
export const innerTexts = (text: string): InnerTexts | undefined => {
  if (!text.includes("\\n") && !text.includes('\\"')) return undefined
  const inner = new Pieces()
  const outer = new Pieces()
  let kept = 0
  for (let at = text.indexOf('"'); at !== -1; ) {
    let end = at + 1
    let escaped = -1
    for (let code = text.charCodeAt(end); end < text.length && code !== 34; code = text.charCodeAt(++end)) {
      if (code !== 92) continue
      end++
      if (escaped === -1 && 'n"'.includes(text.charAt(end))) escaped = end - 1
    }
    if (escaped !== -1) {
      let from = at + 1
      for (let i = text.indexOf("\\", from); i !== -1 && i < end; i = text.indexOf("\\", from)) {
        inner.add(text.slice(from, i), from)
        inner.add(escapes[text.charAt(i + 1)] ?? text.slice(i, i + 2), i, 2)
        from = i + 2
      }
      inner.add(text.slice(from, end), from)
      inner.add("\n\n", end, 0)
      if (end - at > longestValue) {
        outer.add(text.slice(kept, at + 1), kept)
        kept = end
      }
    }
    at = text.indexOf('"', end + 1)
  }
  if (inner.text === "") return undefined
  outer.add(text.slice(kept), kept)
  return { inner, outer }
}
