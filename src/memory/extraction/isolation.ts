import * as path from "node:path"
import * as Effect from "effect/Effect"
import { Disk } from "../../platform/Disk.ts"
import { Host } from "../../platform/Host.ts"
import { linkLogin, newDirectory, type SettingsHome } from "../../providers/settingsHome.ts"

/** A place in which an agent finds nothing of the project and nothing of its user but the login. All of it goes when its scope ends. */
export interface Isolation {
  /** Empty: the agent's working directory. */
  readonly work: string
  /** Beside it, for files that the agent is told of. */
  readonly root: string
  readonly env: Readonly<Record<string, string>>
}

/**
 * Makes such a place. The login is linked.
 *
 * The directory is below the system's for temporary files, where no ancestor is a project: agents read instructions from ancestors too.
 */
export const isolated = Effect.fn("isolated")(function* (
  settings: SettingsHome,
  env: Readonly<Record<string, string>>
) {
  const disk = yield* Disk
  const host = yield* Host
  const root = yield* Effect.acquireRelease(
    newDirectory(path.join(host.temporary, `lint-ai-extract-${host.randomHex(8)}`)),
    (made) => Effect.ignore(disk.removeTree(made))
  )
  const directory = (name: string) => newDirectory(path.join(root, name))
  const work = yield* directory("work")
  const home = yield* directory("home")
  const temporary = yield* directory("tmp")
  const settingsHome = yield* directory("settings")
  yield* linkLogin(settings, settingsHome)
  const isolation: Isolation = {
    work,
    root,
    env: {
      ...inherited(host.env),
      ...env,
      HOME: home,
      USERPROFILE: home,
      TMPDIR: temporary,
      TEMP: temporary,
      TMP: temporary,
      ...(settings.variable === undefined ? undefined : { [settings.variable]: settingsHome }),
      // Whatever hooks the agent may still find, ours must not take this for a session of the user.
      LINT_AI_DISABLE_HOOKS: "1"
    }
  }
  return isolation
})

/**
 * The user's environment, for logins and proxies are in it, without what ties a program to the session in which lint-ai itself may run, and
 * without what leads to other settings of the user.
 */
const inherited = (env: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined || tied.test(name) ? [] : [[name, value]]))
  )

const tied =
  /^(LINT_AI_.*|CLAUDECODE|CLAUDE_PROJECT_DIR|CLAUDE_ENV_FILE|CLAUDE_CONFIG_DIR|CLAUDE_CODE_(SESSION_ID|ENTRYPOINT|MESSAGING_TOKEN|TMPDIR|SSE_PORT|CHILD_SESSION)|CODEX_(HOME|THREAD_ID|SANDBOX.*|CI)|GIT_(DIR|WORK_TREE)|XDG_(CONFIG|DATA|STATE|CACHE)_HOME|PWD|OLDPWD)$/
