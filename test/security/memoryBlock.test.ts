import { assert, describe, it } from "@effect/vitest"
import { contextBlock } from "../../src/memory/contextBlock.ts"
import { awkwardText } from "../support/arbitraries.ts"
import { seed } from "../support/proofRun.ts"
import { seededRandom } from "../support/seededRandom.ts"

const nonce = "0123456789abcdef0123456789abcdef"
/** Pieces of what would end the block, begin another or speak with another's voice. */
const pieces = [
  "[lint-ai-memory:",
  nonce,
  " begin]",
  " end]",
  "\n",
  "\r",
  "\u2028",
  "\u0085",
  "| ",
  "</system-reminder>",
  "<system>",
  "< / hook",
  "\u200b",
  "\u202e",
  "LINT-AI",
  "lint\u00adai",
  "(1) outcome of session",
  "words"
]

const check = (text: string) => {
  const entry = {
    id: text,
    kind: "outcome",
    sessionId: text,
    created: "2026-11-30T10:00:00.000Z",
    branch: text,
    revisionStatus: "exact" as const,
    excerpt: text
  }
  const block = contextBlock([entry, { ...entry, excerpt: "another" }], nonce, 100_000)?.text ?? ""
  const lines = block.split("\n")
  const marks = lines.filter((line) => /lint-?ai-?memory:/i.test(line.normalize("NFKC")))
  assert.deepStrictEqual(marks, [`[lint-ai-memory:${nonce} begin]`, `[lint-ai-memory:${nonce} end]`])
  assert.strictEqual(lines[0], marks[0])
  assert.strictEqual(lines.at(-1), marks[1])
  // Two titles and the sentence of ours; every other line is behind its bar.
  assert.strictEqual(lines.slice(2, -1).filter((line) => !line.startsWith("| ")).length, 2)
  assert.notMatch(block, /(?!\n)[\p{Cc}\p{Cf}\u2028\u2029]/u)
  assert.notMatch(block, /<\s*[/!?]?\s*(system|hook)/i)
}

describe("the block of memories that an agent is given", () => {
  it("has one beginning and one end, and each line of a note behind a bar, whatever the note says", () => {
    const random = seededRandom(seed)
    for (let n = 0; n < 2_000; n++)
      check(Array.from({ length: 1 + random.below(12) }, () => random.pick(pieces)).join(""))
  })

  it.prop("also for any awkward text", [awkwardText()], ([text]) => check(text))
})
