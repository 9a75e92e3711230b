import { Command, Flag } from "effect/cli"
import * as Effect from "effect/Effect"
import { Processes } from "../../platform/Processes.ts"
import { Screen } from "../../platform/Screen.ts"
import { serveUi } from "../../ui/server.ts"
import { PortInvalid } from "../errors.ts"
import { givenProject, projectPlace, providerFlag, sessionRoot } from "../options.ts"
import { print } from "../report.ts"
import { scopeOf } from "../sessions.ts"

export const uiCommand = Command.make(
  "ui",
  {
    ...projectPlace("project"),
    port: Flag.Int("port").pipe(
      Flag.withDefault(0),
      Flag.withMetavar("N"),
      Flag.withDescription("Listen on this port of 127.0.0.1 (default: any that is free)")
    ),
    open: Flag.Boolean("open").pipe(
      Flag.withDefault(true),
      Flag.withDescription("Show the page in the browser; never done where nobody is at a terminal")
    ),
    provider: providerFlag,
    sessionRoot
  },
  Effect.fn("ui")(function* (flags) {
    if (flags.port < 0 || flags.port > 65_535) return yield* new PortInvalid({ port: flags.port })
    const screen = yield* Screen
    const processes = yield* Processes
    const scope = yield* scopeOf({
      project: givenProject(flags),
      provider: flags.provider,
      sessionRoot: flags.sessionRoot
    })
    const context = yield* Effect.context<Screen>()
    const { url } = yield* serveUi(scope, {
      port: flags.port,
      onUsed: (next) => print(`For another browser:\n${next}\n`).pipe(Effect.provideContext(context))
    })
    const opened = flags.open && screen.interactive ? yield* processes.show(url) : false
    const first = opened ? "Opened in the browser. For yourself alone:" : "Open this in your browser:"
    yield* print(`${first}\n${url}\nThe address lets one browser in. Ctrl-C ends it all.\n`)
    return yield* Effect.never
  }, Effect.scoped)
).pipe(
  Command.withDescription(
    "Show the sessions of a project in the browser, also while they run; for this machine and this user alone"
  )
)
