import type { Span } from "./spans.ts"

// ANSI escape sequences, other control characters, soft hyphens, zero-width and direction characters: what splits a token without being seen.
const hidden =
  /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,512}(?:\x07|\x1b\\)|[@-Z\\^_])|(?:\\u001b|\\x1b|\\033|\\e)\[[0-9;]{0,16}[A-Za-z]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u00ad\u061c\u115f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]|[\ufe00-\ufe0f]/g

const hasHidden =
  /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u00ad\u061c\u115f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]|[\ufe00-\ufe0f]|\\(?:u001b|x1b|033|e)\[/

/** A piece of a text without its hidden characters, and the way back. */
export interface Joined {
  readonly text: string
  /** The span in the original that covers the same characters, and the hidden ones between them. */
  readonly toOriginal: (span: Span) => Span
}

const nextIsAssignment = /^[A-Za-z_][A-Za-z0-9_]{0,80}=/

/** A token, a header or a line of a key fits on either side of a split. */
const window = 1024

const isVisible = (code: number): boolean => code > 32 && code !== 127

const joinPiece = (text: string, from: number, to: number): Joined => {
  // Where each kept piece begins: in the joined text, and in the original.
  const joinedAt: Array<number> = [0]
  const originalAt: Array<number> = [from]
  let joined = ""
  let at = from
  hidden.lastIndex = from
  for (let hit = hidden.exec(text); hit !== null && hit.index < to; hit = hidden.exec(text)) {
    joined += text.slice(at, hit.index)
    at = hit.index + hit[0].length
    // NUL parts the entries of /proc/*/environ.
    if (hit[0] === "\0" && nextIsAssignment.test(text.slice(at, at + 84))) {
      joinedAt.push(joined.length)
      originalAt.push(hit.index)
      joined += "\n"
    }
    joinedAt.push(joined.length)
    originalAt.push(at)
  }
  if (at < to) joined += text.slice(at, to)
  const locate = (position: number): number => {
    let low = 0
    let high = joinedAt.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((joinedAt[middle] ?? 0) <= position) low = middle
      else high = middle - 1
    }
    return (originalAt[low] ?? 0) + position - (joinedAt[low] ?? 0)
  }
  return {
    text: joined,
    toOriginal: ({ start, end, rule }) => ({ start: locate(start), end: locate(end - 1) + 1, rule })
  }
}

/**
 * The places where hidden characters stand inside a word, each as a reader sees it, with what surrounds it. A colour that begins or ends at a space
 * splits nothing.
 */
export const joinTokens = (text: string): ReadonlyArray<Joined> => {
  if (!hasHidden.test(text)) return []
  const places: Array<[from: number, to: number]> = []
  hidden.lastIndex = 0
  let before = 0
  for (let hit = hidden.exec(text); hit !== null; hit = hidden.exec(text)) {
    const end = hit.index + hit[0].length
    const inside =
      isVisible(text.charCodeAt(hit.index === before ? before - 1 : hit.index - 1)) && isVisible(text.charCodeAt(end))
    before = end
    if (!inside) continue
    const last = places.at(-1)
    if (last !== undefined && hit.index - window <= last[1]) last[1] = Math.min(text.length, end + window)
    else places.push([Math.max(0, hit.index - window), Math.min(text.length, end + window)])
  }
  return places.map(([from, to]) => joinPiece(text, from, to))
}
