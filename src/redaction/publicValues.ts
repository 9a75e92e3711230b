import { base64url, digits, hex, isAll, lowerhex } from "./characterClasses.ts"

// What is made by machines, stands beside names such as `key` and is no secret: the names of algorithms, public keys, addresses and fingerprints.

const algorithmWords =
  "aes des 3des rsa dsa ecdsa eddsa ed25519 ed25519ph ed448 x25519 x448 curve25519 curve448 secp256k1 secp256r1 secp384r1 secp521r1 prime256v1 " +
  "nistp256 nistp384 nistp521 p256 p384 p521 sha sha1 sha2 sha224 sha256 sha384 sha512 sha3 md4 md5 blake2b blake2s blake3 hmac cmac gmac kmac " +
  "hs256 hs384 hs512 rs256 rs384 rs512 es256 es256k es384 es512 ps256 ps384 ps512 a128gcm a192gcm a256gcm a128kw a256kw a128cbc a256cbc gcm cbc " +
  "ctr ecb ccm siv xts chacha20 xchacha20 poly1305 salsa20 argon2 argon2i argon2d argon2id bcrypt scrypt pbkdf2 hkdf base64 base64url pkcs1 " +
  "pkcs5 pkcs7 pkcs8 pkcs11 pkcs12 x509 oaep pss ecdh ecdhe dhe dh ssh sk openssh com libssh org tls ssl scram saslprep sha256withrsa " +
  "sha384withrsa sha512withrsa sha1withrsa sha256withecdsa md5withrsa wpa wpa2 wpa3 psk sae ccmp crypt sha512crypt sha256crypt md5crypt oauth " +
  "oauth2 ntlm oauthbearer gssapi kerberos caching native password jwt jws jwe symmetric asymmetric default sign verify decrypt encrypt plus " +
  "cert v01"

/** Made at the first use. */
let algorithms: ReadonlySet<string> | undefined
const longestAlgorithm = 48
const signsBetween = "-_/:.@+,"

const isSize = (part: string): boolean => part !== "" && part.length <= 5 && isAll(part, 0, part.length, digits)

/** `ssh-ed25519`, `aes-256-gcm`, `SCRAM-SHA-256`: words for algorithms, and sizes between signs. */
export const isAlgorithm = (value: string): boolean => {
  if (value.length > longestAlgorithm || value.length < 4) return false
  algorithms ??= new Set(algorithmWords.split(" "))
  const lower = value.toLowerCase()
  let known = 0
  for (let from = 0, at = 0; at <= lower.length; at++) {
    if (at < lower.length && !signsBetween.includes(lower.charAt(at))) continue
    const part = lower.slice(from, at)
    if (algorithms.has(part)) known++
    else if (!isSize(part)) return false
    from = at + 1
  }
  return known > 0
}

/** What a digest, a public key or an address begins with, where a word says what it is: told by hand before a pattern is made. */
const labels = [
  "sha",
  "SHA",
  "md5",
  "MD5",
  "blake3",
  "h1",
  "zh",
  "AAAA",
  "age1",
  "npub1",
  "nodekey",
  "mkey",
  "discokey"
]
const labelled =
  /^(?:sha-?(?:1|224|256|384|512)|SHA-?(?:1|224|256|384|512)|md5|MD5|blake3|h1|zh)[:=-][\w+/=:-]{16,}$|^(?:AAAA(?:B3NzaC1|C3NzaC1|E2VjZHNhLX|GnNrLX|InNrLW)|age1[a-z0-9]{50}|npub1[a-z0-9]{50}|[xyztuv]pub6?[A-Za-z0-9]{60}|(?:node|m|disco)key:[0-9a-f]{64})/

const isLabelled = (value: string): boolean =>
  (value.startsWith("pub", 1) || labels.some((label) => value.startsWith(label))) && labelled.test(value)

/** Objects of well-known services, which are named beside a `key` as often as not. */
const publicId =
  /^(?:(?:toolu|msg|call|resp|req|thread|asst|run|evt|cus|sub|in|pi|pm|ch|price|prod|acct|seti|cs|txn|po|re|tr|dpl|prj|team)_[A-Za-z0-9]{14,}|chatcmpl-[A-Za-z0-9]{20,})$/

/** Whether the value is the id of an object that a service lists. */
export const isPublicId = (value: string): boolean =>
  (value.includes("_") || value.startsWith("chatcmpl-")) && publicId.test(value)

/** Where the length that follows a tag of DER ends, and what stands behind it. */
const behindLength = (bytes: Buffer, at: number): { readonly at: number; readonly length: number } => {
  const first = bytes[at] ?? 0
  if (first < 0x80) return { at: at + 1, length: first }
  const size = first & 0x7f
  let length = 0
  for (let i = 1; i <= size && i <= 4; i++) length = length * 256 + (bytes[at + i] ?? 0)
  return { at: at + 1 + size, length }
}

const sequence = 0x30
const objectIdentifier = 0x06
const bitString = 0x03

/**
 * A public key, a certificate or a request for one in base64 of DER. Those begin with a sequence in a sequence; private keys begin with a number, and what is
 * encrypted has no string of bits behind its algorithm.
 */
const isPublicDer = (value: string): boolean => {
  if (value.length < 48 || value.charCodeAt(0) !== 77) return false
  const bytes = Buffer.from(value.slice(0, 160), "base64")
  if (bytes[0] !== sequence) return false
  const outer = behindLength(bytes, 1)
  if (bytes[outer.at] !== sequence || outer.length < value.length / 2) return false
  const inner = behindLength(bytes, outer.at + 1)
  return bytes[inner.at] === objectIdentifier ? bytes[inner.at + inner.length] === bitString : inner.length > 64
}

/** `0x7ffd…`, a pointer or a constant such as `0x40UL`, and the address of an account or a contract: 20 bytes. A key of such a chain has 32. */
const isPointerOrAddress = (value: string): boolean =>
  value.charCodeAt(0) === 48 &&
  (value.charCodeAt(1) | 32) === 120 &&
  (value.length <= 21 || value.length === 42) &&
  isAll(value, 2, value.length === 42 ? 42 : value.search(/[uUlL]{0,3}$/), hex)

const image = /^[a-z][a-z0-9.-]*(?::\d{2,5})?(?:\/[a-z0-9][a-z0-9._-]*){1,5}(?::[\w.-]{1,128}|@sha256:[0-9a-f]{64})+$/

/** `acme/api:5a1883d`, `ghcr.io/acme/api@sha256:…`: a container image. */
const isImage = (value: string): boolean => value.includes("/") && value.includes(":") && image.test(value)

/** `pk_live_…`: a key that is written into web pages. */
const isPublishable = (value: string): boolean => value.startsWith("pk_live_") || value.startsWith("pk_test_")

/** `B…`, 87 characters: a point of a curve as browsers are given it to subscribe to messages. */
const isCurvePoint = (value: string): boolean =>
  value.length === 87 && value.charCodeAt(0) === 66 && isAll(value, 0, 87, base64url)

/** `verify::h9f0c…`, `h9f0c…`: the hash behind the name of a function of Rust, as it is printed in a backtrace. */
const isSymbolHash = (value: string): boolean => {
  const hash = value.length - 17
  return (
    value.charCodeAt(hash) === 104 &&
    isAll(value, hash + 1, value.length, lowerhex) &&
    (hash === 0 || value.startsWith("::", hash - 2))
  )
}

/** Whether the value is public by what it is, whatever the name beside it. */
export const isPublicValue = (value: string): boolean =>
  isPublishable(value) ||
  isAlgorithm(value) ||
  isLabelled(value) ||
  isPublicDer(value) ||
  isPointerOrAddress(value) ||
  isCurvePoint(value) ||
  isSymbolHash(value) ||
  isImage(value)
