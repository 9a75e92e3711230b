import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { MemoryStore } from "../MemoryStore.ts"
import type { MemoryPlace } from "../memoryPlace.ts"
import { memoryText } from "./extractSession.ts"
import { decide, listCandidates, type StagedCandidate } from "./staging.ts"

/** No candidate that waits has this id. */
export class CandidateNotFound extends Data.TaggedError("CandidateNotFound")<{ readonly given: string }> {
  override get message(): string {
    return `No candidate "${this.given}" waits for a decision. \`lint-ai extract review\` shows all.`
  }
}

/** More than one candidate that waits begins so. */
export class CandidateAmbiguous extends Data.TaggedError("CandidateAmbiguous")<{
  readonly given: string
  readonly matches: ReadonlyArray<string>
}> {
  override get message(): string {
    return `"${this.given}" fits ${this.matches.length} candidates: ${this.matches.slice(0, 5).join(", ")}. Give more of the id.`
  }
}

/** A candidate, and the memory that it would go to. */
export interface Waiting {
  readonly place: MemoryPlace
  readonly candidate: StagedCandidate
}

/** The candidates of some memories that wait for a decision, oldest first. */
export const waitingIn = Effect.fn("waitingIn")(function* (places: ReadonlyArray<MemoryPlace>) {
  const waiting: Array<Waiting> = []
  for (const place of places) {
    for (const candidate of yield* listCandidates(place)) {
      if (candidate.status === "staged" && candidate.provider === place.provider) waiting.push({ place, candidate })
    }
  }
  return waiting
})

/** The candidate that a person means: by its id, or the beginning of it, with or without `cand_`. */
export const findWaiting = Effect.fnUntraced(function* (waiting: ReadonlyArray<Waiting>, given: string) {
  const matches = waiting.filter(
    ({ candidate: { id } }) => given !== "" && (id.startsWith(given) || id.startsWith(`cand_${given}`))
  )
  const [only, ...others] = matches
  if (only === undefined) return yield* new CandidateNotFound({ given })
  if (others.length > 0) {
    return yield* new CandidateAmbiguous({ given, matches: matches.map(({ candidate }) => candidate.id) })
  }
  return only
})

/**
 * Stores a candidate as a memory that cites its session and events. The memory is written first: a kill after it leaves a candidate that can be
 * accepted again, into the same memory.
 *
 * @returns the id of the memory
 */
export const accept = Effect.fn("accept")(function* ({ place, candidate }: Waiting) {
  const store = yield* MemoryStore
  const { events } = candidate
  const [from, to] = [events[0], events.at(-1)]
  const { added, known } = yield* store.add(place, [
    {
      kind: "fact",
      sessionId: candidate.session_id,
      text: memoryText(candidate),
      place: from === undefined ? "extracted" : from === to ? `events/${from}` : `events/${from}-${to}`,
      identity: ["extracted", candidate.id],
      events,
      revision: candidate.revision,
      branch: candidate.branch,
      created: candidate.created
    }
  ])
  const id = added[0] ?? known[0] ?? ""
  yield* decide(place, candidate, { status: "accepted", memory_id: id })
  return id
})

/** Keeps a candidate out of the memory; extraction will not propose it again. */
export const reject = ({ place, candidate }: Waiting) => decide(place, candidate, { status: "rejected" })
