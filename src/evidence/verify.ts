import * as Effect from "effect/Effect"
import { type Anchor, readAnchor } from "../archive/anchor.ts"
import { type ChainKey, chainHash, emptyChecksum, genesis, runningChecksum, unkeyed, unseal } from "../archive/chain.ts"
import { type Checksums, readChecksums } from "../archive/checksums.ts"
import type { EventRecord, LogRecord } from "../archive/eventLog.ts"
import { type Gap, gapName } from "../archive/gap.ts"
import { Keyring } from "../archive/Keyring.ts"
import { isSealed, readManifest } from "../archive/manifestFile.ts"
import { manifestOfLog } from "../archive/opening.ts"
import { readEvents } from "../archive/readArchive.ts"
import { type ArchiveFiles, archiveFiles } from "../archive/sessionDirectory.ts"
import { counted, eventRange } from "../domain/counted.ts"
import type { Manifest } from "../domain/manifest.ts"
import { Disk } from "../platform/Disk.ts"
import { sha256 } from "../platform/digest.ts"

/**
 * What a record's integrity rests on (DESIGN 7).
 *
 * `complete`: every event is in its place in the keyed chain, and the anchor outside of the project says that none is missing at the end.
 * `chained`: the chain holds, but there is no anchor, so the end may have been cut. `partial`: the chain holds, and the anchor covers only its
 * first events, or something beside the events was changed. `unkeyed`: the chain shows accidents only, because its key is not here.
 * `broken`: an event was changed, removed, added or moved.
 */
export type Verdict = "complete" | "chained" | "partial" | "unkeyed" | "broken"

export interface Verification {
  readonly session_id: string
  readonly verdict: Verdict
  readonly event_count: number
  /** The first event that is not as it was written: its sequence, or that of the first one missing. */
  readonly broken_at?: number
  /** The last event that the anchor covers. */
  readonly anchored_through?: number
  /** What was found, each a sentence. */
  readonly reasons: ReadonlyArray<string>
  /** Pieces of damage between the events, which are not events and break nothing. */
  readonly damage_count: number
  /** Events that wait in the spool: not yet in the chain. */
  readonly spooled_count: number
  /** Where the record says of itself that it has a gap, or that events came late (archive/gap.ts). */
  readonly gaps: ReadonlyArray<NamedGap>
}

/** A gap that a record names, with the sequence of the event that names it. */
export type NamedGap = Gap & { readonly sequence: number }

interface Break {
  readonly sequence: number
  readonly reason: string
}

/**
 * Walks the chain: each event against the one before it. Tells the first break, and the digest of each event for the anchor. Without the key the hashes
 * are taken at their word, and what does not need one is told still: places, sessions, and whether the anchored event is that one.
 */
const chainWalk = (manifest: Manifest, key: ChainKey | undefined, anchored: number | undefined) => {
  let previous = genesis(manifest.session_id, manifest.started_at)
  let sequence = 0
  let broken: Break | undefined
  let anchoredDigest: string | undefined
  const fault = (record: EventRecord): string | undefined => {
    const sealed = unseal(record.line)
    if (record.event.session_id !== manifest.session_id) return "it belongs to another session"
    if (sealed === undefined) return "it has no chain_hash"
    if (record.event.sequence !== sequence + 1)
      return `its sequence is ${record.event.sequence} and should be ${sequence + 1}`
    if (key === undefined) return undefined
    return chainHash(key, previous, sealed.body) === sealed.hash ? undefined : "it does not continue the chain"
  }
  return {
    event: (record: EventRecord): void => {
      if (broken !== undefined) return
      const reason = fault(record)
      if (reason !== undefined) {
        broken = { sequence: sequence + 1, reason: `event ${sequence + 1}: ${reason}` }
        return
      }
      previous = unseal(record.line)?.hash ?? previous
      sequence++
      if (sequence === anchored) anchoredDigest = previous
    },
    end: () => ({ broken, sequence, anchoredDigest, head: previous })
  }
}

/** The running checksum up to the length that checksums.json names. */
const checksumWalk = (bytes: number | undefined) => {
  let digest = emptyChecksum
  let offset = 0
  return {
    line: (line: Buffer): void => {
      if (bytes === undefined || offset + line.length > bytes) return
      digest = runningChecksum(digest, line)
      offset += line.length
    },
    end: () => ({ digest, offset })
  }
}

/** Checks an archive against its chain, its anchor and its checksums. Changes nothing; undefined when there is no archive. */
export const verifyArchive = Effect.fn("verifyArchive")(function* (directory: string) {
  const disk = yield* Disk
  const keyring = yield* Keyring
  const files = archiveFiles(directory)
  const reading = yield* readManifest(files.manifest)
  const lost = reading._tag === "Missing" ? "manifest.json is gone" : "manifest.json cannot be read"
  // A hook that is killed at the first event of a session leaves a log without a manifest, and the log says what its chain begins with.
  const manifest = reading._tag === "Manifest" ? reading.manifest : yield* manifestOfLog(files)
  if (manifest === undefined) {
    const size = (yield* disk.status(files.events))?.size ?? 0
    return reading._tag === "Missing" && size === 0
      ? undefined
      : verifyUnreadable(
          directory,
          `${lost}, so nothing says what the chain begins with; \`lint-ai sessions recover\` makes it again`
        )
  }
  const log = { sessionId: manifest.session_id, startedAt: manifest.started_at }
  const before = yield* readAnchor(log)
  const checksums = yield* readChecksums(files.checksums)
  const named = yield* keyring.byId(manifest.key_id ?? unkeyed.id)
  // Whoever may write the manifest may name a key in it that nobody has: the log still begins with the one that it was written with.
  const key = named ?? (yield* ownKeyOfLog(files))

  const chain = chainWalk(manifest, key, before?.count)
  const checksum = checksumWalk(checksums?.events.bytes)
  const gaps: Array<NamedGap> = []
  let events = 0
  let chained = 0
  let damage = 0
  let spooled = 0
  yield* readEvents(directory, manifest, {
    record: (record: LogRecord) => {
      if (record._tag === "Event") {
        events++
        if (unseal(record.line) !== undefined) chained++
        chain.event(record)
        const gap = gapOf(record)
        if (gap !== undefined) gaps.push(gap)
      } else damage++
    },
    line: checksum.line,
    spooled: () => {
      spooled++
    }
  })

  const walked = chain.end()
  // A session that went on while it was read has another anchor now.
  const later = yield* readAnchor(log)
  const anchor = later !== undefined && later.count === walked.sequence ? later : before
  const anchored = anchor === later && anchor !== before ? walked.head : walked.anchoredDigest
  const common = {
    session_id: manifest.session_id,
    event_count: events,
    damage_count: damage,
    spooled_count: spooled,
    gaps,
    ...(anchor === undefined ? undefined : { anchored_through: Math.min(anchor.count, walked.sequence) })
  }
  const beside =
    reading._tag === "Manifest"
      ? yield* besideTheEvents({ files, manifest, checksums, walked: checksum.end(), key, events })
      : [`${lost}; \`lint-ai sessions recover\` makes it again`]
  const reasons = [
    ...(damage > 0 ? [`${counted(damage, "damaged piece")} between the events`] : []),
    ...beside,
    ...(anchor?.deleted_at === undefined
      ? []
      : [`this session was deleted on ${anchor.deleted_at}, so this is a copy that somebody put back`])
  ]
  const broken = (sequence: number, reason: string) =>
    ({ ...common, verdict: "broken", broken_at: sequence, reasons: [reason, ...reasons] }) satisfies Verification

  // As older recorders wrote. Somebody who takes the chain out of a record leaves its anchor, which has the digest of an event.
  const neverChained = anchor === undefined || anchor.digest === genesis(manifest.session_id, manifest.started_at)
  if (events > 0 && chained === 0 && manifest.key_id === undefined && neverChained) {
    return {
      ...common,
      verdict: "unkeyed",
      reasons: ["it was recorded without a chain", ...reasons]
    } satisfies Verification
  }
  if (walked.broken !== undefined) return broken(walked.broken.sequence, walked.broken.reason)
  if (anchor !== undefined && anchor.count > walked.sequence) {
    return broken(
      walked.sequence + 1,
      `${eventRange(walked.sequence + 1, anchor.count, ["is", "are"])} missing: the anchor knows of ${anchor.count}`
    )
  }
  if (anchor !== undefined && anchor.count > 0 && anchor.digest !== anchored) {
    return broken(anchor.count, `event ${anchor.count} is not the one that was anchored`)
  }
  if (key === undefined && events > 0) {
    // Keys that cannot be read are not gone.
    const isReadable = yield* Effect.isSuccess(keyring.list)
    return {
      ...common,
      verdict: "unkeyed",
      reasons: !isReadable
        ? ["your keys.json cannot be read, so the chain cannot be checked; `lint-ai doctor` says more", ...reasons]
        : [
            `the key ${manifest.key_id ?? "of this record"} is not among yours, so the chain cannot be checked`,
            ...(anchor === undefined
              ? []
              : ["it was recorded on this machine, so its key was here, or manifest.json was changed"]),
            ...reasons
          ]
    } satisfies Verification
  }
  // Without its key nothing can be said about the hashes; places and neighbours still can.
  if (key === undefined || key.secret.length === 0) {
    return { ...common, verdict: "unkeyed", reasons: ["the chain has no key", ...reasons] } satisfies Verification
  }
  if (anchor === undefined) {
    return {
      ...common,
      verdict: "chained",
      reasons: ["there is no anchor on this machine", ...reasons]
    } satisfies Verification
  }
  if (anchor.count < walked.sequence) reasons.unshift(`events from ${anchor.count + 1} on are not anchored`)
  const changed = gaps.find((gap) => gap.cause === "manifest")
  if (changed !== undefined) {
    reasons.push(`manifest.json was changed by somebody else before event ${changed.sequence}`)
  }
  return { ...common, verdict: reasons.length === 0 ? "complete" : "partial", reasons } satisfies Verification
})

/** The one of the user's keys with which a log begins. */
const ownKeyOfLog = Effect.fnUntraced(function* (files: ArchiveFiles) {
  const keyring = yield* Keyring
  const keyId = (yield* manifestOfLog(files))?.key_id
  return keyId === undefined ? undefined : yield* keyring.byId(keyId)
})

/** What is wrong with the files beside the log. */
const besideTheEvents = Effect.fnUntraced(function* (archive: {
  readonly files: ArchiveFiles
  readonly manifest: Manifest
  readonly checksums: Checksums | undefined
  readonly walked: { readonly offset: number; readonly digest: string }
  readonly key: ChainKey | undefined
  readonly events: number
}) {
  const { files, manifest, checksums, walked, key, events } = archive
  const disk = yield* Disk
  const bytes = yield* disk.readFile(files.manifest)
  const reasons: Array<string> = []
  const ended = manifest.status !== "active"
  if (key !== undefined && key.secret.length > 0 && !isSealed(bytes, key)) {
    reasons.push("manifest.json is not as lint-ai wrote it")
  } else if (ended && checksums !== undefined && sha256(bytes) !== checksums.manifest.digest) {
    reasons.push("manifest.json was changed after the session ended")
  }
  if (manifest.event_count > events) {
    reasons.push(`manifest.json counts ${manifest.event_count} events, and there are ${events}`)
  }
  if (ended && checksums === undefined)
    reasons.push("checksums.json is missing; `lint-ai sessions recover` makes it again")
  if (checksums !== undefined && !sameChecksum(checksums.events, walked)) {
    reasons.push("checksums.json does not fit the log")
  }
  return reasons
})

const sameChecksum = (
  kept: { readonly bytes: number; readonly digest: string },
  walked: { readonly offset: number; readonly digest: string }
): boolean => kept.bytes === walked.offset && kept.digest === walked.digest

const gapOf = ({ event }: EventRecord): NamedGap | undefined => {
  if (event.kind !== "provider_event" || event.payload.name !== gapName) return undefined
  return { sequence: event.sequence, ...(event.payload.fields as Gap) }
}

/** An archive of which nothing can be checked, and why. */
export const verifyUnreadable = (directory: string, reason: string): Verification => ({
  session_id: directory,
  verdict: "broken",
  event_count: 0,
  broken_at: 1,
  reasons: [reason],
  damage_count: 0,
  spooled_count: 0,
  gaps: []
})

/** An archive that is gone although nobody deleted it with lint-ai: only its anchor is left. */
export const verifyMissing = (anchor: Anchor): Verification => ({
  session_id: anchor.session_id,
  verdict: "broken",
  event_count: 0,
  broken_at: 1,
  anchored_through: 0,
  reasons: [`the whole record is gone from ${anchor.archive}: the anchor knows of ${anchor.count} events`],
  damage_count: 0,
  spooled_count: 0,
  gaps: []
})
