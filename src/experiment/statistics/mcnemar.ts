import { logGamma } from "./distributions.ts"

/**
 * The exact test of McNemar for paired outcomes: among the pairs that differ, each side wins with probability one half when the arm makes no
 * difference (McNemar, Psychometrika 12 (1947), 153-157; exact by the binomial distribution). Two-sided.
 *
 * @param onlyArm pairs in which only the arm passed
 * @param onlyBaseline pairs in which only the baseline passed
 * @returns the p-value; 1 without pairs that differ
 */
export const mcnemarExact = (onlyArm: number, onlyBaseline: number): number => {
  const n = onlyArm + onlyBaseline
  if (n === 0 || onlyArm === onlyBaseline) return 1
  const logHalves = n * Math.LN2
  let tail = 0
  for (let k = 0; k <= Math.min(onlyArm, onlyBaseline); k++) {
    tail += Math.exp(logGamma(n + 1) - logGamma(k + 1) - logGamma(n - k + 1) - logHalves)
  }
  return Math.min(1, 2 * tail)
}
