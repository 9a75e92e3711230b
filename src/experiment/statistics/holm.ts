/**
 * P-values corrected for their number, so that the chance of any false finding among them stays under the level: Holm, Scandinavian Journal of
 * Statistics 6 (1979), 65-70. In the order given; none is under its own p-value or over 1.
 */
export const holm = (values: ReadonlyArray<number>): ReadonlyArray<number> => {
  const order = values.map((_, at) => at).sort((left, right) => (values[left] ?? 0) - (values[right] ?? 0))
  const corrected = values.map(() => 1)
  let highest = 0
  order.forEach((at, rank) => {
    highest = Math.max(highest, Math.min(1, (values.length - rank) * (values[at] ?? 1)))
    corrected[at] = highest
  })
  return corrected
}
