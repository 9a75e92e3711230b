import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { ArchivedEvent } from "../domain/event.ts"
import { Manifest } from "../domain/manifest.ts"
import { Disk, DiskError, isFailingDisk } from "../platform/Disk.ts"
import { hmacSha256, sameDigest } from "../platform/digest.ts"
import { replaceFile } from "./atomicFile.ts"
import type { ChainKey } from "./chain.ts"
import { type LogState, reopening } from "./logState.ts"

const decode = Schema.decodeUnknownOption(Manifest)
/** JSON.parse by itself: a listing reads ten thousand manifests, and Schema.fromJsonString takes half as long again. */
const parse = (bytes: Buffer): Manifest | undefined => {
  try {
    return Option.getOrUndefined(decode(JSON.parse(bytes.toString("utf8"))))
  } catch {
    return undefined
  }
}

/**
 * `Missing` and `Damaged` are different things: the first is an archive that begins, the second one to repair. `Unreadable`: the disk fails, which says nothing
 * of what is there, so nobody may write another in its place.
 */
export type ManifestReading =
  | { readonly _tag: "Manifest"; readonly manifest: Manifest; readonly bytes: Buffer }
  | { readonly _tag: "Missing" }
  | { readonly _tag: "Damaged"; readonly bytes: Buffer }
  | { readonly _tag: "Unreadable"; readonly error: DiskError }

export const readManifest = Effect.fnUntraced(function* (file: string): Effect.fn.Return<ManifestReading, never, Disk> {
  const disk = yield* Disk
  const bytes = yield* disk
    .readFile(file)
    .pipe(Effect.catch((error) => Effect.succeed(isFailingDisk(error) ? error : undefined)))
  if (bytes === undefined) return { _tag: "Missing" }
  if (bytes instanceof DiskError) return { _tag: "Unreadable", error: bytes }
  const manifest = parse(bytes)
  return manifest === undefined ? { _tag: "Damaged", bytes } : { _tag: "Manifest", manifest, bytes }
})

const sealOpening = ',\n  "seal": "'
const sealEnd = '"\n}\n'

/** The seal of a manifest: HMAC-SHA256(key, a word || the file's own bytes before the seal), hex. The word tells it from a line of a log. */
const sealOf = (key: ChainKey, body: string): string => hmacSha256(key.secret, "lint-ai manifest 1\n", body)

/** Replaces the manifest, sealed with the archive's key as the last field; gives the bytes that were written, for the checksum. */
export const writeManifest = Effect.fnUntraced(function* (file: string, manifest: Manifest, key: ChainKey) {
  const { seal: _older, end_reason, ...content } = manifest
  // The reason is that of the last end: a session that goes on has none any more.
  const facts = end_reason === undefined || manifest.ended_at === null ? content : { ...content, end_reason }
  const body = JSON.stringify(facts, undefined, 2).slice(0, -2)
  const bytes = Buffer.from(body + sealOpening + sealOf(key, body) + sealEnd)
  yield* replaceFile(file, bytes)
  return bytes
})

/** Whether a manifest is as lint-ai wrote it with this key. One without a seal is not. */
export const isSealed = (bytes: Buffer, key: ChainKey): boolean => {
  const text = bytes.toString("utf8")
  const at = text.length - sealOpening.length - 64 - sealEnd.length
  if (at < 1 || !text.startsWith(sealOpening, at) || !text.endsWith(sealEnd)) return false
  return sameDigest(sealOf(key, text.slice(0, at)), text.slice(at + sealOpening.length, -sealEnd.length))
}

/** The counters of a manifest, from the state of its log. */
export const countersOf = (state: LogState) => ({
  event_count: state.event_count,
  byte_count: state.offset,
  redaction_count: state.redaction_count,
  truncation_count: state.truncation_count,
  usage: state.usage
})

/**
 * Whether a session is over when its agent says so. A replay is not: its agent may be started for each prompt, and it is over when the one who
 * replays says so. Should that one be killed, the replay stays active with a process that has gone, which is shown as incomplete.
 */
const endsWithItsAgent = (manifest: Manifest): boolean => manifest.run_type !== "replay"

/** What an event says about its session: whether it is over, and which version of the agent it runs in. */
export const statusAfter = (manifest: Manifest, event: ArchivedEvent): Partial<Manifest> => {
  const version = event.kind === "session_start" ? event.payload.agent_version : undefined
  const told = version === undefined ? {} : { provider_version: version }
  return endsWithItsAgent(manifest) ? { ...told, ...endAfter(event) } : told
}

const endAfter = (event: ArchivedEvent): Partial<Manifest> => {
  if (event.kind !== "session_end") return reopening.has(event.kind) ? { status: "active", ended_at: null } : {}
  const { reason } = event.payload
  return {
    status: "completed",
    ended_at: event.timestamp,
    ...(reason === undefined ? undefined : { end_reason: reason })
  }
}

/**
 * What a manifest missed: a writer that is killed, or meets a full disk, after it wrote to the log leaves an older manifest. A status that somebody
 * gave on purpose (incomplete, failed) is kept.
 */
export const missedStatus = (manifest: Manifest, state: LogState): Partial<Manifest> => {
  if (!endsWithItsAgent(manifest)) return {}
  if (manifest.status === "active" && state.end !== null) {
    const { timestamp, reason } = state.end
    return { status: "completed", ended_at: timestamp, ...(reason === undefined ? undefined : { end_reason: reason }) }
  }
  const goesOn = manifest.status === "completed" && state.end === null && state.event_count > 0
  return goesOn ? { status: "active", ended_at: null } : {}
}
