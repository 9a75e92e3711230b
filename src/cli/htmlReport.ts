import * as path from "node:path"
import * as Effect from "effect/Effect"
import { counted } from "../domain/counted.ts"
import { Host } from "../platform/Host.ts"
import type { ComparisonDocument } from "../viewer/comparisonDocument.ts"
import type { PageOf } from "../viewer/replayComparison.ts"
import { writeComparison } from "../viewer/writeComparison.ts"
import { OutputExists } from "./errors.ts"
import { optionalString } from "./options.ts"
import { plain } from "./render/text.ts"

export const htmlFlag = optionalString(
  "html",
  "Write a page for a browser to this file, and pages of its sessions beside it; nothing may exist there",
  "FILE"
)

/** Writes the page of a comparison; gives its path, and what to tell the person. */
export const writeHtml = Effect.fn("writeHtml")(function* (
  file: string,
  archives: ReadonlyArray<string>,
  documentOf: (pageOf: PageOf) => ComparisonDocument
) {
  const host = yield* Host
  const written = yield* writeComparison(path.resolve(host.cwd, file), archives, documentOf)
  if (written._tag === "Taken") return yield* new OutputExists({ path: written.path })
  const beside = written.sessions === 0 ? "" : `, and ${counted(written.sessions, "session")} beside it`
  return {
    path: written.path,
    words: `The page is in\n${plain(written.path)}${beside}\nOpen it in any browser: it needs no network.\n`
  }
})
