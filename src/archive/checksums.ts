import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Disk } from "../platform/Disk.ts"
import { sha256 } from "../platform/digest.ts"
import { replaceFile } from "./atomicFile.ts"
import type { LogState } from "./logState.ts"
import type { ArchiveFiles } from "./sessionDirectory.ts"

/**
 * checksums.json, written when a session ends. The manifest's is its SHA-256. The log's is the running one (see runningChecksum), which a
 * writer keeps while it appends, so that ending a session of any length costs the same; it holds for the first `bytes` bytes, also when
 * the session has gone on since.
 */
export const Checksums = Schema.Struct({
  schema_version: Schema.Literal(1),
  events: Schema.Struct({
    algorithm: Schema.Literal("sha256-running"),
    bytes: Schema.Natural,
    lines: Schema.Natural,
    digest: Schema.String
  }),
  manifest: Schema.Struct({ algorithm: Schema.Literal("sha256"), digest: Schema.String })
})
export type Checksums = typeof Checksums.Type
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Checksums))

export const writeChecksums = Effect.fnUntraced(function* (files: ArchiveFiles, state: LogState, manifest: Uint8Array) {
  const checksums: Checksums = {
    schema_version: 1,
    events: { algorithm: "sha256-running", bytes: state.offset, lines: state.lines, digest: state.checksum },
    manifest: { algorithm: "sha256", digest: sha256(manifest) }
  }
  yield* replaceFile(files.checksums, Buffer.from(`${JSON.stringify(checksums, undefined, 2)}\n`))
})

/** The checksums of an archive; undefined when there are none. */
export const readChecksums = Effect.fnUntraced(function* (file: string) {
  const disk = yield* Disk
  return yield* disk.readFile(file).pipe(
    Effect.map((bytes) => Option.getOrUndefined(decode(bytes.toString("utf8")))),
    Effect.orElseSucceed(() => undefined)
  )
})
