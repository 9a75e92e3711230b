import * as Effect from "effect/Effect"
import { writeAll } from "../archive/atomicFile.ts"
import { readManifest } from "../archive/manifestFile.ts"
import { readEvents } from "../archive/readArchive.ts"
import { NoArchive } from "../archive/SessionArchive.ts"
import { archiveFiles } from "../archive/sessionDirectory.ts"
import type { ArchivedEvent } from "../domain/event.ts"
import type { Manifest } from "../domain/manifest.ts"
import { Disk, type DiskError, type OpenFile } from "../platform/Disk.ts"

/** Turns an archive into one text of a format, piece by piece, so that a session of any length needs little memory. */
export interface Exporter {
  readonly begin: (manifest: Manifest) => string
  /** `line`: the event's bytes as they stand in the log; the encoded event for one that waits in the spool. */
  readonly event: (event: ArchivedEvent, line: string) => string
  readonly end: () => string
}

/** Where an export goes: called with pieces, in order. */
export type Sink = (text: string) => Effect.Effect<void, DiskError>

/**
 * Exports the valid events of an archive in their order. Only what was recorded is read, never the provider's transcripts, and nothing changes.
 * Gives the number of events.
 */
export const exportArchive = Effect.fn("exportArchive")(function* (directory: string, exporter: Exporter, sink: Sink) {
  const reading = yield* readManifest(archiveFiles(directory).manifest)
  if (reading._tag !== "Manifest") return yield* new NoArchive({ directory })
  let gathered = exporter.begin(reading.manifest)
  let count = 0
  const flush = Effect.suspend(() => {
    const text = gathered
    gathered = ""
    return text === "" ? Effect.void : sink(text)
  })
  const add = (event: ArchivedEvent, line: string): void => {
    count++
    gathered += exporter.event(event, line)
  }
  yield* readEvents(directory, reading.manifest, {
    record: (record) => {
      if (record._tag === "Event") add(record.event, record.line.toString("utf8"))
    },
    spooled: (event) => add(event, JSON.stringify(event)),
    flush
  })
  gathered += exporter.end()
  yield* flush
  return count
})

/** Writes an export to a file, 0600, that appears whole or not at all. The path must be free: nothing is overwritten. */
export const exportToFile = Effect.fn("exportToFile")(function* (directory: string, exporter: Exporter, out: string) {
  const disk = yield* Disk
  const partial = `${out}.partial`
  const write =
    (file: OpenFile): Sink =>
    (text) =>
      writeAll(file, Buffer.from(text), partial)
  return yield* disk
    .withFile(partial, "new", (file) => exportArchive(directory, exporter, write(file)))
    .pipe(
      Effect.tap(() => disk.link(partial, out)),
      Effect.ensuring(Effect.ignore(disk.remove(partial)))
    )
})
