import * as Effect from "effect/Effect"
import { Redactor } from "../../redaction/Redactor.ts"
import { termsOf } from "../terms.ts"
import type { Candidate } from "./contract.ts"
import type { Drop, DropCategory } from "./receipts.ts"

/** Characters of a body at least. */
const leastBody = 15
/** Words of a body that say something, at least. */
const leastTerms = 3
/** Share of common words from which on two notes are one. */
const sameness = 0.8

/** A note as the gates compare it: title and body. */
export const noteText = ({ title, body }: Pick<Candidate, "title" | "body">): string => `${title}\n${body}`

const wordsOf = (text: string): ReadonlySet<string> =>
  new Set(
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}_]+/gu)
  )

const contentOf = (text: string): ReadonlySet<string> => new Set(termsOf(text))

/** Jaccard: how many of the words of two texts both have. */
export const jaccard = (left: ReadonlySet<string>, right: ReadonlySet<string>): number => {
  if (left.size === 0 || right.size === 0) return 0
  let common = 0
  for (const word of left) if (right.has(word)) common++
  return common / (left.size + right.size - common)
}

/** Notes that are there already, ready to be compared with. */
export class KnownNotes {
  private readonly notes: Array<{ readonly words: ReadonlySet<string>; readonly content: ReadonlySet<string> }> = []

  constructor(texts: Iterable<string>) {
    for (const text of texts) this.add(text)
  }

  add(text: string): void {
    this.notes.push({ words: wordsOf(text), content: contentOf(text) })
  }

  /** How a text is known, if it is. */
  match(text: string): "duplicate-lexical" | "duplicate-semantic" | undefined {
    const [words, content] = [wordsOf(text), contentOf(text)]
    if (this.notes.some((note) => jaccard(note.words, words) >= sameness)) return "duplicate-lexical"
    return this.notes.some((note) => jaccard(note.content, content) >= sameness) ? "duplicate-semantic" : undefined
  }
}

const drops: Readonly<Record<DropCategory, Omit<Drop, "category">>> = {
  "secret-detected": {
    recoverable: false,
    cause: "It holds what looks like a secret.",
    next_action: "Write it down yourself without the secret if it matters."
  },
  "too-thin": {
    recoverable: false,
    cause: `Its body is shorter than ${leastBody} characters.`,
    next_action: "Nothing to do."
  },
  trivia: {
    recoverable: false,
    cause: "Its body says next to nothing.",
    next_action: "Nothing to do."
  },
  "duplicate-lexical": {
    recoverable: false,
    cause: "The same note is stored, staged or was rejected before.",
    next_action: "Nothing to do."
  },
  "duplicate-semantic": {
    recoverable: false,
    cause: "A note with the same words in another form is stored, staged or was rejected before.",
    next_action: "Nothing to do."
  },
  invalid: {
    recoverable: true,
    cause: "The agent's reply did not keep to the schema and was not used.",
    next_action: "Run the extraction again."
  }
}

export const dropOf = (category: DropCategory): Drop => ({ category, ...drops[category] })

/**
 * What becomes of a candidate that keeps to the schema: undefined when it may be staged, else why not. In this order: secrets in title, body or
 * tags, too thin, trivia, known. A candidate that the redactor could not look through is taken for one with a secret.
 */
export const gate = Effect.fnUntraced(function* (candidate: Candidate, known: KnownNotes) {
  const redactor = yield* Redactor
  const { title, body, tags } = candidate
  const clean = yield* redactor.redact({ title, body, tags }, "candidate").pipe(
    Effect.map(({ paths, unscanned }) => paths.length === 0 && unscanned === 0),
    Effect.orElseSucceed(() => false)
  )
  if (!clean) return dropOf("secret-detected")
  if (Array.from(body.trim()).length < leastBody) return dropOf("too-thin")
  if (contentOf(body).size < leastTerms) return dropOf("trivia")
  const match = known.match(noteText(candidate))
  return match === undefined ? undefined : dropOf(match)
})
