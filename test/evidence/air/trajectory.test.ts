import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { configManifest } from "../../../src/evidence/air/configHash.ts"
import { leafHash, leafPreimage, trajectoryOrder, trajectoryRoot } from "../../../src/evidence/air/trajectory.ts"
import { Disk } from "../../../src/platform/Disk.ts"
import { temporaryDirectory } from "../../support/temporaryHost.ts"
import { readVector } from "./vectors.ts"

const problems: Readonly<Record<string, string>> = {
  "unknown-parent": "unknown parent",
  cycle: "cycle",
  "duplicate-id": "duplicate id",
  empty: "no steps",
  newline: "newline"
}

describe("a trajectory", () => {
  for (const vector of readVector("trajectory/cases.json")) {
    it.effect(`has the root of the reference: ${vector.name}`, () =>
      Effect.gen(function* () {
        if (vector.error !== undefined) {
          const error = yield* Effect.flip(trajectoryRoot(vector.steps))
          assert.strictEqual(error.problem, problems[vector.name])
          return
        }
        const ordered = yield* trajectoryOrder(vector.steps)
        assert.deepStrictEqual(
          ordered.map((step) => step.step_id),
          vector.order
        )
        assert.deepStrictEqual(ordered.map(leafHash), vector.leaves_in_order)
        assert.deepStrictEqual(
          ordered.map((step) => Buffer.from(leafPreimage(step)).toString("hex")),
          vector.leaf_preimages_hex
        )
        assert.strictEqual(yield* trajectoryRoot(vector.steps), vector.root)
      })
    )
  }
})

describe("the hash of a configuration", () => {
  it.live("is that of the reference, whatever the directory is seen from", () =>
    Effect.gen(function* () {
      const vector = readVector("config-hash/expected.json")
      const root = yield* temporaryDirectory
      const bundle = path.join(root, "bundle")
      for (const [name, text] of Object.entries<string>(vector.files_written)) {
        fs.mkdirSync(path.dirname(path.join(bundle, name)), { recursive: true })
        fs.writeFileSync(path.join(bundle, name), text)
      }
      assert.deepStrictEqual(yield* configManifest(bundle, [bundle]), vector["base_dir=bundle"])
      assert.deepStrictEqual(yield* configManifest(root, [bundle]), vector["base_dir=parent"])
    }).pipe(Effect.provide(Disk.layer))
  )
})
