import * as path from "node:path"
import { Argument, Command } from "effect/cli"
import * as Effect from "effect/Effect"
import { frozenMark } from "../../archive/opening.ts"
import { Disk } from "../../platform/Disk.ts"
import { confirm } from "../confirm.ts"
import { NotDeleted } from "../errors.ts"
import { json, sessionScope, yes } from "../options.ts"
import { plain } from "../render/text.ts"
import { note, report } from "../report.ts"
import { findSession, removeEach, scopeOf } from "../sessions.ts"

const sessions = Argument.String("session").pipe(
  Argument.withDescription("Its id, the beginning of it, or its directory"),
  Argument.variadic({ min: 1 })
)

const isFrozen = Effect.fnUntraced(function* (directory: string) {
  const disk = yield* Disk
  const status = yield* disk.status(frozenMark(directory)).pipe(Effect.orElseSucceed(() => undefined))
  return status !== undefined
})

export const deleteCommand = Command.make(
  "delete",
  { sessions, yes, json, ...sessionScope },
  Effect.fn("sessions delete")(function* (flags) {
    const scope = yield* scopeOf(flags)
    const chosen = yield* Effect.forEach(flags.sessions, (given) =>
      findSession(scope, given).pipe(
        Effect.map(({ directory, status, manifest }) => ({ directory, status, session_id: manifest.session_id })),
        Effect.catchTag("SessionUnreadable", ({ directory }) =>
          Effect.succeed({ directory, status: undefined, session_id: path.basename(directory) })
        )
      )
    )
    const distinct = [...new Map(chosen.map((one) => [one.directory, one])).values()]
    if (!flags.yes) {
      for (const one of distinct) {
        const known = [
          ...(one.status === undefined
            ? ["its manifest cannot be read, which `lint-ai sessions recover` may mend"]
            : []),
          ...(one.status === "active" ? ["it is being recorded: the next step of the agent begins it anew"] : []),
          ...((yield* isFrozen(one.directory)) ? ["it is the baseline of a replay, scenario or experiment"] : [])
        ]
        yield* note(`${[plain(one.session_id), plain(one.directory), ...known].join("\n  ")}\n`)
      }
    }
    yield* confirm({
      question: `Delete ${distinct.length === 1 ? "this session" : `these ${distinct.length} sessions`} for good?`,
      action: "Deleting",
      yes: flags.yes
    })
    const { removed, left } = yield* removeEach(distinct, "delete")
    const data = { deleted: removed.map((one) => ({ session_id: one.session_id, path: one.directory })), left }
    yield* report(flags.json, data, () => data.deleted.map((one) => `Deleted ${one.path}\n`).join(""))
    if (left.length > 0) return yield* new NotDeleted({ sessions: left })
  })
).pipe(Command.withAlias("rm"), Command.withDescription("Delete recorded sessions; asks first"))
