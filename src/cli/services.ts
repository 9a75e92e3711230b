import * as Layer from "effect/Layer"
import { Keyring } from "../archive/Keyring.ts"
import { LockService } from "../archive/LockService.ts"
import { SessionArchive } from "../archive/SessionArchive.ts"
import { Configuration } from "../control/Configuration.ts"
import { Diagnostics } from "../control/Diagnostics.ts"
import { Toggles } from "../control/Toggles.ts"
import { MemoryStore } from "../memory/MemoryStore.ts"
import { Disk } from "../platform/Disk.ts"
import { FileChanges } from "../platform/FileChanges.ts"
import { Git } from "../platform/Git.ts"
import { Host } from "../platform/Host.ts"
import { LoopbackServer } from "../platform/LoopbackServer.ts"
import { Processes } from "../platform/Processes.ts"
import { runtimeServices } from "../platform/programSpawner.ts"
import { Screen } from "../platform/Screen.ts"
import { Sqlite } from "../platform/Sqlite.ts"
import { Stdin } from "../platform/Stdin.ts"
import { Worktrees } from "../platform/Worktrees.ts"
import { Redactor } from "../redaction/Redactor.ts"
import { isolatedAgentLayer } from "../replay/isolatedAgentLive.ts"
import { ReplayOrchestrator } from "../replay/ReplayOrchestrator.ts"

const machine = Layer.mergeAll(Processes.layer, Screen.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(Disk.layer, Host.layer))
)
const stores = Layer.mergeAll(LockService.layer, Keyring.layer, Diagnostics.layer, Configuration.layer).pipe(
  Layer.provideMerge(machine)
)

const recordings = Layer.mergeAll(
  SessionArchive.layer,
  Toggles.layer,
  Redactor.layerDefault,
  MemoryStore.layer.pipe(Layer.provide(Sqlite.layer)),
  Git.layer,
  FileChanges.layer,
  LoopbackServer.layer,
  Stdin.layer,
  Worktrees.layer
).pipe(Layer.provideMerge(stores), Layer.provideMerge(runtimeServices))

/** Everything that a command may ask for, live. */
export const services = ReplayOrchestrator.layer.pipe(
  Layer.provideMerge(isolatedAgentLayer),
  Layer.provideMerge(recordings)
)
