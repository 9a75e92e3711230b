import * as path from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { timestampOf } from "../domain/timestamp.ts"
import { Disk } from "../platform/Disk.ts"
import { userDirectories } from "../platform/userDirectories.ts"
import { overwriteFile, replaceFile } from "./atomicFile.ts"
import { genesis } from "./chain.ts"

/**
 * The head of a log, kept outside of the project: a log whose tail was cut, or which is gone, still is a valid chain, and only this tells.
 */
export const Anchor = Schema.Struct({
  schema_version: Schema.Literal(1),
  session_id: Schema.String,
  /** Directory of the archive when the anchor was last written. */
  archive: Schema.String,
  /** Sequence of the last anchored event and its chain_hash. */
  count: Schema.Natural,
  digest: Schema.String,
  /** A tombstone: the archive was deleted with lint-ai, when, and by which command. */
  deleted_at: Schema.optionalKey(Schema.String),
  deleted_by: Schema.optionalKey(Schema.Literals(["delete", "prune"]))
})
export type Anchor = typeof Anchor.Type
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Anchor))

/** Anchors are found by what the chain begins with, so a project that was moved keeps them. */
export const anchorName = (sessionId: string, startedAt: string): string => genesis(sessionId, startedAt).slice(0, 32)

const anchorPath = (sessionId: string, startedAt: string) =>
  Effect.map(userDirectories, ({ state }) => path.join(state, "anchors", `${anchorName(sessionId, startedAt)}.json`))

/** A reader may meet an anchor in the moment in which it is written over. */
const readings = 3

/** The anchor of a log; undefined when there is none that can be read. */
export const readAnchor = Effect.fnUntraced(function* (log: {
  readonly sessionId: string
  readonly startedAt: string
}) {
  const disk = yield* Disk
  const file = yield* anchorPath(log.sessionId, log.startedAt)
  for (let reading = 0; reading < readings; reading++) {
    const bytes = yield* disk.readFile(file).pipe(Effect.orElseSucceed(() => undefined))
    if (bytes === undefined) return undefined
    const anchor = Option.getOrUndefined(decode(bytes.toString("utf8")))
    if (anchor !== undefined) return anchor
  }
  return undefined
})

/** Anchors are padded to whole blocks, so that one is written over by the next in place. */
const blockBytes = 512

/**
 * Keeps the head of a log. Written over in place: a process that is killed leaves the old bytes or the new ones, which are as many. The caller holds the lock
 * of the log.
 */
export const writeAnchor = Effect.fnUntraced(function* (startedAt: string, anchor: Anchor) {
  const disk = yield* Disk
  const file = yield* anchorPath(anchor.session_id, startedAt)
  const text = JSON.stringify(anchor)
  const length = Buffer.byteLength(text)
  const bytes = Buffer.alloc(Math.ceil(length / blockBytes) * blockBytes, " ")
  bytes.write(text)
  yield* overwriteFile(file, bytes).pipe(
    Effect.catchIf(
      (error) => error.code === "ENOENT",
      () => Effect.andThen(disk.makeDirectory(path.dirname(file)), replaceFile(file, bytes))
    )
  )
})

/** Turns the anchor of an archive that is about to go into its tombstone: a record that is missing without one was not deleted by its user. */
export const buryAnchor = Effect.fnUntraced(function* (
  log: { readonly sessionId: string; readonly startedAt: string },
  archive: string,
  by: "delete" | "prune"
) {
  const anchor = yield* readAnchor(log)
  yield* writeAnchor(log.startedAt, {
    schema_version: 1,
    session_id: log.sessionId,
    archive,
    count: anchor?.count ?? 0,
    digest: anchor?.digest ?? "",
    deleted_at: timestampOf(yield* Clock.currentTimeMillis),
    deleted_by: by
  })
})

/** All anchors of this user by their names, tombstones too. */
export const listAnchors = Effect.fnUntraced(function* () {
  const disk = yield* Disk
  const { state } = yield* userDirectories
  const directory = path.join(state, "anchors")
  const anchors = new Map<string, Anchor>()
  for (const name of yield* disk.list(directory)) {
    if (!name.endsWith(".json")) continue
    const bytes = yield* disk.readFile(path.join(directory, name)).pipe(Effect.orElseSucceed(() => undefined))
    const anchor = bytes === undefined ? undefined : Option.getOrUndefined(decode(bytes.toString("utf8")))
    if (anchor !== undefined) anchors.set(name.slice(0, -".json".length), anchor)
  }
  return anchors
})
