/**
 * The index of the last number that is not above `at`; 0 where the first one is.
 *
 * @param numbers in ascending order
 */
export const lastNotAbove = (numbers: ReadonlyArray<number>, at: number): number => {
  let low = 0
  let high = numbers.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((numbers[middle] ?? 0) <= at) low = middle
    else high = middle - 1
  }
  return low
}
