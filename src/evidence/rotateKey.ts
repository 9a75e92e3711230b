import * as path from "node:path"
import * as Effect from "effect/Effect"
import { Keyring } from "../archive/Keyring.ts"
import { LockService } from "../archive/LockService.ts"
import { Disk } from "../platform/Disk.ts"

/** How long a rotation waits for another one. */
const patienceMs = 5_000

/**
 * Makes a new current key. Sessions that are being recorded keep the key that their manifest names; new ones take the new key. A hook that reads the
 * keys meanwhile sees the old file or the new one, and both have every key that it can need.
 */
export const rotateKey = Effect.gen(function* () {
  const keyring = yield* Keyring
  const locks = yield* LockService
  const disk = yield* Disk
  const [previous] = (yield* keyring.list).filter((key) => key.current)
  yield* disk.makeDirectory(path.dirname(keyring.file))
  const current = yield* locks.hold(`${keyring.file}.lock`, patienceMs, keyring.rotate)
  return { previous: previous?.id ?? null, current: current.id, created_at: current.created_at }
})
