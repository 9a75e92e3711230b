import * as path from "node:path"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { Manifest } from "../domain/manifest.ts"
import { timestampOf } from "../domain/timestamp.ts"
import { Disk } from "../platform/Disk.ts"
import { buryAnchor } from "./anchor.ts"
import { keepBookkeeping } from "./append.ts"
import { appendHeld, drainedAtOnce } from "./appendHeld.ts"
import { createFile } from "./atomicFile.ts"
import { LockService } from "./LockService.ts"
import { readManifest } from "./manifestFile.ts"
import { frozenMark, isKeyMissing, keyOf, manifestFromLog, manifestOfLog, type OpenedManifest } from "./opening.ts"
import { identityDigest, type PreparedEvent } from "./preparedEvent.ts"
import { ensurePrivateDirectory } from "./privateDirectory.ts"
import { rebuild } from "./recover.ts"
import { type ArchiveFiles, archiveFiles } from "./sessionDirectory.ts"
import { readSpool } from "./spool.ts"

/** There is no archive, or nothing that can be read as one, in a directory. */
export class NoArchive extends Data.TaggedError("NoArchive")<{ readonly directory: string }> {
  override get message(): string {
    return `${this.directory} holds no session; \`lint-ai sessions list\` shows those that exist`
  }
}

/** An archive that others refer to was asked to change. */
export class FrozenArchive extends Data.TaggedError("FrozenArchive")<{ readonly directory: string }> {
  override get message(): string {
    return `${this.directory} is the baseline of a replay, scenario or experiment, and is left as it is`
  }
}

/** An archive of which the key is not here was asked to change: every line would break its chain for those who have the key. */
export class KeyMissing extends Data.TaggedError("KeyMissing")<{
  readonly directory: string
  readonly keyId: string
}> {
  override get message(): string {
    return `${this.directory} was recorded with the key ${this.keyId}, which is not among yours, and is left as it is: a change would break its record. Reading and exporting it needs no key.`
  }
}

/** How long the CLI waits for a session's lock. */
const patienceMs = 5_000

/**
 * Runs `use` with the manifest of an archive that exists and may change, under its lock. A frozen one may not, but for a manifest that cannot be read: without
 * one nobody can name the archive, whose log is the baseline.
 */
const withArchive = Effect.fnUntraced(function* <A, E, R>(
  directory: string,
  use: (files: ArchiveFiles, opened: OpenedManifest, isFrozen: boolean) => Effect.Effect<A, E, R>
) {
  const locks = yield* LockService
  const files = archiveFiles(directory)
  const held = Effect.gen(function* () {
    const isFrozen = (yield* disk.status(frozenMark(directory))) !== undefined
    const reading = yield* readManifest(files.manifest)
    if (isFrozen && reading._tag === "Manifest") return yield* new FrozenArchive({ directory })
    const opened = reading._tag === "Manifest" ? reading : yield* manifestFromLog(files)
    if (opened === undefined) return yield* new NoArchive({ directory })
    const { key_id: keyId } = opened.manifest
    if (keyId !== undefined && (yield* isKeyMissing(keyId))) return yield* new KeyMissing({ directory, keyId })
    return yield* use(files, opened, isFrozen)
  })
  const disk = yield* Disk
  if ((yield* disk.status(directory))?.kind !== "directory") return yield* new NoArchive({ directory })
  return yield* locks.hold(files.lock, patienceMs, held)
})

/** See SessionArchive.close. */
export const close = (directory: string, reason: string, status: "completed" | "incomplete") =>
  withArchive(
    directory,
    Effect.fnUntraced(function* (files, opened, isFrozen) {
      const { manifest } = opened
      if (isFrozen) return yield* new FrozenArchive({ directory })
      if (manifest.status !== "active") return manifest
      const end: PreparedEvent = {
        identity: identityDigest(yield* keyOf(manifest), ["closed", reason]),
        scope: "run",
        timestamp: timestampOf(yield* Clock.currentTimeMillis),
        kind: "session_end",
        payload: { reason },
        redactions: []
      }
      const result = yield* appendHeld(files, opened, () => Effect.succeed([end]), undefined)
      // An end that waited in the spool, or that the manifest missed, was the agent's own.
      const closed: Manifest =
        result.state.end?.timestamp === end.timestamp
          ? { ...result.manifest, status, ended_at: end.timestamp, end_reason: reason }
          : result.manifest
      yield* keepBookkeeping(files, closed, result.state, yield* keyOf(manifest))
      return closed
    })
  )

/** See SessionArchive.recover. */
export const recover = (directory: string) =>
  withArchive(
    directory,
    Effect.fnUntraced(function* (files, opened, isFrozen) {
      const key = yield* keyOf(opened.manifest)
      if (isFrozen) return yield* rebuild(files, opened.manifest, key, 0)
      let current = opened
      let drained = 0
      for (;;) {
        const { waiting } = yield* readSpool(files.spool)
        const { manifest } = yield* appendHeld(files, current, () => Effect.succeed([]), undefined)
        current = { manifest }
        drained += Math.min(waiting.length, drainedAtOnce)
        if (waiting.length <= drainedAtOnce) break
      }
      return yield* rebuild(files, current.manifest, key, drained)
    })
  )

/** A listing asks this of ten thousand archives, and hardly one has a spool: to look for it costs a fifth of opening what is not there. */
export const isUnsettled = Effect.fnUntraced(function* (directory: string, manifest: Manifest) {
  const disk = yield* Disk
  const files = archiveFiles(directory)
  const unsettled =
    ((yield* disk.status(files.spool)) !== undefined && (yield* readSpool(files.spool)).waiting.length > 0) ||
    (manifest.status !== "active" && (yield* disk.status(files.checksums)) === undefined) ||
    (manifest.byte_count !== undefined && manifest.byte_count !== ((yield* disk.status(files.events))?.size ?? 0))
  if (!unsettled || (yield* disk.status(frozenMark(directory))) !== undefined) return false
  return manifest.key_id === undefined || !(yield* isKeyMissing(manifest.key_id))
})

/** See SessionArchive.remove. */
export const remove = Effect.fnUntraced(function* (directory: string, by: "delete" | "prune") {
  const disk = yield* Disk
  const locks = yield* LockService
  const files = archiveFiles(directory)
  const gone = Effect.gen(function* () {
    const reading = yield* readManifest(files.manifest)
    const manifest = reading._tag === "Manifest" ? reading.manifest : yield* manifestOfLog(files)
    if (manifest !== undefined) {
      yield* buryAnchor({ sessionId: manifest.session_id, startedAt: manifest.started_at }, directory, by)
    }
    yield* disk.removeTree(directory)
    yield* disk.remove(frozenMark(directory))
  })
  yield* locks.hold(files.lock, patienceMs, gone)
})

/** See SessionArchive.freeze. */
export const freeze = Effect.fnUntraced(function* (directory: string) {
  const disk = yield* Disk
  const locks = yield* LockService
  const mark = frozenMark(directory)
  if ((yield* disk.status(directory))?.kind !== "directory") return yield* new NoArchive({ directory })
  yield* ensurePrivateDirectory(path.dirname(mark))
  // Under the lock, so that no writer is in the middle of an append.
  yield* locks.hold(archiveFiles(directory).lock, patienceMs, createFile(mark, Buffer.from("")))
})
