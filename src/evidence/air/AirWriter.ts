import * as path from "node:path"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { createFile } from "../../archive/atomicFile.ts"
import { LockService } from "../../archive/LockService.ts"
import { Disk, type DiskError } from "../../platform/Disk.ts"
import type { Host } from "../../platform/Host.ts"
import { airGenesis, recordDigest } from "./chain.ts"
import { keyFingerprint, readHead, writeHead } from "./head.ts"
import { indentedJson, type JsonObject, type JsonValue, toJson, whole } from "./json.ts"
import { referenceVerdict } from "./referenceVerdict.ts"
import { readRuns, recordSuffix, sequenceOf, textOf } from "./runs.ts"

/** One model call as an AIR record, without what the chain adds. Field names and their order are the format's. */
export interface AirRecord {
  readonly run_id: string
  readonly trace_id: string
  /** RFC 3339 in UTC; see `airTime`. */
  readonly timestamp: string
  readonly model: string
  readonly provider: string
  readonly endpoint: string
  readonly request_vault_ref: string
  readonly response_vault_ref: string
  readonly request_checksum: string
  readonly response_checksum: string
  readonly tokens: { readonly prompt: number; readonly completion: number; readonly total: number }
  readonly duration_ms: number
  readonly status: "success" | "error"
  readonly error?: string
  readonly trajectory_id?: string
  readonly step_id?: string
  readonly parent_ids?: ReadonlyArray<string>
  readonly config_hash?: string
}

/** A run id that could lead out of the directory, or that no file can have. */
export class UnsafeRunId extends Data.TaggedError("UnsafeRunId")<{ readonly runId: string }> {
  override get message(): string {
    return `The run id ${JSON.stringify(this.runId.slice(0, 80))} cannot name a file: use letters, digits, ".", "_" and "-".`
  }
}

/** The chain in the directory cannot be continued, and a record after it would hide that. */
export class AirChainUnsound extends Data.TaggedError("AirChainUnsound")<{
  readonly directory: string
  readonly problem: string
}> {
  override get message(): string {
    return `The chain in ${this.directory} cannot be continued: ${this.problem}. Check it with \`lint-ai air verify\`, or write to a new directory.`
  }
}

/** A file of that name is there and is no record that we know. */
export class AirRecordTaken extends Data.TaggedError("AirRecordTaken")<{ readonly path: string }> {
  override get message(): string {
    return `${this.path} exists and holds no record; move it away and export again`
  }
}

/** A time as the reference writes it: no zeros at the end of the fraction, no fraction when it is 0. */
export const airTime = (timestamp: string): string =>
  timestamp.replace(/\.([0-9]*?)0*Z$/, (_, digits: string) => (digits === "" ? "Z" : `.${digits}Z`))

/** Whether a run id names a file in its directory and nothing else, on every file system. */
export const isSafeRunId = (runId: string): boolean =>
  /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$/.test(runId) &&
  !/\.$/.test(runId) &&
  !/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(runId)

export interface AirWriter {
  /** The chain_seq that the chain had reached; 0 for a fresh one. */
  readonly resumedAt: number
  /** Whether a record of that run is there already. */
  readonly has: (runId: string) => boolean
  /** Adds a record to the chain, as one file that appears whole. False when the run has one already. */
  readonly write: (record: AirRecord) => Effect.Effect<boolean, UnsafeRunId | AirRecordTaken | DiskError>
}

/** Records after which the head is kept anew: a writer that is killed leaves at most so many that the head does not know of. */
const headEvery = 64
/** How long a writer waits for another one. */
const patienceMs = 120_000

/**
 * Runs `use` with a writer on a directory of AIR records, which it creates. Writers of any number of processes take turns by a lock beside the
 * records, so the chain never forks; before the first record the chain is checked with the key, and against the head that was kept of it
 * outside, so that a cut tail is not written over.
 */
export const withAirWriter = Effect.fn("withAirWriter")(function* <A, E, R>(
  directory: string,
  key: string,
  use: (writer: AirWriter) => Effect.Effect<A, E, R>
) {
  const disk = yield* Disk
  const locks = yield* LockService
  yield* disk.makeDirectory(directory)
  const place = yield* disk.realPath(directory)
  const held = Effect.flatMap(openWriter(place, key), ({ writer, keepHead }) =>
    // Also after a failure: what was written until then is to be missed when it goes.
    Effect.ensuring(use(writer), Effect.ignore(keepHead))
  )
  return yield* locks.hold(path.join(place, ".lint-ai.lock"), patienceMs, held)
})

const openWriter = Effect.fnUntraced(function* (directory: string, key: string) {
  const machine = yield* Effect.context<Disk | Host>()
  const unsound = (problem: string) => new AirChainUnsound({ directory, problem })
  const runs = yield* readRuns(directory, false)
  const sequenced = runs.files
    .flatMap((file) => {
      const sequence = sequenceOf(file.record)
      return sequence === undefined ? [] : [{ ...file, sequence }]
    })
    .sort((left, right) => left.sequence - right.sequence)
  const reference = referenceVerdict(runs.files, key)
  if ("exception" in reference) return yield* unsound("a chain_seq or timestamp is not of its kind")
  if (!reference.intact) {
    return yield* unsound(
      `it breaks at ${reference.first_break_run_id ?? "a record without run_id"}, or it was written with another key`
    )
  }
  const fork = sequenced.find((file, at) => file.sequence === sequenced[at - 1]?.sequence)
  if (fork !== undefined) return yield* unsound(`chain_seq ${fork.sequence} is there twice`)

  // As the reference resumes: digests are computed again, stored ones ignored.
  let previous: Buffer = airGenesis
  for (const { record } of sequenced) previous = recordDigest(key, previous, record)
  let sequence = sequenced.at(-1)?.sequence ?? 0
  const first = sequenced[0] === undefined ? "" : textOf(sequenced[0].record, "chain_hash")
  const head = yield* readHead(directory, first)
  if (
    head !== undefined &&
    head.key_id === keyFingerprint(key) &&
    head.directory === directory &&
    head.chain_seq > sequence
  ) {
    return yield* unsound(`records ${sequence + 1} to ${head.chain_seq} are missing at its end`)
  }
  let firstHash = first
  const known = new Set(runs.files.map(({ record }) => textOf(record, "run_id")))
  let kept = head?.key_id === keyFingerprint(key) && head.directory === directory ? head.chain_seq : 0
  const keepHead = Effect.suspend(() => {
    if (sequence === 0 || sequence === kept) return Effect.void
    kept = sequence
    return writeHead({
      schema_version: 1,
      directory,
      first_hash: firstHash,
      chain_seq: sequence,
      chain_hash: previous.toString("hex"),
      key_id: keyFingerprint(key)
    })
  })
  const write = Effect.fnUntraced(function* (record: AirRecord) {
    if (!isSafeRunId(record.run_id)) return yield* new UnsafeRunId({ runId: record.run_id })
    if (known.has(record.run_id)) return false
    const fields = recordFields(record, sequence + 1)
    const digest = recordDigest(key, previous, fields)
    const hash = digest.toString("hex")
    const file = path.join(directory, `${record.run_id}${recordSuffix}`)
    const complete = withHash(fields, hash)
    if (!(yield* createFile(file, Buffer.from(indentedJson(complete)))))
      return yield* new AirRecordTaken({ path: file })
    // Moved only after the file stands: a write that failed leaves no hole.
    sequence++
    previous = digest
    known.add(record.run_id)
    if (firstHash === "") firstHash = hash
    if (sequence - kept >= headEvery) yield* keepHead
    return true
  })
  const writer: AirWriter = {
    resumedAt: sequence,
    has: (runId) => known.has(runId),
    write: (record) => Effect.provideContext(write(record), machine)
  }
  return { writer, keepHead: Effect.provideContext(keepHead, machine) }
})

/** The record with its place in the chain, in the format's order; what is optional there is left out when empty. */
const recordFields = (record: AirRecord, sequence: number): JsonObject => {
  const some = (value: string | undefined) => (value === "" ? undefined : value)
  const { parent_ids } = record
  return toJson({
    version: "1.0.0",
    run_id: record.run_id,
    trace_id: record.trace_id,
    timestamp: record.timestamp,
    model: record.model,
    provider: record.provider,
    endpoint: record.endpoint,
    request_vault_ref: record.request_vault_ref,
    response_vault_ref: record.response_vault_ref,
    request_checksum: record.request_checksum,
    response_checksum: record.response_checksum,
    tokens: record.tokens,
    duration_ms: record.duration_ms,
    status: record.status,
    error: some(record.error),
    trajectory_id: some(record.trajectory_id),
    step_id: some(record.step_id),
    parent_ids: parent_ids === undefined || parent_ids.length === 0 ? undefined : parent_ids,
    chain_seq: whole(sequence),
    config_hash: some(record.config_hash)
  }) as JsonObject
}

/** The hash stands between chain_seq and config_hash. */
const withHash = (fields: JsonObject, hash: string): JsonObject => {
  const complete: Array<readonly [string, JsonValue]> = []
  for (const entry of fields) {
    complete.push(entry)
    if (entry[0] === "chain_seq") complete.push(["chain_hash", hash])
  }
  return new Map(complete)
}
