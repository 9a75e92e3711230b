import { spawn } from "node:child_process"
import type { Fault } from "../support/faultPoints.ts"
import type { TestUser } from "../support/recording.ts"
import type { HookDelivery } from "./deliveries.ts"

/** How a hook, or another program, ended. */
export interface RunEnd {
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
  readonly ms: number
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  /** What goes wrong inside of the program; only the one with fault points listens. */
  readonly faults?: ReadonlyArray<Fault>
  /** SIGKILL from outside after so many milliseconds, if it still runs. */
  readonly killAfterMs?: number | undefined
  readonly cwd?: string
  /** Another user's id. */
  readonly uid?: number
}

/** The variable of faultPoints.ts, which cannot be imported here: it is a module of the program. */
const faultsVariable = "LINT_AI_TEST_FAULTS"

/** Starts a program, gives it its input and waits for its end. */
export const run = (
  command: ReadonlyArray<string>,
  user: Pick<TestUser, "project" | "env">,
  input: string | Uint8Array,
  options: RunOptions = {}
): Promise<RunEnd> =>
  new Promise((resolve) => {
    const began = performance.now()
    const [program = "", ...args] = command
    const child = spawn(program, args, {
      cwd: options.cwd ?? user.project,
      env: {
        ...user.env,
        ...options.env,
        ...(options.faults === undefined ? undefined : { [faultsVariable]: JSON.stringify(options.faults) })
      },
      stdio: ["pipe", "pipe", "pipe"],
      ...(options.uid === undefined ? undefined : { uid: options.uid, gid: options.uid })
    })
    let stdout = ""
    let stderr = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text
    })
    const timer =
      options.killAfterMs === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), options.killAfterMs)
    child.stdin.on("error", () => {
      // It was killed before it read.
    })
    child.stdin.end(input)
    child.on("error", (error) => resolve({ exitCode: null, signal: null, stdout, stderr: String(error), ms: 0 }))
    child.on("close", (exitCode, signal) => {
      clearTimeout(timer)
      resolve({ exitCode, signal, stdout, stderr, ms: performance.now() - began })
    })
  })

/** One hook, as the agent starts it. */
export const runDelivery = (
  program: ReadonlyArray<string>,
  user: Pick<TestUser, "project" | "env">,
  delivery: HookDelivery,
  options?: RunOptions
): Promise<RunEnd> => run([...program, "hook", ...delivery.args], user, JSON.stringify(delivery.payload), options)
