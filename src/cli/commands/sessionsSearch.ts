import * as path from "node:path"
import { Argument, Command, Flag } from "effect/cli"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { findSessions } from "../../control/projectSessions.ts"
import { counted } from "../../domain/counted.ts"
import { eventKinds } from "../../domain/event.ts"
import { formatBytes } from "../../export/format.ts"
import { hitFields } from "../../search/hit.ts"
import { searchSessions } from "../../search/searchSessions.ts"
import { NothingToSearch } from "../errors.ts"
import { json, sessionScope, wholeNumber } from "../options.ts"
import { told } from "../render/diskWords.ts"
import { renderHits } from "../render/search.ts"
import { plain } from "../render/text.ts"
import { note, report } from "../report.ts"
import { scopeOf } from "../sessions.ts"

/** What `sessions search --json` prints. */
export const SearchReport = Schema.Struct({
  words: Schema.Array(Schema.String),
  hits: Schema.Array(
    Schema.Struct({
      ...hitFields,
      path: Schema.String
    })
  ),
  /** Whether the limit kept some away. */
  more: Schema.Boolean,
  searched: Schema.Struct({ sessions: Schema.Natural, bytes: Schema.Natural }),
  /** Directories of archives that could not be searched. */
  unreadable: Schema.Array(Schema.String)
})

export const searchCommand = Command.make(
  "search",
  {
    words: Argument.String("words").pipe(
      Argument.withDescription("Texts that must all be in one event; capital letters do not matter"),
      Argument.variadic({ min: 1 })
    ),
    kind: Flag.Literals("kind", eventKinds).pipe(
      Flag.withDescription("Only events of this kind"),
      Flag.optional,
      Flag.map(Option.getOrUndefined)
    ),
    limit: wholeNumber("limit", 1).pipe(
      Flag.withDefault(20),
      Flag.withDescription("How many events are shown at most (default: 20)")
    ),
    json,
    ...sessionScope
  },
  Effect.fn("sessions search")(function* (flags) {
    const words = flags.words.map((word) => word.trim()).filter((word) => word !== "")
    if (words.length === 0) return yield* new NothingToSearch()
    const { sessions, unreadable } = yield* findSessions(yield* scopeOf(flags))
    const found = yield* searchSessions(sessions, { words, kind: flags.kind, limit: Math.max(1, flags.limit) })
    const data: typeof SearchReport.Type = {
      words,
      hits: found.hits,
      more: found.more,
      searched: { sessions: found.sessionCount - found.failures.length, bytes: found.byteCount },
      unreadable: [...unreadable, ...found.failures.map((failure) => path.dirname(failure.path))]
    }
    yield* report(flags.json, data, ({ hits, more, searched }, look) => {
      const where = `${counted(searched.sessions, "session")}, ${formatBytes(searched.bytes)}`
      if (hits.length === 0) return `Nothing found in ${where}.\n`
      const end = more
        ? `There is more: --limit ${flags.limit * 5} shows it.`
        : `${counted(hits.length, "event")} in ${where}.`
      return `${renderHits(hits, look)}\n${end}\n`
    })
    // What is nowhere else may be there.
    for (const directory of unreadable)
      yield* note(`${plain(directory)} was not searched: it cannot be read as a session.\n`)
    for (const failure of found.failures) yield* note(`Not searched: ${plain(told(failure))}\n`)
  })
).pipe(Command.withDescription("Find events by what is in them: prompts, answers, calls and results, as recorded"))
