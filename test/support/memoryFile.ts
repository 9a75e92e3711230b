import * as Effect from "effect/Effect"
import type { OpenFile } from "../../src/platform/Disk.ts"

/** An open file of these bytes, for reading. */
export const memoryFile = (bytes: Buffer): OpenFile => ({
  size: Effect.succeed(bytes.length),
  mode: Effect.succeed(0o600),
  read: (offset, length) => Effect.succeed(bytes.subarray(offset, offset + length)),
  write: () => Effect.die("a memory file is only read"),
  truncate: () => Effect.die("a memory file is only read"),
  sync: Effect.void
})
