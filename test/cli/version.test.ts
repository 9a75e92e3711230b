import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { renderVersion, type VersionFacts, versionFacts } from "../../src/cli/version.ts"
import { Host } from "../../src/platform/Host.ts"

const built: VersionFacts = {
  name: "lint-ai",
  version: "0.1.0",
  commit: "abc1234",
  build: "compiled",
  target: "linux-x64-musl",
  runtime: "bun 1.4.5",
  date: null
}

describe("the version", () => {
  it("names the commit and the platform of a binary", () => {
    assert.strictEqual(renderVersion(built), "lint-ai 0.1.0 (abc1234, compiled linux-x64-musl)")
  })

  it("names what runs a bundle, and leaves out a commit that nobody knows", () => {
    assert.strictEqual(
      renderVersion({ ...built, commit: null, build: "bundle", target: null, runtime: "node 22.23.5" }),
      "lint-ai 0.1.0 (bundle on node 22.23.5)"
    )
  })

  it.effect("says of the sources that they are no build", () =>
    Effect.gen(function* () {
      const facts = yield* versionFacts
      assert.deepStrictEqual(
        { ...facts, version: "" },
        {
          name: "lint-ai",
          version: "",
          commit: null,
          build: "sources",
          target: null,
          runtime: "deno 2.9.6",
          date: null
        }
      )
    }).pipe(Effect.provide(Host.layerTest({ runtime: "deno", runtimeVersion: "2.9.6" })))
  )
})
