import { isObject } from "../../domain/jsonObject.ts"
import { type Tokens, tokenKinds } from "../../domain/usage.ts"

/**
 * The token counts of a `usage` object of the Messages API, as transcripts and tool responses hold it; undefined when it counts nothing.
 * Thinking tokens are part of output_tokens.
 */
export const tokensOf = (usage: unknown): Tokens | undefined => {
  if (!isObject(usage)) return undefined
  const details = usage.output_tokens_details
  const counts: Record<string, unknown> = {
    ...usage,
    reasoning_output_tokens: isObject(details) ? details.thinking_tokens : undefined
  }
  const tokens: { -readonly [K in keyof Tokens]: number } = {}
  for (const kind of tokenKinds) {
    const count = counts[kind]
    if (typeof count === "number" && Number.isSafeInteger(count) && count >= 0) tokens[kind] = count
  }
  return Object.values(tokens).some((count) => count > 0) ? tokens : undefined
}
