import * as path from "node:path"
import type { Provider } from "../domain/provider.ts"
import { sha256 } from "../platform/digest.ts"

/**
 * The directory name of a session: the first `:` becomes `-`, every other character outside `[a-z0-9._-]` becomes `_`, capped at 120, and 8
 * hex digits of the id's SHA-256 are appended when anything but that first `:` changed.
 *
 * So the name is legal on every file system, cannot leave its parent, and two ids that differ only in case, in a look-alike or in what was
 * cut get two directories. Total: any text gives a name.
 */
export const sessionDirectory = (sessionId: string): string => {
  const dashed = sessionId.replace(":", "-")
  const plain = dashed.replace(/[^a-z0-9._-]/gu, "_").slice(0, 120)
  // `claude-..` is harmless and `claude-con` is no device, but a raw id of an older recorder may be just `..`, `con.txt`, `x.` or nothing.
  const device = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/.test(plain)
  if (plain === dashed && plain !== "" && !device && !/^\.|\.$/.test(plain)) return plain
  const name = plain.replace(/^\.+|\.+$/g, "_")
  return `${device || name === "" ? "_" : ""}${name}-${digest(sessionId).slice(0, 8)}`
}

/** SHA-256 of an id, hex. UTF-8 knows no half of a surrogate pair: all would become U+FFFD and be one id, so such an id is told by its escapes. */
const digest = (id: string): string => {
  const text = /[\ud800-\udfff]/u.test(id) ? JSON.stringify(id) : id
  return sha256(text)
}

/** The usual directory of a provider's session archives in a project. */
export const sessionsRoot = (projectRoot: string, provider: Provider): string =>
  path.join(projectRoot, ".lint-ai", `${provider}-sessions`)

/** The files of one archive. */
export const archiveFiles = (directory: string) => {
  // A list of ten thousand sessions asks for these fifty thousand times, and joining paths is most of what that costs.
  const at = directory.endsWith(path.sep) ? directory : directory + path.sep
  return {
    directory,
    events: `${at}events.jsonl`,
    manifest: `${at}manifest.json`,
    checksums: `${at}checksums.json`,
    recovery: `${at}recovery.json`,
    checkpoint: `${at}checkpoint.json`,
    spool: `${at}spool`,
    lock: `${at}lock`
  }
}
export type ArchiveFiles = ReturnType<typeof archiveFiles>
