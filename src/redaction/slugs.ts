import { isAll, lowerhex } from "./characterClasses.ts"
import { unlikelyPairs } from "./letterPairs.ts"

// Names that people give to machines, files, queues and algorithms: words with a short number at their end, parted by signs.

const longestSlug = 200
/** `central1`, `SHA256`, `Prod`, `k8s`, `v2`, `2026`. */
const part = /^(?:(?:[A-Z]?[a-z]+(?:[A-Z][a-z]{2,}){0,3}|[A-Z]+)\d{0,4}|v?\d{1,4}[a-zA-Z]?|[a-z]\d{1,2}[a-z])$/
const withoutVowels = "bcdfghjklmnpqrstvwxz2456789"

/** What Kubernetes and Kustomize add to the names of what they make, five characters or ten: no vowels, so that no words come out. By hand: most names end otherwise. */
const isGenerated = (name: string, from: number): boolean => {
  const length = name.length - from
  if (length !== 5 && length !== 10) return false
  for (let at = from; at < name.length; at++) if (!withoutVowels.includes(name.charAt(at))) return false
  return true
}

/** A name without what is added to it so that it is used once. Before that stands a dash. */
const withoutGenerated = (name: string): string => {
  const from = name.lastIndexOf("-") + 1
  return from > 0 && isGenerated(name, from) ? name.slice(0, from - 1) : name
}

/** The same, where an underscore or the beginning of a digest may stand as well: `db-password-6479b55b`, `auth_token_90723d85`. */
export const withoutAdded = (name: string): string => {
  const from = Math.max(name.lastIndexOf("-"), name.lastIndexOf("_")) + 1
  const length = name.length - from
  const isDigest = length > 6 && length < 11 && isAll(name, from, name.length, lowerhex)
  return from > 0 && (isDigest || isGenerated(name, from)) ? name.slice(0, from - 1) : name
}
const wholeWord = /^(?:[A-Z]?[a-z]{3,}(?:[A-Z][a-z]{2,}){0,3}|[A-Z]{3,}|[a-z]{5,}\d{1,2})$/

const pieces = /[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+/g

/** `V1SecretProjection`, `X509CertificateStore`: words without signs between them and one number, as classes are named. */
const isClassName = (value: string): boolean => {
  const found = value.match(pieces) ?? []
  const numbers = found.filter((piece) => piece.charCodeAt(0) < 58)
  const long = found.filter((piece) => piece.length > 3 && piece.charCodeAt(0) > 58)
  return (
    found.join("") === value &&
    numbers.length === 1 &&
    (numbers[0] ?? "").length < 5 &&
    long.length > 1 &&
    value.length >= 4 * (found.length - 1) &&
    unlikelyPairs(value) < 0.21
  )
}

/** `us-central1-a`, `alias/aws/s3`, `k8s-sa-token`, `EC_SIGN_P256_SHA256`, `default-token-x7k2p`: one of the parts at least is a word. */
export const isSlug = (value: string): boolean => {
  if (value.length > longestSlug || value.length < 5) return false
  const named = withoutGenerated(value)
  const parts = named.split(/[-_./:#@+~]/)
  if (parts.length < 2 && named === value) return isClassName(value)
  let words = 0
  for (const each of parts) {
    if (!part.test(each)) return false
    if (wholeWord.test(each)) words++
  }
  return words > 0 && 2 * words + 2 >= parts.length && unlikelyPairs(named) < 0.21
}
