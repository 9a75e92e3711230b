import * as Effect from "effect/Effect"
import type { MemoryRecord } from "../domain/memory.ts"
import { Disk } from "../platform/Disk.ts"
import { Host } from "../platform/Host.ts"
import { Sqlite, type SqliteError, sqliteErrorOf } from "../platform/Sqlite.ts"
import { MemoryIndex } from "./MemoryIndex.ts"
import { type MemoryPlace, memoryFiles } from "./memoryPlace.ts"
import { ownedMemory } from "./owner.ts"
import { listSegments, readSegment, recordOf, type SegmentStatus } from "./segments.ts"

/** How much a call may do beside its work. */
export interface Patience {
  /** How long it waits for another writer. */
  readonly lockWaitMs: number
  /** Time for taking into the index what others have written; what is left over is taken in later. */
  readonly catchUpMs: number
}

/** What the CLI and the MCP server can afford. */
export const patient: Patience = { lockWaitMs: 10_000, catchUpMs: Number.POSITIVE_INFINITY }

/** Runs synchronous work on an index; what the database throws is an error of it. */
export const attempt = <A>(place: MemoryPlace, work: () => A): Effect.Effect<A, SqliteError> =>
  Effect.try({ try: work, catch: (error) => sqliteErrorOf(memoryFiles(place).index, error) })

/** The index, for the length of a scope. One that is damaged, or of another version, is thrown away. */
export const openIndex = Effect.fnUntraced(function* (place: MemoryPlace) {
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

export const removeIndex = Effect.fnUntraced(function* (place: MemoryPlace) {
  const disk = yield* Disk
  for (const ending of ["", "-wal", "-shm", "-journal"]) yield* disk.remove(memoryFiles(place).index + ending)
})

/** Lines that one transaction takes in. */
const batchLines = 500

/**
 * Takes into the index what the segments hold beyond it. Stops when its time is spent: every batch stays, and the next one goes on from there.
 * Two processes that do it at once do it twice without harm.
 */
export const catchUp = Effect.fnUntraced(function* (place: MemoryPlace, index: MemoryIndex, budgetMs: number) {
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

/** Tells the index where the lines of a rewritten segment stand now, so that it need not be made anew. */
export const moveLines = Effect.fnUntraced(function* (
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
    index.erasing(() => {
      for (const id of without) index.remove(id)
      for (const [id, offset, length] of places) index.move(id, { segment, offset, length })
      index.setSegment(segment, status.inode, end)
    })
  )
})

/** Runs `use` with an index that holds what the segments hold, as far as time allows; `none` where there is no memory. */
export const reading = <A, E, R>(
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
