import type { Node } from "jsonc-parser"
import { getNodeValue } from "jsonc-parser"
import {
  appendItem,
  appendMember,
  emptyInner,
  ensureRoot,
  type JsoncText,
  nodeAt,
  type Path,
  remove,
  replaceValue,
  setEmptyInner
} from "./jsoncText.ts"

/**
 * The hooks in the settings of an agent, in the shape that Claude Code began and Codex and Gemini CLI took over:
 *
 *     {"hooks": {"<event>": [{"matcher"?: "...", "hooks": [{"type": "command", "command": "...", "timeout": 10}]}]}}
 *
 * Everything here is pure: a text goes in, and a text or a list of findings comes out.
 */

/**
 * Where a file keeps hooks. Antigravity CLI has a name of the user's choice instead of `hooks`, and most of its events hold their
 * handlers without groups:
 *
 *     {"lint-ai": {"PostToolUse": [{"matcher": "", "hooks": [...]}], "Stop": [{"type": "command", "command": "...", "timeout": 10}]}}
 */
export interface HookShape {
  readonly container: string
  readonly isFlat: (event: string) => boolean
  /** What a group must have besides its handlers. */
  readonly matcherOf: (event: string) => string | undefined
}

/** Length of the path of a handler without a group: container, event, place in the list. */
const flatDepth = 3

const usualShape: HookShape = { container: "hooks", isFlat: () => false, matcherOf: () => undefined }

/** A handler to register: the members of the JSON object that the agent reads. */
export interface Handler {
  readonly type: "command"
  readonly command: string
  /** In the agent's own unit: seconds for Claude Code and Codex, milliseconds for Gemini CLI. */
  readonly timeout: number
  /** What Gemini CLI calls it when it asks or warns, instead of the command. */
  readonly name?: string
}

/** A handler of ours as it stands in a file. */
export interface Registered {
  readonly event: string
  readonly command: string
  readonly timeout: number | undefined
  readonly matcher: string | undefined
  readonly path: Path
}

/** A place in the file whose value is not what the agents document. Found values are described, never shown. */
export interface Unexpected {
  readonly where: string
  readonly expected: string
  readonly found: string
}

/**
 * A container that held nothing of its own before install: what stood between its brackets, or null where it did not exist. Removal puts
 * that back, so that an empty object of the user stays and one that install made goes.
 */
export interface EmptyBefore {
  readonly path: ReadonlyArray<string>
  readonly inner: string | null
}

export interface Registration {
  readonly document: JsoncText
  /** One line for a person per change; none when the file was as wanted. */
  readonly changes: ReadonlyArray<string>
  readonly emptyBefore: ReadonlyArray<EmptyBefore>
}

/** What is to stand in a file. */
export interface Wanted {
  readonly handlers: ReadonlyMap<string, Handler>
  /** Whether a handler of ours that is registered for some other event may stay. */
  readonly keeps: (event: string) => boolean
  readonly isOurs: (command: string) => boolean
  /** Whether install wrote this command and may write another one in its place. */
  readonly isRepairable: (command: string) => boolean
  /** What an earlier install found empty. */
  readonly emptyBefore: ReadonlyArray<EmptyBefore>
  readonly shape?: HookShape | undefined
}

/** Where the shape of a file forbids to register anything; undefined when nothing does. */
export const unexpectedShape = (
  document: JsoncText,
  events: Iterable<string>,
  { container }: HookShape = usualShape
): Unexpected | undefined => {
  const checks: Array<[where: string, node: Node | undefined, expected: "object" | "array"]> = [
    ["the file", document.root, "object"],
    [container, nodeAt(document, [container]), "object"]
  ]
  for (const event of events) checks.push([`${container}.${event}`, nodeAt(document, [container, event]), "array"])
  const wrong = checks.find(([, node, expected]) => node !== undefined && node.type !== expected)
  if (wrong === undefined) return undefined
  const [where, node, expected] = wrong
  return { where, expected: describe(expected), found: describe(node?.type ?? "null") }
}

const describe = (type: string): string =>
  type === "null" ? "null" : /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`

/** All handlers of ours, in the order of the file. Groups and handlers of any other shape are passed over. */
export const registrations = (
  document: JsoncText,
  isOurs: (command: string) => boolean,
  { container, isFlat }: HookShape = usualShape
): ReadonlyArray<Registered> => {
  const found: Array<Registered> = []
  const hooks = nodeAt(document, [container])
  for (const event of hooks?.type === "object" ? keysOf(hooks) : []) {
    const entries: unknown = valueAt(document, [container, event])
    for (const [entryIndex, entry] of asArray(entries).entries()) {
      const path = [container, event, entryIndex]
      // Where handlers stand without groups, those that an older version had in groups are found as well.
      const handlers = [
        ...(isFlat(event) ? [{ handler: entry, path }] : []),
        ...asArray(field(entry, "hooks")).map((handler, index) => ({ handler, path: [...path, "hooks", index] }))
      ]
      for (const { handler, path } of handlers) {
        const command = field(handler, "command")
        if (typeof command !== "string" || !isOurs(command)) continue
        const timeout = field(handler, "timeout")
        const matcher = field(entry, "matcher")
        found.push({
          event,
          command,
          timeout: typeof timeout === "number" ? timeout : undefined,
          matcher: typeof matcher === "string" ? matcher : undefined,
          path
        })
      }
    }
  }
  return found
}

/**
 * Registers each wanted handler once, as the last group of its event: what others registered keeps its place, and the trust keys of
 * Codex hold the index of the group. Handlers of ours with another command are corrected where they stand; what a person changed in
 * them (a matcher, another timeout, a wrapper around the command) stays.
 *
 * The shape must have been checked with `unexpectedShape`.
 */
export const register = (before: JsoncText, wanted: Wanted): Registration => {
  const shape = wanted.shape ?? usualShape
  const { container } = shape
  let document = ensureRoot(before)
  const changes: Array<string> = []
  const emptyBefore = [...wanted.emptyBefore]
  const note = (path: ReadonlyArray<string>, noted: JsoncText) => {
    const empty = emptinessAt(noted, path)
    if (empty !== undefined && knownAt(emptyBefore, path) === undefined) emptyBefore.push(empty)
  }

  // From the end, so that the paths of those before stay right.
  const found = registrations(document, wanted.isOurs, shape)
  const isMisplaced = (one: Registered) => shape.isFlat(one.event) !== (one.path.length === flatDepth)
  const first = (event: string) => found.find((one) => one.event === event && !isMisplaced(one))
  for (const one of found.toReversed()) {
    const handler = wanted.handlers.get(one.event)
    if (handler === undefined && wanted.keeps(one.event)) continue
    if (handler !== undefined && isMisplaced(one)) {
      document = removeHandler(document, one.path, emptyBefore)
      changes.push(`remove ${one.event} in the shape of an older version`)
      continue
    }
    if (handler === undefined || one !== first(one.event)) {
      document = removeHandler(document, one.path, wanted.emptyBefore)
      changes.push(handler === undefined ? `remove ${one.event}` : `remove the second entry of ${one.event}`)
      continue
    }
    if (one.command === handler.command || !wanted.isRepairable(one.command)) continue
    document = replaceValue(document, [...one.path, "command"], handler.command)
    changes.push(`correct the command of ${one.event}`)
  }
  changes.reverse()

  for (const [event, handler] of wanted.handlers) {
    if (first(event) !== undefined) continue
    for (const path of [[], [container], [container, event]]) note(path, path.length === 0 ? before : document)
    if (nodeAt(document, [container]) === undefined) document = appendMember(document, [], container, {})
    const matcher = shape.matcherOf(event)
    const entry = shape.isFlat(event) ? handler : { ...(matcher === undefined ? {} : { matcher }), hooks: [handler] }
    document =
      nodeAt(document, [container, event]) === undefined
        ? appendMember(document, [container], event, [entry])
        : appendItem(document, [container, event], entry)
    changes.push(`add ${event}`)
  }
  return { document: changes.length === 0 ? before : document, changes, emptyBefore }
}

/** Removes all handlers of ours and each container that is empty then, unless it was there empty before. */
export const unregister = (
  before: JsoncText,
  isOurs: (command: string) => boolean,
  emptyBefore: ReadonlyArray<EmptyBefore>,
  shape?: HookShape
): Pick<Registration, "document" | "changes"> => {
  const found = registrations(before, isOurs, shape)
  let document = before
  for (const one of found.toReversed()) document = removeHandler(document, one.path, emptyBefore)
  return { document, changes: found.map((one) => `remove ${one.event}`) }
}

/** Removes a handler, then upwards what it leaves empty: its group, the list of its event, the object of all events. */
const removeHandler = (before: JsoncText, path: Path, emptyBefore: ReadonlyArray<EmptyBefore>): JsoncText => {
  let document = remove(before, path)
  if (path.length > flatDepth) {
    // The list of handlers and its group go together: a group without handlers does nothing.
    const handlers = path.slice(0, -1)
    if (emptyInner(document, handlers)?.trim() !== "") return document
    document = remove(document, handlers.slice(0, -1))
  }
  return removeEmpty(document, path.slice(0, 2), emptyBefore)
}

/**
 * Removes what stands at `path` when nothing is left in it, then what that leaves empty. What was empty before install becomes so again,
 * and is kept.
 */
export const removeEmpty = (before: JsoncText, path: Path, emptyBefore: ReadonlyArray<EmptyBefore>): JsoncText => {
  let document = before
  for (let depth = path.length; depth >= 0; depth--) {
    const container = path.slice(0, depth)
    const inner = emptyInner(document, container)
    const known = knownAt(emptyBefore, container)?.inner ?? undefined
    if (inner === undefined) return document
    // With the same comments, or none: the white space between the brackets may be another.
    if (known?.trim() === inner.trim()) return setEmptyInner(document, container, known)
    if (inner.trim() !== "") return document
    document = container.length === 0 ? setEmptyInner(document, [], "") : remove(document, container)
  }
  return document
}

/** What a container holds before install, where that is nothing: see `EmptyBefore`. Undefined where it holds anything. */
export const emptinessAt = (document: JsoncText, path: ReadonlyArray<string>): EmptyBefore | undefined => {
  const missing = document.root === undefined || nodeAt(document, path) === undefined
  const inner = missing ? null : emptyInner(document, path)
  return inner === undefined ? undefined : { path, inner }
}

const knownAt = (known: ReadonlyArray<EmptyBefore>, path: Path): EmptyBefore | undefined =>
  known.find((one) => one.path.length === path.length && one.path.every((key, index) => key === path[index]))

const valueAt = (document: JsoncText, path: Path): unknown => {
  const node = nodeAt(document, path)
  return node === undefined ? undefined : getNodeValue(node)
}

const keysOf = (object: Node): ReadonlyArray<string> => [
  ...new Set((object.children ?? []).map((member) => String(member.children?.[0]?.value)))
]

const asArray = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const field = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined
