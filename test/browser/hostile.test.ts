import * as fs from "node:fs"
import type { Browser, Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { eventually, open, overhang, picture, startBrowser, violations } from "./browser.ts"
import { hostileSession, hostileTexts, hugeText } from "./events.ts"
import { archivedPage, pageDirectory } from "./pages.ts"

const pages = pageDirectory()
let browser: Browser
let file: string
beforeAll(async () => {
  browser = await startBrowser()
  file = await archivedPage(pages.user(), hostileSession)
})
afterAll(async () => {
  await browser?.close()
  pages.remove()
})

/** Searches for a text, from an empty field: what is counted and marked then is of this text and no other. Goes to the first match. */
const find = async (page: Page, text: string): Promise<void> => {
  await page.locator("#search").fill("")
  await page.locator(".match-count").waitFor({ state: "detached" })
  await page.locator("#search").fill(text)
  await eventually(async () => assert.match((await page.locator(".match-count").textContent()) ?? "", /\d match/))
  await page.keyboard.press("Enter")
  await page.waitForSelector(".entry.selected.is-open.match")
}

describe("the page of a session that means harm", () => {
  it("is a file of bounded size with one script, and nothing in it that was recorded is markup", () => {
    const html = fs.readFileSync(file, "utf8")
    assert.isAbove(hugeText.length, 10_000_000)
    assert.isBelow(html.length, 3_000_000)
    assert.strictEqual(html.match(/<script>/g)?.length, 1)
    assert.notInclude(html, "<img src")
    assert.notMatch(html, /[\u2028\u2029\u202a-\u202e]/)
  })

  it("shows every text as text in every place, opened, filtered and searched, and does nothing else", async () => {
    const { page, faults } = await open(browser, file, { viewport: { width: 1280, height: 1_200 } })
    const entries = await page.evaluate(
      () => JSON.parse(document.getElementById("session")?.textContent ?? "").entries.length as number
    )
    // Every entry is opened, from first to last.
    for (let entry = 0; entry < entries; entry++) {
      await page.keyboard.press("j")
      await page.waitForSelector(`[data-entry="${entry}"].selected`)
      await page.keyboard.press("Enter")
      await page.waitForSelector(`[data-entry="${entry}"].is-open`)
    }
    for (const label of await page.locator(".filters label").all()) {
      await label.click()
      await label.click()
    }
    await eventually(async () =>
      assert.include(await page.locator(".shown").innerText(), `${entries} of ${entries} entries`)
    )
    for (const text of hostileTexts.slice(0, 6)) {
      await find(page, text)
    }
    assert.strictEqual(await page.locator(".feed script, .feed img, .feed iframe, .card script, .card img").count(), 0)
    assert.isUndefined(await page.evaluate(() => ({}) as { readonly polluted?: boolean }).then((one) => one.polluted))
    await eventually(async () => assert.strictEqual(await overhang(page), 0))
    assert.deepStrictEqual(faults, [])
    await page.context().close()
  })

  it("makes characters visible that hide, turn the writing round or steer a terminal", async () => {
    const { page, faults } = await open(browser, file, { viewport: { width: 1280, height: 1_200 } })
    const isShown = (signs: ReadonlyArray<string>) =>
      eventually(async () => {
        const shown = await page.locator(".entry.selected .control").allInnerTexts()
        for (const sign of signs) assert.include(shown, sign)
      })
    await find(page, "gnp.exe")
    await page.waitForSelector(".entry.selected mark")
    await isShown(["U+202E", "U+202C", "U+2066", "U+2069", "U+200B", "U+FEFF"])
    await find(page, "[31mred")
    await page.waitForFunction(() => document.querySelector(".entry.selected")?.textContent?.includes("[31mred"))
    await isShown(["ESC", "BEL", "NUL"])
    await picture(page, "hostile")
    assert.deepStrictEqual(await violations(page), [])
    assert.deepStrictEqual(faults, [])
    await page.context().close()
  })

  it("shows the beginning of a result of 10 MB, more on request, and says what is in the archive only", async () => {
    const { page, faults } = await open(browser, file, { hash: `#event-${hostileSession.length - 1}` })
    const row = page.locator(".entry.selected")
    await row.locator(".more").waitFor()
    const isLong = (characters: number) =>
      eventually(async () => assert.strictEqual((await row.locator("pre").last().innerText()).length, characters))
    const shows = async (button: string, count: number) =>
      eventually(async () => assert.strictEqual(await row.getByText(button).count(), count))
    await isLong(2_000)
    // Eight times as much with each click, until all is there that a page holds.
    for (const characters of [16_000, 128_000, 256 * 1024]) {
      await shows("Show more", 1)
      await row.getByText("Show more").click()
      await isLong(characters)
    }
    await shows("Show more", 0)
    await eventually(async () =>
      assert.match(await row.locator(".notes").innerText(), /payload\.response: 10,\d{3},\d{3} more in the archive/)
    )
    await picture(page, "hostile-huge")
    assert.deepStrictEqual(faults, [])
    await page.context().close()
  })
})
