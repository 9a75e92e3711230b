import { declaredValue, isLetter, isSet, mayPrecedeValue } from "./behindNames.ts"
import { digits, isIn, upperalnum, word } from "./characterClasses.ts"
import { cookieSpans } from "./headers.ts"
import { opensLine } from "./lineOpenings.ts"
import { isRandom } from "./literals.ts"
import { findNames, isNameCode } from "./nameHits.ts"
import { classifyName, type NameClass } from "./names.ts"
import { insideWrapper, isFieldOfName, mayTakeOtherForm, otherForm } from "./otherForms.ts"
import { isEscapedEnd, isQuote, isSpace, quoteAt, quotedEnd, skipBlanks, skipSpaces } from "./quoting.ts"
import type { Scan } from "./scan.ts"
import { isGrouped, isNamedForSecret, isSecretValue, isSeedPhrase, type Setting, secretStart } from "./values.ts"

// What sensitive names are called in other scripts, or with letters that are no ASCII.
const foreignPieces =
  "[Hh]asło|[Ll]ösenord|[Şş]ifre|[Κκ]ωδικός|[Пп]ароль|[Сс]екрет|[Тт]окен|סיסמה|密码|密碼|口令|令牌|密钥|密鑰|秘密鍵|暗証番号|パスワード|トークン|シークレット|비밀번호|토큰"

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
const urlRun = /(?:[^\s"'`,;<>\u2026\x7f\\&#)\]]|\\(?!\\{0,15}[nrt"'`u])){0,2048}/y
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
  let quote = quoteAt(text, at)
  if (quote !== undefined) {
    // """value""" and "\"value\""
    const sign = text.charAt(quote.after - 1)
    if (text.startsWith(sign + sign, quote.after)) quote = { ...quote, after: quote.after + 2 }
    else if (quote.depth === 0 && text.startsWith(`\\${sign}`, quote.after)) quote = quoteAt(text, quote.after) ?? quote
    return {
      start: quote.after,
      end: quotedEnd(text, quote, longestQuoted),
      setting: setting === "sure" || setting === "told" ? setting : "quoted"
    }
  }
  if (setting === "line" || (setting === "sure" && alone === "")) {
    const end = lineValueEnd(text, at)
    // A quote or comma at the end belongs to the text around the line.
    if (end !== -1 && !"\"'`,;)}]".includes(text.charAt(end - 1))) return { start: at, end, setting }
  }
  // Pwd={value};
  const braced = setting === "sure" && text.charCodeAt(at) === 123 ? text.indexOf("}", at) : -1
  if (braced - at > 3 && braced - at < 128 && !/[\s{]/.test(text.slice(at + 1, braced)))
    return { start: at + 1, end: braced, setting: "quoted" }
  const bare = bareEnd(text, at, alone)
  const end = trimPunctuation(text, at, bare)
  if (end <= at) return undefined
  // An argument or a field of code goes on with a comma.
  const goesOn = setting === "sure" && alone === "" && ",)".includes(text.charAt(end) || " ")
  return {
    start: at,
    end,
    setting: setting === "line" || (goesOn && isNamedForSecret(text.slice(at, end))) ? "bare" : setting
  }
}

const pairValue =
  /(?:\\*["'])?\s*[,;]?\s*(?:\\*["'])?(?:value|val|content|stringValue|plaintext|Value|secretString|ParameterValue)(?:\\*["'])?\s*(?::|=>?)\s*/y
const valueStarts = ["val", "content", "stringValue", "plaintext", "Value", "secretString", "ParameterV"]
/** What a type is written with: letters, digits and `_&<>[]'?|.*:` with blanks. */
const isTypeSign = (code: number): boolean => isIn(code, word) || " &<>[]'?|.*:".includes(String.fromCharCode(code))

/** Behind the type and the equals sign of a declaration: `name: str = "value"`; `at` when none is there. */
const behindType = (text: string, at: number): number => {
  let end = skipBlanks(text, at)
  const type = end
  while (end - type < 48 && isTypeSign(text.charCodeAt(end))) end++
  if (end === type || text.charCodeAt(end) !== 61) return at
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
  const open = nameEnd + close + 1
  const isRaw = text.startsWith("<![CDATA[", open)
  // <AdministratorPassword><Value>…
  const isNested = text.startsWith("<Value>", open) || text.startsWith("<value>", open)
  const start = open + (isRaw ? 9 : isNested ? 7 : 0)
  const length = text.slice(start, start + longestBare).indexOf(isRaw ? "]]>" : "<")
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

// What a sentence goes on with behind the name of a flag.
const proseWords: ReadonlySet<string> = new Set(
  "and or with without for to is in if when via flag flags option options arg argument arguments but as the an are from of on not can will must should may parameter parameters instead was has".split(
    " "
  )
)

/** `use --password with care`: whether the word at `at` is one of a sentence about the flag. */
const isProse = (text: string, at: number): boolean => {
  let end = at
  while (isLetter(text.charCodeAt(end))) end++
  return !isIn(text.charCodeAt(end), word) && proseWords.has(text.slice(at, end))
}

/** What tests do, and people: `it is okay to pass …`. */
const isVerb = (name: string): boolean => name === "pass" || name === "Pass" || name === "passes"

const findValue = (text: string, nameStart: number, nameEnd: number, name: string): Found | undefined => {
  const before = text.charCodeAt(nameStart - 1)
  const closing = quoteAt(text, nameEnd)
  const quotedName = closing !== undefined && nameStart > 0 && (isQuote(before) || before === 45)
  let at = quotedName ? closing.after : nameEnd
  const next = text.charCodeAt(at)

  if (before === 60 || (before === 58 && /<[\w-]{1,24}:$/.test(text.slice(Math.max(0, nameStart - 26), nameStart)))) {
    return elementText(text, nameEnd)
  }
  if (next === 60) {
    const element = /^<\/[\w.:-]{1,40}>\s{0,40}<[\w.:-]{1,40}>/.exec(text.slice(at, at + 120))?.[0]
    return element === undefined ? undefined : elementText(text, at + element.length - 1)
  }
  if (quotedName && text.charCodeAt(skipBlanks(text, at)) === 123) {
    const variable = /^[ \t]{0,4}\{\s[^{}]{0,240}?default\s{0,12}=\s*/.exec(text.slice(at, at + 300))?.[0]
    if (variable !== undefined) return readValue(text, at + variable.length, "quoted")
  } else if (!quotedName && (next === 32 || next === 9)) {
    const declared = declaredValue(text, at)
    if (declared !== -1) return readValue(text, declared, "quoted")
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
      return code === 45 || code === 124 || (next === 32 && isProse(text, value))
        ? undefined
        : readValue(text, value, "sure")
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
    const told = isVerb(name) ? -1 : toldValue(text, at)
    return told === -1 ? undefined : readValue(text, told, "bare")
  }
  at = mark.end
  if (mark.hasColon) at = behindType(text, at)
  let value = skipBlanks(text, at)
  const opening = text.charCodeAt(value)
  if (mark.isColon && (opening === 38 || opening === 33)) value = behindTag(text, value)
  else if (isLetter(opening) && text.slice(value, value + 49).includes("(")) value = insideWrapper(text, value)
  blockScalar.lastIndex = value
  const block = mark.isColon && (opening === 124 || opening === 62) ? blockScalar.exec(text) : null
  if (block !== null) return readValue(text, value + block[0].length, "line")
  const tight = mark.tight && value === at && !quotedName
  if (tight && "?&#".includes(text.charAt(nameStart - 1)) && nameStart > 0) return readValue(text, value, "sure", "&#")
  if (tight && (before === 59 || before === 38)) return readValue(text, value, "sure", "&")
  const opens = opensLine(text, nameStart)
  if (tight && (isUpperName(name) || opens)) return readValue(text, value, "sure")
  if (opens && isUpperName(name) && mark.isColon && lineValueEnd(text, value) !== -1)
    return readValue(text, value, "sure")
  return readValue(text, value, opens || quotedName ? "line" : "bare")
}

/** The value in one of the rarer forms. */
const findOther = (text: string, start: number, end: number): Found | undefined => {
  const place = otherForm(text, start, end)
  if (place === undefined) return valueBeforeName(text, start)
  // The name of a generated class may end like one of a password.
  const name = text.slice(start, end)
  if (place.setting === "told" && isRandom(name)) return undefined
  // storePassword "value", alone on its line
  const stated = place.setting === "told" && isQuote(text.charCodeAt(place.at)) && opensLine(text, start)
  const setting = place.setting === "told" && isUpperName(name) ? "bare" : place.setting
  const found = readValue(text, place.at, stated ? "quoted" : setting)
  return found !== undefined && place.setting === "told" && found.end - found.start < 8 ? undefined : found
}

const valueField = /\b[vV]alue\\?["']?\s?[:=]\s?\\?["']?([^\s"'\\{}[\]]{3,400})\\?["']?,?\s{0,40}(?:\\n\s{0,40})?$/

/** `{"value": "…", "name": "DB_PASSWORD"}`: the value that stands before its name. */
const valueBeforeName = (text: string, start: number): Found | undefined => {
  const before = text.slice(Math.max(0, start - 480), start)
  if (!isFieldOfName(text, start) || !before.includes("alue")) return undefined
  const field = before.search(/["']?\b(?:name|key|Name|Key)\\{0,7}["']?[ \t]?[:=][ \t]?\\{0,7}["']?$/)
  const value = field === -1 ? null : valueField.exec(before.slice(0, field).replace(/\\{1,7}$/, ""))
  if (value === null) return undefined
  const from = start - before.length + value.index + value[0].indexOf(value[1] ?? "", 6)
  return { start: from, end: from + (value[1] ?? "").length, setting: "quoted" }
}

const severalWords = /(?:[a-z]{3,8} ){11,23}[a-z]{3,8}(?![a-z])|(?:[A-Za-z0-9]{4}[ -]){3,15}[A-Za-z0-9]{4}(?!\w)/y

/** The end of a value of several words behind its first: the seed of a wallet, a key in groups of four. */
const wordsEnd = (text: string, found: Found, kind: NameClass): number => {
  const { start, end, setting } = found
  const isFirst = kind === "phrase" || (end - start === 4 && " -".includes(text.charAt(end + 5) || "x"))
  if (setting === "quoted" || !isFirst || !" -".includes(text.charAt(end) || "x")) return end
  severalWords.lastIndex = start
  const several = severalWords.exec(text)?.[0] ?? ""
  return isSeedPhrase(several) || isGrouped(several) ? start + several.length : end
}

const ruleOf = (kind: NameClass): string =>
  kind === "password" ? "password" : kind === "authorization" ? "authorization" : "secret"

/** The parameters of a signed request, some of them between quotes: `Digest username="…", response="…"`. */
const parameters =
  /(?:Digest|OAuth|MAC|Hawk|AWS4-HMAC-SHA256|Signature|HMAC-SHA256)[ \t]{1,4}(?:[\w-]{1,40}=(?:\\?"[^"\n\\]{0,600}\\?"|[^\s",]{1,600})(?:,[ \t]{0,8})?){2,24}/y

/** What those schemes begin with; `Bearer` and `Basic` do not. */
const signedInitials = "DOMHAS"

const headerEnd = (text: string, from: number): number => {
  if (signedInitials.includes(text.charAt(from) || " ")) {
    parameters.lastIndex = from
    const signed = parameters.exec(text)?.[0].length ?? 0
    if (signed > 0) return from + signed
  }
  const rest = text.slice(from, from + 2048)
  const stop = rest.search(/[\r\n"'`]|\\[nr"']/)
  return stop === -1 ? from + rest.length : from + stop
}

/** `**name:** value`, `<b>name:</b> value`: what closes the name stands behind its colon. */
const isDecorated = (text: string, nameEnd: number): boolean =>
  text.charCodeAt(nameEnd) === 58 && ["**", "__", "</"].some((sign) => text.startsWith(sign, nameEnd + 1))

const directory = /^["']?\s?[=:,]\s?["']?(?:[/~.\]]|[A-Za-z]:[\\/])/

/** `PWD=/srv`, `"OLDPWD": "/srv"`: the directory of a shell. */
const isDirectory = (text: string, nameEnd: number): boolean => directory.test(text.slice(nameEnd, nameEnd + 8))

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
  if ((kind === "weak" || name === "phrase" || name === "Phrase") && text.charCodeAt(start - 1) === 32) {
    // api key: …, seed phrase: …
    let from = start - 1
    while (start - from <= 16 && isLetter(text.charCodeAt(from - 1))) from--
    if (start - from > 2) kind = classifyName(`${text.slice(from, start - 1)}_${name}`) ?? kind
  }
  if (kind === undefined || (name.endsWith("PWD") && isDirectory(text, end))) return end
  // arn:aws:secretsmanager:eu-west-1:1:secret:name
  if (text.charCodeAt(start - 1) === 58 && text.slice(Math.max(0, start - 80), start).includes("arn:")) return end
  const direct = isSet(text, start, end)
    ? readValue(text, skipBlanks(text, end), "sure")
    : mayPrecedeValue(text, end) && !isDecorated(text, end)
      ? findValue(text, start, end, name)
      : undefined
  const found = direct ?? (mayTakeOtherForm(text, end) && !isVerb(name) ? findOther(text, start, end) : undefined)
  if (found === undefined) return end
  const isHeader = kind === "authorization" || kind === "cookie"
  const valueEnd = isHeader ? headerEnd(text, found.start) : wordsEnd(text, found, kind)
  const several = !isHeader && valueEnd > found.end
  // A value is read twice and judged once; a text that repeats names without end pays for it here.
  scan.work.left -= 4 * (valueEnd - found.start)
  if (kind === "cookie") {
    cookieSpans(text, found.start, valueEnd, (from, to) => scan.add(from, to, "cookie"))
    return Math.max(end, valueEnd)
  }
  const value = text.slice(found.start, valueEnd)
  if (!isSecretValue(kind, value, several ? "quoted" : found.setting)) return end
  const scheme = kind === "authorization" ? secretStart(value) : 0
  scan.add(found.start + scheme, valueEnd, ruleOf(kind))
  return Math.max(end, valueEnd)
}

/** Where to go on behind a place that a name may have; what is found there is marked. */
const lookBehind = (scan: Scan, start: number, end: number): number => {
  scan.work.left -= 8
  if (!mayPrecedeValue(scan.text, end) && !mayTakeOtherForm(scan.text, end)) return end
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
