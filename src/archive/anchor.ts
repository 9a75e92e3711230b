import * as path from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { timestampOf } from "../domain/timestamp.ts"
import { Disk } from "../platform/Disk.ts"
import { userDirectories } from "../platform/userDirectories.ts"
import { replaceFile } from "./atomicFile.ts"
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
const anchorPath = (sessionId: string, startedAt: string) =>
  Effect.map(userDirectories, ({ state }) =>
    path.join(state, "anchors", `${genesis(sessionId, startedAt).slice(0, 32)}.json`)
  )

/** The anchor of a log; undefined when there is none that can be read. */
export const readAnchor = Effect.fnUntraced(function* (log: {
  readonly sessionId: string
  readonly startedAt: string
}) {
  const disk = yield* Disk
  return yield* disk.readFile(yield* anchorPath(log.sessionId, log.startedAt)).pipe(
    Effect.map((bytes) => Option.getOrUndefined(decode(bytes.toString("utf8")))),
    Effect.orElseSucceed(() => undefined)
  )
})

/** Keeps the head of a log. */
export const writeAnchor = Effect.fnUntraced(function* (startedAt: string, anchor: Anchor) {
  const disk = yield* Disk
  const file = yield* anchorPath(anchor.session_id, startedAt)
  const bytes = Buffer.from(JSON.stringify(anchor))
  yield* replaceFile(file, bytes).pipe(
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

/** All anchors of this user, tombstones too. */
export const listAnchors = Effect.fnUntraced(function* () {
  const disk = yield* Disk
  const { state } = yield* userDirectories
  const directory = path.join(state, "anchors")
  const anchors: Array<Anchor> = []
  for (const name of yield* disk.list(directory)) {
    if (!name.endsWith(".json")) continue
    const bytes = yield* disk.readFile(path.join(directory, name)).pipe(Effect.orElseSucceed(() => undefined))
    const anchor = bytes === undefined ? undefined : Option.getOrUndefined(decode(bytes.toString("utf8")))
    if (anchor !== undefined) anchors.push(anchor)
  }
  return anchors
})
