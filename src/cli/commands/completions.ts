import * as path from "node:path"
import { Argument, Command } from "effect/cli"
import * as Effect from "effect/Effect"
import { sessionDirectory } from "../../archive/sessionDirectory.ts"
import { rootsOf } from "../../control/projectSessions.ts"
import { Disk } from "../../platform/Disk.ts"
import { Screen } from "../../platform/Screen.ts"
import { completionScript, shells } from "../completionScript.ts"
import { choiceOf, project } from "../options.ts"
import { scopeOf } from "../sessions.ts"

/** @param program the tree that is completed, asked for late because this command is in it */
export const completionsCommand = (program: () => Command.Command.Any) =>
  Command.make(
    "completions",
    {
      shell: Argument.Literals("shell", shells).pipe(
        Argument.withDescription(`The shell that is to complete lint-ai: ${choiceOf(shells)}`)
      )
    },
    Effect.fn("completions")(function* ({ shell }) {
      const screen = yield* Screen
      yield* screen.out(`${completionScript(shell, program()).trimEnd()}\n`)
    })
  ).pipe(Command.withDescription("Print the script with which a shell completes commands, flags and sessions"))

/** More than a person would look through. */
const mostNames = 1_000

/**
 * The names of sessions, for the scripts: ids as they stand in the names of their directories, so that no archive is opened between two keys. Only
 * what no shell has a meaning for is given.
 */
export const sessionNamesCommand = Command.make(
  "session-names",
  { project },
  Effect.fn("session-names")(function* (flags) {
    const disk = yield* Disk
    const screen = yield* Screen
    const scope = yield* scopeOf({ ...flags, provider: undefined, sessionRoot: undefined })
    const names: Array<string> = []
    for (const root of yield* rootsOf(scope)) {
      for (const name of yield* disk.list(root).pipe(Effect.orElseSucceed(() => []))) {
        const id = path.basename(name).replace("-", ":")
        const shown = sessionDirectory(id) === name ? id : name
        if (/^[A-Za-z0-9][A-Za-z0-9:._+-]*$/.test(shown)) names.push(shown)
      }
    }
    if (names.length > 0) yield* screen.out(`${names.slice(0, mostNames).join("\n")}\n`)
  })
).pipe(Command.unlisted)
