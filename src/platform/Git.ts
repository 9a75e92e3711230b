import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { simpleGit } from "simple-git"
import { withoutOwnFilters } from "./ownFilters.ts"

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
  /** Whether Git would add recordings or memories to a commit of everything, because the `.gitignore` beside them is not ours any more. */
  readonly exposesRecordings: boolean
}

/** A path that Git offers to add: `.lint-ai` as a whole, or what lint-ai records there. Scenarios may be meant to be shared. */
const recordings = /(^|\/)\.lint-ai\/($|(claude|codex|gemini|antigravity)-(sessions|memory)\/)/

/**
 * Git in a directory. A repository's own settings name commands that Git runs, and a repository may come from anywhere: the one that every `git status` would
 * start is off. The default completion waits 50 ms for each command's exit.
 */
const gitIn = (directory: string, settings: ReadonlyArray<string> = []) =>
  simpleGit(directory, {
    completion: { onExit: false, onClose: true },
    config: ["core.fsmonitor=false", ...settings],
    unsafe: { allowUnsafeFsMonitor: true, allowUnsafeFilter: true }
  })

/** Git, for the CLI. The hook never starts it: it reads `.git` itself. */
export class Git extends Context.Service<
  Git,
  {
    /** Undefined where there is no repository, or no Git. */
    readonly workTree: (directory: string) => Effect.Effect<WorkTree | undefined>
    /** Whether a commit is in the history of another; undefined where one of them is not there, or there is no Git. */
    readonly isAncestor: (directory: string, older: string, newer: string) => Effect.Effect<boolean | undefined>
    /** The commit that a name stands for (a tag, a branch, HEAD, part of an id); undefined where there is none, or no Git. */
    readonly commitOf: (directory: string, name: string) => Effect.Effect<string | undefined>
    /** Paths of tracked files, relative to the directory, that match one of the patterns; none where there is no repository. */
    readonly trackedFiles: (directory: string, patterns: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>>
  }
>()("lint-ai/platform/Git") {
  static readonly layer = Layer.succeed(Git, {
    workTree: (directory) =>
      Effect.tryPromise(async () => {
        const git = gitIn(directory, await withoutOwnFilters(gitIn(directory)))
        // Git would start another one in each submodule, under the settings of that one.
        const status = await git.status(["--ignore-submodules=dirty"])
        // A Git that may not be started, as without Deno's permission, says nothing and fails at nothing.
        if (status.current === null && !status.detached) return undefined
        const revision = await git.revparse(["HEAD"]).catch(() => undefined)
        const tracked = await git.raw(["ls-files", "--", ".lint-ai"])
        return {
          revision,
          branch: status.detached || status.current === null ? undefined : status.current,
          dirty: !status.isClean(),
          trackedRecordings: tracked.split("\n").filter((line) => line !== "").length,
          exposesRecordings: status.not_added.some((file) => recordings.test(file))
        } satisfies WorkTree
      }).pipe(Effect.orElseSucceed(() => undefined)),
    isAncestor: (directory, older, newer) =>
      Effect.tryPromise(async () => {
        // Ids only: what is not one could be an option.
        if (![older, newer].every((id) => /^[0-9a-f]{40,64}$/.test(id))) return undefined
        const git = gitIn(directory)
        // Fails when either commit is gone, as after a shallow clone.
        const base = await git.raw(["merge-base", "--all", older, newer]).catch(() => "")
        const known = await git.raw(["cat-file", "-t", older])
        return known.trim() === "commit" ? base.split("\n").includes(older) : undefined
      }).pipe(Effect.orElseSucceed(() => undefined)),
    commitOf: (directory, name) =>
      Effect.tryPromise(async () => {
        const git = gitIn(directory)
        // Also what begins with a dash is a name.
        const found = await git.raw(["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`])
        return /^[0-9a-f]{40,64}$/.exec(found.trim())?.[0]
      }).pipe(Effect.orElseSucceed(() => undefined)),
    trackedFiles: (directory, patterns) =>
      Effect.tryPromise(async () => {
        const git = gitIn(directory)
        const listed = await git.raw(["ls-files", "-z", "--", ...patterns])
        return listed.split("\0").filter((file) => file !== "")
      }).pipe(Effect.orElseSucceed((): ReadonlyArray<string> => []))
  })

  static readonly layerTest = (workTree: WorkTree | undefined) =>
    Layer.succeed(Git, {
      workTree: () => Effect.succeed(workTree),
      isAncestor: () => Effect.succeed(undefined),
      commitOf: () => Effect.succeed(workTree?.revision),
      trackedFiles: () => Effect.succeed([])
    })
}
