import type { SessionStatus } from "../domain/manifest.ts"
import type { Tokens } from "../domain/usage.ts"

/** `74 ms`, `3.2 s`, `12m 08s`, `2h 05m`. */
export const formatDuration = (milliseconds: number): string => {
  // By what would be shown: `60.0 s` is a minute.
  if (milliseconds < 999.5) return `${Math.round(milliseconds)} ms`
  const seconds = milliseconds / 1_000
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0")
  const minutes = Math.max(1, seconds / 60)
  if (minutes < 60) return `${Math.floor(minutes)}m ${two(Math.max(seconds, 60) % 60)}s`
  return `${Math.floor(minutes / 60)}h ${two(minutes % 60)}m`
}

/** `812 B`, `38.2 KB`, `1.4 MB`: powers of 1000, as file managers show them. */
export const formatBytes = (bytes: number): string => {
  if (bytes < 1_000) return `${bytes} B`
  const units = ["KB", "MB", "GB", "TB"]
  let value = bytes / 1_000
  let unit = 0
  while (value >= 999.95 && unit < units.length - 1) {
    value /= 1_000
    unit++
  }
  return `${value.toFixed(1)} ${units[unit]}`
}

/** `1,234 in, 56 out, 7,890 cache read`. */
export const formatTokens = (tokens: Tokens): string => {
  const names: ReadonlyArray<readonly [keyof Tokens, string]> = [
    ["input_tokens", "in"],
    ["output_tokens", "out"],
    ["cache_creation_input_tokens", "cache written"],
    ["cache_read_input_tokens", "cache read"],
    ["reasoning_output_tokens", "reasoning"],
    ["total_tokens", "in all"]
  ]
  return names
    .flatMap(([kind, name]) => {
      const count = tokens[kind]
      return count === undefined || count === null ? [] : [`${count.toLocaleString("en-US")} ${name}`]
    })
    .join(", ")
}

/** What is said in place of the time of an end. */
export const endless = (status: SessionStatus): string => endlessWords[status] ?? "no end was recorded"

const endlessWords: { readonly [S in SessionStatus]?: string } = {
  active: "not yet",
  // It ended, and its agent began it again only to leave it (archive/leftByItsAgent.ts).
  completed: "begun again since, and left"
}

/** Why a usage is short, where it is. */
export const unreadWords = (transcripts: number): string =>
  transcripts === 1
    ? "1 transcript of the agent was not read to its end"
    : `${transcripts} transcripts of the agent were not read to their end`
