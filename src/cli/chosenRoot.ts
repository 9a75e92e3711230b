import * as path from "node:path"
import * as Effect from "effect/Effect"
import { nearestWith } from "../control/projectRoot.ts"
import { Disk } from "../platform/Disk.ts"
import { Host } from "../platform/Host.ts"
import { SessionRootUnusable } from "./errors.ts"

/** The directory that a person chose for archives, as an absolute path; undefined when none was chosen. It may not exist yet. */
export const chosenRoot = Effect.fn("chosenRoot")(function* (given: string | undefined) {
  if (given === undefined) return undefined
  const host = yield* Host
  const disk = yield* Disk
  const root = path.resolve(host.cwd, given)
  const status = yield* disk
    .status(yield* disk.realPath(root).pipe(Effect.orElseSucceed(() => root)))
    .pipe(Effect.catch((error) => Effect.succeed(error.code === "ENOTDIR" ? { kind: "file" as const } : undefined)))
  return status === undefined || status.kind === "directory" ? root : yield* new SessionRootUnusable({ path: root })
})

/**
 * What a person should know about a chosen root: a directory that lint-ai makes is ignored by Git, and one that was there before may not be. Empty when
 * there is nothing to say.
 */
export const rootNotes = Effect.fn("rootNotes")(function* (root: string | undefined) {
  const disk = yield* Disk
  if (root === undefined || root.split(path.sep).includes(".lint-ai")) return []
  const at = (place: string) => disk.status(place).pipe(Effect.orElseSucceed(() => undefined))
  const isOurs = (yield* at(root)) === undefined || (yield* at(path.join(root, ".gitignore"))) !== undefined
  if (isOurs || (yield* nearestWith(root, ".git")) === undefined) return []
  return [`${root} was there before and stands in a Git work tree: tell Git to ignore what is recorded there.`]
})
