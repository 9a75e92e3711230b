import * as path from "node:path"
import * as Effect from "effect/Effect"
import { Disk } from "../../platform/Disk.ts"
import { Host } from "../../platform/Host.ts"

/** What Codex reads in one place: a project, or its home directory. */
export interface CodexFiles {
  readonly hooks: string
  readonly config: string
  readonly memory: string
}

export interface CodexPlaces {
  readonly project: CodexFiles
  readonly user: CodexFiles
  /** The main checkout, when the project is in a linked worktree of one. */
  readonly mainCheckout: string | undefined
  /** Directories whose trust counts for the project. */
  readonly roots: ReadonlyArray<string>
}

/**
 * The files of Codex. Its home is `CODEX_HOME`, else `~/.codex`. In a linked worktree it takes hooks.json from the main checkout, and all else
 * from the worktree (0.171.0, measured).
 */
export const codexPlaces = Effect.fn("codexPlaces")(function* (project: string) {
  const host = yield* Host
  const given = host.env.CODEX_HOME
  const home = given === undefined || given === "" ? path.join(host.home, ".codex") : path.resolve(host.cwd, given)
  const checkout = yield* checkoutOf(project)
  const main = checkout?.main
  const hooksRoot = main === undefined ? project : path.join(main, path.relative(checkout?.top ?? project, project))
  return {
    project: {
      hooks: path.join(hooksRoot, ".codex", "hooks.json"),
      config: path.join(project, ".codex", "config.toml"),
      memory: path.join(project, "AGENTS.md")
    },
    user: {
      hooks: path.join(home, "hooks.json"),
      config: path.join(home, "config.toml"),
      memory: path.join(home, "AGENTS.md")
    },
    mainCheckout: main,
    roots: [...new Set([project, checkout?.top, main].filter((one) => one !== undefined))]
  } satisfies CodexPlaces
})

/**
 * The top of the checkout that a directory is in, and the main checkout of a linked one. A linked worktree has a file `.git` that names
 * its part of the repository, in which `commondir` leads to the whole (gitrepository-layout(5)); a submodule has no such file there.
 */
const checkoutOf = Effect.fnUntraced(function* (project: string) {
  const disk = yield* Disk
  for (let directory = project; ; directory = path.dirname(directory)) {
    const git = path.join(directory, ".git")
    const status = yield* disk.status(git).pipe(Effect.orElseSucceed(() => undefined))
    if (status?.kind === "directory") return { top: directory, main: undefined }
    if (status?.kind === "file") {
      const own = /^gitdir: (.*)$/m.exec(yield* textOf(git))?.[1]?.trim()
      const gitDirectory = own === undefined || own === "" ? undefined : path.resolve(directory, own)
      const common = gitDirectory === undefined ? "" : (yield* textOf(path.join(gitDirectory, "commondir"))).trim()
      if (gitDirectory === undefined || common === "") return { top: directory, main: undefined }
      const repository = path.resolve(gitDirectory, common)
      // A bare repository has no checkout beside it.
      return { top: directory, main: path.basename(repository) === ".git" ? path.dirname(repository) : undefined }
    }
    if (path.dirname(directory) === directory) return undefined
  }
})

const textOf = Effect.fnUntraced(function* (file: string) {
  const disk = yield* Disk
  return yield* disk.readFile(file).pipe(
    Effect.map((bytes) => bytes.toString("utf8")),
    Effect.orElseSucceed(() => "")
  )
})
