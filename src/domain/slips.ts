/** The most letters that a word may differ in from what was written, to be what was meant. */
export const mostSlips = 2

/** How many letters must be changed, added, left out or swapped with their neighbour to make one text of the other; at most 3 is told apart. */
export const slipsBetween = (left: string, right: string): number => {
  const most = mostSlips + 1
  if (Math.abs(left.length - right.length) >= most || left.length > 200) return most
  let before: ReadonlyArray<number> = []
  let row: ReadonlyArray<number> = Array.from({ length: right.length + 1 }, (_, at) => at)
  for (let i = 1; i <= left.length; i++) {
    const next = [i]
    for (let j = 1; j <= right.length; j++) {
      const changed = (row[j - 1] ?? most) + (left[i - 1] === right[j - 1] ? 0 : 1)
      const swapped =
        i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1]
          ? (before[j - 2] ?? most) + 1
          : most
      next.push(Math.min(changed, (row[j] ?? most) + 1, (next[j - 1] ?? most) + 1, swapped))
    }
    if (Math.min(...next) >= most) return most
    before = row
    row = next
  }
  return Math.min(most, row[right.length] ?? most)
}
