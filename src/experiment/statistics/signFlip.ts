import type { SeededRandom } from "./seededRandom.ts"

/** The outcome of a sign-flip test. `draws` is null where all sign patterns were counted. */
export interface SignFlip {
  readonly p: number
  readonly exact: boolean
  readonly draws: number | null
}

/** Up to so many differences that are not zero, all 2^n patterns are counted: two halves of 2^18 sums each. */
export const exactUpTo = 36
const monteCarloDraws = 20_000

/**
 * The permutation test for paired differences: when the arm makes no difference, each difference could as well have had the other sign (Fisher,
 * The Design of Experiments, 1935, section 21). Two-sided, by the absolute sum.
 *
 * Exact for up to `exactUpTo` differences: the sums of all sign patterns of one half are sorted against those of the other (the split of Horowitz and Sahni,
 * JACM 21 (1974), 277-292). Beyond, `draws` random patterns, and the observed one counted among them: (hits + 1) / (draws + 1), so that p is never
 * 0 and the test never too bold (Phipson and Smyth, SAGMB 9 (2010), article 39).
 */
export const signFlip = (
  differences: ReadonlyArray<number>,
  random: SeededRandom,
  limits: { readonly exactUpTo: number; readonly draws: number } = { exactUpTo, draws: monteCarloDraws }
): SignFlip => {
  // The sign of a zero changes nothing.
  const sizes = differences.filter((difference) => difference !== 0).map(Math.abs)
  const total = sizes.reduce((sum, size) => sum + size, 0)
  const observed = Math.abs(differences.reduce((sum, difference) => sum + difference, 0))
  // Sums of the same numbers in another order differ in their last bits; equal ones must count as equal.
  const bar = observed - total * 1e-11
  if (sizes.length <= limits.exactUpTo) {
    return { p: bar <= 0 ? 1 : Math.min(1, 2 * shareAtLeast(sizes, bar)), exact: true, draws: null }
  }
  let hits = 0
  for (let draw = 0; draw < limits.draws; draw++) if (Math.abs(randomSum(sizes, random)) >= bar) hits++
  return { p: (hits + 1) / (limits.draws + 1), exact: false, draws: limits.draws }
}

/** The share of the 2^n sign patterns whose sum reaches `bar`. */
const shareAtLeast = (sizes: ReadonlyArray<number>, bar: number): number => {
  const middle = Math.floor(sizes.length / 2)
  const left = allSums(sizes.slice(0, middle))
  const right = allSums(sizes.slice(middle))
  let count = 0
  let at = right.length
  // The larger the left sum, the smaller the right one may be.
  for (const sum of left) {
    while (at > 0 && sum + (right[at - 1] ?? 0) >= bar) at--
    count += right.length - at
  }
  return count / (left.length * right.length)
}

/** The sums of all sign patterns, ascending. */
const allSums = (sizes: ReadonlyArray<number>): Float64Array => {
  let sums = Float64Array.of(0)
  for (const size of sizes) {
    const next = new Float64Array(sums.length * 2)
    sums.forEach((sum, at) => {
      next[2 * at] = sum - size
      next[2 * at + 1] = sum + size
    })
    sums = next
  }
  return sums.sort()
}

const randomSum = (sizes: ReadonlyArray<number>, random: SeededRandom): number => {
  let sum = 0
  let bits = 0
  for (let at = 0; at < sizes.length; at++) {
    if (at % 32 === 0) bits = random.bits()
    sum += (bits & 1) === 0 ? (sizes[at] ?? 0) : -(sizes[at] ?? 0)
    bits >>>= 1
  }
  return sum
}
