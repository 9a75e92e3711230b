import { createHash } from "node:crypto"
import * as path from "node:path"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Provider } from "../domain/provider.ts"
import { Disk } from "../platform/Disk.ts"
import { userDirectories } from "../platform/userDirectories.ts"

/**
 * What install did to one settings file, kept in the user's state directory so that uninstall can give the very bytes back. Losing it is
 * no harm: uninstall then removes what it recognises as ours.
 */
export const InstallRecord = Schema.Struct({
  schema_version: Schema.Literal(1),
  provider: Provider,
  /** The settings file, links followed. */
  target: Schema.String,
  /**
   * What was there before the first install: no file, or the bytes of this digest, of which `backup` is a copy. Null when that is not
   * known: entries of ours were found that this record does not account for.
   */
  original: Schema.NullOr(
    Schema.Union([
      Schema.Struct({ absent: Schema.Literal(true) }),
      Schema.Struct({ sha256: Schema.String, backup: Schema.String })
    ])
  ),
  /** Digest of what install wrote. While the file has it, nobody else changed anything. */
  written_sha256: Schema.String,
  /** Containers that were empty or missing before install; see `EmptyBefore`. */
  empty_before: Schema.Array(Schema.Struct({ path: Schema.Array(Schema.String), inner: Schema.NullOr(Schema.String) })),
  /** Directories that install made for the file, the innermost first: uninstall removes those that are empty then, and no others. */
  made_directories: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Command lines that install wrote, to recognise them when the program is not named lint-ai. */
  commands: Schema.Array(Schema.String)
})
export type InstallRecord = typeof InstallRecord.Type

const InstallRecordJson = Schema.fromJsonString(InstallRecord)
const decodeRecord = Schema.decodeUnknownEffect(InstallRecordJson)
const encodeRecord = Schema.encodeSync(InstallRecordJson)

export const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

/**
 * The directory with the record and the backups of one settings file.
 *
 * @param part which of several installs into the same file is meant, such as the project; undefined where a file has one
 */
export const recordDirectory = (provider: Provider, target: string, part?: string) =>
  Effect.map(userDirectories, ({ state }) => {
    const digest = sha256(Buffer.from(part === undefined ? target : `${target}\0${part}`))
    return path.join(state, "installs", `${provider}-${path.basename(target)}-${digest.slice(0, 12)}`)
  })

export const recordFile = (directory: string): string => path.join(directory, "record.json")

/** The record of a settings file; undefined when there is none, or none that can be read. */
export const readRecord = Effect.fnUntraced(function* (directory: string) {
  const disk = yield* Disk
  const file = recordFile(directory)
  if ((yield* disk.status(file)) === undefined) return undefined
  const bytes = yield* disk.readFile(file)
  return yield* decodeRecord(bytes.toString("utf8")).pipe(Effect.orElseSucceed(() => undefined))
})

/** The records of all installs of this user, with their directories. */
export const listRecords = Effect.fnUntraced(function* () {
  const disk = yield* Disk
  const { state } = yield* userDirectories
  const installs = path.join(state, "installs")
  const found: Array<{ readonly directory: string; readonly record: InstallRecord }> = []
  for (const name of yield* disk.list(installs)) {
    const directory = path.join(installs, name)
    const record = yield* readRecord(directory).pipe(Effect.orElseSucceed(() => undefined))
    if (record !== undefined) found.push({ directory, record })
  }
  return found
})

export const encodeInstallRecord = (record: InstallRecord): Buffer => Buffer.from(`${encodeRecord(record)}\n`)
