import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { FileChanges } from "../../src/platform/FileChanges.ts"
import { LoopbackServer } from "../../src/platform/LoopbackServer.ts"
import { serveUi } from "../../src/ui/server.ts"
import { call, deliver, end, prompt, start } from "../support/claudeDeliveries.ts"
import { enableRecording, machineOf, type TestUser } from "../support/recording.ts"
import { eventually, listening, overhang, picture, startBrowser, violations } from "./browser.ts"
import { pageDirectory } from "./pages.ts"

const pages = pageDirectory()
const hostile = "<script>alert(1)</script><img src=x onerror=alert(2)> \u202eevil \u001b[2J javascript:alert(3)"
let browser: Browser
let user: TestUser
/** The next address that lets a browser in. */
let door = ""
const scope = Effect.runSync(Scope.make())
beforeAll(async () => {
  browser = await startBrowser()
  user = pages.user()
  await Effect.runPromise(
    Effect.gen(function* () {
      yield* enableRecording(user)
      yield* deliver(user, "first", [start, prompt(1, `Where is the needle? ${hostile}`), call(1, "grep needle"), end])
      yield* deliver(user, "<b>second</b>", [start, prompt(1, "Nothing of note"), end])
      yield* deliver(user, "third", [start, prompt(1, "Fix the login test")])
      const { url } = yield* serveUi(
        { projectRoot: user.project },
        {
          port: 0,
          onUsed: (next) =>
            Effect.sync(() => {
              door = next
            })
        }
      ).pipe(
        Effect.provide(Layer.mergeAll(machineOf(user), FileChanges.layer, LoopbackServer.layer)),
        Effect.provideService(Scope.Scope, scope)
      )
      door = url
    })
  )
})
afterAll(async () => {
  await browser?.close()
  await Effect.runPromise(Scope.close(scope, Exit.void))
  pages.remove()
})

/** Lets a new browser in, looks, and checks that the page did nothing which it must not. */
const look = async (options: BrowserContextOptions, use: (page: Page) => Promise<void>): Promise<void> => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
  const page = await context.newPage()
  const faults: Array<string> = []
  const { origin } = new URL(door)
  page.on("request", (request) => {
    if (!request.url().startsWith(`${origin}/`)) faults.push(`request ${request.url()}`)
  })
  page.on("dialog", (dialog) => {
    faults.push(`dialog ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on("pageerror", (error) => faults.push(`error ${error.message}`))
  page.on("console", (message) => {
    // Browsers ask every server for a picture of it.
    if (!message.location().url.endsWith("/favicon.ico")) faults.push(`console ${message.text()}`)
  })
  await page.goto(door)
  await page.waitForSelector("table.sessions tbody tr")
  await page.waitForSelector(".chip.connection.connected")
  await listening(page)
  await use(page)
  assert.deepStrictEqual(faults, [])
  await context.close()
}

describe("the page of a project", () => {
  it("lists the sessions and opens one", () =>
    look({}, async (page) => {
      await eventually(async () => {
        const list = await page.locator("table.sessions").textContent()
        for (const text of ["claude:first", "claude:<b>second</b>", "claude:third", "completed", "active"]) {
          assert.include(list, text)
        }
        assert.include(await page.locator("h1").textContent(), user.project)
      })
      assert.deepStrictEqual(await violations(page), [])
      await picture(page, "ui-light")
      await page.getByRole("link", { name: "claude:first" }).click()
      await page.waitForSelector(".entry")
      await eventually(async () => assert.include(await page.locator(".card").textContent(), "claude:first"))
      await page.goBack()
      await page.waitForSelector("table.sessions tbody tr")
    }))

  it("finds words in all sessions and leads to the event", () =>
    look({}, async (page) => {
      await page.keyboard.press("/")
      await page.keyboard.type("needle")
      await page.waitForSelector(".hits mark")
      await eventually(async () => {
        assert.strictEqual(await page.locator(".hits li").count(), 2)
        assert.include(await page.locator(".hits").textContent(), "<script>alert(1)</script>")
      })
      assert.deepStrictEqual(await violations(page), [])
      await picture(page, "ui-search")
      await page.locator(".hits li a").first().click()
      await page.waitForSelector(".entry")
      await eventually(async () => assert.match(page.url(), /#event-2$/))
      await page.goBack()
      await page.waitForSelector("table.sessions tbody tr")
      await listening(page)
      await page.keyboard.press("/")
      await page.keyboard.type("needle")
      await page.waitForSelector(".hits mark")
      await page.keyboard.press("Escape")
      await page.waitForSelector("table.sessions tbody tr")
    }))

  it("shows what is recorded as it is recorded, also what is hostile, as text", () =>
    look({}, async (page) => {
      await Effect.runPromise(deliver(user, "third", [prompt(2, `live ${hostile}`)]))
      await page.getByText("live <script>alert(1)</script>").waitFor()
      await eventually(async () =>
        assert.deepStrictEqual(await page.locator(".tail .control").allInnerTexts(), ["U+202E", "ESC"])
      )
      await Effect.runPromise(deliver(user, "fourth", [start, prompt(1, "another one")]))
      await page.getByText("another one").waitFor()
      await page.locator("table.sessions a", { hasText: "claude:fourth" }).waitFor()
      await eventually(async () => assert.strictEqual(await page.locator(".running").count(), 2))
      await picture(page, "ui-live")
      await Effect.runPromise(deliver(user, "fourth", [end]))
      await page.locator("table.sessions tr", { hasText: "claude:fourth" }).getByText("completed").waitFor()
      await eventually(async () => assert.strictEqual(await page.locator(".running").count(), 1))
    }))

  it("can be read at 360 px and in the dark", () =>
    look({ viewport: { width: 360, height: 780 }, colorScheme: "dark" }, async (page) => {
      await eventually(async () => assert.strictEqual(await overhang(page), 0))
      assert.deepStrictEqual(await violations(page), [])
      await picture(page, "ui-narrow-dark", true)
    }))

  it("says that its server has ended", async () => {
    const own = await Effect.runPromise(Scope.make())
    const { url } = await Effect.runPromise(
      serveUi({ projectRoot: user.project }, { port: 0, onUsed: () => Effect.void }).pipe(
        Effect.provide(Layer.mergeAll(machineOf(user), FileChanges.layer, LoopbackServer.layer)),
        Effect.provideService(Scope.Scope, own)
      )
    )
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(url)
    await page.waitForSelector(".chip.connection.connected")
    await Effect.runPromise(Scope.close(own, Exit.void))
    await page.waitForSelector(".chip.connection:not(.connected)")
    await context.close()
  })
})
