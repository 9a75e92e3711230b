import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import {
  detectableMean,
  detectableRateDifference,
  mcnemarPower,
  wantedPower
} from "../../../src/experiment/statistics/detectable.ts"
import { binomialProbabilities } from "../../../src/experiment/statistics/distributions.ts"
import { mean, rankBiserial } from "../../../src/experiment/statistics/effectSize.ts"
import { holm } from "../../../src/experiment/statistics/holm.ts"
import { mcnemarExact } from "../../../src/experiment/statistics/mcnemar.ts"
import { pairedBootstrap } from "../../../src/experiment/statistics/pairedBootstrap.ts"
import { passAtK, passHatK } from "../../../src/experiment/statistics/passAtK.ts"
import { rateDifferenceInterval } from "../../../src/experiment/statistics/rateDifference.ts"
import { seededRandom } from "../../../src/experiment/statistics/seededRandom.ts"
import { signFlip } from "../../../src/experiment/statistics/signFlip.ts"
import { wilsonInterval } from "../../../src/experiment/statistics/wilson.ts"

const whole = (least: number, most: number) =>
  Schema.Finite.pipe(Schema.check(Schema.isInt(), Schema.isBetween({ minimum: least, maximum: most })))
const shares = Schema.Array(Schema.Finite.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 1 }))))
const fewDifferences = Schema.Array(whole(-9, 9)).pipe(Schema.check(Schema.isMaxLength(11)))
const slack = 1e-9

/** All sign patterns, one by one. */
const countedBySigns = (differences: ReadonlyArray<number>): number => {
  const observed = Math.abs(differences.reduce((sum, value) => sum + value, 0))
  let hits = 0
  for (let pattern = 0; pattern < 2 ** differences.length; pattern++) {
    const sum = differences.reduce((total, value, at) => total + ((pattern >> at) & 1 ? value : -value), 0)
    if (Math.abs(sum) >= observed - slack) hits++
  }
  return hits / 2 ** differences.length
}

describe("signFlip", () => {
  it.prop("counts what going through all sign patterns counts", [fewDifferences], ([differences]) => {
    assert.isAtMost(Math.abs(signFlip(differences, seededRandom(1)).p - countedBySigns(differences)), slack)
  })

  it.prop(
    "gives p <= 0.05 to no more than 5 % of the sign patterns",
    [fewDifferences],
    ([differences]) => {
      let hits = 0
      for (let pattern = 0; pattern < 2 ** differences.length; pattern++) {
        const flipped = differences.map((value, at) => ((pattern >> at) & 1 ? value : -value))
        if (signFlip(flipped, seededRandom(1)).p <= 0.05) hits++
      }
      assert.isAtMost(hits / 2 ** differences.length, 0.05)
    },
    { arbitrary: { runs: 30 } }
  )

  it.prop("does not ask which side is called the arm, nor for the unit", [fewDifferences], ([differences]) => {
    const { p } = signFlip(differences, seededRandom(1))
    for (const factor of [-1, 0.001, 1e6]) {
      const scaled = differences.map((value) => value * factor)
      assert.isAtMost(Math.abs(signFlip(scaled, seededRandom(1)).p - p), slack)
    }
  })
})

describe("mcnemarExact", () => {
  it("gives p <= 0.05 to no more than 5 % of the outcomes, for each number of differing pairs up to 200", () => {
    for (let n = 0; n <= 200; n++) {
      const falsePositives = binomialProbabilities(n, 0.5).reduce(
        (sum, chance, k) => sum + (mcnemarExact(k, n - k) <= 0.05 ? chance : 0),
        0
      )
      assert.isAtMost(falsePositives, 0.05, `n = ${n}`)
    }
  })

  it.prop("does not ask which side is called the arm", [whole(0, 500), whole(0, 500)], ([left, right]) => {
    assert.strictEqual(mcnemarExact(left, right), mcnemarExact(right, left))
    assert.isTrue(mcnemarExact(left, right) > 0 && mcnemarExact(left, right) <= 1)
  })
})

describe("wilsonInterval", () => {
  it.prop("holds the rate, within 0 and 1, and narrows with n", [whole(1, 500), whole(0, 500)], ([n, some]) => {
    const passed = Math.min(n, some)
    const interval = wilsonInterval(passed, n)
    const wider = wilsonInterval(passed * 4, n * 4)
    if (interval === undefined || wider === undefined) throw new Error("no interval")
    assert.isTrue(0 <= interval.low && interval.low <= passed / n + slack)
    assert.isTrue(passed / n <= interval.high + slack && interval.high <= 1)
    assert.isTrue(wider.high - wider.low < interval.high - interval.low)
  })
})

describe("passAtK and passHatK", () => {
  it.prop(
    "mirror each other, and grow and shrink with k",
    [whole(1, 60), whole(0, 60), whole(1, 60)],
    ([n, some, of]) => {
      const passed = Math.min(n, some)
      const k = Math.min(n, of)
      const at = passAtK(n, passed, k) ?? Number.NaN
      const hat = passHatK(n, passed, k) ?? Number.NaN
      assert.isTrue(0 <= hat && hat <= passed / n + slack && passed / n <= at + slack && at <= 1)
      assert.isAtMost(Math.abs(at - (1 - (passHatK(n, n - passed, k) ?? Number.NaN))), slack)
      if (k > 1) {
        assert.isTrue((passAtK(n, passed, k - 1) ?? 0) <= at + slack)
        assert.isTrue((passHatK(n, passed, k - 1) ?? 0) >= hat - slack)
      }
    }
  )

  it("are unbiased: averaged over all samples of n they give 1 - (1 - p)^k and p^k", () => {
    for (const [n, k, p] of [
      [5, 3, 0.3],
      [10, 4, 0.5],
      [8, 8, 0.9]
    ] as const) {
      const average = (of: (passed: number) => number | undefined) =>
        binomialProbabilities(n, p).reduce((sum, chance, passed) => sum + chance * (of(passed) ?? Number.NaN), 0)
      assert.isAtMost(Math.abs(average((passed) => passAtK(n, passed, k)) - (1 - (1 - p) ** k)), slack)
      assert.isAtMost(Math.abs(average((passed) => passHatK(n, passed, k)) - p ** k), slack)
    }
  })
})

describe("holm", () => {
  it.prop("never lowers a p-value, keeps their order, and leaves a single one alone", [shares], ([values]) => {
    const corrected = holm(values)
    values.forEach((value, at) => {
      assert.isTrue((corrected[at] ?? -1) >= value && (corrected[at] ?? 2) <= 1)
      values.forEach((other, there) => {
        if (value < other) assert.isTrue((corrected[at] ?? 2) <= (corrected[there] ?? -1))
      })
    })
    if (values.length === 1) assert.isTrue(corrected[0] === values[0])
    // No bolder than Bonferroni's for the smallest, no bolder than none for the largest.
    const least = Math.min(...values)
    if (values.length > 0) assert.isAtMost(Math.abs(Math.min(...corrected) - Math.min(1, least * values.length)), slack)
  })
})

describe("rankBiserial", () => {
  it.prop("lies within -1 and 1 and turns its sign with its data", [fewDifferences], ([differences]) => {
    const value = rankBiserial(differences)
    assert.isTrue(Math.abs(value) <= 1)
    assert.isAtMost(Math.abs(rankBiserial(differences.map((one) => -one)) + value), slack)
  })
})

describe("pairedBootstrap", () => {
  const clusters = (scenarios: number, repetitions: number) => {
    const random = seededRandom(5, `${scenarios}x${repetitions}`)
    return Array.from({ length: scenarios }, () => Array.from({ length: repetitions }, () => random.next() - 0.3))
  }

  it("gives none under 20 pairs, nor where repetitions are too few to be drawn from", () => {
    assert.isUndefined(pairedBootstrap(clusters(19, 1), seededRandom(1)))
    assert.isUndefined(pairedBootstrap(clusters(3, 6), seededRandom(1)))
    assert.isUndefined(pairedBootstrap([], seededRandom(1)))
  })

  it("speaks of these scenarios alone where there are too few to draw among", () => {
    assert.strictEqual(pairedBootstrap(clusters(3, 8), seededRandom(1))?.scope, "these-scenarios")
    assert.strictEqual(pairedBootstrap(clusters(8, 3), seededRandom(1))?.scope, "scenarios-like-these")
  })

  it("is decided by its seed, and holds the mean", () => {
    const data = clusters(10, 4)
    const once = pairedBootstrap(data, seededRandom(1))
    assert.deepStrictEqual(once, pairedBootstrap(data, seededRandom(1)))
    assert.notDeepEqual(once, pairedBootstrap(data, seededRandom(2)))
    const centre = mean(data.flat())
    assert.isTrue(once !== undefined && once.low < centre && centre < once.high)
  })

  it("moves with its data", () => {
    const data = clusters(10, 4)
    const once = pairedBootstrap(data, seededRandom(1))
    const moved = pairedBootstrap(
      data.map((cluster) => cluster.map((value) => value * 2 + 10)),
      seededRandom(1)
    )
    if (once === undefined || moved === undefined) throw new Error("no interval")
    assert.isAtMost(Math.abs(moved.low - (once.low * 2 + 10)), 1e-9)
    assert.isAtMost(Math.abs(moved.high - (once.high * 2 + 10)), 1e-9)
  })

  it("is wider where repetitions of one scenario are alike than where they are not", () => {
    const random = seededRandom(11)
    const alike = Array.from({ length: 10 }, () => {
      const shared = random.next()
      return Array.from({ length: 4 }, () => shared)
    })
    const apart = alike.flat().map((value) => [value])
    const width = (interval: ReturnType<typeof pairedBootstrap>) => (interval?.high ?? 0) - (interval?.low ?? 0)
    assert.isTrue(width(pairedBootstrap(alike, seededRandom(1))) > 1.5 * width(pairedBootstrap(apart, seededRandom(1))))
  })
})

describe("detectable effects", () => {
  it("agree with counting every outcome", () => {
    const [n, up, down, alpha] = [9, 0.45, 0.1, 0.05]
    let power = 0
    const factorial = (k: number): number => (k <= 1 ? 1 : k * factorial(k - 1))
    for (let a = 0; a <= n; a++) {
      for (let b = 0; a + b <= n; b++) {
        const ways = factorial(n) / (factorial(a) * factorial(b) * factorial(n - a - b))
        if (mcnemarExact(a, b) <= alpha) power += ways * up ** a * down ** b * (1 - up - down) ** (n - a - b)
      }
    }
    assert.isAtMost(Math.abs(mcnemarPower(n, up, down, alpha) - power), 1e-9)
  })

  it("do not exist under six pairs at 5 %, and shrink with more", () => {
    assert.isUndefined(detectableRateDifference(5, 0, 0.05))
    assert.isUndefined(detectableMean([1, 2, 3, 4, 5], 0.05))
    const at = (n: number, noise: number) => detectableRateDifference(n, noise, 0.05) ?? Number.NaN
    assert.isTrue(at(6, 0) > at(15, 0) && at(15, 0) > at(60, 0))
    assert.isTrue(at(60, 0.3) > at(60, 0))
    // Six of six must differ: (0.8)^(1/6).
    assert.isAtMost(Math.abs(at(6, 0) - wantedPower ** (1 / 6)), 1e-3)
  })
})

describe("rateDifferenceInterval", () => {
  it("is the formula of Bonett and Price", () => {
    const interval = rateDifferenceInterval([{ n: 48, onlyArm: 12, onlyBaseline: 3 }])
    const [up, down] = [13 / 50, 4 / 50]
    const reach = 1.959963984540054 * Math.sqrt((up + down - (up - down) ** 2) / 50)
    assert.isAtMost(Math.abs((interval?.low ?? 0) - (up - down - reach)), 1e-9)
    assert.isAtMost(Math.abs((interval?.high ?? 0) - (up - down + reach)), 1e-9)
  })

  it("keeps a width where no pair differs, and is none under 20 pairs", () => {
    const interval = rateDifferenceInterval([{ n: 30, onlyArm: 0, onlyBaseline: 0 }])
    assert.isTrue(interval !== undefined && interval.low < -0.05 && interval.high > 0.05)
    assert.isUndefined(rateDifferenceInterval([{ n: 19, onlyArm: 9, onlyBaseline: 0 }]))
  })

  it("is wider where whole scenarios differ together", () => {
    const together = Array.from({ length: 10 }, (_, at) => ({ n: 5, onlyArm: at < 3 ? 5 : 0, onlyBaseline: 0 }))
    const spread = Array.from({ length: 10 }, (_, at) => ({ n: 5, onlyArm: at < 5 ? 2 : 1, onlyBaseline: 0 }))
    const width = (clusters: typeof together) => {
      const interval = rateDifferenceInterval(clusters)
      return (interval?.high ?? 0) - (interval?.low ?? 0)
    }
    assert.isTrue(width(together) > 1.5 * width(spread))
  })
})
