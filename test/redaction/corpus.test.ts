import { assert, describe, it } from "@effect/vitest"
import { unlimited } from "../../src/platform/Deadline.ts"
import { redactValue } from "../../src/redaction/redactValue.ts"
import { drawCorpus } from "./corpus/corpus.ts"
import { leaks, scoreCorpus } from "./corpus/score.ts"

const redact = (value: unknown): unknown => redactValue(value, "", { deadline: unlimited }).value

const share = ([hit, of]: readonly [number, number]): number => (of === 0 ? 1 : hit / of)

describe("the generated corpus", () => {
  for (const seed of ["north", "east", "south"]) {
    it(`keeps its floors with seed ${seed}`, () => {
      const rows = drawCorpus(seed, { perToken: 1, perTemplate: 2, perInnocent: 3 })
      const score = scoreCorpus(rows, redact)
      const missed = score.misses.map((row) => row.kind).join(", ")
      const alarmed = score.alarms.map(([row]) => row.kind).join(", ")
      assert.isAtLeast(share(score.found.self), 0.99, missed)
      assert.isAtLeast(share(score.found.keyed), 0.97, missed)
      assert.isAtMost(share(score.innocentChanged), 0.003, alarmed)
      assert.isAtMost(share(score.linesChanged), 0.003, alarmed)
    })

    it(`changes nothing the second time with seed ${seed}`, () => {
      for (const row of drawCorpus(seed, { perToken: 1, perTemplate: 1, perInnocent: 1 })) {
        const once = redact(row.value)
        assert.deepStrictEqual(redact(once), once, row.kind)
      }
    })
  }

  it("counts a piece of a secret as a leak, and a public prefix as none", () => {
    const secret = `abc_${"Zx9Qw7Er5T".repeat(3)}`
    assert.isTrue(leaks(`before ${secret.slice(8, 24)} behind`, secret))
    assert.isFalse(leaks("abc_[REDACTED:secret]", secret))
  })
})
