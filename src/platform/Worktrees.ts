import * as path from "node:path"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type SimpleGit, type SimpleGitOptions, simpleGit } from "simple-git"
import { withoutOwnFilters } from "./ownFilters.ts"

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

/** What changed since a commit. Lines of binary files are not counted. */
export interface ChangedFiles {
  readonly files: number
  readonly insertions: number
  readonly deletions: number
  readonly commits: number
}

/**
 * Work trees of a recorded commit. Hooks of Git never run here: neither the repository's nor those of the user's configuration, for what they do is
 * meant for the user's own work.
 */
export class Worktrees extends Context.Service<
  Worktrees,
  {
    /**
     * Checks a commit out into a directory that is not there yet, with no branch. Submodules stay empty.
     *
     * The work tree is of a bare repository of its own at `store`, which borrows the objects of the user's and has those of its branches and tags that
     * are in the history of the commit: what is done there with branches, commits and stashes reaches nobody, and nothing of later days can be found.
     */
    readonly add: (request: {
      readonly repository: string
      readonly store: string
      readonly directory: string
      readonly revision: string
    }) => Effect.Effect<void, WorktreeFailed>
    /** Applies a patch to the files of a directory, which need not be in a repository. All of it or nothing. */
    readonly apply: (directory: string, patch: Uint8Array) => Effect.Effect<void, WorktreeFailed>
    /**
     * Writes what differs from HEAD, also in files that Git does not know and does not ignore, into a patch, and gives its path. Nothing is written
     * into the repository: a new index and new objects go to `scratch`, a directory that is there, as the patch does.
     */
    readonly changes: (repository: string, scratch: string) => Effect.Effect<string, WorktreeFailed>
    /**
     * How much of a work tree differs from a commit, committed there or not, with files that Git does not know and does not ignore. Its index stays as
     * it is: `scratch` is where another one is made. Undefined where Git cannot tell.
     */
    readonly changedSince: (
      workTree: string,
      revision: string,
      scratch: string
    ) => Effect.Effect<ChangedFiles | undefined>
  }
>()("lint-ai/platform/Worktrees") {
  static readonly layer = Layer.succeed(Worktrees, {
    add: ({ repository, store, directory, revision }) =>
      attempt("add", async () => {
        // An id only: what is none could be an option.
        if (!/^[0-9a-f]{40,64}$/.test(revision)) throw new Error(`"${revision}" is no commit`)
        const user = gitIn(repository)
        await user.raw(["clone", "--bare", "--shared", "--quiet", "--template=", ".", store])
        const git = gitIn(store)
        await git.raw(["remote", "remove", "origin"])
        const later = await git.raw(["for-each-ref", "--no-merged", revision, "--format=delete %(refname)"])
        if (later !== "") await gitIn(store, Buffer.from(later)).raw(["update-ref", "--stdin"])
        for (const [key, value] of await settingsOf(user)) await git.raw(["config", "--add", key, value])
        await git.raw(["worktree", "add", "--detach", directory, revision])
      }),
    apply: (directory, patch) =>
      attempt("apply", () => gitIn(directory, patch).raw(["apply", "--binary", "--whitespace=nowarn", "-"])).pipe(
        Effect.asVoid
      ),
    changes: (repository, scratch) =>
      attempt("changes", async () => {
        const git = await beside(repository, scratch)
        // Into a file, since simple-git decodes what it reads, and files may be in any encoding.
        const patch = path.join(scratch, "changes.patch")
        await git.raw(["diff", "--cached", "--binary", "--no-color", "--no-ext-diff", `--output=${patch}`, "HEAD"])
        return patch
      }),
    changedSince: (workTree, revision, scratch) =>
      Effect.promise(async () => {
        try {
          const git = await beside(workTree, scratch)
          const lines = (await git.raw(["diff", "--cached", "--numstat", "--no-renames", "-z", revision])).split("\0")
          const counts = lines.filter((line) => line !== "").map((line) => line.split("\t"))
          const sum = (at: 0 | 1) => counts.reduce((total, count) => total + (Number(count[at]) || 0), 0)
          const commits = Number(await git.raw(["rev-list", "--count", `${revision}..HEAD`]))
          return { files: counts.length, insertions: sum(0), deletions: sum(1), commits }
        } catch {
          return undefined
        }
      })
  })

  /** Checks nothing out: `add` makes the directory by `make`, for tests. */
  static readonly layerTest = (make: (directory: string, revision: string) => void, patchFile = "") =>
    Layer.succeed(Worktrees, {
      add: ({ directory, revision }) => Effect.sync(() => make(directory, revision)),
      apply: () => Effect.void,
      changes: () => Effect.succeed(patchFile),
      changedSince: () => Effect.succeed(undefined)
    })
}

// The defaults wait 50 ms for each command's exit. Variables of Git in the environment are removed by simple-git itself.
const options: Partial<SimpleGitOptions> = {
  completion: { onExit: false, onClose: true },
  config: ["core.hooksPath=/dev/null", "core.fsmonitor=false", "submodule.recurse=false"],
  unsafe: {
    allowUnsafeHooksPath: true,
    allowUnsafeFsMonitor: true,
    allowUnsafeTemplateDir: true,
    allowUnsafeFilter: true
  }
}

/** simple-git refuses an environment that is given to it with more variables of Git in it, or of the programs that Git starts. */
const harmlessEnv = (): Record<string, string> =>
  Object.fromEntries(
    ["PATH", "HOME", "USERPROFILE", "SystemRoot", "TMPDIR", "TEMP"].flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    })
  )

/** Git with another index, in which all is staged, and another place for new objects: the repository itself stays as it is. */
const beside = async (workTree: string, scratch: string): Promise<SimpleGit> => {
  const asked = ["rev-parse", "--path-format=absolute", "--git-common-dir", "--show-toplevel"]
  const [common = "", top = ""] = (await gitIn(workTree).raw(asked)).split("\n")
  const git = simpleGit(top, {
    ...options,
    config: [...(options.config ?? []), ...(await withoutOwnFilters(gitIn(top)))],
    allowEnvironment: ["GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES"]
  }).env({
    ...harmlessEnv(),
    GIT_INDEX_FILE: path.join(scratch, "index"),
    GIT_OBJECT_DIRECTORY: scratch,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: path.join(common, "objects")
  })
  await git.raw(["read-tree", "HEAD"])
  // In a submodule Git would start another one, under the settings of that one.
  const submodules = (await git.raw(["ls-files", "--stage", "-z"]))
    .split("\0")
    .filter((entry) => entry.startsWith("160000 "))
    .map((entry) => `:(exclude,literal)${entry.slice(entry.indexOf("\t") + 1)}`)
  await git.raw(["add", "--all", "--", ".", ...submodules])
  return git
}

const gitIn = (directory: string, input?: Uint8Array): SimpleGit =>
  simpleGit(directory, { ...options, ...(input === undefined ? undefined : { input: () => Buffer.from(input) }) })

/** What of a repository's own configuration decides how files are checked out and who commits. */
const kept =
  /^(core\.(autocrlf|eol|safecrlf|ignorecase|symlinks|filemode|precomposeunicode|longpaths)|user\.(name|email))$/

const settingsOf = async (git: SimpleGit): Promise<ReadonlyArray<readonly [key: string, value: string]>> => {
  const listed = await git.raw(["config", "--local", "--list", "-z"])
  return listed.split("\0").flatMap((entry) => {
    const at = entry.indexOf("\n")
    const key = entry.slice(0, at)
    return at > 0 && kept.test(key) ? [[key, entry.slice(at + 1)] as const] : []
  })
}

const attempt = <A>(step: WorktreeFailed["step"], run: () => Promise<A>): Effect.Effect<A, WorktreeFailed> =>
  Effect.tryPromise({
    try: run,
    catch: (error) => new WorktreeFailed({ step, reason: firstSentence(error) })
  })

const firstSentence = (error: unknown): string => {
  // In the words of Node and of bun.
  if (/spawn git ENOENT|not found in \$PATH: "git"/.test(String(error))) return "there is no git on the PATH"
  const lines = (error instanceof Error ? error.message : String(error)).split("\n")
  const said = lines.find((line) => /^(fatal|error): /.test(line)) ?? lines.find((line) => line.trim() !== "") ?? ""
  return said.replace(/^(fatal|error): /, "").trim()
}
