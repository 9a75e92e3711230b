import { normalQuantile } from "./distributions.ts"

/**
 * The score interval of a rate, `passed` of `n`: Wilson, JASA 22 (1927), 209-212. It lies within 0 and 1 and speaks sensibly at 0 and at n, where the
 * usual interval has no width. Undefined for n = 0.
 */
export const wilsonInterval = (
  passed: number,
  n: number,
  confidence = 0.95
): { readonly low: number; readonly high: number } | undefined => {
  if (n <= 0) return undefined
  const z = normalQuantile(1 - (1 - confidence) / 2)
  const rate = passed / n
  const denominator = 1 + (z * z) / n
  const centre = (rate + (z * z) / (2 * n)) / denominator
  const half = (z * Math.sqrt((rate * (1 - rate)) / n + (z * z) / (4 * n * n))) / denominator
  return { low: passed === 0 ? 0 : Math.max(0, centre - half), high: passed === n ? 1 : Math.min(1, centre + half) }
}
