import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, inject, it } from "@effect/vitest"

const holds = (directory: string, text: string): ReadonlyArray<string> =>
  fs.readdirSync(directory).filter((name) => fs.readFileSync(path.join(directory, name)).includes(text))

describe("the program that is shipped", () => {
  it("has no trace of the fault points that the other one has", () => {
    for (const variable of ["LINT_AI_TEST_FAULTS", "LINT_AI_TEST_TRACE", "LINT_AI_TEST_CLOCK_MS"]) {
      assert.isNotEmpty(holds(inject("faultyProgram"), variable))
      assert.deepStrictEqual(holds(inject("builtProgram"), variable), [])
    }
  })
})
