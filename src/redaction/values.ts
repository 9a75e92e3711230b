import { unlikelyPairs } from "./letterPairs.ts"
import { isAddress, isHex, isPath, isPlaceholder, isRandom, isUuid, isWordy, mixOf } from "./literals.ts"
import type { NameClass } from "./names.ts"

/**
 * Where a value was found, which decides how much it has to show for itself.
 *
 * `sure`: nothing but a literal can stand there (an env assignment, a connection string, a command-line flag). `quoted`: a string literal,
 * which may also be a label or a message. `line`: unquoted, up to the end of its line. `bare`: unquoted with more to follow, which may be code or
 * prose.
 */
export type Setting = "sure" | "quoted" | "line" | "bare"

const codeShape =
  /^(?:await|new|function|async|typeof|return|lambda|func|fn|if|not|self|this|std|crate|super|let|const|var|import|require|readonly|private|public)\b|^&|[([{]$|[\w>]\(|^\(|\)[;,)]*$|=>|^[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)+[;,]?$|^[A-Za-z_$][\w$]*\[|^\*?[A-Z]\w*<|\|\||&&|===?|!=/

const codeSigns = /[&()[{<>.:|=]/
const codeWords =
  /^(?:await|new|function|async|typeof|return|lambda|func|fn|if|not|self|this|std|crate|super|let|const|var|import|require|readonly|private|public)\b/

/** Whether an unquoted value is code rather than a literal. */
export const isCode = (value: string): boolean => {
  const shown = value.length > 96 ? value.slice(0, 96) : value
  return codeSigns.test(shown) ? codeShape.test(shown) : codeWords.test(shown)
}

/** The rest of a concatenation: the quote that was taken for an opening one closed a string. */
const isBetweenStrings = (value: string): boolean =>
  (value.includes(" ") || value.includes("\n") || value.includes("\t")) &&
  /^(?:\s|[+.,;)\]}]\s)|^\s*[+.]\s|\s\+?\s?$/.test(value)

const patternShape = /\[\^?[\\\w-]+\]|\(\?|\\[wdsb]|\.\*|\.\+|\{\d+,?\d*\}/

const passwordHolds = (value: string, setting: Setting): boolean => {
  const { length } = value
  if (length < 3) return false
  if (length > 256) return isRandom(value)
  if (setting === "sure") return !isBetweenStrings(value) && !/\s\S+\s/.test(value) && !isCode(value)
  if (length < 4 || /\s/.test(value) || isAddress(value) || isPath(value) || patternShape.test(value)) return false
  if (setting !== "quoted" && isCode(value)) return false
  const mix = mixOf(value)
  if (mix.digits === mix.length) return setting === "quoted" ? length >= 4 : length >= 6
  if (/[^\x21-\x7e]/.test(value) && mix.digits === 0) return false
  if (mix.digits > 0) return setting !== "bare" || !isWordy(value) || mix.length >= 10
  if (mix.other > 0)
    return (
      /[!@#$%^&*+=~?]./.test(value) &&
      mix.upper + mix.lower >= 3 &&
      !/[()[\]{}<>|\\,;"'`]/.test(value) &&
      !isWordy(value)
    )
  return isRandom(value)
}

/** Whether a random value could be a credential: one run of the characters that keys are written in. */
const tokenShape = /^[A-Za-z0-9+/=_.~:%-]+$/

const secretHolds = (value: string, setting: Setting): boolean => {
  const { length } = value
  if (length < 8 || length > 16_384 || /\s/.test(value)) return false
  if (isUuid(value)) return true
  if (isAddress(value) || isPath(value) || isWordy(value) || patternShape.test(value.slice(0, 256))) return false
  if (setting !== "quoted" && setting !== "sure" && isCode(value)) return false
  const mix = mixOf(value)
  if (isRandom(value))
    return tokenShape.test(value) || setting === "sure" || (mix.length >= 12 && !/["'`\\]/.test(value))
  if (setting === "bare") return false
  return mix.length >= 12 && mix.digits > 0 && mix.upper + mix.lower > 0 && tokenShape.test(value)
}

const digestLengths: ReadonlySet<number> = new Set([32, 40, 56, 64, 96, 128])

const weakHolds = (value: string): boolean => {
  if (value.length < 16 || value.length > 4096 || !/^[A-Za-z0-9+/=_~-]+$/.test(value)) return false
  if (isUuid(value) || (isHex(value) && digestLengths.has(value.length))) return false
  const mix = mixOf(value)
  return isRandom(value) && mix.digits >= 2 && (mix.upper > 0 || mix.length >= 24)
}

/** The scheme of an Authorization header and the blanks behind it: `Bearer `, `token `. */
const scheme = /^[A-Za-z][\w-]{1,24}\s+(?=\S)/

/**
 * Letters of one case or camelCase, without a digit: what most names in ordinary text have beside them. Told without a regular expression, because
 * the first use of each of those costs more than the rest of a short scan.
 */
const isPlainWord = (kind: NameClass, value: string): boolean => {
  if (value.length < 4) return true
  const { digits, upper, lower, other } = mixOf(value)
  if (digits > 0 || (other > 0 && kind === "password")) return false
  return upper + lower === 0
    ? kind !== "password"
    : unlikelyPairs(value) < 0.3 && (upper < 2 || lower < 2 || value.length < 9)
}

/** Where the credentials begin in an Authorization header: behind the scheme, if it has one. */
export const secretStart = (header: string): number => scheme.exec(header)?.[0].length ?? 0

/**
 * Whether the value under a name of this class is a secret.
 *
 * @param value the value without its quotes
 */
export const isSecretValue = (kind: NameClass, value: string, setting: Setting): boolean => {
  if (setting !== "sure" && isPlainWord(kind, value)) return false
  if (isPlaceholder(value) || isBetweenStrings(value)) return false
  if (kind === "password") return passwordHolds(value, setting)
  if (kind === "weak") return weakHolds(value)
  if (kind === "authorization") {
    const credentials = value.replace(scheme, "")
    return (
      credentials.length >= 8 &&
      !isPlaceholder(credentials) &&
      secretHolds(credentials, setting === "bare" ? "bare" : "sure")
    )
  }
  return kind === "secret" && secretHolds(value, setting)
}
