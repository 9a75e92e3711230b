import { Buffer } from "node:buffer"
import { sha256 } from "../platform/digest.ts"
import type { PageAssets } from "./pageAssets.ts"

/** A block of data in a page: JSON that no browser runs, found by its id. */
export interface DataBlock {
  readonly id: string
  readonly data: unknown
}

/**
 * What the page may do: run the one script and use the one style whose digests are named, and nothing else. No network, no frames, no forms, no
 * plugins; and no string ever becomes markup or code (trusted types).
 */
export const contentPolicy = (assets: PageAssets): string =>
  [
    "default-src 'none'",
    `script-src '${integrityOf(assets.script)}'`,
    `style-src '${integrityOf(assets.style)}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'"
  ].join("; ")

const integrityOf = (text: string): string => `sha256-${Buffer.from(sha256(text), "hex").toString("base64")}`

/**
 * One HTML file that needs nothing else. What was recorded is in it as data only: in the title it is escaped, in the blocks it cannot end its
 * element.
 */
export const htmlPage = (page: {
  readonly title: string
  readonly assets: PageAssets
  readonly blocks: ReadonlyArray<DataBlock>
}): string =>
  [
    "<!doctype html>\n",
    '<html lang="en">\n<head>\n<meta charset="utf-8">\n',
    `<meta http-equiv="Content-Security-Policy" content="${escapeHtml(contentPolicy(page.assets))}">\n`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
    '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n',
    `<title>${escapeHtml(page.title)}</title>\n`,
    `<style>${page.assets.style}</style>\n`,
    '</head>\n<body>\n<div id="page"></div>\n',
    "<noscript><p>This page shows its data with a script of its own. Allow scripts for this file to read it.</p></noscript>\n",
    ...page.blocks.map(
      ({ id, data }) => `<script type="application/json" id="${escapeHtml(id)}">${inertJson(data)}</script>\n`
    ),
    `<script>${page.assets.script}</script>\n`,
    "</body>\n</html>\n"
  ].join("")

/**
 * JSON without anything that HTML or JavaScript could take for its own: `</script>`, `<!--`, and the line ends that only JavaScript knows. Nor with
 * characters that turn the writing round for who reads the file itself.
 */
export const inertJson = (data: unknown): string =>
  JSON.stringify(data).replace(
    /[<\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"'\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, (character) => {
    const known = entities[character]
    return known ?? "\ufffd"
  })

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}
