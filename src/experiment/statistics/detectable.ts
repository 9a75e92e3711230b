import { binomialProbabilities, normalQuantile, studentQuantile } from "./distributions.ts"
import { standardDeviation } from "./effectSize.ts"
import { mcnemarExact } from "./mcnemar.ts"

/** A difference counts when its corrected p-value is at most this. */
export const alpha = 0.05
export const wantedPower = 0.8

/**
 * The chance that McNemar's exact test finds a difference between two paired rates, counted over every number of pairs that may differ.
 *
 * @param up the chance that only the arm passes; `down`: that only the baseline does
 */
export const mcnemarPower = (n: number, up: number, down: number, alpha: number): number => {
  const differing = binomialProbabilities(n, up + down)
  let power = 0
  differing.forEach((chance, count) => {
    if (chance < 1e-12) return
    const most = mostOfFewer(count, alpha)
    if (most < 0) return
    const sides = binomialProbabilities(count, up / (up + down))
    for (let fewer = 0; fewer <= most; fewer++) {
      power += chance * ((sides[fewer] ?? 0) + (2 * fewer === count ? 0 : (sides[count - fewer] ?? 0)))
    }
  })
  return power
}

/** Of so many pairs that differ, how many may go the rarer way for the test to find a difference; -1 when none may. */
const mostOfFewer = (count: number, alpha: number): number => {
  let most = -1
  while (2 * (most + 1) < count && mcnemarExact(most + 1, count - most - 1) <= alpha) most++
  return most
}

/**
 * The smallest difference of paired pass rates that McNemar's exact test finds with the power of `wantedPower`.
 *
 * @param noise the share of pairs that differ by chance, in both directions together; 0 to under 1
 * @returns a difference of rates up to 1 - noise; undefined when the sample is too small to find any
 */
export const detectableRateDifference = (n: number, noise: number, alpha: number): number | undefined => {
  const power = (effect: number) => mcnemarPower(n, noise / 2 + effect, noise / 2, alpha)
  const most = 1 - noise
  if (n < 1 || most <= 0 || power(most) < wantedPower) return undefined
  let low = 0
  let high = most
  for (let step = 0; step < 14; step++) {
    const middle = (low + high) / 2
    if (power(middle) < wantedPower) low = middle
    else high = middle
  }
  return high
}

/**
 * The smallest mean of paired differences that a test finds with the power of `wantedPower`, in their unit: (t + z) * standard deviation / sqrt(n)
 * (Cohen, 1988, section 2.3). Undefined when even differences that all point one way would not reach `alpha`, whose least p-value is 2 / 2^n.
 */
export const detectableMean = (differences: ReadonlyArray<number>, alpha: number): number | undefined => {
  const n = differences.length
  const deviation = standardDeviation(differences)
  if (deviation === undefined || 2 ** (1 - n) > alpha) return undefined
  return ((studentQuantile(1 - alpha / 2, n - 1) + normalQuantile(wantedPower)) * deviation) / Math.sqrt(n)
}
