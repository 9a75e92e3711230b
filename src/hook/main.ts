import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { PreventSchedulerYield } from "effect/Scheduler"
import { Keyring } from "../archive/Keyring.ts"
import { blockingPause, LockService, Pause } from "../archive/LockService.ts"
import { SessionArchive } from "../archive/SessionArchive.ts"
import { Configuration } from "../control/Configuration.ts"
import { Diagnostics } from "../control/Diagnostics.ts"
import { Toggles } from "../control/Toggles.ts"
import { DeadlineExceeded } from "../platform/Deadline.ts"
import { Disk } from "../platform/Disk.ts"
import { Host } from "../platform/Host.ts"
import { Processes } from "../platform/Processes.ts"
import { Stdin } from "../platform/Stdin.ts"
import type { ProviderAdapter } from "../providers/ProviderAdapter.ts"
import { Recorder } from "../recorder/Recorder.ts"
import { defaultPolicy } from "../redaction/policy.ts"
import { Redactor } from "../redaction/Redactor.ts"
import { contextOf, failOpen } from "./failOpen.ts"
import { hook, hookBudgetMs, safeAnswer } from "./hook.ts"

/** Adds a service that is made from those which are there. */
const withService =
  <I, S, R>(service: Context.Key<I, S>, make: Effect.Effect<S, never, R>) =>
  <There, E, R2>(there: Effect.Effect<Context.Context<There | R>, E, R2>) =>
    Effect.flatMap(there, (context) =>
      Effect.map(Effect.provideContext(make, context), (made) => Context.add(context, service, made))
    )

/** What layers would give as well, in a tenth of the time: they make many services at once, each in a fiber of its own. */
const services = Effect.sync(() =>
  Context.make(Disk, Disk.make()).pipe(
    Context.add(Host, Host.make()),
    Context.add(Stdin, Stdin.make()),
    Context.add(Redactor, Redactor.make(defaultPolicy)),
    Context.add(Pause, blockingPause),
    // Nobody else has work to do here. A fiber that yields lets a timer in, which would give up what is nearly done.
    Context.add(PreventSchedulerYield, true)
  )
).pipe(
  withService(Processes, Processes.make),
  withService(LockService, LockService.make),
  withService(Keyring, Keyring.makeForDelivery),
  withService(Diagnostics, Diagnostics.make),
  withService(Configuration, Configuration.make),
  withService(Toggles, Toggles.make),
  withService(SessionArchive, SessionArchive.make),
  withService(Recorder, Recorder.make)
)

type Services = Effect.Success<typeof services> extends Context.Context<infer All> ? All : never

/** How much longer than its budget a run may take: a step that does not ask the deadline ends a little late. Only a bug gets here. */
const overtimeMs = 1_000

/**
 * The process edge of the hook of an agent: runs one delivery, prints what the agent must read and exits 0, whatever happens.
 *
 * @param adapter undefined for an agent that lint-ai does not know
 */
export const runHook = (adapter: ProviderAdapter | undefined) => (args: ReadonlyArray<string>) => {
  const context = contextOf(args)
  const safe = safeAnswer(adapter, context.event)
  const run = <E>(work: Effect.Effect<string, E, Services>) =>
    Effect.runPromise(Effect.flatMap(services, (made) => Effect.provideContext(work, made)))
  let left = false
  const leave = (answer: string): void => {
    if (left) return
    left = true
    if (answer === "") process.exit(0)
    process.stdout.write(answer, () => process.exit(0))
  }
  // The last resort, should the boundary in hook.ts itself fail. A diagnostic says so, else what is not there would seem to be.
  const giveUp = (error: unknown): void => {
    // Whoever was to read the answer has gone.
    if (left) process.exit(0)
    run(failOpen(safe, context)(Effect.fail(error))).then(leave, () => leave(safe))
  }
  process.on("uncaughtException", giveUp)
  process.on("unhandledRejection", giveUp)
  const budgetMs = hookBudgetMs(process.env.LINT_AI_HOOK_TIMEOUT_MS)
  setTimeout(() => giveUp(new DeadlineExceeded({ stage: "the whole hook", budgetMs })), budgetMs + overtimeMs)
  run(hook(adapter, context)).then(leave, giveUp)
}
