import * as path from "node:path"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { Disk } from "../../platform/Disk.ts"
import { Host } from "../../platform/Host.ts"
import { publicDefaultKey } from "./chain.ts"

/** There is no key to chain AIR records with. */
export class NoAirKey extends Data.TaggedError("NoAirKey") {
  override get message(): string {
    return "AIR records need a key: give --key-file FILE or set TRUST_SIGNING_KEY."
  }
}

/** The key proves nothing. */
export class WeakAirKey extends Data.TaggedError("WeakAirKey")<{ readonly problem: "public" | "empty" }> {
  override get message(): string {
    return this.problem === "public"
      ? "This key is the public default of AIR, with which anybody can write a valid chain: choose one of your own."
      : "The key is empty: put 32 random bytes as hex into the key file."
  }
}

/** The file that was named as the key cannot be read. */
export class AirKeyUnreadable extends Data.TaggedError("AirKeyUnreadable")<{
  readonly path: string
  readonly code: string
}> {
  override get message(): string {
    return `The key file ${this.path} cannot be read (${this.code}).`
  }
}

const keyInFile = Effect.fnUntraced(function* (file: string) {
  const disk = yield* Disk
  const bytes = yield* disk
    .readFile(file)
    .pipe(Effect.mapError((error) => new AirKeyUnreadable({ path: file, code: error.code })))
  return bytes.toString("utf8").trim()
})

/** The key for writing: --key-file, else TRUST_SIGNING_KEY; never the public default, never nothing. */
export const writingKey = Effect.fnUntraced(function* (keyFile: string | undefined) {
  const key = yield* givenKey(keyFile)
  if (key === undefined) return yield* new NoAirKey()
  if (key === "") return yield* new WeakAirKey({ problem: "empty" })
  if (key === publicDefaultKey) return yield* new WeakAirKey({ problem: "public" })
  return key
})

/**
 * The key for checking: --key-file, else TRUST_SIGNING_KEY, else the file that the reference keeps beside its records. Any key may be tried; a
 * weak one shows in the verdict.
 */
export const checkingKey = Effect.fnUntraced(function* (keyFile: string | undefined, runs: string) {
  const given = yield* givenKey(keyFile)
  if (given !== undefined) return { key: given, beside: false }
  const file = path.join(runs, ".air-signing-key")
  const beside = yield* keyInFile(file).pipe(Effect.orElseSucceed(() => undefined))
  return beside === undefined ? yield* new NoAirKey() : { key: beside, beside: true }
})

const givenKey = Effect.fnUntraced(function* (keyFile: string | undefined) {
  if (keyFile !== undefined) return yield* keyInFile(keyFile)
  const host = yield* Host
  // A variable that is set to nothing is not set, as in the reference.
  return host.env.TRUST_SIGNING_KEY === "" ? undefined : host.env.TRUST_SIGNING_KEY
})
