import type { Browser } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { Provider } from "../../src/domain/provider.ts"
import { everySession } from "../export/everySession.ts"
import { eventually, open, picture, startBrowser, violations } from "./browser.ts"
import { pageDirectory, recordedPage } from "./pages.ts"

/** A captured session of each agent, and something that must be seen of it. */
const sessions: ReadonlyArray<readonly [Provider, name: string, title: string, tool: string]> = [
  ["claude", "claude print-basic-denied", "Claude Code", "Bash"],
  ["codex", "codex", "Codex", "Bash"],
  ["gemini", "gemini", "Gemini CLI", "run_shell_command"],
  ["antigravity", "antigravity", "Antigravity CLI", "run_command"]
]

const pages = pageDirectory()
let browser: Browser
beforeAll(async () => {
  browser = await startBrowser()
})
afterAll(async () => {
  await browser?.close()
  pages.remove()
})

describe("a recorded session of each agent", () => {
  for (const [provider, name, title, tool] of sessions) {
    it(`${provider}: its page shows who, what and how it ended`, async () => {
      const [, , payloads] = everySession.find(([known]) => known === name) ?? []
      const file = await recordedPage(pages.user(), provider, payloads ?? [])
      const { page, faults } = await open(browser, file)
      await eventually(async () => {
        assert.include(await page.locator(".eyebrow").innerText(), title)
        assert.include(await page.locator(".facts-grid").innerText(), "capture-only")
        assert.include(["complete", "partial"], (await page.locator(".verdict .word").first().innerText()).trim())
      })
      await page.locator(`.entry.tool .title:text-is("${tool}")`).first().waitFor()
      // The hooks of Antigravity CLI tell no prompts: its transcript does.
      if (provider !== "antigravity") await page.locator(".entry.prompt").first().waitFor()
      await picture(page, `session-${provider}`)
      assert.deepStrictEqual(await violations(page), [])
      assert.deepStrictEqual(faults, [])
      await page.context().close()
    })
  }
})
