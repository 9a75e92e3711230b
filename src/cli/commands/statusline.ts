import { Command } from "effect/cli"
import * as Effect from "effect/Effect"
import { agent } from "../options.ts"

/** For `--help` and for flat flags in another place than the first; main.ts runs a status line without loading any of this. */
export const statuslineCommand = Command.make(
  "statusline",
  { agent },
  Effect.fn("statusline")(function* (flags) {
    const { runStatusline } = yield* Effect.promise(() => import("../../statusline/main.ts"))
    runStatusline([flags.agent])
    return yield* Effect.never
  })
).pipe(
  Command.withDescription(
    "Print one line about memory and recording for a status bar; reads the JSON of Claude Code's status line on stdin, if there is any"
  )
)
