import type { Metric, Variable } from "../domain/experiment.ts"
import type { Provider } from "../domain/provider.ts"
import type { Verdict } from "../domain/scenario.ts"

/** A closed interval. `confidence` is a share of 1; `method` names the formula; `scope` what it speaks of. */
export interface Interval {
  readonly low: number
  readonly high: number
  readonly confidence: number
  readonly method: "wilson" | "bonett-price" | "paired-bootstrap"
  /** `these-scenarios`: there are too few scenarios to speak of others. */
  readonly scope: "these-scenarios" | "scenarios-like-these"
}

/** One value of `pass@k` or `pass^k`, averaged over scenarios. Null where a scenario has fewer than `k` scored repetitions. */
export interface PassK {
  readonly k: number
  /** The chance that at least one of k repetitions passes. */
  readonly pass_at: number | null
  /** The chance that all of k repetitions pass. */
  readonly pass_hat: number | null
}

/** How a metric is spread over an arm's scored sessions. Values that were not observed are not in it. */
export interface Spread {
  readonly metric: Metric
  readonly n: number
  readonly missing: number
  readonly mean: number | null
  readonly median: number | null
  readonly minimum: number | null
  readonly maximum: number | null
  readonly standard_deviation: number | null
}

/** One arm, by its own cells alone. */
export interface ArmReport {
  readonly name: string
  /** Whether it is the baseline's second lane, which shows the noise. */
  readonly lane: boolean
  readonly provider: Provider
  readonly model: string | null
  readonly lint_ai: boolean
  readonly native_memory: boolean
  readonly profile: string
  /** Cells that were scored. */
  readonly n: number
  readonly failed: number
  /** `unknown` verdicts count neither as passed nor in the rate. */
  readonly passed: number
  readonly judged: number
  readonly unknown: number
  readonly pass_rate: number | null
  readonly pass_interval: Interval | null
  readonly pass_k: ReadonlyArray<PassK>
  readonly metrics: ReadonlyArray<Spread>
  readonly scenarios: ReadonlyArray<{
    readonly id: string
    readonly n: number
    readonly passed: number
    readonly judged: number
  }>
}

/** The smallest effect that an experiment of this size finds with the stated power; null when it finds none of any size. */
export interface Detectable {
  /** On the scale of the comparison: a difference of rates, a ratio above 1, or a difference. */
  readonly effect: number | null
  readonly power: number
  readonly alpha: number
}

/** One metric of one arm beside the baseline, over the pairs that both completed. */
export interface MetricComparison {
  readonly metric: Metric
  readonly primary: boolean
  /** Pairs in which both sides have a value. */
  readonly n: number
  readonly missing: number
  /** Pass rates, else means of the pairs: geometric ones where the scale is `ratio`. */
  readonly baseline_value: number | null
  readonly arm_value: number | null
  /**
   * What `estimate`, `interval` and `detectable` are measured by: `rate-difference` (arm minus baseline, -1 to 1), `ratio` (of geometric means, arm to
   * baseline; where all values are above zero), `difference` (of means, arm minus baseline, in the metric's unit).
   */
  readonly scale: "rate-difference" | "ratio" | "difference"
  readonly estimate: number | null
  readonly interval: Interval | null
  /** Why there is no interval, as a sentence; null when there is one. */
  readonly no_interval: string | null
  /** Arm minus baseline in the metric's unit, of arithmetic means whatever the scale. */
  readonly mean_difference: number | null
  /** Cohen's h for rates; for others the matched-pairs rank-biserial correlation, -1 to 1. */
  readonly effect_size: { readonly name: "cohen-h" | "rank-biserial"; readonly value: number } | null
  /** Null without pairs. `p_holm` is corrected over all tests of the report. */
  readonly test: {
    readonly name: "mcnemar" | "sign-flip"
    readonly exact: boolean
    /** Of a test that is not exact. */
    readonly draws: number | null
    readonly p: number
    readonly p_holm: number
  } | null
  /** Pairs by outcome, for `quality`. */
  readonly pairs: {
    readonly both: number
    readonly neither: number
    readonly only_arm: number
    readonly only_baseline: number
  } | null
  readonly detectable: Detectable
  /** `higher` and `lower` are of the arm. `none`: no difference is detectable. `absent`: there is nothing to compare. */
  readonly verdict: "higher" | "lower" | "none" | "absent"
  /** The verdict as a sentence. */
  readonly words: string
}

/** A pair in which one side passed and the other did not. */
export interface DiscordantPair {
  readonly scenario: string
  readonly repetition: number
  readonly passed: string
  readonly failed: string
  readonly passed_session: SessionPlace
  readonly failed_session: SessionPlace
  /** Facts, validators and limits that the failed side missed. */
  readonly missed: ReadonlyArray<string>
}

export interface SessionPlace {
  readonly session_id: string
  readonly directory: string
}

export interface Comparison {
  readonly arm: string
  readonly baseline: string
  /** Pairs that both sides completed. */
  readonly pairs: number
  readonly metrics: ReadonlyArray<MetricComparison>
  readonly discordant: ReadonlyArray<DiscordantPair>
}

/** A cell as it went, and what was measured in it. */
export interface CellReport {
  /** `scenario/arm/repetition`. */
  readonly cell: string
  readonly scenario: string
  readonly arm: string
  readonly repetition: number
  readonly attempt: number
  readonly verdict: Verdict
  readonly session_id: string
  readonly directory: string
  readonly values: Readonly<Partial<Record<Metric, number | null>>>
}

/** Something that is in no comparison, and why. */
export interface Exclusion {
  readonly cell: string
  readonly attempt: number
  /** `failed`: the agent failed. `aborted`: it was cut, and another attempt took its place or will. `partner`: its other side has no score. `missing`: it has not run. */
  readonly reason: "failed" | "aborted" | "partner" | "missing"
  readonly why: string
  readonly directory: string | null
}

/** What an arm really ran on. More than one value means that it changed in the course. */
export interface ArmFingerprint {
  readonly arm: string
  readonly agent_version: ReadonlyArray<string>
  readonly models: ReadonlyArray<string>
  readonly revision: ReadonlyArray<string>
  readonly settings: ReadonlyArray<string>
  readonly permissions: ReadonlyArray<string>
  readonly lint_ai_version: ReadonlyArray<string>
  readonly redaction: ReadonlyArray<string>
}

/** A difference that nobody declared: between arms, or in the course of one. */
export interface FingerprintDifference {
  readonly field: Exclude<keyof ArmFingerprint, "arm">
  readonly within: string | null
  readonly values: ReadonlyArray<{ readonly arm: string; readonly value: string }>
  readonly words: string
}

/**
 * What an experiment found. Rates are shares of 1, times milliseconds, money US dollars. What was not observed is null. There is no composite score, and
 * no winner where no difference is detectable.
 */
export interface ExperimentReport {
  readonly schema_version: 1
  readonly experiment_id: string
  readonly description: string | null
  readonly root: string
  readonly generated_at: string
  readonly lint_ai_version: string
  /** `partial`: cells are missing. */
  readonly status: "complete" | "partial"
  readonly baseline: string
  readonly variable: ReadonlyArray<Variable>
  readonly order: "abba" | "random"
  readonly seed: number
  readonly repetitions: number
  readonly parallelism: number
  readonly alpha: number
  readonly primary: Metric
  readonly scenarios: ReadonlyArray<{
    readonly id: string
    readonly category: string
    readonly negative_control: boolean
    readonly digest: string
  }>
  readonly cells: {
    readonly planned: number
    readonly completed: number
    readonly failed: number
    readonly aborted_attempts: number
    readonly missing: number
  }
  readonly arms: ReadonlyArray<ArmReport>
  /** Each arm but the baseline beside it. */
  readonly comparisons: ReadonlyArray<Comparison>
  /** The baseline beside itself; null without an A/A lane. */
  readonly noise: Comparison | null
  /** What the primary metric says, one sentence for each comparison. */
  readonly findings: ReadonlyArray<string>
  /** What a reader should know before believing a figure. */
  readonly cautions: ReadonlyArray<string>
  readonly results: ReadonlyArray<CellReport>
  readonly excluded: ReadonlyArray<Exclusion>
  readonly fingerprints: ReadonlyArray<ArmFingerprint>
  readonly differences: ReadonlyArray<FingerprintDifference>
}
