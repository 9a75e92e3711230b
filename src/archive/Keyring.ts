import * as path from "node:path"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { timestampOf } from "../domain/timestamp.ts"
import { Disk } from "../platform/Disk.ts"
import { sha256 } from "../platform/digest.ts"
import { Host } from "../platform/Host.ts"
import { userDirectories } from "../platform/userDirectories.ts"
import { createFile } from "./atomicFile.ts"
import { type ChainKey, unkeyed } from "./chain.ts"

/** keys.json in the user's config directory: every key that this user ever had, so that old archives still verify after a rotation. */
const KeyFile = Schema.Struct({
  schema_version: Schema.Literal(1),
  current: Schema.String,
  keys: Schema.Record(
    Schema.String,
    Schema.Struct({
      secret: Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/)),
      created_at: Schema.String
    })
  )
})
type KeyFile = typeof KeyFile.Type
const KeyFileJson = Schema.fromJsonString(KeyFile)

/**
 * The user's keys: 32 random bytes, 0600, outside every project. They key the chain of the archives and sign consent.
 *
 * Neither operation fails: without a readable key file `current` is `unkeyed`, which signs nothing that anyone trusts.
 */
export class Keyring extends Context.Service<
  Keyring,
  {
    /** The current key, created when there is none. */
    readonly current: Effect.Effect<ChainKey>
    /** The current key if there is one: what a project that is off asks, so that nothing is created. */
    readonly existing: Effect.Effect<ChainKey | undefined>
    readonly byId: (id: string) => Effect.Effect<ChainKey | undefined>
  }
>()("lint-ai/archive/Keyring") {
  static readonly layer = Layer.effect(
    Keyring,
    Effect.gen(function* () {
      const disk = yield* Disk
      const host = yield* Host
      const { config } = yield* userDirectories
      const file = path.join(config, "keys.json")
      const load = disk.readFile(file).pipe(
        Effect.map((bytes) => Schema.decodeUnknownOption(KeyFileJson)(bytes.toString("utf8"))),
        Effect.flatMap(Effect.fromOption),
        Effect.map((keys): KeyFile | undefined => keys),
        Effect.orElseSucceed(() => undefined)
      )
      const create = Effect.gen(function* () {
        const secret = host.randomHex(32)
        const created: KeyFile = {
          schema_version: 1,
          current: keyId(secret),
          keys: { [keyId(secret)]: { secret, created_at: timestampOf(yield* Clock.currentTimeMillis) } }
        }
        yield* disk.makeDirectory(config)
        // Two first hooks at once: one file wins and both read it.
        yield* createFile(file, Buffer.from(`${JSON.stringify(created, undefined, 2)}\n`))
      }).pipe(Effect.ignore, Effect.provideService(Disk, disk), Effect.provideService(Host, host))

      const existing = Effect.map(load, (keys) => keys && keyOf(keys, keys.current))
      return Keyring.of({
        existing,
        current: Effect.gen(function* () {
          const known = yield* existing
          if (known !== undefined) return known
          yield* create
          return (yield* existing) ?? unkeyed
        }),
        byId: (id) =>
          id === unkeyed.id ? Effect.succeed(unkeyed) : Effect.map(load, (keys) => keys && keyOf(keys, id))
      })
    })
  )
}

/** A key's public name: 16 hex digits of the SHA-256 of its secret. */
const keyId = (secret: string): string => sha256(Buffer.from(secret, "hex")).slice(0, 16)

const keyOf = (keys: KeyFile, id: string): ChainKey | undefined => {
  const key = keys.keys[id]
  return key === undefined ? undefined : { id, secret: Buffer.from(key.secret, "hex") }
}
