import { type Joined, wayBack } from "./splitTokens.ts"

const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", '"': '"', "\\": "\\", "/": "/" }

/** No value that only its name gives away is longer: such a string need not be looked at again with its name. */
const longestValue = 512

/** A text that is put together from pieces of another. */
interface Pieces {
  text: string
  readonly newAt: Array<number>
  readonly originalAt: Array<number>
}

const pieces = (): Pieces => ({ text: "", newAt: [], originalAt: [] })

const add = (to: Pieces, piece: string, originalAt: number): void => {
  to.newAt.push(to.text.length)
  to.originalAt.push(originalAt)
  to.text += piece
}

const joined = ({ text, newAt, originalAt }: Pieces): Joined => ({ text, toOriginal: wayBack(newAt, originalAt) })

/** What stands in the strings of a JSON text, and the rest of it. */
export interface InnerTexts {
  readonly inner: Joined
  readonly outer: Joined
}

/**
 * Takes JSON apart whose strings have line ends or quotes of their own: `inner` are those strings, one under the other, as the files, commands or JSON texts
 * that they were before somebody wrote them into a field; `outer` is the rest with the short ones of them. Undefined when there are none.
 */
export const innerTexts = (text: string): InnerTexts | undefined => {
  if (!text.includes("\\n") && !text.includes('\\"')) return undefined
  const inner = pieces()
  const outer = pieces()
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
        add(inner, text.slice(from, i), from)
        add(inner, escapes[text.charAt(i + 1)] ?? text.slice(i, i + 2), i)
        from = i + 2
      }
      add(inner, text.slice(from, end), from)
      add(inner, "\n\n", end)
      if (end - at > longestValue) {
        add(outer, text.slice(kept, at + 1), kept)
        kept = end
      }
    }
    at = text.indexOf('"', end + 1)
  }
  if (inner.text === "") return undefined
  add(outer, text.slice(kept), kept)
  return { inner: joined(inner), outer: joined(outer) }
}
