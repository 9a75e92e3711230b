import * as Effect from "effect/Effect"
import type { Keyring } from "../archive/Keyring.ts"
import type { Format } from "../export/Exporter.ts"
import type { Disk } from "../platform/Disk.ts"
import type { Host } from "../platform/Host.ts"
import type { Processes } from "../platform/Processes.ts"
import { loadPageAssets } from "./pageAssets.ts"
import { sessionDocument } from "./sessionDocument.ts"
import { sessionPage } from "./sessionPage.ts"

/** The script and the style of all pages (see pageAssets.ts). */
export const pageAssets = Effect.promise(loadPageAssets)

/** The page of an archive as one HTML file, and the number of events that it shows. */
export const sessionHtml = Effect.fn("sessionHtml")(function* (directory: string) {
  const document = yield* sessionDocument(directory)
  return { html: sessionPage(document, yield* pageAssets), eventCount: document.outline.card.event_count }
})

/**
 * The page of a session as an export. It tells what verification says, which asks more of the machine than other formats do: taken from who makes
 * the format. Holds the page in memory, which is bounded (timeline.ts).
 */
export const html = Effect.map(
  Effect.context<Disk | Keyring | Host | Processes>(),
  (machine): Format =>
    (source, sink) =>
      sessionHtml(source.directory).pipe(
        // Its manifest was read a moment ago.
        Effect.catchTag("NoArchive", Effect.die),
        Effect.flatMap((page) => Effect.as(sink(page.html), page.eventCount)),
        Effect.provide(machine)
      )
)
