import { cookieSpans } from "./headers.ts"
import { classifyName, type NameClass } from "./names.ts"
import { isEscapedEnd, isQuote, quoteAt, quotedEnd, skipBlanks } from "./quoting.ts"
import type { Scan } from "./scan.ts"
import { isSecretValue, type Setting } from "./values.ts"

// Pieces of words that sensitive names hold. A hit only starts a look at its surroundings, so the list may be generous.
const hints =
  /pass|pwd|\bpw\b|_pw\b|kennwort|contrase|senha|parola|wachtwoord|has[łl]o\b|l[öo]senord|heslo|salasana|пароль|密码|密碼|口令|パスワード|비밀번호|secret|token|key|cred|auth|bearer|jwt|salt|seed|phrase|\botp\b|totp|\bpsk\b|\bpin\b|\bpat\b|_pat\b|session|\bsid\b|cookie|hmac|verifier|mnemonic/gi

const isNameCode = (code: number): boolean =>
  (code >= 48 && code <= 57) ||
  (code >= 65 && code <= 90) ||
  (code >= 97 && code <= 122) ||
  code === 95 ||
  code === 45 ||
  code === 46 ||
  (code >= 0xc0 && code <= 0x24f)

const longestName = 96
const longestQuoted = 16_384
const longestBare = 4096

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

const stopsBare = (code: number): boolean =>
  code <= 32 ||
  isQuote(code) ||
  code === 44 ||
  code === 59 ||
  code === 60 ||
  code === 62 ||
  code === 0x2026 ||
  code === 127

/** The end of an unquoted value; `alone` characters (`&` and `#` in a URL) end it as well. */
const bareEnd = (text: string, from: number, alone: string): number => {
  const limit = Math.min(text.length, from + longestBare)
  for (let i = from; i < limit; i++) {
    const code = text.charCodeAt(i)
    if (stopsBare(code) || (alone !== "" && alone.includes(text.charAt(i)))) return i
    if (code === 92) {
      if (isEscapedEnd(text, i)) return i
      i++
    }
  }
  return limit
}

/** The end of the last word of the line that begins at `from`, when the line is that one word; -1 otherwise. */
const lineValueEnd = (text: string, from: number): number => {
  const limit = Math.min(text.length, from + longestBare)
  let i = from
  while (i < limit && text.charCodeAt(i) > 32 && !(text.charCodeAt(i) === 92 && isEscapedEnd(text, i))) i++
  if (i === from) return -1
  const rest = skipBlanks(text, i)
  if (isLineEnd(text, rest) || (rest > i && text.charCodeAt(rest) === 35)) return i
  return -1
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
    if (end !== -1 && !/["'`,;)}\]]$/.test(text.slice(at, end))) return { start: at, end, setting }
  }
  const end = trimPunctuation(text, at, bareEnd(text, at, alone))
  if (end <= at) return undefined
  return { start: at, end, setting: setting === "line" ? "bare" : setting }
}

/** What precedes a name that begins its line: nothing, indentation, a list dash, a diff sign, a line number of a tool, a comment sign. */
const lineOpening =
  /(?:^|[\n\r\0]|\\n)[ \t]*(?:(?:[+-]|[\w./-]{1,120}:\d+:|\d{1,7}[→:|\t]|#|\/\/|\$env:|export|declare -x|set|SET|const|let|var|readonly|local|- )[ \t]*){0,3}["']?$/

const opensLine = (text: string, nameStart: number): boolean =>
  lineOpening.test(text.slice(Math.max(0, nameStart - 140), nameStart))

const spacedSetter =
  /(?:^|[\n;&|"'\s])(?:setenv|set(?: -{1,2}\w+)+|ENV|ARG|config set|configure set|secret put|secrets? set)[ \t]+$/

const pairValue =
  /(?:\\*["'])?\s*[,;]?\s*(?:\\*["'])?(?:value|val|content|stringValue|plaintext|Value|secretString)(?:\\*["'])?\s*(?::|=>?)\s*/y
const separator = /\s{0,40}\??\s?(?::=|=>|->|::|\|\|=|\?\?=|:|=(?![=~>])|：|＝)/y
const declaredType =
  /\s*(?:&?(?:'static )?)(?:str|string|String|char\s?\*|std::string|Optional\[str\]|any|unknown|SecretStr|Text)(?:\s*\|\s*(?:null|undefined|None))?\s*=\s*/y
const blockScalar = /[|>][+-]?\d?[ \t]*(?:\r?\n|\\n)[ \t]+/y
const said = /\s(?:is|was|are|=|to|will be|should be|set to|changed to)(?:\s*:)?\s+/iy

const upperName = /^[A-Z][A-Z0-9_]*$/

/** The text of the element whose tag holds the name: `<password>…<`, `<db:password encrypted="false">…<`, `<entry key="password">…<`. */
const elementText = (text: string, nameEnd: number): Found | undefined => {
  const tag = text.slice(nameEnd, nameEnd + 200)
  const close = tag.indexOf(">")
  if (close === -1 || tag.charAt(close - 1) === "/" || /[<{]/.test(tag.slice(0, close))) return undefined
  const start = nameEnd + close + 1
  const length = text.slice(start, start + longestBare).indexOf("<")
  return length > 0 ? { start, end: start + length, setting: "quoted" } : undefined
}

const findValue = (text: string, nameStart: number, nameEnd: number, name: string): Found | undefined => {
  const before = text.charCodeAt(nameStart - 1)
  const closing = quoteAt(text, nameEnd)
  const quotedName = closing !== undefined && nameStart > 0 && (isQuote(before) || before === 45)
  let at = quotedName ? closing.after : nameEnd
  const next = text.charCodeAt(at)

  if (before === 60 || (before === 58 && /<[\w-]{1,24}:$/.test(text.slice(Math.max(0, nameStart - 26), nameStart)))) {
    return elementText(text, nameEnd)
  }
  if (quotedName || /\s/.test(text.charAt(at))) {
    pairValue.lastIndex = at
    const pair = pairValue.exec(text)
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
      if ((code === 39 || code === 34) && /^(?:password|secret|passphrase)$/i.test(name))
        return readValue(text, value, "quoted")
      const earlier = text.slice(Math.max(0, nameStart - 200), nameStart)
      if (spacedSetter.test(earlier)) return readValue(text, value, "sure")
      if (name === "password" && /\b(?:machine|login)\s[\s\S]{0,160}$/.test(earlier) && code !== 61 && code !== 58)
        return readValue(text, value, "sure")
    }
  } else if (next === 44) {
    // ("password", "value") and ["X-Api-Key", "value"]
    const value = skipBlanks(text, at + 1)
    return quoteAt(text, value) === undefined ? undefined : readValue(text, value, "quoted")
  }
  separator.lastIndex = at
  const mark = separator.exec(text)
  if (mark === null) {
    said.lastIndex = at
    const told = said.exec(text)
    return told === null ? undefined : readValue(text, at + told[0].length, "bare")
  }
  const sign = mark[0].trim()
  at = separator.lastIndex
  if (sign.includes(":")) {
    declaredType.lastIndex = at
    const declared = declaredType.exec(text)
    if (declared !== null) at += declared[0].length
  }
  const value = skipBlanks(text, at)
  blockScalar.lastIndex = value
  const block = sign === ":" ? blockScalar.exec(text) : null
  if (block !== null) return readValue(text, value + block[0].length, "line")
  const tight = mark[0] === "=" && value === at && !quotedName
  if (tight && "?&".includes(text.charAt(nameStart - 1)) && nameStart > 0) return readValue(text, value, "sure", "&#")
  if (tight && (before === 59 || before === 38)) return readValue(text, value, "sure", "&")
  const opens = opensLine(text, nameStart)
  if (tight && (upperName.test(name) || opens)) return readValue(text, value, "sure")
  if (opens && upperName.test(name) && sign === ":" && lineValueEnd(text, value) !== -1)
    return readValue(text, value, "sure")
  return readValue(text, value, opens || quotedName ? "line" : "bare")
}

const ruleOf = (kind: NameClass): string =>
  kind === "password" ? "password" : kind === "authorization" ? "authorization" : "secret"

const authorizationEnd = (text: string, from: number): number => {
  const rest = text.slice(from, from + 2048)
  const stop = rest.search(/[\r\n"'`]|\\[nr"']/)
  return stop === -1 ? from + rest.length : from + stop
}

/** Finds values that a name beside them gives away: `DB_PASSWORD=…`, `"apiKey": "…"`, `--token …`, `<password>…</password>`. */
export const scanAssignments = (scan: Scan): void => {
  const { text } = scan
  hints.lastIndex = 0
  for (let hit = hints.exec(text); hit !== null; hit = hints.exec(text)) {
    scan.work.left -= 48
    if (scan.work.left < 0) return
    let start = hit.index
    let end = hit.index + hit[0].length
    while (start > 0 && hit.index - start < longestName && isNameCode(text.charCodeAt(start - 1))) start--
    while (end < text.length && end - hit.index < longestName && isNameCode(text.charCodeAt(end))) end++
    // The n of an escaped line end is no part of the name behind it.
    if (start > 0 && text.charCodeAt(start - 1) === 92 && /[nrt]/.test(text.charAt(start))) start++
    hints.lastIndex = end
    const name = text.slice(start, end)
    const kind = classifyName(name)
    if (kind === undefined) continue
    const found = findValue(text, start, end, name)
    if (found === undefined) continue
    const valueEnd = kind === "authorization" || kind === "cookie" ? authorizationEnd(text, found.start) : found.end
    scan.work.left -= valueEnd - found.start
    if (kind === "cookie") {
      cookieSpans(text, found.start, valueEnd, (from, to) => scan.add(from, to, "cookie"))
      hints.lastIndex = Math.max(end, valueEnd)
      continue
    }
    const value = text.slice(found.start, valueEnd)
    if (isSecretValue(kind, value, found.setting)) {
      const from =
        kind === "authorization"
          ? found.start + value.length - value.replace(/^[A-Za-z][\w-]{1,24}\s+(?=\S)/, "").length
          : found.start
      scan.add(from, valueEnd, ruleOf(kind))
      hints.lastIndex = Math.max(end, valueEnd)
    }
  }
}
