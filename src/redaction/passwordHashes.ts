import { hex, isIn } from "./characterClasses.ts"
import type { Scan } from "./scan.ts"

const holdsOne = (scan: Scan, literals: ReadonlyArray<string>): boolean =>
  literals.some((literal) => scan.mayHold(literal))

/** What the names of crypt's schemes begin with: `$2b$`, `$apr1$`, `$argon2id$`. */
const schemeInitials = "156789yPSH2asmp"
const longestScheme = 34

/** Whether two dollars stand around what may be the name of a scheme. */
const holdsScheme = ({ text }: Scan): boolean => {
  for (let at = text.indexOf("$"); at !== -1; ) {
    const next = text.indexOf("$", at + 1)
    if (next === -1) return false
    if (next - at <= longestScheme && schemeInitials.includes(text.charAt(at + 1))) return true
    at = next
  }
  return false
}

const mayEndName = "t0123456789"

/** Whether a dollar stands behind what may be the end of a name or of its numbers: `bcrypt$`, `pbkdf2:sha256:600000$`. */
const holdsNamed = ({ text }: Scan): boolean => {
  for (let at = text.indexOf("$", 1); at !== -1; at = text.indexOf("$", at + 1))
    if (mayEndName.includes(text.charAt(at - 1))) return true
  return false
}

const isQuoted = (text: string, at: number): boolean => text.charAt(at - 1) === "'" || text.charAt(at - 1) === '"'

/** Whether a literal stands somewhere with a quote before it, and a hexadecimal digit behind: a hash of MySQL or PostgreSQL. */
const holdsQuoted = (scan: Scan, literal: string): boolean => {
  const { text } = scan
  if (!scan.mayHold(literal)) return false
  for (let at = text.indexOf(literal); at !== -1; at = text.indexOf(literal, at + 1))
    if (isIn(text.charCodeAt(at + literal.length), hex) && isQuoted(text, at)) return true
  return false
}

/** Forms of hashes of passwords as files and databases hold them: an attacker's starting point, so they count as secrets. */
type HashForm = "crypt" | "kerberos" | "named" | "numbered" | "ldap" | "scram" | "postgres" | "mysql"

/** The forms that the text may hold, told without a pattern. Dollars and braces are asked for first: without them most are ruled out at once. */
const hintedForms = (scan: Scan): ReadonlyArray<HashForm> => {
  const forms: Array<HashForm> = []
  if (scan.mayHold("$")) {
    const named = holdsNamed(scan)
    if (holdsScheme(scan)) forms.push("crypt")
    if (named && scan.mayHold("$krb5")) forms.push("kerberos")
    if (named && holdsOne(scan, ["pbkdf2_", "bcrypt", "scrypt$", "argon2$"])) forms.push("named")
    if (named && holdsOne(scan, ["pbkdf2:", "scrypt:"])) forms.push("numbered")
    if (named && scan.mayHold("SCRAM-SHA-256$")) forms.push("scram")
  }
  if (scan.mayHold("}") && holdsOne(scan, ["SHA", "MD5}", "CRYPT}", "PBKDF2", "ARGON2}"])) forms.push("ldap")
  if (holdsQuoted(scan, "md5")) forms.push("postgres")
  if (holdsQuoted(scan, "*")) forms.push("mysql")
  return forms
}

const makePatterns = (): Readonly<Record<HashForm, () => RegExp>> => ({
  crypt: () =>
    /\$(?:[156789y]|2[abxy]?|apr1|argon2(?:id|i|d)|scrypt|pbkdf2(?:-sha\d+)?|sha1|md5|P|S|H)\$[\w./$,=+-]{20,200}/g,
  // A ticket or a part of one, which is as good as the password of its owner.
  kerberos: () => /\$krb5(?:asrep|tgs|pa)\$[\w.@*$/:~+-]{60,8192}/g,
  named: () => /(?:pbkdf2_sha(?:1|256|512)|bcrypt_sha256|bcrypt|scrypt|argon2)\$[\w./$,=+-]{20,200}/g,
  numbered: () => /(?:pbkdf2:sha(?:1|256|512)(?::\d{1,8})?|scrypt:\d+:\d+:\d+)\$[\w./+=$]{20,200}/g,
  ldap: () => /\{(?:S?SHA(?:256|512)?|S?MD5|CRYPT|PBKDF2[\w-]*|ARGON2)\}[\w./+=$,]{16,200}/g,
  scram: () => /SCRAM-SHA-256\$\d+:[\w+/=]{8,80}\$[\w+/=:]{40,200}/g,
  postgres: () => /\bmd5[0-9a-f]{32}\b(?=['"])/g,
  mysql: () => /(?<=['"])\*[0-9A-F]{40}\b/g
})

let patterns: Readonly<Record<HashForm, () => RegExp>> | undefined

/** Finds password hashes: crypt, bcrypt, argon2, scrypt, PBKDF2, LDAP and database forms. */
export const scanPasswordHashes = (scan: Scan): void => {
  const forms = hintedForms(scan)
  if (forms.length > 0) scanForms(scan, forms)
}

const scanForms = (scan: Scan, forms: ReadonlyArray<HashForm>): void => {
  patterns ??= makePatterns()
  for (const form of forms) {
    const pattern = patterns[form]()
    pattern.lastIndex = 0
    for (let hit = scan.next(pattern); hit !== null; hit = scan.next(pattern)) {
      scan.work.left -= 32 + hit[0].length
      if (scan.work.left < 0) return
      // `$argon2id$v=19$m=65536,t=3,p=4$<salt>$<hash>`: the form without the hash.
      if (form === "crypt" && hit[0].length - hit[0].lastIndexOf("$") <= 10) continue
      scan.add(hit.index, hit.index + hit[0].length, "password-hash")
    }
  }
}
