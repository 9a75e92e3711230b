import * as path from "node:path"
import * as Effect from "effect/Effect"
import { createFile } from "../archive/atomicFile.ts"
import { sessionDirectory } from "../archive/sessionDirectory.ts"
import { Disk, type DiskError } from "../platform/Disk.ts"
import type { ComparisonDocument } from "./comparisonDocument.ts"
import { comparisonPage } from "./comparisonPage.ts"
import { pageAssets } from "./html.ts"
import type { PageOf } from "./replayComparison.ts"
import { sessionDocument } from "./sessionDocument.ts"
import { sessionPage } from "./sessionPage.ts"

/** Sessions that get a page of their own. An experiment has thousands, and a person looks at those that went apart. */
const mostSessions = 100

/** What was written, or the path that was taken: nothing is overwritten. */
export type WrittenComparison =
  | { readonly _tag: "Written"; readonly path: string; readonly sessions: number }
  | { readonly _tag: "Taken"; readonly path: string }

/**
 * Writes the page of a comparison, and beside it, in `<name>-sessions/`, the pages of its sessions, to which it links: the two move together. An
 * archive that cannot be read any more has no page and no link.
 *
 * @param archives directories of the sessions, the most telling first
 * @param documentOf makes the document when it is known which sessions have a page
 */
export const writeComparison = Effect.fn("writeComparison")(function* (
  out: string,
  archives: ReadonlyArray<string>,
  documentOf: (pageOf: PageOf) => ComparisonDocument
): Effect.fn.Return<WrittenComparison, DiskError, PageServices> {
  const disk = yield* Disk
  const assets = yield* pageAssets
  const beside = `${out.replace(/\.html?$/i, "")}-sessions`
  for (const taken of [out, beside])
    if ((yield* disk.status(taken)) !== undefined) return { _tag: "Taken", path: taken }
  const pages = new Map<string, string>()
  for (const archive of [...new Set(archives)].slice(0, mostSessions)) {
    const document = yield* sessionDocument(archive).pipe(Effect.catch(() => Effect.succeed(undefined)))
    if (document === undefined) continue
    yield* disk.makeDirectory(beside)
    const name = `${pages.size + 1}-${sessionDirectory(document.outline.card.session_id)}.html`
    yield* createFile(path.join(beside, name), Buffer.from(sessionPage(document, assets)))
    pages.set(archive, `${encodeURIComponent(path.basename(beside))}/${encodeURIComponent(name)}`)
  }
  const page = comparisonPage(
    documentOf((archive) => pages.get(archive)),
    assets
  )
  if (!(yield* createFile(out, Buffer.from(page)))) return { _tag: "Taken", path: out }
  return { _tag: "Written", path: out, sessions: pages.size }
})

type PageServices = Effect.Services<ReturnType<typeof sessionDocument>> | Disk
