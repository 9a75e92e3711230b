import * as crypto from "node:crypto"
import * as Data from "effect/Data"
import { airGenesis, recordDigest } from "./chain.ts"
import {
  canonicalJson,
  indentedJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJson,
  toJson
} from "./json.ts"
import { inChainOrder } from "./referenceVerdict.ts"
import { type RunFile, textOf } from "./runs.ts"
import { readZip, writeZip, ZipInvalid, type ZipMember } from "./zip.ts"

/** What a bundle says about itself beyond its records. What nobody gave is the deployer's to supply, in the format's own words. */
export interface BundleFacts {
  readonly bundleId: string
  readonly createdAt: string
  readonly tenant: string
  readonly system: string
  readonly deployer: string
  readonly rationale: string
  readonly retentionUntil: string
  /** Documents for mapping/, at least one. */
  readonly mappings: Readonly<Record<string, JsonValue>>
}

/** There is nothing to bundle. */
export class NothingToBundle extends Data.TaggedError("NothingToBundle")<{ readonly directory: string }> {
  override get message(): string {
    return `${this.directory} holds no chained AIR records; \`lint-ai air export\` writes some`
  }
}

const supplied = "deployer-supplied"
const sha256 = (bytes: Uint8Array | string): string => crypto.createHash("sha256").update(bytes).digest("hex")

/** DER of an Ed25519 private and public key around their 32 bytes (RFC 8410). */
const privatePrefix = Buffer.from("302e020100300506032b657004220420", "hex")
const publicPrefix = Buffer.from("302a300506032b6570032100", "hex")

const privateKey = (seed: Buffer): crypto.KeyObject =>
  crypto.createPrivateKey({ key: Buffer.concat([privatePrefix, seed]), format: "der", type: "pkcs8" })

/** The public key of a seed of 32 bytes, hex. */
export const publicKeyOf = (seed: Buffer): string =>
  crypto
    .createPublicKey(privateKey(seed))
    .export({ format: "der", type: "spki" })
    .subarray(publicPrefix.length)
    .toString("hex")

const verifies = (publicKeyHex: string, message: Uint8Array, signatureHex: string): boolean => {
  if (!/^[0-9a-f]{64}$/.test(publicKeyHex) || !/^[0-9a-f]{128}$/.test(signatureHex)) return false
  try {
    const key = crypto.createPublicKey({
      key: Buffer.concat([publicPrefix, Buffer.from(publicKeyHex, "hex")]),
      format: "der",
      type: "spki"
    })
    return crypto.verify(null, message, key, Buffer.from(signatureHex, "hex"))
  } catch {
    return false
  }
}

/** `ed25519:` and 16 hex digits of the SHA-256 of the public key: what a receiver pins. */
export const signerFingerprint = (publicKeyHex: string): string =>
  `ed25519:${sha256(Buffer.from(publicKeyHex, "hex")).slice(0, 16)}`

/** Counts that the manifest claims and a verifier makes again. */
const countRecords = (records: ReadonlyArray<JsonObject>) => ({
  actions: records.length,
  screening_decisions: 0,
  blocked_actions: records.filter((record) => record.get("status") === "blocked").length,
  human_approvals: records.filter((record) => record.get("action") === "human_approval").length,
  screening_decisions_missing_reviewer: 0,
  adverse_decisions: 0,
  adverse_decisions_missing_reviewer: 0,
  engine_outputs_without_reviewer: 0
})
/** Those that our own records and those of the reference tell alike. */
const checkedCounts = ["actions", "blocked_actions", "human_approvals"] as const

/**
 * An evidence bundle (.air-evidence version 1) of chained records in the order of their chain. The caller has verified the chain. The records carry
 * no receipts: nobody gave any.
 */
export const writeBundle = (files: ReadonlyArray<RunFile>, seed: Buffer, facts: BundleFacts): Buffer => {
  const records = (inChainOrder(files) ?? files)
    .map(({ record }) => record)
    .filter((record) => textOf(record, "chain_hash") !== "")
  const publicKey = publicKeyOf(seed)
  const times = records.map((record) => textOf(record, "timestamp"))
  const members: Array<ZipMember> = [
    member("records/actions.jsonl", records.map((record) => `${canonicalJson(record)}\n`).join("")),
    member(
      "verification/chain.json",
      indentedJson(
        toJson({
          algorithm: "HMAC-SHA256",
          head_hash: textOf(records.at(-1) ?? new Map(), "chain_hash"),
          records: records.map((record) => ({
            run_id: textOf(record, "run_id"),
            chain_hash: textOf(record, "chain_hash")
          })),
          verification_at_export: { intact: true, verified_records: records.length, fully_intact: true }
        })
      )
    ),
    member(
      "verification/receipts.json",
      indentedJson(
        toJson({
          signing_method: "ed25519",
          public_key_hex: publicKey,
          note: "these records were observed, not authorised: there are no receipts",
          receipts: []
        })
      )
    ),
    member(
      "verification/public_key.pem",
      crypto.createPublicKey(privateKey(seed)).export({ format: "pem", type: "spki" }).toString()
    ),
    ...Object.entries(facts.mappings).map(([name, value]) => member(`mapping/${name}.json`, indentedJson(value)))
  ]
  const unsigned = toJson({
    bundle_version: "1.0",
    bundle_id: facts.bundleId,
    created_at: facts.createdAt,
    tenant: facts.tenant,
    system: {
      name: facts.system,
      high_risk_rationale: facts.rationale === "" ? supplied : facts.rationale,
      deployer: facts.deployer === "" ? supplied : facts.deployer,
      period_covered: { from: times[0] ?? "", to: times.at(-1) ?? "" }
    },
    counts: countRecords(records),
    retention_until: facts.retentionUntil,
    retention_note: "",
    frameworks: [],
    outcome_monitoring: supplied,
    anchor: { status: "absent" },
    files: Object.fromEntries(members.map(({ name, bytes }) => [name, sha256(bytes)]))
  }) as JsonObject
  const digest = sha256(canonicalJson(unsigned, "compact"))
  const signature = crypto.sign(null, Buffer.from(digest, "hex"), privateKey(seed)).toString("hex")
  const manifest = new Map(unsigned)
  manifest.set(
    "signature",
    toJson({
      alg: "ed25519",
      upgrade_path: "ML-DSA-65",
      signed_digest: digest,
      encoding: "hex",
      value: signature,
      public_key_hex: publicKey
    })
  )
  return writeZip([member("manifest.json", indentedJson(manifest)), ...members])
}

const member = (name: string, text: string): ZipMember => ({ name, bytes: Buffer.from(text) })

/** `bundle-YYYY-MM-DD-HHMMSS-<tenant>-<id8>.air-evidence`; what a file name should not hold becomes `_`. */
export const bundleName = (facts: Pick<BundleFacts, "bundleId" | "createdAt" | "tenant">): string => {
  const time = facts.createdAt
    .replace(/\..*|Z$/g, "")
    .replace("T", "-")
    .replaceAll(":", "")
  return `bundle-${time}-${facts.tenant.replace(/[^A-Za-z0-9._-]/g, "_")}-${facts.bundleId.slice(0, 8)}.air-evidence`
}

/** What checking a bundle gives: the reference's six checks, and what they leave open. */
export interface BundleVerdict {
  readonly verified: boolean
  /** The check (1 to 6) that failed, and why. */
  readonly check?: number
  readonly message?: string
  readonly bundle_id?: string
  readonly records?: number
  /** Of the key that signed. */
  readonly fingerprint?: string
  readonly counts?: JsonValue
  readonly anchor?: string
  /** Whether the chain was computed again with its key. */
  readonly chain_recomputed: boolean
  /** What holds only as far as one trusts who made the bundle; none is a failure of the reference. */
  readonly notes: ReadonlyArray<string>
  /** `verified`, with every note taken as a failure that shows an alteration or an unknown signer. */
  readonly strict: boolean
}

const required = [
  "manifest.json",
  "records/actions.jsonl",
  "verification/chain.json",
  "verification/receipts.json",
  "verification/public_key.pem"
]

/** Checks a bundle. `key` recomputes the chain, `expect` pins the signer (see signerFingerprint). Never fails. */
export const verifyBundle = (
  file: Buffer,
  options: { readonly key?: string | undefined; readonly expect?: string | undefined }
): BundleVerdict => {
  const notes: Array<string> = []
  const alterations: Array<string> = []
  try {
    const facts = checkBundle(file, options, notes, alterations)
    return { verified: true, ...facts, notes: [...alterations, ...notes], strict: alterations.length === 0 }
  } catch (error) {
    if (!(error instanceof CheckFailed)) throw error
    return {
      verified: false,
      check: error.check,
      message: error.problem,
      chain_recomputed: false,
      notes: [...alterations, ...notes],
      strict: false
    }
  }
}

class CheckFailed extends Error {
  readonly check: number
  readonly problem: string
  constructor(check: number, problem: string) {
    super(problem)
    this.check = check
    this.problem = problem
  }
}

const checkBundle = (
  file: Buffer,
  options: { readonly key?: string | undefined; readonly expect?: string | undefined },
  notes: Array<string>,
  alterations: Array<string>
) => {
  // 1: the container and what must be in it
  const members = unpack(file)
  const byName = new Map(members.map(({ name, bytes }) => [name, bytes]))
  const missing = required.filter((name) => !byName.has(name))
  if (![...byName.keys()].some((name) => /^mapping\/.+\.json$/.test(name))) missing.push("mapping/*.json")
  if (missing.length > 0) throw new CheckFailed(1, `the bundle lacks ${missing.join(", ")}`)
  if (byName.size < members.length) alterations.push("a member is there twice, so two readers may see different files")
  const objectIn = (check: number, name: string): JsonObject => {
    const value = parseJson(byName.get(name) ?? Buffer.alloc(0))
    if (!isJsonObject(value)) throw new CheckFailed(check, `${name} is no JSON object`)
    return value
  }

  // 2: the manifest, its signature, and the digests of the files that it lists
  const manifest = objectIn(2, "manifest.json")
  const signature = manifest.get("signature")
  if (!isJsonObject(signature)) throw new CheckFailed(2, "the manifest is not signed")
  const unsigned = new Map(manifest)
  unsigned.delete("signature")
  const digest = sha256(canonicalJson(unsigned, "compact"))
  if (digest !== textOf(signature, "signed_digest")) {
    throw new CheckFailed(2, "the manifest was altered after it was signed: it has another digest")
  }
  const algorithm = textOf(signature, "alg")
  const publicKey = textOf(signature, "public_key_hex")
  if (algorithm !== "ed25519")
    throw new CheckFailed(2, `the signature is ${algorithm}, and only ed25519 can be checked`)
  if (!verifies(publicKey, Buffer.from(digest, "hex"), textOf(signature, "value"))) {
    throw new CheckFailed(2, "the signature of the manifest is not valid")
  }
  const files = manifest.get("files")
  if (!isJsonObject(files)) throw new CheckFailed(2, "the manifest lists no files")
  for (const [name, expected] of files) {
    const bytes = byName.get(name)
    if (bytes === undefined) throw new CheckFailed(2, `${name} is listed and not there`)
    if (sha256(bytes) !== expected) throw new CheckFailed(2, `${name} was altered after the manifest was signed`)
  }
  const unlisted = [...byName.keys()].filter((name) => name !== "manifest.json" && !files.has(name))
  if (unlisted.length > 0) alterations.push(`the signature does not cover ${unlisted.join(", ")}`)
  const fingerprint = signerFingerprint(publicKey)
  if (options.expect === undefined)
    notes.push(`who signed is not known: compare ${fingerprint} with what they gave you`)
  else if (options.expect !== fingerprint) {
    throw new CheckFailed(2, `the bundle was signed by ${fingerprint}, not by ${options.expect}`)
  }

  // 3: the records and their chain
  const records = recordsIn(byName.get("records/actions.jsonl") ?? Buffer.alloc(0))
  const chain = objectIn(3, "verification/chain.json")
  checkChain(records, chain, options.key)
  if (options.key === undefined) notes.push("the chain was not computed again: give its key to do so")
  if (records.length === 0) alterations.push("the bundle holds no record")

  // 4: receipts
  for (const record of records) checkReceipt(record, publicKey)
  const unreceipted = records.filter((record) => !isJsonObject(record.get("receipt"))).length
  if (unreceipted > 0) notes.push(`${unreceipted} of ${records.length} records carry no receipt`)

  // 5: counts
  const counts = manifest.get("counts")
  const counted = countRecords(records)
  for (const name of checkedCounts) {
    const claimed = isJsonObject(counts) ? counts.get(name) : undefined
    if (canonicalJson(claimed ?? null) !== String(counted[name])) {
      throw new CheckFailed(5, `the manifest claims another number of ${name} than the ${counted[name]} in the records`)
    }
  }

  // 6: outside witnesses
  const anchorObject = manifest.get("anchor")
  const anchor = isJsonObject(anchorObject) ? textOf(anchorObject, "status") : "absent"
  notes.push(
    anchor === "absent"
      ? "no outside witness: who holds the key could have written these records later"
      : `the bundle names an outside witness (${anchor}), which lint-ai does not check`
  )
  return {
    bundle_id: textOf(manifest, "bundle_id"),
    records: records.length,
    fingerprint,
    counts: counts ?? null,
    anchor,
    chain_recomputed: options.key !== undefined
  }
}

const unpack = (file: Buffer): ReadonlyArray<ZipMember> => {
  try {
    return readZip(file)
  } catch (error) {
    if (error instanceof ZipInvalid) throw new CheckFailed(1, error.message)
    throw error
  }
}

const recordsIn = (bytes: Buffer): ReadonlyArray<JsonObject> => {
  const lines = bytes.toString("utf8").split("\n")
  if (lines.pop() !== "") throw new CheckFailed(3, "the last record is cut off")
  return lines.map((line, index) => {
    const value = parseJson(Buffer.from(line))
    if (!isJsonObject(value)) throw new CheckFailed(3, `record ${index + 1} is no JSON object`)
    return value
  })
}

const checkChain = (records: ReadonlyArray<JsonObject>, chain: JsonObject, key: string | undefined): void => {
  const links = chain.get("records")
  if (!Array.isArray(links) || links.length !== records.length) {
    throw new CheckFailed(3, "chain.json and the records are of different length")
  }
  let previous: Buffer = airGenesis
  for (const [index, record] of records.entries()) {
    const link: JsonValue | undefined = links[index]
    const same = (field: string) => isJsonObject(link) && textOf(link, field) === textOf(record, field)
    if (!same("run_id") || !same("chain_hash"))
      throw new CheckFailed(3, `record ${index + 1} is not that of chain.json`)
    if (key === undefined) continue
    const digest = recordDigest(key, previous, record)
    if (digest.toString("hex") !== textOf(record, "chain_hash")) {
      throw new CheckFailed(
        3,
        `the chain does not hold at record ${index + 1} (${textOf(record, "run_id")}): it or one before was altered, or the key is another`
      )
    }
    previous = digest
  }
  if (textOf(chain, "head_hash") !== textOf(records.at(-1) ?? new Map(), "chain_hash")) {
    throw new CheckFailed(3, "the head of chain.json is not the last record")
  }
}

const receiptFields = [
  "receipt_id",
  "agent_id",
  "action_name",
  "action_category",
  "payload_hash",
  "covenant_hash",
  "decision",
  "authorized",
  "parent_receipt_id",
  "created_at"
]

const checkReceipt = (record: JsonObject, publicKey: string): void => {
  const receipt = record.get("receipt")
  if (!isJsonObject(receipt)) return
  const signed = new Map(receiptFields.map((field) => [field, receipt.get(field) ?? null]))
  const own = textOf(receipt, "signing_public_key") === publicKey
  if (!own || !verifies(publicKey, Buffer.from(canonicalJson(signed)), textOf(receipt, "authorization_sig"))) {
    throw new CheckFailed(4, `the receipt of ${textOf(record, "run_id")} is not signed by the key of the manifest`)
  }
}
