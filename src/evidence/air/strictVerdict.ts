import * as path from "node:path"
import { publicDefaultKey } from "./chain.ts"
import type { AirHead } from "./head.ts"
import { keyFingerprint } from "./head.ts"
import { inChainOrder, type ReferenceVerdict } from "./referenceVerdict.ts"
import { type Runs, sequenceOf, textOf } from "./runs.ts"

/**
 * What the reference's verdict leaves out. The words are those of the archives (evidence/verify.ts): `complete` only where nothing is missing, also
 * not at the end.
 */
export interface StrictVerdict {
  readonly verdict: "complete" | "chained" | "partial" | "unkeyed" | "broken"
  /** What was found, each a sentence. */
  readonly reasons: ReadonlyArray<string>
}

/**
 * Judges a runs directory by everything that is known of it. `head` is what lint-ai remembers of the chain, `key` what it was checked with, `beside` what
 * is wrong with the payloads (vaultFaults.ts).
 */
export const strictVerdict = (
  runs: Runs,
  reference: ReferenceVerdict,
  key: string,
  head: AirHead | undefined,
  beside: ReadonlyArray<string> = []
): StrictVerdict => {
  const broken: Array<string> = []
  const partial: Array<string> = []
  const sorted = inChainOrder(runs.files) ?? runs.files
  const chained = sorted.filter(({ record }) => textOf(record, "chain_hash") !== "")

  if ("exception" in reference) broken.push("a chain_seq or timestamp is not of its kind, so the records have no order")
  else if (!reference.intact) {
    broken.push(`the chain breaks at ${reference.first_break_run_id ?? "a record without run_id"}`)
    if (reference.first_break_at === 0) broken.push("a chain of another key breaks at its first record too")
  }
  let expected = 1
  const runIds = new Set<string>()
  for (const { name, record } of chained) {
    const sequence = sequenceOf(record)
    const runId = textOf(record, "run_id")
    if (sequence === undefined) partial.push(`${name} is chained without a chain_seq`)
    else if (sequence < expected) broken.push(`${name}: chain_seq ${sequence} is there twice, so the chain forks`)
    else if (sequence > expected) broken.push(`${records(expected, sequence - 1)} missing before ${name}`)
    expected = Math.max(expected, (sequence ?? 0) + 1)
    if (runIds.has(runId)) broken.push(`${name}: run_id ${runId} is there twice`)
    runIds.add(runId)
    if (path.basename(name) !== `${runId}.air.json`) partial.push(`${name} holds the record of ${runId}`)
  }
  for (const { name, record } of sorted) {
    if (textOf(record, "chain_hash") === "") partial.push(`${name} is not chained, so it may be changed freely`)
  }
  partial.push(...beside)
  for (const name of runs.unreadable) partial.push(`${name} holds no record; it may be half written or damaged`)

  const last = chained.at(-1)
  const lastSequence = last === undefined ? 0 : (sequenceOf(last.record) ?? 0)
  if (head !== undefined && head.key_id === keyFingerprint(key)) {
    const anchored = chained.find(({ record }) => sequenceOf(record) === head.chain_seq)
    if (head.chain_seq > lastSequence) {
      broken.push(`${records(lastSequence + 1, head.chain_seq)} missing at the end`)
    } else if (anchored !== undefined && textOf(anchored.record, "chain_hash") !== head.chain_hash) {
      broken.push(`record ${head.chain_seq} is not the one that was anchored`)
    } else if (head.chain_seq < lastSequence) {
      partial.push(`records from ${head.chain_seq + 1} on are not anchored`)
    }
  }
  const anchored = head !== undefined && head.key_id === keyFingerprint(key)
  if (broken.length > 0) return { verdict: "broken", reasons: [...broken, ...partial] }
  if (key === publicDefaultKey || key === "") {
    return {
      verdict: "unkeyed",
      reasons: ["the key is empty or known to everybody, so anyone can write this chain", ...partial]
    }
  }
  if (partial.length > 0) return { verdict: "partial", reasons: partial }
  if (!anchored) {
    return {
      verdict: "chained",
      reasons: ["there is no head of this chain on this machine, so records missing at the end would not show"]
    }
  }
  return { verdict: "complete", reasons: [] }
}

const records = (from: number, to: number): string =>
  from === to ? `record ${from} is` : `records ${from} to ${to} are`
