import { childPath, itemPath } from "./valuePath.ts"

/** A cut: where, and how many bytes of a string, items of an array or fields of an object went. */
export interface Cut {
  readonly path: string
  readonly bytes: number
}

export interface Limits {
  /** UTF-8 bytes of one string. */
  readonly stringBytes: number
  readonly arrayItems: number
  /** Fields of one object; more are dropped from its end. */
  readonly objectFields: number
  readonly depth: number
}

export const defaultLimits: Limits = { stringBytes: 8 * 1024, arrayItems: 128, objectFields: 512, depth: 16 }

/**
 * Cuts a string to at most `limit` bytes of UTF-8, on a code point and never inside a redaction marker.
 *
 * @param text any string; a lone surrogate counts 3 bytes, as it encodes to U+FFFD
 * @returns `kept`: the prefix; `dropped`: bytes cut, 0 when nothing was. UTF-8 lengths per code point: RFC 3629, section 3.
 */
export const cutUtf8 = (text: string, limit: number): { readonly kept: string; readonly dropped: number } => {
  // Three bytes a UTF-16 unit is the most there can be (a pair of units takes four).
  if (text.length * 3 <= limit) return { kept: text, dropped: 0 }
  const total = Buffer.byteLength(text)
  if (total <= limit) return { kept: text, dropped: 0 }
  let bytes = 0
  let end = 0
  while (end < text.length) {
    const code = text.codePointAt(end) ?? 0
    const size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
    if (bytes + size > limit) break
    bytes += size
    end += code < 0x10000 ? 1 : 2
  }
  const kept = outsideMarker(text.slice(0, end))
  return { kept, dropped: total - Buffer.byteLength(kept) }
}

/** A prefix that ends inside `[REDACTED:...]` ends before it instead. */
const outsideMarker = (prefix: string): string => {
  const start = prefix.lastIndexOf("[")
  if (start < 0 || prefix.length - start > 64 || prefix.indexOf("]", start) >= 0) return prefix
  const marker = "[REDACTED:"
  const tail = prefix.slice(start)
  return tail.startsWith(marker) || marker.startsWith(tail) ? prefix.slice(0, start) : prefix
}

/** A key longer than this is data, not a name. */
const keyBytes = 256

/** What stands for a value that lies deeper than the limit. */
export const tooDeep = "[TRUNCATED:depth]"

/**
 * Bounds a JSON value: long strings, arrays and objects are cut at their end, what lies too deep is replaced. Total and linear; the shape of what
 * is kept does not change.
 *
 * @param root path prefix of what is reported
 */
export const boundValue = (
  value: unknown,
  root: string,
  limits: Limits
): { readonly value: unknown; readonly cuts: ReadonlyArray<Cut> } => {
  const cuts: Array<Cut> = []
  const walk = (current: unknown, path: string, depth: number): unknown => {
    if (typeof current === "string") {
      const { kept, dropped } = cutUtf8(current, limits.stringBytes)
      if (dropped > 0) cuts.push({ path, bytes: dropped })
      return kept
    }
    if (typeof current !== "object" || current === null) return current
    if (depth >= limits.depth) {
      cuts.push({ path, bytes: sizeOf(current) })
      return tooDeep
    }
    if (Array.isArray(current)) {
      const over = current.length - limits.arrayItems
      if (over > 0) cuts.push({ path, bytes: over })
      const kept = over > 0 ? current.slice(0, limits.arrayItems) : current
      return kept.map((item, index) => walk(item, itemPath(path, index), depth + 1))
    }
    const entries = Object.entries(current)
    const over = entries.length - limits.objectFields
    if (over > 0) cuts.push({ path, bytes: over })
    const kept = over > 0 ? entries.slice(0, limits.objectFields) : entries
    return Object.fromEntries(
      kept.map(([key, item], index) => {
        const { kept: start, dropped } = cutUtf8(key, keyBytes)
        if (dropped === 0) return [key, walk(item, childPath(path, key), depth + 1)]
        cuts.push({ path: childPath(path, start), bytes: dropped })
        // Keys that differ only in what was cut stay different.
        return [`${start}#${index}`, walk(item, childPath(path, start), depth + 1)]
      })
    )
  }
  return { value: walk(value, root, 0), cuts }
}

/** Bytes of a value as JSON; a value that nests too deep even for that counts 0. */
const sizeOf = (value: object): number => {
  try {
    return Buffer.byteLength(JSON.stringify(value))
  } catch {
    return 0
  }
}
