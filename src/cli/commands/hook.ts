import { Command } from "effect/cli"
import * as Effect from "effect/Effect"
import { startHook } from "../../hook/start.ts"
import { optionalArgument, providerArgument } from "../options.ts"

/** For `--help`, and for flat flags in another place than the first; main.ts runs a hook without loading any of this. */
export const hookCommand = Command.make(
  "hook",
  {
    agent: providerArgument,
    event: optionalArgument("event", "Name of the event, for an agent that does not say it in the payload")
  },
  Effect.fn("hook command")(function* (flags) {
    yield* Effect.promise(() => startHook([flags.agent, ...(flags.event === undefined ? [] : [flags.event])]))
    return yield* Effect.never
  })
).pipe(
  Command.withDescription(
    "What agents start for every step: takes one event as JSON on stdin, records it where that is on, prints what the agent expects, and exits with 0 whatever happens"
  )
)
