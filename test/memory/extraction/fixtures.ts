import * as fs from "node:fs"
import * as path from "node:path"

/** A table of what the reference system does: test/fixtures/extraction. */
export const fixture = <T>(name: string): T =>
  JSON.parse(fs.readFileSync(path.join(import.meta.dirname, "../../fixtures/extraction", name), "utf8"))
