import * as Effect from "effect/Effect"
import type { ChainKey } from "../archive/chain.ts"
import { Keyring } from "../archive/Keyring.ts"
import { Disk } from "../platform/Disk.ts"
import { attempt, type Patience, patient, reading } from "./indexFile.ts"
import type { IndexedRecord } from "./MemoryIndex.ts"
import type { Memory, MemoryHit, MemoryStats } from "./memoryAnswers.ts"
import { type MemoryPlace, memoryFiles } from "./memoryPlace.ts"
import { dateFit, namedDate } from "./namedDate.ts"
import { type RankedSession, rankSessions } from "./rank.ts"
import { segmentFaults } from "./segmentFaults.ts"
import { isAuthentic, listSegments, readLineAt, recordOf } from "./segments.ts"
import { termsOf } from "./terms.ts"

// What the store reads. See MemoryStore.ts for what each does.

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

export const search = (
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

export const list = (
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

export const find = (place: MemoryPlace, idPrefix: string) =>
  reading(
    place,
    patient,
    [] as ReadonlyArray<Memory>,
    Effect.fnUntraced(function* (index) {
      return yield* loadAll(place, yield* attempt(place, () => index.startingWith(idPrefix)))
    })
  )

export const sessions = (place: MemoryPlace, given: string) =>
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

export const stats = (place: MemoryPlace) =>
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
