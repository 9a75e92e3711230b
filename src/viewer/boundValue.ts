import { childPath, itemPath } from "../redaction/valuePath.ts"

/** How much of a recorded value a page holds. */
export interface ValueBounds {
  /** UTF-16 code units of one string. */
  readonly string: number
  /** Items of a list, or keys of an object. */
  readonly items: number
  readonly depth: number
}

/** A place at which a value was cut, and how many characters or items went. */
export interface Cut {
  readonly path: string
  readonly characters: number
}

/**
 * A copy of a JSON value that is small enough for a page, and where something went. Never fails: what is too deep becomes "…".
 *
 * @param path how the value itself is named in the cuts
 */
export const boundValue = (
  value: unknown,
  bounds: ValueBounds,
  path: string
): { readonly value: unknown; readonly cuts: ReadonlyArray<Cut>; readonly characters: number } => {
  const cuts: Array<Cut> = []
  let characters = 0
  const text = (whole: string, at: string): string => {
    const kept = whole.length <= bounds.string ? whole : whole.slice(0, wholePoint(whole, bounds.string))
    if (kept.length < whole.length) cuts.push({ path: at, characters: whole.length - kept.length })
    characters += kept.length
    return kept
  }
  const copy = (from: unknown, at: string, depth: number): unknown => {
    characters += 8
    if (typeof from === "string") return text(from, at)
    if (typeof from !== "object" || from === null) return from
    if (depth >= bounds.depth) {
      cuts.push({ path: at, characters: 0 })
      return "…"
    }
    const size = Array.isArray(from) ? from.length : Object.keys(from).length
    if (size > bounds.items) cuts.push({ path: at, characters: size - bounds.items })
    if (Array.isArray(from)) {
      return from.slice(0, bounds.items).map((item, index) => copy(item, itemPath(at, index), depth + 1))
    }
    return Object.fromEntries(
      Object.entries(from)
        .slice(0, bounds.items)
        .map(([key, item]) => [text(key, at), copy(item, childPath(at, key), depth + 1)])
    )
  }
  return { value: copy(value, path, 0), cuts, characters }
}

/** A length that does not cut a surrogate pair. */
const wholePoint = (text: string, length: number): number => {
  const last = text.charCodeAt(length - 1)
  return last >= 0xd800 && last <= 0xdbff ? length - 1 : length
}
