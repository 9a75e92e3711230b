import * as path from "node:path"
import * as Effect from "effect/Effect"
import type { Manifest } from "../domain/manifest.ts"
import { SessionId } from "../domain/sessionId.ts"
import { Disk, DiskError } from "../platform/Disk.ts"
import type { Host } from "../platform/Host.ts"
import { type ChainKey, chainHash, genesis, unkeyed, unseal } from "./chain.ts"
import { type EventRecord, type LogRecord, scanLog } from "./eventLog.ts"
import { Keyring, knownKey } from "./Keyring.ts"
import { readManifest } from "./manifestFile.ts"
import { noteFindings } from "./recoveryRecord.ts"
import { type ArchiveFiles, archiveFiles, sessionDirectory } from "./sessionDirectory.ts"

/** What a new archive's manifest says beyond what the archive itself knows. */
export type Opening = Omit<
  Manifest,
  "schema_version" | "session_id" | "started_at" | "ended_at" | "status" | "key_id" | "event_count"
>

/** Where a session's events go. */
export interface Place {
  readonly id: SessionId
  readonly files: ArchiveFiles
  /** The frozen archive that this one continues. */
  readonly continues: SessionId | undefined
}

/** The mark beside an archive that says that its bytes never change again. */
export const frozenMark = (directory: string): string =>
  path.join(path.dirname(directory), ".frozen", path.basename(directory))

/** The archive that takes a session's events: its own, or the first continuation that is not frozen. */
export const placeOf = Effect.fnUntraced(function* (sessionsRoot: string, id: SessionId) {
  const disk = yield* Disk
  let place = id
  let continues: SessionId | undefined
  for (let part = 2; ; part++) {
    const directory = path.join(sessionsRoot, sessionDirectory(place))
    if ((yield* disk.status(frozenMark(directory))) === undefined) {
      return { id: place, files: archiveFiles(directory), continues } satisfies Place
    }
    continues = place
    place = SessionId.make(`${id}+${part}`)
  }
})

/** The first event of a log: its time is when the archive began, so that what the chain begins with can be told without a manifest. */
const firstEvent = Effect.fnUntraced(function* (files: ArchiveFiles) {
  const disk = yield* Disk
  if ((yield* disk.status(files.events)) === undefined) return undefined
  const events: Array<EventRecord> = []
  const record = (found: LogRecord) => {
    if (found._tag === "Event" && events.length === 0) events.push(found)
  }
  const flush = Effect.suspend(() => (events.length === 0 ? Effect.void : Effect.fail("found" as const)))
  yield* disk
    .withFile(files.events, "read", (file) => scanLog(file, 0, { record, flush }))
    .pipe(
      Effect.catchIf(
        (error) => error === "found",
        () => Effect.void
      )
    )
  return events[0]
})

/** What can be told of an archive of which only the log is left. */
const openingFromLog = (files: ArchiveFiles, { event }: EventRecord): Opening => ({
  provider: event.provider,
  // <project>/.lint-ai/<provider>-sessions/<archive>, unless the sessions root was another.
  project_root: path.resolve(files.directory, "..", "..", ".."),
  recording_mode: "capture-only"
})

/** The id of the one of this user's keys with which a log begins; undefined when none does. A rotation since makes it another than the current one. */
const keyOfLog = Effect.fnUntraced(function* (first: EventRecord) {
  const keyring = yield* Keyring
  const sealed = unseal(first.line)
  if (sealed === undefined) return undefined
  const begins = genesis(first.event.session_id, first.event.timestamp)
  for (const { id } of yield* Effect.orElseSucceed(keyring.list, () => [])) {
    const key = yield* keyring.byId(id)
    if (key !== undefined && chainHash(key, begins, sealed.body) === sealed.hash) return id
  }
  return undefined
})

/** The manifest that an archive without one would get from its log; undefined when that holds no event. Changes nothing. */
export const manifestOfLog = Effect.fnUntraced(function* (files: ArchiveFiles) {
  const first = yield* firstEvent(files)
  if (first === undefined) return undefined
  const keyId = yield* keyOfLog(first)
  return {
    schema_version: 1,
    session_id: first.event.session_id,
    started_at: first.event.timestamp,
    ended_at: null,
    status: "active",
    event_count: 0,
    ...(keyId === undefined ? undefined : { key_id: keyId }),
    ...openingFromLog(files, first)
  } satisfies Manifest
})

/** The manifest of an archive of which only the log is left; undefined when that holds no event. */
export const manifestFromLog = Effect.fnUntraced(function* (files: ArchiveFiles) {
  const first = yield* firstEvent(files)
  if (first === undefined) return undefined
  return yield* manifestAt(
    { id: first.event.session_id, files, continues: undefined },
    Effect.succeed(first.event.timestamp),
    Effect.succeed(openingFromLog(files, first))
  )
})

/** A manifest, and the bytes that it was read from; without them where it was made anew. */
export interface OpenedManifest {
  readonly manifest: Manifest
  readonly bytes?: Buffer
}

/**
 * The manifest of the archive at `place`: the one that is there, one made again from the log and `opening` when it is gone or damaged, or a new
 * one. Nothing is written but the finding.
 *
 * @param startedAt time of the first event; asked only when an archive begins
 */
export const manifestAt = Effect.fnUntraced(function* (
  place: Place,
  startedAt: Effect.Effect<string, DiskError, Disk>,
  opening: Effect.Effect<Opening>
): Effect.fn.Return<OpenedManifest, DiskError, Disk | Keyring | Host> {
  const keyring = yield* Keyring
  const reading = yield* readManifest(place.files.manifest)
  if (reading._tag === "Manifest") return reading
  if (reading._tag === "Unreadable") return yield* reading.error
  const first = yield* firstEvent(place.files)
  if (reading._tag === "Damaged" || first !== undefined) {
    yield* noteFindings(place.files.recovery, [
      {
        problem: "manifest",
        detail: reading._tag === "Missing" ? "manifest.json was gone" : "manifest.json could not be read",
        ...(reading._tag === "Damaged" ? { bytes: reading.bytes.subarray(0, 65536).toString("base64") } : undefined)
      }
    ])
  }
  const manifest: Manifest = {
    schema_version: 1,
    session_id: place.id,
    started_at: first?.event.timestamp ?? (yield* startedAt),
    ended_at: null,
    status: "active",
    event_count: 0,
    key_id: (first === undefined ? undefined : yield* keyOfLog(first)) ?? (yield* keyring.current).id,
    ...(yield* opening),
    ...(place.continues === undefined ? undefined : { continues_session_id: place.continues })
  }
  return { manifest }
})

/**
 * The key of an archive's chain. A key that is gone cannot be replaced: what follows is unkeyed, and `verify` says so. Keys that cannot be read are not
 * gone: one event without its key would break the chain for ever, so nothing is written then.
 */
export const keyOf = (manifest: Manifest): Effect.Effect<ChainKey, DiskError, Keyring> =>
  Effect.map(keyNamed(manifest.key_id ?? unkeyed.id), (key) => key ?? unkeyed)

/** Whether an archive's key is not among the user's: it is somebody else's archive, or the user has lost the key. */
export const isKeyMissing = (keyId: string): Effect.Effect<boolean, DiskError, Keyring> =>
  keyId === unkeyed.id ? Effect.succeed(false) : Effect.map(keyNamed(keyId), (key) => key === undefined)

const keyNamed = (keyId: string): Effect.Effect<ChainKey | undefined, DiskError, Keyring> =>
  Effect.mapError(
    knownKey(keyId),
    ({ path: file, code }) => new DiskError({ operation: "read", path: file, code: code ?? "EBADMSG" })
  )
