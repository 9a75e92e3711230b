// Writes the JSON Schemas of what commands print with --json into docs/json, from src/cli/documents.
//
//   node scripts/json-schemas.mjs          writes them, and removes those of commands that are gone
//   node scripts/json-schemas.mjs --check  fails when one of them is not what it would write
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { rolldown } from "rolldown"

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const target = path.join(root, "docs", "json")

/** @returns {Promise<Readonly<Record<string, object>>>} */
const schemas = async () => {
  const work = fs.mkdtempSync(path.join(root, ".cache", "json-schemas-"))
  try {
    const build = await rolldown({
      input: path.join(root, "src", "cli", "documents", "jsonSchema.ts"),
      platform: "node",
      resolve: { mainFields: ["module", "main"] }
    })
    await build.write({ dir: work, format: "esm", entryFileNames: "schemas.mjs" })
    await build.close()
    return (await import(pathToFileURL(path.join(work, "schemas.mjs")).href)).outputSchemas()
  } finally {
    fs.rmSync(work, { recursive: true, force: true })
  }
}

/**
 * The texts as `npm run fix` would write them, all in one run of the formatter.
 *
 * @param {Readonly<Record<string, object>>} documents
 * @returns {ReadonlyArray<readonly [string, string]>}
 */
const formatted = (documents) => {
  const work = fs.mkdtempSync(path.join(root, ".cache", "json-schemas-"))
  try {
    for (const [name, schema] of Object.entries(documents)) {
      fs.writeFileSync(path.join(work, name), `${JSON.stringify(schema, undefined, 2)}\n`)
    }
    fs.copyFileSync(path.join(root, "biome.json"), path.join(work, "biome.json"))
    const settings = JSON.parse(fs.readFileSync(path.join(work, "biome.json"), "utf8"))
    fs.writeFileSync(path.join(work, "biome.json"), JSON.stringify({ formatter: settings.formatter }))
    const biome = path.join(root, "node_modules", "@biomejs", "biome", "bin", "biome")
    const run = spawnSync(process.execPath, [biome, "format", "--write", "."], { cwd: work, encoding: "utf8" })
    if (run.status !== 0) throw new Error(`biome could not format the schemas:\n${run.stderr}`)
    return Object.keys(documents).map(
      (name) => /** @type {const} */ ([name, fs.readFileSync(path.join(work, name), "utf8")])
    )
  } finally {
    fs.rmSync(work, { recursive: true, force: true })
  }
}

fs.mkdirSync(path.join(root, ".cache"), { recursive: true })
fs.mkdirSync(target, { recursive: true })
const wanted = new Map(formatted(await schemas()))
const there = fs.readdirSync(target).filter((name) => name.endsWith(".output.schema.json"))
const differing = [...new Set([...wanted.keys(), ...there])].filter((name) => {
  const file = path.join(target, name)
  return !fs.existsSync(file) || fs.readFileSync(file, "utf8") !== wanted.get(name)
})
if (process.argv.includes("--check")) {
  for (const name of differing) {
    console.error(`docs/json/${name} is not what the sources give: run node scripts/json-schemas.mjs`)
  }
  if (differing.length > 0) process.exitCode = 1
} else {
  for (const name of differing) {
    const text = wanted.get(name)
    if (text === undefined) fs.rmSync(path.join(target, name))
    else fs.writeFileSync(path.join(target, name), text)
  }
  console.log(`${wanted.size} schemas in docs/json, ${differing.length} written`)
}
