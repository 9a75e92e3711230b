import * as fs from "node:fs"
import * as path from "node:path"

/** Golden vectors: records that the public Go and Python writers of AIR wrote, and what its Python verifier said of them. */
export const vectors = path.join(import.meta.dirname, "../../fixtures/air")
export const vectorKey = "lint-ai-vector-key-0001"
export const readVector = (name: string) => JSON.parse(fs.readFileSync(path.join(vectors, name), "utf8"))
