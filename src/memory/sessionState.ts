import * as path from "node:path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { replaceFile } from "../archive/atomicFile.ts"
import { ensurePrivateDirectory } from "../archive/privateDirectory.ts"
import { Disk } from "../platform/Disk.ts"
import { sha256 } from "../platform/digest.ts"
import { type MemoryPlace, memoryFiles } from "./memoryPlace.ts"

/** What one session has been given, so that it is given nothing twice. */
export const SessionState = Schema.Struct({
  /** Ids of memories that stand in the session's context. */
  injected: Schema.Array(Schema.String),
  /** Set when the context was compacted: what the session itself captured may be news to it since. */
  compacted: Schema.optionalKey(Schema.Literal(true)),
  /** The last prompt, redacted and cut: what a session that starts again after a compaction is about. */
  question: Schema.optionalKey(Schema.String)
})
export type SessionState = typeof SessionState.Type

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(SessionState))
const nothing: SessionState = { injected: [] }

/** More ids than this are not remembered; the oldest go first. */
const mostIds = 200
/** States of more sessions than this are not kept. */
const mostSessions = 300

const fileOf = (place: MemoryPlace, sessionId: string): string =>
  path.join(memoryFiles(place).sessions, `${sha256(sessionId).slice(0, 24)}.json`)

export const readSessionState = Effect.fnUntraced(function* (place: MemoryPlace, sessionId: string) {
  const disk = yield* Disk
  const bytes = yield* disk.readFile(fileOf(place, sessionId)).pipe(Effect.orElseSucceed(() => undefined))
  if (bytes === undefined) return nothing
  return Option.getOrElse(decode(bytes.toString("utf8")), () => nothing)
})

/** Only where there is a memory: its directory must exist. */
export const writeSessionState = Effect.fnUntraced(function* (
  place: MemoryPlace,
  sessionId: string,
  state: SessionState
) {
  const { sessions } = memoryFiles(place)
  yield* ensurePrivateDirectory(sessions)
  const file = fileOf(place, sessionId)
  const kept = { ...state, injected: state.injected.slice(-mostIds) }
  yield* replaceFile(file, Buffer.from(JSON.stringify(kept)))
})

/** Takes out what was said in a session; which memories it was given stays, so that none is given twice. */
export const forgetQuestion = Effect.fnUntraced(function* (place: MemoryPlace, sessionId: string) {
  const { question, ...state } = yield* readSessionState(place, sessionId)
  if (question !== undefined) yield* writeSessionState(place, sessionId, state)
})

/** Forgets the sessions that were not heard of for longest. */
export const pruneSessionStates = Effect.fnUntraced(function* (place: MemoryPlace) {
  const disk = yield* Disk
  const { sessions } = memoryFiles(place)
  const names = yield* disk.list(sessions)
  if (names.length <= mostSessions) return
  const aged = yield* Effect.forEach(names, (name) => {
    const file = path.join(sessions, name)
    return Effect.map(disk.status(file), (status) => ({ file, modifiedMs: status?.modifiedMs ?? 0 }))
  })
  const old = aged.sort((left, right) => right.modifiedMs - left.modifiedMs).slice(Math.floor(mostSessions / 2))
  for (const { file } of old) yield* disk.remove(file)
})
