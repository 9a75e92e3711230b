// The fake model servers of the tests, for a program that is not written in Effect. Bundled by scripts/bench-process-free.mjs.
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { startFakeMessagesApi } from "../test/support/fakeMessagesApi.ts"
import { startFakeResponsesApi } from "../test/support/fakeResponsesApi.ts"

/** Runs until the process ends. */
const forGood = <A>(server: Effect.Effect<A, never, Scope.Scope>): Promise<A> =>
  Effect.runPromise(Effect.flatMap(Scope.make(), (scope) => Effect.provideService(server, Scope.Scope, scope)))

/**
 * A model that has commands run, one after the other, for the prompt `scenario:work`.
 *
 * @returns the base URL for the agent
 */
export const startApi = async (agent: "claude" | "codex", commands: ReadonlyArray<string>): Promise<string> => {
  const end = { text: "That was all." }
  const { url } =
    agent === "claude"
      ? await forGood(
          startFakeMessagesApi({
            work: [
              ...commands.map((command) => ({
                tools: [{ name: "Bash", input: { command, description: "A command" } }]
              })),
              end
            ]
          })
        )
      : await forGood(
          startFakeResponsesApi({
            work: [...commands.map((cmd) => ({ calls: [{ name: "exec_command", args: { cmd } }] })), end]
          })
        )
  return url
}
