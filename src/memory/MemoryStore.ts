import * as path from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createFile } from "../archive/atomicFile.ts"
import type { ChainKey } from "../archive/chain.ts"
import { Keyring } from "../archive/Keyring.ts"
import { LockService, type LockTimeout } from "../archive/LockService.ts"
import { ensurePrivateDirectory, type UnsafePath } from "../archive/privateDirectory.ts"
import type { MemoryDraft, MemoryRecord } from "../domain/memory.ts"
import { Disk, type DiskError } from "../platform/Disk.ts"
import type { Host } from "../platform/Host.ts"
import { Sqlite, type SqliteError, SqliteUnavailable } from "../platform/Sqlite.ts"
import type { Redactor } from "../redaction/Redactor.ts"
import { attempt, catchUp, moveLines, openIndex, type Patience, patient, reading, removeIndex } from "./indexFile.ts"
import type { IndexedRecord } from "./MemoryIndex.ts"
import { type MemoryPlace, memoryFiles } from "./memoryPlace.ts"
import { dateFit, namedDate } from "./namedDate.ts"
import { recordFor } from "./newRecord.ts"
import { adoptMemory, claimMemory, type MemoryNotOwned, ownedMemory } from "./owner.ts"
import { type RankedSession, rankSessions } from "./rank.ts"
import { type SegmentFaults, segmentFaults } from "./segmentFaults.ts"
import {
  appendLines,
  isAuthentic,
  listSegments,
  readLineAt,
  readSegment,
  recordOf,
  rewriteSegment,
  segmentLine
} from "./segments.ts"
import { forgetQuestion } from "./sessionState.ts"
import { termsOf } from "./terms.ts"

/** A memory as it is read back. */
export interface Memory extends MemoryRecord {
  /** Id of the memory that took its place. */
  readonly superseded_by: string | null
}

/** One answer to a question. */
export interface MemoryHit {
  readonly memory: Memory
  /** Compares the hits of one question; 1 is the best in every view, a named date can add to it. */
  readonly score: number
  /** Share of the question, by weight, that it holds together with its neighbours: 0 to 1. Compares across questions. */
  readonly coverage: number
  /** Stems and identifiers of the question that were found. */
  readonly matched: ReadonlyArray<string>
}

export interface Added {
  /** Ids of memories that are new. */
  readonly added: ReadonlyArray<string>
  /** Ids of those that were there already. */
  readonly known: ReadonlyArray<string>
}

export interface MemoryStats extends SegmentFaults {
  readonly records: number
  readonly sessions: number
  readonly superseded: number
  readonly kinds: ReadonlyArray<{ readonly kind: string; readonly count: number }>
  readonly segments: number
  readonly segment_bytes: number
  readonly index_bytes: number
  /** Bytes of the segments that the index has not taken in yet. */
  readonly unread_bytes: number
}

/** What reading a memory can fail with. */
export type MemoryReadError = DiskError | MemoryNotOwned | SqliteError | SqliteUnavailable
export type MemoryWriteError = DiskError | MemoryNotOwned | UnsafePath | LockTimeout

/**
 * The memories of one agent in one project. The segments are the truth; the index is made from them, incrementally, by whoever comes. Several
 * processes may work at once, and any of them may be killed.
 *
 * Reading creates no memory. Text is redacted when it is added, whoever adds it.
 */
export class MemoryStore extends Context.Service<
  MemoryStore,
  {
    /** Why nothing can be found here, as a sentence; undefined where it can. */
    readonly unsearchable: string | undefined
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
        unsearchable: driver === "none" ? new SqliteUnavailable().message : undefined,
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

const add = Effect.fnUntraced(function* (place: MemoryPlace, drafts: ReadonlyArray<MemoryDraft>, patience: Patience) {
  if (drafts.length === 0) return { added: [], known: [] } satisfies Added
  const keyring = yield* Keyring
  const locks = yield* LockService
  const key = yield* keyring.current
  const records = yield* Effect.forEach(drafts, (draft) => recordFor(place, draft, key.id))
  const files = memoryFiles(place)
  yield* ensurePrivateDirectory(path.dirname(place.directory))
  yield* createFile(path.join(path.dirname(place.directory), ".gitignore"), Buffer.from("*\n"))
  const owned = yield* ownedMemory(place)
  yield* ensurePrivateDirectory(place.directory)
  yield* ensurePrivateDirectory(files.segments)
  if (!owned) yield* claimMemory(place, key)
  return yield* locks.hold(
    files.lock,
    patience.lockWaitMs,
    Effect.scoped(
      Effect.gen(function* () {
        const index = yield* openIndex(place).pipe(Effect.orElseSucceed(() => undefined))
        if (index !== undefined) yield* catchUp(place, index, patience.catchUpMs).pipe(Effect.ignore)
        const isKnown = index === undefined ? yield* knownWithoutIndex(place) : (id: string) => index.has(id)
        const known = records.filter((record) => isKnown(record.id))
        const fresh = distinctById(records.filter((record) => !isKnown(record.id)))
        if (fresh.length > 0) {
          yield* appendLines(
            files.segments,
            fresh.map((record) => segmentLine(key, record))
          )
          // The lines are the truth by now: an index that cannot take them in is behind, and no more.
          if (index !== undefined) yield* catchUp(place, index, patience.catchUpMs).pipe(Effect.ignore)
        }
        return { added: fresh.map((record) => record.id), known: known.map((record) => record.id) } satisfies Added
      })
    )
  )
})

const distinctById = (records: ReadonlyArray<MemoryRecord>): ReadonlyArray<MemoryRecord> => [
  ...new Map(records.map((record) => [record.id, record])).values()
]

/** Without SQLite the segments themselves say what is there. */
const knownWithoutIndex = Effect.fnUntraced(function* (place: MemoryPlace) {
  const ids = new Set<string>()
  for (const { file } of yield* listSegments(memoryFiles(place).segments)) {
    yield* readSegment(file, 0, (line) => {
      const id = /"id":"(mem_[0-9a-f]+)"/.exec(line.text)?.[1]
      if (id !== undefined) ids.add(id)
      return "go on"
    })
  }
  return (id: string) => ids.has(id)
})

/**
 * Reads memories by their places. Undefined for one whose line is not there, or was not signed by one of the user's keys. Keys are looked up once.
 */
const loader = (place: MemoryPlace) => {
  const keys = new Map<string, ChainKey | undefined>()
  return Effect.fnUntraced(function* (at: IndexedRecord) {
    const line = yield* readLineAt(memoryFiles(place).segments, at).pipe(Effect.orElseSucceed(() => ""))
    const record = recordOf(line)
    if (record === undefined || record.id !== at.id || record.provider !== place.provider) return undefined
    if (!keys.has(record.key_id)) keys.set(record.key_id, yield* (yield* Keyring).byId(record.key_id))
    const key = keys.get(record.key_id)
    if (key === undefined || !isAuthentic(key, line)) return undefined
    return { ...record, superseded_by: at.supersededBy } satisfies Memory
  })
}

const loadAll = Effect.fnUntraced(function* (place: MemoryPlace, records: ReadonlyArray<IndexedRecord>) {
  const found = yield* Effect.forEach(records, loader(place))
  return found.flatMap((memory) => (memory === undefined ? [] : [memory]))
})

const all = (ranked: ReadonlyArray<RankedSession>): ReadonlyArray<RankedSession> => ranked

const search = (
  place: MemoryPlace,
  question: string,
  limit: number,
  patience: Patience,
  choose: (ranked: ReadonlyArray<RankedSession>) => ReadonlyArray<RankedSession>
) =>
  reading(
    place,
    patience,
    [] as ReadonlyArray<MemoryHit>,
    Effect.fnUntraced(function* (index) {
      const terms = termsOf(question, "query")
      const asked = namedDate(question)
      const ranked = yield* attempt(place, () => {
        const collection = index.collection(terms)
        const candidates = index.candidates(terms, collection)
        return rankSessions(terms, candidates, collection, (began) => (asked === undefined ? 0 : dateFit(asked, began)))
      })
      const hits: Array<MemoryHit> = []
      const load = loader(place)
      for (const one of choose(ranked)) {
        if (hits.length >= limit) break
        const at = yield* attempt(place, () => index.byNumber(one.turn))
        const memory = at === undefined ? undefined : yield* load(at)
        if (memory === undefined || memory.superseded_by !== null) continue
        hits.push({ memory, score: one.score, coverage: one.coverage, matched: one.matched })
      }
      return hits
    })
  )

const list = (
  place: MemoryPlace,
  limit: number,
  only: { readonly kind?: string | undefined; readonly sessionId?: string | undefined } | undefined,
  patience: Patience
) =>
  reading(
    place,
    patience,
    [] as ReadonlyArray<Memory>,
    Effect.fnUntraced(function* (index) {
      return yield* loadAll(place, yield* attempt(place, () => index.newest(limit, only)))
    })
  )

const find = (place: MemoryPlace, idPrefix: string) =>
  reading(
    place,
    patient,
    [] as ReadonlyArray<Memory>,
    Effect.fnUntraced(function* (index) {
      return yield* loadAll(place, yield* attempt(place, () => index.startingWith(idPrefix)))
    })
  )

const sessions = (place: MemoryPlace, given: string) =>
  reading(
    place,
    patient,
    [] as ReadonlyArray<string>,
    Effect.fnUntraced(function* (index) {
      const found = yield* attempt(place, () =>
        [given, `${place.provider}:${given}`, given.replace(`${place.provider}-`, `${place.provider}:`)].flatMap(
          (one) => index.sessionsStartingWith(one)
        )
      )
      const exact = found.filter((id) => id === given || id === `${place.provider}:${given}`)
      return [...new Set(exact.length > 0 ? exact : found)].slice(0, 10)
    })
  )

const forget = Effect.fnUntraced(function* (place: MemoryPlace, ids: ReadonlyArray<string>) {
  const locks = yield* LockService
  const files = memoryFiles(place)
  if (ids.length === 0 || !(yield* ownedMemory(place))) return 0
  yield* ensurePrivateDirectory(files.segments)
  const unwanted = new Set(ids)
  return yield* locks.hold(
    files.lock,
    patient.lockWaitMs,
    Effect.scoped(
      Effect.gen(function* () {
        const index = yield* openIndex(place)
        yield* catchUp(place, index, patient.catchUpMs)
        let forgotten = 0
        const of = new Set<string>()
        for (const { segment, file } of yield* listSegments(files.segments)) {
          let holds = false
          yield* readSegment(file, 0, (line) => {
            holds = [...unwanted].some((id) => line.text.includes(`"id":"${id}"`))
            return holds ? "stop" : "go on"
          })
          if (!holds) continue
          // The segment first: a kill after it leaves an index that sees another file and reads it anew.
          forgotten += yield* rewriteSegment(files.segments, segment, (record) => {
            if (!unwanted.has(record.id)) return false
            of.add(record.session_id)
            return true
          })
          yield* moveLines(place, index, segment, unwanted)
        }
        for (const session of of) yield* forgetQuestion(place, session)
        return forgotten
      })
    )
  )
})

const stats = (place: MemoryPlace) =>
  reading(
    place,
    patient,
    {
      records: 0,
      sessions: 0,
      superseded: 0,
      kinds: [],
      segments: 0,
      segment_bytes: 0,
      index_bytes: 0,
      unread_bytes: 0,
      damaged_lines: 0,
      unsigned_records: 0
    } satisfies MemoryStats as MemoryStats,
    Effect.fnUntraced(function* (index) {
      const disk = yield* Disk
      const segments = yield* listSegments(memoryFiles(place).segments)
      const states = yield* attempt(place, () => index.segments())
      const counts = yield* attempt(place, () => index.counts())
      let indexBytes = 0
      for (const ending of ["", "-wal"]) {
        indexBytes += (yield* disk.status(memoryFiles(place).index + ending))?.size ?? 0
      }
      return {
        records: counts.records,
        sessions: counts.sessions,
        superseded: yield* attempt(place, () => index.supersededCount()),
        kinds: yield* attempt(place, () => index.kinds()),
        segments: segments.length,
        segment_bytes: segments.reduce((sum, { size }) => sum + size, 0),
        index_bytes: indexBytes,
        unread_bytes: segments.reduce((sum, one) => sum + one.size - (states.get(one.segment)?.readTo ?? 0), 0),
        ...(yield* segmentFaults(place))
      } satisfies MemoryStats
    })
  )

const rebuild = Effect.fnUntraced(function* (place: MemoryPlace) {
  const locks = yield* LockService
  if (yield* ownedMemory(place)) {
    yield* locks.hold(memoryFiles(place).lock, patient.lockWaitMs, removeIndex(place))
  }
  return yield* stats(place)
})
