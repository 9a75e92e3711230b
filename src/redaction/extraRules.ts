import { sha256 } from "../platform/digest.ts"
import type { RedactionPolicy } from "./policy.ts"
import type { Scan } from "./scan.ts"
import type { Span } from "./spans.ts"

/** A user's rule as one expression, ready to search with. */
interface CompiledRule {
  readonly id: string
  readonly pattern: RegExp
  readonly windowed: boolean
}

const escapeForRegExp = (text: string): string => text.replace(/[$()*+.?[\\\]^{|}]/g, "\\$&")

/** A pattern sees this much at a time, so that a slow one is slow on little text. */
const windowLength = 4096
const windowOverlap = 1024

/** Searches with the user's own rules, and forgives what the user allows. */
export interface UserRules {
  readonly scan: (scan: Scan) => void
  readonly isAllowed: (text: string, span: Span) => boolean
}

/** The rules of a policy, or undefined when it has none. A pattern that does not compile is left out; `redact check` names it. */
export const compileUserRules = (policy: RedactionPolicy): UserRules | undefined => {
  if (policy.extra.length === 0 && policy.allow.length === 0) return undefined
  const rules: Array<CompiledRule> = []
  for (const { id, literals = [], prefixes = [], patterns = [] } of policy.extra) {
    const sources = [
      ...literals.filter((literal) => literal.length > 0).map(escapeForRegExp),
      ...prefixes
        .filter((prefix) => prefix.length > 0)
        .map((prefix) => `${escapeForRegExp(prefix)}[A-Za-z0-9_.-]{4,4096}`)
    ]
    if (sources.length > 0) rules.push({ id, pattern: new RegExp(sources.join("|"), "g"), windowed: false })
    for (const source of patterns) {
      try {
        rules.push({ id, pattern: new RegExp(source, "g"), windowed: true })
      } catch {
        // Reported when the configuration is read; the other rules stay in force.
      }
    }
  }
  const allowed = new Set(policy.allow.map(({ rule, sha256 }) => `${rule} ${sha256.toLowerCase()}`))
  return {
    scan: (scan) => {
      for (const rule of rules) searchWith(scan, rule)
    },
    isAllowed: (text, { start, end, rule }) =>
      allowed.size > 0 && allowed.has(`${rule} ${sha256(text.slice(start, end))}`)
  }
}

const searchWith = (scan: Scan, { id, pattern, windowed }: CompiledRule): void => {
  const { text } = scan
  const step = windowed ? windowLength - windowOverlap : text.length
  for (let from = 0; from < text.length; from += step) {
    const piece = windowed ? text.slice(from, from + windowLength) : text
    pattern.lastIndex = 0
    scan.work.left -= piece.length
    for (let hit = pattern.exec(piece); hit !== null; hit = pattern.exec(piece)) {
      if (scan.work.left < 0) return
      scan.add(from + hit.index, from + hit.index + hit[0].length, id)
      if (hit[0].length === 0) pattern.lastIndex++
    }
  }
}
