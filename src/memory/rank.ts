import { isUnspaced } from "./terms.ts"
import { requestTerms } from "./words.ts"

/**
 * Ranking of sessions for a question: BM25 of the whole session and of its best window of three turns, each with pairs of neighbouring words,
 * and the date that the question names. The weights are those that did best on conversations kept apart for it (docs/memory.md).
 */

/** One turn of a session: a record, as its terms in their order. */
export interface Turn {
  readonly id: number
  readonly terms: ReadonlyArray<string>
  /** Superseded turns give context to their neighbours and are never the answer. */
  readonly superseded: boolean
}

export interface CandidateSession {
  readonly session: number
  /** RFC 3339, of its first turn. */
  readonly began: string
  /** Terms of the whole session, of which `turns` may be a part. */
  readonly length: number
  readonly turns: ReadonlyArray<Turn>
}

/** What is known of the whole store. */
export interface Collection {
  readonly turns: number
  readonly sessions: number
  /** Terms of all turns together. */
  readonly terms: number
  /** In how many turns a term stands. */
  readonly frequency: (term: string) => number
}

export interface RankedSession {
  readonly session: number
  /** 0 to about 1.6: 1 is the best in both views, a date can add to it. */
  readonly score: number
  /** The turn in the middle of the best window, or its best neighbour that is not superseded. */
  readonly turn: number
  /** Share of what the question asks for, by weight, that the best window holds: 0 to 1. It compares across questions; the score does not. */
  readonly coverage: number
  /** Terms of the question that the best window holds. */
  readonly matched: ReadonlyArray<string>
}

/** Saturation and length normalization of BM25. */
const k1 = 1.2
const b = 0.75
const sessionWeight = 0.4
const pairWeight = 0.4
/** For a session on the very day that the question names. A day that is named need not be the session's own. */
const dateWeight = 0.8

/** @param terms of the question, in their order */
export const rankSessions = (
  terms: ReadonlyArray<string>,
  candidates: ReadonlyArray<CandidateSession>,
  collection: Collection,
  dateFit: (began: string) => number
): ReadonlyArray<RankedSession> => {
  if (terms.length === 0 || candidates.length === 0) return []
  const question = new Question(terms, candidates, collection)
  const scored = candidates.map((candidate, at) => question.score(candidate, at))
  const topSession = Math.max(...scored.map((one) => one.session)) || 1
  const topWindow = Math.max(...scored.map((one) => one.window)) || 1
  return scored
    .flatMap((one): ReadonlyArray<RankedSession> => {
      if (one.turn === undefined || one.window <= 0) return []
      const score =
        (sessionWeight * one.session) / topSession +
        ((1 - sessionWeight) * one.window) / topWindow +
        dateWeight * dateFit(one.candidate.began)
      return [{ session: one.candidate.session, score, turn: one.turn, coverage: one.coverage, matched: one.matched }]
    })
    .sort((left, right) => right.score - left.score || right.session - left.session)
}

interface Weighted {
  readonly weight: number
  readonly turnIdf: number
  readonly sessionIdf: number
}

class Question {
  readonly #words: ReadonlyMap<string, Weighted>
  readonly #pairs = new Map<string, Weighted>()
  /** Of each candidate, of each of its turns. */
  readonly #counted: ReadonlyArray<ReadonlyArray<Counts>>
  readonly #demand: ReadonlyMap<string, number>
  readonly #averageWindow: number
  readonly #averageSession: number

  constructor(terms: ReadonlyArray<string>, candidates: ReadonlyArray<CandidateSession>, collection: Collection) {
    const { turns, sessions } = collection
    const counts = new Map<string, number>()
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
    const weighted = (weight: number, frequency: number): Weighted => ({
      weight,
      turnIdf: idf(turns, frequency),
      // In how many sessions, when the turns that hold it are spread evenly.
      sessionIdf: idf(sessions, sessions * (1 - Math.exp(-frequency / Math.max(1, sessions))))
    })
    this.#words = new Map(
      [...counts].map(([term, count]) => [term, weighted(count, collection.frequency(term))] as const)
    )
    for (const [at, term] of terms.slice(1).entries()) {
      this.#pairs.set(`${terms[at]} ${term}`, weighted(pairWeight, 0))
    }
    this.#counted = candidates.map(({ turns: of }) => of.map((turn) => this.#countsIn(turn.terms)))
    const found = new Map<string, number>()
    for (const counts of this.#counted.flat()) {
      for (const pair of counts.pairs.keys()) found.set(pair, (found.get(pair) ?? 0) + 1)
    }
    for (const [pair, frequency] of found) this.#pairs.set(pair, weighted(pairWeight, frequency))
    this.#demand = new Map(
      [...this.#words.keys()].map((term) => [term, demandOf(term, turns, collection.frequency(term))] as const)
    )
    const perTurn = collection.terms / Math.max(1, turns)
    const perSession = turns / Math.max(1, sessions)
    // A window at either end of a session has two turns, not three.
    this.#averageWindow = perTurn * Math.max(1, 3 - 2 / Math.max(1, perSession))
    this.#averageSession = perTurn * perSession
  }

  /** @param at place of the candidate among those that the question was made with */
  score(candidate: CandidateSession, at: number) {
    const perTurn = this.#counted[at] ?? []
    const whole = new Counts()
    for (const counts of perTurn) whole.add(counts)
    whole.length = Math.max(whole.length, candidate.length)
    const session = this.#bm25(whole, this.#averageSession, "sessionIdf")
    let best: { window: number; turn: number | undefined; counts: Counts | undefined } = {
      window: 0,
      turn: undefined,
      counts: undefined
    }
    candidate.turns.forEach((_, middle) => {
      const around = [middle, middle - 1, middle + 1].filter((at) => at >= 0 && at < perTurn.length)
      if (around.every((at) => perTurn[at]?.isEmpty() === true)) return
      const counts = new Counts()
      for (const at of around) counts.add(perTurn[at] as Counts)
      const window = this.#bm25(counts, this.#averageWindow, "turnIdf")
      if (window <= best.window) return
      const turn = this.#bestTurn(candidate, perTurn, around)
      if (turn !== undefined) best = { window, turn, counts }
    })
    const matched = best.counts === undefined ? [] : [...best.counts.words.keys()]
    const sum = (terms: Iterable<string>) =>
      [...terms].reduce((total, term) => total + (this.#demand.get(term) ?? 0), 0)
    const demanded = sum(this.#demand.keys())
    return {
      candidate,
      session,
      window: best.window,
      turn: best.turn,
      matched,
      coverage: demanded === 0 ? 0 : sum(matched) / demanded
    }
  }

  /** The turn of a window that says most of what is asked for. */
  #bestTurn(
    candidate: CandidateSession,
    perTurn: ReadonlyArray<Counts>,
    around: ReadonlyArray<number>
  ): number | undefined {
    let best: number | undefined
    let most = 0
    for (const at of around) {
      const turn = candidate.turns[at]
      const counts = perTurn[at]
      if (turn === undefined || counts === undefined || turn.superseded) continue
      const score = this.#bm25(counts, this.#averageWindow, "turnIdf")
      if (score > most) {
        most = score
        best = turn.id
      }
    }
    return best
  }

  #countsIn(terms: ReadonlyArray<string>): Counts {
    const counts = new Counts()
    counts.length = terms.length
    let before: string | undefined
    for (const term of terms) {
      if (!this.#words.has(term)) {
        before = undefined
        continue
      }
      counts.words.set(term, (counts.words.get(term) ?? 0) + 1)
      if (before !== undefined) {
        const pair = `${before} ${term}`
        if (this.#pairs.has(pair)) counts.pairs.set(pair, (counts.pairs.get(pair) ?? 0) + 1)
      }
      before = term
    }
    return counts
  }

  #bm25(counts: Counts, average: number, level: "turnIdf" | "sessionIdf"): number {
    const norm = k1 * (1 - b + (b * counts.length) / Math.max(1, average))
    let score = 0
    const add = (found: ReadonlyMap<string, number>, weights: ReadonlyMap<string, Weighted>) => {
      for (const [term, count] of found) {
        const weight = weights.get(term)
        if (weight !== undefined) score += (weight.weight * weight[level] * count * (k1 + 1)) / (count + norm)
      }
    }
    add(counts.words, this.#words)
    add(counts.pairs, this.#pairs)
    return score
  }
}

/** How often the terms of the question stand in some text, and how long it is. */
class Counts {
  length = 0
  readonly words = new Map<string, number>()
  readonly pairs = new Map<string, number>()

  add(other: Counts): void {
    this.length += other.length
    for (const [term, count] of other.words) this.words.set(term, (this.words.get(term) ?? 0) + count)
    for (const [pair, count] of other.pairs) this.pairs.set(pair, (this.pairs.get(pair) ?? 0) + count)
  }

  isEmpty(): boolean {
    return this.words.size === 0
  }
}

/** A store of few turns says little about which words are rare. */
const leastTurns = 200

/** From so many turns on, a word that stands in none of them is a word for something that was never talked about. */
const tellingTurns = 600

/** How much of a question a term is, for coverage: what is rare says more of what it is about than what every request holds. */
const demandOf = (term: string, turns: number, frequency: number): number => {
  const weight = idf(Math.max(turns, leastTurns), Math.max(1, frequency))
  if (requestTerms.has(term)) return 0.3 * weight
  // The whole of an identifier nobody wrote that way: its parts are in the question too.
  if (frequency === 0 && term.includes("_")) return 0
  // Pairs of characters go across the words of a script without spaces, and a question has its own.
  if (frequency === 0 && isUnspaced(term)) return 0.3 * weight
  return frequency === 0 ? weight * (1 + 1.5 * Math.min(1, turns / tellingTurns)) : weight
}

/** Never below zero, also for a term that stands nearly everywhere. */
export const idf = (total: number, frequency: number): number =>
  Math.log(1 + (Math.max(total, frequency) - frequency + 0.5) / (frequency + 0.5))
