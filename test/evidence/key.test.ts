import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Keyring } from "../../src/archive/Keyring.ts"
import { Toggles } from "../../src/control/Toggles.ts"
import { rotateKey } from "../../src/evidence/rotateKey.ts"
import { verifyArchive } from "../../src/evidence/verify.ts"
import { claudeSequence, record } from "../export/sessions.ts"
import { append, ended, filesOf, prompt, started } from "../support/events.ts"
import { machineOf, manifestOf, newUser, recordingUser, strictEvents } from "../support/recording.ts"

describe("rotating the key", () => {
  it.live("leaves older records verifiable, running ones on their key, and chains new ones with the new key", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* Effect.gen(function* () {
        const other = "claude:t" as never
        yield* append(user, [started(), prompt("a")])
        const { previous, current } = yield* rotateKey
        assert.notStrictEqual(previous, current)
        yield* append(user, [prompt("b"), ended()])
        yield* append(user, [started(), ended()], { id: other })
        assert.strictEqual(manifestOf(filesOf(user).manifest).key_id, previous)
        assert.strictEqual(manifestOf(filesOf(user, other).manifest).key_id, current)
        yield* rotateKey
        for (const id of [undefined, other]) {
          assert.deepInclude(yield* verifyArchive(filesOf(user, id).directory), { verdict: "complete" })
        }
      }).pipe(Effect.provide(machineOf(user)))
    })
  )

  it.live("keeps the key of a record whose manifest is lost, in its reading and in its writing", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* Effect.gen(function* () {
        yield* append(user, [started(), prompt("a")])
        const { previous } = yield* rotateKey
        const files = filesOf(user)
        fs.rmSync(files.manifest)
        assert.deepInclude(yield* verifyArchive(files.directory), {
          verdict: "partial",
          reasons: ["manifest.json is gone; `lint-ai sessions recover` makes it again"]
        })
        yield* append(user, [prompt("b"), ended()])
        assert.strictEqual(manifestOf(files.manifest).key_id, previous)
        assert.deepInclude(yield* verifyArchive(files.directory), { verdict: "complete" })
      }).pipe(Effect.provide(machineOf(user)))
    })
  )

  it.live("keeps consent, and takes no delivery for another because of the new key", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      yield* Effect.gen(function* () {
        const payloads = claudeSequence("print-hello").slice(0, -1)
        const [directory = ""] = yield* record(user, "claude", payloads)
        const before = strictEvents(path.join(directory, "events.jsonl")).length
        yield* rotateKey
        const toggles = yield* Toggles
        assert.strictEqual((yield* toggles.read(user.project))._tag, "adopted")
        yield* record(user, "claude", payloads)
        assert.strictEqual(strictEvents(path.join(directory, "events.jsonl")).length, before)
      }).pipe(Effect.provide(machineOf(user)))
    })
  )

  it.live("lists fingerprints by age and never a secret", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* Effect.gen(function* () {
        const keyring = yield* Keyring
        assert.deepStrictEqual(yield* keyring.list, [])
        yield* rotateKey
        yield* rotateKey
        const listed = yield* keyring.list
        assert.strictEqual(listed.filter((key) => key.current).length, 1)
        const secrets = Object.values<{ secret: string }>(JSON.parse(fs.readFileSync(keyring.file, "utf8")).keys)
        for (const { secret } of secrets) assert.notInclude(JSON.stringify(listed), secret)
        assert.strictEqual(fs.statSync(keyring.file).mode & 0o777, 0o600)
        assert.strictEqual(listed.length, secrets.length)
      }).pipe(Effect.provide(machineOf(user)))
    })
  )

  it.live("does not overwrite keys that it cannot read", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      fs.mkdirSync(user.config, { recursive: true })
      const file = path.join(user.config, "keys.json")
      fs.writeFileSync(file, "{")
      const error = yield* Effect.flip(rotateKey).pipe(Effect.provide(machineOf(user)))
      assert.strictEqual(error._tag, "KeysUnreadable")
      assert.include(error.message, "from a backup")
      assert.strictEqual(fs.readFileSync(file, "utf8"), "{")
    })
  )

  it.live("calls keys that it may not open no damaged ones", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      // Where a file should be is what nobody can read, as for others a file without permission.
      fs.mkdirSync(path.join(user.config, "keys.json"), { recursive: true })
      const error = yield* Effect.flip(rotateKey).pipe(Effect.provide(machineOf(user)))
      assert.strictEqual(error._tag, "KeysUnreadable")
      assert.include(error.message, "EISDIR")
      assert.notInclude(error.message, "backup")
    })
  )

  it.live("does not say of keys that cannot be read that a record has another one", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* append(user, [started(), ended()]).pipe(Effect.provide(machineOf(user)))
      const file = path.join(user.config, "keys.json")
      const kept = fs.readFileSync(file)
      for (const [text, reason] of [
        ["{", "your keys.json cannot be read"],
        [JSON.stringify({ schema_version: 1, current: "0", keys: {} }), "is not among yours"]
      ] as const) {
        fs.writeFileSync(file, text)
        const found = yield* verifyArchive(filesOf(user).directory).pipe(Effect.provide(machineOf(user)))
        assert.strictEqual(found?.verdict, "unkeyed")
        assert.include(found?.reasons[0], reason)
      }
      fs.writeFileSync(file, kept)
      const again = yield* verifyArchive(filesOf(user).directory).pipe(Effect.provide(machineOf(user)))
      assert.strictEqual(again?.verdict, "complete")
    })
  )

  it.live("loses no key when many rotate at once", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* Effect.gen(function* () {
        const keyring = yield* Keyring
        yield* Effect.all(
          Array.from({ length: 8 }, () => rotateKey),
          { concurrency: "unbounded" }
        )
        assert.strictEqual((yield* keyring.list).length, 9)
      }).pipe(Effect.provide(machineOf(user)))
    })
  )
})
