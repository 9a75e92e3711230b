import { assert, describe, it } from "@effect/vitest"
import {
  binomialProbabilities,
  incompleteBeta,
  logGamma,
  normalDistribution,
  normalQuantile,
  studentDistribution,
  studentQuantile
} from "../../../src/experiment/statistics/distributions.ts"
import { cohenH, median, rankBiserial, standardDeviation } from "../../../src/experiment/statistics/effectSize.ts"
import { holm } from "../../../src/experiment/statistics/holm.ts"
import { mcnemarExact } from "../../../src/experiment/statistics/mcnemar.ts"
import { passAtK, passHatK } from "../../../src/experiment/statistics/passAtK.ts"
import { seededRandom, shuffled } from "../../../src/experiment/statistics/seededRandom.ts"
import { signFlip } from "../../../src/experiment/statistics/signFlip.ts"
import { wilsonInterval } from "../../../src/experiment/statistics/wilson.ts"

const near = (actual: number | undefined, expected: number, tolerance = 1e-9) =>
  assert.isAtMost(Math.abs((actual ?? Number.NaN) - expected), tolerance, `${actual} is not ${expected}`)

describe("distributions", () => {
  it("agree with published tables", () => {
    near(normalQuantile(0.975), 1.959963984540054, 1e-12)
    near(normalQuantile(0.8), 0.8416212335729143, 1e-12)
    near(normalQuantile(1e-10), -6.361340902404056, 1e-9)
    near(normalDistribution(1.96), 0.9750021048517795, 1e-14)
    near(normalDistribution(-6) / 9.865876450376981e-10, 1, 1e-12)
    near(normalDistribution(3) - normalDistribution(3 - 1e-9), 0, 1e-10)
    near(studentQuantile(0.975, 2), 4.302652729911275)
    near(studentQuantile(0.975, 9), 2.2621571627409915)
    near(studentQuantile(0.995, 30), 2.7499956535670456)
    near(studentDistribution(1, 1), 0.75, 1e-12)
    near(logGamma(0.5), Math.log(Math.sqrt(Math.PI)), 1e-12)
    near(logGamma(101), 363.73937555556347, 1e-10)
    // I_x(1, b) and I_x(a, 1) have closed forms.
    near(incompleteBeta(0.3, 1, 4), 1 - 0.7 ** 4, 1e-12)
    near(incompleteBeta(0.9, 5, 1), 0.9 ** 5, 1e-12)
  })

  it("of the binomial are counts over powers of two at one half, and sum to one", () => {
    for (const [k, count] of [1, 6, 15, 20, 15, 6, 1].entries())
      near(binomialProbabilities(6, 0.5)[k], count / 64, 1e-13)
    for (const p of [0, 0.01, 0.3, 1]) {
      near(
        binomialProbabilities(50, p).reduce((sum, share) => sum + share, 0),
        1,
        1e-11
      )
    }
  })
})

describe("wilsonInterval", () => {
  it("gives the examples of Newcombe, Statistics in Medicine 17 (1998), table I", () => {
    const examples = [
      [81, 263, 0.2553, 0.3662],
      [15, 148, 0.0624, 0.1605],
      [0, 20, 0, 0.1611],
      [1, 29, 0.0061, 0.1718]
    ] as const
    for (const [passed, n, low, high] of examples) {
      near(wilsonInterval(passed, n)?.low, low, 5e-5)
      near(wilsonInterval(passed, n)?.high, high, 5e-5)
    }
  })

  it("is none of no trials", () => assert.isUndefined(wilsonInterval(0, 0)))
})

describe("mcnemarExact", () => {
  it("counts the tail of the binomial", () => {
    near(mcnemarExact(0, 5), 2 / 2 ** 5)
    near(mcnemarExact(6, 0), 2 / 2 ** 6)
    near(mcnemarExact(1, 8), (2 * (1 + 9)) / 2 ** 9)
    // R: binom.test(10, 30)$p.value
    near(mcnemarExact(10, 20), 0.0987371, 1e-6)
    assert.strictEqual(mcnemarExact(0, 0), 1)
    assert.strictEqual(mcnemarExact(7, 7), 1)
  })
})

describe("signFlip", () => {
  it("gives Fisher's figure for Darwin's maize: 1726 of 32768 patterns (The Design of Experiments, section 21)", () => {
    const maize = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
    assert.deepStrictEqual(signFlip(maize, seededRandom(1)), { p: 1726 / 32768, exact: true, draws: null })
  })

  it("cannot fall under 2 / 2^n, and is 1 where nothing differs", () => {
    near(signFlip([1, 2, 3, 4], seededRandom(1)).p, 2 / 16)
    assert.strictEqual(signFlip([0, 0, 0], seededRandom(1)).p, 1)
    assert.strictEqual(signFlip([], seededRandom(1)).p, 1)
    assert.strictEqual(signFlip([3, -3], seededRandom(1)).p, 1)
  })

  it("is never 0 where patterns are drawn, and near what counting gives", () => {
    const differences = Array.from({ length: 14 }, (_, at) => 5 - ((at * 7) % 9))
    const counted = signFlip(differences, seededRandom(1)).p
    const drawn = signFlip(differences, seededRandom(1), { exactUpTo: 0, draws: 20_000 })
    near(drawn.p, counted, 0.015)
    assert.isFalse(drawn.exact)
    const clear = signFlip(
      Array.from({ length: 60 }, () => 1),
      seededRandom(1)
    )
    assert.strictEqual(clear.p, 1 / 20_001)
  })
})

describe("passAtK and passHatK", () => {
  it("are ratios of binomial coefficients", () => {
    near(passAtK(5, 2, 2), 1 - 3 / 10)
    near(passHatK(5, 2, 2), 1 / 10)
    near(passAtK(5, 2, 1), 0.4)
    near(passHatK(5, 2, 1), 0.4)
    assert.strictEqual(passAtK(5, 5, 5), 1)
    assert.strictEqual(passHatK(5, 4, 5), 0)
    assert.isUndefined(passAtK(3, 1, 4))
  })
})

describe("holm", () => {
  it("gives what R's p.adjust gives", () => {
    const corrected = holm([0.01, 0.04, 0.03, 0.005])
    for (const [at, expected] of [0.03, 0.06, 0.06, 0.02].entries()) near(corrected[at], expected)
    assert.deepStrictEqual(holm([]), [])
    assert.deepStrictEqual(holm([0.9, 0.8]), [1, 1])
  })
})

describe("effect sizes", () => {
  it("have their textbook values", () => {
    near(cohenH(0.5, 0.25), Math.PI / 6)
    near(cohenH(0, 1), -Math.PI)
    // Ranks 1, 2.5, 2.5, 4; the minus has rank 2.5.
    near(rankBiserial([1, 2, -2, 5]), (7.5 - 2.5) / 10)
    assert.strictEqual(rankBiserial([0, 0]), 0)
    assert.strictEqual(median([3, 1, 2, 10]), 2.5)
    near(standardDeviation([2, 4, 4, 4, 5, 5, 7, 9]), Math.sqrt(32 / 7))
    assert.isUndefined(standardDeviation([1]))
  })
})

describe("seededRandom", () => {
  it("gives the same numbers for the same seed, and others for another seed or stream", () => {
    const four = (seed: number, stream?: string) => {
      const random = seededRandom(seed, stream)
      return [random.next(), random.next(), random.below(100), random.bits()]
    }
    assert.deepStrictEqual(four(7), four(7))
    assert.notDeepEqual(four(7), four(8))
    assert.notDeepEqual(four(7), four(7, "other"))
    // So that a seed means the same on every machine and in every release.
    assert.deepStrictEqual(four(7), [0.8025263438407658, 0.12888358199472139, 14, 186537203])
  })

  it("is even: each tenth holds about a tenth, and shuffling favours no order", () => {
    const random = seededRandom(3)
    const tenths = Array.from({ length: 10 }, () => 0)
    for (let draw = 0; draw < 20_000; draw++) {
      const tenth = Math.floor(random.next() * 10)
      tenths[tenth] = (tenths[tenth] ?? 0) + 1
    }
    for (const count of tenths) near(count, 2000, 180)
    const orders = new Map<string, number>()
    for (let draw = 0; draw < 6000; draw++) {
      const order = shuffled(["a", "b", "c"], random).join("")
      orders.set(order, (orders.get(order) ?? 0) + 1)
    }
    assert.strictEqual(orders.size, 6)
    for (const count of orders.values()) near(count, 1000, 130)
  })
})
