import * as fs from "node:fs"
import * as path from "node:path"
import * as Effect from "effect/Effect"

/**
 * Waits until a file, which may not exist yet, holds what is expected. It looks again whenever the directory of the file changes.
 *
 * @param holds is given the text of the file, the empty string while there is none
 * @returns the text that held it. Never ends when the text never comes: the test's own limit does.
 */
export const fileHolds = (file: string, holds: (text: string) => boolean): Effect.Effect<string> =>
  Effect.callback<string>((resume) => {
    const look = () => {
      const text = readOr(file)
      if (!holds(text)) return
      watcher.close()
      resume(Effect.succeed(text))
    }
    const watcher = fs.watch(path.dirname(file), look)
    look()
    return Effect.sync(() => watcher.close())
  })

/** Waits until something is at a path, be it a socket or a link that leads nowhere. */
export const fileAppears = (file: string): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    const look = () => {
      if (fs.lstatSync(file, { throwIfNoEntry: false }) === undefined) return
      watcher.close()
      resume(Effect.void)
    }
    const watcher = fs.watch(path.dirname(file), look)
    look()
    return Effect.sync(() => watcher.close())
  })

const readOr = (file: string): string => {
  try {
    return fs.readFileSync(file, "utf8")
  } catch {
    return ""
  }
}
