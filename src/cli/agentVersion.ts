import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import * as Stream from "effect/Stream"
import type { Provider } from "../domain/provider.ts"

/** What each agent's program is called. */
export const agentPrograms: Record<Provider, string> = {
  claude: "claude",
  codex: "codex",
  gemini: "gemini",
  antigravity: "agy"
}

/** The version that the installed agent names itself; undefined when there is none on the PATH, or when it does not say. */
export const agentVersion = (
  provider: Provider
): Effect.Effect<string | undefined, never, ChildProcessSpawner.ChildProcessSpawner> =>
  Effect.gen(function* () {
    const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
    const handle = yield* spawner.spawn(
      ChildProcess.make(agentPrograms[provider], ["--version"], {
        stdin: "ignore",
        stderr: "ignore",
        killSignal: "SIGTERM",
        forceKillAfter: Duration.seconds(1)
      })
    )
    const text = yield* handle.stdout.pipe(Stream.decodeText(), Stream.mkString)
    return /\d+\.\d+\.\d+\S*/.exec(text)?.[0]
  }).pipe(
    Effect.scoped,
    Effect.timeout(Duration.seconds(5)),
    Effect.orElseSucceed(() => undefined)
  )
