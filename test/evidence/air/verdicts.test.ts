import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { coveredText, recordDigest } from "../../../src/evidence/air/chain.ts"
import { keyFingerprint } from "../../../src/evidence/air/head.ts"
import { keyFreeHead, referenceVerdict } from "../../../src/evidence/air/referenceVerdict.ts"
import { readRuns, sequenceOf } from "../../../src/evidence/air/runs.ts"
import { strictVerdict } from "../../../src/evidence/air/strictVerdict.ts"
import { Disk } from "../../../src/platform/Disk.ts"
import { readVector, vectorKey, vectors } from "./vectors.ts"

const runsIn = (name: string) => readRuns(path.join(vectors, name), true).pipe(Effect.provide(Disk.layer))

describe("the reference's verdict", () => {
  for (const chain of ["py-chain", "go-chain"]) {
    it.effect(`gives every digest of ${chain}`, () =>
      Effect.gen(function* () {
        const expected = readVector(`${chain}/expected.json`)
        const { files } = yield* runsIn(`${chain}/runs`)
        for (const step of expected.steps) {
          const record = files.find((file) => sequenceOf(file.record) === step.chain_seq)?.record
          assert.isDefined(record)
          if (record === undefined) continue
          assert.strictEqual(coveredText(record), step.canonical_json)
          const digest = recordDigest(vectorKey, Buffer.from(step.prev_digest_hex, "hex"), record)
          assert.strictEqual(digest.toString("hex"), step.chain_hash)
        }
      })
    )
  }

  it.effect("is what the verifier said of each writer's chains", () =>
    Effect.gen(function* () {
      const verdict = (name: string) => Effect.map(runsIn(name), ({ files }) => referenceVerdict(files, vectorKey))
      const go = readVector("go-chain/expected.json")
      assert.deepStrictEqual(yield* verdict("go-chain/runs"), go.python_verify)
      assert.strictEqual(keyFreeHead((yield* runsIn("go-chain/runs")).files), go.head_key_free)
      const old = readVector("py-chain-snapshot-9b4451b/expected.json").verify_by_later_engine
      for (const name of Object.keys(old)) {
        assert.deepStrictEqual(yield* verdict(`py-chain-snapshot-9b4451b/${name}`), old[name])
      }
      const { files } = yield* runsIn("go-chain/empty-key")
      assert.deepInclude(referenceVerdict(files, ""), { intact: true, verified_records: 1 })
      assert.deepInclude(referenceVerdict((yield* runsIn("go-chain/unchained")).files, vectorKey), {
        intact: true,
        verified_records: 0
      })
    })
  )

  it.effect("is what the verifier said of the Python writer's chains, resumed or not", () =>
    Effect.gen(function* () {
      const python = readVector("py-chain/expected.json")
      const { files } = yield* runsIn("py-chain/runs")
      assert.deepStrictEqual(referenceVerdict(files, vectorKey), python.verify_intact)
      assert.deepStrictEqual(referenceVerdict(files, "another key"), python.wrong_key)
      assert.strictEqual(keyFreeHead(files), python.head_key_free)
      assert.strictEqual(keyFreeHead(files, 3), python.head_key_free_up_to_seq_3)
      assert.strictEqual(keyFreeHead([]), "")
      for (const { dir, verify } of [python.resume_true, { ...python.resume_false_default, dir: "runs-noresume" }]) {
        assert.deepStrictEqual(referenceVerdict((yield* runsIn(`py-chain/${dir}`)).files, vectorKey), verify)
      }
    })
  )

  const tampered = readVector("tampered/verdicts.json")
  for (const [name, { what, verdict, head_key_free }] of Object.entries<{
    readonly what: string
    readonly verdict: object
    readonly head_key_free: string | object
  }>(tampered)) {
    it.effect(`of tampered records: ${what}`, () =>
      Effect.gen(function* () {
        const { files } = yield* runsIn(`tampered/${name}`)
        const own = referenceVerdict(files, vectorKey)
        if ("exception" in verdict) assert.isTrue("exception" in own && own.exception.startsWith("TypeError"))
        else {
          assert.deepStrictEqual(own as object, verdict)
          assert.strictEqual(keyFreeHead(files), head_key_free)
        }
      })
    )
  }
})

/** What ours says where the reference's verdict is `intact`, and why. */
const strict: Readonly<Record<string, readonly [verdict: string, reason: RegExp]>> = {
  "edited-whitespace-only": ["complete", /^$/],
  "edited-key-order": ["complete", /^$/],
  "float-respelled": ["complete", /^$/],
  "deleted-last": ["broken", /record 5 is missing at the end/],
  "deleted-all-but-first": ["broken", /records 2 to 5 are missing at the end/],
  "reordered-file-names": ["partial", /holds the record of/],
  "hash-removed-last": ["broken", /missing at the end.*is not chained/s],
  "hash-emptied-last": ["broken", /missing at the end.*is not chained/s],
  "unchained-record-inserted": ["partial", /is not chained/],
  "rewritten-with-key": ["broken", /record 5 is not the one that was anchored/]
}

describe("the stricter verdict", () => {
  it.effect("sees what the reference does not, with the head that was kept outside", () =>
    Effect.gen(function* () {
      const { files } = yield* runsIn("py-chain/runs")
      const last = files.find((file) => sequenceOf(file.record) === 5)?.record
      const head = {
        schema_version: 1 as const,
        directory: "",
        first_hash: "",
        chain_seq: 5,
        chain_hash: String(last?.get("chain_hash")),
        key_id: keyFingerprint(vectorKey)
      }
      for (const name of fs.readdirSync(path.join(vectors, "tampered"))) {
        if (name.endsWith(".json")) continue
        const runs = yield* runsIn(`tampered/${name}`)
        const reference = referenceVerdict(runs.files, vectorKey)
        const [verdict, reason] = strict[name] ?? ["broken", /./]
        const own = strictVerdict(runs, reference, vectorKey, head)
        assert.strictEqual(own.verdict, verdict, name)
        assert.match(own.reasons.join("\n"), reason, name)
        if ("intact" in reference && !reference.intact) assert.strictEqual(own.verdict, "broken", name)
      }
      const whole = yield* runsIn("py-chain/runs")
      const intact = referenceVerdict(whole.files, vectorKey)
      assert.strictEqual(strictVerdict(whole, intact, vectorKey, undefined).verdict, "chained")
    })
  )

  it.effect("does not take a chain that anybody can write for evidence", () =>
    Effect.gen(function* () {
      const runs = yield* runsIn("go-chain/empty-key")
      assert.strictEqual(strictVerdict(runs, referenceVerdict(runs.files, ""), "", undefined).verdict, "unkeyed")
    })
  )
})
