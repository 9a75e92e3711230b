/**
 * Cohen's h of two rates: the difference of their arcsines, so that equal steps are equally easy to see near 0 and in the middle (Cohen,
 * Statistical Power Analysis for the Behavioral Sciences, 2nd edition, 1988, chapter 6). From -pi to pi, positive when the first is higher.
 */
export const cohenH = (rate: number, baseline: number): number =>
  2 * Math.asin(Math.sqrt(rate)) - 2 * Math.asin(Math.sqrt(baseline))

/**
 * The matched-pairs rank-biserial correlation: the share of the ranks of absolute differences that speak for a plus, less the share for a minus
 * (Kerby, Comprehensive Psychology 3 (2014), 1). Zeros are left out, ties share their ranks. From -1 to 1; 0 without any difference.
 */
export const rankBiserial = (differences: ReadonlyArray<number>): number => {
  const sorted = differences.filter((difference) => difference !== 0).sort((a, b) => Math.abs(a) - Math.abs(b))
  let up = 0
  let down = 0
  for (let at = 0; at < sorted.length; ) {
    const size = Math.abs(sorted[at] ?? 0)
    let end = at
    while (end < sorted.length && Math.abs(sorted[end] ?? 0) === size) end++
    const rank = (at + 1 + end) / 2
    for (; at < end; at++) {
      if ((sorted[at] ?? 0) > 0) up += rank
      else down += rank
    }
  }
  return up + down === 0 ? 0 : (up - down) / (up + down)
}

export const mean = (values: ReadonlyArray<number>): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

/** The middle value, or the mean of the two middle ones. */
export const median = (values: ReadonlyArray<number>): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** With n - 1 in the denominator; undefined under two values. */
export const standardDeviation = (values: ReadonlyArray<number>): number | undefined => {
  if (values.length < 2) return undefined
  const centre = mean(values)
  return Math.sqrt(values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (values.length - 1))
}
