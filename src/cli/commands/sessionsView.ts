import * as path from "node:path"
import { Command, Flag } from "effect/cli"
import * as Effect from "effect/Effect"
import { counted } from "../../domain/counted.ts"
import { formatBytes } from "../../export/format.ts"
import { Disk } from "../../platform/Disk.ts"
import { Host } from "../../platform/Host.ts"
import { Processes } from "../../platform/Processes.ts"
import { Screen } from "../../platform/Screen.ts"
import { html } from "../../viewer/html.ts"
import { exportToNewFile } from "../exportToNewFile.ts"
import { json, oneSession, optionalString, sessionScope } from "../options.ts"
import { plain } from "../render/text.ts"
import { report } from "../report.ts"
import { sessionIn } from "../sessions.ts"

/** Where a page goes when nobody says: a directory of its own among the temporary files, which only the user may enter. */
const temporaryPage = Effect.fn("temporaryPage")(function* (directory: string) {
  const disk = yield* Disk
  const host = yield* Host
  const parent = path.join(host.temporary, `lint-ai-view-${host.randomHex(6)}`)
  yield* disk.makeDirectory(parent)
  return path.join(parent, `${path.basename(directory)}.html`)
})

export const viewCommand = Command.make(
  "view",
  {
    session: oneSession,
    out: optionalString("out", "Write the page to this file, which must not exist; else to a temporary one", "FILE"),
    open: Flag.Boolean("open").pipe(
      Flag.withDefault(true),
      Flag.withDescription("Show the page in the browser, as is done at a terminal; --no-open does not")
    ),
    json,
    ...sessionScope
  },
  Effect.fn("sessions view")(function* (flags) {
    const disk = yield* Disk
    const host = yield* Host
    const screen = yield* Screen
    const processes = yield* Processes
    const found = yield* sessionIn(flags)
    const out = flags.out === undefined ? yield* temporaryPage(found.directory) : path.resolve(host.cwd, flags.out)
    const events = yield* exportToNewFile(found.directory, yield* html, out)
    const size = (yield* disk.status(out))?.size ?? 0
    const opened = flags.open && screen.interactive ? yield* processes.show(out) : false
    const data = { session_id: found.manifest.session_id, event_count: events, byte_count: size, path: out, opened }
    yield* report(flags.json, data, () => {
      const what = `${counted(events, "event")} of ${plain(data.session_id)} in one page of ${formatBytes(size)}`
      const how = opened ? "Opened in the browser." : "Open it in any browser: it needs no network."
      return `${what}:\n${plain(out)}\n${how}\n`
    })
  })
).pipe(Command.withDescription("Write a session as one HTML page and show it in the browser"))
