import * as path from "node:path"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { timestampOf } from "../domain/timestamp.ts"
import { Disk, type DiskError } from "../platform/Disk.ts"
import { sha256 } from "../platform/digest.ts"
import { Host } from "../platform/Host.ts"
import { userDirectories } from "../platform/userDirectories.ts"
import { createFile, replaceFile } from "./atomicFile.ts"
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
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(KeyFile))

/** There is a key file, and it cannot be read: to write another would lose the keys of all archives. */
export class KeysUnreadable extends Data.TaggedError("KeysUnreadable")<{
  readonly path: string
  /** The system's word for why it cannot be opened; undefined when it can, and holds no keys. */
  readonly code?: string
}> {
  override get message(): string {
    return this.code === undefined
      ? `${this.path} cannot be read as keys, so it was left as it is. Put it back from a backup; your archives need it to verify.`
      : `${this.path} cannot be opened (${this.code}), so it was left as it is. Look at its owner and mode, and at those of the directories above it; your archives need it to verify.`
  }
}

/** A key without its secret. */
export interface KeyFacts {
  readonly id: string
  readonly created_at: string
  readonly current: boolean
}

const keyring = Effect.fnUntraced(function* ({
  readsOnce
}: {
  readonly readsOnce: boolean
}): Effect.fn.Return<Context.Service.Shape<typeof Keyring>, never, Disk | Host> {
  const disk = yield* Disk
  const host = yield* Host
  const { config } = yield* userDirectories
  const file = path.join(config, "keys.json")
  /** What was read last. A key never changes, so this holds in a moment in which the file cannot be read. */
  let known: KeyFile | undefined
  const read = disk.readFile(file).pipe(
    Effect.map((bytes) => {
      known = Option.getOrUndefined(decode(bytes.toString("utf8")))
      return known
    }),
    Effect.catch((error) => Effect.succeed(error.code === "ENOENT" ? undefined : known))
  )
  const load = Effect.suspend(() => (readsOnce && known !== undefined ? Effect.succeed(known) : read))
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
  const current = Effect.gen(function* () {
    const known = yield* existing
    if (known !== undefined) return known
    yield* create
    return (yield* existing) ?? unkeyed
  })
  /** A file that is there and cannot be read is no empty keyring. */
  const loadStrictly = Effect.gen(function* () {
    const keys = yield* load
    if (keys !== undefined) return keys
    const there = Effect.mapError(disk.status(file), ({ code }) => new KeysUnreadable({ path: file, code }))
    if ((yield* there) === undefined) return undefined
    const bytes = yield* Effect.mapError(disk.readFile(file), ({ code }) => new KeysUnreadable({ path: file, code }))
    return Option.getOrUndefined(decode(bytes.toString("utf8"))) ?? (yield* new KeysUnreadable({ path: file }))
  })
  return Keyring.of({
    file,
    existing,
    current,
    identity: Effect.gen(function* () {
      const keys = yield* load
      const [oldest] = keys === undefined ? [] : byAge(keys)
      return keys === undefined || oldest === undefined ? yield* current : (keyOf(keys, oldest.id) ?? unkeyed)
    }),
    list: Effect.map(loadStrictly, (keys) => (keys === undefined ? [] : byAge(keys))),
    rotate: Effect.gen(function* () {
      yield* loadStrictly
      yield* current
      const keys = yield* loadStrictly
      const secret = host.randomHex(32)
      const created_at = timestampOf(yield* Clock.currentTimeMillis)
      const id = keyId(secret)
      const rotated: KeyFile = {
        schema_version: 1,
        current: id,
        keys: { ...keys?.keys, [id]: { secret, created_at } }
      }
      // Durable: a current key that a loss of power takes back would have chained archives by then.
      yield* replaceFile(file, Buffer.from(`${JSON.stringify(rotated, undefined, 2)}\n`), { durable: true })
      return { id, created_at, current: true }
    }).pipe(Effect.provideService(Disk, disk), Effect.provideService(Host, host)),
    byId: Effect.fnUntraced(function* (id: string) {
      if (id === unkeyed.id) return unkeyed
      const keys = yield* load
      const key = keys && keyOf(keys, id)
      if (key !== undefined || !readsOnce) return key
      // Made by somebody else since.
      const now = yield* read
      return now && keyOf(now, id)
    })
  })
})

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
    /**
     * The oldest key, which a rotation does not change: what tells two deliveries of one event apart must stay the same in a session that goes on
     * over a rotation.
     */
    readonly identity: Effect.Effect<ChainKey>
    /** All keys by age, without their secrets. */
    readonly list: Effect.Effect<ReadonlyArray<KeyFacts>, KeysUnreadable>
    /** Makes a new current key; the older ones stay, for the archives that they chain. The caller lets no two rotations run at once. */
    readonly rotate: Effect.Effect<KeyFacts, KeysUnreadable | DiskError>
    /** Where the keys are. */
    readonly file: string
  }
>()("lint-ai/archive/Keyring") {
  static readonly make = keyring({ readsOnce: false })

  /** For a process that lives for one delivery: what it has read holds for the few milliseconds, so that the file is read once and not three times. */
  static readonly makeForDelivery = keyring({ readsOnce: true })

  static readonly layer = Layer.effect(Keyring, Keyring.make)
}

/**
 * A key by its id, undefined when this user has none of that id. Fails where the keys cannot be read, which says nothing of what they are; asked twice,
 * because a system that is out of files for a moment is not the end of a record.
 */
export const knownKey = Effect.fnUntraced(function* (id: string) {
  const keyring = yield* Keyring
  const key = yield* keyring.byId(id)
  if (key !== undefined) return key
  yield* keyring.list
  return yield* keyring.byId(id)
})

const byAge = (keys: KeyFile): ReadonlyArray<KeyFacts> =>
  Object.entries(keys.keys)
    .map(([id, { created_at }]) => ({ id, created_at, current: id === keys.current }))
    .sort((left, right) => (left.created_at + left.id < right.created_at + right.id ? -1 : 1))

/** A key's public name: 16 hex digits of the SHA-256 of its secret. */
const keyId = (secret: string): string => sha256(Buffer.from(secret, "hex")).slice(0, 16)

const keyOf = (keys: KeyFile, id: string): ChainKey | undefined => {
  // A name that every object has (`constructor`) is nobody's key.
  const key = Object.hasOwn(keys.keys, id) ? keys.keys[id] : undefined
  return key === undefined ? undefined : { id, secret: Buffer.from(key.secret, "hex") }
}
