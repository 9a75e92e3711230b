import { assert, describe, it } from "@effect/vitest"
import type { Entry } from "../../src/viewer/document.ts"
import { timeScale } from "../../src/viewer/page/timeScale.ts"

const at = (time: number, duration_ms?: number): Entry => ({
  kind: "tool",
  at: time,
  ...(duration_ms === undefined ? undefined : { duration_ms })
})

describe("the scale of time", () => {
  it("is even where nothing is silent for long", () => {
    const scale = timeScale([at(0), at(10_000), at(40_000)])
    assert.deepStrictEqual([0, 10_000, 40_000].map(scale.place), [0, 0.25, 1])
    assert.deepStrictEqual(scale.breaks, [])
  })

  it("draws a silence of an hour as one of a minute, and says where", () => {
    const scale = timeScale([at(0), at(60_000), at(3_660_000), at(3_720_000)])
    assert.deepStrictEqual([0, 60_000, 3_660_000, 3_720_000].map(scale.place), [0, 1 / 3, 2 / 3, 1])
    assert.deepStrictEqual(scale.breaks, [1 / 2])
  })

  it("takes the length of a call for work, as far as something tells of it", () => {
    const scale = timeScale([at(0, 50_000), at(50_000)])
    assert.strictEqual(scale.place(50_000), 1)
    assert.strictEqual(scale.time(1), 50_000)
  })

  it("has a place for everything in an empty session and in one of a moment", () => {
    assert.strictEqual(timeScale([]).place(5), 0)
    assert.strictEqual(timeScale([at(7)]).place(7), 0)
    assert.strictEqual(timeScale([at(7)]).time(0.4), 7)
  })
})
