import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { documentNames, documentOf, root } from "./documents.ts"

describe("links", () => {
  for (const name of documentNames) {
    it(`of ${name} lead to files and headings that are there`, () => {
      const dead: Array<string> = []
      for (const { target, line } of documentOf(name).links) {
        if (/^[a-z]+:/i.test(target)) continue
        const [file = "", anchor] = target.split("#")
        const where = file === "" ? name : path.join(path.dirname(name), decodeURIComponent(file))
        if (!fs.existsSync(path.join(root, where))) dead.push(`line ${line}: ${target}: no such file`)
        else if (anchor !== undefined && where.endsWith(".md") && !documentOf(where).anchors.has(anchor)) {
          dead.push(`line ${line}: ${target}: no such heading`)
        }
      }
      assert.deepStrictEqual(dead, [])
    })
  }

  it("and paths of sources that are named in any document are there", () => {
    const gone = documentNames.flatMap((name) => {
      const text = fs.readFileSync(path.join(root, name), "utf8").replace(/^```[\s\S]*?^```/gm, "")
      return [...text.matchAll(/`((?:src|test|scripts|bench|docs)\/[\w./-]+)`/g)]
        .map(([, named = ""]) => named.replace(/\/$/, ""))
        .filter((named) => !["", ".ts", ".test.ts"].some((end) => fs.existsSync(path.join(root, `${named}${end}`))))
        .map((named) => `${name}: ${named}`)
    })
    assert.deepStrictEqual(gone, [])
  })

  it("lead from the README to every document", () => {
    const reached = new Set<string>()
    const follow = (name: string) => {
      if (reached.has(name) || !documentNames.includes(name)) return
      reached.add(name)
      for (const { target } of documentOf(name).links) {
        const file = target.split("#")[0] ?? ""
        if (file.endsWith(".md") && !/^[a-z]+:/i.test(file)) follow(path.join(path.dirname(name), file))
      }
    }
    follow("README.md")
    assert.deepStrictEqual(
      documentNames.filter((name) => !reached.has(name)),
      []
    )
  })
})
