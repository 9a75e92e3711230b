import { defaultLimits, type RedactionLimits } from "./limits.ts"
import { linesOfComposed, linesOfFormats } from "./tokenFormats.ts"

/** Something a user adds to the built-in rules. */
export interface ExtraRule {
  /** Lower-case letters, digits and dashes; it stands in the marker. */
  readonly id: string
  /** Texts that are secret wherever they stand. */
  readonly literals?: ReadonlyArray<string> | undefined
  /** Beginnings of tokens: the letters, digits, `_`, `-` and `.` that follow go with them. */
  readonly prefixes?: ReadonlyArray<string> | undefined
  /** Regular expressions, checked for safety by `redact check`; each looks at 4,096 characters at a time. */
  readonly patterns?: ReadonlyArray<string> | undefined
}

/** A value that is known and harmless: a rule id and the SHA-256 of the exact text, never a pattern over everything. */
export interface AllowedValue {
  readonly rule: string
  readonly sha256: string
}

/** Which rules are in force, besides the built-in ones, which always are. */
export interface RedactionPolicy {
  readonly extra: ReadonlyArray<ExtraRule>
  readonly allow: ReadonlyArray<AllowedValue>
  readonly limits: RedactionLimits
}

/** The built-in rules alone. */
export const defaultPolicy: RedactionPolicy = { extra: [], allow: [], limits: defaultLimits }

/** Name of the policy in the manifest. Raised when the built-in rules change what they are for. */
export const policyName = "default-v1"

/** Raised with any change of a recogniser that is code rather than data. */
const rulesRevision = 4

// 64-bit FNV-1a in two halves. A fingerprint tells policies apart, it protects nothing, so a hash of some lines is enough and loads no crypto.
const hashText = (text: string, seed: number): number => {
  let hash = seed >>> 0
  for (let i = 0; i < text.length; i++) {
    hash ^= text.charCodeAt(i)
    hash = Math.imul(hash, 0x01000193) >>> 0
  }
  return hash
}

const hex8 = (value: number): string => value.toString(16).padStart(8, "0")

/** 16 hex digits over token formats, rules and the user's additions. Equal fingerprints redact alike. */
export const fingerprintOf = (policy: RedactionPolicy): string => {
  const text = JSON.stringify([
    policyName,
    rulesRevision,
    linesOfFormats(),
    linesOfComposed(),
    policy.extra,
    policy.allow
  ])
  return hex8(hashText(text, 0x811c9dc5)) + hex8(hashText(text, 0x9747b28c))
}
