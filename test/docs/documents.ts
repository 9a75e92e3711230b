import * as fs from "node:fs"
import * as path from "node:path"
import { type Document, readMarkdown } from "./markdown.ts"

export const root = path.join(import.meta.dirname, "../..")

/** The documents of the project, as paths from its root. */
export const documentNames: ReadonlyArray<string> = [
  ...fs.readdirSync(root).filter((name) => name.endsWith(".md")),
  ...fs
    .readdirSync(path.join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => path.join("docs", name))
].sort()

export const documentOf = (name: string): Document => readMarkdown(fs.readFileSync(path.join(root, name), "utf8"))
