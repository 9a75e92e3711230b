// What only stands for a secret. Most values are told by a look into a table: each regular expression is compiled at its first use, and for a short
// text that is most of what a scan costs.

import { isAll, isIn, loweralnum, word as wordCharacters } from "./characterClasses.ts"
import { words } from "./words.ts"

/** Words that stand in the place of a secret in code, forms and examples. */
const standIns = words(
  "null none nil undefined true false yes no on off empty unset required optional default auto generated string str text number int integer " +
    "float bool boolean object array any unknown never void bytes char varchar date file stdin env prompt secret secrets token tokens password " +
    "passwords passwd pass pwd key keys hidden masked redacted removed omitted sensitive todo tbd fixme value values sample placeholder changeme " +
    "replaceme changeit foo bar baz guest anonymous foobar xxx test testing stub mock mocked fake dummy example invalid wrong expired unused ignored n/a uint8array bytes32 bytea objectid secretstr nsstring disabled enabled inherit bearer basic apikey api_key credentials login user username email"
)

/** Wherever they stand: masks, references, earlier redactions. In lower case. */
const pieces = ["***", "xxxxx", "[redacted", "<redacted", "(redacted", "[masked", "[filtered", "[hidden", "[secret"]

/** What is filled in where `${`, `#{` or `{{` opens: it begins with a name, and goes on as code does. */
const filledIn = /^\s*(?:[a-z_][\w-]*(?![\w-]|[\])>;])|[^a-z_\s])/

/** `{name}` and `{0}` between other characters, as strings are formatted. */
const formatted = /\{(?:[a-z_][\w.]{1,40}(?:[!:][^{}]{0,12})?|\d?)\}/

/** Whether a part of the value is filled in from elsewhere: `${NAME}`, `prefix-{{ name }}`, `#{name}`, `user-{name}`. */
const holdsReference = (shown: string): boolean => {
  for (let at = shown.indexOf("{"); at !== -1; at = shown.indexOf("{", at + 1)) {
    const before = shown.charCodeAt(at - 1)
    if (before !== 36 && before !== 35 && shown.charCodeAt(at + 1) !== 123) continue
    const rest = shown.slice(shown.charCodeAt(at + 1) === 123 ? at + 2 : at + 1)
    if (isFilledIn(rest, shown.charCodeAt(at + 1) === 123)) return true
  }
  return (shown.includes("}") && formatted.test(shown)) || (shown.endsWith("}}") && !shown.includes("{{"))
}

/** Whether what stands behind an opening brace is an expression; behind two of them, one that both close. */
const isFilledIn = (rest: string, twice: boolean): boolean =>
  rest === "" || (filledIn.test(rest) && !(twice && /^[\w-]+\}(?!\})/.test(rest)))

const masks = "*x.-_#?•·●…~=0"

/** `process.env`, `secrets.X`: an object whose member is meant. */
const objects = words(
  "process env os secrets vars steps var local data config settings self this ctx params args opts options"
)
/** `op://…`, `arn:…`: where the secret is kept. */
const schemes = words(
  "op vault ssm arn azurekeyvault gcpsm awssm keychain bitwarden sops secretsmanager secretref doppler workspace npm env file ref secret valuefrom"
)
/** `my-key`, `change me`: words that ask for the real one, alone or with more words behind them. */
const asking = words("some my the enter insert replace change")
/** `yourkey`, `changeme`: the same, attached. */
const attaching = ["your", "my", "enter", "insert", "replace", "change", "some"]
const attached =
  /^(?:your|my|enter|insert|replace|change|some)(?:api|app|access|auth|client|secret|super|pass|password|token|key|value|me|this|it)[a-z_-]*\d{0,3}$/
const saying = ["your", "fake", "dummy", "example", "sample", "placeholder", "redacted"]
const said =
  /(?:^|[-_ .])(?:yours?|fake|dummy|example|sample|placeholder|redacted)(?:$|[-_ .](?:\d{1,4}[-_ .])?[-_ .a-z]*\d{0,3}$)/
const endings = ["here", "placeholder", "example", "changeme"]
const ended = /(?:^|[-_ ])(?:here|placeholder|example|changeme|goes[-_ ]here)$/
const wordsToEnd = /^[-_ .][-_ .a-z]*\d{0,3}$/

/** By the first character: references of shells and templates, values encrypted where they stand, YAML tags. In lower case. */
const references: Readonly<Record<string, RegExp>> = {
  "<": /^<[^<>]*>?$/,
  $: /^\$(?:[a-z_(]|\d$)/,
  "`": /^`[^`]+`$/,
  "%": /^%(?:[a-z_]\w*%$|\(|[sdvq@]$|(?:[a-z]+:)*env\()/,
  "{": /^\{(?:[\w.$ -]*\}$|cipher\}|(?:env|file):)/,
  "@": /^@[\w.]+@$|^@[\w./-]+\.[a-z]{1,16}$|^@[~.]?\/[\w./-]+$/,
  "[": /^\[[\w .-]*\]$/,
  _: /^__\w+__$/,
  // Between quotes of the shell: "'$NAME'"
  "'": /^'\$\{?[a-z_]\w*\}?'$/,
  '"': /^"\$\{?[a-z_]\w*\}?"$/,
  "!": /^!(?:vault|env|secret|ref|sub|getatt|importvalue|join|reference)\b/
}

const isBlank = (character: string): boolean => character.trim() === ""

const isMask = (shown: string): boolean => {
  for (let i = 0; i < shown.length; i++) {
    const sign = shown.charAt(i)
    if (!masks.includes(sign) && !isBlank(sign)) return false
  }
  return true
}

const isLetter = (code: number): boolean => code >= 97 && code <= 122

const leadingWord = (shown: string): string => {
  let end = 0
  while (isLetter(shown.charCodeAt(end))) end++
  return shown.slice(0, end)
}

const asksToBeReplaced = (shown: string, word: string): boolean =>
  (asking.has(word) && (shown.length === word.length || wordsToEnd.test(shown.slice(word.length)))) ||
  (saying.some((piece) => shown.includes(piece)) && said.test(shown)) ||
  (endings.some((piece) => shown.endsWith(piece)) && ended.test(shown)) ||
  (attaching.some((piece) => word.startsWith(piece)) && attached.test(shown))

/** What a value that begins with a word says: `process.env.KEY`, `op://vault/item`, `ENC(…)` of Jasypt, `AgB…` of sealed secrets. */
const refersElsewhere = (shown: string, word: string): boolean => {
  const next = shown.charAt(word.length)
  if (next === ".") {
    const member = shown.startsWith("import.meta.") ? 12 : objects.has(word) ? word.length + 1 : shown.length
    return isLetter(shown.charCodeAt(member)) || shown.charAt(member) === "_"
  }
  if (next === ":") return schemes.has(word)
  if (word === "projects" && next === "/") return shown.includes("/secrets/")
  return word === "enc" ? next === "(" || next === "[" : shown.length > 80 && /^ag[a-d]/.test(word)
}

const elision = /^[\w-]{1,12}(?:\.{3}|…)[\w-]{1,8}$/

/** `sk-ab...yz`: the beginning and the end of what is not shown. */
const isElided = (shown: string): boolean => (shown.includes("...") || shown.includes("…")) && elision.test(shown)

const wrap = /^[^a-z0-9"'\s]{1,3}([a-z][a-z_-]+)[^a-z0-9"'\s]{0,3}$/

/** `@@TOKEN@@`, `~secret~`, `###REDACTED###`: a word that stands in between signs. */
const isWrapped = (shown: string): boolean => {
  const word = shown.length <= 40 && !isIn(shown.charCodeAt(0), loweralnum) ? wrap.exec(shown)?.[1] : undefined
  return word !== undefined && (word.split(/[-_]/).every((part) => standIns.has(part)) || word.endsWith("redacted"))
}

/** Whether a value only stands for a secret: a reference, a mask, a word such as `changeme`, an earlier marker. `shown` is in lower case. */
export const standsForSecret = (shown: string): boolean => {
  if (shown.length <= 12 && standIns.has(shown)) return true
  for (const piece of pieces) if (shown.includes(piece)) return true
  if ((shown.includes("{") || shown.includes("}}")) && holdsReference(shown)) return true
  if (isElided(shown) || isWrapped(shown)) return true
  if (shown.endsWith("redacted") || shown.startsWith("...") || shown.endsWith("...")) return true
  if (shown.startsWith("…") || shown.endsWith("…")) return true
  if ((shown.includes("•") || shown.includes("●")) && /[•●]{3}/.test(shown)) return true
  const first = shown.charAt(0)
  if ((masks.includes(first) || isBlank(first)) && isMask(shown)) return true
  // A parameter of SQL, a symbol of Ruby
  if (first === ":") return isLetter(shown.charCodeAt(1)) && isAll(shown, 1, shown.length, wordCharacters)
  const word = leadingWord(shown)
  if (word === "" ? references[first]?.test(shown) === true : refersElsewhere(shown, word)) return true
  return asksToBeReplaced(shown, word)
}
