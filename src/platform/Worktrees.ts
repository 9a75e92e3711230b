import * as path from "node:path"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type SimpleGit, type SimpleGitOptions, simpleGit } from "simple-git"

/** Git did not do what was asked of it. `reason` is its own first sentence. */
export class WorktreeFailed extends Data.TaggedError("WorktreeFailed")<{
  readonly step: "add" | "apply" | "changes"
  readonly reason: string
}> {
  override get message(): string {
    return `Git could not ${steps[this.step]}: ${this.reason}`
  }
}

const steps = {
  add: "check the recorded revision out",
  apply: "apply the uncommitted changes",
  changes: "tell what is not committed"
}

/**
 * Work trees beside a repository. Hooks of Git never run here: neither the repository's nor those of the user's configuration, for what they do is
 * meant for the user's own work.
 */
export class Worktrees extends Context.Service<
  Worktrees,
  {
    /** Checks a commit out into a directory that is not there yet, with no branch. Submodules stay empty. */
    readonly add: (repository: string, directory: string, revision: string) => Effect.Effect<void, WorktreeFailed>
    /** Removes a work tree with all that is in it, and what Git remembers of those that are gone. Never fails. */
    readonly remove: (repository: string, directory: string) => Effect.Effect<void>
    /** Applies a patch to the files of a directory, which need not be in a repository. All of it or nothing. */
    readonly apply: (directory: string, patch: Uint8Array) => Effect.Effect<void, WorktreeFailed>
    /**
     * Writes what differs from HEAD, also in files that Git does not know and does not ignore, into a patch, and gives its path. Nothing is written
     * into the repository: a new index and new objects go to `scratch`, a directory that is there, as the patch does.
     */
    readonly changes: (repository: string, scratch: string) => Effect.Effect<string, WorktreeFailed>
  }
>()("lint-ai/platform/Worktrees") {
  static readonly layer = Layer.succeed(Worktrees, {
    add: (repository, directory, revision) =>
      attempt("add", () =>
        // An id only: what is none could be an option.
        /^[0-9a-f]{40,64}$/.test(revision)
          ? gitIn(repository).raw(["worktree", "add", "--detach", directory, revision])
          : Promise.reject(new Error(`"${revision}" is no commit`))
      ).pipe(Effect.asVoid),
    remove: (repository, directory) =>
      Effect.promise(async () => {
        const git = gitIn(repository)
        // Twice: a work tree may be locked.
        await git.raw(["worktree", "remove", "--force", "--force", directory]).catch(() => "")
        await git.raw(["worktree", "prune"]).catch(() => "")
      }).pipe(Effect.catchDefect(() => Effect.void)),
    apply: (directory, patch) =>
      attempt("apply", () => gitIn(directory, patch).raw(["apply", "--binary", "--whitespace=nowarn", "-"])).pipe(
        Effect.asVoid
      ),
    changes: (repository, scratch) =>
      attempt("changes", async () => {
        const [common = "", prefix = ""] = (
          await gitIn(repository).raw(["rev-parse", "--path-format=absolute", "--git-common-dir", "--show-toplevel"])
        ).split("\n")
        const git = simpleGit(prefix, {
          ...options,
          allowEnvironment: ["GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES"]
        }).env({
          ...harmlessEnv(),
          GIT_INDEX_FILE: path.join(scratch, "index"),
          GIT_OBJECT_DIRECTORY: scratch,
          GIT_ALTERNATE_OBJECT_DIRECTORIES: path.join(common, "objects")
        })
        await git.raw(["read-tree", "HEAD"])
        await git.raw(["add", "--all", "--", "."])
        // Into a file, since simple-git decodes what it reads, and files may be in any encoding.
        const patch = path.join(scratch, "changes.patch")
        await git.raw(["diff", "--cached", "--binary", "--no-color", "--no-ext-diff", `--output=${patch}`, "HEAD"])
        return patch
      })
  })

  /** Checks nothing out: `add` makes the directory by `make`, for tests. */
  static readonly layerTest = (make: (directory: string, revision: string) => void, patchFile = "") =>
    Layer.succeed(Worktrees, {
      add: (_repository, directory, revision) => Effect.sync(() => make(directory, revision)),
      remove: () => Effect.void,
      apply: () => Effect.void,
      changes: () => Effect.succeed(patchFile)
    })
}

// The defaults wait 50 ms for each command's exit. Variables of Git in the environment are removed by simple-git itself.
const options: Partial<SimpleGitOptions> = {
  completion: { onExit: false, onClose: true },
  config: ["core.hooksPath=/dev/null", "core.fsmonitor=false", "submodule.recurse=false"],
  unsafe: { allowUnsafeHooksPath: true, allowUnsafeFsMonitor: true }
}

/** simple-git refuses an environment that is given to it with more variables of Git in it, or of the programs that Git starts. */
const harmlessEnv = (): Record<string, string> =>
  Object.fromEntries(
    ["PATH", "HOME", "USERPROFILE", "SystemRoot", "TMPDIR", "TEMP"].flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    })
  )

const gitIn = (directory: string, input?: Uint8Array): SimpleGit =>
  simpleGit(directory, { ...options, ...(input === undefined ? undefined : { input: () => Buffer.from(input) }) })

const attempt = <A>(step: WorktreeFailed["step"], run: () => Promise<A>): Effect.Effect<A, WorktreeFailed> =>
  Effect.tryPromise({
    try: run,
    catch: (error) => new WorktreeFailed({ step, reason: firstSentence(error) })
  })

const firstSentence = (error: unknown): string => {
  const lines = (error instanceof Error ? error.message : String(error)).split("\n")
  const said = lines.find((line) => /^(fatal|error): /.test(line)) ?? lines.find((line) => line.trim() !== "") ?? ""
  return said.replace(/^(fatal|error): /, "").trim()
}
