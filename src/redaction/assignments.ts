import { isLetter, isSet, mayPrecedeValue } from "./behindNames.ts"
import { isAll, isIn, lowerhex, word } from "./characterClasses.ts"
import { cookieSpans } from "./headers.ts"
import { opensLine } from "./lineOpenings.ts"
import { isRandom } from "./literals.ts"
import { membersBehind } from "./members.ts"
import { findNames, isNameCode } from "./nameHits.ts"
import { classifyName, type NameClass } from "./names.ts"
import { fieldOfName, mayTakeOtherForm, otherForm } from "./otherForms.ts"
import { isQuote, isSpace, quoteAt, skipBlanks } from "./quoting.ts"
import type { Scan } from "./scan.ts"
import { findValue, isUpperName, isVerb, itemsBehind, restOfList } from "./valueBehind.ts"
import { type Found, lineValueEnd, readValue } from "./valueRuns.ts"
import { isGrouped, isSecretValue, isSeedPhrase, secretStart } from "./values.ts"
import { words } from "./words.ts"

// What sensitive names are called in other scripts, or with letters that are no ASCII.
const foreignPieces =
  "[Hh]asło|[Ll]ösenord|[Şş]ifre|[Κκ]ωδικός|[Пп]ароль|[Сс]екрет|[Тт]окен|סיסמה|密码|密碼|口令|令牌|密钥|密鑰|秘密鍵|暗証番号|パスワード|トークン|シークレット|비밀번호|토큰|[Кк]люч|アクセスキー|访问密钥|私钥|비밀키"

const nameRest = "[\\w.\\-\\u00c0-\\u024f\\u0400-\\u04ff]{0,64}"
// The rest of a name is taken whole or not at all: shorter ones would each be held against all that may follow.
const nameEnd = "(?![\\w.\\-\\u00c0-\\u024f\\u0400-\\u04ff])"
/** Made at the first use, like everything that is compiled from strings here: most texts have no such name. */
let foreign: RegExp | undefined
let foreignNames: RegExp | undefined

/** Where the name begins whose middle is at `at`. */
const nameStart = (text: string, at: number): number => {
  let start = at
  while (start > 0 && at - start < 96 && isNameCode(text.charCodeAt(start - 1))) start--
  return start
}

const opensClasses = /class(?:Name)?=\\?["'`](?:[\w-]{1,60} ){0,6}$/

/** Whether the name is one of the classes of an element: `css-1hhf8tp-Password`. */
const isClassOf = (text: string, start: number, name: string): boolean =>
  name.startsWith("css-") || opensClasses.test(text.slice(Math.max(0, start - 200), start))

const users = ["ser", "ogin", "name"]
const userLine = /^[ \t]*(?:\w{1,24} )?(?:[uU]ser(?:name)?|[lL]ogin|name)[ \t]+["']?[\w.@\\-]{1,80}["']?;?\r?$/

/** `user bob` on the line above `password value`: whether the name at `start` stands in such a file of settings. */
const followsUser = (text: string, start: number): boolean => {
  // Not further back: a text of one line would be searched from every name.
  const near = text.slice(Math.max(0, start - 32), start)
  const end = start - near.length + near.lastIndexOf("\n")
  if (end < start - near.length) return false
  const above = text.slice(Math.max(0, end - 160), end)
  const line = above.slice(above.lastIndexOf("\n") + 1)
  return users.some((word) => line.includes(word)) && userLine.test(line)
}

/** `JWT_SECRET  7aabe3384e8c8f25  2h ago`: the digest of a secret, as the command that lists them prints it. */
const isListedDigest = (text: string, { start, end }: Found): boolean =>
  end - start === 16 &&
  isAll(text, start, end, lowerhex) &&
  /^[ \t]+[^\n]{1,40} ago[ \t\r]*(?:\n|$)/.test(text.slice(end, end + 80))

/** The value in one of the rarer forms. */
const findOther = (text: string, start: number, end: number): Found | undefined => {
  const literal = comparedValue(text, start)
  if (literal !== undefined) return literal
  const place = otherForm(text, start, end)
  if (place === undefined) return valueBeforeName(text, start)
  // The name of a generated class may end like one of a password.
  const name = text.slice(start, end)
  if (place.setting === "told" && isRandom(name)) return undefined
  // storePassword "value", alone on its line
  const stated = place.setting === "told" && isQuote(text.charCodeAt(place.at)) && opensLine(text, start)
  const isSetting = place.setting === "told" && lineValueEnd(text, place.at) !== -1 && followsUser(text, start)
  const setting = isSetting ? "line" : place.setting === "told" && isUpperName(name) ? "bare" : place.setting
  const found = readValue(text, place.at, stated ? "quoted" : setting)
  if (found === undefined || place.setting !== "told") return found
  return found.end - found.start < 8 || isListedDigest(text, found) ? undefined : found
}

/** From the letters on that `value` and `Value` share. */
const valueField =
  /alue\\?["']?\s?[:=]\s?\\?(?:"([^\s"\\]{3,400})|'([^\s'\\]{3,400})|([^\s"'\\{}[\]]{3,400}))\\?["']?,?\s{0,40}(?:\\n\s{0,40}|(?:WHERE|where) )?$/y

const mostBlanks = 3

/** Where `value` stands in `text`, of which only the value and signs may be left behind it; -1 when there is none. Told by hand: most are far away. */
const lastField = (text: string): number => {
  const at = text.lastIndexOf("alue")
  // `"value": "my-value"`
  const before = text.lastIndexOf("alue", at - 1)
  for (const field of before === -1 ? [at] : [before, at]) {
    if (field < 1 || (text.charCodeAt(field - 1) | 32) !== 118 || isIn(text.charCodeAt(field - 2), word)) continue
    let blanks = 0
    for (let i = text.trimEnd().length - 1; i > field && blanks <= mostBlanks; i--)
      if (isSpace(text.charCodeAt(i))) blanks++
    if (blanks <= mostBlanks) return field
  }
  return -1
}

const compared = /(["'])([^"'\n]{4,200})\1 {0,2}[!=]={1,2} {0,2}\$?$/

/** Whether a comparison may end with the name that ends at `end`: a parenthesis, a colon, a block or an operator is next. */
const endsComparison = (text: string, end: number): boolean => {
  const next = text.charCodeAt(end) === 32 ? text.charAt(end + 1) : text.charAt(end)
  return next !== "" && "):;{&|?".includes(next)
}

/** Whether the name with a character at `at` may be compared with what stands before it: `"value" == name`. */
const isCompared = (text: string, at: number): boolean => {
  let start = nameStart(text, at)
  if (text.charCodeAt(start - 1) === 36) start--
  while (text.charCodeAt(start - 1) === 32) start--
  if (text.charCodeAt(start - 1) !== 61) return false
  while (text.charCodeAt(start - 1) === 61 || text.charCodeAt(start - 1) === 33) start--
  while (text.charCodeAt(start - 1) === 32) start--
  const quote = text.charCodeAt(start - 1)
  return quote === 34 || quote === 39
}

/** `"value" == name`: the literal that the name at `start` is compared with. */
const comparedValue = (text: string, start: number): Found | undefined => {
  const hit = isCompared(text, start) ? compared.exec(text.slice(Math.max(0, start - 220), start)) : null
  if (hit === null) return undefined
  const from = start - hit[0].length + 1
  return { start: from, end: from + (hit[2] ?? "").length, setting: "quoted" }
}

/** `{"value": "…", "name": "DB_PASSWORD"}`: the value that stands before its name. */
const valueBeforeName = (text: string, start: number): Found | undefined => {
  const field = fieldOfName(text, start)
  const fields = field === -1 ? "" : text.slice(Math.max(0, start - 480), field)
  if (!fields.includes("alue")) return undefined
  valueField.lastIndex = lastField(fields)
  const value = valueField.lastIndex < 1 ? null : valueField.exec(fields)
  if (value === null) return undefined
  const shown = value[1] ?? value[2] ?? value[3] ?? ""
  const from = field - fields.length + value.index + value[0].indexOf(shown, 5)
  return { start: from, end: from + shown.length, setting: "quoted" }
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

/** `ACME_KEY`, `--key`, `auth`, `--auth`, `_auth` of npm: names whose value is a key also if it looks like a digest. */
const isOwnKey = (name: string): boolean =>
  name === "auth" ||
  name === "--auth" ||
  name === "_auth" ||
  name === "AUTH" ||
  (name.endsWith("Auth") && name.length > 5 && isLetter(name.charCodeAt(name.length - 5))) ||
  (name.startsWith("--") && name.endsWith("-key")) ||
  ((name.endsWith("_KEY") || name.endsWith("_AUTH")) && isUpperName(name))

const sumsAround = / {2}[\w+/-]{1,80}: [0-9a-f]{40}\r?\n {2}[\w+/-]{1,80}: [0-9a-f]{40}\b/

/** `FirebaseAuth: …` among the checksums of CocoaPods: the line before or behind has a digest as long. */
const isPod = (text: string, start: number, end: number, name: string): boolean =>
  name.endsWith("Auth") &&
  name.charCodeAt(0) < 91 &&
  text.charCodeAt(start - 1) === 32 &&
  sumsAround.test(text.slice(Math.max(0, start - 128), end + 180))

/** `sha256-…85pw=`: the end of a digest, whose last letters say password by chance. */
const endsDigest = (text: string, end: number, name: string): boolean =>
  text.charCodeAt(end) === 61 && (name.charCodeAt(name.length - 1) | 32) === 119 && isRandom(name)

const deviceKeys = words("authentication-key pre-shared-key key-string")

/** `tacacs-server key word`, `pre-shared-key word`: what routers and switches call a password. */
const isDeviceKey = (text: string, start: number, name: string): boolean =>
  deviceKeys.has(name) ||
  (name === "key" &&
    ["-server ", "isakmp ", "option ", "pac "].some((word) => text.startsWith(word, start - word.length))) ||
  (name === "secret" && text.startsWith("enable ", start - 7))

const base32 = /^[A-Z2-7]{16,128}={0,6}$/

/** `otpauth://totp/…?secret=VALUE`: what a time-based code is made from, whatever it looks like. */
const isOtpSecret = (text: string, start: number, value: string): boolean =>
  "?&;".includes(text.charAt(start - 1) || " ") &&
  base32.test(value) &&
  text.slice(Math.max(0, start - 400), start).includes("otpauth:")

/** `PASS`, which test runners print as well. */
const isTestWord = (name: string): boolean => name === "PASS" || name === "Pass"

/** `<Pass …>`, `<key>PASS</key>`, `"PASS": …`, `PASS=…`: whether the name is one of a field. */
const isFieldName = (text: string, start: number, end: number): boolean =>
  text.charCodeAt(start - 1) === 60 ||
  (text.charCodeAt(end) === 60 && (text.endsWith("<key>", start) || text.endsWith("<name>", start))) ||
  (isQuote(text.charCodeAt(start - 1)) && isQuote(text.charCodeAt(end))) ||
  text.charCodeAt(end) === 61 ||
  (text.startsWith(" = ", end) && isQuote(text.charCodeAt(end + 3)))

const directory = /^["']?\s?[=:,]\s?["']?(?:[/~.\]]|[A-Za-z]:[\\/])/

/** `PWD=/srv`, `"OLDPWD": "/srv"`: the directory of a shell. */
const isDirectory = (text: string, nameEnd: number): boolean => directory.test(text.slice(nameEnd, nameEnd + 8))

const colour = /(?:\x1b|u001b|x1b|033|\\e)\[(?:\d{0,3};){0,6}$/

/** How many characters at `start` belong to a colour of the terminal that begins before it. */
const colourBefore = (text: string, start: number): number => {
  const rest = /^\d{0,3}[mK]/.exec(text.slice(start, start + 4))?.[0] ?? ""
  return rest !== "" && colour.test(text.slice(Math.max(0, start - 32), start)) ? rest.length : 0
}

const otherNames = /(?:^|[\s(])((?:[\w$.]{1,64},[ \t]{0,4}){1,8})$/

/** The names before the one at `start` that are given a value with it: `user, password = "bob", "value"`. */
const namesBefore = (text: string, start: number): ReadonlyArray<string> => {
  if (text.charCodeAt(start - 1) !== 32 || text.charCodeAt(start - 2) !== 44) return []
  const near = text.slice(Math.max(0, start - 200), start)
  return (
    otherNames
      .exec(near.slice(near.lastIndexOf("\n") + 1))?.[1]
      ?.split(",")
      .slice(0, -1) ?? []
  )
}

/** What stands before a slash and the name of that of which a value is the digest. */
const digestOf = /(?:checksum|digest|sha\d{0,3}|hash|md5)\/$/

/** Behind the sign of a here-string: `secret put NAME <<< "value"`. */
const behindSign = (text: string, at: number): number => (text.startsWith("<<<", at) ? skipBlanks(text, at + 3) : at)

/** @param precedes whether a value may follow in one of the usual forms; if not, it may in one of the rarer ones */
const lookAt = (scan: Scan, hitStart: number, end: number, precedes: boolean): number => {
  const { text } = scan
  let start = nameStart(text, hitStart)
  // The n of an escaped line end and the digits of an escaped character are no part of the name behind them.
  if (text.charCodeAt(start - 1) === 92) {
    if (/[nrt]/.test(text.charAt(start))) start++
    else if (/^u00[0-9a-f]{2}/i.test(text.slice(start, start + 5))) start += 5
  } else if (text.charCodeAt(start - 1) === 37) start += 2
  // Nor are the digits and the letter that end a colour of the terminal.
  else if ("[;".includes(text.charAt(start - 1) || " ")) start += colourBefore(text, start)
  const name = text.slice(start, end)
  let kind = classifyName(name)
  if (
    (kind === "weak" || name === "phrase" || name === "Phrase" || name === "passe") &&
    text.charCodeAt(start - 1) === 32
  ) {
    // api key: …, seed phrase: …
    let from = start - 1
    while (start - from <= 16 && isLetter(text.charCodeAt(from - 1))) from--
    // public key: …, cache key: …
    if (start - from > 2) kind = classifyName(`${text.slice(from, start - 1)}_${name}`)
  }
  if (name === "passe" && text.startsWith("mot de ", start - 7)) kind = "password"
  if (kind !== undefined && isDeviceKey(text, start, name)) kind = "password"
  if (kind === "weak" && isOwnKey(name) && !isPod(text, start, end, name)) kind = "secret"
  if (kind === undefined && isTestWord(name) && (isFieldName(text, start, end) || followsUser(text, start)))
    kind = "password"
  if (kind === "password" && name.length > 15 && endsDigest(text, end, name)) return end
  if (kind === undefined || (name.endsWith("PWD") && isDirectory(text, end))) return end
  // checksum/secret: …, ${NAME:?what to say without it}, WIP on token: 3a627dd
  const before = text.charCodeAt(start - 1)
  if (before === 32 && (text.startsWith("WIP on ", start - 7) || text.startsWith("index on ", start - 9))) return end
  if (before === 47 && digestOf.test(text.slice(Math.max(0, start - 16), start))) return end
  if (before === 123 && (text.startsWith(":?", end) || text.startsWith(":+", end) || text.startsWith("?", end)))
    return end
  // arn:aws:secretsmanager:eu-west-1:1:secret:name, did:key:z6Mk…
  if (before === 58 && /arn:|did:$/.test(text.slice(Math.max(0, start - 80), start))) return end
  const direct = isSet(text, start, end)
    ? readValue(text, behindSign(text, skipBlanks(text, end)), "sure")
    : precedes && !isDecorated(text, end)
      ? findValue(text, start, end, name)
      : undefined
  const mayBeOther =
    direct === undefined && (!isVerb(name) || followsUser(text, start)) && (!precedes || mayTakeOtherForm(text, end))
  const found = mayBeOther ? findOther(text, start, end) : direct
  if (found === undefined) return readBlock(scan, start, end, kind)
  if (found.rest !== undefined) return readList(scan, [found, ...restOfList(text, found, found.rest)], () => kind, end)
  const names = found.setting === "quoted" ? namesBefore(text, start) : []
  if (names.length > 0) {
    const given = [found, ...restOfList(text, found, "quoted")]
    // Each value belongs to the name in its place. Arguments of a call have no names before them.
    const all = [...names, name]
    if (given.length === all.length)
      return readList(scan, given, (index) => classifyName(all[index]?.trim() ?? ""), end)
  }
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
  if (
    !isSecretValue(kind, value, several ? "quoted" : found.setting) &&
    !(name === "secret" && isOtpSecret(text, start, value))
  )
    return end
  // What is made from the name is the name of another thing: `DbSecret DbSecretB1C4E401`.
  if (found.setting === "told" && ((name.length > 5 && value.startsWith(name)) || isClassOf(text, start, name)))
    return end
  const scheme = kind === "authorization" ? secretStart(value) : 0
  scan.add(found.start + scheme, valueEnd, ruleOf(kind))
  return Math.max(end, valueEnd)
}

/**
 * Values one behind the other, each judged by itself. `kindAt` is what the name of each promises.
 *
 * @returns where the last secret of them ends: what is none may hold names of its own
 */
const readList = (
  scan: Scan,
  list: ReadonlyArray<Found>,
  kindAt: (index: number) => NameClass | undefined,
  end: number
): number => {
  let done = end
  for (const [index, { start, end, setting }] of list.entries()) {
    scan.work.left -= 32 + 4 * (end - start)
    const kind = kindAt(index)
    if (kind === undefined || !isSecretValue(kind, scan.text.slice(start, end), setting)) continue
    scan.add(start, end, ruleOf(kind))
    done = end
  }
  return done
}

/** The list or the object behind the colon of a name. */
const readBlock = (scan: Scan, start: number, end: number, kind: NameClass): number => {
  const { text } = scan
  const colon = skipBlanks(text, isQuote(text.charCodeAt(start - 1)) ? (quoteAt(text, end)?.after ?? end) : end)
  if (text.charCodeAt(colon) !== 58 && text.charCodeAt(colon) !== 61) return end
  const items = itemsBehind(text, colon)
  if (items.length > 0) return readList(scan, items, () => kind, end)
  // The fields of one object are read once, however many names are among them.
  if (colon < scan.membersEnd) return end
  const members = membersBehind(text, colon, kind)
  scan.membersEnd = members.end
  for (const { start: from, end: to } of members.found) scan.add(from, to, "secret")
  return end
}

/** Where to go on behind a place that a name may have; what is found there is marked. */
const lookBehind = (scan: Scan, start: number, end: number): number => {
  scan.work.left -= 8
  const precedes = mayPrecedeValue(scan.text, end)
  if (
    !precedes &&
    !mayTakeOtherForm(scan.text, end) &&
    !(endsComparison(scan.text, end) && isCompared(scan.text, start))
  )
    return end
  scan.work.left -= 40
  return Math.max(end, lookAt(scan, start, end, precedes))
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
