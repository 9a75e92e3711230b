import * as path from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Disk } from "../platform/Disk.ts"
import { Host } from "../platform/Host.ts"
import { replaceFile } from "./atomicFile.ts"
import { PreparedEvent } from "./preparedEvent.ts"
import { ensurePrivateDirectory } from "./privateDirectory.ts"

/** The events of one delivery whose writer did not get the lock in time. */
const SpooledDelivery = Schema.Struct({
  schema_version: Schema.Literal(1),
  events: Schema.Array(PreparedEvent)
})
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(SpooledDelivery))

export interface Spooled {
  readonly file: string
  readonly events: ReadonlyArray<PreparedEvent>
}

/** Leaves a delivery for the next writer, as one file that appears whole. Names sort by time. */
export const spool = Effect.fnUntraced(function* (directory: string, events: ReadonlyArray<PreparedEvent>) {
  const host = yield* Host
  yield* ensurePrivateDirectory(directory)
  const time = String(yield* Clock.currentTimeMillis).padStart(15, "0")
  const file = path.join(directory, `${time}-${host.pid}-${host.randomHex(4)}.json`)
  yield* replaceFile(file, Buffer.from(JSON.stringify({ schema_version: 1, events })))
})

/** What waits in a spool, oldest first. A file that is no delivery is left alone: `problems` names it. */
export const readSpool = Effect.fnUntraced(function* (directory: string) {
  const disk = yield* Disk
  const waiting: Array<Spooled> = []
  const problems: Array<string> = []
  for (const name of yield* disk.list(directory)) {
    // A temporary file belongs to a writer that is at work, or was killed before it acknowledged anything.
    if (!name.endsWith(".json")) continue
    const file = path.join(directory, name)
    const text = yield* disk.readFile(file).pipe(Effect.orElseSucceed(() => undefined))
    // Drained by another writer in the meantime.
    if (text === undefined) continue
    const delivery = Option.getOrUndefined(decode(text.toString("utf8")))
    if (delivery === undefined) problems.push(name)
    else waiting.push({ file, events: delivery.events })
  }
  return { waiting, problems }
})
