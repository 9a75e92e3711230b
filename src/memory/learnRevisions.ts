import * as Effect from "effect/Effect"
import { replaceFile } from "../archive/atomicFile.ts"
import { Git } from "../platform/Git.ts"
import { type MemoryPlace, memoryFiles } from "./memoryPlace.ts"
import { readKnown } from "./revisionStatus.ts"

const mostKnown = 2_000

/** Asks Git about commits that nobody has asked about, and keeps the answers. */
export const learnRevisions = Effect.fnUntraced(function* (
  place: MemoryPlace,
  directory: string,
  head: string | null,
  revisions: ReadonlyArray<string | null>
) {
  if (head === null) return
  const git = yield* Git
  const known = yield* readKnown(place)
  const unasked = new Set(
    revisions.flatMap((one) => (one === null || one === head || known[`${one} ${head}`] !== undefined ? [] : [one]))
  )
  const learnt: Record<string, "ancestor" | "diverged"> = {}
  for (const revision of unasked) {
    const answer = yield* git.isAncestor(directory, revision, head)
    if (answer !== undefined) learnt[`${revision} ${head}`] = answer ? "ancestor" : "diverged"
  }
  if (Object.keys(learnt).length === 0) return
  const all = Object.entries({ ...known, ...learnt }).slice(-mostKnown)
  const text = `${JSON.stringify({ known: Object.fromEntries(all) })}\n`
  yield* replaceFile(memoryFiles(place).revisions, Buffer.from(text)).pipe(Effect.ignore)
})
