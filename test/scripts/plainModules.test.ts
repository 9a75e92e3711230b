import { describe, expect, it } from "vitest"
import { withPlainModules } from "../../scripts/plainModules.mjs"

const chunk = (use: string) => `let node_fs = require("node:fs");
let node_path = require("node:path");
node_fs = __toESM(node_fs, 1);
node_path = __toESM(node_path, 1);
${use}
`

describe("the copies of Node's modules in a bundle", () => {
  it("are left out: each module stays what it is", () => {
    const code = withPlainModules(chunk('node_fs.readFileSync(node_path.join("a", "b"))'))

    expect(code).not.toContain("__toESM")
    expect(code).toContain('let node_fs = require("node:fs");\nlet node_path = require("node:path");\n')
  })

  it("stay where a module's `default` is asked for", () => {
    const code = withPlainModules(chunk("node_fs.default.readFileSync(node_path.sep)"))

    expect(code).toContain("node_fs = __toESM(node_fs, 1);")
    expect(code).not.toContain("node_path = __toESM")
  })

  it("stay where another package is taken, whose `default` may be what it exports", () => {
    const code = 'let tool = require("./tool.cjs");\ntool = __toESM(tool);\ntool.run();\n'

    expect(withPlainModules(code)).toBe(code)
  })
})
