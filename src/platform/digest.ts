/** What is hashed: bytes, or a text as UTF-8. */
type Part = string | Uint8Array

interface Hasher {
  update(part: Part): unknown
  digest(encoding: "hex"): string
}

const nodeCrypto = () => process.getBuiltinModule("node:crypto")

/** Bun's own hasher: its node:crypto alone takes half as long to load as the rest of the hook. */
const { Bun: bun } = globalThis as unknown as {
  readonly Bun?: { readonly CryptoHasher: new (algorithm: "sha256", key?: Uint8Array) => Hasher }
}

const hashed = (hasher: Hasher, parts: ReadonlyArray<Part>): string => {
  for (const part of parts) hasher.update(part)
  return hasher.digest("hex")
}

/** SHA-256 of the parts, one after the other: 64 hex digits. */
export const sha256 = (...parts: ReadonlyArray<Part>): string =>
  hashed(bun === undefined ? nodeCrypto().createHash("sha256") : new bun.CryptoHasher("sha256"), parts)

/** HMAC-SHA256 of the parts, one after the other: 64 hex digits. The key may be empty. */
export const hmacSha256 = (key: Uint8Array, ...parts: ReadonlyArray<Part>): string =>
  hashed(bun === undefined ? nodeCrypto().createHmac("sha256", key) : new bun.CryptoHasher("sha256", key), parts)

/** Whether two digests are equal, in a time that does not tell where they differ. */
export const sameDigest = (left: string, right: string): boolean => {
  let difference = left.length ^ right.length
  for (let at = 0; at < left.length; at++) difference |= left.charCodeAt(at) ^ right.charCodeAt(at)
  return difference === 0
}
