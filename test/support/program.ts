import { spawn } from "node:child_process"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** A program to start. Its environment is `env` and nothing else. */
export interface Program {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** `closed`: at its end from the start. `open`: the test writes and closes it. A string is written and then closed. */
  readonly stdin?: "closed" | "open" | { readonly text: string }
}

export interface Finished {
  /** null when a signal ended it. */
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface Running {
  readonly pid: number
  /** Sends a signal to the program alone, as `kill` does. */
  readonly signal: (name: NodeJS.Signals) => Effect.Effect<void>
  readonly write: (text: string) => Effect.Effect<void>
  readonly closeInput: Effect.Effect<void>
  /** Waits for the next line of stdout that this has not given yet. */
  readonly nextLine: Effect.Effect<string, EndedEarly>
  /** The last lines that it wrote, cut to a readable length: for the message of a test that waits too long. */
  readonly output: () => string
  /** Waits for its exit and the end of both outputs. */
  readonly finished: Effect.Effect<Finished>
}

export class EndedEarly extends Data.TaggedError("EndedEarly")<{ readonly command: string; readonly end: Finished }> {
  override get message(): string {
    return `${this.command} ended (${this.end.exitCode ?? this.end.signal}) while more was expected of it.\n${this.end.stdout}\n${this.end.stderr}`
  }
}

export class RanTooLong extends Data.TaggedError("RanTooLong")<{
  readonly command: string
  readonly output: string
}> {
  override get message(): string {
    return `${this.command} did not end in time. So far:\n${this.output}`
  }
}

/** Starts a program in a process group of its own. At the end of the scope the whole group is killed, whoever still is in it. */
export const start = (program: Program): Effect.Effect<Running, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => launch(program)),
      (launched) => Effect.sync(() => killGroup(launched.pid))
    ),
    (launched) => launched.running
  )

/** Runs a program to its end; a whole group that takes longer than `limit` is killed. */
export const run = (program: Program, limit: Duration.Input = "90 seconds"): Effect.Effect<Finished, RanTooLong> =>
  Effect.scoped(Effect.flatMap(start(program), (running) => endOf(program, running, limit)))

/** Waits for the end of a started program, for at most `limit`. */
export const endOf = (
  program: Program,
  running: Running,
  limit: Duration.Input = "90 seconds"
): Effect.Effect<Finished, RanTooLong> =>
  Effect.timeoutOrElse(running.finished, {
    duration: limit,
    orElse: () =>
      Effect.gen(function* () {
        yield* Effect.sync(() => killGroup(running.pid))
        yield* running.finished
        return yield* new RanTooLong({ command: program.command, output: running.output() })
      })
  })

const killGroup = (pid: number): void => {
  try {
    process.kill(-pid, "SIGKILL")
  } catch {
    // Nobody is left in the group.
  }
}

const launch = (program: Program): { readonly pid: number; readonly running: Running } => {
  const stdin = program.stdin ?? "closed"
  const child = spawn(program.command, program.args, {
    cwd: program.cwd,
    env: program.env,
    detached: true,
    stdio: [stdin === "closed" ? "ignore" : "pipe", "pipe", "pipe"]
  })
  const pid = child.pid ?? Number.MAX_SAFE_INTEGER
  let stdout = ""
  let stderr = ""
  let given = 0
  let end: Finished | undefined
  const listeners = new Set<() => void>()
  const tell = () => {
    for (const listener of listeners) listener()
  }
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text
    tell()
  })
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text
  })
  child.stdin?.on("error", () => {
    // A program that has ended reads no more; its exit code says so.
  })
  child.on("error", (error) => {
    end ??= { exitCode: null, signal: null, stdout, stderr: String(error) }
    tell()
  })
  child.on("close", (exitCode, signal) => {
    end ??= { exitCode, signal, stdout, stderr }
    tell()
  })
  if (typeof stdin === "object") child.stdin?.end(stdin.text)

  /** Looks now and after each change, until `look` gives an answer. */
  const when = <A, E>(look: () => Effect.Effect<A, E> | undefined): Effect.Effect<A, E> =>
    Effect.callback<A, E>((resume) => {
      const listener = () => {
        const answer = look()
        if (answer === undefined) return
        listeners.delete(listener)
        resume(answer)
      }
      listeners.add(listener)
      listener()
      return Effect.sync(() => listeners.delete(listener))
    })

  return {
    pid,
    running: {
      pid,
      signal: (name) => Effect.sync(() => child.kill(name)),
      write: (text) => Effect.sync(() => child.stdin?.write(text)),
      closeInput: Effect.sync(() => child.stdin?.end()),
      nextLine: when(() => {
        const newline = stdout.indexOf("\n", given)
        if (newline >= 0) {
          const line = stdout.slice(given, newline)
          given = newline + 1
          return Effect.succeed(line)
        }
        return end === undefined ? undefined : Effect.fail(new EndedEarly({ command: program.command, end }))
      }),
      output: () => [...stdout.split("\n").slice(-8), stderr].map((line) => line.slice(0, 400)).join("\n"),
      finished: when(() => (end === undefined ? undefined : Effect.succeed(end)))
    }
  }
}
