import * as path from "node:path"
import { Argument, Command, Flag } from "effect/cli"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { projectSettings } from "../../control/projectSettings.ts"
import { configurationFaults } from "../../control/retentionSettings.ts"
import { counted } from "../../domain/counted.ts"
import { formatBytes } from "../../export/format.ts"
import { Disk, DiskError } from "../../platform/Disk.ts"
import { Host } from "../../platform/Host.ts"
import { Screen } from "../../platform/Screen.ts"
import { Stdin } from "../../platform/Stdin.ts"
import { checkPolicy, renderPolicyCheck } from "../../redaction/policyCheck.ts"
import { redactCommand as redactText } from "../../redaction/report.ts"
import { json, project } from "../options.ts"
import { projectOf } from "../project.ts"
import { diskSentence } from "../render/diskWords.ts"
import { note, report } from "../report.ts"

/** A file that was to be redacted cannot be read. */
export class InputUnreadable extends Data.TaggedError("InputUnreadable")<{
  readonly path: string
  readonly code: string
}> {
  override get message(): string {
    const said = diskSentence(new DiskError({ operation: "read", path: this.path, code: this.code }))
    // A pipe that a shell made, as `<(...)` does, is read by nobody but through stdin.
    return `${said} ${this.code === "EFTYPE" ? "Send it to stdin: `lint-ai redact < FILE`." : "Give a file, or - for stdin."}`
  }
}

/** There is more to look through than is looked at at once. To look at its beginning alone would pass for all of it. */
export class InputTooLarge extends Data.TaggedError("InputTooLarge")<{ readonly name: string }> {
  override get message(): string {
    return `${this.name} holds more than ${formatBytes(mostBytes)}, and nothing of it was looked at. Cut it into parts first, at ends of lines: \`split -C 200m\`.`
  }
}

/** Some lines of the input are no JSON; they were redacted as text. */
export class LinesNotJson extends Data.TaggedError("LinesNotJson")<{ readonly problem: string }> {
  override get message(): string {
    return this.problem
  }
}

/** A configuration has faults; the defaults hold in their place, of rules the built-in ones. */
export class PolicyFaulty extends Data.TaggedError("PolicyFaulty")<{ readonly count: number }> {
  override get message(): string {
    return `${counted(this.count, "fault")} in the configuration: what is named above does not hold, and the built-in rules do. Mend it, then check again.`
  }
}

/** What a file may hold to be read as a whole (platform/Disk.ts), and a text may on every runtime. */
const mostBytes = 256 * 1024 * 1024

const settingsOf = Effect.fn("settingsOf")(function* (given: string | undefined) {
  return yield* projectSettings(yield* projectOf(given))
})

const readInput = Effect.fn("readInput")(function* (input: string) {
  const host = yield* Host
  if (input === "-") {
    const stdin = yield* Stdin
    const screen = yield* Screen
    if (screen.interactive) yield* note("Type or paste a text, then Ctrl-D; or name a file: lint-ai redact FILE.\n")
    const reading = yield* stdin.drain({ limit: mostBytes, idleMs: 24 * 60 * 60 * 1000 })
    if (reading.total > reading.bytes.length) return yield* new InputTooLarge({ name: "stdin" })
    return reading.bytes.toString("utf8")
  }
  const disk = yield* Disk
  const file = path.resolve(host.cwd, input)
  const bytes = yield* Effect.result(disk.readFile(file))
  if (Result.isFailure(bytes)) {
    const { code } = bytes.failure
    return yield* code === "EFBIG" ? new InputTooLarge({ name: file }) : new InputUnreadable({ path: file, code })
  }
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
    const problems = configurationFaults(settings).map(({ file, problem }) => ({ source: file, problem }))
    const result = { ...checked, ok: problems.length === 0, problems }
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
    if (output.exitCode === 0) return
    // Behind the values a document of the failure would pass for one more of them.
    if (flags.json) yield* note(output.stderr)
    return yield* new LinesNotJson({ problem: output.stderr.trimEnd() })
  })
).pipe(
  Command.withDescription("Show what would be redacted in a text: rules and places, never the secret"),
  Command.withSubcommands([check])
)
