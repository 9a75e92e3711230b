import * as crypto from "node:crypto"
import * as path from "node:path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { replaceFile } from "../../archive/atomicFile.ts"
import { Disk } from "../../platform/Disk.ts"
import { userDirectories } from "../../platform/userDirectories.ts"

/** The head of a chain of AIR records, kept outside of their directory: without it a cut tail looks whole. */
export const AirHead = Schema.Struct({
  schema_version: Schema.Literal(1),
  directory: Schema.String,
  /** chain_hash of the first record, by which a directory that was moved is known again. */
  first_hash: Schema.String,
  chain_seq: Schema.Natural,
  chain_hash: Schema.String,
  /** Of the key, so that a chain under another key is not taken for this one. */
  key_id: Schema.String
})
export type AirHead = typeof AirHead.Type
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(AirHead))

/** 16 hex digits that name a key without telling it. */
export const keyFingerprint = (key: string): string =>
  crypto.createHash("sha256").update(key).digest("hex").slice(0, 16)

const fileOf = (name: string) =>
  Effect.map(userDirectories, ({ state }) =>
    path.join(state, "air-heads", `${crypto.createHash("sha256").update(name).digest("hex").slice(0, 32)}.json`)
  )

/**
 * What is known of the chain in a directory, by its place or, for one that was moved, by its first record. Undefined when lint-ai wrote none
 * there.
 */
export const readHead = Effect.fnUntraced(function* (directory: string, firstHash: string) {
  const disk = yield* Disk
  for (const name of [directory, firstHash]) {
    if (name === "") continue
    const head = yield* disk.readFile(yield* fileOf(name)).pipe(
      Effect.map((bytes) => Option.getOrUndefined(decode(bytes.toString("utf8")))),
      Effect.orElseSucceed(() => undefined)
    )
    if (head !== undefined) return head
  }
  return undefined
})

export const writeHead = Effect.fnUntraced(function* (head: AirHead) {
  const disk = yield* Disk
  const bytes = Buffer.from(JSON.stringify(head))
  for (const name of [head.directory, head.first_hash]) {
    const file = yield* fileOf(name)
    yield* disk.makeDirectory(path.dirname(file))
    yield* replaceFile(file, bytes)
  }
})
