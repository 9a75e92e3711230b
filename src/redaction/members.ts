import { isHex, isRandom, isUuid } from "./literals.ts"
import type { NameClass } from "./names.ts"
import { isBlank, isQuote, quoteAt, skipSpaces } from "./quoting.ts"
import { type Found, readValue } from "./valueRuns.ts"
import { isSecretValue } from "./values.ts"

/** What does not hold a secret among the fields of one: its id, its digest, where it is kept. */
const harmlessField =
  /(?:id|hash|digest|sha\d{0,3}|sum|integrity|print|ref|reference|version|name|urls?|uri|arn|path|commit|tag|address|resolved|colou?r|salt|iv|data|public\w{0,4})$/

const shortest = 16

/** Whether a field of an object that is named for secrets holds one: `"apiKeys": {"maps": "…"}`, `secrets: {jwt: "…"}`. */
export const isSecretMember = (kind: NameClass | undefined, field: string, value: string): boolean =>
  (kind === "secret" || kind === "password") &&
  value.length >= shortest &&
  isRandom(value) &&
  // Behind a host stands no digest.
  (field.includes(".") || !(isUuid(value) || isHex(value))) &&
  isSecretValue("secret", value, "quoted") &&
  !harmlessField.test(field.toLowerCase())

/** A field up to its value, which is no object. */
const field = /\\{0,7}["']?([\w.-]{1,60})\\{0,7}["']?[ \t]{0,4}(?::|=>?)[ \t]{0,4}(?=[^\s{[])/y

/** How many blanks stand before `at` on its line, when nothing else does; -1 otherwise. */
const indentation = (text: string, at: number): number => {
  let from = at
  while (isBlank(text.charCodeAt(from - 1))) from--
  return text.charCodeAt(from - 1) === 10 ? at - from : -1
}

/** The secrets of an object, and where its fields end. */
interface Members {
  readonly found: ReadonlyArray<Found>
  readonly end: number
}

/** The secrets in the fields behind the colon at `at`: of an object between braces, or of the lines that are indented below a name in YAML. */
export const membersBehind = (text: string, at: number, kind: NameClass): Members => {
  const found: Array<Found> = []
  let next = skipSpaces(text, at + 1)
  const isBraced = text.charCodeAt(next) === 123
  if (isBraced) next = skipSpaces(text, next + 1)
  const indented = isBraced ? 0 : indentation(text, next)
  if (!isBraced && indented < 1) return { found, end: at }
  for (let fields = 0; fields < 100; fields++) {
    field.lastIndex = next
    const hit = field.exec(text)
    if (hit === null) break
    const start = next + hit[0].length
    const value = readValue(text, start, quoteAt(text, start) === undefined ? "line" : "quoted")
    if (value === undefined) break
    if (isSecretMember(kind, hit[1] ?? "", text.slice(value.start, value.end))) found.push(value)
    next = value.end
    while (next - value.end < 9 && (text.charCodeAt(next) === 92 || isQuote(text.charCodeAt(next)))) next++
    if (text.charCodeAt(next) === 44) next++
    next = skipSpaces(text, next)
    if (!isBraced && indentation(text, next) !== indented) break
  }
  return { found, end: next }
}
