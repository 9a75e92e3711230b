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

/** The agents of a run that is killed go on without it. So each is noted in the root, for the next run to end. */
const agentsDirectory = (root: string): string => path.join(root, "agents")
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(ProcessIdentity))

/** Gives what notes an agent by its pid; it never fails. */
export const notingAgents = (root: string) =>
  Effect.map(
    Effect.context<Disk | Host | Processes>(),
    (machine) => (pid: number) =>
      Effect.gen(function* () {
        const disk = yield* Disk
        const processes = yield* Processes
        const identity = yield* processes.identify(pid)
        if (identity === undefined) return
        yield* disk.makeDirectory(agentsDirectory(root))
        yield* replaceFile(path.join(agentsDirectory(root), `${pid}.json`), Buffer.from(JSON.stringify(identity)))
      }).pipe(Effect.ignore, Effect.provideContext(machine))
  )

/** Ends the agents that an earlier run left running: those alone that still are who was noted. */
export const endLeftAgents = Effect.fnUntraced(function* (root: string) {
  const disk = yield* Disk
  const processes = yield* Processes
  for (const name of yield* disk.list(agentsDirectory(root))) {
    const bytes = yield* disk
      .readFile(path.join(agentsDirectory(root), name))
      .pipe(Effect.orElseSucceed(() => undefined))
    const identity = bytes === undefined ? undefined : Option.getOrUndefined(decode(bytes.toString("utf8")))
    // Without its time of start a process could be anybody's.
    if (identity === undefined || identity.start === "") continue
    if ((yield* processes.liveness(identity)) === "alive") yield* Effect.sync(() => killGroup(identity.pid))
  }
  yield* forgetAgents(root)
})

export const forgetAgents = (root: string) =>
  Effect.flatMap(Disk, (disk) => Effect.ignore(disk.removeTree(agentsDirectory(root))))
