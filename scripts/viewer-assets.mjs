// Builds the script and the style of the viewer's pages (src/viewer/page) into two strings.
//
//   node scripts/viewer-assets.mjs    tells how large they are
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { rolldown } from "rolldown"
import { packageOf } from "./licenses.mjs"

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const source = path.join(root, "src", "viewer", "page")
const cache = path.join(root, ".cache", "viewer")

/**
 * What the pages are made of: their sources, and those outside of their folder that they share with the program.
 *
 * @returns digest of it all
 */
const inputsDigest = () => {
  const hash = crypto.createHash("sha256")
  const shared = ["src/viewer", "src/export"].flatMap((folder) =>
    fs
      .readdirSync(path.join(root, folder))
      .filter((name) => name.endsWith(".ts"))
      .map((name) => path.join(root, folder, name))
  )
  const own = fs.readdirSync(source, { recursive: true, encoding: "utf8" }).map((name) => path.join(source, name))
  const lock = path.join(root, "package-lock.json")
  for (const file of [...own, ...shared, lock, fileURLToPath(import.meta.url)].sort()) {
    if (!fs.statSync(file).isFile()) continue
    const bytes = fs.readFileSync(file)
    hash.update(`${path.relative(root, file)}\n${bytes.length}\n`).update(bytes)
  }
  return hash.digest("hex").slice(0, 16)
}

/**
 * The assets of the sources as they are: from the cache when they were built from the same before.
 *
 * @returns {Promise<{ script: string, style: string, packages: ReadonlyArray<string> }>} `packages`: directories of the packages in it, from the root
 */
export const viewerAssets = async () => {
  const file = path.join(cache, `${inputsDigest()}.json`)
  try {
    return JSON.parse(fs.readFileSync(file, "utf8"))
  } catch {
    // Not built yet.
  }
  const assets = { ...(await script()), style: style() }
  fs.mkdirSync(cache, { recursive: true })
  const partial = `${file}.${process.pid}`
  fs.writeFileSync(partial, JSON.stringify(assets))
  fs.renameSync(partial, file)
  return assets
}

/**
 * A plugin that puts the built assets in the place of src/viewer/pageAssets.ts.
 *
 * @returns {Promise<import("rolldown").Plugin>}
 */
export const embeddedViewerAssets = async () => {
  const { packages, ...pages } = await viewerAssets()
  const assets = JSON.stringify(pages)
  const replaced = path.join(root, "src", "viewer", "pageAssets.ts")
  return {
    name: "viewer-assets",
    load: (id) =>
      id === replaced
        ? {
            code: `const assets = ${assets}\nexport const loadPageAssets = async () => assets\n`,
            moduleType: "js",
            // For scripts/licenses.mjs: no module of them is in the program by itself.
            meta: { packages: packages.map((directory) => path.join(root, directory)) }
          }
        : undefined
  }
}

const script = async () => {
  const build = await rolldown({
    input: path.join(source, "main.tsx"),
    platform: "browser",
    tsconfig: path.join(source, "tsconfig.json"),
    transform: {
      target: "es2022",
      define: { "process.env.NODE_ENV": '"production"' }
    },
    logLevel: "warn"
  })
  const { output } = await build.generate({ format: "iife", minify: true, codeSplitting: false })
  await build.close()
  const [chunk] = output
  if (output.length !== 1 || chunk.type !== "chunk") throw new Error("the viewer's script is more than one file")
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

const style = () => {
  const text = fs.readFileSync(path.join(source, "page.css"), "utf8")
  return text
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/\s*\n\s*/g, "\n")
    .trim()
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(fs.realpathSync(process.argv[1])).href) {
  const { script, style } = await viewerAssets()
  for (const [name, text] of Object.entries({ script, style })) {
    console.log(`${name.padEnd(8)} ${(text.length / 1024).toFixed(1).padStart(6)} KiB`)
  }
}
