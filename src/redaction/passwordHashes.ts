import type { Scan } from "./scan.ts"

// Hashes of passwords as files and databases hold them: an attacker's starting point, so they count as secrets.
// Each with the literals of which a text must hold one.
const makeHashes = (): ReadonlyArray<readonly [hints: ReadonlyArray<string>, pattern: RegExp]> => [
  [
    ["$"],
    /\$(?:[156y]|2[abxy]?|7|apr1|argon2(?:id|i|d)|scrypt|pbkdf2(?:-sha\d+)?|sha1|md5|P|S|H)\$[\w./$,=+-]{20,200}/g
  ],
  [
    ["pbkdf2_", "bcrypt", "scrypt$", "argon2$"],
    /(?:pbkdf2_sha(?:1|256|512)|bcrypt_sha256|bcrypt|scrypt|argon2)\$[\w./$,=+-]{20,200}/g
  ],
  [["pbkdf2:", "scrypt:"], /(?:pbkdf2:sha(?:1|256|512)(?::\d{1,8})?|scrypt:\d+:\d+:\d+)\$[\w./+=$]{20,200}/g],
  [
    ["SHA", "MD5}", "CRYPT}", "PBKDF2", "ARGON2}"],
    /\{(?:S?SHA(?:256|512)?|S?MD5|CRYPT|PBKDF2[\w-]*|ARGON2)\}[\w./+=$,]{16,200}/g
  ],
  [["SCRAM-SHA-256$"], /SCRAM-SHA-256\$\d+:[\w+/=]{8,80}\$[\w+/=:]{40,200}/g],
  [["'md5", '"md5'], /\bmd5[0-9a-f]{32}\b(?=['"])/g],
  [["'*", '"*'], /(?<=['"])\*[0-9A-F]{40}\b/g]
]

let hashes: ReturnType<typeof makeHashes> | undefined

const cryptHint = /\$(?:[1567yPSH]|2[abxy]?|apr1|argon2|scrypt|pbkdf2|sha1|md5)[\w=,-]{0,24}\$/
const namedHint =
  /pbkdf2|crypt[$:_]|argon2\$|SHA(?:256|512)?\}|MD5\}|CRYPT\}|SCRAM-|['"](?:md5[0-9a-f]{4}|\*[0-9A-F]{4})/

/** Finds password hashes: crypt, bcrypt, argon2, scrypt, PBKDF2, LDAP and database forms. */
export const scanPasswordHashes = (scan: Scan): void => {
  const { text } = scan
  if (!scan.mayMatch(cryptHint) && !scan.mayMatch(namedHint)) return
  hashes ??= makeHashes()
  for (const [hints, pattern] of hashes) {
    if (!hints.some((hint) => text.includes(hint))) continue
    pattern.lastIndex = 0
    for (let hit = scan.next(pattern); hit !== null; hit = scan.next(pattern)) {
      scan.work.left -= 32 + hit[0].length
      if (scan.work.left < 0) return
      scan.add(hit.index, hit.index + hit[0].length, "password-hash")
    }
  }
}
