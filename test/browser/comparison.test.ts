import * as path from "node:path"
import * as Effect from "effect/Effect"
import type { Browser } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { compareSessions } from "../../src/replay/comparison.ts"
import { readTrace } from "../../src/replay/firstDifference.ts"
import { measureSession } from "../../src/replay/metrics.ts"
import { experimentDocument } from "../../src/viewer/experimentReport.ts"
import { replayComparisonDocument } from "../../src/viewer/replayComparison.ts"
import { writeComparison } from "../../src/viewer/writeComparison.ts"
import { eventually, open, overhang, picture, startBrowser, violations } from "./browser.ts"
import { fullSession, hostileSession, hostileTexts } from "./events.ts"
import { experimentReport } from "./experiment.ts"
import { archived, pageDirectory, run } from "./pages.ts"

const pages = pageDirectory()
let browser: Browser
let replays: string
let hostile: string
let experiment: string
beforeAll(async () => {
  browser = await startBrowser()
  const user = pages.user()
  replays = path.join(user.directory, "replays of today.html")
  hostile = path.join(user.directory, "hostile.html")
  experiment = path.join(user.directory, "experiment.html")
  const measured = (directory: string) =>
    Effect.all({
      metrics: measureSession(directory),
      trace: readTrace(directory),
      evaluation: Effect.succeed(undefined)
    })
  await run(
    user,
    Effect.gen(function* () {
      const baseline = yield* archived(user, "baseline", fullSession)
      // The replay reads another file at its second step.
      const other = yield* archived(
        user,
        "replay-1",
        fullSession.map((event) =>
          event.kind === "tool_call" && JSON.stringify(event.payload).includes(".env")
            ? { ...event, payload: { tool_name: "Read", input: { file_path: "/srv/app/config.ts" } } }
            : event
        )
      )
      const malicious = yield* archived(user, "malicious", hostileSession.slice(0, 60))
      const at = "2026-08-16T13:00:00.000Z"
      const [one, two, three] = yield* Effect.all([measured(baseline), measured(other), measured(malicious)])
      const comparison = compareSessions(one, [two], at)
      yield* writeComparison(replays, [baseline, other], (pageOf) => replayComparisonDocument(comparison, pageOf))
      const bad = compareSessions(three, [two, two], at)
      yield* writeComparison(hostile, [malicious], (pageOf) => replayComparisonDocument(bad, pageOf))
      const report = experimentReport((cell) => (cell.includes("lint-ai") ? other : baseline))
      yield* writeComparison(experiment, [other, baseline], (pageOf) => experimentDocument(report, pageOf))
    })
  )
})
afterAll(async () => {
  await browser?.close()
  pages.remove()
})

describe("the page of a comparison", () => {
  it("shows baseline and replay beside one another, where they part, and leads to that event of each", async () => {
    const { page, faults } = await open(browser, replays)
    assert.deepStrictEqual(await page.locator(".arm h3").allInnerTexts(), ["baseline", "session"])
    const sides = await page.locator(".side").allInnerTexts()
    assert.include(sides[0], "/srv/app/.env")
    assert.include(sides[1], "/srv/app/config.ts")
    assert.include(await page.locator("table").innerText(), "Working time")
    const few = await page.locator("tbody tr").count()
    await page.locator("text=Show all").click()
    await eventually(async () => assert.isAbove(await page.locator("tbody tr").count(), few))
    assert.deepStrictEqual(await violations(page), [])
    await picture(page, "comparison", true)
    assert.deepStrictEqual(faults, [])
    await page.locator(".side a").last().click()
    await eventually(async () =>
      assert.include(await page.locator(".entry.selected").innerText(), "/srv/app/config.ts")
    )
    await page.context().close()
  })

  it("shows what an experiment found, with its intervals, and leads to the sessions that went apart", async () => {
    const { page, faults } = await open(browser, experiment)
    const text = await page.locator("main").innerText()
    for (const part of [
      "memory-recall",
      "native-again",
      "primary",
      "no difference detectable",
      "Pairs that went apart"
    ]) {
      assert.include(text, part)
    }
    assert.isAbove(await page.locator("svg.interval .range").count(), 4)
    assert.deepStrictEqual(await violations(page), [])
    await picture(page, "experiment", true)
    assert.deepStrictEqual(faults, [])
    await page.locator(".pairs a").first().click()
    await page.waitForSelector(".entry")
    await page.context().close()
  })

  for (const width of [360, 1_600]) {
    it(`needs no scrolling sideways at ${width} pixels, light and dark`, async () => {
      for (const [name, file] of [
        ["comparison", replays],
        ["experiment", experiment]
      ] as const) {
        const { page, faults } = await open(browser, file, { viewport: { width, height: 900 }, colorScheme: "dark" })
        await eventually(async () => assert.strictEqual(await overhang(page), 0))
        assert.deepStrictEqual(await violations(page), [])
        await picture(page, `${name}-${width}-dark`, true)
        await page.keyboard.press("t")
        await page.waitForSelector("html[data-theme=light]")
        assert.deepStrictEqual(await violations(page), [])
        assert.deepStrictEqual(faults, [])
        await page.context().close()
      }
    })
  }

  it("shows a session that means harm as text, and each of two replays under its own name", async () => {
    const { page, faults } = await open(browser, hostile)
    for (const arm of ["session (1)", "session (2)"]) {
      const name = `First divergence of ${arm}`
      assert.strictEqual(await page.getByRole("region", { name, exact: true }).count(), 1, name)
    }
    assert.deepStrictEqual(await violations(page), [])
    assert.include(await page.locator(".side").first().innerText(), hostileTexts[0] ?? "")
    assert.strictEqual(await page.locator("main script, main img").count(), 0)
    assert.deepStrictEqual(faults, [])
    await page.context().close()
  })
})
