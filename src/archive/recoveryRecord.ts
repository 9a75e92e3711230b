import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { timestampOf } from "../domain/timestamp.ts"
import { Disk } from "../platform/Disk.ts"
import { replaceFile } from "./atomicFile.ts"
import type { DamageRecord } from "./eventLog.ts"

/** One thing that was found wrong with an archive. */
export const Finding = Schema.Struct({
  found_at: Schema.String,
  /** A problem of the log, `missing-tail` (events that the anchor knows are gone), `order` (a sequence twice or out of order) or `manifest`. */
  problem: Schema.String,
  offset: Schema.optionalKey(Schema.Natural),
  length: Schema.optionalKey(Schema.Natural),
  detail: Schema.optionalKey(Schema.String),
  /** The bytes themselves, base64, at most 64 KiB. They passed the redactor before they were written. */
  bytes: Schema.optionalKey(Schema.String)
})
export type Finding = typeof Finding.Type

/** recovery.json: what recovery found and cut, so that nothing disappears without a trace. */
export const RecoveryRecord = Schema.Struct({
  schema_version: Schema.Literal(1),
  findings: Schema.Array(Finding)
})
export type RecoveryRecord = typeof RecoveryRecord.Type
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(RecoveryRecord))

const keptBytes = 64 * 1024
const keptFindings = 1000

/** What to note of a piece of damage. `withBytes` for what is about to be cut from the log. */
export const findingOf = (damage: DamageRecord, withBytes: boolean): Omit<Finding, "found_at"> => ({
  problem: damage.problem,
  offset: damage.offset,
  length: damage.bytes.length,
  ...(withBytes ? { bytes: damage.bytes.subarray(0, keptBytes).toString("base64") } : undefined)
})

/** The findings of an archive; empty when there are none. */
export const readFindings = Effect.fnUntraced(function* (file: string) {
  const disk = yield* Disk
  const text = yield* disk.readFile(file).pipe(Effect.orElseSucceed(() => undefined))
  const record = text === undefined ? undefined : Option.getOrUndefined(decode(text.toString("utf8")))
  return record?.findings ?? []
})

/** Adds findings to recovery.json. What is there already is not written again. */
export const noteFindings = Effect.fnUntraced(function* (
  file: string,
  findings: ReadonlyArray<Omit<Finding, "found_at">>
) {
  if (findings.length === 0) return
  const known = yield* readFindings(file)
  const keyOf = (finding: Omit<Finding, "found_at">) =>
    JSON.stringify([finding.problem, finding.offset, finding.length, finding.detail])
  const seen = new Set(known.map(keyOf))
  const found_at = timestampOf(yield* Clock.currentTimeMillis)
  const fresh = findings.filter((finding) => !seen.has(keyOf(finding))).map((finding) => ({ found_at, ...finding }))
  if (fresh.length === 0) return
  const record: RecoveryRecord = { schema_version: 1, findings: [...known, ...fresh].slice(-keptFindings) }
  yield* replaceFile(file, Buffer.from(`${JSON.stringify(record, undefined, 2)}\n`))
})
