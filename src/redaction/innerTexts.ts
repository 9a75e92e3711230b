import { type Joined, wayBack } from "./splitTokens.ts"

const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", '"': '"', "\\": "\\", "/": "/" }

/**
 * The texts that stand in the strings of JSON with line ends or quotes of their own, one under the other, and the way back: what a file, a command or another
 * JSON text was before it was written into a field.
 */
export const innerTexts = (text: string): Joined | undefined => {
  const opening = text.charCodeAt(0)
  if (opening !== 123 && opening !== 91) return undefined
  if (!text.includes("\\n") && !text.includes('\\"')) return undefined
  const newAt: Array<number> = []
  const originalAt: Array<number> = []
  let inner = ""
  for (let at = text.indexOf('"'); at !== -1; ) {
    let end = at + 1
    let escape = -1
    for (let code = text.charCodeAt(end); end < text.length && code !== 34; code = text.charCodeAt(++end)) {
      if (code !== 92) continue
      end++
      if (escape === -1 && 'n"'.includes(text.charAt(end))) escape = end - 1
    }
    if (escape !== -1) {
      let from = at + 1
      for (let i = text.indexOf("\\", from); i !== -1 && i < end; i = text.indexOf("\\", from)) {
        newAt.push(inner.length, inner.length + i - from)
        originalAt.push(from, i)
        inner += text.slice(from, i) + (escapes[text.charAt(i + 1)] ?? text.slice(i, i + 2))
        from = i + 2
      }
      newAt.push(inner.length)
      originalAt.push(from)
      inner += `${text.slice(from, end)}\n\n`
      newAt.push(inner.length - 2)
      originalAt.push(end)
    }
    at = text.indexOf('"', end + 1)
  }
  return inner === "" ? undefined : { text: inner, toOriginal: wayBack(newAt, originalAt) }
}
