import type { Limits, Verdict } from "../domain/scenario.ts"
import type { SessionMetrics } from "../replay/metrics.ts"

export interface LimitFinding {
  readonly name: keyof Limits
  readonly limit: number
  /** Null when it was not observed. */
  readonly observed: number | null
  readonly verdict: Verdict
}

/** Limits that were not only judged but held: the run was ended at them. */
export type HeldLimit = keyof Limits

/** What each limit is compared with, in the unit of the limit. */
const observations: { readonly [K in keyof Limits]-?: (metrics: SessionMetrics) => number | null } = {
  max_duration_seconds: ({ working_ms }) => (working_ms === null ? null : working_ms / 1000),
  max_output_tokens: ({ tokens }) => tokens?.output_tokens ?? null,
  max_turns: ({ model_turns }) => model_turns,
  max_budget_usd: ({ cost_usd }) => cost_usd,
  max_injected_context_bytes: ({ injected_bytes }) => injected_bytes,
  max_tool_calls: ({ tool_calls }) => tool_calls
}
export const limitNames = Object.keys(observations) as ReadonlyArray<keyof Limits>

/**
 * Judges every limit that a scenario has. A limit at which the run was ended is broken, whatever was measured until then. Pure.
 *
 * @param reached the limits at which the run was ended
 */
export const judgeLimits = (
  limits: Limits,
  metrics: SessionMetrics,
  reached: ReadonlyArray<HeldLimit> = []
): ReadonlyArray<LimitFinding> =>
  limitNames.flatMap((name) => {
    const limit = limits[name]
    if (limit === undefined) return []
    const observed = observations[name](metrics)
    // What is cut off may be more: below the limit nothing is known of a recording that has gaps.
    const unsure = observed === null || (observed <= limit && !metrics.recording_complete && counted.has(name))
    const verdict =
      reached.includes(name) || (observed !== null && observed > limit) ? "fail" : unsure ? "unknown" : "pass"
    return [{ name, limit, observed, verdict }]
  })

/** Limits on what is counted from events, which a recording with gaps may lack. */
const counted: ReadonlySet<keyof Limits> = new Set([
  "max_tool_calls",
  "max_turns",
  "max_output_tokens",
  "max_injected_context_bytes"
])
