import type { Deadline } from "../platform/Deadline.ts"
import { classifyName, type NameClass } from "./names.ts"
import type { Redaction } from "./Redactor.ts"
import type { WorkBudget } from "./scan.ts"
import { scanText } from "./scanText.ts"
import { applySpans, marker, unscanned } from "./spans.ts"
import { isSecretValue } from "./values.ts"

const deepest = 512

interface Walk {
  readonly deadline: Deadline
  readonly work: WorkBudget
  readonly paths: Array<string>
  readonly rules: Set<string>
  unscanned: number
}

const note = (walk: Walk, path: string, rule: string): void => {
  if (walk.paths.at(-1) !== path) walk.paths.push(path)
  walk.rules.add(rule)
  if (rule === "unscanned") walk.unscanned++
}

const skip = (walk: Walk, path: string): string => {
  note(walk, path, "unscanned")
  return unscanned
}

const redactText = (walk: Walk, text: string, path: string, kind: NameClass | undefined): string => {
  if (text.length < 3) return text
  if (walk.work.left < 0 || walk.deadline.remainingMs() <= 0) return skip(walk, path)
  if (kind !== undefined && isSecretValue(kind, text, "quoted")) {
    const rule = kind === "password" ? "password" : "secret"
    note(walk, path, rule)
    return marker(rule)
  }
  walk.work.left -= text.length
  const spans = scanText(text, walk.work)
  if (spans === undefined) return skip(walk, path)
  if (spans.length === 0) return text
  for (const span of spans) note(walk, path, span.rule)
  return applySpans(text, spans)
}

const plainKey = /^[A-Za-z_$][\w$-]{0,63}$/

const childPath = (path: string, key: string): string => {
  if (plainKey.test(key)) return path === "" ? key : `${path}.${key}`
  return `${path}[${JSON.stringify(key.length > 64 ? `${key.slice(0, 63)}…` : key)}]`
}

const put = (target: Record<string, unknown>, key: string, value: unknown): void => {
  // Assigning to __proto__ would set the prototype and lose the key.
  if (key === "__proto__")
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
  else target[key] = value
}

const redactObject = (walk: Walk, value: Readonly<Record<string, unknown>>, path: string, depth: number): unknown => {
  const out: Record<string, unknown> = {}
  let changed = false
  const pairName = typeof value.value === "string" ? (value.name ?? value.key ?? value.Name) : undefined
  for (const key of Object.keys(value)) {
    const before = value[key]
    let shown = redactText(walk, key, `${path}{key}`, undefined)
    if (shown !== key) {
      const base = shown
      for (let n = 2; Object.hasOwn(out, shown) || Object.hasOwn(value, shown); n++) shown = `${base}#${n}`
    }
    const kind = classifyName(key === "value" && typeof pairName === "string" ? pairName : key)
    const after = redactAny(walk, before, childPath(path, shown), kind, depth + 1)
    if (after !== before || shown !== key) changed = true
    put(out, shown, after)
  }
  return changed ? out : value
}

const redactAny = (walk: Walk, value: unknown, path: string, kind: NameClass | undefined, depth: number): unknown => {
  if (typeof value === "string") return redactText(walk, value, path, kind)
  if (typeof value !== "object" || value === null) return value
  if (depth > deepest) return skip(walk, path)
  if (Array.isArray(value)) {
    let changed = false
    const header = value.length === 2 && typeof value[0] === "string" ? classifyName(value[0]) : undefined
    const out = value.map((item: unknown, index) => {
      const after = redactAny(
        walk,
        item,
        `${path}[${index}]`,
        index === 1 && header !== undefined ? header : kind,
        depth + 1
      )
      if (after !== item) changed = true
      return after
    })
    return changed ? out : value
  }
  return redactObject(walk, value as Readonly<Record<string, unknown>>, path, depth)
}

/**
 * Redacts a JSON value: string leaves, values under telling keys, and keys. The shape stays; what is unchanged is returned as it is, not copied.
 *
 * Synchronous. The deadline is asked between leaves; once it has passed, or the work of the event is spent, the remaining leaves become
 * `[REDACTED:unscanned]`.
 */
export const redactValue = (value: unknown, root: string, deadline: Deadline): Redaction => {
  const walk: Walk = { deadline, work: { left: 256 * 1024 * 1024 }, paths: [], rules: new Set(), unscanned: 0 }
  const redacted = redactAny(walk, value, root, undefined, 0)
  return { value: redacted, paths: walk.paths, rules: [...walk.rules].sort(), unscanned: walk.unscanned }
}
