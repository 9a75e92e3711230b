// Makes the pictures of the README, docs/images/viewer-*.png, from the session of `lint-ai demo`.
//
//   node scripts/screenshots.mjs
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import { chromium } from "playwright-core"
import { buildWhenStale, root } from "./build.mjs"
import { chromiumArguments, chromiumPath } from "./chromium.mjs"

const images = path.join(root, "docs", "images")
/** A README is read on slow lines too. */
const mostBytes = 200_000

/**
 * Runs the program that was built, with a home of its own, and gives what it printed.
 *
 * @param {string} dist
 * @param {ReadonlyArray<string>} args
 * @param {{ cwd: string, env: Record<string, string> }} place
 */
const lintAi = (dist, args, place) => {
  const result = spawnSync(process.execPath, [path.join(dist, "main.mjs"), ...args], {
    cwd: place.cwd,
    env: { PATH: process.env.PATH ?? "", ...place.env },
    encoding: "utf8"
  })
  if (result.status !== 0) throw new Error(`lint-ai ${args.join(" ")} ended with ${result.status}\n${result.stderr}`)
  return result.stdout
}

/**
 * Records the demonstration and writes its page.
 *
 * @param {string} directory
 */
const demoPage = async (directory) => {
  const dist = await buildWhenStale()
  const said = lintAi(dist, ["demo", "--keep"], { cwd: directory, env: { HOME: directory } })
  const project = /stays in (.+)/.exec(said)?.[1]?.trim()
  if (project === undefined) throw new Error(`the demonstration does not say where it is:\n${said}`)
  const base = path.dirname(project)
  const file = path.join(directory, "session.html")
  lintAi(dist, ["sessions", "view", "--no-open", "--out", file], {
    cwd: project,
    env: { HOME: base, LINT_AI_CONFIG_DIR: path.join(base, "config"), LINT_AI_STATE_DIR: path.join(base, "state") }
  })
  fs.rmSync(base, { recursive: true })
  return file
}

/**
 * @param {import("playwright-core").Page} page
 * @param {string} name
 */
const save = async (page, name) => {
  const file = path.join(images, `${name}.png`)
  await page.screenshot({ path: file, animations: "disabled" })
  const { size } = fs.statSync(file)
  if (size > mostBytes) throw new Error(`${file} has ${size} bytes, more than ${mostBytes}`)
  console.log(`${path.relative(root, file).padEnd(40)} ${(size / 1000).toFixed(0).padStart(5)} KB`)
}

const directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "lint-ai-screenshots-")))
const browser = await chromium.launch({ executablePath: chromiumPath(), args: chromiumArguments() })
try {
  fs.mkdirSync(images, { recursive: true })
  const address = pathToFileURL(await demoPage(directory)).href
  for (const scheme of /** @type {const} */ (["light", "dark"])) {
    const page = await browser.newPage({
      viewport: { width: 1180, height: 760 },
      deviceScaleFactor: 1.25,
      colorScheme: scheme
    })
    await page.goto(address)
    await page.waitForSelector(".entry")
    await page.mouse.move(0, 0)
    await save(page, `viewer-${scheme}`)
    // The call that read a file with secrets, opened.
    await page.locator(".entry.tool", { hasText: ".env" }).locator(".open").click()
    await page.waitForSelector(".entry.is-open .detail")
    await page.evaluate("scrollTo(0, document.getElementById('timeline').offsetTop - 80)")
    await page.mouse.move(0, 0)
    await page.waitForTimeout(200)
    await save(page, `viewer-timeline-${scheme}`)
    await page.close()
  }
} finally {
  await browser.close()
  fs.rmSync(directory, { recursive: true, force: true })
}
