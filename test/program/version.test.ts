import { spawnSync } from "node:child_process"
import * as path from "node:path"
import { assert, describe, inject, it } from "vitest"

describe("--version", () => {
  for (const [name, build, program] of [
    ["the binary", "compiled", () => [path.join(inject("builtProgram"), "lint-ai")]],
    ["the bundle", "bundle", () => [process.execPath, path.join(inject("builtProgram"), "main.mjs")]]
  ] as const) {
    it(`of ${name} is a line for a person and one JSON document for a program`, () => {
      const [command = "", ...args] = program()
      const run = (...more: ReadonlyArray<string>) => {
        const { status, stdout } = spawnSync(command, [...args, "--version", ...more], { env: {}, encoding: "utf8" })
        assert.strictEqual(status, 0)
        return stdout
      }
      const facts = JSON.parse(run("--json"))
      assert.strictEqual(facts.build, build)
      assert.match(facts.commit ?? "0000000", /^[0-9a-f]{7}(-dirty)?$/)
      assert.isNull(facts.date)
      const kind = facts.target === null ? `${build} on ${facts.runtime}` : `${build} ${facts.target}`
      const commit = facts.commit === null ? "" : `${facts.commit}, `
      assert.strictEqual(run(), `lint-ai ${facts.version} (${commit}${kind})\n`)
    })
  }
})
