import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ProcessIdentity } from "../domain/processIdentity.ts"
import { Disk } from "./Disk.ts"
import { Host } from "./Host.ts"

/** `foreign`: where this process cannot look: on another host, in another pid namespace, or behind permissions that its runtime was not given. */
export type Liveness = "alive" | "dead" | "foreign"

/** Tells processes apart and whether they still run. */
export class Processes extends Context.Service<
  Processes,
  {
    readonly self: Effect.Effect<ProcessIdentity>
    /** The identity of a running process of this host; undefined when there is none. */
    readonly identify: (pid: number) => Effect.Effect<ProcessIdentity | undefined>
    readonly liveness: (owner: ProcessIdentity) => Effect.Effect<Liveness>
    /**
     * The pid of who started a process, looking through a shell: many agents start their hooks with `sh -c`, and such a shell is gone a moment
     * later. The pid itself where it is no shell, or where the platform does not tell.
     */
    readonly behindShell: (pid: number) => Effect.Effect<number>
    /**
     * Shows a file or an address with the program that the user's desktop has for it. The program is not waited for: a browser stays. False when
     * there is no desktop, or nothing on it that shows things.
     */
    readonly show: (target: string) => Effect.Effect<boolean>
  }
>()("lint-ai/platform/Processes") {
  static readonly make = Effect.gen(function* () {
    const disk = yield* Disk
    const host = yield* Host
    const text = (path: string) =>
      disk.readFile(path).pipe(
        Effect.map((bytes) => bytes.toString("latin1").trim()),
        Effect.orElseSucceed(() => "")
      )
    const machine = yield* Effect.cached(
      Effect.gen(function* () {
        if (host.platform !== "linux") return { boot: "", namespace: "", host: host.hostname }
        const boot = yield* text("/proc/sys/kernel/random/boot_id")
        const namespace = yield* disk.readLink("/proc/self/ns/pid").pipe(Effect.orElseSucceed(() => ""))
        return { boot, namespace, host: host.hostname }
      })
    )
    const startOf = host.platform === "linux" ? linuxStart(text) : portableStart(host)

    const identify = Effect.fnUntraced(function* (pid: number) {
      const start = yield* startOf(pid)
      if (start === undefined) return undefined
      return { pid, start: start === hidden ? "" : start, ...(yield* machine) }
    })
    return Processes.of({
      identify,
      behindShell: Effect.fnUntraced(function* (pid: number) {
        if (host.platform !== "linux") return pid
        // proc(5): "pid (name) state ppid ...".
        const [, name = "", parent = ""] = /^\d+ \(([^)]*)\) \S (\d+) /.exec(yield* text(`/proc/${pid}/stat`)) ?? []
        return shells.has(name) && Number(parent) > 1 ? Number(parent) : pid
      }),
      self: Effect.gen(function* () {
        // A lock needs an owner even where /proc is closed to us.
        return (yield* identify(host.pid)) ?? { pid: host.pid, start: "", ...(yield* machine) }
      }),
      liveness: Effect.fnUntraced(function* (owner: ProcessIdentity) {
        const here = yield* machine
        if (owner.host !== here.host) return "foreign"
        // One of the two could not read /proc: Deno opens it only with all permissions.
        if ((owner.boot === "") !== (here.boot === "")) return "foreign"
        // Same host, another boot: nothing of that time still runs.
        if (owner.boot !== here.boot) return "dead"
        if (owner.namespace !== here.namespace) return "foreign"
        const start = yield* startOf(owner.pid)
        if (start === undefined) return "dead"
        if (start === hidden) return "foreign"
        return owner.start === "" || start === "" || start === owner.start ? "alive" : "dead"
      }),
      show: (target) => showOnDesktop(host, target)
    })
  })

  static readonly layer = Layer.effect(Processes, Processes.make)
}

/** Who shows things: a program and its arguments before the target. None of them is a shell, so nothing in a target is a command. */
const desktopPrograms: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...ReadonlyArray<string>]>>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"]
}

const showOnDesktop = (host: Context.Service.Shape<typeof Host>, target: string): Effect.Effect<boolean> =>
  Effect.callback<boolean>((resume) => {
    const [program, ...args] = desktopPrograms[host.platform] ?? ["xdg-open"]
    const { env } = host
    // Without one of these, xdg-open would look for a browser for terminals.
    if (program === "xdg-open" && (env.DISPLAY ?? "") === "" && (env.WAYLAND_DISPLAY ?? "") === "") {
      return resume(Effect.succeed(false))
    }
    const child = started(() =>
      process
        .getBuiltinModule("node:child_process")
        .spawn(program, [...args, target], { env: { ...env }, detached: true, stdio: "ignore" })
    )
    if (child === undefined) return resume(Effect.succeed(false))
    child.once("spawn", () => {
      child.unref()
      resume(Effect.succeed(true))
    })
    child.once("error", () => resume(Effect.succeed(false)))
  })

/** Undefined where a runtime throws because of what it cannot start, instead of telling the child's listener. */
const started = <A>(start: () => A): A | undefined => {
  try {
    return start()
  } catch {
    return undefined
  }
}

const shells: ReadonlySet<string> = new Set(["sh", "bash", "dash", "ash", "zsh", "ksh", "busybox"])

/** The runtime does not let us ask whether a process is there. */
const hidden = Symbol("hidden")

/** When a process started ("" where the platform does not tell); undefined when there is none. */
type Start = string | typeof hidden | undefined

/**
 * Start time from /proc/<pid>/stat: field 22, counted after the last parenthesis because the program name may hold anything (proc(5)).
 * A zombie has ended: only its parent has not looked yet.
 */
const linuxStart = (text: (path: string) => Effect.Effect<string>) => (pid: number) =>
  Effect.map(text(`/proc/${pid}/stat`), (stat): Start => {
    // Mounted with hidepid, /proc shows no processes of other users.
    if (stat === "") return startUntold(pid)
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return fields[0] === "Z" || fields[0] === "X" ? undefined : (fields[19] ?? "")
  })

/** Signal 0 asks whether a pid is in use: EPERM is another user's process. Deno refuses with an error that has no code. */
const startUntold = (pid: number): "" | typeof hidden | undefined => {
  try {
    process.kill(pid, 0)
    return ""
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined
    return code === "ESRCH" ? undefined : code === "EPERM" ? "" : hidden
  }
}

/**
 * Without /proc only the owner itself is known for nothing: `self` takes its start from its own uptime. Others are asked of ps(1), which happens
 * on contention only, so that no uncontended hook starts a process. Both are rounded to ten seconds, because ps tells whole seconds.
 */
const portableStart =
  (host: Context.Service.Shape<typeof Host>) =>
  (pid: number): Effect.Effect<Start> =>
    Effect.sync(() => {
      if (pid === host.pid) return tenSeconds(Date.now() - process.uptime() * 1000)
      const untold = startUntold(pid)
      if (untold !== "" || host.platform === "win32") return untold
      const ps = process
        .getBuiltinModule("node:child_process")
        .spawnSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8", env: { LC_ALL: "C" }, timeout: 500 })
      const started = Date.parse(ps.stdout ?? "")
      return Number.isNaN(started) ? "" : tenSeconds(started)
    })

const tenSeconds = (milliseconds: number): string => String(Math.round(milliseconds / 10_000))
