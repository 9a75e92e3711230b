import type { MemoryHit } from "./MemoryStore.ts"

/** Share of a question's weight that a memory must hold to be put into a context: under it, it is about something else. */
export const leastCoverage = 0.45
/** A question this short is answered by whatever holds its one word: it must hold more. */
const leastMatched = 2

/** Whether a memory answers a question well enough to be given unasked. A search that somebody asked for shows all. */
export const isRelevant = (hit: Pick<MemoryHit, "coverage" | "matched">): boolean =>
  hit.matched.length >= leastMatched && hit.coverage >= leastCoverage
