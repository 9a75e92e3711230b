import * as path from "node:path"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { nearestWith } from "../control/projectRoot.ts"
import { Disk } from "../platform/Disk.ts"
import { Worktrees } from "../platform/Worktrees.ts"
import { copyProject, leftOut } from "./copyProject.ts"
import type { Source } from "./IsolatedAgent.ts"

/** The project has no such directory at the recorded revision. */
export class NotInRevision extends Data.TaggedError("NotInRevision")<{
  readonly directory: string
  readonly revision: string
}> {
  override get message(): string {
    return `${this.directory} is not in ${this.revision.slice(0, 12)}: it was added to the repository later`
  }
}

export interface Workspace {
  /** Where the agent works. */
  readonly directory: string
  readonly notes: ReadonlyArray<string>
}

/**
 * Makes the files of a source anew below `below`, in a directory of the project's name. Of a recorded revision a detached work tree, else a bounded copy.
 */
export const makeWorkspace = Effect.fn("makeWorkspace")(function* (source: Source, below: string) {
  const disk = yield* Disk
  const worktrees = yield* Worktrees
  yield* disk.makeDirectory(below)
  const { root, ...made } = yield* source.revision === undefined
    ? copyOf(source.projectRoot, below)
    : checkout(source.projectRoot, source.revision, below)
  if (source.patch === undefined || source.patch.length === 0) return made
  yield* worktrees.apply(root, source.patch)
  return { ...made, notes: [...made.notes, "The uncommitted changes were applied on top."] } satisfies Workspace
})

const checkout = Effect.fnUntraced(function* (projectRoot: string, revision: string, below: string) {
  const disk = yield* Disk
  const worktrees = yield* Worktrees
  const repository = (yield* nearestWith(projectRoot, ".git")) ?? projectRoot
  const root = path.join(below, nameOf(repository))
  yield* worktrees.add({ repository, store: path.join(below, "repository.git"), directory: root, revision })
  const directory = path.join(root, path.relative(repository, projectRoot))
  if ((yield* disk.status(directory))?.kind !== "directory") {
    return yield* new NotInRevision({ directory: projectRoot, revision })
  }
  const submodules = (yield* disk.status(path.join(root, ".gitmodules"))) !== undefined
  return {
    root,
    directory,
    notes: [
      `The agent works in a detached work tree of ${revision.slice(0, 12)}, of a repository of its own without later commits or remotes: what Git ignores (installed packages, .env files) is not there.`,
      ...(submodules ? ["The submodules of the repository are empty there."] : [])
    ]
  }
})

const copyOf = Effect.fnUntraced(function* (projectRoot: string, below: string) {
  const disk = yield* Disk
  const root = path.join(below, nameOf(projectRoot))
  yield* disk.makeDirectory(root)
  const copied = yield* copyProject(projectRoot, root)
  return {
    root,
    directory: root,
    notes: [
      `No revision is known, so the agent works in a copy of the project as it is now: ${copied.files} files.`,
      ...(copied.leftOut.length === 0 ? [] : [`Left out of the copy: ${some(copied.leftOut)}.`]),
      ...(copied.skipped.length === 0
        ? []
        : [`Not copied, because they lead out of the project or are no files: ${some(copied.skipped)}.`])
    ]
  }
})

const some = (names: ReadonlyArray<string>): string =>
  names.length <= 5 ? names.join(", ") : `${names.slice(0, 5).join(", ")} and ${names.length - 5} more`

/** The agent sees the project's name, as it did when it was recorded. */
const nameOf = (directory: string): string => {
  const name = path.basename(directory)
  return name === "" || name === "repository.git" || leftOut.has(name) ? "project" : name
}
