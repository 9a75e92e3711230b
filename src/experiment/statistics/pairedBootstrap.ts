import { normalDistribution, normalQuantile, studentQuantile } from "./distributions.ts"
import type { SeededRandom } from "./seededRandom.ts"

/** Under so many pairs a bootstrap interval is too narrow to be shown. */
export const leastPairs = 20
/** Under so many scenarios nothing is said about other scenarios. */
export const leastScenarios = 8
const bootstrapDraws = 4000

export interface BootstrapInterval {
  readonly low: number
  readonly high: number
  /** `these-scenarios`: only repetitions were drawn again, since there are too few scenarios to draw among. */
  readonly scope: "these-scenarios" | "scenarios-like-these"
}

/**
 * An interval for the mean of paired differences, by drawing them again (Efron's percentiles).
 *
 * Repetitions of one scenario are a cluster. From `leastScenarios` scenarios on, whole scenarios are drawn with their repetitions: of the two ways
 * of Davison and Hinkley (Bootstrap Methods and Their Application, 1997, section 3.8) the one that does not count the variation of repetitions twice.
 * With fewer, repetitions are drawn within each scenario, and the interval speaks of these scenarios only. The percentiles are moved outward by what a
 * small sample lacks, as Student's t does (Hesterberg, The American Statistician 69 (2015), 371-386, "expanded percentile").
 *
 * @param clusters differences, one list for each scenario; empty lists count for nothing
 * @returns undefined under `leastPairs` pairs, and where repetitions are too few to be drawn from
 */
export const pairedBootstrap = (
  clusters: ReadonlyArray<ReadonlyArray<number>>,
  random: SeededRandom,
  options: { readonly confidence?: number; readonly draws?: number } = {}
): BootstrapInterval | undefined => {
  const scenarios = clusters.filter((cluster) => cluster.length > 0)
  const n = scenarios.reduce((count, cluster) => count + cluster.length, 0)
  if (n < leastPairs) return undefined
  const many = scenarios.length >= leastScenarios
  const free = many ? scenarios.length - 1 : n - scenarios.length
  if (free < 2) return undefined
  const drawn = Float64Array.from({ length: options.draws ?? bootstrapDraws }, () => 0)
  const draw = many ? wholeScenarios(scenarios, random) : withinScenarios(scenarios, n, random)
  for (let at = 0; at < drawn.length; at++) drawn[at] = draw()
  drawn.sort()
  const half = (1 - (options.confidence ?? 0.95)) / 2
  const reach = Math.sqrt((free + (many ? 1 : scenarios.length)) / free) * studentQuantile(1 - half, free)
  const share = Math.min(half, normalDistribution(-reach), normalDistribution(normalQuantile(half)))
  return {
    low: quantile(drawn, share),
    high: quantile(drawn, 1 - share),
    scope: many ? "scenarios-like-these" : "these-scenarios"
  }
}

const wholeScenarios = (scenarios: ReadonlyArray<ReadonlyArray<number>>, random: SeededRandom) => {
  const sums = scenarios.map((cluster) => cluster.reduce((sum, value) => sum + value, 0))
  const counts = scenarios.map((cluster) => cluster.length)
  return () => {
    let sum = 0
    let count = 0
    for (let at = 0; at < scenarios.length; at++) {
      const drawn = random.below(scenarios.length)
      sum += sums[drawn] ?? 0
      count += counts[drawn] ?? 0
    }
    return sum / count
  }
}

const withinScenarios = (scenarios: ReadonlyArray<ReadonlyArray<number>>, n: number, random: SeededRandom) => () => {
  let sum = 0
  for (const cluster of scenarios) {
    for (let at = 0; at < cluster.length; at++) sum += cluster[random.below(cluster.length)] ?? 0
  }
  return sum / n
}

/** The quantile of sorted values, between two of them where it falls there. */
const quantile = (sorted: Float64Array, share: number): number => {
  const place = share * (sorted.length - 1)
  const low = sorted[Math.floor(place)] ?? Number.NaN
  const high = sorted[Math.ceil(place)] ?? low
  return low + (high - low) * (place - Math.floor(place))
}
