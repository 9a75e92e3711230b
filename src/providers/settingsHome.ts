import * as path from "node:path"
import * as Effect from "effect/Effect"
import { replaceFile } from "../archive/atomicFile.ts"
import { ensurePrivateDirectory, UnsafePath } from "../archive/privateDirectory.ts"
import { Disk } from "../platform/Disk.ts"
import { Host } from "../platform/Host.ts"

/** Where an agent keeps its settings, and what of them is its login. */
export interface SettingsHome {
  /** The variable that names it; undefined where only a flag does. */
  readonly variable: string | undefined
  /** Where it is without the variable, below the user's home; "" for the home itself. */
  readonly usual: string
  /** The file of it that holds the login; undefined where that is not known. */
  readonly credential: string | undefined
}

/** The user's own settings home of an agent, whether there is one or not. */
export const userSettings = (settings: SettingsHome): Effect.Effect<string, never, Host> =>
  Effect.map(Host, (host) => {
    const given = settings.variable === undefined ? undefined : host.env[settings.variable]
    return given === undefined || given === "" ? path.join(host.home, settings.usual) : path.resolve(host.cwd, given)
  })

/** A directory that was not there before, for its owner alone. */
export const newDirectory = Effect.fnUntraced(function* (directory: string) {
  if (!(yield* ensurePrivateDirectory(directory))) return yield* new UnsafePath({ path: directory, found: "directory" })
  return directory
})

/**
 * Links the user's login of an agent into a fresh settings home, for the length of a scope, since an agent may renew it: a copy would leave the user
 * with one that counts no more.
 *
 * @returns the file of the user; undefined where there is none, because the agent has its login elsewhere: in a variable, or in the keychain of the
 * system
 */
export const linkLogin = Effect.fn("linkLogin")(function* (settings: SettingsHome, settingsHome: string) {
  const disk = yield* Disk
  if (settings.credential === undefined) return undefined
  const login = path.join(yield* userSettings(settings), settings.credential)
  const linked = path.join(settingsHome, settings.credential)
  const real = yield* disk.realPath(login).pipe(Effect.orElseSucceed(() => undefined))
  if (real === undefined) return undefined
  const before = yield* disk.status(real)
  yield* disk.makeDirectory(path.dirname(linked))
  // Windows allows symbolic links to few.
  yield* disk.symbolicLink(real, linked).pipe(Effect.catch(() => disk.link(real, linked)))
  yield* Effect.addFinalizer(() => Effect.ignore(keepRenewed(real, linked, before?.modifiedMs)))
  return login
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
