import * as path from "node:path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { replaceFile } from "../archive/atomicFile.ts"
import { ProcessIdentity } from "../domain/processIdentity.ts"
import { Disk } from "../platform/Disk.ts"
import type { Host } from "../platform/Host.ts"
import { Processes } from "../platform/Processes.ts"
import { killGroup } from "../providers/agentProcess.ts"

/** The agent of a run that is killed goes on without it. So each is noted in its place, for whoever removes the place to end. */
const agentsDirectory = (place: string): string => path.join(place, "agents")
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(ProcessIdentity))

/** Gives what notes an agent by its pid; it never fails. */
export const notingAgents = (place: string) =>
  Effect.map(
    Effect.context<Disk | Host | Processes>(),
    (machine) => (pid: number) =>
      Effect.gen(function* () {
        const disk = yield* Disk
        const processes = yield* Processes
        const identity = yield* processes.identify(pid)
        if (identity === undefined) return
        yield* disk.makeDirectory(agentsDirectory(place))
        yield* replaceFile(path.join(agentsDirectory(place), `${pid}.json`), Buffer.from(JSON.stringify(identity)))
      }).pipe(Effect.ignore, Effect.provideContext(machine))
  )

/** Ends the agents that were left running in a place: those alone that still are who was noted. */
export const endLeftAgents = Effect.fnUntraced(function* (place: string) {
  const disk = yield* Disk
  const processes = yield* Processes
  const directory = agentsDirectory(place)
  for (const name of yield* disk.list(directory)) {
    const bytes = yield* disk.readFile(path.join(directory, name)).pipe(Effect.orElseSucceed(() => undefined))
    const identity = bytes === undefined ? undefined : Option.getOrUndefined(decode(bytes.toString("utf8")))
    // Without its time of start a process could be anybody's.
    if (identity === undefined || identity.start === "") continue
    if ((yield* processes.liveness(identity)) === "alive") yield* Effect.sync(() => killGroup(identity.pid))
  }
})
