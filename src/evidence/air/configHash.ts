import * as crypto from "node:crypto"
import * as path from "node:path"
import * as Effect from "effect/Effect"
import { Disk } from "../../platform/Disk.ts"
import { canonicalJson, compareCodePoints, toJson } from "./json.ts"

/** The files of an agent's configuration, and one digest over their paths and contents. */
export interface ConfigManifest {
  readonly version: "1.0.0"
  readonly files: ReadonlyArray<{ readonly path: string; readonly sha256: string }>
  readonly config_hash: string
}

const skippedNames = new Set([".air-signing-key", ".DS_Store"])
const skippedDirectories = new Set([".git", "__pycache__", "node_modules", ".venv"])

/**
 * The manifest of files and directories. A directory is taken with all that is below it but the skipped names; a file that is named itself is
 * always taken. Links are not followed.
 *
 * @param base what the paths in the manifest are relative to
 */
export const configManifest = Effect.fn("configManifest")(function* (base: string, places: ReadonlyArray<string>) {
  const disk = yield* Disk
  const files = new Map<string, string>()
  const add = Effect.fnUntraced(function* (file: string) {
    const digest = crypto
      .createHash("sha256")
      .update(yield* disk.readFile(file))
      .digest("hex")
    files.set(path.relative(base, file), digest)
  })
  const waiting: Array<string> = []
  for (const place of places) {
    const status = yield* disk.status(place)
    if (status?.kind === "directory") waiting.push(place)
    else yield* add(place)
  }
  for (let directory = waiting.shift(); directory !== undefined; directory = waiting.shift()) {
    for (const name of yield* disk.list(directory)) {
      const file = path.join(directory, name)
      const kind = (yield* disk.status(file))?.kind
      if (kind === "directory" && !skippedDirectories.has(name)) waiting.push(file)
      if (kind === "file" && !skippedNames.has(name)) yield* add(file)
    }
  }
  const listed = [...files]
    .map(([name, sha256]) => ({ path: name, sha256 }))
    .sort((left, right) => compareCodePoints(left.path, right.path))
  return {
    version: "1.0.0",
    files: listed,
    config_hash: crypto
      .createHash("sha256")
      .update(canonicalJson(toJson(listed)))
      .digest("hex")
  } satisfies ConfigManifest
})
