import * as path from "node:path"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { readManifest } from "../archive/manifestFile.ts"
import { type SessionSummary, shownStatus } from "../archive/readArchive.ts"
import { archiveFiles } from "../archive/sessionDirectory.ts"
import { findSessions, type SessionScope } from "../control/projectSessions.ts"
import type { Manifest } from "../domain/manifest.ts"
import type { Scenario } from "../domain/scenario.ts"
import { Disk } from "../platform/Disk.ts"
import { sha256 } from "../platform/digest.ts"

/** The session that a scenario refers to is not there. `reason` is a sentence. */
export class SourceMissing extends Data.TaggedError("SourceMissing")<{
  readonly session_id: string
  readonly reason: string
}> {
  override get message(): string {
    return `${this.reason} Run this in the project of the session, or name another one with --session.`
  }
}

/** The archive is another one than when the scenario was made. */
export class SourceChanged extends Data.TaggedError("SourceChanged")<{
  readonly session_id: string
  readonly directory: string
}> {
  override get message(): string {
    return `The recording of ${this.session_id} is not what it was when the scenario was made: its events have another SHA-256. \`lint-ai sessions verify\` says whether it was altered.`
  }
}

type Source = NonNullable<Scenario["source_session"]>

/**
 * The archive that a scenario refers to: the session of that id in the project, else the archive at the path that it names, which must be in the project.
 * Nothing is changed. Fails when it is not there, is of another session, or its events are not those that the scenario was made of.
 */
export const sourceSession = Effect.fn("sourceSession")(function* (source: Source, scope: SessionScope) {
  const { session_id } = source
  const id = session_id.startsWith(`${source.provider}:`) ? session_id : `${source.provider}:${session_id}`
  const { sessions } = yield* findSessions({ ...scope, provider: undefined })
  const found =
    sessions.find(({ manifest }) => manifest.session_id === id) ??
    sessions.find(({ manifest }) => isOf(manifest, id)) ??
    (yield* archiveAt(source, scope.projectRoot, id))
  if (source.events_sha256 !== undefined) {
    const disk = yield* Disk
    const events = yield* disk
      .readFile(archiveFiles(found.directory).events)
      .pipe(Effect.orElseSucceed(() => Buffer.alloc(0)))
    if (sha256(events) !== source.events_sha256) {
      return yield* new SourceChanged({ session_id: id, directory: found.directory })
    }
  }
  return found
})

/** Whether an archive is of a session, whose name an older recorder wrote without the agent's. */
const isOf = ({ provider, session_id }: Manifest, id: string): boolean =>
  session_id === id || `${provider}:${session_id}` === id

/** A scenario comes from anywhere: the path in it leads to no archive outside of the project. */
const archiveAt = Effect.fnUntraced(function* (source: Source, projectRoot: string, id: string) {
  const disk = yield* Disk
  const missing = (reason: string) => new SourceMissing({ session_id: id, reason })
  const absent = `There is no recording of ${id} in ${projectRoot}.`
  const real = (place: string) => disk.realPath(place).pipe(Effect.mapError(() => missing(absent)))
  const root = yield* real(projectRoot)
  const directory = yield* real(path.resolve(root, source.archive))
  const inside = path.relative(root, directory)
  if (inside === "" || inside.startsWith("..") || path.isAbsolute(inside)) {
    return yield* missing(`The archive that the scenario names is outside of ${projectRoot}.`)
  }
  const reading = yield* readManifest(archiveFiles(directory).manifest)
  if (reading._tag !== "Manifest") return yield* missing(`There is no recording at ${source.archive}.`)
  const { manifest } = reading
  if (!isOf(manifest, id)) {
    return yield* missing(`The recording at ${source.archive} is of another session than ${id}.`)
  }
  return { directory, manifest, status: yield* shownStatus(directory, manifest) } satisfies SessionSummary
})
