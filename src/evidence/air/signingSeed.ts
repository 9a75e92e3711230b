import * as path from "node:path"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { createFile } from "../../archive/atomicFile.ts"
import { Disk } from "../../platform/Disk.ts"
import { Host } from "../../platform/Host.ts"
import { userDirectories } from "../../platform/userDirectories.ts"
import { AirKeyUnreadable } from "./key.ts"

/** What was named as the seed, or stands in its place, is none. */
export class SigningSeedMalformed extends Data.TaggedError("SigningSeedMalformed")<{ readonly path: string }> {
  override get message(): string {
    return `${this.path} holds no Ed25519 seed, which is 64 hex digits.`
  }
}

/** The Ed25519 seed that signs bundles: of the file that was named, else the user's own, which is made when there is none. 64 hex digits. */
export const signingSeed = Effect.fnUntraced(function* (file: string | undefined) {
  const disk = yield* Disk
  const host = yield* Host
  const { config } = yield* userDirectories
  const place = file ?? path.join(config, "air-signing-seed")
  if (file === undefined && (yield* disk.status(place)) === undefined) {
    yield* disk.makeDirectory(config)
    yield* createFile(place, Buffer.from(`${host.randomHex(32)}\n`))
  }
  const text = yield* disk.readFile(place).pipe(
    Effect.map((bytes) => bytes.toString("utf8").trim()),
    Effect.mapError((error) => new AirKeyUnreadable({ path: place, code: error.code }))
  )
  if (!/^[0-9a-fA-F]{64}$/.test(text)) return yield* new SigningSeedMalformed({ path: place })
  return Buffer.from(text, "hex")
})
