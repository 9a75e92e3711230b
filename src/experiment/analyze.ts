import { counted } from "../domain/counted.ts"
import type { ComparedMetrics, Experiment, Metric } from "../domain/experiment.ts"
import { armReport } from "./armReport.ts"
import type { Arms } from "./arms.ts"
import type { CellScore } from "./cell.ts"
import { compareArms, hasPassed, isJudged, pairUp, type Rules, type ToCompare } from "./compareArms.ts"
import { differencesBetween, fingerprintsOf } from "./fingerprints.ts"
import type { AttemptState } from "./ledger.ts"
import type { ArmReport, CellReport, Comparison, Exclusion, ExperimentReport } from "./report.ts"
import type { Cell } from "./schedule.ts"
import { alpha } from "./statistics/detectable.ts"
import { leastScenarios } from "./statistics/pairedBootstrap.ts"

const confidence = 0.95

/** An experiment as far as it has run. */
export interface Observed {
  readonly experiment: Experiment
  readonly arms: Arms
  readonly scenarios: ExperimentReport["scenarios"]
  readonly cells: ReadonlyArray<Cell>
  readonly attempts: ReadonlyMap<string, ReadonlyArray<AttemptState>>
  /** Of completed cells. */
  readonly scores: ReadonlyArray<CellScore>
  /** Lines of the ledger that cannot be read. */
  readonly damagedLines: number
  /** How many revisions of the project the scenarios name. */
  readonly revisions: number
  readonly root: string
  readonly generatedAt: string
  readonly lintAiVersion: string
}

const usualOthers: ReadonlyArray<Metric> = ["working_ms", "total_tokens", "cost_usd"]

/** The metrics of an experiment, the primary one first, none twice. */
export const metricsOf = (compared: ComparedMetrics | undefined): ReadonlyArray<Metric> => [
  ...new Set([compared?.primary ?? "quality", ...(compared?.others ?? usualOthers)])
]

/** Makes the report. Pure: the same observations and seed give the same report. */
export const analyze = (observed: Observed): ExperimentReport => {
  const { arms, attempts, cells, experiment } = observed
  const planned = new Set(cells.map(({ id }) => id))
  const scores = observed.scores.filter(({ cell }) => planned.has(cell))
  const metrics = metricsOf(experiment.metrics)
  const of = (arm: string) => scores.filter((score) => score.arm === arm)
  const beside = (arm: string): ToCompare => ({
    arm,
    baseline: arms.baseline.name,
    pairs: pairUp(of(arm), of(arms.baseline.name))
  })
  const seed = experiment.seed ?? 1
  const rules = { metrics, primary: metrics[0] ?? "quality", alpha, confidence, seed }
  const laned = arms.lane === undefined ? undefined : beside(arms.lane.name)
  const noise = laned === undefined ? null : (compareArms([laned], { ...rules, noise: 0 })[0] ?? null)
  const full: Rules = { ...rules, noise: noiseOf(noise) }
  const others = arms.all.filter(({ name }) => name !== arms.baseline.name && name !== arms.lane?.name)
  const comparisons = compareArms(
    others.map(({ name }) => beside(name)),
    full
  )
  const states = cells.map((cell) => ({ cell, last: attempts.get(cell.id)?.at(-1) }))
  const failedOf = (arm: string) =>
    states.filter(({ cell, last }) => cell.arm === arm && last?.state === "failed").length
  const reports = arms.all.map((arm) =>
    armReport({
      arm,
      lane: arm.name === arms.lane?.name,
      scores,
      failed: failedOf(arm.name),
      scenarios: observed.scenarios.map(({ id }) => id),
      repetitions: experiment.repetitions,
      metrics,
      confidence
    })
  )
  const excluded = excludedOf(observed, scores)
  const fingerprints = fingerprintsOf(
    arms.all.map(({ name }) => name),
    scores
  )
  const scored = new Set(scores.map(({ cell }) => cell))
  const missing = states.filter(({ cell, last }) => !scored.has(cell.id) && last?.state !== "failed").length
  return {
    schema_version: 1,
    experiment_id: experiment.id,
    description: experiment.description ?? null,
    root: observed.root,
    generated_at: observed.generatedAt,
    lint_ai_version: observed.lintAiVersion,
    status: missing === 0 ? "complete" : "partial",
    baseline: arms.baseline.name,
    variable: experiment.variable,
    order: experiment.order ?? "abba",
    seed,
    repetitions: experiment.repetitions,
    parallelism: experiment.parallelism ?? 1,
    alpha,
    primary: rules.primary,
    scenarios: observed.scenarios,
    cells: {
      planned: cells.length,
      completed: scores.length,
      failed: states.filter(({ last }) => last?.state === "failed").length,
      aborted_attempts: excluded.filter(({ reason }) => reason === "aborted").length,
      missing
    },
    arms: reports,
    comparisons,
    noise,
    findings: comparisons.flatMap(({ metrics: compared }) =>
      compared.filter(({ primary }) => primary).map(({ words }) => words)
    ),
    cautions: cautionsOf({ observed, scores, reports, comparisons, noise, missing }),
    results: scores.map(cellReport(metrics)),
    excluded,
    fingerprints,
    differences: differencesBetween(fingerprints, experiment.variable, observed.revisions)
  }
}

/** The share of the lane's pairs that differ in quality. */
const noiseOf = (lane: Comparison | null): number => {
  const counts = lane?.metrics.find(({ metric }) => metric === "quality")
  return counts?.pairs == null || counts.n === 0 ? 0 : (counts.pairs.only_arm + counts.pairs.only_baseline) / counts.n
}

const cellReport =
  (metrics: ReadonlyArray<Metric>) =>
  (score: CellScore): CellReport => ({
    cell: score.cell,
    scenario: score.scenario,
    arm: score.arm,
    repetition: score.repetition,
    attempt: score.attempt,
    verdict: score.evaluation.verdict,
    session_id: score.session_id,
    directory: score.directory,
    values: Object.fromEntries(
      metrics.filter((metric) => metric !== "quality").map((metric) => [metric, score.values[metric] ?? null])
    )
  })

/** Everything that is in no comparison, by name. */
const excludedOf = (observed: Observed, scores: ReadonlyArray<CellScore>): ReadonlyArray<Exclusion> => {
  const scored = new Set(scores.map(({ cell }) => cell))
  const { arms, attempts, cells } = observed
  const ends = cells.flatMap((cell): ReadonlyArray<Exclusion> => {
    const own = attempts.get(cell.id) ?? []
    const tried = own.flatMap((attempt): ReadonlyArray<Exclusion> => {
      if (attempt.state === "completed") {
        return scored.has(cell.id)
          ? []
          : [exclusion(cell, attempt, "aborted", "its result is damaged or gone; the next run runs it again")]
      }
      if (attempt.state === "started") {
        return [
          exclusion(
            cell,
            attempt,
            "aborted",
            "it has no end yet: it still runs, or was cut and the next run runs it again"
          )
        ]
      }
      const again = attempt !== own.at(-1)
      const what = (attempt.reason ?? "no reason was kept").replace(/\.$/, "")
      return [exclusion(cell, attempt, attempt.state, again ? `${what}; it was run again` : what)]
    })
    const pending = own.length === 0 || own.at(-1)?.state === "aborted"
    return pending && !scored.has(cell.id)
      ? [...tried, { cell: cell.id, attempt: 0, reason: "missing", why: "it has not run yet", directory: null }]
      : tried
  })
  const partners = cells.flatMap((cell): ReadonlyArray<Exclusion> => {
    if (cell.arm === arms.baseline.name || !scored.has(cell.id)) return []
    const partner = cells.find(
      (other) =>
        other.arm === arms.baseline.name && other.scenario === cell.scenario && other.repetition === cell.repetition
    )
    if (partner === undefined || scored.has(partner.id)) return []
    const own = scores.find((score) => score.cell === cell.id)
    return [
      {
        cell: cell.id,
        attempt: own?.attempt ?? 0,
        reason: "partner",
        why: `${partner.id} has no score`,
        directory: own?.directory ?? null
      }
    ]
  })
  return [...ends, ...partners]
}

const exclusion = (cell: Cell, attempt: AttemptState, reason: Exclusion["reason"], why: string): Exclusion => ({
  cell: cell.id,
  attempt: attempt.attempt,
  reason,
  why,
  directory: attempt.directory
})

const cautionsOf = (facts: {
  readonly observed: Observed
  readonly scores: ReadonlyArray<CellScore>
  readonly reports: ReadonlyArray<ArmReport>
  readonly comparisons: ReadonlyArray<Comparison>
  readonly noise: Comparison | null
  readonly missing: number
}): ReadonlyArray<string> => {
  const { noise, observed, reports, scores } = facts
  const cautions: Array<string> = []
  if (facts.missing > 0) {
    cautions.push(
      `${facts.missing} of ${counted(observed.cells.length, "cell")} ${facts.missing === 1 ? "has" : "have"} not run: these are figures of a part.`
    )
  }
  if (observed.damagedLines > 0) {
    cautions.push(
      `${counted(observed.damagedLines, "line")} of the ledger cannot be read: attempts may be missing here.`
    )
  }
  const failed = reports.map((arm) => `${arm.name} ${arm.failed}`)
  if (new Set(reports.map((arm) => arm.failed)).size > 1) {
    cautions.push(
      `Arms failed unequally often (${failed.join(", ")}). Failed cells are left out with their partners, which flatters the arm that fails more.`
    )
  }
  if (observed.scenarios.length < leastScenarios) {
    cautions.push(
      `${counted(observed.scenarios.length, "scenario")}: what is found holds for ${observed.scenarios.length === 1 ? "it" : "these"}. It takes ${leastScenarios} to say something of others.`
    )
  }
  const differing = (noise?.metrics ?? []).filter(({ verdict }) => verdict === "higher" || verdict === "lower")
  for (const { words } of differing) {
    cautions.push(`The baseline differs from itself: ${words} Take differences of this size for noise.`)
  }
  const unknown = scores.filter((score) => !isJudged(score)).length
  if (unknown > 0) {
    cautions.push(
      `${counted(unknown, "cell")} could not be judged, and ${unknown === 1 ? "is" : "are"} in no pass rate: texts were cut, redacted or not recorded.`
    )
  }
  const gaps = scores.filter((score) => !score.recording_complete).length
  if (gaps > 0) {
    cautions.push(
      `${counted(gaps, "recording")} ${gaps === 1 ? "has gaps: its" : "have gaps: their"} counts may be too low.`
    )
  }
  // Of an arm without a judged cell nobody knows how easy it would be.
  const judged = reports.every((arm) => arm.judged > 0) ? scores.filter(isJudged) : []
  if (judged.length > 0 && judged.every(hasPassed)) {
    cautions.push("Every cell that was judged passes: the scenarios are too easy to tell the arms apart by quality.")
  } else if (judged.length > 0 && !judged.some(hasPassed)) {
    cautions.push("No cell passes: the scenarios are too hard, or judged wrongly, to tell the arms apart by quality.")
  }
  if ((observed.experiment.parallelism ?? 1) > 1) {
    cautions.push("Cells ran side by side: times hold what they took from each other.")
  }
  for (const name of observed.experiment.variable) {
    const values = new Set(observed.arms.all.map((arm) => JSON.stringify(arm[name] ?? null)))
    if (values.size === 1 && observed.arms.all.length > 1) {
      cautions.push(`"${name}" is declared as a variable, and all arms have the same.`)
    }
  }
  return cautions
}
