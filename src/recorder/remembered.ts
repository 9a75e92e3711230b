import * as path from "node:path"
import * as Effect from "effect/Effect"
import { createFile } from "../archive/atomicFile.ts"
import { Disk } from "../platform/Disk.ts"
import { sha256 } from "../platform/digest.ts"
import { userDirectories } from "../platform/userDirectories.ts"

/**
 * What the first event of a session settles for all that follow: its project root where the agent may change directory, its id where the provider
 * gives none. Kept in the user's state directory, one small file each.
 */
export type RememberedKind = "session-roots" | "local-ids"

const fileOf = (kind: RememberedKind, key: ReadonlyArray<string>) =>
  Effect.map(userDirectories, ({ state }) => {
    const name = sha256(JSON.stringify(key)).slice(0, 32)
    return path.join(state, kind, name)
  })

export const recall = Effect.fnUntraced(function* (kind: RememberedKind, key: ReadonlyArray<string>) {
  const disk = yield* Disk
  return yield* disk.readFile(yield* fileOf(kind, key)).pipe(
    Effect.map((bytes) => bytes.toString("utf8")),
    Effect.orElseSucceed(() => undefined)
  )
})

/** Settles a value; gives the one that was settled first, by whoever. Where nothing can be written the value holds for this event. */
export const remember = Effect.fnUntraced(function* (kind: RememberedKind, key: ReadonlyArray<string>, value: string) {
  const disk = yield* Disk
  const file = yield* fileOf(kind, key)
  yield* disk
    .makeDirectory(path.dirname(file))
    .pipe(Effect.andThen(createFile(file, Buffer.from(value))), Effect.ignore)
  return (yield* recall(kind, key)) ?? value
})
