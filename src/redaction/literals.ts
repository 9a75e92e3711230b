import { unlikelyPairs } from "./letterPairs.ts"

// What a value is, judged from its characters alone. Everything looks at the first 96 characters: what follows does not change the answer.

const judged = 96

const shownPart = (value: string): string => (value.length > judged ? value.slice(0, judged) : value)

const set = (text: string): ReadonlySet<string> => new Set(text.split(" "))

/** Words that stand in the place of a secret in code, forms and examples. */
const standIns = set(
  "null none nil undefined true false yes no on off empty unset required optional default auto generated string str text number int integer " +
    "float bool boolean object array any unknown never void bytes char varchar date file stdin env prompt secret secrets token tokens password " +
    "passwords passwd pass pwd key keys hidden masked redacted removed omitted sensitive todo tbd fixme value values sample placeholder changeme " +
    "replaceme changeit foobar xxx disabled enabled inherit bearer basic apikey api_key credentials login user username email"
)

// One expression, because each costs its own compilation: that is most of what a short text costs.
const placeholderShape = new RegExp(
  [
    // Masks.
    /^[\s*x.\-_#?•·●…~=0X]+$/.source,
    /\*{3,}|[xX]{5,}|[•●]{3,}|^\.{3}|\.{3}$|^…|…$/.source,
    // References: <key>, ${KEY}, $KEY, $(command), %KEY%, %(key)s, #{key}, @key@, {{ key }}, [key], __KEY__
    /^<[^<>]*>?$|\$\{|\{\{|\}\}|^\$\(|^\$[A-Za-z_]\w*(?:[^\w]|$)|^\$\d$|^%[A-Za-z_]\w*%$|^%\(|^%[sdvq@]$|#\{|^\{[\w.$ -]*\}$|^@[\w.]+@$|^\[[\w .-]*\]$|^__\w+__$/
      .source,
    /^(?:process|import\.meta|env|os|secrets|vars|steps|var|local|data|config|settings|self|this|ctx|params|args|opts|options)\.[A-Za-z_]/
      .source,
    /^(?:op|vault|ssm|arn|azurekeyvault|gcpsm|awssm|keychain|bitwarden|sops|secretsmanager|secretref|doppler|env|file|ref|secret|valueFrom):/
      .source,
    // Encrypted where it stands: sops, Ansible, Jasypt, Spring, sealed secrets. YAML and CloudFormation tags.
    /^(?:ENC[[(]|\$ANSIBLE_VAULT|\{cipher\}|AgA[A-Z]|!(?:vault|env|secret|Ref|Sub|GetAtt|ImportValue|Join|reference)\b)/
      .source,
    // Earlier redactions, ours and others'.
    /\[REDACTED|\[(?:MASKED|FILTERED|HIDDEN|SECRET)|<redacted|\(redacted|REDACTED$/.source,
    // Words that ask to be replaced. No repetition here may be read in two ways: these run on every value.
    /^(?:some|my|the|enter|insert|replace|change)(?:$|[-_ .][-_ .a-z]*\d{0,3}$)/.source,
    /(?:^|[-_ .])(?:yours?|fake|dummy|example|sample|placeholder|redacted)(?:$|[-_ .][-_ .a-z]*\d{0,3}$)/.source,
    /^(?:your|my|enter|insert|replace|change|some)(?:api|app|access|auth|client|secret|super|pass|password|token|key|value|me|this|it)[a-z_-]*\d{0,3}$/
      .source,
    /(?:^|[-_ ])(?:here|placeholder|example|changeme|goes[-_ ]here)$/.source
  ].join("|"),
  "i"
)

/** Whether a value only stands for a secret: a reference, a mask, a word such as `changeme`, an earlier marker, nothing at all. */
export const isPlaceholder = (value: string): boolean => {
  if (value.length === 0) return true
  const shown = shownPart(value)
  if (shown.length <= 12 && standIns.has(shown.toLowerCase())) return true
  return placeholderShape.test(shown)
}

const uuidShape = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i
const hexShape = /^(?:0x)?[0-9a-f]+$/i
const addressShape =
  /^[a-z][a-z0-9+.-]*:\/\/|^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$|^\d{4}-\d\d-\d\d(?:[T ]|$)|^v?\d+(?:\.\d+){1,3}(?:-[\w.]+)?$|^(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?$/i
const pathShape =
  /^(?:~|\.{1,2}|[A-Za-z]:)?[\\/](?:[\w.@ -]+[\\/])*[\w.@ -]*$|^(?:[\w@-][\w.@ -]*\/)+[\w.@ -]*\.[A-Za-z]\w{0,5}$/

/** A UUID, with or without dashes. */
export const isUuid = (value: string): boolean => uuidShape.test(value)

/** Only hex digits: a digest, a commit, a trace id - or a key. */
export const isHex = (value: string): boolean => hexShape.test(shownPart(value))

/** A URL, an e-mail address, a date, a version or an IP address. */
export const isAddress = (value: string): boolean => addressShape.test(shownPart(value))

/** A file path whose segments read like names. A base64 value may begin with a slash as well. */
export const isPath = (value: string): boolean => {
  const shown = shownPart(value)
  if (!shown.includes("/") && !shown.includes("\\")) return false
  if (!pathShape.test(shown)) return false
  return shown.split(/[\\/]/).every((segment) => segment.length < 24 || isWordy(segment))
}

/** How a value's characters are mixed. */
export interface Mix {
  readonly length: number
  readonly digits: number
  readonly upper: number
  readonly lower: number
  readonly other: number
  /** Mean length of the words that a reader of camelCase would see: `parseHTMLText` has three, of 4.3 letters. */
  readonly piece: number
}

/** Counts the kinds of characters in the judged part of a value. */
export const mixOf = (value: string): Mix => {
  const length = Math.min(value.length, judged)
  let digits = 0
  let upper = 0
  let lower = 0
  let boundaries = 0
  let before = 0
  let capitals = 0
  for (let i = 0; i < length; i++) {
    const code = value.charCodeAt(i)
    const kind = code >= 48 && code <= 57 ? 1 : code >= 65 && code <= 90 ? 2 : code >= 97 && code <= 122 ? 3 : 4
    if (kind === 1) digits++
    else if (kind === 2) upper++
    else if (kind === 3) lower++
    if (i > 0 && kind !== before && (before !== 2 || kind !== 3 || capitals > 1)) boundaries++
    capitals = kind === 2 ? capitals + 1 : 0
    before = kind
  }
  return { length, digits, upper, lower, other: length - digits - upper - lower, piece: length / (boundaries + 1) }
}

const separated =
  /^(?:[A-Za-z]?[a-z]+|[A-Z]+|v?\d{1,4})(?:[-_. /:,'’!?]+(?:[A-Za-z]?[a-z]+|[A-Z]+|v?\d{1,4}))*[-_. /:,'’!?]*$/
const camel = /^[A-Za-z]?[a-z]{2,}(?:[A-Z]{1,2}[a-z]{2,}|[A-Z]{2,4}(?=$|[a-z])|\d{1,3}(?=$|[A-Z]))*$/

/** Words and short numbers with separators between them, or one camelCase word: an identifier, a slug, a label. */
export const isWordy = (value: string): boolean => {
  const shown = shownPart(value)
  return separated.test(shown) || camel.test(shown)
}

/**
 * Whether a value looks drawn at random: kinds of characters mixed as no word, identifier, path or address mixes them.
 *
 * English and code have pieces of four and more characters between changes of kind; base62 has 1.9, letters of both cases 2.4, hex 2.1, lower case with digits 2.5.
 */
export const isRandom = (value: string): boolean => {
  if (value.length < 8) return false
  const shown = shownPart(value)
  if (/[\s\x00-\x1f]/.test(shown)) return false
  if (isWordy(shown) && !/^[A-Za-z]{10,}$/.test(shown)) return false
  if (isAddress(shown) || isPath(shown)) return false
  const mix = mixOf(shown)
  if (mix.upper + mix.lower < 2) return false
  if (mix.digits === 0) {
    if (mix.length < 9) return false
    if (mix.upper < 2 || mix.lower < 2) return mix.length >= 10 && mix.other === 0 && unlikelyPairs(shown) >= 0.4
    return mix.piece < 2.9 || unlikelyPairs(shown) >= 0.3
  }
  if (mix.length >= 16 && mix.digits >= 3 && isHex(shown)) return true
  if (mix.piece < 3.2) return true
  // Long runs of small letters that no word has.
  if (mix.length >= 12 && unlikelyPairs(shown) >= 0.35) return true
  // Separators make short words look mixed; one long segment that is mixed by itself decides.
  return shown
    .split(/[-_./:~]/)
    .some((segment) => segment.length >= 8 && segment.length !== shown.length && isRandom(segment))
}
