import type { MemoryHit } from "./memoryAnswers.ts"

type Judged = Pick<MemoryHit, "coverage" | "matched" | "score">

/** Share of a question's weight that a memory must hold to be put into a context: under it, it is about something else. */
const leastCoverage = 0.45
/** A question this short is answered by whatever holds its one word: it must hold more. */
const leastMatched = 2
/** What the best hit holds so much more of is the answer, and the others only look like it. */
const leastOfBest = 0.75

/** Whether a memory answers a question well enough to be given unasked. A search that somebody asked for shows all. */
const isRelevant = (hit: Judged): boolean => hit.matched.length >= leastMatched && hit.coverage >= leastCoverage

/** The hits that are given unasked: those that answer well, and not much worse than the best of them. */
export const relevantHits = <H extends Judged>(hits: ReadonlyArray<H>): ReadonlyArray<H> => {
  const relevant = hits.filter(isRelevant)
  const most = (of: (hit: H) => number) => relevant.reduce((highest, hit) => Math.max(highest, of(hit)), 0)
  const coverage = most((hit) => hit.coverage)
  const score = most((hit) => hit.score)
  return relevant.filter((hit) => hit.coverage >= leastOfBest * coverage && hit.score >= leastOfBest * score)
}
