import { base64url, isIn, urldot, word } from "./characterClasses.ts"
import { isBlank, isQuote, isSpace, skipBlanks, skipSpaces } from "./quoting.ts"
import { words } from "./words.ts"

// setenv NAME value, set -x NAME value, ENV NAME value: what stands before the name.
const setterWords =
  "(?:\\b[sS]et[eE]nv|\\bENV|\\bARG|\\bset -{1,2}\\w+(?: -{1,2}\\w+){0,2}|\\b(?:config|configure|secrets?|env|kv|etcdctl)[ :](?:set|put|add))[ \\t]{1,4}"

// What must follow a name for a value to be found behind it. Most names in ordinary text fail here. Words are told apart from it, by hand, because the
// flag for any case triples the cost to compile a pattern; and so is what looks back.
const quote = "\\\\{0,15}[\"'`]"
const follows = [
  // name: value, "name": value, name=value, name := value, $x["name"] = value. A value does not begin like an object or a call.
  `(?:${quote})?(?:\\]?[ \\t]{0,40}\\??[ \\t]?(?:[:=：＝は是为→–—]|->|\\|\\|=|\\?\\?=|%3[ADad]))(?![ \\t]{0,8}(?:[\\r\\n(]|\\{(?!\\w[^\\s{}]{2,126}\\}["';])|$))`,
  // ("name", "value"), <e key="name">value, <name>value
  `${quote}(?:[ \\t]{0,8},[ \\t]{0,40}${quote}|>)`,
  "[^<>\\n]{0,80}>(?=[^<\\s>=]|<!\\[CDATA|\\s{0,40}<[vV]alue>)",
  // <key>name</key><string>value</string>
  "</[\\w.:-]{1,40}>\\s{0,40}<[\\w.:-]{1,40}(?: [^<>\\n]{0,80})?>",
  // variable "name" { default = "value" }
  `${quote}[ \\t]{0,4}\\{\\s[^{}]{0,240}default\\s{0,12}=`,
  // name("value"), PASSWORD 'value'
  `\\([ \\t]?${quote}`,
  "[ \\t]{1,40}[\"']"
].join("|")

/** Made at the first use: many texts have no name. */
let followers: RegExp | undefined
let setter: RegExp | undefined
let setterInAnyCase: RegExp | undefined

const setters = [
  "setenv",
  "env",
  "arg",
  "config set",
  "configure set",
  "secret set",
  "secrets set",
  "config put",
  "configure put",
  "secret put",
  "secrets put",
  "env set",
  "kv put",
  "etcdctl put",
  "env:set"
]

/** What the parts of a path are written with, which a name that is set may be the end of. */
const isPathCode = (code: number): boolean => isIn(code, urldot) || code === 58 || code === 47

/** Whether the word before the path that ends at `at` may be one that sets names: `setenv`, `ENV`, `config set`, or a flag of `set`. */
const mayBeSet = (text: string, at: number): boolean => {
  let path = at
  while (at - path <= 80 && isPathCode(text.charCodeAt(path - 1))) path--
  if (!isBlank(text.charCodeAt(path - 1))) return false
  const before = text
    .slice(Math.max(0, path - 160), path)
    .trimEnd()
    .toLowerCase()
  return setters.some((setter) => before.endsWith(setter)) || before.includes("set -")
}

/** Whether the name between `start` and `end` is an argument of a command that sets it, with the value behind a blank. */
export const isSet = (text: string, start: number, end: number): boolean => {
  if (!isBlank(text.charCodeAt(end)) || text.charCodeAt(start) === 45) return false
  const value = text.charCodeAt(skipBlanks(text, end))
  if (value === 61 || value === 58 || !mayBeSet(text, start)) return false
  setter ??= new RegExp(`(?<=${setterWords}[\\w.:/-]{0,80})`, "y")
  setter.lastIndex = start
  return setter.test(text)
}

/** The same for the name that ends at `end`, in scripts that do not tell upper from lower case. */
const isSetInAnyCase = (text: string, end: number): boolean => {
  if (!mayBeSet(text, end)) return false
  setterInAnyCase ??= new RegExp(`(?<=${setterWords}[\\w.:/-]{3,80})[ \\t]`, "iy")
  setterInAnyCase.lastIndex = end
  return setterInAnyCase.test(text)
}

/** Letters, digits, `_`, `*`, `&` and brackets: what a type is written with. */
const isTypeCode = (code: number): boolean =>
  isIn(code, word) || code === 42 || code === 38 || code === 91 || code === 93

const behindBlanks = (text: string, at: number, most: number): number => {
  let i = at
  while (i - at < most && isBlank(text.charCodeAt(i))) i++
  return i
}

/** `name string = "value"`: the quote of the value of a declared name that ends at `from`; -1 when there is none. */
export const declaredValue = (text: string, from: number): number => {
  const type = behindBlanks(text, from, 8)
  let at = text.startsWith("As ", type) ? type + 3 : type
  const word = at
  while (at - word < 16 && isTypeCode(text.charCodeAt(at))) at++
  if (type === from || at === type) return -1
  // VARCHAR2(64)
  if (text.charCodeAt(at) === 40) {
    const close = text.slice(at, at + 6).indexOf(")")
    if (close === -1) return -1
    at += close + 1
  }
  at = behindBlanks(text, at, 4)
  if (text.charCodeAt(at) === 58) at++
  if (text.charCodeAt(at) !== 61) return -1
  at = behindBlanks(text, at + 1, 4)
  return isQuote(text.charCodeAt(at)) ? at : -1
}

export const isLetter = (code: number): boolean => (code | 32) >= 97 && (code | 32) <= 122

/** `--password value`, `-Token value`: whether the name that ends at `end` is a flag of more than a letter, behind a blank or an opening sign. */
const isFlag = (text: string, end: number): boolean => {
  let start = end
  for (
    let code = text.charCodeAt(start - 1);
    isIn(code, base64url) && end - start < 64;
    code = text.charCodeAt(start - 1)
  )
    start--
  if (text.charCodeAt(start) !== 45 || start === 0) return false
  const letter = text.charCodeAt(start + 1) === 45 ? start + 2 : start + 1
  if (!isLetter(text.charCodeAt(letter)) || end - letter < 2 || end - letter > 61) return false
  const before = text.charCodeAt(start - 1)
  return isSpace(before) || isQuote(before) || before === 40
}

const tellers = words("is was are to will should be set changed reset updated est es ist lautet jest è é")
const valueWords = words("value val content stringvalue plaintext secretstring parametervalue")
const valueLetters = "vcspVCSP"

/** The word of letters, digits and `_` at `at`, in lower case; "" when it is longer than the words that are looked for. */
const wordAt = (text: string, at: number): string => {
  let end = at
  while (isIn(text.charCodeAt(end), word)) if (++end - at > 14) return ""
  return text.slice(at, end).toLowerCase()
}

/** `name: X / value: Y`: the word that announces the value, behind blanks, commas and quotes. */
const isPaired = (text: string, from: number): boolean => {
  const quote = closingQuote(text, from)
  let at = quote
  while (at - quote < 60 && (isSpace(text.charCodeAt(at)) || ",;|".includes(text.charAt(at) || " "))) at++
  at = closingQuote(text, at)
  if (text.startsWith("android:", at)) at += 8
  return valueLetters.includes(text.charAt(at) || " ") && valueWords.has(wordAt(text, at))
}

/** Behind the quote at `at` and the backslashes before it; `at` when there is none. */
const closingQuote = (text: string, at: number): number => {
  let i = at
  while (i - at < 15 && text.charCodeAt(i) === 92) i++
  return isQuote(text.charCodeAt(i)) ? i + 1 : at
}

/** `<name …>`, a line end and blanks, a value: whether an element of several lines may begin with the name that ends at `end`. */
const opensElement = (text: string, end: number): boolean => {
  const near = text.slice(end, end + 81)
  const close = near.indexOf(">")
  if (close === -1 || near.lastIndexOf("<", close) !== -1 || near.lastIndexOf("\n", close) !== -1) return false
  const value = skipSpaces(text, end + close + 1)
  return value > end + close + 1 && value < text.length && text.charCodeAt(value) !== 60
}

/** Whether what stands behind the name lets a value follow. */
export const mayPrecedeValue = (text: string, end: number): boolean => {
  followers ??= new RegExp(follows, "y")
  followers.lastIndex = end
  if (followers.test(text) || isPaired(text, end) || opensElement(text, end)) return true
  const code = text.charCodeAt(end)
  if (!isSpace(code)) return false
  // the name is value
  if (tellers.has(wordAt(text, end + 1)) || text.startsWith("é ", end + 1) || text.startsWith("è ", end + 1))
    return true
  return isBlank(code) && (declaredValue(text, end) !== -1 || isFlag(text, end) || isSetInAnyCase(text, end))
}
