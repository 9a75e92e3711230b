import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Keyring } from "../archive/Keyring.ts"
import { blockingPause, LockService, Pause } from "../archive/LockService.ts"
import { SessionArchive } from "../archive/SessionArchive.ts"
import { Configuration } from "../control/Configuration.ts"
import { Diagnostics } from "../control/Diagnostics.ts"
import { Toggles } from "../control/Toggles.ts"
import { Disk } from "../platform/Disk.ts"
import { Host } from "../platform/Host.ts"
import { Processes } from "../platform/Processes.ts"
import { Stdin } from "../platform/Stdin.ts"
import { Recorder } from "../recorder/Recorder.ts"
import { Redactor } from "../redaction/Redactor.ts"
import { hook, hookBudgetMs, safeAnswer } from "./hook.ts"

const machine = Processes.layer.pipe(Layer.provideMerge(Layer.mergeAll(Disk.layer, Host.layer)))
const stores = Layer.mergeAll(LockService.layer, Keyring.layer, Diagnostics.layer, Configuration.layer).pipe(
  Layer.provideMerge(machine)
)
const services = Recorder.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(SessionArchive.layer, Toggles.layer, Redactor.layerDefault, Stdin.layer)),
  Layer.provideMerge(stores),
  Layer.provideMerge(Layer.succeed(Pause, blockingPause))
)

/** How much longer than its budget a run may take: a step that does not ask the deadline ends a little late. Only a bug gets here. */
const overtimeMs = 1_000

/**
 * The process edge of the hook: runs one delivery, prints what the agent must read and exits 0, whatever happens.
 *
 * @param args the agent's name and, where the agent does not say it in the payload, the event's
 */
export const runHook = (args: ReadonlyArray<string>): void => {
  const leave = (answer: string): void => {
    if (answer === "") process.exit(0)
    process.stdout.write(answer, () => process.exit(0))
  }
  // The last resort, should the boundary in hook.ts itself fail.
  const giveUp = (): void => leave(safeAnswer(args[0], args[1]))
  process.on("uncaughtException", giveUp)
  process.on("unhandledRejection", giveUp)
  setTimeout(giveUp, hookBudgetMs(process.env.LINT_AI_HOOK_TIMEOUT_MS) + overtimeMs)
  Effect.runPromise(Effect.provide(hook(args), services)).then(leave, giveUp)
}
