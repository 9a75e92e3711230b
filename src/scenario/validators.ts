import * as path from "node:path"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import * as Stream from "effect/Stream"
import type { Validator } from "../domain/scenario.ts"
import { Host } from "../platform/Host.ts"
import { graceTime } from "../providers/agentProcess.ts"
import { newDirectory } from "../providers/settingsHome.ts"
import { Redactor } from "../redaction/Redactor.ts"
import { openPlace } from "../replay/placeRegistry.ts"
import type { ValidatorFinding } from "./evaluate.ts"

/** Time of a validator that names none. */
const usualTimeout = Duration.seconds(120)
/** Bytes of the beginning, and of the end, of an output that are looked at, and those that are kept of them. */
const readBytes = 24 * 1024
const keptBytes = 4 * 1024
/** How long the outputs are waited for when the program has ended: a process that left its group may hold them open. */
const drainTime = Duration.seconds(1)

/**
 * Runs validators one after the other in a workspace, where the agent may have left anything. The caller has the user's consent (consent.ts).
 *
 * Their environment is scrubbed: no login, no setting and no key of the user is in it, HOME and the directory for temporary files are their own and are
 * removed. The network is not closed, and what the user may write to, they may. Each program and its whole group is ended at its timeout.
 */
export const runValidators = Effect.fn("runValidators")(function* (
  validators: ReadonlyArray<Validator>,
  workspace: string
) {
  if (validators.length === 0) return []
  const host = yield* Host
  // Registered as a place: should this process be killed, the next one removes it.
  const root = yield* openPlace(host.temporary, false)
  const home = yield* newDirectory(path.join(root, "home"))
  const temporary = yield* newDirectory(path.join(root, "tmp"))
  const env = scrubbed(host.env, home, temporary)
  return yield* Effect.forEach(validators, (validator) => runValidator(validator, workspace, env))
}, Effect.scoped)

/** What a program needs to run at all. Relative places of the PATH would be places of the workspace. */
const scrubbed = (
  env: Readonly<Record<string, string | undefined>>,
  home: string,
  temporary: string
): Record<string, string> => {
  const kept = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && needed.test(name) ? [[name, value]] : []
  )
  const places = (env.PATH ?? "").split(path.delimiter).filter((place) => path.isAbsolute(place))
  return {
    ...Object.fromEntries(kept),
    PATH: places.join(path.delimiter),
    HOME: home,
    USERPROFILE: home,
    TMPDIR: temporary,
    TEMP: temporary,
    TMP: temporary,
    LINT_AI_DISABLE_HOOKS: "1"
  }
}

const needed = /^(LANG|LANGUAGE|LC_[A-Z]+|TZ|SystemRoot|SYSTEMROOT|windir|ComSpec|PATHEXT)$/

const runValidator = Effect.fnUntraced(function* (
  validator: Validator,
  workspace: string,
  env: Readonly<Record<string, string>>
) {
  const began = yield* Clock.currentTimeMillis
  const seconds = validator.timeout_seconds
  const timeout = seconds === undefined ? usualTimeout : Duration.seconds(seconds)
  const ended = yield* runCommand(validator.command, workspace, env, timeout)
  const finding = {
    name: validator.name,
    exit_code: ended.exitCode,
    duration_ms: Math.round((yield* Clock.currentTimeMillis) - began),
    output: yield* shownOutput(ended.output)
  }
  if (ended.problem !== undefined) {
    return { ...finding, verdict: "unknown", why: ended.problem } satisfies ValidatorFinding
  }
  if (ended.exitCode === null) {
    const why = `it did not end within ${Duration.toSeconds(timeout)} s and was ended`
    return { ...finding, verdict: "fail", why } satisfies ValidatorFinding
  }
  const verdict = ended.exitCode === 0 ? "pass" : "fail"
  return { ...finding, verdict, why: `it ended with exit code ${ended.exitCode}` } satisfies ValidatorFinding
})

interface Ended {
  /** Null when it was ended, or never began. */
  readonly exitCode: number | null
  readonly output: Gathered
  /** Why it could not be run, as a clause. */
  readonly problem?: string | undefined
}

/** Runs a command to its end and gives what it wrote to both outputs, in the order in which it came. Nobody of its group is left then. */
const runCommand = Effect.fnUntraced(
  function* (
    [program, ...args]: readonly [string, ...ReadonlyArray<string>],
    cwd: string,
    env: Readonly<Record<string, string>>,
    timeout: Duration.Duration
  ) {
    const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
    const output = gathered()
    let group: number | undefined
    // Runs after the spawner's own, which looks at the program alone.
    yield* Effect.addFinalizer(() => Effect.sync(() => endGroup(group)))
    const handle = yield* spawner.spawn(
      ChildProcess.make(program, args, {
        cwd,
        env: { ...env },
        stdin: "ignore",
        killSignal: "SIGTERM",
        forceKillAfter: graceTime
      })
    )
    group = Number(handle.pid)
    const reading = yield* Effect.forkScoped(
      handle.all.pipe(
        Stream.runForEach((bytes) => Effect.sync(() => output.add(bytes))),
        Effect.ignore
      )
    )
    const exitCode = yield* handle.exitCode.pipe(
      Effect.map((code): number | null => Number(code)),
      Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.succeed(null) })
    )
    endGroup(group)
    yield* Fiber.join(reading).pipe(Effect.timeoutOrElse({ duration: drainTime, orElse: () => Effect.void }))
    const ended: Ended = { exitCode, output: output.end() }
    return ended
  },
  Effect.scoped,
  Effect.catchTag("PlatformError", (error) => {
    const problem =
      error.reason._tag === "NotFound"
        ? "its program was not found"
        : `its program could not be run (${error.reason._tag})`
    return Effect.succeed<Ended>({ exitCode: null, output: nothing, problem })
  })
)

/** Everyone in the group of a process that was started as the leader of one. Windows has no such groups. */
const endGroup = (leader: number | undefined): void => {
  if (leader === undefined) return
  try {
    process.kill(-leader, "SIGKILL")
  } catch {
    // Nobody is left.
  }
}

interface Gathered {
  readonly head: Buffer
  readonly tail: Buffer
  /** Bytes between the two that are gone. */
  readonly gone: number
}
const nothing: Gathered = { head: Buffer.alloc(0), tail: Buffer.alloc(0), gone: 0 }

/** Keeps the beginning and the end of an output, in memory that does not grow with it. */
const gathered = () => {
  let head = Buffer.alloc(0)
  let tail = Buffer.alloc(0)
  let gone = 0
  return {
    add: (bytes: Uint8Array): void => {
      const room = readBytes - head.length
      if (room > 0) head = Buffer.concat([head, bytes.subarray(0, room)])
      if (bytes.length <= room) return
      const all = Buffer.concat([tail, bytes.subarray(Math.max(0, room))])
      tail = Buffer.from(all.subarray(Math.max(0, all.length - readBytes)))
      gone += all.length - tail.length
    },
    end: (): Gathered => ({ head, tail, gone })
  }
}

/** What is kept of an output: redacted as a whole before it is cut, so that no half of a secret is left at the cut. */
const shownOutput = Effect.fnUntraced(function* ({ head, tail, gone }: Gathered) {
  if (gone === 0) return bothEnds(yield* redacted(Buffer.concat([head, tail]).toString("utf8")))
  const [begins, ends] = [yield* redacted(head.toString("utf8")), yield* redacted(tail.toString("utf8"))]
  return `${begins.slice(0, keptBytes)}\n[… ${gone + head.length + tail.length - 2 * keptBytes} bytes left out …]\n${ends.slice(-keptBytes)}`
})

const bothEnds = (text: string): string =>
  text.length <= 2 * keptBytes
    ? text
    : `${text.slice(0, keptBytes)}\n[… ${text.length - 2 * keptBytes} characters left out …]\n${text.slice(-keptBytes)}`

const redacted = Effect.fnUntraced(function* (text: string) {
  const redactor = yield* Redactor
  return yield* redactor.redact(text, "output").pipe(
    Effect.map(({ value }) => String(value)),
    Effect.orElseSucceed(() => "[REDACTED:withheld]")
  )
})
