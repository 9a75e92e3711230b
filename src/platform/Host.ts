import * as fs from "node:fs"
import * as path from "node:path"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"

/** Node loads node:crypto faster than Web Crypto, Bun the other way round. */
const randomHex = (count: number): string => {
  const bytes = Buffer.alloc(count)
  if (process.versions.bun === undefined) process.getBuiltinModule("node:crypto").randomFillSync(bytes)
  else crypto.getRandomValues(bytes)
  return bytes.toString("hex")
}

/** Not imported: a hook does without it, and Bun takes its time to load it. */
const system = () => process.getBuiltinModule("node:os")

/**
 * Always an absolute path. One that is relative would put what belongs to the user, the key too, into the directory that the agent works in. Where none is
 * told it is `/`, in which nearly nobody may write: then there is no key, and commands say what to set.
 */
const homeDirectory = (): string => {
  const told = process.env.HOME
  if (told !== undefined && path.isAbsolute(told)) return told
  try {
    // An empty one is what Node would give back; Bun asks the system.
    if (told === "") delete process.env.HOME
    const found = system().homedir()
    return path.isAbsolute(found) ? found : "/"
  } catch {
    return "/"
  } finally {
    if (told === "") process.env.HOME = told
  }
}

/**
 * Where the environment says, as an absolute path. Where that is not there, the usual place is taken, as other programs do: to make it would leave a directory
 * that nobody asked for.
 */
const temporaryDirectory = (): string => {
  const told = path.resolve(workingDirectory(), system().tmpdir())
  return [told, ...(process.platform === "win32" ? [] : ["/tmp", "/var/tmp"])].find(isDirectory) ?? told
}

const isDirectory = (file: string): boolean => {
  try {
    return fs.statSync(file).isDirectory()
  } catch {
    return false
  }
}

/** On Linux, where it stands in a file, as hostname(1) tells it. */
const nameOfHost = (): string | undefined => {
  if (process.platform !== "linux") return undefined
  try {
    return fs.readFileSync("/proc/sys/kernel/hostname", "utf8").trim() || undefined
  } catch {
    // Behind permissions that the runtime was not given.
    return undefined
  }
}

/** Node makes `performance` when it is first asked for, which takes longer than a lock. */
const monotonicMs = (): number => {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1000 + nanoseconds / 1_000_000
}

/** The clock of `process.hrtime` begins with the process on Bun alone; on Node it begins with the machine. */
const sinceStartMs = (): number => process.uptime() * 1000

/**
 * What the operating system says about this process, as values: the only place that reads the environment, the working directory and
 * random bytes. Tests give another one.
 */
export class Host extends Context.Service<
  Host,
  {
    readonly env: Readonly<Record<string, string | undefined>>
    readonly cwd: string
    /** Absolute. */
    readonly home: string
    /** Directory for temporary files; an absolute path. */
    readonly temporary: string
    readonly platform: NodeJS.Platform
    readonly pid: number
    readonly parentPid: number
    /** Undefined where the platform has no user ids. */
    readonly userId: number | undefined
    readonly hostname: string
    readonly runtime: "node" | "bun" | "deno"
    readonly runtimeVersion: string
    /** Absolute path of the running executable, and of the script that it runs. */
    readonly executable: string
    readonly entry: string
    /** Whether the executable is lint-ai itself, compiled. */
    readonly compiled: boolean
    readonly randomHex: (bytes: number) => string
    /** Milliseconds of a clock that never goes back; its origin means nothing. */
    readonly monotonicMs: () => number
    /** Milliseconds since this process was started, by the same kind of clock. */
    readonly sinceStartMs: () => number
  }
>()("lint-ai/platform/Host") {
  /** What few runs need is found out when one does: a hook has no time for it. */
  static readonly make = (): Context.Service.Shape<typeof Host> => ({
    env: process.env,
    get cwd() {
      return workingDirectory()
    },
    home: homeDirectory(),
    get temporary() {
      return temporaryDirectory()
    },
    platform: process.platform,
    pid: process.pid,
    parentPid: process.ppid,
    userId: process.getuid?.(),
    get hostname() {
      return nameOfHost() ?? system().hostname()
    },
    runtime: process.versions.bun !== undefined ? "bun" : process.versions.deno !== undefined ? "deno" : "node",
    runtimeVersion: process.versions.bun ?? process.versions.deno ?? process.versions.node,
    executable: process.execPath,
    entry: process.argv[1] ?? "",
    // Where a compiled program keeps its sources, which is no place of the disk: /$bunfs/ or B:\~BUN\.
    compiled: process.versions.bun !== undefined && /^(\/\$bunfs|[A-Z]:[\\/]~BUN)[\\/]/.test(process.argv[1] ?? ""),
    randomHex,
    monotonicMs,
    sinceStartMs
  })

  static readonly layer = Layer.sync(Host, Host.make)

  /** A host for tests: the given facts over neutral ones. */
  static readonly layerTest = (facts: Partial<Context.Service.Shape<typeof Host>>) =>
    Layer.sync(Host, (): Context.Service.Shape<typeof Host> => {
      let next = 0
      return {
        env: {},
        cwd: "/",
        home: "/",
        temporary: "/tmp",
        platform: "linux",
        pid: process.pid,
        parentPid: process.ppid,
        userId: process.getuid?.(),
        hostname: "test-host",
        runtime: "node",
        runtimeVersion: "20.19.0",
        executable: "/usr/bin/node",
        entry: "/opt/lint-ai/dist/main.mjs",
        compiled: false,
        randomHex: (bytes) =>
          (++next)
            .toString(16)
            .padStart(bytes * 2, "0")
            .slice(-bytes * 2),
        monotonicMs,
        sinceStartMs,
        ...facts
      }
    })
}

/** The working directory, by its last name when it was removed: an agent may clean up where it stands. */
const workingDirectory = (): string => {
  try {
    return process.cwd()
  } catch {
    return process.env.PWD ?? "/"
  }
}
