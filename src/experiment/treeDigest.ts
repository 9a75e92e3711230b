import * as path from "node:path"
import * as Effect from "effect/Effect"
import { Disk } from "../platform/Disk.ts"
import { sha256 } from "../platform/digest.ts"

/**
 * SHA-256 over the names and contents of the files below a directory, in the order of their names. Links are named and not followed: behind one may be
 * the user's login. "" for a directory that is not there.
 *
 * @param neutral names of directories that differ from place to place; they are read as if they were all the same
 * @param include which files count, by their path from the directory
 */
export const treeDigest = Effect.fn("treeDigest")(function* (
  directory: string,
  options: {
    readonly neutral?: ReadonlyArray<string>
    readonly include?: (name: string) => boolean
  } = {}
) {
  const disk = yield* Disk
  // The longest first: one may be the beginning of another.
  const neutral = [...(options.neutral ?? [])].sort((a, b) => b.length - a.length)
  const plain = (text: string) => neutral.reduce((rest, name) => rest.replaceAll(name, "<place>"), text)
  const lines: Array<string> = []
  const walk = (below: string): Effect.Effect<void, never, never> =>
    Effect.gen(function* () {
      for (const name of yield* disk.list(path.join(directory, below)).pipe(Effect.orElseSucceed(() => []))) {
        const from = path.join(below, name)
        const status = yield* disk.status(path.join(directory, from)).pipe(Effect.orElseSucceed(() => undefined))
        if (status?.kind === "directory") yield* walk(from)
        else if (status !== undefined && options.include?.(from) !== false) {
          const content =
            status.kind === "file"
              ? yield* disk.readFile(path.join(directory, from)).pipe(
                  Effect.map((bytes) => sha256(neutral.length === 0 ? bytes : plain(bytes.toString("utf8")))),
                  Effect.orElseSucceed(() => "unreadable")
                )
              : status.kind
          lines.push(`${plain(from)}\n${content}\n`)
        }
      }
    })
  yield* walk("")
  return lines.length === 0 ? "" : sha256(...lines)
})
