import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { licensesOf, packageOf } from "../../scripts/licenses.mjs"
import { temporaryDirectory } from "../support/temporaryHost.ts"

const packageIn = (directory: string, manifest: object, license?: string): string => {
  fs.mkdirSync(directory, { recursive: true })
  fs.writeFileSync(path.join(directory, "package.json"), JSON.stringify(manifest))
  if (license !== undefined) fs.writeFileSync(path.join(directory, "LICENSE.md"), license)
  return directory
}

describe("the licences of what is bundled", () => {
  it("are looked for in the package of each module, however it is nested", () => {
    for (const [module, directory] of [
      ["/x/node_modules/effect/dist/Effect.js", "/x/node_modules/effect"],
      ["/x/node_modules/@a/b/c.js", "/x/node_modules/@a/b"],
      ["/x/node_modules/a/node_modules/b/c.js?commonjs", "/x/node_modules/a/node_modules/b"],
      ["\0/x/node_modules/a/b.js", "/x/node_modules/a"],
      ["/x/src/main.ts", undefined],
      ["node:fs", undefined]
    ] as const) {
      assert.strictEqual(packageOf(module), directory)
    }
  })

  it.live("stand in one text, sorted, with the words of each package", () =>
    Effect.gen(function* () {
      const top = yield* temporaryDirectory
      const text = licensesOf([
        packageIn(path.join(top, "b"), { name: "b", version: "2.0.0", license: "(MIT OR GPL-3.0)" }, "Take it.\r\n"),
        packageIn(path.join(top, "a"), { name: "a", version: "1.0.0", license: "ISC", author: { name: "Ada" } })
      ])
      assert.isBelow(text.indexOf("a 1.0.0 (ISC)"), text.indexOf("b 2.0.0 ((MIT OR GPL-3.0))"))
      assert.include(text, "names ISC and Ada")
      assert.include(text, "\nTake it.\n")
    }).pipe(Effect.scoped)
  )

  it.live("stop a build when nobody has looked at one, or there is none", () =>
    Effect.gen(function* () {
      const top = yield* temporaryDirectory
      for (const license of ["GPL-3.0", "SEE LICENSE IN terms.txt", undefined]) {
        const one = packageIn(path.join(top, "one"), { name: "one", version: "1.0.0", license })
        assert.throws(() => licensesOf([one]), /one 1\.0\.0: its license is/)
      }
    }).pipe(Effect.scoped)
  )
})
