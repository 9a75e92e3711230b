import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Keyring } from "../archive/Keyring.ts"
import type { LockService } from "../archive/LockService.ts"
import type { MemoryDraft } from "../domain/memory.ts"
import type { Disk, DiskError } from "../platform/Disk.ts"
import type { Host } from "../platform/Host.ts"
import { Sqlite, SqliteUnavailable } from "../platform/Sqlite.ts"
import type { Redactor } from "../redaction/Redactor.ts"
import { type Patience, patient } from "./indexFile.ts"
import type { Added, Memory, MemoryHit, MemoryReadError, MemoryStats, MemoryWriteError } from "./memoryAnswers.ts"
import type { MemoryPlace } from "./memoryPlace.ts"
import { adoptMemory, type MemoryNotOwned, ownedMemory } from "./owner.ts"
import type { RankedSession } from "./rank.ts"
import { find, list, search, sessions, stats } from "./readMemory.ts"
import { add, forget, rebuild } from "./writeMemory.ts"

/**
 * The memories of one agent in one project. The segments are the truth; the index is made from them, incrementally, by whoever comes. Several
 * processes may work at once, and any of them may be killed.
 *
 * Reading creates no memory. Text is redacted when it is added, whoever adds it.
 */
export class MemoryStore extends Context.Service<
  MemoryStore,
  {
    /** Why nothing can be found here; undefined where it can. */
    readonly unsearchable: SqliteUnavailable | undefined
    /** Stores memories that are not there yet. The first makes the memory. The text of each is redacted and bounded. */
    readonly add: (
      place: MemoryPlace,
      drafts: ReadonlyArray<MemoryDraft>,
      patience?: Patience
    ) => Effect.Effect<Added, MemoryWriteError, Redactor>
    /** Whether there is a memory of this user. */
    readonly exists: (place: MemoryPlace) => Effect.Effect<boolean, DiskError | MemoryNotOwned>
    /** The best memory of each session that fits, best first. Superseded ones, and those that the user's keys did not sign, are left out. */
    readonly search: (
      place: MemoryPlace,
      question: string,
      limit: number,
      patience?: Patience,
      /** Which of the ranked are read at all. */
      choose?: (ranked: ReadonlyArray<RankedSession>) => ReadonlyArray<RankedSession>
    ) => Effect.Effect<ReadonlyArray<MemoryHit>, MemoryReadError>
    readonly list: (
      place: MemoryPlace,
      limit: number,
      only?: { readonly kind?: string | undefined; readonly sessionId?: string | undefined },
      patience?: Patience
    ) => Effect.Effect<ReadonlyArray<Memory>, MemoryReadError>
    /** Memories whose id begins so. */
    readonly find: (place: MemoryPlace, idPrefix: string) => Effect.Effect<ReadonlyArray<Memory>, MemoryReadError>
    /** Ids of the sessions that a person may mean by one, with or without the agent's name, or by the beginning of it; at most ten. */
    readonly sessions: (place: MemoryPlace, given: string) => Effect.Effect<ReadonlyArray<string>, MemoryReadError>
    /** Takes memories out of the segments, the index and what is noted of their sessions for good. Gives how many there were. */
    readonly forget: (
      place: MemoryPlace,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<number, MemoryReadError | MemoryWriteError>
    readonly stats: (place: MemoryPlace) => Effect.Effect<MemoryStats, MemoryReadError>
    /** Throws the index away and makes it anew. */
    readonly rebuild: (place: MemoryPlace) => Effect.Effect<MemoryStats, MemoryReadError | MemoryWriteError>
    /** Takes a memory that came from elsewhere for the user's own. */
    readonly adopt: (place: MemoryPlace) => Effect.Effect<void, DiskError | MemoryNotOwned>
  }
>()("lint-ai/memory/MemoryStore") {
  static readonly layer = Layer.effect(
    MemoryStore,
    Effect.gen(function* () {
      const machine = yield* Effect.context<Disk | Host | Keyring | LockService | Sqlite>()
      const within = Effect.provideContext(machine)
      const { driver } = yield* Sqlite
      return MemoryStore.of({
        unsearchable: driver === "none" ? new SqliteUnavailable() : undefined,
        add: (place, drafts, patience = patient) => within(add(place, drafts, patience)),
        exists: (place) => within(ownedMemory(place)),
        search: (place, question, limit, patience = patient, choose = all) =>
          within(search(place, question, limit, patience, choose)),
        list: (place, limit, only, patience = patient) => within(list(place, limit, only, patience)),
        find: (place, idPrefix) => within(find(place, idPrefix)),
        sessions: (place, given) => within(sessions(place, given)),
        forget: (place, ids) => within(forget(place, ids)),
        stats: (place) => within(stats(place)),
        rebuild: (place) => within(rebuild(place)),
        adopt: (place) => within(adoptMemory(place))
      })
    })
  )
}

const all = (ranked: ReadonlyArray<RankedSession>): ReadonlyArray<RankedSession> => ranked
