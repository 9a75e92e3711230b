/** Compares the numbers of two versions; text that is none counts as old. */
export const atLeast = (version: string, least: string): boolean => {
  const numbers = (text: string) => (/\d+(?:\.\d+)*/.exec(text)?.[0] ?? "0").split(".").map(Number)
  const [given, wanted] = [numbers(version), numbers(least)]
  for (const [index, number] of wanted.entries()) {
    const difference = (given[index] ?? 0) - number
    if (difference !== 0) return difference > 0
  }
  return true
}
