import { providerTitles } from "../domain/provider.ts"
import type { Evaluation, Verdict } from "../domain/scenario.ts"
import { tokenKinds } from "../domain/usage.ts"
import { type FirstDifference, firstDifference, type Trace } from "./firstDifference.ts"
import { allTokens, type SessionMetrics } from "./metrics.ts"

export type Unit = "milliseconds" | "tokens" | "bytes" | "usd" | "count" | "text" | "yes-no"

/** One measure of all arms. */
export interface ComparedMetric {
  /** Stable word for programs: `working_ms`, `output_tokens`. */
  readonly name: string
  /** Short words for a person. */
  readonly title: string
  readonly unit: Unit
  /** Whether it is shown without --all. */
  readonly essential: boolean
  /** One per arm, in their order; null was not observed. */
  readonly values: ReadonlyArray<number | string | boolean | null>
  /** One per arm, in their order; null for the baseline, and where one of the two was not observed or is no number. */
  readonly deltas: ReadonlyArray<Delta | null>
}

/** What a replay has more (or, negative, less) than the baseline. */
export interface Delta {
  readonly absolute: number
  /** As a part of the baseline: 0.5 is half more. Null where the baseline is 0. */
  readonly relative: number | null
}

/** How an evaluation went, counted. */
export interface Quality {
  readonly scenario_id: string
  readonly scenario_digest: string
  readonly verdict: Verdict
  readonly evaluated_at: string
  readonly expected: Tally
  /** `passed`: forbidden facts that are absent. */
  readonly forbidden: Tally
  readonly validators: Tally
  readonly limits: Tally
}
export interface Tally {
  readonly passed: number
  readonly failed: number
  readonly unknown: number
}

export interface ComparedArm {
  readonly role: "baseline" | "replay"
  /** What tells the arm from the others in a heading: `baseline`, `claude-lint-ai`, `claude-lint-ai (2)`. */
  readonly label: string
  readonly metrics: SessionMetrics
  /** Null: not judged. */
  readonly quality: Quality | null
  /** In which the arm differs from the baseline besides what it is meant to differ in; empty for the baseline. */
  readonly flags: ReadonlyArray<ArmFlag>
  /** Null for the baseline, and where both did the same. */
  readonly first_difference: FirstDifference | null
}

/** Something that makes an arm hard to compare with the baseline. `lineage`: the session replays another one, or none. */
export interface ArmFlag {
  readonly what: "lineage" | "provider" | "provider_version" | "model" | "revision" | "permissions" | "recording"
  readonly baseline: string | null
  readonly replay: string | null
}

/** The document of `lint-ai compare --json`, and what every rendering of a comparison draws. The first arm is the baseline. */
export interface Comparison {
  readonly schema_version: 1
  readonly compared_at: string
  readonly arms: ReadonlyArray<ComparedArm>
  /** All measures, whichever are shown. There is none that adds several up to a score. */
  readonly metrics: ReadonlyArray<ComparedMetric>
}

/** What is known of one session before it is compared. */
export interface Measured {
  readonly metrics: SessionMetrics
  readonly trace: Trace
  readonly evaluation: Evaluation | undefined
}

/** Compares replays with their baseline, or reports one session alone. Pure. */
export const compareSessions = (
  baseline: Measured,
  replays: ReadonlyArray<Measured>,
  comparedAt: string
): Comparison => {
  const labels = labelsOf(replays.map(({ metrics }) => metrics))
  const arms: ReadonlyArray<ComparedArm> = [
    {
      role: "baseline",
      label: "baseline",
      metrics: baseline.metrics,
      quality: qualityOf(baseline.evaluation),
      flags: [],
      first_difference: null
    },
    ...replays.map(
      (replay, index): ComparedArm => ({
        role: "replay",
        label: labels[index] ?? `replay ${index + 1}`,
        metrics: replay.metrics,
        quality: qualityOf(replay.evaluation),
        flags: flagsOf(baseline.metrics, replay.metrics),
        first_difference: firstDifference(baseline.trace, replay.trace) ?? null
      })
    )
  ]
  return {
    schema_version: 1,
    compared_at: comparedAt,
    arms,
    metrics: measures.map(({ value, ...measure }): ComparedMetric => {
      const values = arms.map(value)
      // Nobody is to take the times of a session that failed for those of one that did its work.
      const essential = measure.essential || (measure.name === "outcome" && values.some((one) => one !== "completed"))
      return {
        ...measure,
        essential,
        values,
        deltas: values.map((one, index) => (index === 0 ? null : deltaOf(values[0], one)))
      }
    })
  }
}

/** Replay minus baseline; relative only where the baseline is not 0. */
export const deltaOf = (baseline: unknown, replay: unknown): Delta | null =>
  typeof baseline === "number" && typeof replay === "number"
    ? { absolute: replay - baseline, relative: baseline === 0 ? null : (replay - baseline) / baseline }
    : null

interface Measure extends Omit<ComparedMetric, "values" | "deltas"> {
  readonly value: (arm: ComparedArm) => number | string | boolean | null
}

const measure = (
  name: string,
  title: string,
  unit: Unit,
  value: Measure["value"],
  essential: "essential" | "all" = "all"
): Measure => ({ name, title, unit, essential: essential === "essential", value })

const ofMetrics = (
  name: keyof SessionMetrics & string,
  title: string,
  unit: Unit,
  essential: "essential" | "all" = "all"
): Measure =>
  measure(
    name,
    title,
    unit,
    ({ metrics }) => {
      const value: unknown = metrics[name]
      return typeof value === "number" || typeof value === "string" || typeof value === "boolean" ? value : null
    },
    essential
  )

const tallied = (tally: Tally): string | null => {
  const total = tally.passed + tally.failed + tally.unknown
  if (total === 0) return null
  return `${tally.passed} of ${total}${tally.unknown === 0 ? "" : ` (${tally.unknown} unknown)`}`
}

const tokenTitles: Readonly<Record<(typeof tokenKinds)[number], string>> = {
  input_tokens: "Input tokens",
  output_tokens: "Output tokens",
  cache_creation_input_tokens: "Tokens written to the cache",
  cache_read_input_tokens: "Tokens read from the cache",
  reasoning_output_tokens: "Reasoning tokens",
  total_tokens: "Tokens, as the agent adds up"
}

/** Every measure, in the order in which it is shown. */
const measures: ReadonlyArray<Measure> = [
  measure("quality", "Quality", "text", ({ quality }) => quality?.verdict ?? null, "essential"),
  measure(
    "expected_facts",
    "Expected facts",
    "text",
    ({ quality }) => quality && tallied(quality.expected),
    "essential"
  ),
  measure(
    "forbidden_facts",
    "Forbidden facts absent",
    "text",
    ({ quality }) => quality && tallied(quality.forbidden),
    "essential"
  ),
  measure("validators", "Validators", "text", ({ quality }) => quality && tallied(quality.validators), "essential"),
  measure("limits", "Limits kept", "text", ({ quality }) => quality && tallied(quality.limits)),
  ofMetrics("outcome", "Outcome", "text"),
  ofMetrics("exit_code", "Exit code", "count"),
  ofMetrics("working_ms", "Working time", "milliseconds", "essential"),
  ofMetrics("first_response_ms", "First response", "milliseconds", "essential"),
  ofMetrics("duration_ms", "Duration", "milliseconds"),
  measure("all_tokens", "Tokens", "tokens", ({ metrics }) => allTokens(metrics.tokens), "essential"),
  ...tokenKinds.map((kind) =>
    measure(kind, tokenTitles[kind], "tokens", ({ metrics }) => metrics.tokens?.[kind] ?? null)
  ),
  ofMetrics("usage_source", "Source of the tokens", "text"),
  ofMetrics("cost_usd", "Cost", "usd"),
  ofMetrics("turns", "Turns", "count"),
  ofMetrics("model_turns", "Model turns", "count"),
  ofMetrics("tool_calls", "Tool calls", "count"),
  ofMetrics("tool_errors", "Tool errors", "count"),
  ofMetrics("repeated_exploration", "Repeated reads and searches", "count"),
  ofMetrics("injected_bytes", "Injected context", "bytes", "essential"),
  measure("memories_used", "Memories used", "count", ({ metrics }) =>
    metrics.injected_bytes === null ? null : metrics.memories_used.length
  ),
  ofMetrics("event_count", "Events", "count", "essential"),
  ofMetrics("redaction_count", "Redactions", "count", "essential"),
  ofMetrics("truncation_count", "Truncations", "count"),
  ofMetrics("recording_complete", "Recording complete", "yes-no"),
  ofMetrics("recording_ms", "Hook time, recording", "milliseconds"),
  ofMetrics("retrieval_ms", "Hook time, retrieval", "milliseconds"),
  ofMetrics("mcp_ms", "MCP time", "milliseconds")
]

const countVerdicts = (verdicts: ReadonlyArray<{ readonly verdict: Verdict }>): Tally => ({
  passed: verdicts.filter(({ verdict }) => verdict === "pass").length,
  failed: verdicts.filter(({ verdict }) => verdict === "fail").length,
  unknown: verdicts.filter(({ verdict }) => verdict === "unknown").length
})

/** An evaluation in numbers. */
export const qualityOf = (evaluation: Evaluation | undefined): Quality | null =>
  evaluation === undefined
    ? null
    : {
        scenario_id: evaluation.scenario_id,
        scenario_digest: evaluation.scenario_digest,
        verdict: evaluation.verdict,
        evaluated_at: evaluation.evaluated_at,
        expected: countVerdicts(evaluation.facts.filter(({ kind }) => kind === "expected")),
        forbidden: countVerdicts(evaluation.facts.filter(({ kind }) => kind === "forbidden")),
        validators: countVerdicts(evaluation.validators),
        limits: countVerdicts(evaluation.limits)
      }

/** Headings that are all different. */
const labelsOf = (replays: ReadonlyArray<SessionMetrics>): ReadonlyArray<string> => {
  const names = replays.map(({ arm, replay_of_session_id: of }) => arm ?? (of === null ? "session" : "replay"))
  const seen = new Map<string, number>()
  return names.map((name) => {
    const nth = (seen.get(name) ?? 0) + 1
    seen.set(name, nth)
    return names.indexOf(name) === names.lastIndexOf(name) && name !== "baseline" ? name : `${name} (${nth})`
  })
}

const flagsOf = (baseline: SessionMetrics, replay: SessionMetrics): ReadonlyArray<ArmFlag> => {
  const of = replay.replay_of_session_id
  const isRelated = of !== null && (of === baseline.session_id || of === baseline.replay_of_session_id)
  const sides: ReadonlyArray<readonly [ArmFlag["what"], (metrics: SessionMetrics) => string | null]> = [
    ["provider", ({ provider }) => provider],
    ["provider_version", ({ provider_version }) => provider_version],
    ["model", ({ models }) => listed(models)],
    ["revision", ({ repository_revision }) => repository_revision],
    ["permissions", ({ permission_modes }) => listed(permission_modes)],
    ["recording", ({ recording_complete }) => (recording_complete ? "complete" : "incomplete")]
  ]
  return [
    ...(isRelated ? [] : [{ what: "lineage" as const, baseline: baseline.session_id, replay: of }]),
    ...sides.flatMap(([what, side]) => {
      const [left, right] = [side(baseline), side(replay)]
      // What one of them does not tell may differ. Hooks of most agents never tell the agent's version, and a replay knows it.
      const untold = what === "provider_version" && (left === null || right === null)
      return left === right || untold ? [] : [{ what, baseline: left, replay: right }]
    })
  ]
}

const listed = (names: ReadonlyArray<string>): string | null =>
  names.length === 0 ? null : [...names].sort().join(", ")

/** The agent, as a person calls it. */
export const agentTitle = ({ provider, provider_version }: SessionMetrics): string => {
  const title = Object.hasOwn(providerTitles, provider)
    ? providerTitles[provider as keyof typeof providerTitles]
    : provider
  return provider_version === null ? title : `${title} ${provider_version}`
}
