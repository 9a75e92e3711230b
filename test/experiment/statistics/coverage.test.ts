import { assert, describe, it } from "@effect/vitest"
import { binomialProbabilities } from "../../../src/experiment/statistics/distributions.ts"
import { mean } from "../../../src/experiment/statistics/effectSize.ts"
import { pairedBootstrap } from "../../../src/experiment/statistics/pairedBootstrap.ts"
import { rateDifferenceInterval } from "../../../src/experiment/statistics/rateDifference.ts"
import { type SeededRandom, seededRandom } from "../../../src/experiment/statistics/seededRandom.ts"
import { wilsonInterval } from "../../../src/experiment/statistics/wilson.ts"

/** How often intervals that claim 95 % hold the truth, averaged over a grid. A single corner of a grid may be off; the average may not. */
const between = (share: number, what: string) =>
  assert.isTrue(share >= 0.93 && share <= 0.97, `${what}: ${(share * 100).toFixed(1)} %`)

describe("coverage", () => {
  it("of Wilson's interval: rates 0.05 to 0.95 by n 5 to 100, counted exactly", () => {
    const covered = [5, 10, 15, 20, 30, 50, 100].flatMap((n) =>
      Array.from({ length: 19 }, (_, at) => (at + 1) / 20).map((rate) =>
        binomialProbabilities(n, rate).reduce((sum, chance, passed) => {
          const interval = wilsonInterval(passed, n)
          const holds = interval !== undefined && interval.low <= rate && rate <= interval.high
          return sum + (holds ? chance : 0)
        }, 0)
      )
    )
    between(mean(covered), "wilson")
  })

  /** All have the mean 0. */
  const distributions: Readonly<Record<string, (random: SeededRandom) => number>> = {
    normal: (random) => Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next()),
    uniform: (random) => random.next() - 0.5,
    exponential: (random) => -Math.log(1 - random.next()) - 1,
    laplace: (random) => Math.log(1 - random.next()) - Math.log(1 - random.next())
  }
  /** Scenarios, repetitions, and how much scenarios differ beside repetitions. */
  const designs = [
    [20, 1, 0],
    [40, 1, 0],
    [10, 5, 0],
    [10, 5, 1],
    [20, 3, 0.5],
    [4, 10, 0],
    [3, 8, 0]
  ] as const

  it("of the paired bootstrap: four distributions by seven designs", () => {
    const covered = Object.entries(distributions).flatMap(([name, draw]) =>
      designs.map(([scenarios, repetitions, apart]) => {
        const random = seededRandom(1, `${name} ${scenarios} ${repetitions} ${apart}`)
        let hits = 0
        const rounds = 120
        for (let round = 0; round < rounds; round++) {
          const clusters = Array.from({ length: scenarios }, () => {
            const own = apart * draw(random)
            return Array.from({ length: repetitions }, () => own + draw(random))
          })
          const interval = pairedBootstrap(clusters, random, { draws: 500 })
          if (interval !== undefined && interval.low <= 0 && interval.high >= 0) hits++
        }
        return hits / rounds
      })
    )
    between(mean(covered), "bootstrap")
  })

  it("of the interval for two paired rates: five pairs of rates by four designs", () => {
    const covered = [
      [0.1, 0.1],
      [0.3, 0.1],
      [0.2, 0.05],
      [0.4, 0.2],
      [0.25, 0.25]
    ].flatMap(([up = 0, down = 0]) =>
      [
        [20, 1],
        [40, 1],
        [10, 5],
        [4, 10]
      ].map(([scenarios = 0, repetitions = 0]) => {
        const random = seededRandom(1, `${up} ${down} ${scenarios}`)
        let hits = 0
        const rounds = 300
        for (let round = 0; round < rounds; round++) {
          const clusters = Array.from({ length: scenarios }, () => {
            const counts = { n: repetitions, onlyArm: 0, onlyBaseline: 0 }
            for (let at = 0; at < repetitions; at++) {
              const lot = random.next()
              if (lot < up) counts.onlyArm++
              else if (lot < up + down) counts.onlyBaseline++
            }
            return counts
          })
          const interval = rateDifferenceInterval(clusters)
          if (interval !== undefined && interval.low <= up - down && up - down <= interval.high) hits++
        }
        return hits / rounds
      })
    )
    between(mean(covered), "rates")
  })
})
