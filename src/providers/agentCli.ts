import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ChildProcessSpawner } from "effect/process"
import type { Provider } from "../domain/provider.ts"
import type { Disk } from "../platform/Disk.ts"
import type { Host } from "../platform/Host.ts"
import { askVersion, findProgram, runProcess } from "./agentProcess.ts"
import { type AgentAnswer, type AgentRun, type AgentUnusable, ProviderCli } from "./ProviderCli.ts"

/** What is an agent's own in running it: everything else is the same for all. */
export interface AgentCalls {
  readonly provider: Provider
  /** What its program is called. */
  readonly program: string
  /** How a run is asked for. Fails where the agent cannot do what the run wants; `program` is the absolute path. */
  readonly call: (
    run: AgentRun,
    program: string
  ) => Effect.Effect<{ readonly args: ReadonlyArray<string>; readonly stdin?: string }, AgentUnusable>
  /** What its output tells. */
  readonly toldBy: (stdout: string) => Pick<AgentAnswer, "sessionId" | "text" | "errors" | "costUsd">
}

/** The live ProviderCli of an agent: finds its program, asks its version, runs it to its end and reads what it said. */
export const agentCli = (agent: AgentCalls) =>
  Layer.effect(
    ProviderCli,
    Effect.gen(function* () {
      const context = yield* Effect.context<Disk | Host | ChildProcessSpawner.ChildProcessSpawner>()
      const { provider } = agent
      const find = findProgram(provider, agent.program)
      return ProviderCli.of({
        provider,
        find: Effect.provideContext(find, context),
        version: Effect.provideContext(
          Effect.flatMap(find, (program) => askVersion(provider, program)),
          context
        ),
        run: (run) =>
          Effect.gen(function* () {
            const program = yield* find
            const call = yield* agent.call(run, program)
            const { cwd, env, timeout } = run
            const ended = yield* runProcess({ provider, program, ...call, cwd, env, timeout })
            return { ...ended, ...agent.toldBy(ended.stdout) }
          }).pipe(Effect.provideContext(context))
      })
    })
  )
