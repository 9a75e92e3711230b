// Builds the script and the style of the page that `lint-ai ui` serves (src/ui/page) into two strings. Its style is that of the viewer, and more.
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"
import { packageOf } from "./licenses.mjs"
import { viewerAssets } from "./viewer-assets.mjs"

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const source = path.join(root, "src", "ui", "page")

/** @returns {Promise<{ script: string, style: string, packages: ReadonlyArray<string> }>} `packages`: directories of the packages in it */
export const uiAssets = async () => {
  const own = fs
    .readFileSync(path.join(source, "page.css"), "utf8")
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/\s*\n\s*/g, "\n")
    .trim()
  return { ...(await script()), style: `${(await viewerAssets()).style}\n${own}` }
}

/**
 * A plugin that puts the built assets in the place of src/ui/pageAssets.ts.
 *
 * @returns {Promise<import("rolldown").Plugin>}
 */
export const embeddedUiAssets = async () => {
  const { packages, ...pages } = await uiAssets()
  const assets = JSON.stringify(pages)
  const replaced = path.join(root, "src", "ui", "pageAssets.ts")
  return {
    name: "ui-assets",
    load: (id) =>
      id === replaced
        ? {
            code: `const assets = ${assets}\nexport const loadPageAssets = async () => assets\n`,
            moduleType: "js",
            // For scripts/licenses.mjs: no module of them is in the program by itself.
            meta: { packages }
          }
        : undefined
  }
}

const script = async () => {
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
  if (output.length !== 1 || chunk.type !== "chunk") throw new Error("the script of the page is more than one file")
  const packages = new Set(chunk.moduleIds.map(packageOf).filter((directory) => directory !== undefined))
  return {
    // In a script element, these end or nest it whatever JavaScript says. In strings and patterns the escape means the same.
    script: chunk.code
      .trim()
      .replace(/<\/(script)/gi, "<\\/$1")
      .replace(/<!--/g, "<\\!--"),
    packages: [...packages].sort()
  }
}
