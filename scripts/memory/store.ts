// What scripts/bench-memory.mjs needs of the program, in one bundle.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { Keyring } from "../../src/archive/Keyring.ts"
import { LockService } from "../../src/archive/LockService.ts"
import type { MemoryDraft } from "../../src/domain/memory.ts"
import { patient } from "../../src/memory/indexFile.ts"
import { MemoryStore } from "../../src/memory/MemoryStore.ts"
import { memoryPlace } from "../../src/memory/memoryPlace.ts"
import { Disk } from "../../src/platform/Disk.ts"
import { Host } from "../../src/platform/Host.ts"
import { Processes } from "../../src/platform/Processes.ts"
import { Sqlite } from "../../src/platform/Sqlite.ts"
import { Redactor } from "../../src/redaction/Redactor.ts"

const machine = Processes.layer.pipe(Layer.provideMerge(Layer.mergeAll(Disk.layer, Host.layer)))
const stores = Layer.mergeAll(LockService.layer, Keyring.layer, Sqlite.layer).pipe(Layer.provideMerge(machine))
const services = Layer.mergeAll(MemoryStore.layer, Redactor.layerTransparent).pipe(Layer.provideMerge(stores))

/** The memory of Claude Code in a directory, as plain functions. */
export const openMemory = async (projectRoot: string) => {
  const runtime = ManagedRuntime.make(services)
  const place = await runtime.runPromise(memoryPlace(projectRoot, "claude"))
  const store = await runtime.runPromise(MemoryStore)
  return {
    directory: place.directory,
    add: (drafts: ReadonlyArray<MemoryDraft>) => runtime.runPromise(store.add(place, drafts)),
    search: (question: string, limit: number) => runtime.runPromise(store.search(place, question, limit, patient)),
    stats: () => runtime.runPromise(store.stats(place)),
    rebuild: () => runtime.runPromise(store.rebuild(place)),
    driver: () => runtime.runPromise(Effect.map(Sqlite, (sqlite) => sqlite.driver)),
    close: () => runtime.dispose()
  }
}

export { relevantHits } from "../../src/memory/relevance.ts"
export { bulkTurns, bulkWord, makeCorpus } from "./corpus.ts"
export { PlainBm25 } from "./plainBm25.ts"
