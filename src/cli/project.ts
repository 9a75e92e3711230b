import * as path from "node:path"
import * as Effect from "effect/Effect"
import { ancestors, canonical, findProjectRoot, workTreeTop } from "../control/projectRoot.ts"
import { Toggles } from "../control/Toggles.ts"
import { Disk } from "../platform/Disk.ts"
import { Host } from "../platform/Host.ts"
import { NotADirectory } from "./errors.ts"
import { plain } from "./render/text.ts"
import { note } from "./report.ts"

/** The project that a command is about: the directory that was given, or the one around the working directory. */
export const projectOf = Effect.fn("projectOf")(function* (given: string | undefined) {
  const host = yield* Host
  const toggles = yield* Toggles
  const disk = yield* Disk
  if (given !== undefined) {
    const directory = yield* disk
      .realPath(path.resolve(host.cwd, given))
      .pipe(Effect.mapError(() => new NotADirectory({ path: path.resolve(host.cwd, given) })))
    if ((yield* disk.status(directory))?.kind !== "directory") return yield* new NotADirectory({ path: directory })
    return directory
  }
  const found = yield* findProjectRoot({
    override: host.env.LINT_AI_PROJECT_DIR,
    provider: undefined,
    cwd: host.cwd,
    isAdopted: (root) => Effect.map(toggles.read(root), (consent) => consent._tag === "adopted")
  })
  // Nothing is made where a slip in the variable leads, nor beside a directory whose name is no UTF-8 and reads as another one.
  const status = yield* disk.status(found).pipe(Effect.orElseSucceed(() => undefined))
  if (status?.kind === "directory") return found
  const isNamed = host.env.LINT_AI_PROJECT_DIR !== undefined
  return yield* new NotADirectory({ path: found, ...(isNamed ? { variable: "LINT_AI_PROJECT_DIR" } : undefined) })
})

/**
 * The project that is set up for agents that are started in the working directory. One that is adopted above their work tree, as the home directory may
 * be, is none of theirs: they do not read its settings, and what they do would not be recorded there.
 */
export const projectToSetUp = Effect.fn("projectToSetUp")(function* (given: string | undefined) {
  const project = yield* projectOf(given)
  return (yield* treeBelow(given, project)) ?? project
})

/**
 * The work tree around the working directory (that directory itself where there is none), where it lies in a project that nobody named and is no part of
 * it: an agent that is started there takes the tree for its project (control/projectRoot.ts).
 */
export const treeBelow = Effect.fn("treeBelow")(function* (given: string | undefined, project: string) {
  const host = yield* Host
  if (given !== undefined || host.env.LINT_AI_PROJECT_DIR !== undefined) return undefined
  const directory = yield* canonical(host.cwd)
  const tree = (yield* workTreeTop(directory)) ?? directory
  return tree !== project && ancestors(tree).includes(project) ? tree : undefined
})

/** What a person should know who looks at a project from a work tree that is no part of it. */
export const treeBelowWords = (tree: string, project: string): string =>
  `${tree} is no part of ${project}: an agent that is started there takes it for a project of its own`

/** Tells a person about it. */
export const noteTreeBelow = Effect.fn("noteTreeBelow")(function* (given: string | undefined, project: string) {
  const tree = yield* treeBelow(given, project)
  if (tree !== undefined) yield* note(`${plain(treeBelowWords(tree, project))}. \`lint-ai init\` sets it up.\n`)
})
