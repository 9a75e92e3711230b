import * as crypto from "node:crypto"
import * as os from "node:os"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"

/**
 * What the operating system says about this process, as values: the only place that reads the environment, the working directory and
 * random bytes. Tests give another one.
 */
export class Host extends Context.Service<
  Host,
  {
    readonly env: Readonly<Record<string, string | undefined>>
    readonly cwd: string
    readonly home: string
    readonly platform: NodeJS.Platform
    readonly pid: number
    readonly parentPid: number
    readonly hostname: string
    readonly randomHex: (bytes: number) => string
    /** Milliseconds of a clock that never goes back; its origin means nothing. */
    readonly monotonicMs: () => number
  }
>()("lint-ai/platform/Host") {
  static readonly layer = Layer.sync(Host, () => ({
    env: process.env,
    cwd: process.cwd(),
    home: process.env.HOME ?? os.homedir(),
    platform: process.platform,
    pid: process.pid,
    parentPid: process.ppid,
    hostname: os.hostname(),
    randomHex: (bytes) => crypto.randomBytes(bytes).toString("hex"),
    monotonicMs: () => performance.now()
  }))

  /** A host for tests: the given facts over neutral ones. */
  static readonly layerTest = (facts: Partial<Context.Service.Shape<typeof Host>>) =>
    Layer.sync(Host, () => {
      let next = 0
      return {
        env: {},
        cwd: "/",
        home: "/",
        platform: "linux",
        pid: process.pid,
        parentPid: process.ppid,
        hostname: "test-host",
        randomHex: (bytes) =>
          (++next)
            .toString(16)
            .padStart(bytes * 2, "0")
            .slice(-bytes * 2),
        monotonicMs: () => performance.now(),
        ...facts
      }
    })
}
