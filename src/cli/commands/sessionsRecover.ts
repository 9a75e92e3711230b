import { Command, Flag } from "effect/cli"
import * as Effect from "effect/Effect"
import { readManifest } from "../../archive/manifestFile.ts"
import { shownStatus } from "../../archive/readArchive.ts"
import { SessionArchive } from "../../archive/SessionArchive.ts"
import { archiveFiles } from "../../archive/sessionDirectory.ts"
import { findSessions } from "../../control/projectSessions.ts"
import type { SessionStatus } from "../../domain/manifest.ts"
import { Processes } from "../../platform/Processes.ts"
import { NotRecovered } from "../errors.ts"
import { json, optionalArgument, sessionScope } from "../options.ts"
import { told } from "../render/diskWords.ts"
import { renderRecovery } from "../render/sessions.ts"
import { plain } from "../render/text.ts"
import { note, report } from "../report.ts"
import { findSession, scopeOf } from "../sessions.ts"

/** The status of an archive as a list shows it. */
const statusNow = Effect.fnUntraced(function* (directory: string, status: SessionStatus) {
  const reading = yield* readManifest(archiveFiles(directory).manifest)
  return reading._tag === "Manifest" ? yield* shownStatus(directory, reading.manifest) : status
})

/** Whether the agent that a session belongs to is surely running. */
const isAtWork = Effect.fnUntraced(function* (directory: string) {
  const processes = yield* Processes
  const reading = yield* readManifest(archiveFiles(directory).manifest)
  const agent = reading._tag === "Manifest" ? reading.manifest.agent_process : undefined
  return agent !== undefined && (yield* processes.liveness(agent)) === "alive"
})

export const recoverCommand = Command.make(
  "recover",
  {
    session: optionalArgument("session", "Its id, the beginning of it, or its directory; else all of the project"),
    finalize: Flag.Boolean("finalize").pipe(
      Flag.withDefault(false),
      Flag.withDescription(
        "End sessions that are still active, with the reason `recovered`; one whose agent is at work only when it is named"
      )
    ),
    json,
    ...sessionScope
  },
  Effect.fn("sessions recover")(function* (flags) {
    const archive = yield* SessionArchive
    const scope = yield* scopeOf(flags)
    const found = yield* findSessions(scope)
    const chosen =
      flags.session === undefined
        ? [...found.sessions.map((one) => one.directory), ...found.unreadable]
        : [
            yield* findSession(scope, flags.session).pipe(
              Effect.map((one) => one.directory),
              Effect.catchTag("SessionUnreadable", ({ directory }) => Effect.succeed(directory))
            )
          ]
    const left: Array<{ readonly directory: string; readonly because: string; readonly isMeant: boolean }> = []
    const mended = yield* Effect.forEach(
      chosen,
      Effect.fnUntraced(
        function* (directory) {
          const report = yield* archive.recover(directory)
          const recovered = { ...report, status: yield* statusNow(directory, report.status) }
          if (!flags.finalize || report.status !== "active") return recovered
          // Its agent is at work: ending it is for who names it.
          if (flags.session === undefined && (yield* isAtWork(directory))) {
            yield* note(`${plain(directory)} is being recorded and stays open; name it to end it.\n`)
            return recovered
          }
          const closed = yield* archive.close(directory, "recovered", "incomplete")
          return { ...recovered, status: closed.status, event_count: closed.event_count }
        },
        // One that cannot be mended, or must not change, does not keep the others from it.
        (mending, directory) =>
          flags.session === undefined
            ? Effect.catch(mending, (error) => {
                const isMeant = error._tag === "KeyMissing" || error._tag === "FrozenArchive"
                left.push({ directory, because: told(error), isMeant })
                return Effect.as(note(`${plain(told(error))}\n`), undefined)
              })
            : mending
      )
    )
    const reports = mended.filter((one) => one !== undefined)
    const data = { sessions: reports, left: left.map(({ directory, because }) => ({ directory, because })) }
    yield* report(flags.json, data, () =>
      chosen.length === 0
        ? "No sessions to recover.\n"
        : reports.map((one) => renderRecovery(one, scope.projectRoot)).join("")
    )
    const failed = left.filter((one) => !one.isMeant).map((one) => one.directory)
    if (failed.length > 0) return yield* new NotRecovered({ sessions: failed })
  })
).pipe(Command.withDescription("Mend archives after a crash: keep every valid event, report the rest"))
