import * as path from "node:path"
import * as Effect from "effect/Effect"
import { Keyring } from "../../archive/Keyring.ts"
import { Configuration } from "../../control/Configuration.ts"
import { configurationFaults } from "../../control/retentionSettings.ts"
import type { Consent } from "../../control/Toggles.ts"
import { counted } from "../../domain/counted.ts"
import { shellWord } from "../../domain/shellWord.ts"
import { formatBytes } from "../../export/format.ts"
import { verifyMcp } from "../../mcp/verify.ts"
import { Disk } from "../../platform/Disk.ts"
import { Host } from "../../platform/Host.ts"
import { userDirectories } from "../../platform/userDirectories.ts"
import { hookProgram } from "../../providers/hookProgram.ts"
import { Redactor } from "../../redaction/Redactor.ts"
import { isInPackageCache } from "../cachedProgram.ts"
import { fail, noted, ok, warn } from "./Check.ts"

/** Less than this and a day of sessions may not fit. */
const littleSpace = 512 * 1024 * 1024

/** What agents would start, and whether it will still be there tomorrow. */
export const programCheck = Effect.gen(function* () {
  const program = yield* hookProgram
  const words = [program.file, ...program.args].join(" ")
  if (isInPackageCache(program)) {
    return warn(
      "program",
      `${words} is in a cache of packages, which may be emptied`,
      "npm install --global lint-ai, then install the hooks again"
    )
  }
  return program.args.length === 0
    ? ok("program", program.file)
    : noted("program", `${words} (on ${(yield* Host).runtime})`, "the compiled binary starts twice as fast")
})

/** The user's key: without it nothing is signed, and nothing of a project counts. */
export const keyCheck = Effect.gen(function* () {
  const disk = yield* Disk
  const keyring = yield* Keyring
  const { config } = yield* userDirectories
  const file = path.join(config, "keys.json")
  const code = yield* Effect.match(keyring.list, { onSuccess: () => undefined, onFailure: (error) => error.code })
  if (code !== undefined) {
    return fail(
      "key",
      `${file} cannot be opened (${code})`,
      "look at its owner and mode, and at those of the directories above it"
    )
  }
  // A link, as tools for configuration files make, has no mode of its own.
  const target = yield* disk.realPath(file).pipe(Effect.orElseSucceed(() => file))
  const status = yield* disk.status(target).pipe(Effect.orElseSucceed(() => undefined))
  if (status === undefined) return noted("key", `none yet in ${config}; the first use makes it`)
  if ((status.mode & 0o077) !== 0) {
    return fail("key", `${file} can be read by others (${status.mode.toString(8)})`, `chmod 600 ${shellWord(file)}`)
  }
  return (yield* keyring.existing) === undefined
    ? fail(
        "key",
        `${file} cannot be read as a key file`,
        "restore it from a backup; a new key makes every project inert until `lint-ai adopt`"
      )
    : ok("key", file)
})

/** Whether the directories outside of projects can be written to. */
export const stateCheck = Effect.gen(function* () {
  const disk = yield* Disk
  const host = yield* Host
  const { config, state } = yield* userDirectories
  for (const directory of [config, state]) {
    const probe = path.join(directory, `.probe-${host.randomHex(4)}`)
    const written = yield* disk.makeDirectory(directory).pipe(
      Effect.andThen(disk.withFile(probe, "new", () => Effect.void)),
      Effect.andThen(disk.remove(probe)),
      Effect.as(true),
      Effect.orElseSucceed(() => false)
    )
    if (!written) {
      return fail(
        "user directories",
        `${directory} cannot be written to`,
        "make it writable, or set LINT_AI_CONFIG_DIR and LINT_AI_STATE_DIR"
      )
    }
  }
  return ok("user directories", `${config} and ${state}`)
})

/** The server by which agents control lint-ai, started and asked as an agent does. */
export const mcpCheck = Effect.fn("mcpCheck")(function* (project: string) {
  const program = yield* hookProgram
  return yield* verifyMcp({ provider: "claude", program, project, framing: "lines", timeoutMs: 10_000 }).pipe(
    Effect.map((health) =>
      ok("MCP server", `${counted(health.tools_count, "tool")}, first answer after ${Math.round(health.startup_ms)} ms`)
    ),
    Effect.catch((error) =>
      Effect.succeed(fail("MCP server", error.message.replace(/\s+/g, " "), "lint-ai mcp verify shows it step by step"))
    )
  )
})

export const spaceCheck = (projectRoot: string) =>
  Effect.gen(function* () {
    const disk = yield* Disk
    const free = yield* disk.freeBytes(projectRoot).pipe(Effect.orElseSucceed(() => undefined))
    if (free === undefined) return noted("free space", "cannot be told here")
    return free < littleSpace
      ? warn(
          "free space",
          `${formatBytes(free)} left`,
          "make room; a full disk loses events, and only a line of diagnostics tells"
        )
      : ok("free space", `${formatBytes(free)} left`)
  })

/** The redaction rules in force in a project, and what of its configuration is not. */
export const redactionCheck = (projectRoot: string, consent: Consent) =>
  Effect.gen(function* () {
    const configuration = yield* Configuration
    const settings = yield* configuration.load(projectRoot, consent)
    const redactor = Redactor.make(settings.redaction)
    const inForce = `${redactor.policy}, fingerprint ${redactor.fingerprint}`
    const faults = configurationFaults(settings)
    const [first] = faults
    return first === undefined
      ? ok("redaction", inForce)
      : warn(
          "redaction",
          `${inForce}; ${counted(faults.length, "fault")} in the configuration: ${first.file}: ${first.problem}`,
          "lint-ai redact check shows all"
        )
  })
