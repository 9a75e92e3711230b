import { declaredValue, isLetter, isSet, mayPrecedeValue } from "./behindNames.ts"
import { digits, isIn, upperalnum } from "./characterClasses.ts"
import { cookieSpans } from "./headers.ts"
import { opensLine } from "./lineOpenings.ts"
import { findNames, isNameCode } from "./nameHits.ts"
import { classifyName, type NameClass } from "./names.ts"
import { isEscapedEnd, isQuote, isSpace, quoteAt, quotedEnd, skipBlanks, skipSpaces } from "./quoting.ts"
import type { Scan } from "./scan.ts"
import { isSecretValue, type Setting, secretStart } from "./values.ts"

// What sensitive names are called in other scripts, or with letters that are no ASCII.
const foreignPieces = "[Hh]asło|[Ll]ösenord|[Пп]ароль|密码|密碼|口令|パスワード|비밀번호"

const nameRest = "[\\w.\\-\\u00c0-\\u024f]{0,64}"
// The rest of a name is taken whole or not at all: shorter ones would each be held against all that may follow.
const nameEnd = "(?![\\w.\\-\\u00c0-\\u024f])"
/** Made at the first use, like everything that is compiled from strings here: most texts have no such name. */
let foreign: RegExp | undefined
let foreignNames: RegExp | undefined

/** Where the name begins whose middle is at `at`. */
const nameStart = (text: string, at: number): number => {
  let start = at
  while (start > 0 && at - start < 96 && isNameCode(text.charCodeAt(start - 1))) start--
  return start
}

const longestQuoted = 16_384
const longestBare = 2048

/** A value beside a name: its bounds without quotes. */
interface Found {
  readonly start: number
  readonly end: number
  readonly setting: Setting
}

const isLineEnd = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at)
  return (
    at >= text.length ||
    code === 10 ||
    code === 13 ||
    code === 0 ||
    (code === 92 && isEscapedEnd(text, at) && !isQuote(text.charCodeAt(at + 1)))
  )
}

// Runs of an unquoted value, inside a URL, and of a word. An escaped line end or quote ends them: `A=1\nB=2` in a JSON string.
const bareRun = /(?:[^\s"'`,;<>\u2026\x7f\\]|\\(?!\\{0,15}[nrt"'`])){0,2048}/y
const urlRun = /(?:[^\s"'`,;<>\u2026\x7f\\&#]|\\(?!\\{0,15}[nrt"'`u])){0,2048}/y
const wordRun = /(?:[^\s\x00-\x1f\\]|\\(?!\\{0,15}[nrt"'`])){1,2048}/y

const runEnd = (pattern: RegExp, text: string, from: number): number => {
  pattern.lastIndex = from
  return from + (pattern.exec(text)?.[0].length ?? 0)
}

/** The end of an unquoted value; in a URL `&` and `#` end it as well. */
const bareEnd = (text: string, from: number, alone: string): number =>
  runEnd(alone === "" ? bareRun : urlRun, text, from)

/** The end of the last word of the line that begins at `from`, when the line is that one word; -1 otherwise. */
const lineValueEnd = (text: string, from: number): number => {
  const end = runEnd(wordRun, text, from)
  if (end === from) return -1
  const rest = skipBlanks(text, end)
  return isLineEnd(text, rest) || (rest > end && text.charCodeAt(rest) === 35) ? end : -1
}

const trimPunctuation = (text: string, start: number, end: number): number => {
  let to = end
  while (to > start) {
    const last = text.charAt(to - 1)
    if (!")]}.:?,;|".includes(last)) break
    if (last === ")" && text.slice(start, to - 1).includes("(")) break
    to--
  }
  return to
}

const readValue = (text: string, at: number, setting: Setting, alone = ""): Found | undefined => {
  const quote = quoteAt(text, at)
  if (quote !== undefined) {
    return {
      start: quote.after,
      end: quotedEnd(text, quote, longestQuoted),
      setting: setting === "sure" ? "sure" : "quoted"
    }
  }
  if (setting === "line" || (setting === "sure" && alone === "")) {
    const end = lineValueEnd(text, at)
    // A quote or comma at the end belongs to the text around the line.
    if (end !== -1 && !"\"'`,;)}]".includes(text.charAt(end - 1))) return { start: at, end, setting }
  }
  const end = trimPunctuation(text, at, bareEnd(text, at, alone))
  if (end <= at) return undefined
  return { start: at, end, setting: setting === "line" ? "bare" : setting }
}

const pairValue =
  /(?:\\*["'])?\s*[,;]?\s*(?:\\*["'])?(?:value|val|content|stringValue|plaintext|Value|secretString)(?:\\*["'])?\s*(?::|=>?)\s*/y
const valueStarts = ["val", "content", "stringValue", "plaintext", "Value", "secretString"]
const declaredType =
  /\s*(?:&?(?:'static )?)(?:str|string|String|char\s?\*|std::string|Optional\[str\]|any|unknown|SecretStr|Text)(?:\s*\|\s*(?:null|undefined|None))?\s*=\s*/y
const typeStarts = ["&", "str", "std:", "String", "SecretS", "Opt", "char", "any", "unknown", "Text"]

/** Behind the type and the equals sign of a declaration: `name: str = "value"`; `at` when none is there. */
const behindType = (text: string, at: number): number => {
  const type = skipBlanks(text, at)
  if (!typeStarts.some((start) => text.startsWith(start, type))) return at
  if (!text.slice(at, at + 160).includes("=")) return at
  declaredType.lastIndex = at
  return at + (declaredType.exec(text)?.[0].length ?? 0)
}

const blockScalar = /[|>][+-]?\d?[ \t]*(?:\r?\n|\\n)[ \t]+/y
const tellings = ["is", "was", "are", "=", "to", "will be", "should be", "set to", "changed to"]

/** `name is value`, `name set to: value`: where the value begins behind the blank at `at`; -1 when nothing is told. */
const toldValue = (text: string, at: number): number => {
  const near = text.slice(at + 1, at + 12).toLowerCase()
  const telling = tellings.find((words) => near.startsWith(words))
  if (telling === undefined) return -1
  const behind = at + 1 + telling.length
  const colon = skipSpaces(text, behind)
  if (text.charCodeAt(colon) === 58) {
    const value = skipSpaces(text, colon + 1)
    if (value > colon + 1) return value
  }
  return colon > behind ? colon : -1
}

/** `DB_PASSWORD`: capitals, digits and `_`, a capital first. */
const isUpperName = (name: string): boolean => {
  if (isIn(name.charCodeAt(0), digits) || name.startsWith("_")) return false
  for (let i = 0; i < name.length; i++)
    if (!isIn(name.charCodeAt(i), upperalnum) && name.charCodeAt(i) !== 95) return false
  return name !== ""
}

/** The text of the element whose tag holds the name: `<password>…<`, `<db:password encrypted="false">…<`, `<entry key="password">…<`. */
const elementText = (text: string, nameEnd: number): Found | undefined => {
  const tag = text.slice(nameEnd, nameEnd + 200)
  const close = tag.indexOf(">")
  if (close === -1 || tag.charAt(close - 1) === "/" || /[<{]/.test(tag.slice(0, close))) return undefined
  const start = nameEnd + close + 1
  const length = text.slice(start, start + longestBare).indexOf("<")
  return length > 0 ? { start, end: start + length, setting: "quoted" } : undefined
}

/** What parts a name from its value; `tight`: a lone equals sign right behind the name. */
interface Separator {
  readonly end: number
  readonly hasColon: boolean
  readonly isColon: boolean
  readonly tight: boolean
}

const signs = [":=", "=>", "->", "::", "||=", "??=", ":", "=", "：", "＝"]
const signCodes = ":=-|?：＝"

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
  while (i - at < 200 && (isSpace(text.charCodeAt(i)) || "\"'\\,;".includes(text.charAt(i) || " "))) i++
  return i
}

const findValue = (text: string, nameStart: number, nameEnd: number, name: string): Found | undefined => {
  const before = text.charCodeAt(nameStart - 1)
  const closing = quoteAt(text, nameEnd)
  const quotedName = closing !== undefined && nameStart > 0 && (isQuote(before) || before === 45)
  let at = quotedName ? closing.after : nameEnd
  const next = text.charCodeAt(at)

  if (next === 60) {
    const element = /^<\/\w{1,24}>\s{0,40}<\w{1,24}>/.exec(text.slice(at, at + 120))?.[0]
    return element === undefined ? undefined : elementText(text, at + element.length - 1)
  }
  if (quotedName && text.charCodeAt(skipBlanks(text, at)) === 123) {
    const variable = /^[ \t]{0,4}\{\s[^{}]{0,240}?default\s{0,12}=\s*/.exec(text.slice(at, at + 300))?.[0]
    if (variable !== undefined) return readValue(text, at + variable.length, "quoted")
  } else if (!quotedName && (next === 32 || next === 9)) {
    const declared = declaredValue(text, at)
    if (declared !== -1) return readValue(text, declared, "quoted")
  }
  if (before === 60 || (before === 58 && /<[\w-]{1,24}:$/.test(text.slice(Math.max(0, nameStart - 26), nameStart)))) {
    return elementText(text, nameEnd)
  }
  if (quotedName || isSpace(next)) {
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
      const value = skipBlanks(text, at + 1)
      const code = text.charCodeAt(value)
      return code === 45 || code === 124 ? undefined : readValue(text, value, "sure")
    }
    // setPassword("value")
    if (next === 40) return quoteAt(text, at + 1) === undefined ? undefined : readValue(text, at + 1, "quoted")
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
    const told = toldValue(text, at)
    return told === -1 ? undefined : readValue(text, told, "bare")
  }
  at = mark.end
  if (mark.hasColon) at = behindType(text, at)
  const value = skipBlanks(text, at)
  const opening = text.charCodeAt(value)
  blockScalar.lastIndex = value
  const block = mark.isColon && (opening === 124 || opening === 62) ? blockScalar.exec(text) : null
  if (block !== null) return readValue(text, value + block[0].length, "line")
  const tight = mark.tight && value === at && !quotedName
  if (tight && "?&".includes(text.charAt(nameStart - 1)) && nameStart > 0) return readValue(text, value, "sure", "&#")
  if (tight && (before === 59 || before === 38)) return readValue(text, value, "sure", "&")
  const opens = opensLine(text, nameStart)
  if (tight && (isUpperName(name) || opens)) return readValue(text, value, "sure")
  if (opens && isUpperName(name) && mark.isColon && lineValueEnd(text, value) !== -1)
    return readValue(text, value, "sure")
  return readValue(text, value, opens || quotedName ? "line" : "bare")
}

const ruleOf = (kind: NameClass): string =>
  kind === "password" ? "password" : kind === "authorization" ? "authorization" : "secret"

const headerEnd = (text: string, from: number): number => {
  const rest = text.slice(from, from + 2048)
  const stop = rest.search(/[\r\n"'`]|\\[nr"']/)
  return stop === -1 ? from + rest.length : from + stop
}

const lookAt = (scan: Scan, hitStart: number, end: number): number => {
  const { text } = scan
  let start = nameStart(text, hitStart)
  // The n of an escaped line end and the digits of an escaped character are no part of the name behind them.
  if (text.charCodeAt(start - 1) === 92) {
    if (/[nrt]/.test(text.charAt(start))) start++
    else if (/^u00[0-9a-f]{2}/i.test(text.slice(start, start + 5))) start += 5
  } else if (text.charCodeAt(start - 1) === 37) start += 2
  const name = text.slice(start, end)
  let kind = classifyName(name)
  if (kind === "weak" && text.charCodeAt(start - 1) === 32) {
    // api key: …
    let from = start - 1
    while (start - from <= 16 && isLetter(text.charCodeAt(from - 1))) from--
    if (start - from > 2) kind = classifyName(`${text.slice(from, start - 1)}_${name}`) ?? kind
  }
  if (kind === undefined) return end
  const found = isSet(text, start, end)
    ? readValue(text, skipBlanks(text, end), "sure")
    : findValue(text, start, end, name)
  if (found === undefined) return end
  const valueEnd = kind === "authorization" || kind === "cookie" ? headerEnd(text, found.start) : found.end
  // A value is read twice and judged once; a text that repeats names without end pays for it here.
  scan.work.left -= 4 * (valueEnd - found.start)
  if (kind === "cookie") {
    cookieSpans(text, found.start, valueEnd, (from, to) => scan.add(from, to, "cookie"))
    return Math.max(end, valueEnd)
  }
  const value = text.slice(found.start, valueEnd)
  if (!isSecretValue(kind, value, found.setting)) return end
  const scheme = kind === "authorization" ? secretStart(value) : 0
  scan.add(found.start + scheme, valueEnd, ruleOf(kind))
  return Math.max(end, valueEnd)
}

/** Where to go on behind a place that a name may have; what is found there is marked. */
const lookBehind = (scan: Scan, start: number, end: number): number => {
  scan.work.left -= 8
  if (!mayPrecedeValue(scan.text, end)) return end
  scan.work.left -= 40
  return Math.max(end, lookAt(scan, start, end))
}

const scanNames = (scan: Scan): void => {
  const names = scan.names()
  let done = 0
  for (let i = 0; i < names.length; i += 2) {
    let start = names[i] ?? 0
    const end = names[i + 1] ?? 0
    if (end <= done) continue
    if (start < done) {
      // A value ended in the middle of the name: what is left of it may be one.
      start = findNames(scan.text, scan.lowerText(), done, 1)[0] ?? end
      if (start >= end) continue
    }
    done = lookBehind(scan, start, end)
    if (scan.work.left < 0) return
  }
}

const scanForeignNames = (scan: Scan): void => {
  const { text } = scan
  // Case does not matter in most of these scripts, and /i beyond ASCII is slow.
  foreign ??= new RegExp(foreignPieces)
  const first = text.search(foreign)
  if (first === -1) return
  foreignNames ??= new RegExp(`(?:${foreignPieces})${nameRest}${nameEnd}`, "g")
  foreignNames.lastIndex = first
  for (let hit = foreignNames.exec(text); hit !== null; hit = foreignNames.exec(text)) {
    foreignNames.lastIndex = lookBehind(scan, hit.index, hit.index + hit[0].length)
    if (scan.work.left < 0) return
  }
}

/** Finds values that a name beside them gives away: `DB_PASSWORD=…`, `"apiKey": "…"`, `--token …`, `<password>…</password>`. */
export const scanAssignments = (scan: Scan): void => {
  scanNames(scan)
  if (scan.work.left >= 0 && scan.mayHoldUnusual()) scanForeignNames(scan)
}
