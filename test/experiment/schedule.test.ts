import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { schedule } from "../../src/experiment/schedule.ts"

const size = (most: number) =>
  Schema.Finite.pipe(Schema.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: most })))
const names = (count: number, letter: string) => Array.from({ length: count }, (_, at) => `${letter}${at}`)

describe("the schedule", () => {
  it.prop(
    "holds every cell once, each block whole before the next, each round before the next",
    [size(4), size(4), size(6), size(99)],
    ([scenarios, arms, repetitions, seed]) => {
      for (const order of ["abba", "random"] as const) {
        const cells = schedule({ scenarios: names(scenarios, "s"), arms: names(arms, "a"), repetitions, order, seed })
        assert.strictEqual(new Set(cells.map(({ id }) => id)).size, scenarios * arms * repetitions)
        assert.strictEqual(cells.length, scenarios * arms * repetitions)
        for (let at = 0; at < cells.length; at += arms) {
          const block = cells.slice(at, at + arms)
          assert.strictEqual(new Set(block.map(({ repetition, scenario }) => `${scenario}/${repetition}`)).size, 1)
        }
        const rounds = cells.map(({ repetition }) => repetition)
        assert.deepStrictEqual(
          rounds,
          [...rounds].sort((a, b) => a - b)
        )
      }
    }
  )

  it("runs arms forward and backward in turns, so that none is always first", () => {
    const cells = schedule({ scenarios: ["s"], arms: ["a", "b"], repetitions: 4, order: "abba", seed: 1 })
    assert.strictEqual(cells.map(({ arm }) => arm).join(""), "abbaabba")
    const three = schedule({ scenarios: ["s", "t"], arms: ["a", "b", "c"], repetitions: 10, order: "abba", seed: 1 })
    for (const scenario of ["s", "t"]) {
      const firsts = three.filter((cell, at) => at % 3 === 0 && cell.scenario === scenario).map(({ arm }) => arm)
      assert.strictEqual(firsts.filter((arm) => arm === "a").length, 5)
      assert.strictEqual(firsts.filter((arm) => arm === "c").length, 5)
    }
  })

  it("is another one for another seed when it is random, and the same for the same", () => {
    const made = (seed: number) =>
      schedule({ scenarios: ["s", "t"], arms: ["a", "b", "c"], repetitions: 10, order: "random", seed })
        .map(({ id }) => id)
        .join()
    assert.strictEqual(made(1), made(1))
    assert.notStrictEqual(made(1), made(2))
  })
})
