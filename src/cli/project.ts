import * as path from "node:path"
import * as Effect from "effect/Effect"
import { findProjectRoot } from "../control/projectRoot.ts"
import { Toggles } from "../control/Toggles.ts"
import { Disk } from "../platform/Disk.ts"
import { Host } from "../platform/Host.ts"
import { NotADirectory } from "./errors.ts"

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
  return yield* findProjectRoot({
    override: host.env.LINT_AI_PROJECT_DIR,
    provider: undefined,
    cwd: host.cwd,
    isAdopted: (root) => Effect.map(toggles.read(root), (consent) => consent._tag === "adopted")
  })
})
