import type { Scan } from "./scan.ts"

// Hashes of passwords as files and databases hold them: an attacker's starting point, so they count as secrets.
const hashes =
  /\$(?:[156y]|2[abxy]?|7|apr1|argon2(?:id|i|d)|scrypt|pbkdf2(?:-sha\d+)?|sha1|md5|P|S|H)\$[\w./$,=+-]{20,200}|\b(?:pbkdf2_sha(?:1|256|512)|bcrypt_sha256|bcrypt|scrypt|argon2)\$[\w./$,=+-]{20,200}|\bpbkdf2:sha(?:1|256|512)(?::\d{1,8})?\$[\w./+=$]{20,200}|\bscrypt:\d+:\d+:\d+\$[\w./+=$]{20,200}|\{(?:S?SHA(?:256|512)?|S?MD5|CRYPT|PBKDF2[\w-]*|ARGON2)\}[\w./+=$,]{16,200}|\bSCRAM-SHA-256\$\d+:[\w+/=]{8,80}\$[\w+/=:]{40,200}|\bmd5[0-9a-f]{32}\b(?=['"])|(?<=^|[\s'":])\*[0-9A-F]{40}\b/gm

/** Finds password hashes: crypt, bcrypt, argon2, scrypt, PBKDF2, LDAP and database forms. */
export const scanPasswordHashes = (scan: Scan): void => {
  const { text } = scan
  if (!/[$}*]|md5[0-9a-f]{8}|:sha/.test(text)) return
  hashes.lastIndex = 0
  for (let hit = hashes.exec(text); hit !== null; hit = hashes.exec(text)) {
    scan.work.left -= 32 + hit[0].length
    if (scan.work.left < 0) return
    scan.add(hit.index, hit.index + hit[0].length, "password-hash")
  }
}
