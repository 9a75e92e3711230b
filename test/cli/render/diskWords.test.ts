import * as os from "node:os"
import { assert, describe, it } from "vitest"
import { diskSentence } from "../../../src/cli/render/diskWords.ts"
import { DiskError } from "../../../src/platform/Disk.ts"

describe("a failed file operation", () => {
  it("is told as a sentence that ends with the system's own words", () => {
    const told = diskSentence(new DiskError({ operation: "open", path: "/p/x", code: "EROFS" }))
    assert.strictEqual(told, "/p/x: the file system is read-only. (open EROFS)")
  })

  it("is a sentence for every code that the system has", () => {
    for (const code of [...Object.keys(os.constants.errno), "EFTYPE", "UNKNOWN"])
      assert.match(
        diskSentence(new DiskError({ operation: "open", path: "/p", code })),
        /^\/p: [a-z].*\. \(open \w+\)$/
      )
  })
})
