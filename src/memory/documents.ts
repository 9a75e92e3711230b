import * as path from "node:path"
import * as Effect from "effect/Effect"
import { Disk } from "../platform/Disk.ts"
import { Git } from "../platform/Git.ts"
import { Redactor } from "../redaction/Redactor.ts"
import { excerptOf } from "./excerpt.ts"
import { type Collection, rankSessions } from "./rank.ts"
import { termsOf } from "./terms.ts"

/** Files of the workspace that a search looks into: what the project says about itself. */
const patterns = ["*.md", "*.mdx", "*.rst", "*.txt", "*.adoc"]
const mostFiles = 300
const mostFileBytes = 128 * 1024
const mostBytes = 2 * 1024 * 1024
/** A file is ranked by its sections, of about this size. */
const sectionBytes = 1_200

/** A section of a tracked document. */
export interface DocumentHit {
  /** Relative to the project. */
  readonly file: string
  readonly line: number
  readonly text: string
  readonly score: number
  readonly coverage: number
  readonly matched: ReadonlyArray<string>
}

interface Section {
  readonly file: string
  readonly line: number
  readonly text: string
  readonly terms: ReadonlyArray<string>
}

/**
 * Searches the documents that Git tracks in a project. Read anew each time, within bounds: 300 files, 128 KiB of each, 2 MiB in all. Text is
 * redacted before it is given away.
 */
export const searchDocuments = Effect.fnUntraced(function* (projectRoot: string, question: string, limit: number) {
  const files = yield* readDocuments(projectRoot)
  const sections = files.flatMap(({ file, text }) => sectionsOf(file, text))
  const frequency = new Map<string, number>()
  for (const { terms } of sections)
    for (const term of new Set(terms)) frequency.set(term, (frequency.get(term) ?? 0) + 1)
  const collection: Collection = {
    turns: sections.length,
    sessions: files.length,
    terms: sections.reduce((sum, { terms }) => sum + terms.length, 0),
    frequency: (term) => frequency.get(term) ?? 0
  }
  const candidates = files.map(({ file }, session) => {
    const turns = sections.flatMap((section, id) =>
      section.file === file ? [{ id, terms: section.terms, superseded: false }] : []
    )
    return { session, began: "", length: turns.reduce((sum, { terms }) => sum + terms.length, 0), turns }
  })
  const ranked = rankSessions(termsOf(question, "query"), candidates, collection, () => 0)
  const redactor = yield* Redactor
  return yield* Effect.forEach(
    ranked.slice(0, limit),
    Effect.fnUntraced(function* (one) {
      const section = sections[one.turn]
      const redacted = yield* redactor
        .redact(excerptOf(section?.text ?? "", one.matched), "text")
        .pipe(Effect.orElseSucceed(() => ({ value: "[REDACTED:withheld]" })))
      return {
        file: section?.file ?? "",
        line: section?.line ?? 1,
        text: String(redacted.value),
        score: one.score,
        coverage: one.coverage,
        matched: one.matched
      } satisfies DocumentHit
    })
  )
})

const readDocuments = Effect.fnUntraced(function* (projectRoot: string) {
  const git = yield* Git
  const disk = yield* Disk
  const found: Array<{ readonly file: string; readonly text: string }> = []
  let bytes = 0
  for (const file of (yield* git.trackedFiles(projectRoot, patterns)).slice(0, mostFiles)) {
    if (bytes >= mostBytes) break
    const absolute = path.join(projectRoot, file)
    const real = yield* disk.realPath(absolute).pipe(Effect.orElseSucceed(() => ""))
    // A link that is tracked could lead out of the project.
    if (real !== absolute) continue
    const text = yield* disk
      .withFile(absolute, "read", (open) => open.read(0, mostFileBytes))
      .pipe(
        Effect.map((read) => read.toString("utf8")),
        Effect.orElseSucceed(() => "")
      )
    bytes += text.length
    found.push({ file, text })
  }
  return found
})

/** A document cut at its headings, and where those are far apart at empty lines. */
const sectionsOf = (file: string, text: string): ReadonlyArray<Section> => {
  const sections: Array<Section> = []
  let lines: Array<string> = []
  let first = 1
  let size = 0
  const flush = (next: number): void => {
    const joined = lines.join("\n").trim()
    if (joined !== "") sections.push({ file, line: first, text: joined, terms: termsOf(`${file}\n${joined}`) })
    lines = []
    size = 0
    first = next
  }
  for (const [at, line] of text.split("\n").entries()) {
    if (/^#{1,6} /.test(line) || (line.trim() === "" && size > sectionBytes)) flush(at + 1)
    lines.push(line)
    size += line.length
  }
  flush(0)
  return sections
}
