// Where a Chromium is, for tests of the pages and for pictures of them.
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
const places = [...(process.env.PATH ?? "").split(path.delimiter), "/usr/bin", "/snap/bin"]
const onMac = [
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
]

const find = () =>
  [...places.flatMap((place) => names.map((name) => path.join(place, name))), ...onMac].find((file) =>
    fs.existsSync(file)
  )

/** Debian's own package, with a font to draw with. */
const install = () => {
  for (const args of [["update"], ["install", "-y", "--no-install-recommends", "chromium", "fonts-dejavu-core"]]) {
    spawnSync("apt-get", args, { stdio: "inherit", env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } })
  }
}

/**
 * The absolute path of a Chromium: the one that LINT_AI_TEST_CHROMIUM names, or one that is installed. Root on Debian installs it. Throws where there
 * is none and says what to install.
 */
export const chromiumPath = () => {
  const given = process.env.LINT_AI_TEST_CHROMIUM
  if (given !== undefined) return given
  if (find() === undefined && process.getuid?.() === 0 && fs.existsSync("/usr/bin/apt-get")) install()
  const found = find()
  if (found !== undefined) return found
  throw new Error(
    "This needs Chromium. Install the package `chromium` (on Debian: apt-get install chromium), or name one with LINT_AI_TEST_CHROMIUM."
  )
}

/** Chromium refuses to run as root with its sandbox. */
export const chromiumArguments = () => (process.getuid?.() === 0 ? ["--no-sandbox"] : [])
