import { isHex, isPlaceholder, isRandom, isUuid, isWordy, mixOf } from "./literals.ts"
import type { NameClass } from "./names.ts"

/**
 * Where a value was found, which decides how much it has to show for itself.
 *
 * `sure`: nothing but a literal can stand there (an env assignment, a connection string, userinfo, a command-line flag). `quoted`: a string
 * literal, which may also be a label or a message. `bare`: unquoted after a colon or an equals sign, which may also be code or prose.
 */
export type Setting = "sure" | "quoted" | "bare"

const codeShape =
  /^(?:await|new|function|async|typeof|return|lambda|func|fn|if|not|self|this|std|crate|super|let|const|var|import|require|readonly|private|public|&)\b|[([]$|\w\(|\)$|=>|^[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)+[;,]?$|^[A-Za-z_$][\w$]*\[/

/** Whether an unquoted value is code rather than a literal. */
export const isCode = (value: string): boolean => codeShape.test(value.length > 96 ? value.slice(0, 96) : value)

const sentence = /[A-Za-z\u00c0-\u024f]{2,}[,.]? +[A-Za-z\u00c0-\u024f]{2,}/

const typeName = /^(?:[A-Z][A-Za-z]*(?:<.*>)?(?:\[\])?|[a-z]+(?:\[\])?)(?:\s*\|.*)?$/

const passwordHolds = (value: string, setting: Setting): boolean => {
  if (value.length < 3) return false
  if (setting === "sure") return value.length >= 4 && !(isWordy(value) && /[ ]/.test(value))
  if (sentence.test(value) || value.length > 200) return false
  const mix = mixOf(value)
  if (setting === "quoted") {
    if (value.length < 4) return false
    // A label in any language, a field name, a slug.
    if (mix.digits === 0 && (isWordy(value) || mix.other === 0 || typeName.test(value))) return isRandom(value)
    if (/^[^\x21-\x7e]|[\u00c0-\uffff]/.test(value) && mix.digits === 0) return false
    if (mix.digits + mix.upper + mix.lower === 0) return mix.length >= 6
    return !(mix.digits === 0 && /^[A-Za-z' .,!?-]+$/.test(value)) || isRandom(value)
  }
  if (value.length < 5 || isCode(value)) return false
  if (mix.digits === 0)
    return (
      isRandom(value) || (mix.other > 0 && /[!@#$%^&*+]/.test(value) && mix.lower > 0 && !/[()[\]{}<>|\\]/.test(value))
    )
  if (mix.digits === mix.length) return mix.length >= 6
  return mix.upper + mix.lower + mix.other > 0
}

/**
 * Whether the value under a name of this class is a secret.
 *
 * @param value the value without its quotes
 */
export const isSecretValue = (kind: NameClass, value: string, setting: Setting): boolean => {
  if (isPlaceholder(value)) return false
  if (kind === "password") return passwordHolds(value, setting)
  if (/\s/.test(value) || (setting === "bare" && isCode(value))) return false
  if (kind === "secret") {
    if (value.length < 8) return false
    if (isUuid(value) || isRandom(value)) return true
    if (isWordy(value)) return false
    const mix = mixOf(value)
    return setting !== "bare" && mix.length >= 12 && mix.digits > 0 && mix.digits < mix.length
  }
  return (
    value.length >= 16 && isRandom(value) && !isUuid(value) && !(isHex(value) && [32, 40, 64].includes(value.length))
  )
}
