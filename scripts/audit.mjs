// What of others is shipped (`npm run audit`): every package that is bundled or installed with lint-ai and its licence, and what the registry knows of faults
// in them. Fails on a licence that nobody has looked at, and on a known fault of a shipped package. A registry that does not answer is said, and fails nothing.
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { buildWhenStale, root } from "./build.mjs"

/** Licences that ask for no more than their text beside the program. Another one is looked at by a person first. */
const accepted = new Set(["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BlueOak-1.0.0", "ISC", "MIT", "Zlib"])
/** Looked at: the compiled binary is bun's own, and its notice says where the source of its LGPL parts is. */
const lookedAt = new Set(["bun"])

/** @typedef {{ readonly name: string, readonly version: string, readonly license: string, readonly how: "bundled" | "installed" }} Shipped */

/** What a bundle holds, as the build wrote it beside it. */
const bundled = async () => {
  const text = fs.readFileSync(path.join(await buildWhenStale(), "THIRD_PARTY_LICENSES"), "utf8")
  /** @type {Array<Shipped>} */
  const found = []
  for (const [, name = "", version = "", license = ""] of text.matchAll(/^-{100}\n(\S+) (\S+) \(([^)\n]+)\)$/gm)) {
    found.push({ name, version, license: license.split(";")[0] ?? "", how: "bundled" })
  }
  if (found.length === 0) throw new Error("THIRD_PARTY_LICENSES names no package: its form has changed")
  return found
}

/** What npm installs beside it: the optional dependencies and theirs. */
const installed = () => {
  const lock = JSON.parse(fs.readFileSync(path.join(root, "package-lock.json"), "utf8"))
  /** @type {Array<Shipped>} */
  const found = []
  for (const [place, entry] of Object.entries(lock.packages)) {
    // `optional` alone: wanted by what is shipped. `dev` or `devOptional`: by what builds and tests it.
    if (place === "" || entry.dev === true || entry.devOptional === true || entry.peer === true) continue
    const name = place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length)
    found.push({ name, version: entry.version, license: entry.license ?? "not said", how: "installed" })
  }
  return found
}

const shipped = [...(await bundled()), ...installed()].sort((a, b) => (a.name < b.name ? -1 : 1))
const unlisted = shipped.filter(
  ({ name, license }) => !lookedAt.has(name) && !license.split(/ OR |[()]/).some((one) => accepted.has(one.trim()))
)
for (const { name, version, license, how } of shipped) {
  console.log(`${`${name} ${version}`.padEnd(44)} ${license.padEnd(14)} ${how}`)
}
for (const { name, version, license } of unlisted) {
  console.error(`${name} ${version}: nobody has looked at its licence, ${license}`)
}

// All of them, because what is bundled is a development dependency for npm.
const { stdout } = spawnSync("npm", ["audit", "--json"], { cwd: root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 })
/** @type {Record<string, { severity: string, via: ReadonlyArray<unknown> }> | undefined} */
let vulnerabilities
try {
  vulnerabilities = JSON.parse(stdout).vulnerabilities
} catch {
  // Not even an answer.
}
const names = new Set(shipped.map(({ name }) => name))
const faulty = Object.entries(vulnerabilities ?? {}).filter(([name]) => names.has(name))
if (vulnerabilities === undefined) console.log("\nThe registry did not answer: known faults were not asked for.")
else {
  const others = Object.keys(vulnerabilities).length - faulty.length
  console.log(`\n${faulty.length} known faults in what is shipped, ${others} in what builds and tests it.`)
}
for (const [name, { severity }] of faulty)
  console.error(`${name}: a known fault (${severity}); \`npm audit\` says more`)

const out = process.env.LINT_AI_PROOF_DIR
if (out !== undefined) {
  fs.mkdirSync(out, { recursive: true })
  const known = vulnerabilities === undefined ? "not asked" : faulty.length
  const result = { date: new Date().toISOString(), packages: shipped, known_faults: known }
  fs.writeFileSync(path.join(out, "audit.json"), `${JSON.stringify(result, undefined, 2)}\n`)
}
process.exitCode = unlisted.length + faulty.length === 0 ? 0 : 1
