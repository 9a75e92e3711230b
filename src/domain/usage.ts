import * as Schema from "effect/Schema"

/**
 * Where a token count comes from. Counts of different sources are never added: where several sources tell of a session, `preferredSource`
 * says which one is read.
 */
export const UsageSource = Schema.Literals([
  "hook-payload",
  "claude-transcript",
  "codex-transcript",
  "codex-app-server",
  "gemini-transcript",
  "antigravity-transcript",
  "unavailable"
])
export type UsageSource = typeof UsageSource.Type

/** Older recorders wrote null for what they did not see. */
const Count = Schema.optionalKey(Schema.NullOr(Schema.Natural))

/** Tokens by kind, in the names of the Messages API; a kind that was not observed is absent. */
export const Tokens = Schema.Struct({
  input_tokens: Count,
  output_tokens: Count,
  cache_creation_input_tokens: Count,
  cache_read_input_tokens: Count,
  reasoning_output_tokens: Count,
  total_tokens: Count
})
export type Tokens = typeof Tokens.Type
export const tokenKinds = [
  "input_tokens",
  "output_tokens",
  "cache_creation_input_tokens",
  "cache_read_input_tokens",
  "reasoning_output_tokens",
  "total_tokens"
] as const satisfies ReadonlyArray<keyof Tokens>

export const Usage = Schema.Struct({ source: UsageSource, ...Tokens.fields })
export type Usage = typeof Usage.Type

/** Adds token counts kind by kind; a kind that neither side has stays absent. */
export const addTokens = (left: Tokens, right: Tokens): Tokens => combine(left, right, 1)

/** Takes `right` from `left`, not below zero. */
export const subtractTokens = (left: Tokens, right: Tokens): Tokens => combine(left, right, -1)

const combine = (left: Tokens, right: Tokens, sign: 1 | -1): Tokens => {
  const sum: { -readonly [K in keyof Tokens]: Tokens[K] } = {}
  for (const kind of tokenKinds) {
    const a = left[kind] ?? undefined
    const b = right[kind] ?? undefined
    if (a !== undefined || b !== undefined) sum[kind] = Math.max(0, (a ?? 0) + sign * (b ?? 0))
  }
  return sum
}

/** Totals kept apart by source. */
export const UsageBySource = Schema.Record(Schema.String, Tokens)
export type UsageBySource = typeof UsageBySource.Type

/**
 * The order in which sources are read. A transcript is what the agent counts by itself, and is read to its end even when hooks were missed; a hook
 * tells of what it ran for; an app-server of what was asked while somebody watched.
 */
export const sourceOrder: ReadonlyArray<UsageSource> = [
  "claude-transcript",
  "codex-transcript",
  "gemini-transcript",
  "antigravity-transcript",
  "hook-payload",
  "codex-app-server",
  "unavailable"
]

/**
 * The source whose counts stand for a session: the one that tells of the most messages, since no source invents any; of equal ones the first in
 * `sourceOrder`. Undefined when there is none.
 */
export const preferredSource = (messageCounts: Iterable<readonly [UsageSource, number]>): UsageSource | undefined =>
  [...messageCounts].sort(
    ([left, a], [right, b]) => b - a || sourceOrder.indexOf(left) - sourceOrder.indexOf(right)
  )[0]?.[0]
