import { classifyName, type NameClass } from "./names.ts"
import type { Scan } from "./scan.ts"
import { isSecretValue, type Setting } from "./values.ts"

// Words that a sensitive name holds. A hit only starts a look at its surroundings, so the list may be generous.
const hints =
  /pass(?:w|phrase|code|\b|_|[A-Z])|pass|passwd|pwd|kennwort|contrase|senha|parola|wachtwoord|motdepasse|has[łl]o|l[öo]senord|heslo|salasana|пароль|密码|口令|パスワード|비밀번호|密碼|\bpw\b|_pw\b|pat\b|secret|token|key|cred|auth|bearer|jwt|signature|\bsig\b|salt|seed|\botp\b|totp|\bpsk\b|session|\bsid\b|cookie/gi

const isNameCode = (code: number): boolean =>
  (code >= 48 && code <= 57) ||
  (code >= 65 && code <= 90) ||
  (code >= 97 && code <= 122) ||
  code === 95 ||
  code === 45 ||
  code === 46 ||
  (code >= 0xc0 && code <= 0x24f)

const quoteCodes = new Set([34, 39, 96])

/** A value found beside a name: its bounds without quotes. */
interface Found {
  readonly start: number
  readonly end: number
  readonly setting: Setting
}

const longestValue = 4096
const longestBare = 1024

/** Skips backslashes and one quote; the number of backslashes is the escape depth. -1 when no quote stands there. */
const quoteAt = (
  text: string,
  at: number
): { readonly depth: number; readonly quote: number; readonly after: number } | undefined => {
  let i = at
  while (text.charCodeAt(i) === 92 && i - at < 16) i++
  const quote = text.charCodeAt(i)
  return quoteCodes.has(quote) ? { depth: i - at, quote, after: i + 1 } : undefined
}

const skipBlanks = (text: string, at: number): number => {
  let i = at
  while (i < at + 64 && (text.charCodeAt(i) === 32 || text.charCodeAt(i) === 9)) i++
  return i
}

/** The end of a quoted value: the same quote at the same escape depth. The end of the line, or of the text, when there is none. */
const quotedEnd = (text: string, from: number, depth: number, quote: number): number => {
  const limit = Math.min(text.length, from + longestValue)
  let backslashes = 0
  for (let i = from; i < limit; i++) {
    const code = text.charCodeAt(i)
    if (code === 92) backslashes++
    else {
      if (code === quote && (backslashes === depth || (depth > 0 && backslashes < depth)))
        return i - Math.min(backslashes, depth)
      if (code === 10 || code === 13) return i
      backslashes = 0
    }
  }
  return limit
}

const bareStop = (code: number, inUrl: boolean): boolean =>
  code <= 32 ||
  code === 34 ||
  code === 39 ||
  code === 96 ||
  code === 60 ||
  code === 62 ||
  code === 59 ||
  code === 44 ||
  (inUrl && (code === 38 || code === 35)) ||
  code === 0x2026 ||
  code === 127

const bareEnd = (text: string, from: number, inUrl: boolean): number => {
  const limit = Math.min(text.length, from + longestBare)
  let i = from
  while (i < limit) {
    const code = text.charCodeAt(i)
    if (bareStop(code, inUrl)) break
    // An escaped line end or quote ends the value: `A=1\nB=2` inside a JSON string.
    if (code === 92) {
      let next = i
      while (text.charCodeAt(next) === 92) next++
      const letter = text.charCodeAt(next)
      if (letter === 110 || letter === 114 || letter === 116 || quoteCodes.has(letter)) break
      i = next
      continue
    }
    i++
  }
  return i
}

const trimBare = (text: string, start: number, end: number): number => {
  let to = end
  while (to > start && /[)\]}.:?!|]/.test(text.charAt(to - 1)) && !/[([{]/.test(text.slice(start, to))) to--
  return to
}

const readValue = (text: string, at: number, setting: Setting, inUrl: boolean): Found | undefined => {
  const opened = quoteAt(text, at)
  if (opened !== undefined) {
    const end = quotedEnd(text, opened.after, opened.depth, opened.quote)
    return { start: opened.after, end, setting: setting === "sure" ? "sure" : "quoted" }
  }
  const end = trimBare(text, at, bareEnd(text, at, inUrl))
  return end > at ? { start: at, end, setting } : undefined
}

const pairValue = /[\s,]*(?:\\*["'])?(?:value|val|content|stringValue|plaintext|secret)(?:\\*["'])?\s*[:=]>?\s*/iy
const separator = /(?:\s?\?)?\s?(?::=|=>|->|::|\|\|=|\?\?=|:|=(?!=)|：)/y
const declaredType =
  /\s*(?:&(?:'static )?)?(?:str|string|String|&str|char\s*\*|std::string|Optional\[str\]|any|unknown)\s*=\s*/y

const isEnvName = (name: string): boolean =>
  /^[A-Z][A-Z0-9_]*$/.test(name) || /^[a-z][a-z0-9]*(?:_[a-z0-9]+)+$/.test(name)

const valueAfter = (text: string, nameStart: number, nameEnd: number, name: string): Found | undefined => {
  const before = text.charCodeAt(nameStart - 1)
  const closing = quoteAt(text, nameEnd)
  const quotedName = closing !== undefined && nameStart > 0 && quoteCodes.has(before)
  let at = quotedName ? closing.after : nameEnd
  // <password>value</password>
  if (text.charCodeAt(at) === 62 && before === 60) {
    const end = text.slice(at + 1, at + 1 + longestBare).search(/</)
    return end > 0 ? { start: at + 1, end: at + 1 + end, setting: "quoted" } : undefined
  }
  if (quotedName && text.charCodeAt(at) === 93) at++
  pairValue.lastIndex = at
  const pair = pairValue.exec(text)
  if (pair !== null && (quotedName || /[\r\n]/.test(pair[0])))
    return readValue(text, at + pair[0].length, "quoted", false)
  // --password value
  if (!quotedName && name.startsWith("-") && (text.charCodeAt(at) === 32 || text.charCodeAt(at) === 61)) {
    const value = skipBlanks(text, at + 1)
    return text.charCodeAt(value) === 45 ? undefined : readValue(text, value, "sure", false)
  }
  // ("password", "value") and ["X-Api-Key", "value"]
  if (quotedName && text.charCodeAt(at) === 44) {
    const value = skipBlanks(text, at + 1)
    return quoteAt(text, value) === undefined ? undefined : readValue(text, value, "quoted", false)
  }
  // setPassword("value")
  if (!quotedName && text.charCodeAt(at) === 40) {
    return quoteAt(text, at + 1) === undefined ? undefined : readValue(text, at + 1, "quoted", false)
  }
  // PASSWORD 'value' in SQL
  if (!quotedName && text.charCodeAt(at) === 32 && /^(?:PASSWORD|password)$/.test(name)) {
    const value = skipBlanks(text, at)
    if (text.charCodeAt(value) === 39) return readValue(text, value, "quoted", false)
    if (/\b(?:machine|login)\s[\s\S]{0,160}$/.test(text.slice(Math.max(0, nameStart - 200), nameStart)))
      return readValue(text, value, "sure", false)
  }
  separator.lastIndex = skipBlanks(text, at)
  const mark = separator.exec(text)
  if (mark === null) return undefined
  const sign = mark[0]
  at = separator.lastIndex
  const tight = sign === "=" && at === nameEnd + 1
  declaredType.lastIndex = at
  if (sign.includes(":")) {
    const declared = declaredType.exec(text)
    if (declared !== null) at += declared[0].length
  }
  const value = skipBlanks(text, at)
  const inUrl = tight && /[?&;]/.test(text.charAt(nameStart - 1))
  const connection = tight && text.charAt(nameStart - 1) === ";"
  const sure =
    (tight && value === at && !quotedName && isEnvName(name) && name === name.toUpperCase()) || inUrl || connection
  return readValue(text, value, sure ? "sure" : "bare", inUrl)
}

const ruleOf = (kind: NameClass): string => (kind === "password" ? "password" : "secret")

/** Finds values that a name beside them gives away: `DB_PASSWORD=…`, `"apiKey": "…"`, `--token …`, `<password>…</password>`. */
export const scanAssignments = (scan: Scan): void => {
  const { text } = scan
  hints.lastIndex = 0
  for (let hit = hints.exec(text); hit !== null; hit = hints.exec(text)) {
    scan.work.left -= 48
    if (scan.work.left < 0) return
    let start = hit.index
    let end = hint(hit)
    while (start > 0 && hit.index - start < 80 && isNameCode(text.charCodeAt(start - 1))) start--
    while (end < text.length && end - hit.index < 80 && isNameCode(text.charCodeAt(end))) end++
    hints.lastIndex = Math.max(end, hit.index + 1)
    const name = text.slice(start, end)
    const kind = classifyName(name)
    if (kind === undefined) continue
    const found = valueAfter(text, start, end, name)
    if (found === undefined) continue
    scan.work.left -= found.end - found.start
    const value = text.slice(found.start, found.end)
    if (isSecretValue(kind, value, found.setting)) {
      scan.add(found.start, found.end, ruleOf(kind))
      hints.lastIndex = Math.max(hints.lastIndex, found.end)
    }
  }
}

const hint = (hit: RegExpExecArray): number => hit.index + hit[0].length
