// The work of tamper evidence alone, as one append does it. Bundled by scripts/bench-evidence.mjs, because Node 20 runs no TypeScript.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { readAnchor, writeAnchor } from "../src/archive/anchor.ts"
import { type ChainKey, chainHash, emptyChecksum, genesis, runningChecksum, seal } from "../src/archive/chain.ts"
import { Disk } from "../src/platform/Disk.ts"
import { Host } from "../src/platform/Host.ts"

const machine = Layer.mergeAll(Disk.layer, Host.layer)

/** Gives a function that chains one event of so many bytes, seals a checkpoint and a manifest of the usual size, asks for the anchor and moves it. */
export const evidenceOf = (directory: string): ((bytes: number) => void) => {
  const key: ChainKey = { id: "bench", secret: Buffer.alloc(32, 1) }
  const startedAt = "2026-08-16T12:00:00.000Z"
  const sealed = Buffer.alloc(8 * 1024, "c")
  let head = genesis("claude:bench", startedAt)
  let checksum = emptyChecksum
  let count = 0
  const services = Effect.runSync(Effect.scoped(Layer.build(machine)))
  return (bytes) => {
    const body = Buffer.alloc(bytes, "x")
    head = chainHash(key, head, body)
    checksum = runningChecksum(checksum, seal(body, head))
    chainHash(key, head, sealed)
    chainHash(key, head, sealed)
    count++
    const anchor = { schema_version: 1 as const, session_id: "claude:bench", archive: directory, count, digest: head }
    Effect.runSync(
      Effect.andThen(readAnchor({ sessionId: "claude:bench", startedAt }), writeAnchor(startedAt, anchor)).pipe(
        Effect.provideContext(services)
      )
    )
  }
}
