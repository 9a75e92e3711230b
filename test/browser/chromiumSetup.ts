import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import type { TestProject } from "vitest/node"

declare module "vitest" {
  interface ProvidedContext {
    /** Absolute path of a Chromium. */
    readonly chromium: string
  }
}

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
const places = [...(process.env.PATH ?? "").split(path.delimiter), "/usr/bin", "/snap/bin"]
const onMac = [
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
]

const find = (): string | undefined =>
  [...places.flatMap((place) => names.map((name) => path.join(place, name))), ...onMac].find((file) =>
    fs.existsSync(file)
  )

/** Debian's own package, with fonts to draw with. */
const install = (): void => {
  for (const args of [["update"], ["install", "-y", "--no-install-recommends", "chromium", "fonts-dejavu-core"]]) {
    spawnSync("apt-get", args, { stdio: "inherit", env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } })
  }
}

export default (project: TestProject) => {
  const given = process.env.LINT_AI_TEST_CHROMIUM
  if (given === undefined && find() === undefined && process.getuid?.() === 0 && fs.existsSync("/usr/bin/apt-get")) {
    install()
  }
  const chromium = given ?? find()
  if (chromium === undefined) {
    throw new Error(
      "These tests need Chromium. Install the package `chromium` (on Debian: apt-get install chromium), or name one with LINT_AI_TEST_CHROMIUM."
    )
  }
  project.provide("chromium", chromium)
}
