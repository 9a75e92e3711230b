import * as path from "node:path"
import * as Effect from "effect/Effect"
import { createFile } from "../archive/atomicFile.ts"
import { Keyring } from "../archive/Keyring.ts"
import { LockService } from "../archive/LockService.ts"
import { ensurePrivateDirectory } from "../archive/privateDirectory.ts"
import type { MemoryDraft, MemoryRecord } from "../domain/memory.ts"
import { catchUp, moveLines, openIndex, type Patience, patient, removeIndex } from "./indexFile.ts"
import type { Added } from "./memoryAnswers.ts"
import { type MemoryPlace, memoryFiles } from "./memoryPlace.ts"
import { recordFor } from "./newRecord.ts"
import { claimMemory, ownedMemory } from "./owner.ts"
import { stats } from "./readMemory.ts"
import { appendLines, listSegments, readSegment, rewriteSegment, segmentLine } from "./segments.ts"
import { forgetQuestion } from "./sessionState.ts"

// What the store writes. See MemoryStore.ts for what each does.

export const add = Effect.fnUntraced(function* (
  place: MemoryPlace,
  drafts: ReadonlyArray<MemoryDraft>,
  patience: Patience
) {
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

export const forget = Effect.fnUntraced(function* (place: MemoryPlace, ids: ReadonlyArray<string>) {
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

export const rebuild = Effect.fnUntraced(function* (place: MemoryPlace) {
  const locks = yield* LockService
  if (yield* ownedMemory(place)) {
    yield* locks.hold(memoryFiles(place).lock, patient.lockWaitMs, removeIndex(place))
  }
  return yield* stats(place)
})
