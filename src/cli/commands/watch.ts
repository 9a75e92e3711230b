import * as Clock from "effect/Clock"
import { Command, Flag } from "effect/cli"
import * as Effect from "effect/Effect"
import { archiveFiles } from "../../archive/sessionDirectory.ts"
import { openLive } from "../../live/Live.ts"
import { watchedSession, watchLines } from "../../live/watchLine.ts"
import type { WatchView } from "../../live/watchSchema.ts"
import { Disk } from "../../platform/Disk.ts"
import { Screen } from "../../platform/Screen.ts"
import { givenProject, json, optionalString, projectPlace, providerFlag, sessionRoot, wholeNumber } from "../options.ts"
import { redrawing } from "../render/redrawing.ts"
import { harmlessJson, styles } from "../render/text.ts"
import { renderWatch, renderWatchLine } from "../render/watch.ts"
import { note, print } from "../report.ts"
import { findSession, scopeOf } from "../sessions.ts"

/** What is followed may break while it is; what cannot be read from the beginning would be followed in silence. */
const canBeRead = Effect.fnUntraced(function* (directory: string) {
  const disk = yield* Disk
  yield* disk
    .withFile(archiveFiles(directory).events, "read", (file) => file.size)
    .pipe(
      Effect.catchIf(
        (error) => error.code === "ENOENT",
        () => Effect.void
      )
    )
})

export const watchCommand = Command.make(
  "watch",
  {
    ...projectPlace("project"),
    follow: optionalString("follow", "Print each new event of this session, whether it is active or not", "SESSION"),
    last: wholeNumber("last", 0).pipe(
      Flag.withDefault(10),
      Flag.withDescription("How many events that are there already --follow begins with (default: 10)")
    ),
    once: Flag.Boolean("once").pipe(Flag.withDefault(false), Flag.withDescription("Show what there is now and end")),
    json: json.pipe(Flag.withDescription("Print a JSON object a line, each time something happens")),
    provider: providerFlag,
    sessionRoot
  },
  Effect.fn("watch")(function* (flags) {
    const screen = yield* Screen
    const style = styles(screen.colors)
    const scope = yield* scopeOf({
      project: givenProject(flags),
      provider: flags.provider,
      sessionRoot: flags.sessionRoot
    })
    const followed = flags.follow === undefined ? undefined : yield* findSession(scope, flags.follow)
    if (followed !== undefined) yield* canBeRead(followed.directory)
    const live = yield* openLive(scope, {
      directory: followed?.directory,
      last: followed === undefined ? 0 : Math.max(0, flags.last)
    })
    let update = yield* live.first
    const viewNow = (): WatchView => ({ project: scope.projectRoot, sessions: update.sessions.map(watchedSession) })
    const drawn = (rows?: number) =>
      Effect.map(Clock.currentTimeMillis, (now) =>
        renderWatch(viewNow(), { columns: screen.columns, style }, now, rows)
      )
    if (flags.once && followed === undefined) {
      return yield* flags.json ? screen.out(harmlessJson(`${JSON.stringify(viewNow())}\n`)) : print(yield* drawn())
    }

    if (screen.redraws.out && !flags.json && followed === undefined) {
      const redraw = redrawing()
      for (;;) {
        yield* print(redraw(yield* drawn(screen.rows - 1), screen.columns))
        update = yield* live.next
      }
    }

    if (!flags.json && update.sessions.length === 0) yield* note("No session is being recorded yet.\n")
    for (;;) {
      const lines = update.happenings.flatMap(watchLines)
      const look = { columns: screen.redraws.out ? screen.columns : Number.POSITIVE_INFINITY, style }
      const text = flags.json
        ? lines.map((line) => `${JSON.stringify(line)}\n`)
        : lines.map((line) => `${renderWatchLine(line, look, followed === undefined)}\n`)
      if (text.length > 0) yield* flags.json ? screen.out(harmlessJson(text.join(""))) : print(text.join(""))
      if (flags.once) return
      update = yield* live.next
    }
  }, Effect.scoped)
).pipe(
  Command.withDescription("Show the sessions that are being recorded, or follow one, while they run; changes nothing")
)
