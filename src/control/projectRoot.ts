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

/** A path with its links resolved, as far as it exists; the path itself where it does not. */
export const canonical = Effect.fnUntraced(function* (directory: string) {
  const disk = yield* Disk
  return yield* disk.realPath(directory).pipe(Effect.orElseSucceed(() => path.resolve(directory)))
})

/**
 * The project that a command or a session without other knowledge belongs to: `LINT_AI_PROJECT_DIR`; else the provider's own word; else, from the
 * working directory, the nearest ancestor for which `isAdopted` holds, else the top of the Git work tree, else the directory itself.
 */
export const findProjectRoot = Effect.fnUntraced(function* <R>(from: {
  readonly override: string | undefined
  readonly provider: string | undefined
  readonly cwd: string
  readonly isAdopted: (root: string) => Effect.Effect<boolean, never, R>
}) {
  for (const named of [from.override, from.provider]) {
    if (named !== undefined && path.isAbsolute(named)) return yield* canonical(named)
  }
  const cwd = yield* canonical(from.cwd)
  const disk = yield* Disk
  for (const candidate of ancestors(cwd)) {
    // Where that cannot be told, the state is asked for all the same.
    const isThere = yield* disk.status(lintAiDirectory(candidate)).pipe(
      Effect.map((status) => status?.kind === "directory"),
      Effect.orElseSucceed(() => true)
    )
    if (isThere && (yield* from.isAdopted(candidate))) return candidate
  }
  return (yield* nearestWith(cwd, ".git")) ?? cwd
})
