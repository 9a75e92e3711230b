// The baseline of scripts/bench-memory.mjs: BM25 over whole sessions of lower-case words, as a first attempt would have it.

const wordsOf = (text: string): ReadonlyArray<string> => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []

export class PlainBm25 {
  readonly #documents: ReadonlyArray<{
    readonly id: string
    readonly length: number
    readonly counts: ReadonlyMap<string, number>
  }>
  readonly #frequency = new Map<string, number>()
  readonly #average: number

  constructor(documents: ReadonlyArray<{ readonly id: string; readonly text: string }>) {
    this.#documents = documents.map(({ id, text }) => {
      const words = wordsOf(text)
      const counts = new Map<string, number>()
      for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
      for (const word of counts.keys()) this.#frequency.set(word, (this.#frequency.get(word) ?? 0) + 1)
      return { id, length: words.length, counts }
    })
    this.#average = this.#documents.reduce((sum, { length }) => sum + length, 0) / Math.max(1, documents.length)
  }

  search(question: string, limit: number): ReadonlyArray<string> {
    const total = this.#documents.length
    return this.#documents
      .map(({ id, length, counts }) => {
        let score = 0
        for (const word of new Set(wordsOf(question))) {
          const count = counts.get(word) ?? 0
          const frequency = this.#frequency.get(word) ?? 0
          const idf = Math.log(1 + (total - frequency + 0.5) / (frequency + 0.5))
          score += (idf * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * length) / this.#average))
        }
        return { id, score }
      })
      .filter(({ score }) => score > 0)
      .sort((left, right) => right.score - left.score)
      .slice(0, limit)
      .map(({ id }) => id)
  }
}
