import * as fs from "node:fs"
import type { Browser, Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { eventually, type Opened, open, overhang, picture, startBrowser, violations } from "./browser.ts"
import { fullSession } from "./events.ts"
import { archivedPage, pageDirectory } from "./pages.ts"

const pages = pageDirectory()
let browser: Browser
let file: string
beforeAll(async () => {
  browser = await startBrowser()
  // A write that was cut, in the middle of the log.
  file = await archivedPage(pages.user(), fullSession, (log) => {
    const lines = fs.readFileSync(log, "utf8").split("\n")
    lines.splice(12, 0, '{"schema_version":1,"seq')
    fs.writeFileSync(log, lines.join("\n"))
  })
})
afterAll(async () => {
  await browser?.close()
  pages.remove()
})

/** Waits for a word that is said for a moment only: begin to wait before what makes the page say it. */
const saying = (page: Page, word: string) =>
  page.waitForFunction((text) => document.querySelector(".toast")?.textContent === text, word)

/** Opens the session, looks, and checks that the page did nothing which it must not. */
const look = async (options: Parameters<typeof open>[2], use: (opened: Opened) => Promise<void>): Promise<void> => {
  const opened = await open(browser, file, options)
  await use(opened)
  assert.deepStrictEqual(opened.faults, [])
  await opened.page.context().close()
}

describe("the page of a session", () => {
  it("shows what is known of it as a whole", () =>
    look({}, async ({ page }) => {
      await eventually(async () => {
        const card = await page.locator(".card").innerText()
        for (const text of [
          "Claude Code",
          "completed",
          "Requests over the limit are let through",
          "claude-opus-4-7",
          "capture-only",
          "42m 00s",
          "40 in 2 turns",
          "partial",
          "1 damaged piece between the events",
          "not whole",
          "1 tool call without a recorded end",
          "url-password",
          "github-pat"
        ]) {
          assert.include(card, text)
        }
      })
      await picture(page, "session-light")
      assert.deepStrictEqual(await violations(page), [])
    }))

  it("pairs calls with their ends and says how each went", () =>
    look({ viewport: { width: 1280, height: 4_000 } }, async ({ page }) => {
      const outcomes = () =>
        page
          .locator(".entry.tool")
          .evaluateAll((rows) =>
            rows.map((row) => [
              row.querySelector(".title")?.textContent,
              row.querySelector(".chip.outcome")?.textContent ?? "",
              row.querySelector(".duration")?.textContent ?? ""
            ])
          )
      await eventually(async () =>
        assert.deepStrictEqual(await outcomes(), [
          ["Grep", "", "310 ms"],
          ["Read", "", "14 ms"],
          ["Agent", "", "12.2 s"],
          ["Glob", "", "90 ms"],
          ["Agent", "", "5.1 s"],
          ["Read", "", "21 ms"],
          ["Bash", "failed", "6.9 s"],
          ["Edit", "", "42 ms"],
          ["Bash", "", "7.8 s"],
          ["Bash", "denied", "6.0 s"],
          ["Browse", "invalid", ""],
          ["Bash", "interrupted", "27.0 s"],
          ["Bash", "no end recorded", ""]
        ])
      )
      await picture(page, "session-whole", true)
    }))

  it("nests subagents, and shows turns, compactions, memories, gaps and damage", () =>
    look({ viewport: { width: 1280, height: 4_000 } }, async ({ page }) => {
      const depths = () =>
        page.locator(".entry.subagent").evaluateAll((rows) => rows.map((row) => row.querySelectorAll(".lane").length))
      await eventually(async () => {
        assert.deepStrictEqual(await depths(), [1, 2, 2, 1])
        assert.deepStrictEqual(await page.locator(".turn h2").allInnerTexts(), ["Turn 1", "Turn 2"])
        for (const kind of ["compaction", "context", "gap", "damage", "usage", "notice"]) {
          assert.isAbove(await page.locator(`.entry.${kind}`).count(), 0, kind)
        }
      })
    }))

  it("opens an entry with its input and its result, and marks what was redacted by its rule", () =>
    look({}, async ({ page }) => {
      const row = page.locator(".entry.tool", { hasText: ".env" })
      await row.locator(".open").click()
      await eventually(async () => {
        const detail = await row.locator(".detail").innerText()
        assert.include(detail, "Input")
        assert.include(detail, "LIMIT=100")
        assert.deepStrictEqual(await row.locator(".detail .chip.redaction").allInnerTexts(), [
          "redacted url-password",
          "redacted secret"
        ])
      })
      await row.locator(".facts summary").click()
      await eventually(async () => assert.include(await row.locator(".facts").innerText(), '"event_id"'))
      await picture(page, "session-open")
      assert.deepStrictEqual(await violations(page), [])
    }))

  it("filters by kind, tool, outcome and agent", () =>
    look({}, async ({ page }) => {
      const choose = (name: string) => page.locator(".filters label", { hasText: name }).first().click()
      const isShown = (text: string) =>
        eventually(async () => assert.include(await page.locator(".shown").innerText(), text))
      await isShown("30 of 30 entries")
      await choose("failed")
      await isShown("1 of 30 entries")
      await choose("denied")
      await isShown("2 of 30 entries")
      await page.locator("text=Show all").click()
      await isShown("30 of 30 entries")
      await choose("Explore")
      await isShown("4 of 30 entries")
      await page.locator("text=Show all").click()
      await isShown("30 of 30 entries")
      await choose("Edit")
      await eventually(async () =>
        assert.deepStrictEqual(await page.locator(".entry .title").allInnerTexts(), ["Edit"])
      )
      await choose("denied")
      await eventually(async () => assert.include(await page.locator(".empty").innerText(), "Nothing fits"))
      assert.deepStrictEqual(await violations(page), [])
    }))

  it("finds text in inputs and results, counts the matches and goes from one to the next", () =>
    look({}, async ({ page }) => {
      const found = (text: string) =>
        eventually(async () => assert.strictEqual(await page.locator(".match-count").textContent(), text))
      await page.keyboard.press("/")
      await page.keyboard.type("RATELIMIT")
      await found("4 matches")
      await page.keyboard.press("Enter")
      await found("1 of 4 matches")
      await page.keyboard.press("Escape")
      // Escape ends the search: nothing is marked any more, and the field is empty for the next.
      await eventually(async () => {
        assert.strictEqual(await page.locator("mark").count(), 0)
        assert.strictEqual(await page.locator("#search").inputValue(), "")
      })
      await page.keyboard.press("/")
      await page.keyboard.type("upload.ts")
      await found("2 matches")
      await page.locator("[aria-label='Next match']").click()
      await found("1 of 2 matches")
      await page.locator("[aria-label='Next match']").click()
      await found("2 of 2 matches")
      const selected = page.locator(".entry.selected")
      await eventually(async () => {
        assert.include(await selected.innerText(), "upload.ts")
        assert.isAbove(await selected.locator("mark").count(), 0)
      })
      await page.locator(".only input").check()
      await eventually(async () => assert.include(await page.locator(".shown").innerText(), "2 of 30 entries"))
      await picture(page, "session-search")
      assert.deepStrictEqual(await violations(page), [])
    }))

  it("follows a link to an event, also to one that is the end of a call, and to another while it is open", () =>
    look({ hash: "#event-34" }, async ({ page }) => {
      const selected = page.locator(".entry.selected")
      await eventually(async () => {
        assert.include(await selected.innerText(), "Context compacted")
        assert.isTrue(await selected.evaluate((row) => row === document.activeElement))
        const box = await selected.boundingBox()
        assert.isTrue(box !== null && box.y > 56 && box.y < 900, JSON.stringify(box))
      })
      await page.evaluate(() => {
        location.hash = "#event-8"
      })
      await eventually(async () => assert.strictEqual(await selected.locator(".title").textContent(), "Read"))
      await Promise.all([
        saying(page, "There is no event 4711 in this page"),
        page.evaluate(() => {
          location.hash = "#event-4711"
        })
      ])
    }))

  it("copies the link of an event", () =>
    look({ permissions: ["clipboard-read", "clipboard-write"] }, async ({ page }) => {
      await Promise.all([saying(page, "Link copied"), page.locator(".entry.tool .link").first().click()])
      // What was said is said when it is there.
      assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^file:.*\.html#event-5$/)
    }))

  it("is used with the keyboard alone", () =>
    look({}, async ({ page }) => {
      const at = (title: string) =>
        eventually(async () => assert.strictEqual(await page.locator(".entry.selected .title").textContent(), title))
      await page.keyboard.press("j")
      await at("Session began")
      await page.keyboard.press("j")
      await at("Memories injected")
      // Arrows are for what has the focus, which follows what is selected after the next frame.
      await page.locator(".entry.selected:focus").waitFor()
      await page.keyboard.press("ArrowDown")
      await at("Prompt")
      await page.keyboard.press("k")
      await at("Memories injected")
      await page.keyboard.press("Enter")
      await page.waitForSelector(".entry.selected.is-open .detail")
      await page.keyboard.press("Escape")
      await page.waitForSelector(".entry.selected:not(.is-open)")
      await page.keyboard.press("e")
      await at("Bash")
      await page.keyboard.press("G")
      await at("Session ended")
      await page.keyboard.press("g")
      await at("Session began")
      await page.keyboard.press("?")
      await page.waitForSelector("dialog[open]")
      await picture(page, "session-keys")
      assert.deepStrictEqual(await violations(page), [])
      await page.keyboard.press("Escape")
      await page.waitForSelector("dialog:not([open])", { state: "attached" })
      // Every control is reached with Tab alone, and the focus is seen.
      await page.evaluate(() => (document.activeElement as HTMLElement).blur())
      await page.keyboard.press("Tab")
      await eventually(async () =>
        assert.isTrue(
          await page.evaluate(
            () => document.activeElement?.matches(":focus-visible") && document.activeElement !== document.body
          )
        )
      )
    }))

  it("is dark where the system is, and where somebody wants it", async () => {
    const ground = ({ page }: Opened, colour: string) =>
      eventually(async () =>
        assert.strictEqual(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), colour)
      )
    await look({ colorScheme: "dark", hash: "#event-22" }, async (opened) => {
      await ground(opened, "rgb(20, 21, 23)")
      await picture(opened.page, "session-dark")
      assert.deepStrictEqual(await violations(opened.page), [])
      await opened.page.locator("[aria-label='Light colours']").click()
      await ground(opened, "rgb(250, 249, 247)")
    })
    await look({}, async (opened) => {
      await ground(opened, "rgb(250, 249, 247)")
      await opened.page.keyboard.press("t")
      await ground(opened, "rgb(20, 21, 23)")
    })
  })

  for (const width of [360, 700, 1_000, 1_600]) {
    it(`needs no scrolling sideways at ${width} pixels`, () =>
      look({ viewport: { width, height: 800 }, hash: "#event-22" }, async ({ page }) => {
        await page.waitForSelector(".entry.is-open")
        await eventually(async () => assert.strictEqual(await overhang(page), 0))
        await picture(page, `session-${width}`)
        assert.deepStrictEqual(await violations(page), [])
        await page.evaluate(() => scrollTo(0, 0))
        await picture(page, `session-${width}-top`)
        if (width > 1_000) return
        await page.locator("button[aria-label='Filters']").click()
        // They are there, and then nothing is too wide.
        await page.locator(".with-filters .filters").waitFor()
        await page.locator(".filters").scrollIntoViewIfNeeded()
        await eventually(async () => assert.strictEqual(await overhang(page), 0))
        await picture(page, `session-${width}-filters`)
      }))
  }

  it("is printed whole, without what is only for a screen", () =>
    look({}, async ({ page }) => {
      const paper = await page.pdf({ format: "A4" })
      assert.isAbove(paper.length, 20_000)
      // The browser tells a page before it prints and after: in between all rows are there.
      await page.evaluate(() => dispatchEvent(new Event("beforeprint")))
      await eventually(async () => assert.strictEqual(await page.locator(".entry").count(), 30))
      await page.emulateMedia({ media: "print" })
      await page.locator(".topbar").waitFor({ state: "hidden" })
      await picture(page, "session-print", true)
      await page.evaluate(() => dispatchEvent(new Event("afterprint")))
      await eventually(async () => assert.isAbove(await page.locator(".place").count(), 0))
    }))
})
