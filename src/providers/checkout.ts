import * as path from "node:path"
import * as Effect from "effect/Effect"
import { Disk } from "../platform/Disk.ts"

/**
 * The top of the checkout that a directory is in, and the main checkout of a linked one. A linked worktree has a file `.git` that names
 * its part of the repository, in which `commondir` leads to the whole (gitrepository-layout(5)); a submodule has no such file there.
 */
export const checkoutOf = Effect.fnUntraced(function* (project: string) {
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
