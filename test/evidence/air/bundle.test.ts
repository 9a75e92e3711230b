import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { publicKeyOf, signerFingerprint, verifyBundle, writeBundle } from "../../../src/evidence/air/bundle.ts"
import { readRuns } from "../../../src/evidence/air/runs.ts"
import { readZip, writeZip } from "../../../src/evidence/air/zip.ts"
import { Disk } from "../../../src/platform/Disk.ts"
import { readVector, vectorKey, vectors } from "./vectors.ts"

const keys: Readonly<Record<string, string | undefined>> = { none: undefined, right: vectorKey, wrong: "another" }
const fileOf = (name: string) => fs.readFileSync(path.join(vectors, "evidence-bundle", name))
const facts = {
  bundleId: "00000000-0000-4000-c000-000000000001",
  createdAt: "2026-07-03T02:00:00Z",
  tenant: "lint-ai",
  system: "lint-ai",
  deployer: "",
  rationale: "",
  retentionUntil: "",
  mappings: { none: new Map() }
}
const seed = Buffer.alloc(32, 7)

describe("an evidence bundle", () => {
  for (const [name, expected] of Object.entries<Record<string, unknown>>(readVector("evidence-bundle/verdicts.json"))) {
    it(`is judged as by the reference: ${name}`, () => {
      const [file = "", key = ""] = name.split(" key=")
      const verdict = verifyBundle(fileOf(file), { key: keys[key] })
      assert.strictEqual(verdict.verified, expected.verified)
      assert.strictEqual(verdict.check, expected.check)
      if (!verdict.verified) return
      assert.deepStrictEqual(
        [verdict.records, verdict.fingerprint, verdict.anchor, verdict.bundle_id],
        [expected.records, expected.fingerprint, expected.anchor, expected.bundle_id]
      )
      assert.strictEqual(verdict.strict, file === "intact.air-evidence")
    })
  }

  it("unpacks to the members that were packed", () => {
    const { members, public_key_hex } = readVector("evidence-bundle/members.json")
    const unpacked = Object.fromEntries(
      readZip(fileOf("intact.air-evidence")).map(({ name, bytes }) => [name, bytes.toString("utf8")])
    )
    assert.deepStrictEqual(unpacked, members)
    assert.strictEqual(publicKeyOf(seed), public_key_hex)
  })

  it.effect("that we write is verified by its key and by nobody else's", () =>
    Effect.gen(function* () {
      const { files } = yield* readRuns(path.join(vectors, "go-chain/runs"), true)
      const bundle = writeBundle(files, seed, facts)
      const expect = signerFingerprint(publicKeyOf(seed))
      assert.deepInclude(verifyBundle(bundle, { key: vectorKey, expect }), { verified: true, strict: true, records: 5 })
      assert.deepInclude(verifyBundle(bundle, { key: "another" }), { verified: false, check: 3 })
      assert.deepInclude(verifyBundle(bundle, { expect: "ed25519:0000000000000000" }), { verified: false, check: 2 })
      assert.deepStrictEqual(writeBundle(files, seed, facts), bundle)
    }).pipe(Effect.provide(Disk.layer))
  )

  it.effect("shows every alteration of any member", () =>
    Effect.gen(function* () {
      const { files } = yield* readRuns(path.join(vectors, "go-chain/runs"), true)
      const members = readZip(writeBundle(files, seed, facts))
      for (const { name } of members) {
        const altered = members.map((member) =>
          member.name === name ? { name, bytes: Buffer.concat([member.bytes, Buffer.from(" ")]) } : member
        )
        const verdict = verifyBundle(writeZip(altered), { key: vectorKey })
        // White space in the manifest is no part of its canonical form.
        assert.strictEqual(verdict.verified, name === "manifest.json", name)
        const without = members.filter((member) => member.name !== name)
        assert.isFalse(verifyBundle(writeZip(without), { key: vectorKey }).verified, name)
      }
      const [first] = members
      const doubled = verifyBundle(writeZip(first === undefined ? members : [...members, first]), { key: vectorKey })
      assert.deepInclude(doubled, { verified: true, strict: false })
    }).pipe(Effect.provide(Disk.layer))
  )

  it("is refused when it is cut at any byte, and never thrown over", () => {
    const bundle = fileOf("intact.air-evidence")
    for (let length = 0; length < bundle.length; length += 7) {
      assert.isFalse(verifyBundle(bundle.subarray(0, length), {}).verified)
    }
  })
})
