import { normalQuantile, studentQuantile } from "./distributions.ts"
import { leastPairs, leastScenarios } from "./pairedBootstrap.ts"

/** Pairs of one scenario by how they differ. */
export interface PairedCounts {
  readonly n: number
  readonly onlyArm: number
  readonly onlyBaseline: number
}

/**
 * An interval for the difference of two paired pass rates, arm minus baseline: the adjusted Wald interval of Bonett and Price (Journal of Educational
 * and Behavioral Statistics 37 (2012), 479-488), which keeps a width where no pair differs.
 *
 * Where there are scenarios enough to speak of others, its standard error is at least the one that takes each scenario as one observation, with
 * Student's t. Undefined under `leastPairs` pairs.
 */
export const rateDifferenceInterval = (
  clusters: ReadonlyArray<PairedCounts>,
  confidence = 0.95
):
  | { readonly low: number; readonly high: number; readonly scope: "these-scenarios" | "scenarios-like-these" }
  | undefined => {
  const scenarios = clusters.filter((cluster) => cluster.n > 0)
  const sum = (of: (cluster: PairedCounts) => number) => scenarios.reduce((total, cluster) => total + of(cluster), 0)
  const n = sum((cluster) => cluster.n)
  if (n < leastPairs) return undefined
  const up = (sum((cluster) => cluster.onlyArm) + 1) / (n + 2)
  const down = (sum((cluster) => cluster.onlyBaseline) + 1) / (n + 2)
  const centre = up - down
  const half = 1 - (1 - confidence) / 2
  let reach = normalQuantile(half) * Math.sqrt((up + down - centre ** 2) / (n + 2))
  const many = scenarios.length >= leastScenarios
  if (many && n > scenarios.length) {
    const difference = (sum((cluster) => cluster.onlyArm) - sum((cluster) => cluster.onlyBaseline)) / n
    const spread = sum((cluster) => (cluster.onlyArm - cluster.onlyBaseline - difference * cluster.n) ** 2)
    const count = scenarios.length
    const error = Math.sqrt((spread * count) / (count - 1)) / n
    reach = Math.max(reach, studentQuantile(half, count - 1) * error)
  }
  return {
    low: Math.max(-1, centre - reach),
    high: Math.min(1, centre + reach),
    scope: many ? "scenarios-like-these" : "these-scenarios"
  }
}
