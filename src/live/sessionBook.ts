import * as path from "node:path"
import * as Effect from "effect/Effect"
import { readManifest } from "../archive/manifestFile.ts"
import { type SessionSummary, shownStatus } from "../archive/readArchive.ts"
import { archiveFiles } from "../archive/sessionDirectory.ts"
import { lintAiDirectory } from "../control/projectRoot.ts"
import { rootsOf, type SessionScope } from "../control/projectSessions.ts"
import type { Manifest } from "../domain/manifest.ts"
import { Disk } from "../platform/Disk.ts"
import type { Changed } from "../platform/FileChanges.ts"

interface Page {
  /** Size, time and inode of the manifest: it is replaced as a whole, so these change with it. */
  readonly stamp: string
  readonly manifest: Manifest
}

/** The sessions of a scope, kept up to date: only manifests that changed are read again. */
export interface SessionBook {
  /** Looks again: everywhere, or only where something changed. Newest first. */
  readonly refresh: (changed: Changed) => Effect.Effect<ReadonlyArray<SessionSummary>>
  /** The directories in which a change may mean a session that begins. */
  readonly places: Effect.Effect<ReadonlyArray<string>>
}

export const openSessionBook = Effect.fn("openSessionBook")(function* (scope: SessionScope) {
  const context = yield* Effect.context<Effect.Services<ReturnType<typeof refreshed>> | Effect.Services<typeof roots>>()
  const roots = rootsOf(scope)
  const pages = new Map<string, Page>()
  return {
    refresh: (changed) =>
      Effect.flatMap(roots, (known) => refreshed(pages, known, changed)).pipe(Effect.provideContext(context)),
    places: Effect.flatMap(roots, (known) => nearest(known, scope.projectRoot)).pipe(Effect.provideContext(context))
  } satisfies SessionBook
})

const refreshed = Effect.fnUntraced(function* (
  pages: Map<string, Page>,
  roots: ReadonlyArray<string>,
  changed: Changed
) {
  const disk = yield* Disk
  const there = new Set<string>()
  for (const root of roots) {
    const isNew = changed === "all" || changed.has(root)
    if (!isNew) continue
    for (const name of yield* disk.list(root).pipe(Effect.orElseSucceed(() => []))) {
      if (!name.startsWith(".")) there.add(path.join(root, name))
    }
  }
  for (const directory of [...pages.keys()]) {
    const root = path.dirname(directory)
    if ((changed === "all" || changed.has(root)) && !there.has(directory)) pages.delete(directory)
  }
  const doubtful =
    changed === "all" ? there : [...there].filter((one) => !pages.has(one)).concat([...changed].filter(isPageOf(roots)))
  for (const directory of doubtful) yield* turn(pages, directory)
  const sessions: Array<SessionSummary> = []
  for (const [directory, { manifest }] of pages) {
    sessions.push({ directory, manifest, status: yield* shownStatus(directory, manifest) })
  }
  return sessions.sort((a, b) => (a.manifest.started_at < b.manifest.started_at ? 1 : -1))
})

const isPageOf = (roots: ReadonlyArray<string>) => (directory: string) => roots.includes(path.dirname(directory))

/** Reads one manifest, unless it is as it was. */
const turn = Effect.fnUntraced(function* (pages: Map<string, Page>, directory: string) {
  const disk = yield* Disk
  const { manifest: file } = archiveFiles(directory)
  const statusOf = (one: string) => disk.status(one).pipe(Effect.orElseSucceed(() => undefined))
  const status = yield* statusOf(file)
  if (status?.kind !== "file") {
    // Gone, or not there yet. A page stays for the moment in which its manifest is replaced on a system that cannot do that in one step.
    if ((yield* statusOf(directory))?.kind !== "directory") pages.delete(directory)
    return
  }
  const stamp = `${status.size} ${status.modifiedMs} ${status.inode}`
  if (pages.get(directory)?.stamp === stamp) return
  if ((yield* statusOf(directory))?.kind !== "directory") return
  const reading = yield* readManifest(file)
  if (reading._tag === "Manifest") pages.set(directory, { stamp, manifest: reading.manifest })
})

/** Each root, or the nearest of its ancestors inside the project where it is still missing: it will appear there. */
const nearest = Effect.fnUntraced(function* (roots: ReadonlyArray<string>, projectRoot: string) {
  const disk = yield* Disk
  const found = new Set<string>()
  for (const root of roots) {
    for (const place of [root, lintAiDirectory(projectRoot), projectRoot]) {
      const status = yield* disk.status(place).pipe(Effect.orElseSucceed(() => undefined))
      if (status?.kind !== "directory") continue
      found.add(place)
      break
    }
  }
  return [...found]
})
