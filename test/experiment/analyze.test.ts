import { assert, describe, it } from "@effect/vitest"
import { experimentMarkdown } from "../../src/experiment/markdown.ts"
import { pText } from "../../src/experiment/metricTable.ts"
import { seededRandom } from "../../src/experiment/statistics/seededRandom.ts"
import { type Given, reportOn } from "./scores.ts"

const passes = (yes: boolean): Given => ({ verdict: yes ? "pass" : "fail" })

const qualityOf = (report: ReturnType<typeof reportOn>, at = 0) => {
  const found = report.comparisons[at]?.metrics.find(({ metric }) => metric === "quality")
  if (found === undefined) throw new Error("no comparison of quality")
  return found
}

describe("the report of an experiment", () => {
  it("gives each arm its own score, whatever the other arms did and whichever ran last", () => {
    const rates = { a: 1, b: 3, c: 5 } as Readonly<Record<string, number>>
    const made = (others: number) =>
      reportOn({
        arms: ["a", "b", "c"],
        scenarios: 2,
        repetitions: 5,
        cell: (arm, _, repetition) =>
          passes(repetition <= (arm === "b" ? 3 : others === 0 ? (rates[arm] ?? 0) : others))
      })
    assert.deepStrictEqual(
      made(0).arms.map(({ judged, name, passed }) => [name, passed, judged]),
      [
        ["a", 2, 10],
        ["b", 6, 10],
        ["c", 10, 10]
      ]
    )
    const own = (others: number) => made(others).arms.find(({ name }) => name === "b")
    assert.deepStrictEqual(own(1), own(5))
  })

  it("names no winner where nothing is detectable, and says what would have been", () => {
    const report = reportOn({
      ...{ arms: ["a", "b"], scenarios: 2, repetitions: 10 },
      cell: (arm, scenario, repetition) => passes(arm === "b" || repetition > 2 || scenario === 0)
    })
    const quality = qualityOf(report)
    assert.deepInclude(quality, { verdict: "none", n: 20 })
    assert.match(quality.words, /^Quality: no difference detectable at n = 20 \(b passes 20 of 20, a 18 of 20; p = /)
    assert.match(quality.words, /A difference of \d+ points would show 80 times in 100\.$/)
    assert.notMatch(JSON.stringify([report, experimentMarkdown(report)]), /winner|wins|better|best/i)
  })

  it("says that so few pairs cannot show a difference of any size, even when all of them differ", () => {
    const report = reportOn({ arms: ["a", "b"], scenarios: 1, repetitions: 4, cell: (arm) => passes(arm === "b") })
    const quality = qualityOf(report)
    assert.deepInclude(quality, { verdict: "none", estimate: 1, interval: null })
    assert.strictEqual(quality.detectable.effect, null)
    assert.match(quality.words, /So few pairs cannot show a difference of any size\.$/)
    assert.strictEqual(quality.no_interval, "4 pairs are too few for an interval; it takes 20.")
  })

  it("says that a difference could show, where pairs differ by chance so much that none of any size mostly would", () => {
    const report = reportOn({
      ...{ arms: ["a", "b"], scenarios: 1, repetitions: 7 },
      experiment: { metrics: { primary: "quality", others: [] } },
      cell: (arm, _, repetition) => passes((arm === "b") === repetition > 1)
    })
    const quality = qualityOf(report)
    assert.deepInclude(quality, { verdict: "none", n: 7 })
    assert.strictEqual(quality.detectable.effect, null)
    assert.match(quality.words, /No difference of any size would show 80 times in 100: these pairs are too few /)
    // All seven one way is found.
    const all = reportOn({
      ...{ arms: ["a", "b"], scenarios: 1, repetitions: 7 },
      experiment: { metrics: { primary: "quality", others: [] } },
      cell: (arm) => passes(arm === "b")
    })
    assert.strictEqual(qualityOf(all).verdict, "higher")
  })

  it("shows values beside a ratio that say the same as the ratio, also where one is far from the others", () => {
    const report = reportOn({
      ...{ arms: ["a", "b"], scenarios: 1, repetitions: 30 },
      experiment: { metrics: { primary: "working_ms", others: [] } },
      cell: (arm, _, repetition) => ({ values: { working_ms: arm === "a" ? 1000 : repetition === 1 ? 100_000 : 500 } })
    })
    const [time] = report.comparisons[0]?.metrics ?? []
    assert.deepInclude(time, { scale: "ratio", verdict: "lower" })
    assert.closeTo((time?.arm_value ?? 0) / (time?.baseline_value ?? 0), time?.estimate ?? 0, 1e-9)
    assert.match(time?.words ?? "", /lower with b .*\(geometric mean 59\d ms against 1\.0 s; 0\.59\d times as much;/)
    assert.strictEqual(time?.mean_difference, (100_000 + 29 * 500) / 30 - 1000)
  })

  it("calls scenarios too easy or too hard only where every arm was judged", () => {
    const cautions = (b: Given) =>
      reportOn({
        arms: ["a", "b"],
        scenarios: 1,
        repetitions: 4,
        cell: (arm) => (arm === "a" ? passes(true) : b)
      }).cautions.join()
    assert.include(cautions(passes(true)), "too easy")
    assert.notInclude(cautions({ verdict: "unknown" }), "too easy")
  })

  it("does not round a p-value that is over the level to it", () => {
    assert.deepStrictEqual([0.0502, 0.05, 0.0499, 0.031, 0.00001, 1].map(pText), [
      "p > 0.05",
      "p = 0.05",
      "p = 0.05",
      "p = 0.031",
      "p < 0.0001",
      "p = 1"
    ])
  })

  it("says of several tests which of them were counted and which drawn", () => {
    const report = reportOn({
      ...{ arms: ["a", "b"], scenarios: 2, repetitions: 20 },
      experiment: { metrics: { primary: "quality", others: ["working_ms", "tool_errors"] } },
      cell: (arm, scenario, repetition) => ({
        values: {
          working_ms: (arm === "b" ? 20 : 10) * repetition,
          tool_errors: arm === "b" && repetition === 1 ? 1 + scenario : 0
        }
      })
    })
    assert.include(experimentMarkdown(report), "others by exact or 20,000 random sign flips.")
  })

  it("corrects over all metrics of all comparisons", () => {
    const cell = (arm: string, scenario: number, repetition: number): Given => ({
      ...passes(arm !== "a"),
      values: { working_ms: 1000 + scenario + repetition, total_tokens: 50 + repetition }
    })
    const one = qualityOf(reportOn({ arms: ["a", "b"], scenarios: 2, repetitions: 5, cell }))
    const two = qualityOf(reportOn({ arms: ["a", "b", "c"], scenarios: 2, repetitions: 5, cell }))
    assert.strictEqual(one.test?.p, two.test?.p)
    // Three metrics were observed for one arm, six for two.
    assert.strictEqual(one.test?.p_holm, 3 * 2 ** -9)
    assert.strictEqual(two.test?.p_holm, 6 * 2 ** -9)
    assert.isAbove(one.detectable.alpha, two.detectable.alpha)
  })

  it("compares values above zero by their ratio and others by their difference, with intervals from 20 pairs on", () => {
    const random = seededRandom(4)
    const report = reportOn({
      ...{ arms: ["a", "b"], scenarios: 10, repetitions: 3 },
      experiment: { metrics: { primary: "working_ms", others: ["injected_bytes", "cost_usd"] } },
      cell: (arm) => ({
        values: {
          working_ms: (arm === "b" ? 500 : 1000) * (0.9 + 0.2 * random.next()),
          injected_bytes: arm === "b" ? 300 + random.below(50) : 0,
          cost_usd: null
        }
      })
    })
    const [time, bytes, cost] = report.comparisons[0]?.metrics ?? []
    assert.deepInclude(time, { metric: "working_ms", primary: true, scale: "ratio", verdict: "lower", n: 30 })
    assert.isTrue(time?.interval != null && time.interval.low < 0.5 + 0.02 && time.interval.high > 0.5 - 0.02)
    assert.strictEqual(time?.interval?.scope, "scenarios-like-these")
    assert.strictEqual(time?.effect_size?.value, -1)
    assert.match(time?.words ?? "", /^Working time: lower with b than with a at n = 30 .*0\.\d+ times as much/)
    assert.deepInclude(bytes, { scale: "difference", verdict: "higher", baseline_value: 0 })
    assert.isAbove(bytes?.interval?.low ?? 0, 250)
    // What was not observed is nothing, and not 0.
    assert.deepInclude(cost, { verdict: "absent", n: 0, missing: 30, arm_value: null, test: null, estimate: null })
    assert.deepInclude(report.arms[0]?.metrics[2], { n: 0, missing: 30, mean: null })
    assert.strictEqual(report.findings[0], time?.words)
  })

  it("leaves what could not be judged out of the rates, and says so", () => {
    const report = reportOn({
      ...{ arms: ["a", "b"], scenarios: 1, repetitions: 10 },
      cell: (arm, _, repetition) => (arm === "a" && repetition === 1 ? { verdict: "unknown" } : passes(true))
    })
    assert.deepInclude(report.arms[0], { n: 10, judged: 9, unknown: 1, pass_rate: 1 })
    assert.deepInclude(qualityOf(report), { n: 9, missing: 1 })
    assert.isTrue(report.cautions.some((text) => text.startsWith("1 cell could not be judged")))
    assert.isTrue(report.cautions.some((text) => text.startsWith("Every cell that was judged passes")))
  })

  it("counts one thing and several in the words for each", () => {
    const report = (repetitions: number) =>
      reportOn({
        ...{ arms: ["a", "b"], scenarios: 1, repetitions },
        cell: (arm, _, repetition) =>
          arm === "b"
            ? passes(true)
            : repetition === 1
              ? { verdict: "unknown" }
              : repetition === 2
                ? "missing"
                : "started"
      })
    const said = (repetitions: number) => report(repetitions).cautions.join(" ")
    assert.match(said(2), /^1 of 4 cells has not run: .* 1 cell could not be judged, and is in no pass rate/)
    assert.match(said(3), /^2 of 6 cells have not run: /)
    assert.strictEqual(qualityOf(report(1)).no_interval, "0 pairs are too few for an interval; it takes 20.")
    assert.match(experimentMarkdown(report(1)), /\n1 pair\. /)
    assert.match(experimentMarkdown(report(2)), /3 of 4 cells have a score, 1 scenario x 2 arms x 2 repetitions/)
  })

  it("leaves out by name what failed, was cut or has not run, and what lost its partner", () => {
    const report = reportOn({
      ...{ arms: ["a", "b"], scenarios: 1, repetitions: 5 },
      cell: (arm, _, repetition) => {
        if (arm === "a") return (["failed", "started", "missing"] as const)[repetition - 1] ?? passes(false)
        return passes(true)
      }
    })
    assert.deepStrictEqual(
      report.excluded.map(({ cell, reason }) => `${cell} ${reason}`),
      [
        ...["s0/a/1 failed", "s0/a/2 aborted", "s0/a/3 missing"],
        ...["s0/b/1 partner", "s0/b/2 partner", "s0/b/3 partner"]
      ]
    )
    assert.deepInclude(report.cells, { planned: 10, completed: 7, failed: 1, missing: 2 })
    assert.deepInclude(report, { status: "partial" })
    assert.isTrue(report.cautions.includes("2 of 10 cells have not run: these are figures of a part."))
    assert.strictEqual(report.comparisons[0]?.pairs, 2)
  })

  it("averages pass@k and pass^k over scenarios", () => {
    const report = reportOn({
      ...{ arms: ["a", "b"], scenarios: 2, repetitions: 4 },
      cell: (_, scenario, repetition) => passes(scenario === 0 || repetition === 1)
    })
    assert.deepStrictEqual(report.arms[0]?.pass_k, [
      { k: 1, pass_at: (1 + 1 / 4) / 2, pass_hat: (1 + 1 / 4) / 2 },
      { k: 2, pass_at: (1 + 1 / 2) / 2, pass_hat: 1 / 2 },
      { k: 4, pass_at: 1, pass_hat: 1 / 2 }
    ])
  })

  it("warns of a baseline that differs from itself, and takes its noise for what would be detectable", () => {
    const noisy = (arms: ReadonlyArray<string>) =>
      reportOn({
        ...{ arms, scenarios: 1, repetitions: 30 },
        cell: (arm, _, repetition) => passes(arm === "lane" ? repetition % 2 === 0 : true)
      })
    const [without, report] = [noisy(["a", "b"]), noisy(["a", "b", "lane"])]
    assert.isTrue(report.cautions.some((text) => text.startsWith("The baseline differs from itself: Quality: lower")))
    const least = (made: typeof report) => qualityOf(made).detectable.effect ?? Number.NaN
    assert.isAbove(least(report), least(without) + 0.1)
    assert.deepStrictEqual(
      report.comparisons.map(({ arm }) => arm),
      ["b"]
    )
  })

  it("flags what the arms ran on in different versions, unless it is the declared variable", () => {
    const cell = (arm: string): Given => ({
      fingerprint: { models: [arm === "a" ? "model-1" : "model-2"], lint_ai_version: arm === "a" ? "0.1.0" : "0.2.0" }
    })
    const fieldsOf = (variable: ReadonlyArray<"lint_ai" | "model">) =>
      reportOn({ arms: ["a", "b"], scenarios: 1, repetitions: 2, cell, experiment: { variable } }).differences.map(
        ({ field }) => field
      )
    assert.deepStrictEqual(fieldsOf(["lint_ai"]), ["models", "lint_ai_version"])
    assert.deepStrictEqual(fieldsOf(["lint_ai", "model"]), ["lint_ai_version"])
  })

  it("is the same for the same seed, and its figures that come from chance are others for another one", () => {
    const random = seededRandom(9)
    const values = Array.from({ length: 80 }, () => random.next() + 0.5)
    const made = (seed: number) =>
      reportOn({
        ...{ arms: ["a", "b"], scenarios: 10, repetitions: 4, experiment: { seed } },
        cell: (arm, scenario, repetition) => ({
          values: { working_ms: values[scenario * 8 + repetition * 2 + (arm === "a" ? 0 : 1) - 2] ?? 1 }
        })
      })
    assert.deepStrictEqual(made(1), made(1))
    const time = (seed: number) => made(seed).comparisons[0]?.metrics[1]
    assert.isFalse(time(1)?.test?.exact)
    assert.notDeepEqual(time(1)?.interval, time(2)?.interval)
    assert.notStrictEqual(time(1)?.test?.p, time(2)?.test?.p)
  })

  it("finds a difference between equal arms in at most 5 of 100 experiments, over all metrics together", () => {
    let found = 0
    const experiments = 400
    for (let number = 0; number < experiments; number++) {
      const random = seededRandom(number, "a/a")
      const logNormal = (size: number) => size * Math.exp((random.next() + random.next() + random.next() - 1.5) * 1.2)
      const ease = Array.from({ length: 4 }, () => random.next())
      const report = reportOn({
        ...{ arms: ["a", "b"], scenarios: 4, repetitions: 4, experiment: { seed: number } },
        cell: (_, scenario) => ({
          ...passes(random.next() < (ease[scenario] ?? 0)),
          values: {
            working_ms: logNormal(1000 * (1 + scenario)),
            total_tokens: logNormal(5000),
            cost_usd: logNormal(0.01)
          }
        })
      })
      const verdicts = report.comparisons[0]?.metrics.map(({ verdict }) => verdict) ?? []
      if (verdicts.includes("higher") || verdicts.includes("lower")) found++
    }
    assert.isAtMost(found / experiments, 0.05)
    // A test that never finds anything would pass, too.
    assert.isAtLeast(found, 1)
  })
})

describe("a report as Markdown", () => {
  it("holds what the report holds, and takes nothing from outside for markup", () => {
    const report = reportOn({
      ...{ arms: ["a", "b"], scenarios: 1, repetitions: 8 },
      experiment: { description: "Ports | <img src=x> `now`\n# not a heading" },
      cell: (arm, _, repetition) => (arm === "a" && repetition === 1 ? "failed" : passes(arm === "b"))
    })
    const text = experimentMarkdown(report)
    assert.include(text, "Ports \\| \\<img src=x\\> \\`now\\` # not a heading")
    assert.include(text, "`s0/a/1`, attempt 1: failed; as the test says")
    assert.match(text, /\| s0 \| 2 \| b \| a \| expected fact port \| claude:s0-b-2 \| claude:s0-a-2 \|/)
    for (const { words } of report.comparisons[0]?.metrics ?? []) assert.include(text, words.split("(")[0] ?? words)
    // Every row of a table has as many cells as its head.
    for (const block of text.split("\n\n").filter((part) => part.startsWith("| "))) {
      const cells = block.split("\n").map((line) => line.split(/(?<!\\)\|/).length)
      assert.strictEqual(new Set(cells).size, 1, block)
    }
  })
})
