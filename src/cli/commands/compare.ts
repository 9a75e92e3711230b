import * as path from "node:path"
import { Argument, Command, Flag } from "effect/cli"
import * as Effect from "effect/Effect"
import { createFile } from "../../archive/atomicFile.ts"
import type { SessionSummary } from "../../archive/readArchive.ts"
import { findSessions } from "../../control/projectSessions.ts"
import { counted } from "../../domain/counted.ts"
import { shellWord } from "../../domain/shellWord.ts"
import { Host } from "../../platform/Host.ts"
import { compareArchives } from "../../scenario/compareArchives.ts"
import { readScenario } from "../../scenario/scenarioFile.ts"
import { replayComparisonDocument } from "../../viewer/replayComparison.ts"
import { OutputExists } from "../errors.ts"
import { htmlFlag, writeHtml } from "../htmlReport.ts"
import { json, optionalString, outFile, sessionScope } from "../options.ts"
import { comparisonMarkdown, renderComparisonTable } from "../render/comparison.ts"
import { plain, styles } from "../render/text.ts"
import { type Look, note, report } from "../report.ts"
import { findSession, scopeOf } from "../sessions.ts"

const sessions = Argument.String("session").pipe(
  Argument.withDescription(
    "The baseline, then its replays: ids, beginnings of them, or directories. One alone is reported"
  ),
  Argument.variadic({ min: 1 })
)

export const compareCommand = Command.make(
  "compare",
  {
    sessions,
    all: Flag.Boolean("all").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Every measure, not only the usual ones")
    ),
    scenario: optionalString("scenario", "Also judge what each session answered by this scenario", "FILE"),
    markdown: Flag.Boolean("markdown").pipe(Flag.withDefault(false), Flag.withDescription("As a Markdown document")),
    out: outFile,
    html: htmlFlag,
    json,
    ...sessionScope
  },
  Effect.fn("compare")(function* (flags) {
    const host = yield* Host
    const scope = yield* scopeOf(flags)
    const chosen = yield* Effect.forEach(flags.sessions, (given) => findSession(scope, given))
    const scenario =
      flags.scenario === undefined ? undefined : yield* readScenario(path.resolve(host.cwd, flags.scenario))
    const comparison = yield* compareArchives(chosen, scope.projectRoot, scenario)
    const draw = (look: Look) =>
      flags.markdown ? comparisonMarkdown(comparison, flags.all) : renderComparisonTable(comparison, flags.all, look)
    if (flags.html !== undefined) {
      const page = yield* writeHtml(
        flags.html,
        comparison.arms.map(({ metrics }) => metrics.directory),
        (pageOf) => replayComparisonDocument(comparison, pageOf)
      )
      if (flags.out === undefined)
        return yield* report(flags.json, { ...comparison, html: page.path }, () => page.words)
      yield* note(page.words)
    }
    if (flags.out === undefined) {
      yield* report(flags.json, comparison, (_, look) => draw(look))
      const found = flags.json || flags.sessions.length > 1 ? [] : yield* replaysOf(chosen, scope)
      if (found.length > 0) {
        // The newest of those that came to their end.
        const best = [...found].sort((one, other) => Number(isDone(other)) - Number(isDone(one))).slice(0, 5)
        const all = [...chosen, ...best].map(({ manifest }) => shellWord(plain(manifest.session_id)))
        yield* note(`It has ${counted(found.length, "replay")}: lint-ai compare ${all.join(" ")}\n`)
      }
      return
    }
    const out = path.resolve(host.cwd, flags.out)
    const text = flags.json
      ? `${JSON.stringify(comparison, undefined, 2)}\n`
      : draw({ columns: 100, style: styles(false) })
    if (!(yield* createFile(out, Buffer.from(text)))) return yield* new OutputExists({ path: out })
    yield* note(`${counted(comparison.arms.length, "session")} compared in\n${out}\n`)
  })
).pipe(
  Command.withDescription(
    "Compare replays with their baseline: quality, latency, tokens, injected context. No score, no winner"
  )
)

const isDone = ({ status }: SessionSummary): boolean => status === "completed"

const replaysOf = Effect.fnUntraced(function* (
  [baseline]: ReadonlyArray<SessionSummary>,
  scope: Parameters<typeof findSessions>[0]
) {
  const { sessions: all } = yield* findSessions(scope)
  return all.filter(
    ({ manifest }) =>
      manifest.replay_of_session_id !== undefined && manifest.replay_of_session_id === baseline?.manifest.session_id
  )
})
