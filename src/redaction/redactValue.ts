import type { Deadline } from "../platform/Deadline.ts"
import { type Columns, columnsBeside, columnsInFirst } from "./columns.ts"
import { printsSecret, redactArguments } from "./commandLines.ts"
import { isProcessVariable } from "./environmentDumps.ts"
import type { UserRules } from "./extraRules.ts"
import { cookieSpans } from "./headers.ts"
import { jsonOf, placesOfStrings } from "./jsonInText.ts"
import { defaultLimits, overlap, type RedactionLimits } from "./limits.ts"
import { redactLines } from "./lineLists.ts"
import { isSecretMember } from "./members.ts"
import { findNames } from "./nameHits.ts"
import { classifyName, type NameClass } from "./names.ts"
import { type Fields, pairOf, secretOfFile } from "./pairs.ts"
import type { Redaction } from "./Redactor.ts"
import { scanText } from "./scanText.ts"
import { redactTwice } from "./secondLook.ts"
import { applySpans, marker, mergeSpans, type Span, unscanned } from "./spans.ts"
import { childPath, itemPath } from "./valuePath.ts"
import { isSecretValue, secretStart } from "./values.ts"
import { privateMembers } from "./webKeys.ts"

/** What a redaction works with, besides the value. */
export interface RedactionSetting {
  readonly deadline: Deadline
  readonly limits?: RedactionLimits
  readonly user?: UserRules | undefined
}

interface Walk {
  readonly deadline: Deadline
  readonly limits: RedactionLimits
  readonly user: UserRules | undefined
  readonly paths: Array<string>
  readonly seen: Set<string>
  readonly rules: Set<string>
  /** Where only names are read: what they say is secret. */
  readonly named: Set<string> | undefined
  /** The command whose output is being read. */
  command: string | undefined
  /** Characters that may still be scanned. */
  left: number
  unscanned: number
}

const notePath = (walk: Walk, path: string): void => {
  if (walk.seen.has(path)) return
  walk.seen.add(path)
  walk.paths.push(path)
}

const note = (walk: Walk, path: string, rule: string): void => {
  notePath(walk, path)
  walk.rules.add(rule)
}

const withhold = (walk: Walk, path: string): string => {
  note(walk, path, "unscanned")
  walk.unscanned++
  return unscanned
}

const scan = (walk: Walk, text: string): ReadonlyArray<Span> | undefined => {
  try {
    return scanText(text, { left: 65_536 + text.length * walk.limits.workPerCharacter }, walk.user)
  } catch {
    // A text that a recogniser cannot bear is withheld like one that takes too long.
    return undefined
  }
}

/** What names in the JSON that the text holds say is secret: pairs and tables of any nesting, which text does not show. */
const namedInJson = (walk: Walk, text: string): ReadonlyArray<Span> => {
  const json = jsonOf(text)
  if (json === undefined) return []
  const named = new Set<string>()
  redactAny({ ...walk, paths: [], seen: new Set(), rules: new Set(), named }, json, "", undefined, 0)
  return placesOfStrings(text, named).map(([start, end]) => ({ start, end, rule: "secret" }))
}

const longestPrinted = 600
const outputOpening = '{"output":"'
const outputClosing = '","metadata":'

/** What the command prints that ran: a text says it only below the command. */
const printed = (walk: Walk, text: string): ReadonlyArray<Span> => {
  if (walk.command === undefined || text.length > longestPrinted) return []
  const opening = `$ ${walk.command}\n`
  // Codex puts it into JSON.
  const from = text.startsWith(outputOpening) ? outputOpening.length : 0
  const end = from === 0 ? text.length : text.lastIndexOf(outputClosing)
  if (end < from) return []
  return (scan(walk, opening + text.slice(from, end)) ?? [])
    .filter(({ start }) => start >= opening.length)
    .map((span) => ({
      start: span.start - opening.length + from,
      end: span.end - opening.length + from,
      rule: span.rule
    }))
}

const none: ReadonlyArray<Span> = []

const redactWhole = (walk: Walk, text: string, path: string): string => {
  if (text.length > walk.left) return withhold(walk, path)
  walk.left -= text.length
  const scanned = scan(walk, text)
  if (scanned === undefined) return withhold(walk, path)
  // Asked here: few texts are JSON or an output, and for the others nothing more needs to be compiled.
  const mayBeJson = text.includes('":') || text.includes('["') || text.includes('" :')
  const inJson = mayBeJson ? namedInJson(walk, text) : none
  const inOutput = walk.command === undefined ? none : printed(walk, text)
  const spans = inJson.length + inOutput.length === 0 ? scanned : mergeSpans(text, [...scanned, ...inJson, ...inOutput])
  if (spans.length === 0) return text
  const found = ({ rule }: Span): void => note(walk, path, rule)
  spans.forEach(found)
  return redactTwice(text, spans, (piece) => scan(walk, piece), found)
}

/** Scans the two ends of a huge text. A secret that begins in the head goes whole, also over the head's end; so does one that ends in the tail. */
const redactEnds = (walk: Walk, text: string, path: string): string => {
  const end = Math.floor(walk.limits.stringLength / 2)
  if (2 * (end + overlap) > walk.left) return withhold(walk, path)
  walk.left -= 2 * (end + overlap)
  const head = scan(walk, text.slice(0, end + overlap))
  const tailFrom = text.length - end - overlap
  const tail = scan(walk, text.slice(tailFrom))
  if (head === undefined || tail === undefined) return withhold(walk, path)
  const spans = [
    ...head.filter((span) => span.start < end),
    { start: end, end: text.length - end, rule: "unscanned" },
    ...tail
      .map(({ start, end, rule }) => ({ start: start + tailFrom, end: end + tailFrom, rule }))
      .filter((span) => span.end > text.length - end)
  ]
  walk.unscanned++
  const merged = mergeSpans(text, spans)
  for (const span of merged) note(walk, path, span.rule)
  return applySpans(text, merged)
}

/** The text of a cookie header without the values of sessions. What else stands in it is still to be scanned. */
const redactCookies = (walk: Walk, text: string, path: string): string => {
  const spans: Array<Span> = []
  cookieSpans(text, 0, Math.min(text.length, overlap), (start, end) => spans.push({ start, end, rule: "cookie" }))
  if (spans.length === 0) return text
  note(walk, path, "cookie")
  for (const { start, end } of spans) walk.named?.add(text.slice(start, end))
  return applySpans(text, mergeSpans(text, spans))
}

/** A text under a name that says what it is: a password, a header. Undefined when it is no secret by that. */
const redactNamed = (walk: Walk, text: string, path: string, kind: NameClass): string | undefined => {
  if (!isSecretValue(kind, text, "quoted")) return undefined
  const rule = kind === "password" ? "password" : kind === "authorization" ? "authorization" : "secret"
  note(walk, path, rule)
  walk.named?.add(text)
  return text.slice(0, kind === "authorization" ? secretStart(text) : 0) + marker(rule)
}

const redactText = (walk: Walk, whole: string, path: string, kind: NameClass | undefined): string => {
  if (whole.length < 4) return whole
  if (walk.deadline.remainingMs() <= 0) return withhold(walk, path)
  const text = kind === "cookie" ? redactCookies(walk, whole, path) : whole
  if (kind !== undefined && kind !== "cookie") {
    const named = redactNamed(walk, text, path, kind)
    if (named !== undefined) return named
  }
  if (walk.named !== undefined) {
    const json = jsonOf(text)
    if (json !== undefined) redactAny(walk, json, path, undefined, 1)
    return text
  }
  return text.length > walk.limits.stringLength ? redactEnds(walk, text, path) : redactWhole(walk, text, path)
}

const put = (target: Record<string, unknown>, key: string, value: unknown): void => {
  // Assigning to __proto__ would set the prototype and lose the key.
  if (key === "__proto__")
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
  else target[key] = value
}

/** Fields of the providers that are opaque by design: signatures over thinking, sealed reasoning. A changed one makes a replay fail. */
const isOpaque = (key: string, fields: Fields): boolean => {
  if (key === "thinkingSignature" || key === "thoughtSignature" || key === "thought_signature") return true
  if (key === "encrypted_content" || key === "encryptedContent") return true
  if (key === "signature")
    return fields.type === "thinking" || fields.type === "redacted_thinking" || typeof fields.thinking === "string"
  return key === "data" && fields.type === "redacted_thinking"
}

const longestOpaque = 64 * 1024

const mediaKinds = /^(?:image|audio|video|application\/pdf)/
const imageFrom = 2048

/** Image and other media data: nothing to read in it, and kilobytes of it. */
const isMedia = (key: string, value: string, fields: Fields): boolean => {
  if (value.length < imageFrom) return false
  if (/^data:(?:image|audio|video)\/[\w.+-]+;base64,/.test(value.slice(0, 64))) return true
  if (key !== "data" && key !== "image_data" && key !== "b64_json" && key !== "base64") return false
  const type = fields.media_type ?? fields.mimeType ?? fields.mime_type ?? fields.type
  return key === "b64_json" || (typeof type === "string" && mediaKinds.test(type))
}

/** A value among cookies: `{session_id: …}`, `{name: "session_id", value: …}`. */
const isCookie = (key: string, value: string, fields: Fields): boolean => {
  const name = key === "value" && typeof fields.name === "string" ? fields.name : key
  let found = false
  if (!value.includes(";"))
    cookieSpans(`${name}=${value}`, 0, name.length + value.length + 1, () => {
      found = true
    })
  return found
}

/** The last of the commands that a tool was given, if it can tell what it printed, which is the end of the output. */
const commandOf = ({ tool_input: input }: Fields): string | undefined => {
  if (typeof input !== "object" || input === null) return undefined
  const { command, cmd } = input as Fields
  const given = Array.isArray(command) ? command.at(-1) : (command ?? cmd)
  if (typeof given !== "string" || given.length > 2000) return undefined
  const last = lastPart(lastPart(lastPart(given.trim(), "&&"), ";"), "\n").trim()
  return printsSecret(last) || findNames(last, last.toLowerCase(), 0, 1).length > 0 ? last : undefined
}

/** What stands behind the last of the signs. */
const lastPart = (text: string, sign: string): string => text.split(sign).at(-1) ?? text

/** `{PATH: …, HOME: …}`: the environment of a process as an object. */
const isEnvironment = (fields: Fields): boolean => {
  let known = 0
  for (const key of Object.keys(fields)) {
    if (isProcessVariable(key) && typeof fields[key] === "string" && ++known >= 3) return true
  }
  return false
}

const nowhere = [0, 0, undefined] as const

const redactField = (
  walk: Walk,
  value: unknown,
  path: string,
  key: string,
  fields: Fields,
  kind: NameClass | undefined,
  depth: number
): unknown => {
  if (typeof value === "string") {
    if (isOpaque(key, fields) && value.length <= longestOpaque && /^[A-Za-z0-9+/=_.~-]*$/.test(value)) return value
    if (typeof fields.kty === "string" && privateMembers.has(key) && value.length >= 20 && /^[\w-]+=*$/.test(value)) {
      note(walk, path, "private-key")
      return marker("private-key")
    }
    if (isMedia(key, value, fields)) {
      note(walk, path, "media-data")
      return marker("media-data")
    }
    if (key === "content") {
      const [start, end, kind] = secretOfFile(fields, value) ?? nowhere
      if (kind !== undefined) {
        note(walk, path, kind)
        walk.named?.add(value.slice(start, end))
        return value.slice(0, start) + marker(kind) + value.slice(end)
      }
    }
  }
  return redactAny(walk, value, path, kind, depth)
}

const redactObject = (
  walk: Walk,
  fields: Fields,
  path: string,
  kind: NameClass | undefined,
  depth: number
): unknown => {
  const out: Record<string, unknown> = {}
  const pair = pairOf(fields)
  const environment = isEnvironment(fields)
  const isSecret = fields.kind === "Secret"
  let changed = false
  for (const key of Object.keys(fields)) {
    const before = fields[key]
    const shown = redactKey(walk, key, path, out, fields)
    const child = childPath(path, shown)
    if (depth === 0 && walk.named === undefined) walk.command = key === "tool_response" ? commandOf(fields) : undefined
    let after: unknown
    if (environment && typeof before === "string" && before.length > 0) {
      note(walk, child, "env-dump")
      after = marker("env-dump")
    } else if (isSecret && (key === "data" || key === "stringData") && typeof before === "object" && before !== null) {
      after = redactSecretData(walk, before as Fields, child, depth + 1)
    } else if (kind === "cookie" && typeof before === "string" && isCookie(key, before, fields)) {
      note(walk, child, "cookie")
      walk.named?.add(before)
      after = marker("cookie")
    } else {
      const own = classifyName(key)
      // {"apiKey": {"key": "…"}}
      const named = pair.holds(key) ? (pair.kind ?? kind ?? own) : own === "weak" && kind === "secret" ? kind : own
      const columns = columnsBeside(fields, key)
      if (columns !== undefined)
        after = redactArray(walk, before as ReadonlyArray<unknown>, child, named, depth + 1, columns)
      else if (named === undefined && typeof before === "string" && isSecretMember(kind, key, before)) {
        note(walk, child, "secret")
        walk.named?.add(before)
        after = marker("secret")
      } else after = redactField(walk, before, child, key, fields, named, depth + 1)
    }
    if (after !== before || shown !== key) changed = true
    put(out, shown, after)
  }
  return changed ? out : fields
}

const redactKey = (walk: Walk, key: string, path: string, out: Fields, fields: Fields): string => {
  const shown = redactText(walk, key, path, undefined)
  if (shown === key) return key
  // Two secret keys must stay two keys.
  let free = shown
  for (let n = 2; Object.hasOwn(out, free) || Object.hasOwn(fields, free); n++) free = `${shown}#${n}`
  return free
}

/** The values of a Kubernetes Secret, whatever their keys. */
const redactSecretData = (walk: Walk, data: Fields, path: string, depth: number): unknown => {
  const out: Record<string, unknown> = {}
  for (const key of Object.keys(data)) {
    const value = data[key]
    const shown = redactKey(walk, key, path, out, data)
    const child = childPath(path, shown)
    if (typeof value === "string" && value.length > 0 && !value.startsWith("[REDACTED:")) {
      note(walk, child, "kubernetes-secret")
      put(out, shown, marker("kubernetes-secret"))
    } else put(out, shown, redactAny(walk, value, child, undefined, depth))
  }
  return out
}

const environmentEntry = /^([A-Za-z_][A-Za-z0-9_]*)=(.+)$/s

const redactArray = (
  walk: Walk,
  given: ReadonlyArray<unknown>,
  path: string,
  kind: NameClass | undefined,
  depth: number,
  rows: Columns | undefined = columnsInFirst(given),
  cells?: Columns
): unknown => {
  const items = redactArguments(given, (index, argument) => {
    note(walk, itemPath(path, index), "command-argument")
    walk.named?.add(argument)
  })
  let changed = items !== given
  // An element that is a marker was something else once, a number perhaps: it must not turn its neighbours into an environment.
  const environment =
    items.some((item) => typeof item === "string" && item.startsWith("PATH=")) &&
    items.every((item) => typeof item === "string" && !item.startsWith("[REDACTED:"))
  let next: NameClass | undefined
  const scanLines = (text: string): ReadonlyArray<Span> | undefined => {
    if (walk.deadline.remainingMs() <= 0) return undefined
    walk.left -= text.length
    const spans = scan(walk, text)
    for (const { rule } of spans ?? []) walk.rules.add(rule)
    return spans
  }
  const isText = !environment && kind === undefined && cells === undefined && walk.named === undefined
  const lines = isText ? redactLines(items, Math.min(walk.limits.stringLength, walk.left), scanLines) : undefined
  const out = items.map((item, index) => {
    const child = itemPath(path, index)
    let after: unknown
    const entry = environment ? environmentEntry.exec(item as string) : null
    if (entry !== null && !(entry[2] ?? "").startsWith("[REDACTED:")) {
      note(walk, child, "env-dump")
      after = `${entry[1]}=${marker("env-dump")}`
    } else if (lines !== undefined) {
      after = lines[index]
      if (after !== item) notePath(walk, child)
    } else if (rows !== undefined && Array.isArray(item) && item.length === rows.length) {
      after = redactArray(walk, item, child, undefined, depth + 1, undefined, rows)
    } else
      after = redactAny(walk, item, child, cells?.[index] ?? (next === "password" ? next : (kind ?? next)), depth + 1)
    // ["--password", "…"] and ["Authorization", "…"]: an element that is a name speaks for the one behind it. A password is what most values may be, so
    // it counts for more than the name of the whole list, which may have to go.
    next =
      typeof item === "string" && item.length <= 64 && /^-{0,2}[A-Za-z][\w-]*$/.test(item)
        ? classifyName(item)
        : undefined
    if (after !== item) changed = true
    return after
  })
  return changed ? out : items
}

const redactAny = (walk: Walk, value: unknown, path: string, kind: NameClass | undefined, depth: number): unknown => {
  if (typeof value === "string") return redactText(walk, value, path, kind)
  if (typeof value === "number" || typeof value === "bigint") {
    // A numeric password or PIN. The leaf becomes a string, which is the lesser harm.
    if (kind !== "password" || String(value).length < 4) return value
    note(walk, path, "password")
    return marker("password")
  }
  if (typeof value !== "object" || value === null) return value
  if (depth > walk.limits.depth) return withhold(walk, path)
  return Array.isArray(value)
    ? redactArray(walk, value, path, kind, depth)
    : redactObject(walk, value as Fields, path, kind, depth)
}

/**
 * Redacts a JSON value: string leaves, values under telling keys, and keys. The shape stays; what is unchanged is returned as it is, not copied.
 *
 * Synchronous. The deadline is asked between leaves; once it has passed, or a limit is reached, the remaining leaves become
 * `[REDACTED:unscanned]`. Redacting the result again changes nothing.
 *
 * @param root path prefix of what is reported
 */
export const redactValue = (value: unknown, root: string, setting: RedactionSetting): Redaction => {
  const limits = setting.limits ?? defaultLimits
  const walk: Walk = {
    deadline: setting.deadline,
    limits,
    user: setting.user,
    paths: [],
    seen: new Set(),
    rules: new Set(),
    left: limits.totalLength,
    unscanned: 0,
    named: undefined,
    command: undefined
  }
  const redacted = redactAny(walk, value, root, undefined, 0)
  return { value: redacted, paths: walk.paths, rules: [...walk.rules].sort(), unscanned: walk.unscanned }
}
