import * as crypto from "node:crypto"
import { canonicalJson, type JsonObject } from "./json.ts"

/** The digest before the first record: seven ASCII bytes, where every later one is 32 raw bytes. */
export const airGenesis = Buffer.from("genesis")

/** What the chain covers: the record in canonical form without its chain_hash, whatever other fields it has. */
export const coveredText = (record: JsonObject): string => {
  const covered = new Map(record)
  covered.delete("chain_hash")
  return canonicalJson(covered)
}

/** HMAC-SHA256(key, previous digest || canonical record). The key is the UTF-8 of its text: hex in it is not decoded. */
export const recordDigest = (key: string, previous: Uint8Array, record: JsonObject): Buffer =>
  crypto.createHmac("sha256", key).update(previous).update(coveredText(record)).digest()

/** The key that the reference falls back to. Everybody knows it, so nothing that it signs proves anything. */
export const publicDefaultKey = "air-blackbox-default"
