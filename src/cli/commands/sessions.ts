import { Command } from "effect/cli"
import * as Effect from "effect/Effect"
import { failedHooks } from "../../control/failedHooks.ts"
import { findSessions, rootsOf } from "../../control/projectSessions.ts"
import { inspectArchive } from "../../export/inspection.ts"
import { json, oneSession, sessionScope } from "../options.ts"
import { noteTreeBelow } from "../project.ts"
import { told } from "../render/diskWords.ts"
import { renderCard, renderInspection, renderSessionList } from "../render/sessions.ts"
import { plain } from "../render/text.ts"
import { note, report } from "../report.ts"
import { findSession, noSessions, scopeOf, settle } from "../sessions.ts"
import { deleteCommand } from "./sessionsDelete.ts"
import { exportCommand } from "./sessionsExport.ts"
import { importCommand } from "./sessionsImport.ts"
import { pruneCommand } from "./sessionsPrune.ts"
import { recoverCommand } from "./sessionsRecover.ts"
import { searchCommand } from "./sessionsSearch.ts"
import { verifyCommand } from "./sessionsVerify.ts"
import { viewCommand } from "./sessionsView.ts"

const list = Command.make(
  "list",
  { json, ...sessionScope },
  Effect.fn("sessions list")(function* (flags) {
    const scope = yield* scopeOf(flags)
    const first = yield* findSessions(scope)
    const found = (yield* settle(first.sessions)) > 0 ? yield* findSessions(scope) : first
    const data = {
      sessions: found.sessions.map(({ directory, status, manifest }) => ({ ...manifest, status, path: directory })),
      unreadable: found.unreadable
    }
    const [newest] = found.sessions
    // One whose log cannot be read keeps nobody from seeing the others.
    const card =
      newest === undefined || flags.json
        ? undefined
        : yield* inspectArchive(newest.directory).pipe(
            Effect.catchTag("DiskError", (error) => Effect.as(note(`${plain(told(error))}\n`), undefined))
          )
    const none = newest === undefined ? yield* Effect.flip(noSessions(scope)) : undefined
    yield* report(flags.json, data, (_, look) =>
      none !== undefined
        ? found.unreadable.length > 0
          ? "No session can be read.\n"
          : `${plain(none.message)}\n`
        : [
            renderSessionList(found.sessions, look.columns),
            ...(card === undefined ? [] : [renderCard(card, scope.projectRoot, look.style)])
          ].join("\n")
    )
    const roots = yield* rootsOf(scope)
    for (const directory of found.unreadable) {
      const what = roots.includes(directory)
        ? "is no directory of sessions: a link, or not to be read; move it away, or look at its owner and mode."
        : "cannot be read as a session; `lint-ai sessions recover` may mend it."
      yield* note(`${plain(directory)} ${what}\n`)
    }
    yield* noteTreeBelow(flags.project, scope.projectRoot)
  })
).pipe(Command.withAlias("ls"), Command.withDescription("List the recorded sessions of a project, newest first"))

const inspect = Command.make(
  "inspect",
  { session: oneSession, json, ...sessionScope },
  Effect.fn("sessions inspect")(function* (flags) {
    const scope = yield* scopeOf(flags)
    const found = yield* findSession(scope, flags.session)
    const inspection = yield* inspectArchive(found.directory)
    const inspected = { ...inspection, failed_hooks: yield* failedHooks(found.manifest) }
    yield* report(flags.json, inspected, (data, look) => {
      const details = renderInspection(data, look.columns, look.style)
      return flags.session === undefined ? `${renderCard(data, scope.projectRoot, look.style)}\n${details}` : details
    })
  })
).pipe(Command.withDescription("Show what a session holds, without its content; changes nothing"))

export const sessionsCommand = Command.make("sessions").pipe(
  Command.withDescription("Look at, search, export, import, check, mend and delete recorded sessions"),
  Command.withSubcommands([
    list,
    searchCommand,
    inspect,
    viewCommand,
    exportCommand,
    importCommand,
    verifyCommand,
    recoverCommand,
    deleteCommand,
    pruneCommand
  ])
)
