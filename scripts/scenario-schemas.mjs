// Writes the JSON Schemas of scenarios, evaluations and experiments into docs/json, from the schemas by which they are read.
//
//   node scripts/scenario-schemas.mjs          writes them
//   node scripts/scenario-schemas.mjs --check  fails when one of them is not what it would write

import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { rolldown } from "rolldown"

const root = resolve(fileURLToPath(import.meta.url), "../..")
const target = join(root, "docs/json")
/** As `npm run fix` would write it. @type {(path: string, text: string) => string} */
const formatted = (path, text) => {
  const biome = join(root, "node_modules/@biomejs/biome/bin/biome")
  const ran = spawnSync(process.execPath, [biome, "format", `--stdin-file-path=${path}`], {
    cwd: root,
    encoding: "utf8",
    input: text
  })
  if (ran.status !== 0) throw new Error(`biome could not format ${path}:\n${ran.stderr}`)
  return ran.stdout
}

const work = mkdtempSync(join(tmpdir(), "lint-ai-schemas-"))
try {
  mkdirSync(target, { recursive: true })
  const schemas = {}
  for (const of of ["scenario", "experiment"]) {
    const built = await rolldown({ input: join(root, `src/${of}/jsonSchema.ts`), platform: "node" })
    const file = join(work, `${of}.mjs`)
    await built.write({ file, format: "esm" })
    await built.close()
    Object.assign(schemas, (await import(pathToFileURL(file).href))[`${of}Schemas`]())
  }
  for (const [name, schema] of Object.entries(schemas)) {
    const path = join(target, name)
    const text = formatted(path, `${JSON.stringify(schema, undefined, 2)}\n`)
    if (!process.argv.includes("--check")) writeFileSync(path, text)
    else if (!existsSync(path) || readFileSync(path, "utf8") !== text) {
      console.error(`docs/json/${name} is not what the sources give: run node scripts/scenario-schemas.mjs`)
      process.exitCode = 1
    }
  }
} finally {
  rmSync(work, { recursive: true, force: true })
}
