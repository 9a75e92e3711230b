import * as Cause from "effect/Cause"
import { CliConfig, CliOutput, Command, GlobalFlag } from "effect/cli"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { DiskError } from "../platform/Disk.ts"
import { Host } from "../platform/Host.ts"
import { outputName, Screen } from "../platform/Screen.ts"
import { recorderVersion } from "../recorder/version.ts"
import { askedHelp } from "./askedHelp.ts"
import { earlyFlags } from "./earlyFlags.ts"
import { exitCodes, reportedFailures } from "./errors.ts"
import { rewriteFlatFlags } from "./flatFlags.ts"
import { program } from "./program.ts"
import { told } from "./render/diskWords.ts"
import { renderHelp } from "./render/help.ts"
import { asciiOnly, harmless, harmlessJson, plain, styles } from "./render/text.ts"
import { services } from "./services.ts"
import { renderVersion, versionFacts } from "./version.ts"

/** What a failed command says: to a program as JSON on stdout, to a person on stderr. Facts only, as the error names them. */
const describe = (error: unknown): { readonly tag: string; readonly message: string; readonly facts: object } => {
  if (typeof error !== "object" || error === null) return { tag: "Defect", message: String(error), facts: {} }
  const tag = "_tag" in error ? String(error._tag) : "Defect"
  const message = (error instanceof Error && told(error)) || tag
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
  const rewritten = askedHelp(earlyFlags(rewriteFlatFlags(args)))
  const json = rewritten.includes("--json")
  const usage = Layer.unwrap(Effect.map(Screen, (screen) => presenter(screen, json))).pipe(
    Layer.provide(Screen.layer),
    Layer.provide(Host.layer)
  )
  const builtIns = CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version] })
  const run = Command.runWith(program, { version: recorderVersion })(rewritten).pipe(
    Effect.provide([usage, builtIns]),
    Effect.provide(services)
  )
  // Before the command begins: it may say its first words, and be answered with a signal, at once.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => fiber.interruptUnsafe())
  // Whoever read our output has enough of it, as `| head` has: the command ends, and clears away what it made. Other errors are told by the write that met
  // them (platform/Screen.ts).
  let isRead = true
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") return
      isRead = false
      fiber.interruptUnsafe()
    })
  }
  const fiber = Effect.runFork(run)
  fiber.addObserver((exit) => {
    process.exitCode = isRead ? finish(exit, json) : 0
    process.exit()
  })
}

/** What is said of a command instead of running it: its help, what is wrong with its arguments, the version. */
const presenter = (screen: typeof Screen.Service, json: boolean) => {
  const look = { columns: screen.columns, style: styles(screen.colors) }
  const print = (text: string) => screen.out(screen.unicode ? harmless(text) : asciiOnly(harmless(text)))
  return CliOutput.layerPresenter({
    present: (event) => {
      switch (event._tag) {
        case "Help":
          return print(renderHelp(event.helpDoc, look))
        case "Version":
          return Effect.provide(versionFacts, Host.layer).pipe(
            Effect.flatMap((facts) => screen.out(`${json ? JSON.stringify(facts) : renderVersion(facts)}\n`))
          )
        case "InvalidInvocation": {
          const messages = event.errors.map((error) => error.message)
          if (json)
            return screen.out(
              harmlessJson(
                `${JSON.stringify({ ok: false, error: { tag: "Usage", message: messages.join("\n"), messages } })}\n`
              )
            )
          const path = event.commandPath.join(" ")
          const lines = [
            ...messages.flatMap((message) => message.split("\n")),
            "",
            `${path} --help shows what there is.`
          ]
          return screen.err(`${lines.map(plain).join("\n")}\n`)
        }
      }
    }
  })
}

/** A file that was named is not there. */
const isMissing = (error: unknown): boolean => error instanceof DiskError && error.code === "ENOENT"

const finish = (exit: Exit.Exit<unknown, unknown>, json: boolean): number => {
  if (Exit.isSuccess(exit)) return 0
  if (Cause.hasInterruptsOnly(exit.cause)) return 130
  const error = Cause.squash(exit.cause)
  if (isUsage(error)) return 2
  const { tag, message, facts } = describe(error)
  // What took no report, or half of one, takes no second document either.
  const isOutput = error instanceof DiskError && error.path === outputName
  // What went wrong may be told in words from outside.
  if (!json || isOutput) process.stderr.write(`${message.split("\n").map(plain).join("\n")}\n`)
  else if (!reportedFailures.has(tag)) {
    process.stdout.write(harmlessJson(`${JSON.stringify({ ok: false, error: { tag, message, ...facts } })}\n`))
  }
  return exitCodes[tag] ?? (isMissing(error) ? 3 : 1)
}
