import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Keyring } from "../../src/archive/Keyring.ts"
import { rotateKey } from "../../src/evidence/rotateKey.ts"
import { Disk } from "../../src/platform/Disk.ts"
import { withFaults } from "../support/faultyDisk.ts"
import { machineOf, newUser } from "../support/recording.ts"

describe("the keys of one delivery", () => {
  it.live("are read once, and again for one that was made since", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* Effect.gen(function* () {
        const readings: Array<string> = []
        const counting = withFaults(
          yield* Disk,
          () => undefined,
          ({ operation, path }) => {
            if (operation === "read") readings.push(path)
          }
        )
        const created = yield* (yield* Keyring).current
        const keyring = yield* Keyring.makeForDelivery.pipe(Effect.provideService(Disk, counting))
        assert.deepStrictEqual(yield* keyring.identity, created)
        assert.deepStrictEqual(yield* keyring.current, created)
        assert.deepStrictEqual(yield* keyring.byId(created.id), created)
        assert.deepStrictEqual(readings, [keyring.file])

        const { current } = yield* rotateKey
        assert.strictEqual((yield* keyring.byId(current))?.id, current)
        assert.deepStrictEqual(readings, [keyring.file, keyring.file])
        assert.deepStrictEqual(yield* keyring.identity, created)
      }).pipe(Effect.provide(machineOf(user)))
    })
  )
})
