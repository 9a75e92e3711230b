import { assert, describe, it } from "@effect/vitest"
import { dateFit, namedDate } from "../../src/memory/namedDate.ts"

describe("the date that a question names", () => {
  const dates: ReadonlyArray<
    readonly [question: string, year: number | undefined, month: number | undefined, day: number | undefined]
  > = [
    ["what failed on 2026-11-30?", 2026, 11, 30],
    ["what did we do in 2026-11", 2026, 11, undefined],
    ["on 3rd of May 2026", 2026, 5, 3],
    ["since Nov 12, 2026", 2026, 11, 12],
    ["the release in May", undefined, 5, undefined],
    ["last December", undefined, 12, undefined],
    ["what was decided in 2025", 2025, undefined, undefined]
  ]
  for (const [question, year, month, day] of dates) {
    it(`is read from "${question}"`, () => {
      assert.deepStrictEqual(namedDate(question), { year, month, day })
    })
  }

  for (const question of [
    "may I do that?",
    "march on",
    "port 2026 is taken",
    "TS2345",
    "2026-99-1",
    "mark the decimal"
  ]) {
    it(`is not seen in "${question}"`, () => {
      assert.isUndefined(namedDate(question))
    })
  }

  it("fits its own day best, then the days after it, and no day before", () => {
    const asked = { year: 2026, month: 11, day: 10 }
    const fits = ["2026-11-09", "2026-11-10", "2026-11-14", "2026-11-24", "2026-12-30"].map((day) =>
      dateFit(asked, `${day}T08:00:00.000Z`)
    )
    assert.strictEqual(fits[0], 0)
    assert.strictEqual(fits[1], 1)
    assert.isBelow(fits[2] ?? 1, 1)
    assert.isAbove(fits[2] ?? 0, fits[3] ?? 1)
    assert.strictEqual(fits[4], 0)
  })
})
