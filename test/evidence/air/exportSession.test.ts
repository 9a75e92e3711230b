import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readManifest } from "../../../src/archive/manifestFile.ts"
import { type AirRecord, airTime, isSafeRunId, withAirWriter } from "../../../src/evidence/air/AirWriter.ts"
import { exportAir, turnEndpoint } from "../../../src/evidence/air/exportSession.ts"
import { readHead } from "../../../src/evidence/air/head.ts"
import type { JsonObject } from "../../../src/evidence/air/json.ts"
import { writingKey } from "../../../src/evidence/air/key.ts"
import { referenceVerdict } from "../../../src/evidence/air/referenceVerdict.ts"
import { readRuns, textOf } from "../../../src/evidence/air/runs.ts"
import { strictVerdict } from "../../../src/evidence/air/strictVerdict.ts"
import { vaultFaults } from "../../../src/evidence/air/vaultFaults.ts"
import { everySession } from "../../export/everySession.ts"
import { exampleSession } from "../../export/example.ts"
import { record } from "../../export/sessions.ts"
import { answered, append, prompt, started } from "../../support/events.ts"
import { machineOf, newUser, type TestUser } from "../../support/recording.ts"
import { vectorKey, vectors } from "./vectors.ts"

const placesOf = (user: TestUser) => ({
  runs: path.join(user.directory, "runs"),
  vault: path.join(user.directory, "runs", "vault")
})

const exportedTo = (directory: string, user: TestUser, key = vectorKey) =>
  Effect.gen(function* () {
    const reading = yield* readManifest(path.join(directory, "manifest.json"))
    if (reading._tag !== "Manifest") throw new Error("no manifest")
    return yield* exportAir({ directory, manifest: reading.manifest }, placesOf(user), key)
  })

const recordsIn = (
  user: TestUser
): ReadonlyArray<Record<string, unknown> & AirRecord & { readonly chain_seq: number }> =>
  fs
    .readdirSync(placesOf(user).runs)
    .filter((name) => name.endsWith(".air.json"))
    .map((name) => JSON.parse(fs.readFileSync(path.join(placesOf(user).runs, name), "utf8")))
    .sort((left, right) => left.chain_seq - right.chain_seq)

const verdictsOf = (user: TestUser, key = vectorKey) =>
  Effect.gen(function* () {
    const { runs: directory } = placesOf(user)
    const runs = yield* readRuns(directory, true)
    const reference = referenceVerdict(runs.files, key)
    const first = runs.files.find(({ record }) => JSON.stringify(record.get("chain_seq")) === '{"text":"1"}')
    const head = yield* readHead(directory, first === undefined ? "" : textOf(first.record, "chain_hash"))
    return { reference, strict: strictVerdict(runs, reference, key, head, yield* vaultFaults(directory, runs)) }
  })

describe("exporting a session as AIR records", () => {
  it.effect("writes one per observed model call, in the format's fields and order, and one per turn without", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* Effect.gen(function* () {
        const done = yield* exportedTo(yield* exampleSession(user), user)
        assert.deepInclude(done, { resumed_at: 0, written: 8, known: 0, turns: 1 })
        const records = recordsIn(user)
        const [first, second] = records
        assert.deepStrictEqual(Object.keys(first ?? {}), [
          "version",
          "run_id",
          "trace_id",
          "timestamp",
          "model",
          "provider",
          "endpoint",
          "request_vault_ref",
          "response_vault_ref",
          "request_checksum",
          "response_checksum",
          "tokens",
          "duration_ms",
          "status",
          "trajectory_id",
          "step_id",
          "chain_seq",
          "chain_hash",
          "config_hash"
        ])
        assert.deepInclude(first, {
          version: "1.0.0",
          timestamp: "2026-08-16T12:00:02Z",
          model: "model-a",
          provider: "anthropic",
          endpoint: "",
          duration_ms: 0,
          status: "success",
          trajectory_id: "claude:s",
          config_hash: "c0ffee",
          chain_seq: 1
        })
        assert.deepStrictEqual(first?.tokens, { prompt: 100, completion: 5, total: 105 })
        assert.deepStrictEqual(second?.parent_ids, [first?.step_id ?? ""])
        const turn = records.at(-1)
        assert.deepInclude(turn, {
          endpoint: turnEndpoint,
          status: "error",
          error: "The service is overloaded.",
          model: ""
        })
        // The subagent's answer comes when its thread ends, the last turn after it.
        assert.deepStrictEqual(
          records.map((one) => one.tokens.prompt),
          [100, 20, 3, 13, 14, 15, 4, 0]
        )
        const verdicts = yield* verdictsOf(user)
        assert.deepInclude(verdicts.reference, { intact: true, verified_records: 8, total_records: 8 })
        assert.deepStrictEqual(verdicts.strict, { verdict: "complete", reasons: [] })
      }).pipe(Effect.provide(machineOf(user)))
    })
  )

  it.effect("keeps the payloads in the vault, for the user alone, under the checksums of the records", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* Effect.gen(function* () {
        yield* exportedTo(yield* exampleSession(user), user)
        const { createHash } = yield* Effect.promise(() => import("node:crypto"))
        const { runs, vault } = placesOf(user)
        for (const one of recordsIn(user)) {
          assert.strictEqual(fs.statSync(path.join(runs, `${one.run_id}.air.json`)).mode & 0o777, 0o600)
          // Of a message without a text only what it was given is known.
          for (const [ref, checksum] of [
            [one.request_vault_ref, one.request_checksum],
            [one.response_vault_ref, one.response_checksum]
          ] as const) {
            const file = path.join(vault, ref.replace("vault://", ""))
            assert.strictEqual(fs.statSync(file).mode & 0o777, 0o600)
            assert.strictEqual(`sha256:${createHash("sha256").update(fs.readFileSync(file)).digest("hex")}`, checksum)
          }
        }
        const [first] = recordsIn(user)
        const request = JSON.parse(
          fs.readFileSync(path.join(vault, "air-runs", first?.run_id ?? "", "request.json"), "utf8")
        )
        assert.deepStrictEqual(
          request.events.map((event: { readonly payload: unknown }) => event.payload),
          [{ text: "Fix the build.", origin: "user" }]
        )
      }).pipe(Effect.provide(machineOf(user)))
    })
  )

  it.effect("adds what is new when it runs again, and nothing twice", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* Effect.gen(function* () {
        const directory = yield* exampleSession(user)
        yield* exportedTo(directory, user)
        const before = recordsIn(user)
        assert.deepInclude(yield* exportedTo(directory, user), { resumed_at: 8, written: 0, known: 8 })
        yield* append(user, [started("again"), prompt("more"), answered("done")])
        assert.deepInclude(yield* exportedTo(directory, user), { resumed_at: 8, written: 1, known: 8 })
        assert.deepStrictEqual(recordsIn(user).slice(0, 8), before)
        assert.strictEqual((yield* verdictsOf(user)).strict.verdict, "complete")
      }).pipe(Effect.provide(machineOf(user)))
    })
  )

  for (const chain of ["go-chain/runs", "py-chain/runs-resumed"]) {
    it.effect(`continues a chain that another writer began: ${chain}`, () =>
      Effect.gen(function* () {
        const user = yield* newUser
        fs.cpSync(path.join(vectors, chain), placesOf(user).runs, { recursive: true })
        yield* Effect.gen(function* () {
          const done = yield* exportedTo(yield* exampleSession(user), user)
          assert.strictEqual(done.resumed_at, chain.startsWith("go") ? 5 : 6)
          const { reference, strict } = yield* verdictsOf(user)
          assert.deepInclude(reference, { intact: true, verified_records: done.resumed_at + 8 })
          assert.strictEqual(strict.verdict, "complete")
        }).pipe(Effect.provide(machineOf(user)))
      })
    )
  }

  it.effect("does not go on after a cut tail, a break, a fork or with another key", () =>
    Effect.gen(function* () {
      const spoil: ReadonlyArray<readonly [string, (files: ReadonlyArray<string>) => void, string?]> = [
        ["a cut tail", (files) => fs.rmSync(files.at(-1) ?? "")],
        ["a deleted chain", (files) => files.map((file) => fs.rmSync(file))],
        [
          "an edit",
          (files) =>
            fs.writeFileSync(files[2] ?? "", fs.readFileSync(files[2] ?? "", "utf8").replace("model-", "modem-"))
        ],
        ["another key", () => undefined, "another key"]
      ]
      for (const [what, change, key] of spoil) {
        const user = yield* newUser
        yield* Effect.gen(function* () {
          const directory = yield* exampleSession(user)
          yield* exportedTo(directory, user)
          const files = recordsIn(user).map((one) => path.join(placesOf(user).runs, `${one.run_id}.air.json`))
          change(files)
          const error = yield* Effect.flip(exportedTo(directory, user, key))
          assert.strictEqual(error._tag, "AirChainUnsound", what)
          assert.strictEqual((yield* verdictsOf(user, key ?? vectorKey)).strict.verdict, "broken", what)
        }).pipe(Effect.provide(machineOf(user)))
      }
    })
  )

  it.effect("is not complete where a payload is not the one that a record has the checksum of", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* Effect.gen(function* () {
        yield* exportedTo(yield* exampleSession(user), user)
        const { vault } = placesOf(user)
        const [first, second] = recordsIn(user)
        const fileOf = (ref: string | undefined) => path.join(vault, (ref ?? "").replace("vault://", ""))
        const request = fileOf(first?.request_vault_ref)
        const before = fs.readFileSync(request)
        const verdict = Effect.map(verdictsOf(user), ({ strict }) => [strict.verdict, ...strict.reasons])
        const named = `vault/${first?.request_vault_ref.replace("vault://", "")}`

        fs.appendFileSync(request, " ")
        assert.deepStrictEqual(yield* verdict, ["partial", `${named} is not what its record has the checksum of`])
        fs.rmSync(request)
        assert.deepStrictEqual(yield* verdict, ["partial", `${named} is gone`])
        fs.symlinkSync(fileOf(second?.request_vault_ref), request)
        assert.deepStrictEqual(yield* verdict, ["partial", `${named} is gone`])
        fs.rmSync(request)
        fs.writeFileSync(request, before)
        assert.deepStrictEqual(yield* verdict, ["complete"])
        // Records may be given away without what was said.
        fs.rmSync(vault, { recursive: true })
        assert.deepStrictEqual(yield* verdict, ["complete"])
      }).pipe(Effect.provide(machineOf(user)))
    })
  )

  it.effect("looks for payloads in the vault only, whatever a record names", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* Effect.gen(function* () {
        const outside = path.join(user.directory, "outside.json")
        fs.writeFileSync(outside, "{}")
        fs.mkdirSync(path.join(user.directory, "vault"), { recursive: true })
        const refs = ["vault://../outside.json", "vault://a/../../outside.json", "vault://", "s3://a/b"]
        const files = refs.map((ref) => ({
          name: "x.air.json",
          record: new Map([
            ["request_vault_ref", ref],
            ["request_checksum", `sha256:${"0".repeat(64)}`]
          ]) as JsonObject
        }))
        assert.deepStrictEqual(yield* vaultFaults(user.directory, { files, unreadable: [] }), [])
      }).pipe(Effect.provide(machineOf(user)))
    })
  )

  it.effect("says of a directory that was moved what it said before", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* Effect.gen(function* () {
        yield* exportedTo(yield* exampleSession(user), user)
        const { runs } = placesOf(user)
        fs.renameSync(runs, `${runs}-moved`)
        fs.symlinkSync(`${runs}-moved`, runs)
        assert.strictEqual((yield* verdictsOf(user)).strict.verdict, "complete")
        const last = recordsIn(user).at(-1)
        fs.rmSync(path.join(runs, `${last?.run_id}.air.json`))
        assert.strictEqual((yield* verdictsOf(user)).strict.verdict, "broken")
      }).pipe(Effect.provide(machineOf(user)))
    })
  )

  for (const [name, provider, payloads] of everySession.filter(([name]) =>
    /codex|gemini|antigravity|interactive-long$|background/.test(name)
  )) {
    it.live(`gives a chain that holds, with every prompt and answer in the vault: ${name}`, () =>
      Effect.gen(function* () {
        const user = yield* newUser
        yield* Effect.gen(function* () {
          let written = 0
          for (const directory of yield* record(user, provider, payloads))
            written += (yield* exportedTo(directory, user)).written
          assert.isAbove(written, 0)
          const { reference, strict } = yield* verdictsOf(user)
          assert.deepInclude(reference, { intact: true, verified_records: written })
          assert.strictEqual(strict.verdict, "complete")
        }).pipe(Effect.provide(machineOf(user)))
      })
    )
  }
})

const plainRecord = (run_id: string): AirRecord => ({
  run_id,
  trace_id: "",
  timestamp: "2026-08-16T12:00:00Z",
  model: "",
  provider: "",
  endpoint: "",
  request_vault_ref: "",
  response_vault_ref: "",
  request_checksum: "",
  response_checksum: "",
  tokens: { prompt: 0, completion: 0, total: 0 },
  duration_ms: 0,
  status: "success"
})

describe("writing AIR records", () => {
  it.effect("never leaves the directory by a run id", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const { runs } = placesOf(user)
      for (const run of [
        "../x",
        "..",
        ".",
        "",
        "a/b",
        "a\\b",
        "/etc/x",
        "C:x",
        "con",
        "x.",
        "\u0000",
        "é",
        "a".repeat(200)
      ]) {
        assert.isFalse(isSafeRunId(run))
        const error = yield* withAirWriter(runs, vectorKey, (writer) => writer.write(plainRecord(run))).pipe(
          Effect.flip,
          Effect.provide(machineOf(user))
        )
        assert.strictEqual(error._tag, "UnsafeRunId")
      }
      assert.deepStrictEqual(fs.readdirSync(runs), [])
    })
  )

  it.effect("does not overwrite a file that holds no record", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const { runs } = placesOf(user)
      fs.mkdirSync(runs)
      fs.writeFileSync(path.join(runs, "half.air.json"), '{"version": "1.0')
      const error = yield* withAirWriter(runs, vectorKey, (writer) => writer.write(plainRecord("half"))).pipe(
        Effect.flip,
        Effect.provide(machineOf(user))
      )
      assert.strictEqual(error._tag, "AirRecordTaken")
      assert.strictEqual((yield* verdictsOf(user).pipe(Effect.provide(machineOf(user)))).strict.verdict, "partial")
    })
  )

  it.effect("takes turns when two writers are open at once", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const { runs } = placesOf(user)
      const write = (run: string) => withAirWriter(runs, vectorKey, (writer) => writer.write(plainRecord(run)))
      yield* Effect.all(
        Array.from({ length: 20 }, (_, n) => write(`r${n}`)),
        { concurrency: "unbounded" }
      ).pipe(Effect.provide(machineOf(user)))
      assert.deepStrictEqual(
        recordsIn(user).map((one) => one.chain_seq),
        Array.from({ length: 20 }, (_, n) => n + 1)
      )
    })
  )

  it("writes times as the reference does", () => {
    assert.strictEqual(airTime("2026-08-16T12:00:00.000Z"), "2026-08-16T12:00:00Z")
    assert.strictEqual(airTime("2026-08-16T12:00:00.120Z"), "2026-08-16T12:00:00.12Z")
    assert.strictEqual(airTime("2026-08-16T12:00:10Z"), "2026-08-16T12:00:10Z")
  })

  it.effect("asks for a key that is not known to everybody", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const tag = (env: Record<string, string>) =>
        writingKey(undefined).pipe(
          Effect.match({ onFailure: (error) => error._tag, onSuccess: (key) => key }),
          Effect.provide(machineOf(user, { host: { env } }))
        )
      assert.strictEqual(yield* tag({}), "NoAirKey")
      assert.strictEqual(yield* tag({ TRUST_SIGNING_KEY: "" }), "NoAirKey")
      assert.strictEqual(yield* tag({ TRUST_SIGNING_KEY: "air-blackbox-default" }), "WeakAirKey")
      assert.strictEqual(yield* tag({ TRUST_SIGNING_KEY: "mine" }), "mine")
    })
  )
})
