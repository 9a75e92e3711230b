import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Keyring } from "../archive/Keyring.ts"
import { LockService } from "../archive/LockService.ts"
import { Toggles } from "../control/Toggles.ts"
import { Provider } from "../domain/provider.ts"
import { Disk } from "../platform/Disk.ts"
import { Host } from "../platform/Host.ts"
import { Processes } from "../platform/Processes.ts"
import { Stdin } from "../platform/Stdin.ts"
import { statusLine } from "./statusline.ts"

const machine = Processes.layer.pipe(Layer.provideMerge(Layer.mergeAll(Disk.layer, Host.layer)))
const services = Layer.mergeAll(Toggles.layer, Stdin.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(LockService.layer, Keyring.layer)),
  Layer.provideMerge(machine)
)

/** An agent sends a few kilobytes at once. */
const stdinLimit = 1024 * 1024
const idleMs = 200
/** A status line that hangs would be worse than none. */
const lastResortMs = 2_000

const decodeProvider = Schema.decodeUnknownOption(Provider)

/**
 * The process edge of the status line: prints one line and exits 0. Whatever goes wrong it prints nothing: an agent shows what it reads.
 *
 * @param args the agent's name; Claude Code when there is none
 */
export const runStatusline = (args: ReadonlyArray<string>): void => {
  const leave = (): void => process.exit(0)
  process.on("uncaughtException", leave)
  process.stdout.on("error", leave)
  setTimeout(leave, lastResortMs)
  const provider = args[0] === undefined ? Option.some("claude" as const) : decodeProvider(args[0])
  if (Option.isNone(provider)) {
    leave()
    return
  }
  const program = Effect.gen(function* () {
    const stdin = yield* Stdin
    // A person at a terminal is not asked to type JSON.
    const text = process.stdin.isTTY ? "" : (yield* stdin.drain({ limit: stdinLimit, idleMs })).bytes.toString("utf8")
    return yield* statusLine(provider.value, text)
  })
  Effect.runPromise(Effect.provide(program, services)).then((line) => process.stdout.write(line, leave), leave)
}
