import { counted } from "../domain/counted.ts"
import type { Metric } from "../domain/experiment.ts"
import type { CellScore } from "./cell.ts"
import type { Comparison, Detectable, DiscordantPair, Interval, MetricComparison } from "./report.ts"
import { detectableMean, detectableRateDifference, wantedPower } from "./statistics/detectable.ts"
import { cohenH, mean, rankBiserial } from "./statistics/effectSize.ts"
import { holm } from "./statistics/holm.ts"
import { mcnemarExact } from "./statistics/mcnemar.ts"
import { leastPairs, pairedBootstrap } from "./statistics/pairedBootstrap.ts"
import { rateDifferenceInterval } from "./statistics/rateDifference.ts"
import { seededRandom } from "./statistics/seededRandom.ts"
import { signFlip } from "./statistics/signFlip.ts"
import { comparisonWords } from "./words.ts"

/** Two scores of the same scenario and repetition. */
export interface Pair {
  readonly scenario: string
  readonly repetition: number
  readonly arm: CellScore
  readonly baseline: CellScore
}

export interface ToCompare {
  readonly arm: string
  readonly baseline: string
  readonly pairs: ReadonlyArray<Pair>
}

/** What all comparisons of a report share. */
export interface Rules {
  readonly metrics: ReadonlyArray<Metric>
  readonly primary: Metric
  readonly alpha: number
  readonly confidence: number
  readonly seed: number
  /** The share of pairs of the A/A lane that differ in quality; 0 without a lane. */
  readonly noise: number
}

/** Pairs the scores of two arms by scenario and repetition; what has no partner is left out. */
export const pairUp = (arm: ReadonlyArray<CellScore>, baseline: ReadonlyArray<CellScore>): ReadonlyArray<Pair> => {
  const partners = new Map(baseline.map((score) => [`${score.scenario}/${score.repetition}`, score]))
  const inOrder = [...arm].sort((a, b) =>
    a.scenario === b.scenario ? a.repetition - b.repetition : a.scenario < b.scenario ? -1 : 1
  )
  return inOrder.flatMap((score) => {
    const partner = partners.get(`${score.scenario}/${score.repetition}`)
    return partner === undefined
      ? []
      : [{ scenario: score.scenario, repetition: score.repetition, arm: score, baseline: partner }]
  })
}

/**
 * Compares arms with their baseline, metric by metric. P-values are corrected over all metrics of all comparisons given here, and the smallest
 * detectable effects are those at the level that leaves the first of them. Pure; the same seed gives the same figures.
 */
export const compareArms = (all: ReadonlyArray<ToCompare>, rules: Rules): ReadonlyArray<Comparison> => {
  const drafts = all.flatMap((comparison) => rules.metrics.map((metric) => draftOf(comparison, metric, rules)))
  const tested = drafts.filter(({ test }) => test !== null)
  const corrected = holm(tested.map(({ test }) => test?.p ?? 1))
  const level = rules.alpha / Math.max(1, tested.length)
  const byDraft = new Map(tested.map((draft, at) => [draft, corrected[at] ?? 1]))
  return all.map((comparison) => ({
    arm: comparison.arm,
    baseline: comparison.baseline,
    pairs: comparison.pairs.length,
    metrics: drafts
      .filter((draft) => draft.comparison === comparison)
      .map((draft) => finished(draft, byDraft.get(draft) ?? 1, level, rules)),
    discordant: discordantOf(comparison)
  }))
}

type Draft = Omit<MetricComparison, "test" | "detectable" | "verdict" | "words"> & {
  readonly comparison: ToCompare
  readonly test: Omit<NonNullable<MetricComparison["test"]>, "p_holm"> | null
  readonly detectable: (alpha: number) => number | undefined
}

const finished = (draft: Draft, pHolm: number, level: number, rules: Rules): MetricComparison => {
  const { comparison, detectable, test, ...rest } = draft
  const effect: Detectable = { effect: detectable(level) ?? null, power: wantedPower, alpha: level }
  const found = test !== null && pHolm <= rules.alpha && rest.estimate !== null
  const neutral = rest.scale === "ratio" ? 1 : 0
  const verdict: MetricComparison["verdict"] =
    test === null ? "absent" : !found ? "none" : (rest.estimate ?? neutral) > neutral ? "higher" : "lower"
  const compared = { ...rest, test: test === null ? null : { ...test, p_holm: pHolm }, detectable: effect, verdict }
  return { ...compared, words: comparisonWords(comparison, compared) }
}

const draftOf = (comparison: ToCompare, metric: Metric, rules: Rules): Draft =>
  metric === "quality" ? rateDraft(comparison, rules) : valueDraft(comparison, metric, rules)

const rateDraft = (comparison: ToCompare, rules: Rules): Draft => {
  const judged = comparison.pairs.filter(({ arm, baseline }) => isJudged(arm) && isJudged(baseline))
  const counts = { both: 0, neither: 0, only_arm: 0, only_baseline: 0 }
  const scenarios = new Map<string, { n: number; onlyArm: number; onlyBaseline: number }>()
  for (const { scenario, arm, baseline } of judged) {
    const own = scenarios.get(scenario) ?? { n: 0, onlyArm: 0, onlyBaseline: 0 }
    scenarios.set(scenario, own)
    own.n++
    if (hasPassed(arm) && hasPassed(baseline)) counts.both++
    else if (hasPassed(arm)) {
      counts.only_arm++
      own.onlyArm++
    } else if (hasPassed(baseline)) {
      counts.only_baseline++
      own.onlyBaseline++
    } else counts.neither++
  }
  const n = judged.length
  const rates = n === 0 ? undefined : [(counts.both + counts.only_arm) / n, (counts.both + counts.only_baseline) / n]
  const [armRate = null, baselineRate = null] = rates ?? []
  const difference = n === 0 ? null : (counts.only_arm - counts.only_baseline) / n
  const interval = rateDifferenceInterval([...scenarios.values()], rules.confidence)
  // What goes the rarer way is noise; as much of it goes the other way too.
  const noise = n === 0 ? 0 : Math.max((2 * Math.min(counts.only_arm, counts.only_baseline)) / n, rules.noise)
  return {
    comparison,
    metric: "quality",
    primary: rules.primary === "quality",
    n,
    missing: comparison.pairs.length - n,
    baseline_value: baselineRate,
    arm_value: armRate,
    scale: "rate-difference",
    estimate: difference,
    ...withInterval(interval, "bonett-price", n, rules),
    mean_difference: difference,
    effect_size:
      armRate === null || baselineRate === null ? null : { name: "cohen-h", value: cohenH(armRate, baselineRate) },
    test:
      n === 0
        ? null
        : { name: "mcnemar", exact: true, draws: null, p: mcnemarExact(counts.only_arm, counts.only_baseline) },
    pairs: n === 0 ? null : counts,
    detectable: (alpha) => detectableRateDifference(n, Math.min(noise, 0.95), alpha)
  }
}

const valueDraft = (comparison: ToCompare, metric: Metric, rules: Rules): Draft => {
  const values = comparison.pairs.flatMap(({ scenario, arm, baseline }) => {
    const [here, there] = [arm.values[metric] ?? null, baseline.values[metric] ?? null]
    return here === null || there === null ? [] : [{ scenario, arm: here, baseline: there }]
  })
  const n = values.length
  const ratio = n > 0 && values.every(({ arm, baseline }) => arm > 0 && baseline > 0)
  // Times, tokens and money differ by factors: their logarithms are what is compared where all have one.
  const measured = values.map(({ scenario, arm, baseline }) => ({
    scenario,
    difference: ratio ? Math.log(arm) - Math.log(baseline) : arm - baseline
  }))
  const differences = measured.map(({ difference }) => difference)
  const scenarios = [...new Set(measured.map(({ scenario }) => scenario))]
  const clusters = scenarios.map((id) =>
    measured.filter(({ scenario }) => scenario === id).map(({ difference }) => difference)
  )
  const stream = `${comparison.arm}/${comparison.baseline}/${metric}`
  const even = differences.every((difference) => difference === differences[0])
  const interval = even
    ? undefined
    : pairedBootstrap(clusters, seededRandom(rules.seed, `bootstrap/${stream}`), { confidence: rules.confidence })
  const scaled = (value: number) => (ratio ? Math.exp(value) : value)
  const of = (side: "arm" | "baseline") => values.map((value) => value[side])
  // Beside a ratio of geometric means, arithmetic ones could say the opposite.
  const middle = (side: "arm" | "baseline") =>
    n === 0 ? null : ratio ? Math.exp(mean(of(side).map(Math.log))) : mean(of(side))
  return {
    comparison,
    metric,
    primary: rules.primary === metric,
    n,
    missing: comparison.pairs.length - n,
    baseline_value: middle("baseline"),
    arm_value: middle("arm"),
    scale: ratio ? "ratio" : "difference",
    estimate: n === 0 ? null : scaled(mean(differences)),
    ...withInterval(
      interval === undefined ? undefined : { ...interval, low: scaled(interval.low), high: scaled(interval.high) },
      "paired-bootstrap",
      n,
      rules,
      even
    ),
    mean_difference: n === 0 ? null : mean(of("arm")) - mean(of("baseline")),
    effect_size: n === 0 ? null : { name: "rank-biserial", value: rankBiserial(differences) },
    test: n === 0 ? null : { name: "sign-flip", ...signFlip(differences, seededRandom(rules.seed, `signs/${stream}`)) },
    pairs: null,
    detectable: (alpha) => {
      const least = detectableMean(differences, alpha)
      return least === undefined ? undefined : scaled(least)
    }
  }
}

const withInterval = (
  found: { readonly low: number; readonly high: number; readonly scope: Interval["scope"] } | undefined,
  method: Interval["method"],
  n: number,
  rules: Rules,
  even = false
): Pick<MetricComparison, "interval" | "no_interval"> =>
  found === undefined
    ? {
        interval: null,
        no_interval:
          n < leastPairs
            ? `${counted(n, "pair")} ${n === 1 ? "is" : "are"} too few for an interval; it takes ${leastPairs}.`
            : even
              ? "All pairs differ by the same, which tells nothing of how much others would."
              : "Each scenario has too few repetitions for an interval, and there are too few scenarios."
      }
    : {
        interval: { low: found.low, high: found.high, confidence: rules.confidence, method, scope: found.scope },
        no_interval: null
      }

export const isJudged = ({ evaluation }: CellScore): boolean => evaluation.verdict !== "unknown"
export const hasPassed = ({ evaluation }: CellScore): boolean => evaluation.verdict === "pass"

const discordantOf = ({ pairs }: ToCompare): ReadonlyArray<DiscordantPair> =>
  pairs.flatMap(({ scenario, repetition, arm, baseline }) => {
    if (!isJudged(arm) || !isJudged(baseline) || hasPassed(arm) === hasPassed(baseline)) return []
    const [passed, failed] = hasPassed(arm) ? [arm, baseline] : [baseline, arm]
    return [
      {
        scenario,
        repetition,
        passed: passed.arm,
        failed: failed.arm,
        passed_session: { session_id: passed.session_id, directory: passed.directory },
        failed_session: { session_id: failed.session_id, directory: failed.directory },
        missed: missedBy(failed)
      }
    ]
  })

const missedBy = ({ evaluation }: CellScore): ReadonlyArray<string> => [
  ...evaluation.facts.flatMap(({ id, kind, verdict }) =>
    verdict === "fail" ? [`${kind === "expected" ? "expected" : "forbidden"} fact ${id}`] : []
  ),
  ...evaluation.validators.flatMap(({ name, verdict }) => (verdict === "fail" ? [`validator ${name}`] : [])),
  ...evaluation.limits.flatMap(({ name, verdict }) => (verdict === "fail" ? [`limit ${name}`] : []))
]
