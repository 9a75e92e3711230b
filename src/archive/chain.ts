import { hmacSha256, sha256 } from "../platform/digest.ts"

/** A secret of the user that keys the chain. `id` is public: it names the key in manifests. */
export interface ChainKey {
  readonly id: string
  readonly secret: Buffer
}

/** What a chain is keyed with where no key could be had: it shows accidents, and `verify` says `unkeyed`. */
export const unkeyed: ChainKey = { id: "none", secret: Buffer.alloc(0) }

/** The digest before the first event: it binds a log to its session and the moment it began. */
export const genesis = (sessionId: string, startedAt: string): string => sha256(`${sessionId}\n${startedAt}`)

/** HMAC-SHA256(key, previous digest || the line's own bytes before `,"chain_hash"`), hex (DESIGN 7). */
export const chainHash = (key: ChainKey, previous: string, body: Uint8Array): string =>
  hmacSha256(key.secret, Buffer.from(previous, "hex"), body)

/** The running checksum of a log: SHA-256(previous || the line with its newline), over whole lines, hex. The first previous is 32 zero bytes. */
export const runningChecksum = (previous: string, line: Uint8Array): string =>
  sha256(Buffer.from(previous, "hex"), line)

export const emptyChecksum = "0".repeat(64)

const opening = Buffer.from(',"chain_hash":"')
const hashLength = 64
/** Length of `,"chain_hash":"<64 hex>"}`, with which every chained line ends. */
export const sealLength = opening.length + hashLength + 2

/** Closes a line: `body` is the JSON object without its last brace. */
export const seal = (body: Buffer, hash: string): Buffer => Buffer.concat([body, opening, Buffer.from(`${hash}"}`)])

/** Splits a line into what was hashed and the hash; undefined when it does not end as a chained line does. */
export const unseal = (line: Buffer): { readonly body: Buffer; readonly hash: string } | undefined => {
  const at = line.length - sealLength
  if (at < 1 || line.indexOf(opening, at) !== at) return undefined
  const hash = line.toString("latin1", at + opening.length, at + opening.length + hashLength)
  return /^[0-9a-f]{64}$/.test(hash) ? { body: line.subarray(0, at), hash } : undefined
}
