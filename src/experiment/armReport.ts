import type { Arm } from "../domain/arm.ts"
import type { Metric } from "../domain/experiment.ts"
import type { CellScore } from "./cell.ts"
import { hasPassed, isJudged } from "./compareArms.ts"
import type { ArmReport, PassK, Spread } from "./report.ts"
import { mean, median, standardDeviation } from "./statistics/effectSize.ts"
import { passAtK, passHatK } from "./statistics/passAtK.ts"
import { wilsonInterval } from "./statistics/wilson.ts"

/** An arm by its own scores: whatever other arms did changes nothing here. */
export const armReport = (options: {
  readonly arm: Arm
  readonly lane: boolean
  readonly scores: ReadonlyArray<CellScore>
  readonly failed: number
  readonly scenarios: ReadonlyArray<string>
  readonly repetitions: number
  readonly metrics: ReadonlyArray<Metric>
  readonly confidence: number
}): ArmReport => {
  const { arm, confidence } = options
  const scores = options.scores.filter((score) => score.arm === arm.name)
  const judged = scores.filter(isJudged)
  const passed = judged.filter(hasPassed)
  const interval = wilsonInterval(passed.length, judged.length, confidence)
  const scenarios = options.scenarios.map((id) => {
    const own = scores.filter((score) => score.scenario === id)
    return {
      id,
      n: own.length,
      judged: own.filter(isJudged).length,
      passed: own.filter(hasPassed).length
    }
  })
  return {
    name: arm.name,
    lane: options.lane,
    provider: arm.provider,
    model: arm.model ?? null,
    lint_ai: arm.lint_ai,
    native_memory: arm.native_memory,
    profile: arm.profile,
    n: scores.length,
    failed: options.failed,
    passed: passed.length,
    judged: judged.length,
    unknown: scores.length - judged.length,
    pass_rate: judged.length === 0 ? null : passed.length / judged.length,
    // Repetitions of a scenario are alike: the rate's interval speaks of these scenarios.
    pass_interval:
      interval === undefined ? null : { ...interval, confidence, method: "wilson", scope: "these-scenarios" },
    pass_k: kValues(options.repetitions).map((k) => passK(k, scenarios)),
    metrics: options.metrics.filter((metric) => metric !== "quality").map((metric) => spreadOf(metric, scores)),
    scenarios
  }
}

/** 1, powers of two, and all repetitions. */
const kValues = (repetitions: number): ReadonlyArray<number> => {
  const values = new Set([1, repetitions])
  for (let k = 2; k < repetitions; k *= 2) values.add(k)
  return [...values].sort((a, b) => a - b)
}

const passK = (k: number, scenarios: ArmReport["scenarios"]): PassK => {
  const average = (of: typeof passAtK): number | null => {
    const values = scenarios.map(({ judged, passed }) => of(judged, passed, k))
    return values.some((value) => value === undefined) ? null : mean(values.map((value) => value ?? 0))
  }
  return { k, pass_at: average(passAtK), pass_hat: average(passHatK) }
}

const spreadOf = (metric: Metric, scores: ReadonlyArray<CellScore>): Spread => {
  const values = scores.flatMap(({ values: all }) => {
    const value = all[metric] ?? null
    return value === null ? [] : [value]
  })
  const some = values.length > 0
  return {
    metric,
    n: values.length,
    missing: scores.length - values.length,
    mean: some ? mean(values) : null,
    median: some ? median(values) : null,
    minimum: some ? Math.min(...values) : null,
    maximum: some ? Math.max(...values) : null,
    standard_deviation: standardDeviation(values) ?? null
  }
}
