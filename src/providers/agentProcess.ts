import * as path from "node:path"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as PlatformError from "effect/PlatformError"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import * as Stream from "effect/Stream"
import type { Provider } from "../domain/provider.ts"
import { Disk } from "../platform/Disk.ts"
import { Host } from "../platform/Host.ts"
import { AgentMissing, AgentTooSlow, AgentUnusable } from "./ProviderCli.ts"

/** Time that a process has after SIGTERM. */
export const graceTime = Duration.seconds(2)

/** The absolute path of a program on the PATH of this process. */
export const findProgram = Effect.fn("findProgram")(function* (provider: Provider, program: string) {
  const disk = yield* Disk
  const host = yield* Host
  const endings = host.platform === "win32" ? [".exe", ".cmd"] : [""]
  for (const directory of (host.env.PATH ?? "").split(path.delimiter).filter((one) => path.isAbsolute(one))) {
    for (const ending of endings) {
      const file = path.join(directory, program + ending)
      const real = yield* disk.realPath(file).pipe(Effect.orElseSucceed(() => undefined))
      const status =
        real === undefined ? undefined : yield* disk.status(real).pipe(Effect.orElseSucceed(() => undefined))
      // On Windows nothing has execute bits.
      if (status?.kind === "file" && (host.platform === "win32" || (status.mode & 0o111) !== 0)) return file
    }
  }
  return yield* new AgentMissing({ provider, program })
})

export interface AgentProcess {
  readonly provider: Provider
  readonly program: string
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly stdin?: string | undefined
  readonly timeout: Duration.Input
}

/**
 * Is told the pid of each program that was started, the leader of its group, before its end is waited for: who may be killed notes it, so that a later
 * process can end what was left running. Nobody listens by default.
 */
export const AgentStarted = Context.Reference<(pid: number) => Effect.Effect<void>>("lint-ai/providers/AgentStarted", {
  defaultValue: () => () => Effect.void
})

/**
 * Runs a program to its end and gives what it wrote. Its environment is `env` and nothing else. When the time is over, or when this is
 * interrupted, SIGTERM goes to its whole process group, and SIGKILL to whoever of it is left.
 */
export const runProcess = Effect.fn("runProcess")(function* (run: AgentProcess) {
  const { provider, program } = run
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  return yield* Effect.gen(function* () {
    let group: number | undefined
    // Runs after the spawner's own, which is satisfied when the program itself has ended: a child may ignore SIGTERM.
    yield* Effect.addFinalizer((exit) =>
      Effect.sync(() => {
        if (Exit.isFailure(exit) && group !== undefined) killGroup(group)
      })
    )
    const handle = yield* spawner.spawn(
      ChildProcess.make(program, [...run.args], {
        cwd: run.cwd,
        env: { ...run.env },
        stdin: run.stdin === undefined ? "ignore" : Stream.make(run.stdin).pipe(Stream.encodeText),
        killSignal: "SIGTERM",
        forceKillAfter: graceTime
      })
    )
    group = Number(handle.pid)
    const tellStarted = yield* AgentStarted
    yield* tellStarted(group)
    const text = (output: typeof handle.stdout) => beginningAndEnd(output.pipe(Stream.decodeText()))
    // Both outputs while it runs: a full pipe would stop it.
    const [stdout, stderr, exitCode] = yield* Effect.all([text(handle.stdout), text(handle.stderr), handle.exitCode], {
      concurrency: "unbounded"
    })
    return { stdout, stderr, exitCode: Number(exitCode) }
  }).pipe(
    Effect.scoped,
    Effect.timeoutOrElse({
      duration: run.timeout,
      orElse: () =>
        Effect.fail(
          new AgentTooSlow({ provider, program, limitMs: Duration.toMillis(Duration.fromInputUnsafe(run.timeout)) })
        )
    }),
    Effect.catchTag("PlatformError", (error) => Effect.fail(unusable(provider, program, error)))
  )
})

/** Characters that are kept of the beginning of an output, and as many of its end: who tells a session's id does it first, and its answer last. */
export const keptCharacters = 8 * 1024 * 1024

/** An output of any length in bounded memory. A line break stands for what was left out, so that no two lines become one. */
const beginningAndEnd = <E>(output: Stream.Stream<string, E>): Effect.Effect<string, E> =>
  Effect.suspend(() => {
    let beginning = ""
    let end = ""
    let cut = false
    const take = (piece: string): void => {
      const room = keptCharacters - beginning.length
      beginning += piece.slice(0, room)
      end += piece.slice(room)
      if (end.length <= 2 * keptCharacters) return
      end = end.slice(-keptCharacters)
      cut = true
    }
    return output.pipe(
      Stream.runForEach((piece) => Effect.sync(() => take(piece))),
      Effect.map(() => (cut ? `${beginning}\n${end.slice(-keptCharacters)}` : beginning + end))
    )
  })

/** Everyone in the group of a process that was started as the leader of one. Windows has no such groups. */
export const killGroup = (leader: number): void => {
  try {
    process.kill(-leader, "SIGKILL")
  } catch {
    // Nobody is left.
  }
}

/** A failure of the system, told without anything that was written to the program. */
export const unusable = (provider: Provider, program: string, error: PlatformError.PlatformError): AgentUnusable =>
  new AgentUnusable({ provider, program, reason: `it could not be run (${codeOf(error) ?? error.reason._tag})` })

const codeOf = ({ reason }: PlatformError.PlatformError): string | undefined =>
  typeof reason.cause === "object" && reason.cause !== null && "code" in reason.cause
    ? String(reason.cause.code)
    : undefined

/** The version in what a program says to `--version`. */
const versionIn = (text: string): string | undefined => /\d+\.\d+\.\d+\S*/.exec(text)?.[0]

/** The version that an agent's program names itself. */
export const askVersion = Effect.fn("askVersion")(function* (provider: Provider, program: string) {
  const host = yield* Host
  const { stdout } = yield* runProcess({
    provider,
    program,
    args: ["--version"],
    cwd: host.cwd,
    env: definedEnv(host.env),
    timeout: Duration.seconds(10)
  })
  const version = versionIn(stdout)
  if (version === undefined)
    return yield* new AgentUnusable({ provider, program, reason: "it does not tell its version" })
  return version
})

/** An environment without the names that have no value. */
export const definedEnv = (env: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
