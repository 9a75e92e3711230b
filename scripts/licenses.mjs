// THIRD_PARTY_LICENSES: what of others is in what is shipped, and on which terms.
import * as fs from "node:fs"
import * as path from "node:path"

/** Terms that ask for no more than their text beside the program. Anything else is looked at by a person first. */
const known = new Set(["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BlueOak-1.0.0", "ISC", "MIT", "Zlib"])

/**
 * A rolldown plugin that notes the directory of every package a module of which is bundled.
 *
 * @param {Set<string>} directories
 * @returns {import("rolldown").Plugin}
 */
export const notesPackages = (directories) => ({
  name: "notes-packages",
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== "chunk") continue
      for (const id of chunk.moduleIds) {
        const directory = packageOf(id)
        if (directory !== undefined) directories.add(directory)
        // A module into which another bundle was put says what that holds.
        for (const inside of this.getModuleInfo(id)?.meta.packages ?? []) directories.add(inside)
      }
    }
  }
})

/**
 * The directory of the package that a module is in: `/x/node_modules/@a/b` of `/x/node_modules/@a/b/c.js`.
 *
 * @param {string} id
 */
export const packageOf = (id) => {
  const file = id.replace(/^\0/, "").replace(/[?#].*$/, "")
  return /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(file)?.[1]
}

/**
 * @param {Iterable<string>} directories of packages
 * @returns the text for the file; throws where a package does not say its terms, or says others than those known here
 */
export const licensesOf = (directories) => {
  const packages = [...directories].map(described).sort((a, b) => (a.title < b.title ? -1 : 1))
  return [
    "lint-ai contains code of these packages, each under its own terms.",
    ...packages.map(({ title, license, text }) => `${"-".repeat(100)}\n${title} (${license})\n\n${text}`),
    ""
  ].join("\n\n")
}

/** @param {string} directory */
const described = (directory) => {
  const { name, version, license, author } = JSON.parse(fs.readFileSync(path.join(directory, "package.json"), "utf8"))
  const title = `${name} ${version}`
  if (typeof license !== "string" || !license.split(/ OR |[()]/).some((one) => known.has(one))) {
    throw new Error(
      `${title}: its license is ${JSON.stringify(license)}; look at it, then add it to scripts/licenses.mjs`
    )
  }
  const file = fs.readdirSync(directory).find((entry) => /^(licen[cs]e|copying)/i.test(entry))
  const holder = typeof author === "string" ? author : author?.name
  const text =
    file === undefined
      ? `The package has no file with its terms. Its package.json names ${license}${holder === undefined ? "" : ` and ${holder}`}.`
      : fs.readFileSync(path.join(directory, file), "utf8").replaceAll("\r\n", "\n").trim()
  return { title, license, text }
}

/**
 * What a compiled binary contains besides the bundle. bun's packages on npm hold no text of its terms.
 *
 * @param {string} version of bun
 */
export const bunNotice = (version) => `${"-".repeat(100)}
bun ${version} (MIT; contains parts under other terms)

The binary is the executable of bun ${version} with lint-ai's bundle appended to it. bun is under the MIT license. It is statically linked
with JavaScriptCore and other parts of WebKit and with tinycc, which are under the GNU Lesser General Public License, and with libraries
under other terms. The list with all of them, the source of these parts, and how to link bun anew with changed ones:

  https://github.com/oven-sh/bun/blob/bun-v${version}/LICENSE.md

To make this binary with another bun, take the bundle out of the npm package "lint-ai" (dist/program.mjs and the files beside it), which is
under the Apache License 2.0, and run that bun: bun build --compile program.mjs
`
