import * as path from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Disk } from "../platform/Disk.ts"
import { leaseMs } from "./LockService.ts"

/** Removes the temporary files (atomicFile.ts) that killed writers left in a directory. A young one may belong to a writer at work. */
export const removeLeftTemporaries = Effect.fnUntraced(function* (directory: string, olderThanMs = leaseMs) {
  const disk = yield* Disk
  const now = yield* Clock.currentTimeMillis
  for (const name of yield* disk.list(directory)) {
    if (!name.endsWith(".tmp")) continue
    const file = path.join(directory, name)
    const status = yield* disk.status(file)
    if (status?.kind === "file" && now - status.modifiedMs > olderThanMs) yield* Effect.ignore(disk.remove(file))
  }
})
