import * as Effect from "effect/Effect"
import { writeAll } from "../archive/atomicFile.ts"
import { NoArchive } from "../archive/existingArchive.ts"
import { readManifest } from "../archive/manifestFile.ts"
import { readEvents } from "../archive/readArchive.ts"
import { archiveFiles } from "../archive/sessionDirectory.ts"
import type { ArchivedEvent } from "../domain/event.ts"
import type { Manifest } from "../domain/manifest.ts"
import { Disk, type DiskError, type OpenFile } from "../platform/Disk.ts"

/** Where an export goes: called with pieces, in order. */
export type Sink = (text: string) => Effect.Effect<void, DiskError>

/** An archive to export. */
export interface Source {
  readonly directory: string
  readonly manifest: Manifest
  /** Told of each piece of the log that is no event, and is therefore in no export. */
  readonly onDamage?: (() => void) | undefined
}

/** Writes an archive in one format, in memory that does not grow with it. Gives the number of events that it read. */
export type Format = (source: Source, sink: Sink) => Effect.Effect<number, DiskError, Disk>

/** A format that needs to see each event once, and nothing of the session before it begins. */
export interface Exporter {
  readonly begin: (manifest: Manifest) => string
  /** `line`: the event's bytes as they stand in the log; the encoded event for one that waits in the spool. */
  readonly event: (event: ArchivedEvent, line: string) => string
  readonly end: () => string
}

/** A format out of an exporter, which is made anew for each export. */
export const streamed =
  (make: () => Exporter): Format =>
  (source, sink) => {
    const exporter = make()
    return Effect.gen(function* () {
      const out = gather(sink)
      out.add(exporter.begin(source.manifest))
      const count = yield* eachEvent(source, out, (event, line) => out.add(exporter.event(event, line())))
      out.add(exporter.end())
      yield* out.flush
      return count
    })
  }

/** Text that is gathered while a piece of a log is read, and given to the sink after it. */
export interface Gathered {
  readonly add: (text: string) => void
  readonly flush: Effect.Effect<void, DiskError>
}

export const gather = (sink: Sink): Gathered => {
  let gathered = ""
  return {
    add: (text) => {
      gathered += text
    },
    flush: Effect.suspend(() => {
      const text = gathered
      gathered = ""
      return text === "" ? Effect.void : sink(text)
    })
  }
}

/** Reads the valid events of an archive in their order, those in the spool last; `bytes` is the length of each. Gives their number. */
export const eachEvent = Effect.fnUntraced(function* (
  source: Source,
  out: Gathered,
  visit: (event: ArchivedEvent, line: () => string, bytes: number) => void
) {
  let count = 0
  yield* readEvents(source.directory, source.manifest, {
    record: (record) => {
      if (record._tag !== "Event") return source.onDamage?.()
      count++
      visit(record.event, () => record.line.toString("utf8"), record.line.length)
    },
    spooled: (event) => {
      count++
      const line = JSON.stringify(event)
      visit(event, () => line, line.length)
    },
    flush: out.flush
  })
  return count
})

/** Exports an archive. Only what was recorded is read, never the provider's transcripts, and nothing changes. Gives the number of events. */
export const exportArchive = Effect.fn("exportArchive")(function* (
  directory: string,
  format: Format,
  sink: Sink,
  onDamage?: () => void
) {
  const reading = yield* readManifest(archiveFiles(directory).manifest)
  if (reading._tag !== "Manifest") return yield* new NoArchive({ directory })
  return yield* format({ directory, manifest: reading.manifest, onDamage }, sink)
})

/** Writes an export to a file, 0600, that appears whole or not at all. The path must be free: nothing is overwritten. */
export const exportToFile = Effect.fn("exportToFile")(function* (
  directory: string,
  format: Format,
  out: string,
  onDamage?: () => void
) {
  const disk = yield* Disk
  const partial = `${out}.partial`
  const write =
    (file: OpenFile): Sink =>
    (text) =>
      writeAll(file, Buffer.from(text), partial)
  return yield* disk.withFile(partial, "new", (file) =>
    exportArchive(directory, format, write(file), onDamage).pipe(
      Effect.tap(() => disk.link(partial, out)),
      // Ours: a file of that name which was there before is somebody else's, and withFile has failed.
      Effect.ensuring(Effect.ignore(disk.remove(partial)))
    )
  )
})
