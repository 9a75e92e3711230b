/** Why a user's pattern is not taken. */
export type PatternProblem =
  | "does not compile"
  | "matches the empty text"
  | "is longer than 512 characters"
  | "refers back to a group"
  | "repeats a group that repeats or chooses inside"

/** Reads one atom's quantifier; whether it may repeat more than eight times. */
const repeatsMuch = (source: string, at: number): boolean => {
  const sign = source.charAt(at)
  if (sign === "*" || sign === "+") return true
  const counts = /^\{(\d+)(,(\d*))?\}/.exec(source.slice(at))
  if (counts === null) return false
  const most =
    counts[2] === undefined ? Number(counts[1]) : counts[3] === "" ? Number.POSITIVE_INFINITY : Number(counts[3])
  return most > 8
}

/**
 * Whether a pattern could take exponential time: a repeated group must hold neither a repetition nor alternatives. That forbids some harmless patterns, and
 * all the harmful ones that people write by accident.
 */
const repeatsNested = (source: string): boolean => {
  const groups: Array<{ holdsRepetition: boolean }> = []
  let inClass = false
  for (let i = 0; i < source.length; i++) {
    const character = source.charAt(i)
    if (character === "\\") i++
    else if (inClass) inClass = character !== "]"
    else if (character === "[") inClass = true
    else if (character === "(") groups.push({ holdsRepetition: false })
    else if (character === ")") {
      const closed = groups.pop()
      const repeated = repeatsMuch(source, i + 1)
      if (repeated && closed?.holdsRepetition === true) return true
      const outer = groups.at(-1)
      if (outer !== undefined && (repeated || closed?.holdsRepetition === true)) outer.holdsRepetition = true
    } else {
      const group = groups.at(-1)
      if (
        group !== undefined &&
        (character === "|" || ((character === "*" || character === "+" || character === "{") && repeatsMuch(source, i)))
      ) {
        group.holdsRepetition = true
      }
    }
  }
  return false
}

/** What is wrong with a user's pattern; undefined when it may be used. */
export const patternProblem = (source: string): PatternProblem | undefined => {
  if (source.length > 512) return "is longer than 512 characters"
  let pattern: RegExp
  try {
    pattern = new RegExp(source)
  } catch {
    return "does not compile"
  }
  if (pattern.test("")) return "matches the empty text"
  if (/\\(?:[1-9]|k<)/.test(source.replace(/\\\\/g, ""))) return "refers back to a group"
  return repeatsNested(source) ? "repeats a group that repeats or chooses inside" : undefined
}
