import { metricTable, metricText, pText, threeDigits } from "./metricTable.ts"
import type { Detectable, MetricComparison } from "./report.ts"

type Compared = Omit<MetricComparison, "words">
interface Names {
  readonly arm: string
  readonly baseline: string
}

/** What a comparison says, as a sentence. Where nothing is detectable it names the number of pairs and what would have shown, and nobody wins. */
export const comparisonWords = (names: Names, compared: Compared): string => {
  const { title } = metricTable[compared.metric]
  if (compared.verdict === "absent") return `${title}: nothing to compare ${names.arm} with ${names.baseline} by.`
  const values = valuesText(names, compared)
  const p = compared.test === null ? "" : `${pText(compared.test.p_holm)} after Holm's correction`
  if (compared.verdict === "none") {
    return `${title}: no difference detectable at n = ${compared.n} (${values}; ${p}). ${detectableWords(compared)}`
  }
  return `${title}: ${compared.verdict} with ${names.arm} than with ${names.baseline} at n = ${compared.n} (${values}; ${effectText(compared)}; ${p}).`
}

const valuesText = (names: Names, { metric, n, pairs, scale, arm_value, baseline_value }: Compared): string =>
  pairs === null
    ? `${scale === "ratio" ? "geometric mean" : "mean"} ${metricText(metric, arm_value)} against ${metricText(metric, baseline_value)}`
    : `${names.arm} passes ${pairs.both + pairs.only_arm} of ${n}, ${names.baseline} ${pairs.both + pairs.only_baseline} of ${n}`

/** `+100 points`, `0.62 times as much`, `+12 ms`. */
export const effectText = ({ metric, scale, estimate }: Pick<Compared, "metric" | "scale" | "estimate">): string => {
  if (estimate === null) return "not observed"
  switch (scale) {
    case "rate-difference":
      return `${signed(Math.round(estimate * 100))} points`
    case "ratio": {
      const times = timesText(estimate)
      return times === "1" ? "as much" : `${times} times as much`
    }
    case "difference":
      return `${estimate > 0 ? "+" : ""}${metricText(metric, estimate)}`
  }
}

const signed = (value: number): string => `${value > 0 ? "+" : ""}${value}`
/** Two digits would round 0.996 to no difference. */
export const timesText = (ratio: number): string =>
  ratio < 10 ? Number(ratio.toPrecision(3)).toString() : threeDigits(ratio)

/** What a comparison of this size would have shown. */
const detectableWords = ({ metric, n, scale, detectable }: Compared): string => {
  // Differences that do not spread would show at any size.
  if (detectable.effect === (scale === "ratio" ? 1 : 0)) return "All pairs are equal."
  const size = detectableText(metric, scale, detectable)
  const often = `${Math.round(detectable.power * 100)} times in 100`
  if (size !== undefined) return `A difference of ${size} would show ${often}.`
  // The least p-value that there is: all pairs differ, and all one way.
  return 2 ** (1 - n) > detectable.alpha
    ? "So few pairs cannot show a difference of any size."
    : `No difference of any size would show ${often}: these pairs are too few for how much they differ by chance.`
}

/** `45 points`, `1.3 times as much, or as little`, `120 ms`; undefined where none of any size is found. */
const detectableText = (
  metric: Compared["metric"],
  scale: Compared["scale"],
  { effect }: Detectable
): string | undefined => {
  if (effect === null) return undefined
  switch (scale) {
    case "rate-difference":
      return `${Math.ceil(effect * 100)} points`
    case "ratio":
      return `${timesText(effect)} times`
    case "difference":
      return metricText(metric, effect)
  }
}
