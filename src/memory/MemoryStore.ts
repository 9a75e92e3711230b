import * as path from "node:path"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createFile } from "../archive/atomicFile.ts"
import type { ChainKey } from "../archive/chain.ts"
import { Keyring } from "../archive/Keyring.ts"
import { LockService, type LockTimeout } from "../archive/LockService.ts"
import { ensurePrivateDirectory, type UnsafePath } from "../archive/privateDirectory.ts"
import { type MemoryDraft, type MemoryRecord, mostTextBytes } from "../domain/memory.ts"
import { timestampOf } from "../domain/timestamp.ts"
import { Disk, type DiskError } from "../platform/Disk.ts"
import { sha256 } from "../platform/digest.ts"
import { Host } from "../platform/Host.ts"
import { Sqlite, type SqliteError, type SqliteUnavailable, sqliteErrorOf } from "../platform/Sqlite.ts"
import { cutUtf8 } from "../redaction/bound.ts"
import { Redactor } from "../redaction/Redactor.ts"
import { type IndexedRecord, MemoryIndex } from "./MemoryIndex.ts"
import { type MemoryPlace, memoryFiles } from "./memoryPlace.ts"
import { dateFit, namedDate } from "./namedDate.ts"
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
  type SegmentStatus,
  segmentLine
} from "./segments.ts"
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

/** How much a call may do beside its work. */
export interface Patience {
  /** How long it waits for another writer. */
  readonly lockWaitMs: number
  /** Time for taking into the index what others have written; what is left over is taken in later. */
  readonly catchUpMs: number
}

/** What the CLI and the MCP server can afford. */
export const patient: Patience = { lockWaitMs: 10_000, catchUpMs: Number.POSITIVE_INFINITY }

/**
 * The memories of one agent in one project. The segments are the truth; the index is made from them, incrementally, by whoever comes. Several
 * processes may work at once, and any of them may be killed.
 *
 * Reading creates no memory. Text is redacted when it is added, whoever adds it.
 */
export class MemoryStore extends Context.Service<
  MemoryStore,
  {
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
    /** Takes memories out of the segments and the index for good. Gives how many there were. */
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
      return MemoryStore.of({
        add: (place, drafts, patience = patient) => within(add(place, drafts, patience)),
        exists: (place) => within(ownedMemory(place)),
        search: (place, question, limit, patience = patient, choose = all) =>
          within(search(place, question, limit, patience, choose)),
        list: (place, limit, only, patience = patient) => within(list(place, limit, only, patience)),
        find: (place, idPrefix) => within(find(place, idPrefix)),
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

/** What a record holds of a draft: redacted first, then bounded, so that no half of a secret is left at a cut. */
const recordFor = Effect.fnUntraced(function* (place: MemoryPlace, draft: MemoryDraft, keyId: string) {
  const redactor = yield* Redactor
  const redacted = yield* redactor.redact(draft.text, "text").pipe(
    Effect.map(({ value }) => (typeof value === "string" ? value : "")),
    Effect.orElseSucceed(() => "[REDACTED:withheld]")
  )
  const text = cutUtf8(redacted, mostTextBytes).kept
  const identity = JSON.stringify([place.provider, draft.sessionId, draft.kind, ...draft.identity])
  const record: MemoryRecord = {
    schema_version: 1,
    id: `mem_${sha256(identity).slice(0, 20)}`,
    kind: draft.kind,
    provider: place.provider,
    session_id: draft.sessionId,
    ...(draft.turnId === undefined ? undefined : { turn_id: draft.turnId }),
    text,
    source: `lint-ai://${place.provider}/session/${encodeURIComponent(draft.sessionId.slice(draft.sessionId.indexOf(":") + 1))}/${draft.place}`,
    ...(draft.events === undefined ? undefined : { events: draft.events }),
    revision: draft.revision,
    branch: draft.branch,
    created: draft.created ?? timestampOf(yield* Clock.currentTimeMillis),
    ...(draft.supersedes === undefined || draft.supersedes.length === 0 ? undefined : { supersedes: draft.supersedes }),
    content_hash: sha256(text),
    key_id: keyId
  }
  return record
})

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

/** Runs synchronous work on an index; what the database throws is an error of it. */
const attempt = <A>(place: MemoryPlace, work: () => A): Effect.Effect<A, SqliteError> =>
  Effect.try({ try: work, catch: (error) => sqliteErrorOf(memoryFiles(place).index, error) })

/** The index, for the length of a scope. One that is damaged, or of another version, is thrown away. */
const openIndex = Effect.fnUntraced(function* (place: MemoryPlace) {
  const opened = openFile(place)
  return yield* Effect.acquireRelease(
    opened.pipe(
      Effect.catchIf(
        (error) => error._tag === "SqliteError" && error.problem === "corrupt",
        () => Effect.andThen(removeIndex(place), opened)
      )
    ),
    (index) => Effect.ignore(attempt(place, () => index.close()))
  )
})

const openFile = Effect.fnUntraced(function* (place: MemoryPlace) {
  const sqlite = yield* Sqlite
  const { index: file } = memoryFiles(place)
  // SQLite makes files that everybody may read; it keeps the mode of one that is there.
  yield* createEmpty(file)
  const db = yield* sqlite.open(file)
  const usable = yield* attempt(place, () => MemoryIndex.prepare(db)).pipe(
    Effect.tapError(() => Effect.ignore(attempt(place, () => db.close())))
  )
  if (usable) return new MemoryIndex(db)
  yield* Effect.ignore(attempt(place, () => db.close()))
  yield* removeIndex(place)
  yield* createEmpty(file)
  const anew = yield* sqlite.open(file)
  yield* attempt(place, () => MemoryIndex.prepare(anew))
  return new MemoryIndex(anew)
})

/** SQLite follows a link that stands in the place of its file, and would write wherever that leads: it goes, the index is made anew. */
const createEmpty = Effect.fnUntraced(function* (file: string) {
  const disk = yield* Disk
  const status = yield* disk.status(file)
  if (status?.kind === "file") return
  if (status !== undefined) yield* disk.remove(file)
  yield* disk.withFile(file, "append", () => Effect.void)
})

const removeIndex = Effect.fnUntraced(function* (place: MemoryPlace) {
  const disk = yield* Disk
  for (const ending of ["", "-wal", "-shm", "-journal"]) yield* disk.remove(memoryFiles(place).index + ending)
})

/** Lines that one transaction takes in. */
const batchLines = 500

/**
 * Takes into the index what the segments hold beyond it. Stops when its time is spent: every batch stays, and the next one goes on from there.
 * Two processes that do it at once do it twice without harm.
 */
const catchUp = Effect.fnUntraced(function* (place: MemoryPlace, index: MemoryIndex, budgetMs: number) {
  const host = yield* Host
  const until = host.monotonicMs() + budgetMs
  const statuses = yield* listSegments(memoryFiles(place).segments)
  const states = yield* attempt(place, () => index.segments())
  for (const status of staleSegments(statuses, states)) {
    const state = states.get(status.segment)
    let from = state?.inode === status.inode && state.readTo <= status.size ? state.readTo : 0
    if (state !== undefined && from === 0 && state.readTo > 0) {
      yield* attempt(place, () => index.transaction(() => index.removeSegment(status.segment)))
    }
    while (from < status.size) {
      if (host.monotonicMs() >= until) return "behind" as const
      const batch: Array<readonly [record: MemoryRecord, offset: number, length: number]> = []
      let lines = 0
      const end = yield* readSegment(status.file, from, (line) => {
        const record = recordOf(line.text)
        if (record !== undefined) batch.push([record, line.offset, line.length])
        return ++lines >= batchLines ? "stop" : "go on"
      })
      if (end === from) break
      const taken = yield* attempt(place, () =>
        index.transaction(() => {
          // Another process may have been here, or the file rewritten, since it was read: what was read then is not put over that.
          const now = index.segments().get(status.segment)
          if ((now?.readTo ?? 0) !== from || (now !== undefined && now.inode !== status.inode)) return false
          for (const [record, offset, length] of batch) {
            index.insert(record, { segment: status.segment, offset, length })
          }
          index.setSegment(status.segment, status.inode, end)
          return true
        })
      )
      if (!taken) return "behind" as const
      from = end
    }
  }
  for (const segment of states.keys()) {
    if (statuses.some((status) => status.segment === segment)) continue
    yield* attempt(place, () => index.transaction(() => index.removeSegment(segment)))
  }
  return "done" as const
})

const staleSegments = (
  statuses: ReadonlyArray<SegmentStatus>,
  states: ReadonlyMap<number, { readonly inode: number; readonly readTo: number }>
): ReadonlyArray<SegmentStatus> =>
  statuses.filter((status) => {
    const state = states.get(status.segment)
    return state === undefined || state.inode !== status.inode || state.readTo !== status.size
  })

/** Runs `use` with an index that holds what the segments hold, as far as time allows; `none` where there is no memory. */
const reading = <A, E, R>(
  place: MemoryPlace,
  patience: Patience,
  none: A,
  use: (index: MemoryIndex) => Effect.Effect<A, E, R>
) =>
  Effect.scoped(
    Effect.gen(function* () {
      if (!(yield* ownedMemory(place))) return none
      const index = yield* openIndex(place)
      // What cannot be taken in now (another process writes, the disk is full) is missing from the answer and no reason for none.
      yield* catchUp(place, index, patience.catchUpMs).pipe(Effect.ignore)
      return yield* use(index)
    })
  ).pipe(
    // Damage that shows only when a page is read.
    Effect.tapError((error) => (isCorrupt(error) ? Effect.ignore(removeIndex(place)) : Effect.void))
  )

const isCorrupt = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "problem" in error && error.problem === "corrupt"

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
        for (const { segment, file } of yield* listSegments(files.segments)) {
          let holds = false
          yield* readSegment(file, 0, (line) => {
            holds = [...unwanted].some((id) => line.text.includes(`"id":"${id}"`))
            return holds ? "stop" : "go on"
          })
          if (!holds) continue
          // The segment first: a kill after it leaves an index that sees another file and reads it anew.
          forgotten += yield* rewriteSegment(files.segments, segment, (record) => unwanted.has(record.id))
          yield* moveLines(place, index, segment, unwanted)
        }
        return forgotten
      })
    )
  )
})

/** Tells the index where the lines of a rewritten segment stand now, so that it need not be made anew. */
const moveLines = Effect.fnUntraced(function* (
  place: MemoryPlace,
  index: MemoryIndex,
  segment: number,
  without: ReadonlySet<string>
) {
  const status = (yield* listSegments(memoryFiles(place).segments)).find((one) => one.segment === segment)
  if (status === undefined) return
  const places: Array<readonly [id: string, offset: number, length: number]> = []
  const end = yield* readSegment(status.file, 0, (line) => {
    const record = recordOf(line.text)
    if (record !== undefined) places.push([record.id, line.offset, line.length])
    return "go on"
  })
  yield* attempt(place, () =>
    index.transaction(() => {
      for (const id of without) index.remove(id)
      for (const [id, offset, length] of places) index.move(id, { segment, offset, length })
      index.setSegment(segment, status.inode, end)
    })
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
