import * as path from "node:path"
import * as Effect from "effect/Effect"
import { replaceFile } from "../../archive/atomicFile.ts"
import { ensurePrivateDirectory, UnsafePath } from "../../archive/privateDirectory.ts"
import { Disk } from "../../platform/Disk.ts"
import { Host } from "../../platform/Host.ts"

/** Where an agent keeps its settings, and what of them is its login. */
export interface SettingsHome {
  /** The variable that names it. */
  readonly variable: string
  /** Where it is without the variable, below the user's home. */
  readonly usual: string
  /** The file of it that holds the login. */
  readonly credential: string
}

/** A place in which an agent finds nothing of the project and nothing of its user but the login. All of it goes when its scope ends. */
export interface Isolation {
  /** Empty: the agent's working directory. */
  readonly work: string
  /** Beside it, for files that the agent is told of. */
  readonly root: string
  readonly env: Readonly<Record<string, string>>
}

/**
 * Makes such a place. The login is linked, since an agent may renew it: a copy would leave the user with one that counts no more.
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
  const given = host.env[settings.variable]
  const login = path.join(
    given === undefined || given === "" ? path.join(host.home, settings.usual) : path.resolve(host.cwd, given),
    settings.credential
  )
  yield* linkLogin(login, path.join(settingsHome, settings.credential))
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
      [settings.variable]: settingsHome,
      // Whatever hooks the agent may still find, ours must not take this for a session of the user.
      LINT_AI_DISABLE_HOOKS: "1"
    }
  }
  return isolation
})

/** A directory that was not there before, for its owner alone. */
const newDirectory = Effect.fnUntraced(function* (directory: string) {
  if (!(yield* ensurePrivateDirectory(directory))) return yield* new UnsafePath({ path: directory, found: "directory" })
  return directory
})

const linkLogin = Effect.fnUntraced(function* (login: string, linked: string) {
  const disk = yield* Disk
  const real = yield* disk.realPath(login).pipe(Effect.orElseSucceed(() => undefined))
  // Without one the agent has its login elsewhere: in a variable, or in the keychain of the system.
  if (real === undefined) return
  const before = yield* disk.status(real)
  // Windows allows symbolic links to few.
  yield* disk.symbolicLink(real, linked).pipe(Effect.catch(() => disk.link(real, linked)))
  yield* Effect.addFinalizer(() => Effect.ignore(keepRenewed(real, linked, before?.modifiedMs)))
})

/**
 * An agent that renews its login by putting a new file in the place of the old one has taken the link away. The new login is the only one that
 * still counts, unless another run of the agent has renewed it too.
 */
const keepRenewed = Effect.fnUntraced(function* (real: string, linked: string, modifiedMs: number | undefined) {
  const disk = yield* Disk
  const [ours, theirs] = [yield* disk.status(linked), yield* disk.status(real)]
  if (ours?.kind !== "file" || ours.size === 0 || theirs === undefined) return
  if (ours.inode === theirs.inode || theirs.modifiedMs !== modifiedMs) return
  yield* replaceFile(real, yield* disk.readFile(linked), { mode: theirs.mode })
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
