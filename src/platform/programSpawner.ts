import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PlatformError from "effect/PlatformError"
import { ChildProcessSpawner } from "effect/process"

/**
 * A spawner for which a program that cannot be started is a failure in every case. Runtimes tell of one that is missing, but throw for most of the rest
 * (too many arguments, a path through a file; on Bun also a file that is no program), which would pass for a bug of ours.
 */
const failing = Layer.effect(
  ChildProcessSpawner.ChildProcessSpawner,
  Effect.map(ChildProcessSpawner.ChildProcessSpawner, ({ spawn }) =>
    ChildProcessSpawner.make((command) =>
      Effect.catchDefect(spawn(command), (thrown) => {
        const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : undefined
        if (code === undefined || !/^E[A-Z0-9]+$/.test(code)) return Effect.die(thrown)
        return Effect.fail(
          PlatformError.systemError({
            _tag: "BadResource",
            module: "ChildProcess",
            method: "spawn",
            description: code,
            syscall: "spawn",
            cause: thrown
          })
        )
      })
    )
  )
)

/** The services of the runtime that Effect's own modules ask for. */
export const runtimeServices = failing.pipe(Layer.provideMerge(NodeServices.layer))
