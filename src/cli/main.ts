import * as Cause from "effect/Cause"
import { CliConfig, CliOutput, Command, GlobalFlag } from "effect/cli"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { Host } from "../platform/Host.ts"
import { recorderVersion } from "../recorder/version.ts"
import { exitCodes, reportedFailures } from "./errors.ts"
import { rewriteFlatFlags } from "./flatFlags.ts"
import { program } from "./program.ts"
import { services } from "./services.ts"
import { renderVersion, versionFacts } from "./version.ts"

/** What a failed command says: to a program as JSON on stdout, to a person on stderr. Facts only, as the error names them. */
const describe = (error: unknown): { readonly tag: string; readonly message: string; readonly facts: object } => {
  if (typeof error !== "object" || error === null) return { tag: "Defect", message: String(error), facts: {} }
  const tag = "_tag" in error ? String(error._tag) : "Defect"
  const message = error instanceof Error && error.message !== "" ? error.message : tag
  const facts = Object.fromEntries(
    Object.entries(error).filter(
      ([key, value]) =>
        key !== "_tag" && (["string", "number", "boolean"].includes(typeof value) || Array.isArray(value))
    )
  )
  return { tag, message, facts }
}

const isUsage = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "_tag" in error && String(error._tag) === "ShowHelp"

/** The process edge of the CLI: parses, runs, prints what went wrong and exits with the code of its kind. */
export const runCli = (args: ReadonlyArray<string>): void => {
  const rewritten = rewriteFlatFlags(args)
  const json = rewritten.includes("--json")
  const usage = CliOutput.layerPresenter({
    present: (event) =>
      event._tag === "InvalidInvocation"
        ? Effect.sync(() => {
            const messages = event.errors.map((error) => error.message)
            if (json) process.stdout.write(`${JSON.stringify({ ok: false, error: { tag: "Usage", messages } })}\n`)
            else process.stderr.write(`${messages.join("\n")}\n\nlint-ai --help shows what there is.\n`)
          })
        : event._tag === "Version"
          ? Effect.map(versionFacts, (facts) => {
              process.stdout.write(`${json ? JSON.stringify(facts) : renderVersion(facts)}\n`)
            }).pipe(Effect.provide(Host.layer))
          : CliOutput.defaultPresenter.present(event)
  })
  const builtIns = CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] })
  const run = Command.runWith(program, { version: recorderVersion })(rewritten).pipe(
    Effect.provide([usage, builtIns]),
    Effect.provide(services)
  )
  // Whoever read our output has enough of it, as `| head` has.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0)
    throw error
  })
  const fiber = Effect.runFork(run)
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => fiber.interruptUnsafe())
  fiber.addObserver((exit) => {
    process.exitCode = finish(exit, json)
    process.exit()
  })
}

const finish = (exit: Exit.Exit<unknown, unknown>, json: boolean): number => {
  if (Exit.isSuccess(exit)) return 0
  if (Cause.hasInterruptsOnly(exit.cause)) return 130
  const error = Cause.squash(exit.cause)
  if (isUsage(error)) return 2
  const { tag, message, facts } = describe(error)
  if (!json) process.stderr.write(`${message}\n`)
  else if (!reportedFailures.has(tag)) {
    process.stdout.write(`${JSON.stringify({ ok: false, error: { tag, message, ...facts } })}\n`)
  }
  return exitCodes[tag] ?? 1
}
