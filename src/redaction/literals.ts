// What a value is, judged from its characters alone. Everything looks at the first 96 characters: a longer value does not change the answer.

const judged = 96

const stand = new Set(
  (
    "null none nil undefined true false yes no on off empty unset required optional default string str text number int integer float bool " +
    "boolean object array any unknown never void bytes char varchar date file stdin env prompt secret token password passwd key hidden masked " +
    "redacted removed omitted sensitive todo tbd fixme test value example sample dummy placeholder changeme change_me replaceme foobar"
  ).split(" ")
)

const placeholderShape = new RegExp(
  [
    /^[\s*x.\-_#?•·●…~=0]+$/.source,
    // <your key>, {{ key }}, ${KEY}, $KEY, $(command), %KEY%, %(key)s, @key@, [key]
    /^<[^<>]*>?$/.source,
    /\{\{|\}\}|^\$\{|^\$\(|^\$[A-Za-z_]\w*$|^\$\d$|^%[A-Za-z_]\w*%$|^%\(|^%[sdv@q]$|^#\{|^\{[\w.$ -]*\}$|^@[\w.]+@$|^\[[\w .-]*\]$|^__\w+__$/
      .source,
    /^(?:process|import\.meta|env|os|secrets|vars|steps|var|local|data|config|settings|self|this|ctx|params|args|opts|options)\.[A-Za-z_]/
      .source,
    /^(?:op|vault|ssm|arn|azurekeyvault|gcpsm|awssm|keychain|bitwarden|sops|secretsmanager|secretref|doppler|env|file|ref):/
      .source,
    /^(?:\.\.\.|…)|(?:\.\.\.|…)$|\*{3,}|[xX]{5,}|[•●]{3,}|\[REDACTED|\[MASKED|\[FILTERED|\[HIDDEN|<redacted/.source,
    /(?:^|[^a-z])(?:your|my|the|some|enter|insert|replace|change|fake|dummy|example|sample|placeholder|redacted|changeme)[-_ ]?(?:[a-z0-9]+[-_ ]?)*$/
      .source
  ].join("|"),
  "i"
)

/** Whether a value only stands for a secret: a reference, a mask, a word such as `changeme`, an earlier marker, nothing at all. */
export const isPlaceholder = (value: string): boolean => {
  if (value.length === 0) return true
  const shown = value.length > judged ? value.slice(0, judged) : value
  if (stand.has(shown.toLowerCase())) return true
  return placeholderShape.test(shown)
}

const uuidShape = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i
const hexShape = /^(?:0x)?[0-9a-f]+$/i

/** A UUID, with or without dashes. */
export const isUuid = (value: string): boolean => uuidShape.test(value)

/** Only hex digits: a digest, a commit, a trace id - or a key. */
export const isHex = (value: string): boolean => hexShape.test(value)

const wordy = /^(?:[A-Za-z]?[a-z]{1,}|[A-Z]{1,}|\d{1,4})(?:[-_. /:,]+(?:[A-Za-z]?[a-z]+|[A-Z]+|v?\d{1,4})?)*$/
const camel = /^[A-Za-z]?[a-z]{2,}(?:[A-Z]{1,2}[a-z]{2,}|[A-Z]{2,4}(?=$|[a-z])|\d{1,3}(?=$|[A-Z]))*$/

/** Words and short numbers with separators between them, or one camelCase word: an identifier, a slug, a sentence. */
export const isWordy = (value: string): boolean => {
  const shown = value.length > judged ? value.slice(0, judged) : value
  if (/\d{5}/.test(shown)) return false
  return wordy.test(shown) || camel.test(shown)
}

/** How a value's characters are mixed. */
export interface Mix {
  readonly length: number
  readonly digits: number
  readonly upper: number
  readonly lower: number
  readonly other: number
  /** Neighbours of different kinds (lower, upper, digit, other). */
  readonly changes: number
}

/** Counts the kinds of characters in the judged part of a value. */
export const mixOf = (value: string): Mix => {
  const length = Math.min(value.length, judged)
  let digits = 0
  let upper = 0
  let lower = 0
  let changes = 0
  let before = 0
  for (let i = 0; i < length; i++) {
    const code = value.charCodeAt(i)
    const kind = code >= 48 && code <= 57 ? 1 : code >= 65 && code <= 90 ? 2 : code >= 97 && code <= 122 ? 3 : 4
    if (kind === 1) digits++
    else if (kind === 2) upper++
    else if (kind === 3) lower++
    if (i > 0 && kind !== before) changes++
    before = kind
  }
  return { length, digits, upper, lower, other: length - digits - upper - lower, changes }
}

/** Whether a value looks drawn at random: characters of several kinds mixed as no word or identifier mixes them. At least 8 characters. */
export const isRandom = (value: string): boolean => {
  if (value.length < 8 || /\s/.test(value)) return false
  const mix = mixOf(value)
  const letters = mix.upper + mix.lower
  if (letters === 0) return false
  if (isWordy(value)) return false
  if (mix.digits === 0) {
    // Letters only: capitals in places where no camelCase has them.
    return mix.upper > 0 && mix.lower > 0 && mix.changes >= Math.max(4, mix.length * 0.3)
  }
  if (isHex(value)) return mix.length >= 12 && mix.changes >= mix.length * 0.2
  return mix.changes >= Math.max(3, mix.length * 0.15)
}
