import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import type * as Axe from "axe-core"
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core"
import { inject, vi } from "vitest"
import { chromiumArguments } from "../../scripts/chromium.mjs"

/** Where pictures of the pages go, for a person to look at. */
const pictures = path.join(import.meta.dirname, "../../.cache/screenshots")

export const startBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: inject("chromium"),
    args: chromiumArguments()
  })

/** A page, and everything that it did which a page of ours never does. */
export interface Opened {
  readonly page: Page
  /** Requests beside the file itself, dialogs, errors, and messages of the console: refusals of the content policy are among them. */
  readonly faults: ReadonlyArray<string>
}

/**
 * Makes a claim about a page again and again until it holds, and fails with what was wrong the last time.
 *
 * A page answers later: it draws in a task after that of the click, the key or the message of a server, some of it after the next frame, and a
 * browser queues events such as `toggle` and `hashchange`. What is read once after an action is therefore the state before or the state after,
 * as the load of the machine has it. All that a test reads of a page is read in here, also that something is gone.
 */
export const eventually = (claim: () => Promise<void>): Promise<void> =>
  vi.waitFor(claim, { timeout: 30_000, interval: 30 })

/**
 * Waits until a page that shows its first rows also listens to keys and to its address: Preact runs the effects of what it drew in a task after
 * the next frame, and a key that comes before is lost.
 */
export const listening = (page: Page): Promise<void> =>
  page.evaluate(
    () => new Promise<void>((resolve) => requestAnimationFrame(() => setTimeout(() => setTimeout(resolve, 0), 0)))
  )

/** Opens a file in a window of its own and waits until its first rows are there and it listens. */
export const open = async (
  browser: Browser,
  file: string,
  options: BrowserContextOptions & { readonly hash?: string; readonly first?: string } = {}
): Promise<Opened> => {
  const { hash = "", first = ".entry, .arm", ...window } = options
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...window })
  const page = await context.newPage()
  const faults: Array<string> = []
  const address = pathToFileURL(file).href
  page.on("request", (request) => {
    if (request.url().replace(/#.*$/, "") !== address) faults.push(`request ${request.url()}`)
  })
  page.on("dialog", (dialog) => {
    faults.push(`dialog ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on("pageerror", (error) => faults.push(`error ${error.message}`))
  page.on("console", (message) => faults.push(`console ${message.text()}`))
  await page.goto(`${address}${hash}`)
  await page.waitForSelector(first)
  await listening(page)
  return { page, faults }
}

const axeSource = fs.readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** What axe finds in a page as it is, all of its rules on: each a rule and where. Colours that are still changing are nobody's. */
export const violations = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(() => Promise.allSettled(document.getAnimations().map(({ finished }) => finished)))
  await page.evaluate(axeSource)
  const results = await page.evaluate(() =>
    (globalThis as unknown as { readonly axe: typeof Axe }).axe.run(document, { resultTypes: ["violations"] })
  )
  return results.violations.flatMap((violation) =>
    violation.nodes.map((node) => `${violation.id}: ${node.target.join(" ")} ${node.failureSummary ?? ""}`)
  )
}

/** A picture for a person to look at: of the window, or of the whole page. */
export const picture = async (page: Page, name: string, whole = false): Promise<void> => {
  fs.mkdirSync(pictures, { recursive: true })
  if (whole) await page.evaluate(() => scrollTo(0, 0))
  await page.screenshot({ path: path.join(pictures, `${name}.png`), fullPage: whole, animations: "disabled" })
}

/** How far the content is wider than the window, in pixels. */
export const overhang = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
