import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { CurrentDeadline, DeadlineExceeded } from "../platform/Deadline.ts"
import { Disk, type OpenFile } from "../platform/Disk.ts"
import { overwriteFile, replaceFile } from "./atomicFile.ts"
import { type ChainKey, chainHash, genesis, seal, sealLength, unseal } from "./chain.ts"
import { scanLog } from "./eventLog.ts"
import { afterLine, afterRecord, emptyState, LogState } from "./logState.ts"

const Checkpoint = Schema.Struct({ schema_version: Schema.Literal(1), state: LogState })
const CheckpointJson = Schema.fromJsonString(Checkpoint)
const decode = Schema.decodeUnknownOption(CheckpointJson)

/**
 * Keeps the state of a log beside it, sealed with the log's key as its lines are: whoever edits it could make a writer drop events. One that was
 * written by half is not believed either.
 */
export const writeCheckpoint = (path: string, state: LogState, key: ChainKey) => {
  const checkpoint: typeof Checkpoint.Type = { schema_version: 1, state }
  const body = Buffer.from(JSON.stringify(checkpoint).slice(0, -1))
  const bytes = seal(body, chainHash(key, state.head, body))
  return overwriteFile(path, bytes).pipe(
    Effect.catchIf(
      // There is none, or something that is not ours stands in its place.
      (error) => error.operation === "open",
      () => replaceFile(path, bytes)
    )
  )
}

const readCheckpoint = Effect.fnUntraced(function* (path: string, key: ChainKey) {
  const disk = yield* Disk
  const bytes = yield* disk.readFile(path).pipe(Effect.orElseSucceed(() => undefined))
  const sealed = bytes === undefined ? undefined : unseal(bytes)
  if (bytes === undefined || sealed === undefined) return undefined
  const state = Option.getOrUndefined(decode(bytes.toString("utf8")))?.state
  return state !== undefined && chainHash(key, state.head, sealed.body) === sealed.hash ? state : undefined
})

/**
 * A checkpoint is believed only while the file still has, right before its offset, the seal that it remembers. A log that was cut, replaced or
 * edited there is read again from its beginning.
 */
const matches = Effect.fnUntraced(function* (file: OpenFile, state: LogState, size: number) {
  if (state.offset > size) return false
  if (state.offset === 0) return true
  const length = sealLength + 1
  if (state.offset < length) return false
  const end = yield* file.read(state.offset - length, length)
  // One byte more than the seal and the newline is not read, so the line is given a first byte here.
  const line = Buffer.concat([Buffer.from("{"), end.subarray(0, sealLength)])
  return end[length - 1] === 0x0a && unseal(line)?.hash === state.head
})

/**
 * The state of an open log: from the checkpoint, with what was appended after it; or from the whole file.
 *
 * @returns with `unterminated`: whether the last event lacks its newline, which a writer has to mend before it appends
 * @param log `sessionId` and `startedAt`: what the genesis digest is made of, for a log without events
 */
export const loadLog = Effect.fnUntraced(function* (
  file: OpenFile,
  checkpointPath: string,
  log: { readonly sessionId: string; readonly startedAt: string; readonly key: ChainKey }
) {
  const size = yield* file.size
  const kept = yield* readCheckpoint(checkpointPath, log.key)
  const start =
    kept !== undefined && (yield* matches(file, kept, size)) ? kept : emptyState(genesis(log.sessionId, log.startedAt))
  return start.offset === size
    ? { state: start, unterminated: false }
    : yield* replay(file, start, { path: checkpointPath, key: log.key })
})

/** Kept of a hook's time for what it does when it could not read the log to its end. */
const reserveMs = 200

/**
 * Reads a log from where `start` ends. A hook whose checkpoint is lost may have hundreds of megabytes to read: what it has read when its time is over is
 * kept as a checkpoint, from which the next one goes on.
 */
const replay = Effect.fnUntraced(function* (
  file: OpenFile,
  start: LogState,
  checkpoint: { readonly path: string; readonly key: ChainKey }
) {
  const deadline = yield* CurrentDeadline
  let state = start
  let unterminated = false
  const flush = Effect.suspend(() =>
    deadline.remainingMs() > reserveMs
      ? Effect.void
      : Effect.fail(new DeadlineExceeded({ stage: "reading the log", budgetMs: deadline.budgetMs }))
  )
  yield* scanLog(file, start.offset, {
    record: (record) => {
      state = afterRecord(state, record)
      if (record._tag === "Event") unterminated = !record.terminated
    },
    line: (line) => {
      state = afterLine(state, line)
    },
    flush
  }).pipe(
    Effect.catchTag("DeadlineExceeded", (late) =>
      Effect.andThen(Effect.ignore(writeCheckpoint(checkpoint.path, state, checkpoint.key)), Effect.fail(late))
    )
  )
  return { state, unterminated }
})
