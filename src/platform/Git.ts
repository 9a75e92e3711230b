import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { simpleGit } from "simple-git"

/** What Git says of a work tree. */
export interface WorkTree {
  /** Commit of HEAD; undefined before the first commit. */
  readonly revision: string | undefined
  /** Undefined when HEAD is detached. */
  readonly branch: string | undefined
  /** Whether tracked files differ from HEAD or there are files that Git does not know. */
  readonly dirty: boolean
  /** Files below `.lint-ai` that are tracked: recordings that a commit would publish. */
  readonly trackedRecordings: number
}

/** Git, for the CLI. The hook never starts it: it reads `.git` itself. */
export class Git extends Context.Service<
  Git,
  {
    /** Undefined where there is no repository, or no Git. */
    readonly workTree: (directory: string) => Effect.Effect<WorkTree | undefined>
  }
>()("lint-ai/platform/Git") {
  static readonly layer = Layer.succeed(Git, {
    workTree: (directory) =>
      Effect.tryPromise(async () => {
        // The defaults wait 50 ms for each command's exit.
        const git = simpleGit(directory, { completion: { onExit: false, onClose: true } })
        const status = await git.status()
        const revision = await git.revparse(["HEAD"]).catch(() => undefined)
        const tracked = await git.raw(["ls-files", "--", ".lint-ai"])
        return {
          revision,
          branch: status.detached || status.current === null ? undefined : status.current,
          dirty: !status.isClean(),
          trackedRecordings: tracked.split("\n").filter((line) => line !== "").length
        } satisfies WorkTree
      }).pipe(Effect.orElseSucceed(() => undefined))
  })

  static readonly layerTest = (workTree: WorkTree | undefined) =>
    Layer.succeed(Git, { workTree: () => Effect.succeed(workTree) })
}
