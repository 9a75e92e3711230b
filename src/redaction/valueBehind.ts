import { declaredValue, isLetter } from "./behindNames.ts"
import { digits, isIn, upperalnum, urldot, word } from "./characterClasses.ts"
import { opensLine } from "./lineOpenings.ts"
import { insideWrapper } from "./otherForms.ts"
import { isQuote, isSpace, quoteAt, skipBlanks, skipSpaces } from "./quoting.ts"
import { type Found, lineValueEnd, readValue } from "./valueRuns.ts"
import type { Setting } from "./values.ts"
import { words } from "./words.ts"

const pairValue =
  /(?:\\*["'])?\s*[,;|]?\s*(?:\\*["'])?(?:android:)?(?:value|val|content|stringValue|plaintext|Value|secretString|ParameterValue)(?:\\*["'])?\s*(?::|=>?)\s*/y
const valueStarts = ["val", "android:val", "content", "stringValue", "plaintext", "Value", "secretString", "ParameterV"]
/** What a type is written with: letters, digits and `_&<>[]'?|.*:` with blanks. */
const isTypeSign = (code: number): boolean => isIn(code, word) || " &<>[]'?|.*:".includes(String.fromCharCode(code))

/** Behind the type and the equals sign of a declaration: `name: str = "value"`; `at` when none is there. */
const behindType = (text: string, at: number): number => {
  let end = skipBlanks(text, at)
  const type = end
  while (end - type < 48 && isTypeSign(text.charCodeAt(end))) end++
  if (end === type || text.charCodeAt(end) !== 61) return at
  // A literal that ends in the padding of base64 is none.
  if (isQuote(text.charCodeAt(type)) && text.charCodeAt(end - 1) !== 32) return at
  // `Digest username="…"` is no type: one of several words has a blank before the sign.
  if (text.charCodeAt(end - 1) !== 32 && text.slice(type, end).includes(" ")) return at
  const value = skipBlanks(text, end + 1)
  return quoteAt(text, value) !== undefined ||
    (isLetter(text.charCodeAt(value)) && insideWrapper(text, value) !== value)
    ? value
    : at
}

const tag = /(?:&[\w-]{1,40}|!!\w{1,16})[ \t]{1,4}(?=\S)/y

/** Behind the anchor or the tag of a YAML value: `&name value`, `!!str value`. */
const behindTag = (text: string, at: number): number => {
  tag.lastIndex = at
  return at + (tag.exec(text)?.[0].length ?? 0)
}

/** `name = <<EOF`: a text of several lines in shells, HCL and PHP. */
const heredoc = /<{2,3}[-~]?['"]?\w{1,20}['"]?(?:\r?\n)[ \t]*/y
const blockScalar = /[|>][+-]?\d?[ \t]*(?:\r?\n|\\n)[ \t]+/y
const tellings = [
  "ist",
  "is",
  "was",
  "are",
  "=",
  "to",
  "will be",
  "should be",
  "set to",
  "changed to",
  "reset to",
  "updated to",
  "est",
  "es",
  "lautet",
  "jest",
  "è",
  "é"
]

/** `name is value`, `name set to: value`: where the value begins behind the blank at `at`; -1 when nothing is told. */
const toldValue = (text: string, at: number): number => {
  const near = text.slice(at + 1, at + 12).toLowerCase()
  const telling = tellings.find((words) => near.startsWith(words))
  if (telling === undefined) return -1
  const behind = at + 1 + telling.length
  const colon = skipSpaces(text, behind)
  if (text.charCodeAt(colon) === 58) {
    // What stands on the next line is an answer.
    const value = skipBlanks(text, colon + 1)
    if (value > colon + 1) return value
  }
  return colon > behind ? colon : -1
}

/** `DB_PASSWORD`: capitals, digits and `_`, a capital first. */
export const isUpperName = (name: string): boolean => {
  if (isIn(name.charCodeAt(0), digits) || name.startsWith("_")) return false
  for (let i = 0; i < name.length; i++)
    if (!isIn(name.charCodeAt(i), upperalnum) && name.charCodeAt(i) !== 95) return false
  return name !== ""
}

const longestBare = 2048

/** The text of the element whose tag holds the name: `<password>…<`, `<db:password encrypted="false">…<`, `<entry key="password">…<`. */
const elementText = (text: string, nameEnd: number): Found | undefined => {
  const tag = text.slice(nameEnd, nameEnd + 200)
  const close = tag.indexOf(">")
  if (close === -1 || tag.charAt(close - 1) === "/" || /[<{]/.test(tag.slice(0, close))) return undefined
  const open = nameEnd + close + 1
  const isRaw = text.startsWith("<![CDATA[", open)
  // <AdministratorPassword><Value>…
  const inner = skipSpaces(text, open)
  const isNested = text.startsWith("<Value>", inner) || text.startsWith("<value>", inner)
  const start = isRaw ? open + 9 : isNested ? inner + 7 : inner
  const length = text.slice(start, start + longestBare).indexOf(isRaw ? "]]>" : "<")
  const shown = text.slice(start, start + length).trimEnd().length
  return length > 0 && shown > 0 ? { start, end: start + shown, setting: "quoted" } : undefined
}

const valueAttribute = /[^<>]{0,160}?\s[vV]alue\s{0,4}=\s{0,4}(?=\\{0,7}["'])/y

/** The value of the element that begins with the name: `<password value="…"/>`. */
const attributeValue = (text: string, nameEnd: number): Found | undefined => {
  if (!isSpace(text.charCodeAt(nameEnd))) return undefined
  valueAttribute.lastIndex = nameEnd
  const hit = valueAttribute.exec(text)
  return hit === null ? undefined : readValue(text, nameEnd + hit[0].length, "quoted")
}

/** What parts a name from its value; `tight`: a lone equals sign right behind the name. */
interface Separator {
  readonly end: number
  readonly hasColon: boolean
  readonly isColon: boolean
  readonly tight: boolean
}

// The longer of those that begin alike first, and the frequent ones.
const signs = [":=", ":-", "::", ":", "=>", "=", "->", "→", "–", "—", "||=", "??=", "：", "＝", "は", "是", "为"]
const signCodes = ":=-→–—|?：＝は是为"

/** The separator at `from`, behind blanks and line ends: `name = `, `name?: `, `name := `. */
const separatorAt = (text: string, from: number): Separator | undefined => {
  let at = from
  while (at - from < 40 && isSpace(text.charCodeAt(at))) at++
  const optional = text.charCodeAt(at) === 63 && text.charCodeAt(at + 1) !== 63
  if (optional) at++
  if (isSpace(text.charCodeAt(at))) at++
  if (!signCodes.includes(text.charAt(at))) return undefined
  const sign = signs.find((candidate) => text.startsWith(candidate, at))
  if (sign === undefined || (sign === "=" && (text.charAt(at + 1) === "=" || text.charAt(at + 1) === "~")))
    return undefined
  return {
    end: at + sign.length,
    hasColon: sign.includes(":"),
    isColon: sign === ":" && !optional,
    tight: sign === "=" && at === from
  }
}

/** Behind the blanks, quotes and commas at `at`. */
const skipSigns = (text: string, at: number): number => {
  let i = at
  while (i - at < 200 && (isSpace(text.charCodeAt(i)) || "\"'\\,;|".includes(text.charAt(i) || " "))) i++
  return i
}

// What a sentence goes on with behind the name of a flag.
const proseWords = words(
  "and or with without for to is in if when via flag flags option options arg argument arguments but as the an are from of on not can will must should may parameter parameters instead was has"
)

/** `use --password with care`: whether the word at `at` is one of a sentence about the flag. */
const isProse = (text: string, at: number): boolean => {
  let end = at
  while (isLetter(text.charCodeAt(end))) end++
  return !isIn(text.charCodeAt(end), word) && proseWords.has(text.slice(at, end))
}

/** The first value of a list that opens at `at`: `["value", …]`, `("value", …)`. */
const firstOfList = (text: string, at: number, rest: Setting): Found | undefined => {
  let first = at + 1
  while (first - at < 80 && isSpace(text.charCodeAt(first))) first++
  const found = quoteAt(text, first) === undefined ? undefined : readValue(text, first, "quoted")
  return found === undefined ? undefined : { ...found, rest }
}

const nextOfList = /\\{0,15}["'`]\s{0,80},\s{0,80}(?=\\{0,15}["'`])/y

/** The values of a list behind its first. */
export const restOfList = (text: string, first: Found, setting: Setting): ReadonlyArray<Found> => {
  const found: Array<Found> = []
  for (let last = first; found.length < 200; ) {
    nextOfList.lastIndex = last.end
    const sign = nextOfList.exec(text)
    const next = sign === null ? undefined : readValue(text, last.end + sign[0].length, setting)
    if (next === undefined) break
    found.push(next)
    last = next
  }
  return found
}

const item = /[ \t]{0,8}\r?\n[ \t]{0,40}- (?=\S)/y

/** The values of a list in YAML, whose name ends with the colon at `at`. */
export const itemsBehind = (text: string, at: number): ReadonlyArray<Found> => {
  const found: Array<Found> = []
  for (let end = at + 1; found.length < 200; ) {
    item.lastIndex = end
    const sign = item.exec(text)
    const next = sign === null ? undefined : readValue(text, end + sign[0].length, "line")
    if (next === undefined) break
    found.push(next)
    end = isQuote(text.charCodeAt(next.end)) ? next.end + 1 : next.end
  }
  return found
}

/** What tests do, and people: `it is okay to pass …`. */
export const isVerb = (name: string): boolean => name === "pass" || name === "Pass" || name === "passes"

const nextAssignment = /[^\s]{1,400}[ \t]{1,8}[\w.-]{1,40}=/y

/** Whether the value at `at` is quoted, or ends its line or before another assignment: `password=Enter your password` is a label. */
const isWholeValue = (text: string, at: number): boolean => {
  if (quoteAt(text, at) !== undefined || lineValueEnd(text, at) !== -1) return true
  nextAssignment.lastIndex = at
  return nextAssignment.test(text)
}

/** Whether the next field of a form begins at `at`: `&scope=`. */
const isNextField = (text: string, at: number): boolean => {
  if (text.charCodeAt(at) !== 38) return false
  let end = at + 1
  while (end - at < 65 && isIn(text.charCodeAt(end), urldot)) end++
  return end > at + 1 && text.charCodeAt(end) === 61
}

/** Whether the unquoted value at `at` ends before the next field of a form. */
const isField = (text: string, at: number): boolean => {
  let end = at
  for (let code = text.charCodeAt(end); end - at < longestBare; code = text.charCodeAt(++end)) {
    if (code === 38) return end > at && isNextField(text, end)
    if (!(code > 32) || code === 34 || code === 39 || code === 60 || code === 62 || code === 92 || code === 96)
      return false
  }
  return false
}

const connectionFields =
  /\b(?:server|data source|host|user ?id|uid|user(?:name)?|database|initial catalog|port)=[^;\n]{1,120}; $/i

/** `Server=…; User ID=…; Password=…`: whether a blank parts the name from the semicolon of another field of a connection string. */
const isConnectionField = (text: string, nameStart: number): boolean =>
  text.charCodeAt(nameStart - 1) === 32 &&
  text.charCodeAt(nameStart - 2) === 59 &&
  connectionFields.test(text.slice(Math.max(0, nameStart - 160), nameStart))

/** The value that belongs to the name between `nameStart` and `nameEnd`, in one of the usual forms. */
export const findValue = (text: string, nameStart: number, nameEnd: number, name: string): Found | undefined => {
  const before = text.charCodeAt(nameStart - 1)
  const closing = quoteAt(text, nameEnd)
  // '#password' of a selector
  const quotedName =
    closing !== undefined &&
    nameStart > 0 &&
    (isQuote(before) ||
      before === 45 ||
      before === 35 ||
      ((before === 58 || before === 47) && text.charCodeAt(closing.after) !== 44))
  let at = quotedName ? closing.after : nameEnd
  const next = text.charCodeAt(at)

  if (before === 60 || (before === 58 && /<[\w-]{1,24}:$/.test(text.slice(Math.max(0, nameStart - 26), nameStart)))) {
    return elementText(text, nameEnd) ?? attributeValue(text, nameEnd)
  }
  if (next === 60) {
    const element = /^<\/[\w.:-]{1,40}>\s{0,40}<[\w.:-]{1,40}(?: [^<>\n]{0,80})?>/.exec(text.slice(at, at + 120))?.[0]
    return element === undefined ? undefined : elementText(text, at + element.length - 1)
  }
  if (quotedName && text.charCodeAt(skipBlanks(text, at)) === 123) {
    const variable = /^[ \t]{0,4}\{\s[^{}]{0,240}?default\s{0,12}=\s*/.exec(text.slice(at, at + 300))?.[0]
    if (variable !== undefined) return readValue(text, at + variable.length, "quoted")
  } else if (!quotedName && (next === 32 || next === 9)) {
    const declared = declaredValue(text, at)
    if (declared !== -1) return readValue(text, declared, "quoted")
  }
  if (quotedName || isSpace(next) || next === 44) {
    pairValue.lastIndex = at
    const sign = skipSigns(text, at)
    const pair = valueStarts.some((word) => text.startsWith(word, sign)) ? pairValue.exec(text) : null
    if (pair !== null) return readValue(text, at + pair[0].length, "quoted")
    if (quotedName && next === 62) return elementText(text, at)
  }
  if (quotedName && next === 93) at++
  if (!quotedName) {
    // --password value, -Password value
    if (name.startsWith("-") && (next === 32 || next === 61)) {
      const value = next === 32 ? skipBlanks(text, at + 1) : at + 1
      const code = text.charCodeAt(value)
      // --ask-password https://…, --password= https://…
      if (isSpace(code) || text.slice(value, value + 8).includes("://")) return undefined
      return code === 45 || code === 124 || (next === 32 && isProse(text, value))
        ? undefined
        : readValue(text, value, "sure")
    }
    // setPassword("value"), changePassword("user", "value")
    if (next === 40) return firstOfList(text, at, "told")
    if (next === 32 || next === 9) {
      const value = skipBlanks(text, at)
      const code = text.charCodeAt(value)
      if ((code === 39 || code === 34) && (/^(?:password|secret|passphrase)$/i.test(name) || isUpperName(name)))
        return readValue(text, value, "quoted")
    }
  } else if (next === 44) {
    // ("password", "value") and ["X-Api-Key", "value"]
    const value = skipBlanks(text, at + 1)
    return quoteAt(text, value) === undefined ? undefined : readValue(text, value, "quoted")
  }
  const mark = separatorAt(text, at)
  if (mark === undefined) {
    if (!isSpace(text.charCodeAt(at))) return undefined
    const told = isVerb(name) ? -1 : toldValue(text, at)
    return told === -1 ? undefined : readValue(text, told, "bare")
  }
  at = mark.end
  if (mark.hasColon) at = behindType(text, at)
  let value = skipBlanks(text, at)
  const opening = text.charCodeAt(value)
  if (mark.isColon && (opening === 38 || opening === 33)) value = behindTag(text, value)
  else if (opening === 60 && text.charCodeAt(value + 1) === 60 && text.charCodeAt(value + 2) !== 34) {
    heredoc.lastIndex = value
    const begun = heredoc.exec(text)
    if (begun !== null) return readValue(text, value + begun[0].length, "line")
  }
  // Erlang: name => <<"value">>
  if (opening === 60 && text.startsWith('<<"', value)) value += 2
  else if (opening === 91 && text.startsWith("[]byte(", value)) value += 7
  else if (isLetter(opening) && text.slice(value, value + 49).includes("(")) value = insideWrapper(text, value)
  if (text.charCodeAt(value) === 91) {
    const first = firstOfList(text, value, "quoted")
    if (first !== undefined) return first
  }
  blockScalar.lastIndex = value
  const block = mark.isColon && (opening === 124 || opening === 62) ? blockScalar.exec(text) : null
  if (block !== null) return readValue(text, value + block[0].length, "line")
  const tight = mark.tight && value === at && !quotedName
  if (tight && "?&#".includes(text.charAt(nameStart - 1)) && nameStart > 0) return readValue(text, value, "sure", "&#")
  if (tight && (before === 59 || before === 38 || isConnectionField(text, nameStart)))
    return readValue(text, value, "sure", "&")
  const opens = opensLine(text, nameStart)
  if (tight && !isUpperName(name)) {
    // The first field of a form: client_secret=&scope=read, refresh_token=value&scope=read
    if (isNextField(text, value)) return undefined
    if (isField(text, value)) return readValue(text, value, opens ? "sure" : "bare", "&")
  }
  if (tight && (isUpperName(name) || (opens && isWholeValue(text, value)))) return readValue(text, value, "sure")
  if (opens && isUpperName(name) && mark.isColon && lineValueEnd(text, value) !== -1)
    return readValue(text, value, "sure")
  return readValue(text, value, opens || quotedName ? "line" : "bare")
}
