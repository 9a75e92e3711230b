import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { Disk } from "../platform/Disk.ts"
import { Git } from "../platform/Git.ts"
import { Host } from "../platform/Host.ts"
import { Worktrees } from "../platform/Worktrees.ts"
import { openPlace } from "./placeRegistry.ts"

/** The uncommitted changes of the baseline cannot be had. */
export class NoPatch extends Data.TaggedError("NoPatch")<{ readonly reason: string }> {
  override get message(): string {
    return `The uncommitted changes of the baseline are not known: ${this.reason}. Give a patch with --patch FILE, or leave --with-patch away.`
  }
}

/** A patch as it is asked for: what is uncommitted in the project now, which counts only while HEAD is the recorded revision, or a file. */
export interface WantedPatch {
  readonly patch: "present" | { readonly file: string } | undefined
  readonly projectRoot: string
  readonly revision: string | undefined
}

/** Fails where the changes that are asked for cannot be had, as a plan must say. */
export const checkPatch = Effect.fnUntraced(function* ({ patch, projectRoot, revision }: WantedPatch) {
  if (patch === undefined) return
  if (patch !== "present") {
    const disk = yield* Disk
    const status = yield* disk.status(patch.file).pipe(Effect.orElseSucceed(() => undefined))
    return status === undefined ? yield* new NoPatch({ reason: `there is no ${patch.file}` }) : undefined
  }
  if (revision === undefined) return yield* new NoPatch({ reason: "the baseline was recorded outside of a repository" })
  const git = yield* Git
  const now = yield* git.workTree(projectRoot)
  if (now === undefined) {
    return yield* new NoPatch({ reason: `Git tells nothing of ${projectRoot}; \`git status\` there says why` })
  }
  if (now.revision !== revision) {
    return yield* new NoPatch({
      reason: `the project stood at ${revision?.slice(0, 12)} and is at ${now.revision?.slice(0, 12) ?? "no commit"} now`
    })
  }
})

/** The bytes of the patch; undefined where none is asked for. */
export const readPatch = Effect.fnUntraced(function* (wanted: WantedPatch) {
  const { patch } = wanted
  if (patch === undefined) return undefined
  yield* checkPatch(wanted)
  const disk = yield* Disk
  if (patch !== "present") {
    return yield* disk
      .readFile(patch.file)
      .pipe(Effect.mapError((error) => new NoPatch({ reason: `${patch.file} cannot be read (${error.code})` })))
  }
  const worktrees = yield* Worktrees
  const host = yield* Host
  // It holds the user's changes: should this process be killed, the next one removes it.
  const scratch = yield* openPlace(host.temporary, false)
  return yield* disk.readFile(yield* worktrees.changes(wanted.projectRoot, scratch))
})
