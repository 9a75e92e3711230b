import * as path from "node:path"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { createFile, replaceFile } from "../archive/atomicFile.ts"
import type { ChainKey } from "../archive/chain.ts"
import { Keyring } from "../archive/Keyring.ts"
import { Disk } from "../platform/Disk.ts"
import { hmacSha256, sameDigest } from "../platform/digest.ts"
import { type MemoryPlace, memoryFiles } from "./memoryPlace.ts"

/** A memory that this user did not make here: it came with a clone, was copied, or its owner file was edited. Nothing of it is read or injected. */
export class MemoryNotOwned extends Data.TaggedError("MemoryNotOwned")<{
  readonly directory: string
  readonly reason: "unsigned" | "link" | "no-key"
}> {
  override get message(): string {
    if (this.reason === "no-key") {
      return "lint-ai could not create its key in your config directory: make that directory writable, or set LINT_AI_CONFIG_DIR."
    }
    if (this.reason === "link") return `${this.directory} is a link, and lint-ai does not follow it; move it away.`
    return `The memory in ${this.directory} is not yours (it came with a clone or was copied). Look at it, then run \`lint-ai memory adopt\`.`
  }
}

/** owner.json: whose the memory is, and for which place. */
const OwnerFile = Schema.Struct({
  schema_version: Schema.Literal(1),
  key_id: Schema.String,
  signature: Schema.String
})
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(OwnerFile))

const signatureOf = (key: ChainKey, { provider, root }: MemoryPlace): string =>
  hmacSha256(key.secret, `lint-ai memory owner 1\n${provider}\n${root}`)

const ownerText = (key: ChainKey, place: MemoryPlace): Buffer =>
  Buffer.from(`${JSON.stringify({ schema_version: 1, key_id: key.id, signature: signatureOf(key, place) })}\n`)

/** Whether there is a memory. Fails when there is one that is not this user's. Creates nothing. */
export const ownedMemory = Effect.fnUntraced(function* (place: MemoryPlace) {
  const disk = yield* Disk
  const keyring = yield* Keyring
  const { directory } = place
  for (const one of [path.dirname(directory), directory]) {
    const status = yield* disk.status(one)
    if (status === undefined) return false
    if (status.kind !== "directory") return yield* new MemoryNotOwned({ directory: one, reason: "link" })
  }
  const bytes = yield* disk.readFile(memoryFiles(place).owner).pipe(Effect.orElseSucceed(() => undefined))
  if (bytes === undefined) {
    // Made a moment ago, or by a kill: a directory without anything to read is nobody's.
    if ((yield* disk.list(memoryFiles(place).segments)).length === 0) return false
    return yield* new MemoryNotOwned({ directory, reason: "unsigned" })
  }
  const owner = Option.getOrUndefined(decode(bytes.toString("utf8")))
  const key = owner === undefined ? undefined : yield* keyring.byId(owner.key_id)
  const signed =
    owner !== undefined &&
    key !== undefined &&
    key.secret.length > 0 &&
    sameDigest(owner.signature, signatureOf(key, place))
  return signed ? true : yield* new MemoryNotOwned({ directory, reason: "unsigned" })
})

/** Marks a memory that is about to begin as this user's. */
export const claimMemory = Effect.fnUntraced(function* (place: MemoryPlace, key: ChainKey) {
  if (key.secret.length === 0) return yield* new MemoryNotOwned({ directory: place.directory, reason: "no-key" })
  yield* createFile(memoryFiles(place).owner, ownerText(key, place))
})

/** Takes a memory that came from elsewhere for the user's own. Records that another key made stay unread. */
export const adoptMemory = Effect.fnUntraced(function* (place: MemoryPlace) {
  const keyring = yield* Keyring
  const key = yield* keyring.current
  if (key.secret.length === 0) return yield* new MemoryNotOwned({ directory: place.directory, reason: "no-key" })
  yield* replaceFile(memoryFiles(place).owner, ownerText(key, place))
})
