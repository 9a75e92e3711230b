import * as path from "node:path"
import { Argument, Command, Flag } from "effect/cli"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { Configuration } from "../../control/Configuration.ts"
import { Toggles } from "../../control/Toggles.ts"
import { Disk } from "../../platform/Disk.ts"
import { Host } from "../../platform/Host.ts"
import { Screen } from "../../platform/Screen.ts"
import { Stdin } from "../../platform/Stdin.ts"
import { checkPolicy, renderPolicyCheck } from "../../redaction/policyCheck.ts"
import { redactCommand as redactText } from "../../redaction/report.ts"
import { json, project } from "../options.ts"
import { projectOf } from "../project.ts"
import { report } from "../report.ts"

/** A file that was to be redacted cannot be read. */
export class InputUnreadable extends Data.TaggedError("InputUnreadable")<{
  readonly path: string
  readonly code: string
}> {
  override get message(): string {
    return `${this.path} cannot be read (${this.code}). Give a file, or - for stdin.`
  }
}

/** Some lines of the input are no JSON; they were redacted as text. */
export class LinesNotJson extends Data.TaggedError("LinesNotJson")<{ readonly problem: string }> {
  override get message(): string {
    return this.problem
  }
}

/** A configuration of redaction rules has faults; the built-in rules hold in their place. */
export class PolicyFaulty extends Data.TaggedError("PolicyFaulty")<{ readonly count: number }> {
  override get message(): string {
    return `${this.count} of the rules cannot be used; the built-in rules hold.`
  }
}

/** More than an agent will ever send at once; a larger file can be cleaned line by line through a pipe. */
const mostBytes = 512 * 1024 * 1024

const settingsOf = Effect.fn("settingsOf")(function* (given: string | undefined) {
  const toggles = yield* Toggles
  const configuration = yield* Configuration
  const projectRoot = yield* projectOf(given)
  return yield* configuration.load(projectRoot, yield* toggles.read(projectRoot))
})

const readInput = Effect.fn("readInput")(function* (input: string) {
  const host = yield* Host
  if (input === "-") {
    const stdin = yield* Stdin
    const reading = yield* stdin.drain({ limit: mostBytes, idleMs: 24 * 60 * 60 * 1000 })
    return reading.bytes.toString("utf8")
  }
  const disk = yield* Disk
  const file = path.resolve(host.cwd, input)
  const bytes = yield* Effect.result(disk.readFile(file))
  if (Result.isFailure(bytes)) return yield* new InputUnreadable({ path: file, code: bytes.failure.code })
  return bytes.success.toString("utf8")
})

const check = Command.make(
  "check",
  { project, json },
  Effect.fn("redact check")(function* (flags) {
    const settings = yield* settingsOf(flags.project)
    const checked = checkPolicy(
      settings.sources.map(({ file, owner, parts }) => ({ name: file, owner, config: parts.redaction }))
    )
    const unreadable = settings.sources.flatMap(({ file, problem }) =>
      problem === undefined ? [] : [{ source: file, problem }]
    )
    const result = {
      ...checked,
      ok: checked.ok && unreadable.length === 0,
      problems: [...unreadable, ...checked.problems]
    }
    yield* report(flags.json, result, renderPolicyCheck)
    if (!result.ok) return yield* new PolicyFaulty({ count: result.problems.length })
  })
).pipe(Command.withDescription("Check the redaction rules of your configuration and of this project's"))

export const redactCommand = Command.make(
  "redact",
  {
    input: Argument.String("file").pipe(
      Argument.withDescription("What to look through; - is stdin"),
      Argument.withDefault("-")
    ),
    lines: Flag.Boolean("lines").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Take one JSON value a line and print the redacted value a line")
    ),
    project,
    json
  },
  Effect.fn("redact")(function* (flags) {
    const screen = yield* Screen
    const settings = yield* settingsOf(flags.project)
    const text = yield* readInput(flags.input)
    const { input, lines } = flags
    const output = yield* redactText(text, { input, lines, json: flags.json, policy: settings.redaction })
    yield* screen.out(output.stdout)
    if (output.exitCode !== 0) return yield* new LinesNotJson({ problem: output.stderr.trimEnd() })
  })
).pipe(
  Command.withDescription("Show what would be redacted in a text: rules and places, never the secret"),
  Command.withSubcommands([check])
)
