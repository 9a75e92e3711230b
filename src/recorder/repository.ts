import * as path from "node:path"
import * as Effect from "effect/Effect"
import { namedGitDirectory } from "../control/projectRoot.ts"
import { CurrentDeadline } from "../platform/Deadline.ts"
import { Disk } from "../platform/Disk.ts"
import { parseIndex } from "./gitIndex.ts"

/** What the manifest says of the repository. null: there is none, or it cannot be told without running Git, which a hook never does. */
export interface RepositoryState {
  readonly repository_revision: string | null
  readonly repository_branch: string | null
  readonly repository_dirty: boolean | null
}

const none: RepositoryState = { repository_revision: null, repository_branch: null, repository_dirty: null }

/** More files than this are not compared: a hook has little time. */
const mostFiles = 5_000

/** The repository of a project as its session begins, read from `.git` alone. Never fails. */
export const readRepository = Effect.fnUntraced(function* (projectRoot: string) {
  const head = yield* readHead(projectRoot)
  if (head === undefined) return none
  return {
    repository_revision: head.revision,
    repository_branch: head.branch,
    repository_dirty: yield* isDirty(projectRoot, head.indexFile)
  } satisfies RepositoryState
})

/** The commit and the branch that are checked out, and the file of the index; undefined where there is no repository. Never fails. */
export const readHead = Effect.fnUntraced(function* (projectRoot: string) {
  const disk = yield* Disk
  const text = (file: string) =>
    disk.readFile(file).pipe(
      Effect.map((bytes) => bytes.toString("utf8").trim()),
      Effect.orElseSucceed(() => undefined)
    )
  const dotGit = path.join(projectRoot, ".git")
  const status = yield* disk.status(dotGit).pipe(Effect.orElseSucceed(() => undefined))
  if (status === undefined) return undefined
  const gitDirectory = (status.kind === "file" ? yield* namedGitDirectory(projectRoot) : undefined) ?? dotGit
  const common = yield* text(path.join(gitDirectory, "commondir"))
  const commonDirectory = common === undefined ? gitDirectory : path.resolve(gitDirectory, common)
  const head = yield* text(path.join(gitDirectory, "HEAD"))
  if (head === undefined) return undefined
  const reference = head.startsWith("ref: ") ? head.slice(5) : undefined
  const revision =
    reference === undefined
      ? head
      : // A name from a file: it must not lead out of the repository.
        reference.includes("..")
        ? undefined
        : ((yield* text(path.join(gitDirectory, reference))) ??
          (yield* text(path.join(commonDirectory, reference))) ??
          packedRevision(yield* text(path.join(commonDirectory, "packed-refs")), reference))
  return {
    revision: revision !== undefined && /^[0-9a-f]{40,64}$/.test(revision) ? revision : null,
    branch: reference?.startsWith("refs/heads/") ? reference.slice(11) : null,
    indexFile: path.join(gitDirectory, "index")
  }
})

const packedRevision = (packed: string | undefined, reference: string): string | undefined =>
  packed
    ?.split("\n")
    .find((line) => line.endsWith(` ${reference}`))
    ?.split(" ")[0]

/**
 * Whether tracked files differ from what was staged, by size and time, as `git status` looks first. A file with another time and the same size
 * may hold the same text: then, and when the index holds what is not committed, null.
 */
const isDirty = Effect.fnUntraced(function* (projectRoot: string, indexFile: string) {
  const disk = yield* Disk
  const deadline = yield* CurrentDeadline
  const bytes = yield* disk.readFile(indexFile).pipe(Effect.orElseSucceed(() => undefined))
  const index = bytes === undefined ? undefined : parseIndex(bytes, mostFiles)
  if (index === undefined) return null
  // At most half of what is left: the events come first.
  const until = deadline.remainingMs() / 2
  let unsure = !index.committed
  for (const entry of index.entries) {
    if (entry.special === "conflict") return true
    if (entry.special === "unwatched" || entry.kind === "submodule") continue
    if (deadline.remainingMs() < until) return null
    const found = yield* disk.status(path.join(projectRoot, entry.path)).pipe(Effect.orElseSucceed(() => undefined))
    if (found === undefined || (found.kind === "symlink") !== (entry.kind === "link")) return true
    // Git keeps the size modulo 2^32.
    if (found.size % 2 ** 32 !== entry.size) return true
    // Milliseconds in a double are exact to a quarter of a microsecond.
    if (Math.abs(found.modifiedMs - entry.modifiedMs) > 0.002) unsure = true
  }
  return unsure ? null : false
})
