import type { Span } from "./spans.ts"

// ANSI escape sequences, other control characters, soft hyphens, zero-width and direction characters: what splits a token without being seen.
const hidden =
  /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,512}(?:\x07|\x1b\\)|[@-Z\\^_])|(?:\\u001b|\\x1b|\\033|\\e)\[[0-9;]{0,16}[A-Za-z]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u00ad\u061c\u115f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]|[\ufe00-\ufe0f]/g

const hasHidden =
  /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u00ad\u061c\u115f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]|[\ufe00-\ufe0f]|\\(?:u001b|x1b|033|e)\[/

/** A text without its hidden characters, and the way back. */
export interface Joined {
  readonly text: string
  /** The span in the original that covers the same characters, and the hidden ones between them. */
  readonly toOriginal: (span: Span) => Span
}

const nextIsAssignment = /^[A-Za-z_][A-Za-z0-9_]{0,80}=/

/** The text as a reader sees it, or undefined when nothing hidden is in it. */
export const joinTokens = (text: string): Joined | undefined => {
  if (!hasHidden.test(text)) return undefined
  // Where each kept piece begins: in the joined text, and in the original.
  const joinedAt: Array<number> = [0]
  const originalAt: Array<number> = [0]
  let joined = ""
  let from = 0
  hidden.lastIndex = 0
  for (let hit = hidden.exec(text); hit !== null; hit = hidden.exec(text)) {
    joined += text.slice(from, hit.index)
    from = hit.index + hit[0].length
    // NUL parts the entries of /proc/*/environ.
    if (hit[0] === "\0" && nextIsAssignment.test(text.slice(from, from + 84))) {
      joinedAt.push(joined.length)
      originalAt.push(hit.index)
      joined += "\n"
    }
    joinedAt.push(joined.length)
    originalAt.push(from)
  }
  if (from === 0) return undefined
  joined += text.slice(from)
  const locate = (at: number): number => {
    let low = 0
    let high = joinedAt.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((joinedAt[middle] ?? 0) <= at) low = middle
      else high = middle - 1
    }
    return (originalAt[low] ?? 0) + at - (joinedAt[low] ?? 0)
  }
  return {
    text: joined,
    toOriginal: ({ start, end, rule }) => ({ start: locate(start), end: locate(end - 1) + 1, rule })
  }
}
