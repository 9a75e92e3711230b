import * as path from "node:path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { createFile } from "../archive/atomicFile.ts"
import { removeLeftTemporaries } from "../archive/leftTemporaries.ts"
import { removeStaleTickets } from "../control/replayTicket.ts"
import { ProcessIdentity } from "../domain/processIdentity.ts"
import { Disk } from "../platform/Disk.ts"
import { Host } from "../platform/Host.ts"
import { Processes } from "../platform/Processes.ts"
import { userDirectories } from "../platform/userDirectories.ts"
import { newDirectory } from "../providers/settingsHome.ts"
import { endLeftAgents } from "./leftAgents.ts"

/** Whose a place is, in the user's state directory: a process that is killed leaves its place to the next one. */
const OwnerFile = Schema.Struct({
  schema_version: Schema.Literal(1),
  owner: ProcessIdentity,
  directory: Schema.NonEmptyString
})
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(OwnerFile))

const registry = Effect.map(userDirectories, ({ state }) => path.join(state, "replay-places"))
const placeName = /^lint-ai-place-[0-9a-f]{16}$/

/**
 * A directory for one place, for the length of a scope.
 *
 * @param keep it stays when the scope ends
 */
export const openPlace = Effect.fn("openPlace")(function* (below: string, keep: boolean) {
  const disk = yield* Disk
  const host = yield* Host
  const processes = yield* Processes
  const name = `lint-ai-place-${host.randomHex(8)}`
  yield* disk.makeDirectory(below)
  // The agent and Git name it with links resolved.
  const directory = path.join(yield* disk.realPath(below), name)
  const file = path.join(yield* registry, `${name}.json`)
  yield* disk.makeDirectory(path.dirname(file))
  const owner: typeof OwnerFile.Type = {
    schema_version: 1,
    owner: yield* processes.self,
    directory
  }
  // A directory that could not be removed stays known, for the next one to remove.
  const forget = Effect.flatMap(disk.status(directory), (left) =>
    keep || left === undefined ? disk.remove(file) : Effect.void
  )
  yield* Effect.acquireRelease(createFile(file, Buffer.from(`${JSON.stringify(owner)}\n`)), () => Effect.ignore(forget))
  return yield* Effect.acquireRelease(newDirectory(directory), () =>
    keep ? Effect.void : Effect.ignore(disk.removeTree(directory))
  )
})

/** Removes the place that a file of the registry names, if its owner was killed. Tells whether there was one. */
const removeLeftover = Effect.fnUntraced(function* (file: string) {
  const disk = yield* Disk
  const processes = yield* Processes
  const bytes = yield* disk.readFile(file)
  const found = Option.getOrUndefined(decode(bytes.toString("utf8")))
  if (found === undefined || (yield* processes.liveness(found.owner)) !== "dead") return false
  // Only what openPlace names so is ours to remove.
  const isOurs = placeName.test(path.basename(found.directory)) && path.isAbsolute(found.directory)
  if (isOurs) {
    yield* endLeftAgents(found.directory)
    yield* disk.removeTree(found.directory)
  }
  yield* disk.remove(file)
  return isOurs
})

/**
 * Removes the places of processes that were killed, with the agents that still run in them and their tickets. Gives how many there were. Never fails: a place
 * that cannot be removed keeps none of the others, and is tried again by the next one.
 */
export const removeLeftovers = Effect.gen(function* () {
  const disk = yield* Disk
  const directory = yield* registry
  let removed = 0
  yield* removeLeftTemporaries(directory)
  for (const name of yield* disk.list(directory)) {
    const isRemoved = yield* removeLeftover(path.join(directory, name)).pipe(Effect.orElseSucceed(() => false))
    if (isRemoved) removed++
  }
  yield* removeStaleTickets()
  return removed
}).pipe(Effect.orElseSucceed(() => 0))
