import { assert, describe, it } from "@effect/vitest"
import { inputSummary, oneLine } from "../../src/viewer/summary.ts"

describe("what a tool call is about, in one line", () => {
  const rows: ReadonlyArray<readonly [input: unknown, line: string]> = [
    [{ command: "npm test", description: "Run the tests" }, "npm test"],
    [{ command: ["bash", "-lc", "ls -la"] }, "bash -lc ls -la"],
    [{ file_path: "/home/dev/app/src/a.ts", old_string: "x" }, "src/a.ts"],
    [{ pattern: "TODO", path: "/home/dev/app/src" }, "TODO"],
    [{ Absolute: "", CommandLine: "go build" }, "go build"],
    [{ odd: { nested: "value" } }, "value"],
    ["*** Begin Patch\n*** Update File: a.ts", "*** Begin Patch *** Update File: a.ts"],
    [{ count: 3 }, "3"],
    [{}, ""],
    [undefined, ""],
    [null, ""]
  ]
  for (const [input, line] of rows) {
    it(`${JSON.stringify(input)} is ${JSON.stringify(line)}`, () => {
      assert.strictEqual(inputSummary(input, "/home/dev/app"), line)
    })
  }

  it("is short, whatever it was, and ends on a whole character", () => {
    const line = oneLine("\u{1f600} ".repeat(10_000))
    assert.strictEqual([...line].length, 180)
    assert.isTrue(line.endsWith("…"))
    assert.notMatch(line, /[\ud800-\udfff](?![\udc00-\udfff])(?<![\ud800-\udbff][\udc00-\udfff])/)
  })
})
