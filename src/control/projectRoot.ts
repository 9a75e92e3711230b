import * as path from "node:path"
import * as Effect from "effect/Effect"
import { Disk } from "../platform/Disk.ts"

/** The directory of lint-ai in a project. */
export const lintAiDirectory = (projectRoot: string): string => path.join(projectRoot, ".lint-ai")

/** A directory and its ancestors, nearest first. */
export const ancestors = (directory: string): ReadonlyArray<string> => {
  const all: Array<string> = []
  for (let current = path.resolve(directory); ; current = path.dirname(current)) {
    all.push(current)
    if (path.dirname(current) === current) return all
  }
}

/** The nearest ancestor that holds `name`; undefined when none does. */
export const nearestWith = Effect.fnUntraced(function* (directory: string, name: string) {
  const disk = yield* Disk
  for (const candidate of ancestors(directory)) {
    const status = yield* disk.status(path.join(candidate, name)).pipe(Effect.orElseSucceed(() => undefined))
    if (status !== undefined) return candidate
  }
  return undefined
})

/**
 * The top of the Git work tree of a directory; undefined outside of one. A linked worktree inside of its main checkout, as Claude Code makes them with
 * `--worktree` and runs the hooks of the checkout in them (2.1.332), is a part of that checkout. One elsewhere, and a submodule, are none.
 */
export const workTreeTop = Effect.fnUntraced(function* (directory: string) {
  const top = yield* nearestWith(directory, ".git")
  return top === undefined ? undefined : ((yield* checkoutAround(top)) ?? top)
})

/** What a pointer to a repository may take. */
const longestPointer = 8 * 1024

/** The Git directory that `.git` names where it is a file, as in a linked worktree and in a submodule; undefined where it is none. */
export const namedGitDirectory = Effect.fnUntraced(function* (top: string) {
  const disk = yield* Disk
  const pointer = yield* disk
    .withFile(path.join(top, ".git"), "read", (file) => file.read(0, longestPointer))
    .pipe(Effect.orElseSucceed(() => undefined))
  const named = /^gitdir: (.+?)\s*$/m.exec(pointer?.toString("utf8") ?? "")?.[1]
  return named === undefined ? undefined : path.resolve(top, named)
})

/** The main checkout that a linked worktree lies in. Its `.git` names `<main checkout>/.git/worktrees/<name>`. */
const checkoutAround = Effect.fnUntraced(function* (top: string) {
  const named = yield* namedGitDirectory(top)
  if (named === undefined) return undefined
  const worktrees = path.dirname(named)
  const repository = path.dirname(worktrees)
  if (path.basename(worktrees) !== "worktrees" || path.basename(repository) !== ".git") return undefined
  const main = path.dirname(repository)
  return main !== top && ancestors(top).includes(main) ? main : undefined
})

/** A path with its links resolved, as far as it exists; the path itself where it does not. */
export const canonical = Effect.fnUntraced(function* (directory: string) {
  const disk = yield* Disk
  return yield* disk.realPath(directory).pipe(Effect.orElseSucceed(() => path.resolve(directory)))
})

/**
 * The project that a command or a session without other knowledge belongs to: `LINT_AI_PROJECT_DIR`; else the provider's own word; else, from the
 * working directory, the nearest ancestor for which `isAdopted` holds, else the top of the Git work tree, else the directory itself.
 *
 * An agent's word is the directory that it was started in. Started below the top of an adopted work tree, Claude Code runs the hooks of the top and
 * names the directory below (2.1.332), so the word means the nearest adopted directory of its work tree, where there is one.
 */
export const findProjectRoot = Effect.fnUntraced(function* <R>(from: {
  readonly override: string | undefined
  readonly provider: string | undefined
  readonly cwd: string
  readonly isAdopted: (root: string) => Effect.Effect<boolean, never, R>
}) {
  if (isNamed(from.override)) return yield* canonical(from.override)
  const adopted = Effect.fnUntraced(function* (candidate: string) {
    return (yield* mayHaveState(candidate)) && (yield* from.isAdopted(candidate))
  })
  if (isNamed(from.provider)) {
    const named = yield* canonical(from.provider)
    // Whatever its own state says is what holds there.
    if (yield* mayHaveState(named)) return named
    const top = yield* workTreeTop(named)
    for (const candidate of top === undefined ? [] : ancestors(named)) {
      if (yield* adopted(candidate)) return candidate
      if (candidate === top) break
    }
    return named
  }
  const cwd = yield* canonical(from.cwd)
  for (const candidate of ancestors(cwd)) {
    if (yield* adopted(candidate)) return candidate
  }
  return (yield* nearestWith(cwd, ".git")) ?? cwd
})

const isNamed = (directory: string | undefined): directory is string =>
  directory !== undefined && path.isAbsolute(directory)

/** Whether there is a directory of lint-ai. Where that cannot be told, the state is asked for all the same. */
const mayHaveState = Effect.fnUntraced(function* (root: string) {
  const disk = yield* Disk
  return yield* disk.status(lintAiDirectory(root)).pipe(
    Effect.map((status) => status?.kind === "directory"),
    Effect.orElseSucceed(() => true)
  )
})
