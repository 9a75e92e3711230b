import { isObject } from "../../domain/jsonObject.ts"
import type { Tokens } from "../../domain/usage.ts"

/**
 * The token counts of a `token_usage` object of Codex, as its hooks and rollouts hold it; undefined when it counts nothing.
 *
 * Codex counts as the Responses API does: input_tokens holds what was read from the cache and written to it. The kinds of the archive are
 * those of the Messages API, where no token is in two of them, so both are taken out of the input. total_tokens stays as it came.
 */
export const tokensOf = (usage: unknown): Tokens | undefined => {
  if (!isObject(usage)) return undefined
  const input = countOf(usage.input_tokens)
  const read = countOf(usage.cached_input_tokens)
  const written = countOf(usage.cache_write_input_tokens)
  const counts = {
    input_tokens: input === undefined ? undefined : Math.max(0, input - (read ?? 0) - (written ?? 0)),
    output_tokens: countOf(usage.output_tokens),
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    reasoning_output_tokens: countOf(usage.reasoning_output_tokens),
    total_tokens: countOf(usage.total_tokens)
  }
  const known = Object.entries(counts).filter(([, count]) => count !== undefined)
  return known.some(([, count]) => count !== 0) ? Object.fromEntries(known) : undefined
}

const countOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined
