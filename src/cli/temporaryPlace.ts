import * as path from "node:path"
import * as Effect from "effect/Effect"
import { Disk } from "../platform/Disk.ts"
import { Host } from "../platform/Host.ts"

/** A place that goes away by itself needs no question: nobody keeps a record there by mistake. */
export const isTemporary = Effect.fn("isTemporary")(function* (directory: string) {
  const host = yield* Host
  const disk = yield* Disk
  for (const place of [host.temporary, "/tmp", "/var/tmp"]) {
    const real = yield* disk.realPath(place).pipe(Effect.orElseSucceed(() => place))
    if (directory === real || directory.startsWith(`${real}${path.sep}`)) return true
  }
  return false
})
