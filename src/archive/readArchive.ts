import * as path from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { ArchivedEvent } from "../domain/event.ts"
import type { Manifest, SessionStatus } from "../domain/manifest.ts"
import { Disk, type DiskError } from "../platform/Disk.ts"
import { Processes } from "../platform/Processes.ts"
import { type LogRecord, type LogVisitor, scanLog } from "./eventLog.ts"
import { isLeftByItsAgent } from "./leftByItsAgent.ts"
import { readManifest } from "./manifestFile.ts"
import { eventBody, eventId } from "./preparedEvent.ts"
import { archiveFiles } from "./sessionDirectory.ts"
import { readSpool } from "./spool.ts"

/** What a reader is told of a log, in the order of the file. */
export interface ArchiveVisitor {
  readonly record: (record: LogRecord) => void
  /** Each whole line with its newline, for checksums. */
  readonly line?: (line: Buffer) => void
  /** An event that waits in the spool: no writer has given it its place yet. */
  readonly spooled?: (event: ArchivedEvent) => void
  /** Runs after each piece of the file that was read: what a visitor has gathered can leave memory here. */
  readonly flush?: Effect.Effect<void, DiskError>
}

/**
 * Reads the events of an archive and changes nothing. An archive needs no repair before it is read. Events in the spool are given after those
 * of the log, with the sequences that the next writer would give them.
 */
export const readEvents = Effect.fnUntraced(function* (directory: string, manifest: Manifest, visitor: ArchiveVisitor) {
  const disk = yield* Disk
  const files = archiveFiles(directory)
  const { waiting } = yield* readSpool(files.spool)
  const pending = waiting.flatMap((delivery) => delivery.events)
  const ids = pending.length === 0 || visitor.spooled === undefined ? undefined : new Set<string>()
  let sequence = 0
  let runs = 0
  const record = (found: LogRecord) => {
    if (found._tag === "Event") {
      sequence = Math.max(sequence, found.event.sequence)
      if (found.event.kind === "session_end") runs++
      ids?.add(found.event.event_id)
    }
    visitor.record(found)
  }
  const log: LogVisitor = {
    record,
    ...(visitor.line === undefined ? undefined : { line: visitor.line }),
    ...(visitor.flush === undefined ? undefined : { flush: visitor.flush })
  }
  if ((yield* disk.status(files.events)) !== undefined) {
    yield* disk.withFile(files.events, "read", (file) => scanLog(file, 0, log))
  }
  for (const event of ids === undefined ? [] : pending) {
    const id = eventId(manifest.session_id, event, runs)
    if (ids?.has(id)) continue
    ids?.add(id)
    const place = { provider: manifest.provider, sessionId: manifest.session_id, sequence: ++sequence, eventId: id }
    visitor.spooled?.(eventBody(event, place).event)
  }
})

/** What `sessions list` shows of one archive. */
export interface SessionSummary {
  readonly directory: string
  readonly manifest: Manifest
  /** The manifest's status, or `incomplete` for an active session whose agent has gone without an end. */
  readonly status: SessionStatus
}

/** How long a session whose agent cannot be looked at stays active without an event. */
const silenceMs = 12 * 60 * 60 * 1000

/** The status that a person should see. Computed, never written: the agent may be looked at again. */
export const shownStatus = Effect.fnUntraced(function* (
  directory: string,
  manifest: Manifest,
  known?: ReadonlyArray<Manifest>
) {
  if (manifest.status !== "active") return manifest.status
  const processes = yield* Processes
  const liveness = manifest.agent_process === undefined ? "foreign" : yield* processes.liveness(manifest.agent_process)
  if (liveness === "alive") return "active" as const
  if (liveness === "dead") {
    const isLeft = yield* isLeftByItsAgent(directory, manifest, known).pipe(Effect.orElseSucceed(() => false))
    return isLeft ? ("completed" as const) : ("incomplete" as const)
  }
  const disk = yield* Disk
  const status = yield* disk.status(archiveFiles(directory).events).pipe(Effect.orElseSucceed(() => undefined))
  const now = yield* Clock.currentTimeMillis
  return status !== undefined && now - status.modifiedMs > silenceMs ? ("incomplete" as const) : ("active" as const)
})

/** Whether a root in a project's `.lint-ai`, or that itself, is a link: it may lead to what is not the project's, and sessions are deleted there. */
const isLinked = Effect.fnUntraced(function* (sessionsRoot: string) {
  const disk = yield* Disk
  const parent = path.dirname(sessionsRoot)
  if (path.basename(parent) !== ".lint-ai") return false
  const places = yield* Effect.forEach([parent, sessionsRoot], (place) =>
    disk.status(place).pipe(Effect.orElseSucceed(() => undefined))
  )
  return places.some((status) => status?.kind === "symlink")
})

/** Whether there can be no root: its parent is a file. */
const isBehindFile = Effect.fnUntraced(function* (sessionsRoot: string) {
  const disk = yield* Disk
  const parent = yield* disk.status(path.dirname(sessionsRoot)).pipe(Effect.orElseSucceed(() => undefined))
  return parent?.kind === "file"
})

/**
 * The archives below a sessions root, newest first, and the directories in it that hold no readable manifest. A root that is no directory, or cannot
 * be read, is unreadable itself: what is wrong in one place keeps nobody from looking at the others.
 */
export const listArchives = Effect.fnUntraced(function* (sessionsRoot: string) {
  const disk = yield* Disk
  const found: Array<Omit<SessionSummary, "status">> = []
  const unreadable: Array<string> = []
  const names = (yield* isLinked(sessionsRoot))
    ? undefined
    : yield* disk.directories(sessionsRoot).pipe(Effect.orElseSucceed(() => undefined))
  if (names === undefined && !(yield* isBehindFile(sessionsRoot))) unreadable.push(sessionsRoot)
  for (const name of names ?? []) {
    if (name.startsWith(".")) continue
    const directory = path.join(sessionsRoot, name)
    const reading = yield* readManifest(archiveFiles(directory).manifest)
    if (reading._tag === "Manifest") found.push({ directory, manifest: reading.manifest })
    else unreadable.push(directory)
  }
  const manifests = found.map(({ manifest }) => manifest)
  const sessions: Array<SessionSummary> = []
  for (const one of found) sessions.push({ ...one, status: yield* shownStatus(one.directory, one.manifest, manifests) })
  sessions.sort((a, b) => (a.manifest.started_at < b.manifest.started_at ? 1 : -1))
  return { sessions, unreadable }
})
