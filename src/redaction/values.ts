import { digits, hex, isAll, isIn, loweralnum, word } from "./characterClasses.ts"
import { unlikelyPairs } from "./letterPairs.ts"
import { isAddress, isHex, isLegible, isPath, isPlaceholder, isRandom, isUuid, isWordy, mixOf } from "./literals.ts"
import { classifyName, type NameClass } from "./names.ts"
import { isAlgorithm, isPublicId, isPublicValue } from "./publicValues.ts"
import { isSpace } from "./quoting.ts"
import { isSlug, withoutAdded } from "./slugs.ts"
import { words } from "./words.ts"

/**
 * Where a value was found, which decides how much it has to show for itself.
 *
 * `sure`: nothing but a literal can stand there (an env assignment, a connection string, a command-line flag). `quoted`: a string literal,
 * which may also be a label or a message. `line`: unquoted, up to the end of its line. `bare`: unquoted with more to follow, which may be code or
 * prose. `told`: behind words or lines that often have a value behind them and as often any word.
 */
export type Setting = "sure" | "quoted" | "line" | "bare" | "told"

const codeWords = words(
  "await new function async typeof return lambda func fn if not self this std crate super let const var import require readonly private public"
)

const operators = ["=>", "||", "&&", "==", "!="]

const isIdentifierCode = (code: number): boolean => isIn(code, word) || code === 36

/** Behind the identifier at `at`; `at` when there is none, because a digit begins none. */
const behindIdentifier = (value: string, at: number): number => {
  if (isIn(value.charCodeAt(at), digits)) return at
  let end = at
  while (isIdentifierCode(value.charCodeAt(end))) end++
  return end
}

const behindAccess = (value: string, at: number): number =>
  value.startsWith("::", at) || value.startsWith("->", at) || value.startsWith("?.", at)
    ? at + 2
    : value.charCodeAt(at) === 46
      ? at + 1
      : -1

/** `config.apiKey`, `env::var`, `args[`: an identifier with members, one with an index, with nothing behind but a comma or semicolon. */
const isMember = (value: string): boolean => {
  // *Type, !flag.member, []Type{
  let from = value.startsWith("[]") ? 2 : 0
  if (value.charCodeAt(from) === 42 || value.charCodeAt(from) === 33) from++
  let end = behindIdentifier(value, from)
  if (end === from) return false
  const next = value.charCodeAt(end)
  if (next === 91 || (next === 123 && (from > 0 || isUpper(value.charCodeAt(0))))) return true
  for (let member = behindAccess(value, end); member !== -1; member = behindAccess(value, end)) {
    end = behindIdentifier(value, member)
    if (end === member) return false
    if (value.charCodeAt(end) === 91) return true
    if (end === value.length || (end === value.length - 1 && ";,".includes(value.charAt(end)))) return !isDrawn(value)
  }
  return false
}

/** `zM7lvy.hMXTN0`: a password with a dot in it; what is named for a secret is a member. */
const isDrawn = (value: string): boolean => {
  if (mixOf(value).digits === 0) return false
  const parts = value.split(/[.:>?;,-]+/)
  return (
    parts.some((part) => {
      const { digits, upper, lower, piece } = mixOf(part)
      return (
        part.length > 4 &&
        ((digits > 0 && lower > 0 && upper + digits > 1 && piece <= 2.4) || (digits > 0 && isRandom(part)))
      )
    }) && parts.every((part) => classifyName(part) === undefined)
  )
}

/** `Vec<`, `*Option<`: a type with parameters. */
const isGeneric = (value: string): boolean => {
  const from = value.charCodeAt(0) === 42 ? 1 : 0
  if (!isUpper(value.charCodeAt(from))) return false
  let end = from
  while (isIn(value.charCodeAt(end), word)) end++
  return value.charCodeAt(end) === 60
}

const isUpper = (code: number): boolean => code >= 65 && code <= 90

/** `name(`, `Box<T>(`: a parenthesis right behind a word or a type. */
const isCall = (value: string): boolean => {
  for (let at = value.indexOf("("); at !== -1; at = value.indexOf("(", at + 1))
    if (isIn(value.charCodeAt(at - 1), word) || value.charCodeAt(at - 1) === 62) return true
  return false
}

const call = /^[A-Za-z_$][\w$]*(?:(?:\.|::|->)[\w$]+)*(?:<[\w<>, ]{0,40}>)?\(.*\)[;,]?$/

/** `z.string().min(8),`: a call from its first to its last character. */
const isWholeCall = (value: string): boolean => value.includes("(") && call.test(value)

/** `)`, `);`, `),`: a closing parenthesis with nothing behind but more of them, commas and semicolons. */
const closesCall = (value: string): boolean => {
  for (let at = value.length - 1; ";,)".includes(value.charAt(at) || " "); at--)
    if (value.charCodeAt(at) === 41) return true
  return false
}

const chained = /^[A-Za-z_$][\w$]*\.[\w$]+=(?:void$|[A-Za-z_$][\w$]*\.[\w$])/

/** `exports.token=void`, `e.key=e.token=void`: what minified code assigns to several members; and `class`, which it assigns to one. */
const isChained = (value: string): boolean => value === "class" || (value.includes("=") && chained.test(value))

/** Whether an unquoted value is code rather than a literal. */
export const isCode = (value: string): boolean => {
  // The padding of base64 is no operator.
  const shown = value.length > 96 ? value.slice(0, 96) : value.endsWith("==") ? value.slice(0, -2) : value
  const first = shown.charAt(0)
  if (first === "&" || first === "(" || "([{".includes(shown.charAt(shown.length - 1) || " ")) return true
  let end = 0
  while (isIn(shown.charCodeAt(end), word)) end++
  return (
    codeWords.has(shown.slice(0, end)) ||
    operators.some((operator) => shown.includes(operator)) ||
    isMember(shown) ||
    isGeneric(shown) ||
    isChained(shown) ||
    isCall(shown) ||
    closesCall(shown)
  )
}

/** The rest of a concatenation: the quote that was taken for an opening one closed a string. A blank begins or ends it, or stands beside the sign there. */
const isBetweenStrings = (value: string): boolean => {
  const last = value.length - 1
  return (
    (value.includes(" ") || value.includes("\n") || value.includes("\t")) &&
    (isSpace(value.charCodeAt(0)) ||
      isSpace(value.charCodeAt(last)) ||
      ("+.,;)]}".includes(value.charAt(0)) && isSpace(value.charCodeAt(1))) ||
      (value.charCodeAt(last) === 43 && isSpace(value.charCodeAt(last - 1))))
  )
}

const patternShape =
  /\[\^?[\\\w-]+\]|\(\?[:=!<imsx]|\\[wdsb]|^\.[*+]|\.[*+](?:.*\.[*+]|$)|\{\d+,?\d*\}|^\/\^?[^\s/]{2,80}\/[dgimsuvy]{0,3},?$/
const patternSigns = ["[", "(?", "\\", ".*", ".+", "{", "/"]

/** Whether the value is a regular expression. */
const isPattern = (value: string): boolean =>
  patternSigns.some((sign) => value.includes(sign)) && patternShape.test(value)

/** An identifier that is itself the name of a secret, with or without a number: `password16`, `hexPKCS8TestKey`, `pvk_password`. */
export const isNamedForSecret = (value: string): boolean => {
  let end = value.length
  while (isIn(value.charCodeAt(end - 1), digits)) end--
  if (end < 3 || value.length > 64) return false
  for (let at = 0; at < end; at++) if (!isIdentifierCode(value.charCodeAt(at))) return false
  if (classifyName(value.slice(0, end)) === undefined) return false
  // A key may end in letters such as `Pw`.
  return value.length < 12 || mixOf(value).digits < 3 || mixOf(value).piece > 2.6 || !isRandom(value)
}

/** Letters of ASCII and all beyond it but the signs. To make a pattern that asks what a letter is takes as long as a search of the whole text. */
const letters = /^[A-Za-z\u00aa-\u1fff\u2c00-\uffff]+$/

/** Letters alone, in any language, that are a name of a password or a secret: the label of a field. */
const isLabel = (value: string): boolean =>
  value.length <= 16 && classifyName(value.toLowerCase()) !== undefined && letters.test(value)

/** `db-password8`, `prod/api-token-2`, `db-password-6479b55b`: words and short numbers, the last of the words the name of a secret. */
const isSlugForSecret = (value: string): boolean => {
  if (value.length > 80) return false
  const name = withoutAdded(value)
  return (
    /^[a-z]{2,24}\d{0,2}(?:[-./:_][a-z]{2,24}\d{0,2}|[-.]v?\d{1,4})+$/.test(name) &&
    classifyName(name.replace(/[-.]?v?\d{1,4}$/, "")) !== undefined
  )
}

/** `OAUTH2-CLIENT-SECRET`, `YOUR_TOKEN`: capitals that name what belongs there. */
const isMetavariable = (value: string): boolean => {
  if (
    value.length < 8 ||
    value.length > 64 ||
    !isUpper(value.charCodeAt(0)) ||
    !isUpper(value.charCodeAt(value.length - 1))
  )
    return false
  const dash = value.indexOf("-")
  return (dash !== -1 || value.includes("_")) && value === value.toUpperCase() && classifyName(value) !== undefined
}

const closings = ")]}"

/** Whether a bracket closes none that is open: code and templates are nested, also in strings. */
const isMisnested = (value: string): boolean => {
  const open: Array<number> = []
  for (const sign of value) {
    const opened = "([{".indexOf(sign)
    if (opened !== -1) open.push(opened)
    else if (closings.includes(sign) && open.pop() !== closings.indexOf(sign)) return true
  }
  return false
}

/** `k{{w}a)q${e]xm(b`: signs and letters in short turns, and brackets that do not match. */
const isTangled = (value: string): boolean => {
  if (value.length < 16 || value.length > 128 || !isMisnested(value) || /\s/.test(value)) return false
  const { upper, lower, other, piece } = mixOf(value)
  return other > 5 && upper + lower > 5 && piece < 2.6 && !isPattern(value)
}

/** `KeyFormat.pkcs8`, `Aead.Key<Aead.AesGcm>`: words with the signs of code between them. */
const isDottedName = (value: string): boolean =>
  value.length <= 96 &&
  (value.includes(".") || value.includes("::")) &&
  value.split(/[.:<>]+/).every((part) => part === "" || isWordy(part))

const fileName = /[a-z][.-]?\w*\.[a-z]{1,4}\d?$/

/** Letters and digits together as no word, address, path or digest has them. */
const isMixed = (value: string): boolean => {
  const mix = mixOf(value)
  if (mix.digits < 2 && !isRandom(value)) return false
  if (mix.digits === 0 && (value.length < 10 || mix.upper < 2 || unlikelyPairs(value) < 0.35)) return false
  if (mix.upper + mix.lower < 2 || /[^\x21-\x7e]|["'`()[\]{}<>|\\/;,]|^-/.test(value)) return false
  return !isLegible(value) && !isHex(value) && !isAddress(value) && !isPath(value) && !isNamedForSecret(value)
}

/** `EC_SIGN_P256_SHA256`: capitals with underscores, as constants are written. */
const isConstant = (value: string): boolean => /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(value) && isSlug(value)

/** `#reset-password-form`: an element that is named for a secret. */
const isNamedElement = (value: string): boolean =>
  /^#[a-z]+(?:-[a-z]+)*$/.test(value) &&
  value
    .slice(1)
    .split("-")
    .some((part) => classifyName(part) !== undefined)

/** `admin/credentials#edit`: words with slashes between them. */
const isRoute = (value: string): boolean => value.includes("/") && isSlug(value)

/** `24-character`, `base64-encoded`: how a value has to be, not the value. */
const measured = /^(?:\d{1,4}|base64|hex|utf-?8)-[a-z]+$/

/** Labels in the languages of East Asia may hold a digit; what people type as a password there is ASCII. */
const holdsAsianLetter = (value: string): boolean => {
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at)
    if (code >= 0x3040 && code <= 0xd7a3) return true
  }
  return false
}

/** `required|min:8|confirmed`: what a field must be. */
const validation = /^[a-z_]+(?::[\w,.]+)?(?:\|[a-z_]+(?::[\w,.]+)?)+$/

/** `un!known`: no sentence has letters right behind that sign. */
const exclaimed = /[A-Za-z]![A-Za-z]/

/** `0x115`, `0x02`: a number in code. */
const isConstantOfCode = (value: string): boolean => value.length < 11 && value.startsWith("0x") && isHex(value)

/** `lease=962c…`: the field of a line behind the one that ends with the name. */
const nextField = /^[A-Za-z_][\w.-]*=[^=]/

/** `#f7de83`: a colour. */
const isColour = (value: string): boolean =>
  value.charCodeAt(0) === 35 && (value.length === 7 || value.length === 9) && isAll(value, 1, value.length, hex)

/** `auth.errors.password_min8`: the key of a text, one of its parts named for a secret. */
const isTextKey = (value: string): boolean =>
  value.includes(".") &&
  /^[a-z]+(?:[._-][a-z]+|[A-Z][a-z]+)*(?:[._-]?v?\d{1,2})?$/.test(value) &&
  value
    .split(/[.]/)
    .some((part) => classifyName(part) !== undefined || classifyName(part.split("_")[0] ?? "") !== undefined)

const passwordHolds = (value: string, setting: Setting): boolean => {
  const { length } = value
  if (length < 3) return false
  if (length > 256) return isRandom(value)
  if (setting === "told")
    return (
      length >= 8 &&
      ((isMixed(value) && !/\.[a-z]{1,4}\d?$/.test(value) && !(value.includes("=") && nextField.test(value))) ||
        (length >= 32 && isHex(value)))
    )
  if ((setting === "sure" || setting === "quoted") && isSpoken(value)) return true
  if (isAlgorithm(value) || (value.includes("|") && validation.test(value))) return false
  if (setting === "sure")
    return !isBetweenStrings(value) && !/\s\S+\s/.test(value) && !isCode(value) && !isConstantOfCode(value)
  if (length < 4) return false
  const mix = mixOf(value)
  if (mix.digits === length) return setting === "quoted" || length >= 6
  if (/\s/.test(value) || (setting !== "quoted" && isCode(value))) return false
  // Constants, variables and selectors: 0x115, password16, #new-password; a year or more behind the word is a password.
  if (setting !== "quoted" && isConstantOfCode(value)) return false
  if (setting !== "quoted" && isNamedForSecret(value) && !isAll(value, length - 3, length, digits)) return false
  if (value.charCodeAt(0) === 35 && (isNamedElement(value) || isColour(value))) return false
  if (setting !== "line" && isTextKey(value)) return false
  if (holdsAsianLetter(value)) return false
  if (setting === "quoted" ? isConstant(value) || isRoute(value) : measured.test(value)) return false
  if (isAddress(value) || isPath(value) || isPattern(value) || isWholeCall(value)) return false
  if (mix.digits === mix.length) return setting === "quoted" || length >= 6
  if (/[^\x21-\x7e]/.test(value) && mix.digits === 0) return isRandom(value)
  if (mix.digits > 0) return setting !== "bare" || !isWordy(value) || mix.length >= 10
  if (tokenShape.test(value) && mix.length >= 12 && mix.upper > 2 && mix.lower > 2 && unlikelyPairs(value) >= 0.35)
    return true
  if (mix.other > 0)
    return (
      /[!@#$%^&*+=~?].|[#$%&@^]$/.test(value) &&
      mix.upper + mix.lower >= 3 &&
      !/[()[\]{}<>|\\,;"'`]/.test(value) &&
      (!isWordy(value) || exclaimed.test(value)) &&
      !(setting !== "quoted" && isSlug(value))
    )
  return isRandom(value)
}

/** Whether a random value could be a credential: one run of the characters that keys are written in. */
const tokenShape = /^[A-Za-z0-9+/=_.~:%-]+$/

/** As GnuPG and its kin print the ids of keys. */
const fingerprint = /^(?:0x)?[0-9A-F]{16,40}(?:\.{3})?$/

/** `Kestrel2031!`, `Kestrel!2031x`: what people type where a key is asked for. */
const typed =
  /^(?:[A-Za-z]{4,16}\d{2,6}[!@#$*^&]{1,3}[A-Za-z\d]{0,4}|[A-Z][a-z]{3,15}[!@#$*^&]{1,3}\d{2,6}[A-Za-z\d!@#$*^&]{0,4})$/

const secretHolds = (value: string, setting: Setting): boolean => {
  const { length } = value
  // What a machine makes is ASCII: `API-Schlüssel` is a label.
  if (/[\u00c0-\uffff]/.test(value.slice(0, 256))) return false
  if (length < 8 || length > 16_384 || /\s/.test(value)) return false
  if (isUuid(value) || ((setting === "quoted" || setting === "sure") && length < 32 && typed.test(value))) return true
  if (setting === "told" && fingerprint.test(value)) return false
  if (setting === "told" && (length < 16 || !isRandom(value) || !/^\w[\w+/=.~-]*$/.test(value) || fileName.test(value)))
    return false
  // Code first: that is told without a regular expression.
  if (setting !== "quoted" && setting !== "sure" && isCode(value)) return false
  if (isAddress(value) || isPath(value) || isWordy(value) || isPattern(value.slice(0, 256))) return false
  if (isPublicValue(value) || isWholeCall(value) || isSlug(value)) return false
  if (setting !== "sure" && (isNamedForSecret(value) || isDottedName(value) || isSlugForSecret(value))) return false
  const mix = mixOf(value)
  if (value.length < 200 && isEncodedPair(value)) return true
  if (setting !== "sure" && isField(value)) return false
  // More digits than a number of 64 bits has.
  if (mix.digits === length && length > 20) return setting !== "told"
  if (isRandom(value))
    return tokenShape.test(value) || setting === "sure" || (mix.length >= 12 && !/["'`\\]/.test(value))
  if (setting === "bare" || setting === "told") return false
  return mix.length >= 10 && mix.digits > 0 && mix.upper + mix.lower > 1 && tokenShape.test(value)
}

const fieldName = /^[a-z][a-z_]{1,24}=/

/** `user=svc2`: a field of a line, of which no part is random. */
const isField = (value: string): boolean => {
  const sign = value.indexOf("=")
  return sign > 1 && sign < value.length - 1 && fieldName.test(value) && !isRandom(value.slice(sign + 1))
}

const digestLengths: ReadonlySet<number> = new Set([16, 24, 32, 40, 56, 64, 96, 128])

const isNumber = (part: string): boolean => isAll(part, 0, part.length, digits)

/** `user:password` in base64. */
const isEncodedPair = (value: string): boolean =>
  /^[\w.@-]{1,64}:[\x21-\x7e]{4,}$/.test(Buffer.from(value, "base64").toString("latin1"))

/** Digests are printed in small letters or in capitals. */
const isOfOneCase = (value: string): boolean => value === value.toLowerCase() || value === value.toUpperCase()

const weakHolds = (value: string): boolean => {
  if (value.length < 16 || value.length > 4096 || !/^[A-Za-z0-9+/=_~-]+$/.test(value)) return false
  if (isUuid(value) || isPublicValue(value) || isPublicId(value)) return false
  // A digest, also behind words or before a number: the key of a cache. One whose first digits are a directory: the key of an object.
  if (value.includes("/")) {
    const joined = value.replaceAll("/", "")
    if (isHex(joined) && digestLengths.has(joined.length)) return false
  }
  const parts = value.split("-")
  while (parts.length > 1 && isNumber(parts.at(-1) ?? "")) parts.pop()
  const last = parts.pop() ?? ""
  if (isHex(last) && digestLengths.has(last.length) && isOfOneCase(last) && !parts.some(isRandom)) return false
  if (value.length < 200 && isEncodedPair(value)) return true
  const mix = mixOf(value)
  return (
    isRandom(value) &&
    (mix.digits >= 2 ? mix.upper > 0 || mix.length >= 24 : mix.length >= 32 && mix.upper > 3 && mix.lower > 3)
  )
}

/** A PIN, a code that is sent, a code of those that are printed out: `4f2a9-81cb0`. */
const codeShape = /^\d{4,10}$|^(?=.*\d)[0-9a-z]{4,6}(?:-[0-9a-z]{4,6}){1,3}$/

/** The scheme of an Authorization header and the blanks behind it: `Bearer `, `token `. */
const scheme = /^[A-Za-z][\w-]{1,24}\s+(?=\S)/

/** The parameters of a signed request: OAuth 1, Digest, AWS Signature 4, Hawk. */
const isSigned = (credentials: string): boolean =>
  /(?:^|[\s,&])(?:oauth_signature|oauth_token|response|signature|mac)="?[\w%+/=-]{16}/i.test(credentials)

/**
 * Letters of one case or camelCase, without a digit: what most names in ordinary text have beside them. Told without a regular expression, because
 * the first use of each of those costs more than the rest of a short scan.
 */
const isPlainWord = (kind: NameClass, value: string): boolean => {
  if (value.length < 4) return true
  const { digits, upper, lower, other } = mixOf(value)
  if (digits > 0 || other > 5 || (other > 0 && kind === "password")) return false
  return upper + lower === 0
    ? kind !== "password"
    : unlikelyPairs(value) < 0.3 && (upper < 2 || lower < 2 || value.length < 9)
}

/** Where the credentials begin in an Authorization header: behind the scheme, if it has one. */
export const secretStart = (header: string): number => scheme.exec(header)?.[0].length ?? 0

const spoken = /^[a-z]{3,10}(?: (?:[a-z]{3,10}|\d{1,4})){3,7}$/
const spokenInProse =
  /\b(?:the|your|you|for|and|with|enter|must|not|this|that|from|please|use|set|new|old|see|are|was|has|have|can|will|should|password|passphrase|secret|key|token)\b/

/** Four to eight short words in a row, none of which a sentence would be without: a password as dice make it. */
const isSpoken = (value: string): boolean =>
  value.includes(" ") && isSmall(value) && spoken.test(value) && !spokenInProse.test(value)

/** Small letters, digits and spaces only, which labels and messages seldom are. */
const isSmall = (value: string): boolean => {
  for (let at = 0; at < value.length; at++)
    if (value.charCodeAt(at) !== 32 && !isIn(value.charCodeAt(at), loweralnum)) return false
  return true
}

const wordsInRow = /^(?:[a-z]{3,8} ){11,23}[a-z]{3,8}$/
/** The seed of a wallet: twelve to twenty-four short words. */
export const isSeedPhrase = (value: string): boolean => wordsInRow.test(value)

const groups = /^(?:[A-Za-z0-9]{4}[ -]){3,15}[A-Za-z0-9]{4}$/
/** A key written in groups of four, as setup pages show it: `nqsz e73y 4lcs 2uyv`. */
export const isGrouped = (value: string): boolean => groups.test(value) && isRandom(value.replace(/[ -]/g, ""))

/**
 * Whether the value under a name of this class is a secret.
 *
 * @param value the value without its quotes
 */
export const isSecretValue = (kind: NameClass, value: string, setting: Setting): boolean =>
  isSecret(kind, value.includes("%") && percent.test(value) ? decoded(value) : value, setting)

const percent = /%(?:[2-7][0-9A-Fa-f]|[CDE][0-9A-Fa-f]%)/

/** A value of a URL as it was before it was written into it: `%3Ctoken%3E` is a placeholder. */
const decoded = (value: string): string => {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

const isSecret = (kind: NameClass, value: string, setting: Setting): boolean => {
  if (kind === "phrase") return isSeedPhrase(value)
  if (setting !== "sure" && isPlainWord(kind, value)) return false
  if (isPlaceholder(value) || isBetweenStrings(value) || isMetavariable(value) || isLabel(value)) return false
  if (
    (setting === "quoted" || setting === "sure") &&
    value.charCodeAt(4) === 32 &&
    value.length < 90 &&
    isGrouped(value)
  )
    return true
  if (setting !== "bare" && setting !== "told" && (kind === "password" || kind === "secret") && isTangled(value))
    return true
  if (kind === "password") return passwordHolds(value, setting)
  if (kind === "code" && setting !== "bare" && setting !== "told" && codeShape.test(value)) return true
  if (kind === "code" && (value.length > 40 || value.includes("="))) return false
  if (kind === "weak" || kind === "code") return setting !== "told" && weakHolds(value)
  if (kind === "authorization") {
    if (setting === "told") return false
    const credentials = value.replace(scheme, "")
    return (
      credentials.length >= 8 &&
      !isPlaceholder(credentials) &&
      (secretHolds(credentials, setting === "bare" ? "bare" : "sure") || isSigned(credentials))
    )
  }
  return kind === "secret" && secretHolds(value, setting)
}
