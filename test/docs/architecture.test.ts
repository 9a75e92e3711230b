import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { root } from "./documents.ts"

const src = path.join(root, "src")
const folders = fs
  .readdirSync(src, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name)

/** The row of the picture in which each folder stands, as its height in it: what is lower has a larger one. */
const rows = new Map(
  [
    ...fs
      .readFileSync(path.join(root, "docs/images/architecture.svg"), "utf8")
      .matchAll(/<text class="name"[^>]* y="(\d+)"[^>]*>([^<]*)</g)
  ].flatMap(([, y, names = ""]) => names.split(", ").map((name) => [name, Number(y)] as const))
)

/** Where a file imports from, as paths from src. */
const importsOf = (file: string): ReadonlyArray<string> =>
  [...fs.readFileSync(path.join(src, file), "utf8").matchAll(/(?:from |import\()"(\.[^"]*)"/g)].map(([, target = ""]) =>
    path.join(path.dirname(file), target)
  )

const imports = fs
  .readdirSync(src, { recursive: true, encoding: "utf8" })
  .filter((name) => /\.tsx?$/.test(name))
  .flatMap((file) => importsOf(file).map((target) => ({ file, target })))

const folderOf = (file: string): string => file.split(path.sep)[0] ?? ""

describe("docs/architecture.md", () => {
  it("has every folder of the sources in its picture and in its table", () => {
    const text = fs.readFileSync(path.join(root, "docs/architecture.md"), "utf8")
    assert.sameMembers([...rows.keys()], folders)
    assert.deepStrictEqual(
      folders.filter((folder) => !text.includes(`\`${folder}/\``)),
      []
    )
  })

  it("is right in that imports go down only", () => {
    assert.isAbove(imports.length, 1_000)
    const upward = imports.filter(({ file, target }) => {
      const [from, to] = [rows.get(folderOf(file)), rows.get(folderOf(target))]
      return from !== undefined && to !== undefined && to < from
    })
    assert.deepStrictEqual(upward, [])
  })

  it("is right in that no agent's folder imports another agent's, and only the program imports cli", () => {
    const agentOf = (file: string) => /^providers[\\/](antigravity|claude|codex|gemini)[\\/]/.exec(file)?.[1]
    const wrong = imports.filter(({ file, target }) => {
      const [from, to] = [agentOf(file), agentOf(target)]
      if (from !== undefined && to !== undefined && from !== to) return true
      return folderOf(target) === "cli" && folderOf(file) !== "cli" && file !== "main.ts"
    })
    assert.deepStrictEqual(wrong, [])
  })
})
