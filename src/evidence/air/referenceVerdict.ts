import * as crypto from "node:crypto"
import { airGenesis, recordDigest } from "./chain.ts"
import { canonicalJson, compareCodePoints, JsonNumber, type JsonObject, type JsonValue } from "./json.ts"
import { type RunFile, textOf } from "./runs.ts"

/** What the verifier of the reference says of a runs directory, in its own words. */
export type ReferenceVerdict =
  | {
      readonly intact: boolean
      readonly total_records: number
      readonly verified_records: number
      /** Index in the sorted list, unchained records counted. */
      readonly first_break_at: number | null
      readonly first_break_run_id: string | null
      /** Chained records that were looked at: it stops at the first break. */
      readonly records_with_hash: number
    }
  /** It fails where a sequence is no number, and gives no verdict. */
  | { readonly exception: string }

/** The reference's verdict, without what our own adds: see strictVerdict.ts. */
export const referenceVerdict = (files: ReadonlyArray<RunFile>, key: string): ReferenceVerdict => {
  const sorted = inChainOrder(files)
  if (sorted === undefined) return { exception: "TypeError: chain_seq or timestamp of a record cannot be compared" }
  let previous: Buffer = airGenesis
  let verified = 0
  let chained = 0
  for (const [index, { record }] of sorted.entries()) {
    const stored = record.get("chain_hash")
    if (!isTrue(stored)) continue
    chained++
    const digest = recordDigest(key, previous, record)
    if (digest.toString("hex") !== stored) {
      const runId = record.get("run_id")
      return {
        intact: false,
        total_records: sorted.length,
        verified_records: verified,
        first_break_at: index,
        first_break_run_id: typeof runId === "string" ? runId : null,
        records_with_hash: chained
      }
    }
    previous = digest
    verified++
  }
  return {
    intact: true,
    total_records: sorted.length,
    verified_records: verified,
    first_break_at: null,
    first_break_run_id: null,
    records_with_hash: chained
  }
}

/** Records by (chain_seq, timestamp as text), stable; undefined where Python could not compare them. */
export const inChainOrder = (files: ReadonlyArray<RunFile>): ReadonlyArray<RunFile> | undefined => {
  const keyed = files.map((file) => ({ file, sequence: numberOf(file.record), time: timeOf(file.record) }))
  if (files.length > 1 && keyed.some(({ sequence }) => sequence === undefined)) return undefined
  const untimed = keyed.some(({ time }) => time === undefined)
  const sequences = new Set(keyed.map(({ sequence }) => sequence))
  if (untimed && sequences.size < keyed.length) return undefined
  return keyed
    .sort((left, right) => {
      const bySequence = compareNumbers(left.sequence ?? 0, right.sequence ?? 0)
      return bySequence !== 0 ? bySequence : compareCodePoints(left.time ?? "", right.time ?? "")
    })
    .map(({ file }) => file)
}

/**
 * The head of a chain, which needs no key: SHA-256 of the compact JSON of [chain_seq, chain_hash] pairs in order; "" when nothing is chained.
 *
 * @param upTo the last chain_seq that counts
 */
export const keyFreeHead = (files: ReadonlyArray<RunFile>, upTo = Number.POSITIVE_INFINITY): string => {
  const pairs = files.flatMap(({ record }) => {
    const hash = textOf(record, "chain_hash")
    const sequence = numberOf(record) ?? 0
    return hash === "" || Number(sequence) > upTo ? [] : [{ sequence, hash }]
  })
  if (pairs.length === 0) return ""
  pairs.sort((left, right) => compareNumbers(left.sequence, right.sequence) || compareCodePoints(left.hash, right.hash))
  const text = canonicalJson(
    pairs.map(({ sequence, hash }) => [new JsonNumber(String(sequence)), hash]),
    "compact"
  )
  return crypto.createHash("sha256").update(text).digest("hex")
}

type PythonNumber = bigint | number

const numberOf = (record: JsonObject): PythonNumber | undefined => {
  const value = record.get("chain_seq")
  if (value === undefined) return 0
  if (typeof value === "boolean") return value ? 1 : 0
  if (!(value instanceof JsonNumber)) return undefined
  return /^-?[0-9]+$/.test(value.text) ? BigInt(value.text) : Number(value.text)
}

const timeOf = (record: JsonObject): string | undefined => {
  const value = record.get("timestamp")
  return value === undefined ? "" : typeof value === "string" ? value : undefined
}

const compareNumbers = (left: PythonNumber, right: PythonNumber): number => (left < right ? -1 : left > right ? 1 : 0)

/** What Python takes for true. */
const isTrue = (value: JsonValue | undefined): boolean => {
  if (value === undefined || value === null || value === false || value === "") return false
  if (value instanceof JsonNumber) return Number(value.text) !== 0
  if (value instanceof Map) return value.size > 0
  return !Array.isArray(value) || value.length > 0
}
