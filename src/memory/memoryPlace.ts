import * as path from "node:path"
import * as Effect from "effect/Effect"
import { lintAiDirectory, nearestWith } from "../control/projectRoot.ts"
import type { Provider } from "../domain/provider.ts"
import { Disk } from "../platform/Disk.ts"

/** Where the memory of one agent in one project lies. */
export interface MemoryPlace {
  readonly provider: Provider
  /** The project whose memory it is: for a linked work tree the one that it was made from. */
  readonly root: string
  readonly directory: string
}

/** The files of a memory. */
export const memoryFiles = ({ directory }: MemoryPlace) => ({
  owner: path.join(directory, "owner.json"),
  lock: path.join(directory, "memory.lock"),
  segments: path.join(directory, "segments"),
  index: path.join(directory, "index.sqlite"),
  sessions: path.join(directory, "sessions"),
  revisions: path.join(directory, "revisions.json")
})

/** Where extraction leaves what is still to be told to the user. */
export const receiptsDirectory = ({ directory }: MemoryPlace): string => path.join(directory, "staging", "receipts")

/** The memory of a project. Linked work trees of one repository share theirs; two repositories never do. */
export const memoryPlace = Effect.fnUntraced(function* (projectRoot: string, provider: Provider) {
  const root = yield* sharedRoot(projectRoot)
  const place: MemoryPlace = { provider, root, directory: path.join(lintAiDirectory(root), `${provider}-memory`) }
  return place
})

/**
 * The directory that stands for a project in all work trees of its repository: the same place in the main work tree.
 *
 * A `.git` file can say anything, and one that came with an archive could name the repository of somebody else's work. Git writes a link back
 * when it makes a work tree: only a pair that agrees is one.
 */
const sharedRoot = Effect.fnUntraced(function* (projectRoot: string) {
  const disk = yield* Disk
  const text = (file: string) =>
    disk.readFile(file).pipe(
      Effect.map((bytes) => bytes.toString("utf8").trim()),
      Effect.orElseSucceed(() => "")
    )
  const real = (file: string) => disk.realPath(file).pipe(Effect.orElseSucceed(() => file))
  const top = yield* nearestWith(projectRoot, ".git")
  if (top === undefined) return projectRoot
  const dotGit = path.join(top, ".git")
  const status = yield* disk.status(dotGit).pipe(Effect.orElseSucceed(() => undefined))
  const pointer = status?.kind === "file" ? yield* text(dotGit) : ""
  if (!pointer.startsWith("gitdir: ")) return projectRoot
  const gitDirectory = yield* real(path.resolve(top, pointer.slice("gitdir: ".length)))
  const common = yield* text(path.join(gitDirectory, "commondir"))
  const back = yield* text(path.join(gitDirectory, "gitdir"))
  // A submodule has neither: it is a project of its own.
  if (common === "" || back === "") return projectRoot
  if ((yield* real(path.resolve(gitDirectory, back))) !== (yield* real(dotGit))) return projectRoot
  const commonDirectory = yield* real(path.resolve(gitDirectory, common))
  if (path.dirname(gitDirectory) !== path.join(commonDirectory, "worktrees")) return projectRoot
  const main = path.basename(commonDirectory) === ".git" ? path.dirname(commonDirectory) : commonDirectory
  return path.join(main, path.relative(yield* real(top), yield* real(projectRoot)))
})
