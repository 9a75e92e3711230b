import { counted } from "../domain/counted.ts"
import { metricTable, metricText, pText, threeDigits } from "./metricTable.ts"
import type { ArmReport, Comparison, ExperimentReport, Interval, MetricComparison } from "./report.ts"
import { effectText, timesText } from "./words.ts"

/** The parts of a report as short texts, which the terminal and Markdown share. */

/** `0 % to 20 %`; undefined without an interval. */
export const rateInterval = (interval: Interval | null): string | undefined =>
  interval === null ? undefined : `${percent(interval.low)} to ${percent(interval.high)}`

const percent = (share: number): string => `${Math.round(share * 100)} %`

/** An interval on the scale of its comparison. */
export const intervalText = ({ metric, scale, interval }: MetricComparison): string => {
  if (interval === null) return "none"
  if (scale === "ratio") return `${timesText(interval.low)} to ${timesText(interval.high)} times`
  const end = (estimate: number) => effectText({ metric, scale, estimate })
  return `${end(interval.low)} to ${end(interval.high)}`
}

export const passText = (arm: ArmReport): string =>
  arm.pass_rate === null ? "not judged" : `${arm.passed} of ${arm.judged}`

export const shareText = (share: number | null): string => (share === null ? "-" : percent(share))

/** `h = 3.14`, `r = 0.40`. */
export const sizeText = ({ effect_size: size }: MetricComparison): string =>
  size === null ? "" : `${size.name === "cohen-h" ? "h" : "r"} = ${size.value.toFixed(2)}`

export const pHolmText = ({ test }: MetricComparison): string => (test === null ? "" : pText(test.p_holm))

/** The names of tests that were made, with their sources' names, for a reader who wants to know. */
export const methodText = (comparison: Comparison): string => {
  const tests = comparison.metrics.flatMap(({ metric, test }) => (metric === "quality" || test === null ? [] : [test]))
  const drawn = tests.find(({ exact }) => !exact)
  const how = [
    ...(tests.some(({ exact }) => exact) ? ["exact"] : []),
    ...(drawn === undefined ? [] : [`${threeDigits(drawn.draws ?? 0)} random`])
  ].join(" or ")
  return `Quality by McNemar's exact test${how === "" ? "" : `, others by ${how} sign flips`}.`
}

/** What an arm is: `claude, model-1, lint-ai on, native memory off`. */
export const armText = (arm: ArmReport): string =>
  [
    arm.provider,
    ...(arm.model === null ? [] : [arm.model]),
    `lint-ai ${arm.lint_ai ? "on" : "off"}`,
    `native memory ${arm.native_memory ? "on" : "off"}`,
    arm.profile,
    ...(arm.lane ? ["the baseline again"] : [])
  ].join(", ")

/** `30 of 30 cells, 3 scenarios x 2 arms x 5 repetitions, order abba, seed 1`. */
export const designText = (report: ExperimentReport): string =>
  [
    `${report.cells.completed} of ${counted(report.cells.planned, "cell")} ${report.cells.completed === 1 ? "has" : "have"} a score`,
    `${counted(report.scenarios.length, "scenario")} x ${counted(report.arms.length, "arm")} x ${counted(report.repetitions, "repetition")}`,
    `order ${report.order}`,
    `seed ${report.seed}`
  ].join(", ")

/** The columns of an arm that show its metrics: the mean of each. */
export const meanText = (arm: ArmReport, at: number): string => {
  const spread = arm.metrics[at]
  return spread === undefined ? "" : metricText(spread.metric, spread.mean)
}

export const metricTitle = (compared: Pick<MetricComparison, "metric" | "primary">): string =>
  `${metricTable[compared.metric].title}${compared.primary ? " (primary)" : ""}`
