// Builds the script and the style of the pages into two strings each: those of files (src/viewer/page), and the one that `lint-ai ui` serves (src/ui/page).
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"
import { packageOf } from "./licenses.mjs"

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const cache = path.join(root, ".cache", "pages")

/** @typedef {{ script: string, style: string, packages: ReadonlyArray<string> }} Assets `packages`: directories of the packages in it, from the root */

/**
 * The assets of the pages of `src/<part>/page`, as the sources are now: from the cache when they were built from the same before.
 *
 * @param {"viewer" | "ui"} part
 * @returns {Promise<Assets>}
 */
export const pageAssets = async (part) => {
  const file = path.join(cache, `${part}-${inputsDigest()}.json`)
  try {
    return JSON.parse(fs.readFileSync(file, "utf8"))
  } catch {
    // Not built yet.
  }
  const source = path.join(root, "src", part, "page")
  const assets = { ...(await script(source)), style: style(path.join(source, "page.css")) }
  fs.mkdirSync(cache, { recursive: true })
  const partial = `${file}.${process.pid}`
  fs.writeFileSync(partial, JSON.stringify(assets))
  fs.renameSync(partial, file)
  return assets
}

/**
 * A plugin that puts the built assets in the place of src/viewer/pageAssets.ts and src/ui/pageAssets.ts.
 *
 * @returns {Promise<import("rolldown").Plugin>}
 */
export const embeddedPageAssets = async () => {
  const parts = /** @type {const} */ (["viewer", "ui"])
  const built = new Map(
    await Promise.all(parts.map(async (part) => /** @type {const} */ ([modulePath(part), await pageAssets(part)])))
  )
  return {
    name: "page-assets",
    load: (id) => {
      const assets = built.get(id)
      if (assets === undefined) return undefined
      const { packages, ...page } = assets
      return {
        code: `const assets = ${JSON.stringify(page)}\nexport const loadPageAssets = async () => assets\n`,
        moduleType: "js",
        // For scripts/licenses.mjs: no module of them is in the program by itself.
        meta: { packages: packages.map((directory) => path.join(root, directory)) }
      }
    }
  }
}

/** @param {string} part */
const modulePath = (part) => path.join(root, "src", part, "pageAssets.ts")

/** Digest of what the pages are made of: their sources, and those outside of their folders that they share with the program. */
const inputsDigest = () => {
  const hash = crypto.createHash("sha256")
  const shared = ["src/viewer", "src/ui", "src/export", "src/domain"].flatMap((folder) =>
    fs
      .readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
      .map((name) => path.join(root, folder, name))
  )
  const lock = path.join(root, "package-lock.json")
  for (const file of [...shared, lock, fileURLToPath(import.meta.url)].sort()) {
    if (!fs.statSync(file).isFile()) continue
    const bytes = fs.readFileSync(file)
    hash.update(`${path.relative(root, file)}\n${bytes.length}\n`).update(bytes)
  }
  return hash.digest("hex").slice(0, 16)
}

/** @param {string} source directory of a page */
const script = async (source) => {
  const build = await rolldown({
    input: path.join(source, "main.tsx"),
    platform: "browser",
    tsconfig: path.join(source, "tsconfig.json"),
    transform: { target: "es2022", define: { "process.env.NODE_ENV": '"production"' } },
    logLevel: "warn"
  })
  const { output } = await build.generate({ format: "iife", minify: true, codeSplitting: false })
  await build.close()
  const [chunk] = output
  if (output.length !== 1 || chunk.type !== "chunk") throw new Error(`the script of ${source} is more than one file`)
  const packages = new Set(chunk.moduleIds.map(packageOf).filter((directory) => directory !== undefined))
  return {
    // In a script element, these end or nest it whatever JavaScript says. In strings and patterns the escape means the same.
    script: chunk.code
      .trim()
      .replace(/<\/(script)/gi, "<\\/$1")
      .replace(/<!--/g, "<\\!--")
      // A page has no character that is not seen, its own script included.
      .replace(
        /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
        (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
      ),
    packages: [...packages].map((directory) => path.relative(root, directory)).sort()
  }
}

/**
 * A style with those that it imports in their places.
 *
 * @param {string} file
 * @returns {string}
 */
const style = (file) =>
  fs
    .readFileSync(file, "utf8")
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/@import "(.*)";/g, (_, imported) => style(path.join(path.dirname(file), imported)))
    .replace(/\s*\n\s*/g, "\n")
    .trim()
