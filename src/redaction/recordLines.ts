import { isLegible, isPlaceholder, isRandom } from "./literals.ts"
import type { Scan } from "./scan.ts"

/** A file format whose lines hold a secret at a fixed place. The last group is the secret. */
interface RecordLine {
  readonly rule: string
  readonly hint: string
  /** Made when a text holds the hint. */
  readonly pattern: () => RegExp
  /** The value must look random, because the line alone says little. */
  readonly random?: true
}

const makeRecordLines = (): ReadonlyArray<RecordLine> => [
  // host:port:database:user:password
  {
    rule: "pgpass",
    hint: ":5432:",
    pattern: () => /(?:^|\n|\\n|→)[ \t]*(?:[\w.*-]{1,120}):5432:[\w.*-]{1,64}:[\w.*@-]{1,64}:([^\s"'\\]{3,200})/g
  },
  {
    rule: "pgpass",
    hint: ":*:",
    pattern: () =>
      /(?:^|\n|\\n|→)[ \t]*[\w.*-]{1,120}:(?:\d{2,5}|\*):[\w.*-]{1,64}:[\w.*@-]{1,64}:([^\s"'\\:]{6,200})(?=\s|\\n|$)/g,
    random: true
  },
  {
    rule: "pgpass",
    hint: "pgpass",
    pattern: () => /(?:^|\n|\\n|→)[ \t]*[\w.*-]{1,120}:(?:\d{2,5}|\*):[\w.*-]{1,64}:[\w.*@-]{1,64}:([^\s"'\\]{3,200})/g
  },
  // RFC 2617 digests and `user:hash` of htpasswd are password hashes; svn and git credential lines are key and value.
  {
    rule: "netrc",
    hint: "machine ",
    pattern: () =>
      /\bmachine\s{1,8}\S{1,200}\s{1,8}(?:login\s{1,8}\S{1,200}\s{1,8})?(?:account\s{1,8}\S{1,200}\s{1,8})?password\s{1,8}(\S{3,400})/g
  },
  {
    rule: "putty-key",
    hint: "Private-Lines:",
    pattern: () =>
      /\bPrivate-Lines: ?\d{1,4}\s{0,8}((?:(?:\\r|\\n|[\s>+\d→|-])*[A-Za-z0-9+/=]{16,80}){1,200}(?:(?:\\r|\\n|\s)*[A-Za-z0-9+/=]{1,63}(?=(?:\\r|\\n|\s)*Private-(?:MAC|Hash)))?)/g
  },
  // WireGuard, SSH and signify keys without armour.
  {
    rule: "private-key",
    hint: "untrusted comment",
    pattern: () => /(?<!signature from [^\n]{0,40})secret key[^\n]{0,80}\n([A-Za-z0-9+/=]{60,})/g
  },
  // A cookie file: domain, subdomains, path, secure, expiry, name, value.
  {
    rule: "cookie",
    hint: "\tTRUE\t",
    pattern: () =>
      /(?:^|\n)(?:#HttpOnly_)?\S{1,120}\t(?:TRUE|FALSE)\t\S{1,200}\t(?:TRUE|FALSE)\t\d{1,12}\t[^\t\n]{1,100}\t([^\s]{12,4096})/g,
    random: true
  },
  // svn: K 8 / password / V 12 / value
  {
    rule: "password",
    hint: "password\nV ",
    pattern: () => /\bK \d{1,2}\n(?:password|passphrase)\nV \d{1,4}\n([^\n]{3,400})/g
  },
  // Data source names without a scheme: user:password@tcp(host), jdbc:oracle:thin:user/password@host
  { rule: "url-password", hint: "@tcp(", pattern: () => /(?<![\w/])[\w.-]{1,64}:([^\s"'`@/:]{3,120})(?=@tcp\()/g },
  { rule: "url-password", hint: ":thin:", pattern: () => /:thin:[\w.]{1,60}\/([^\s"'`@/]{3,120})(?=@)/g },
  {
    rule: "password",
    hint: "ConvertTo-SecureString",
    pattern: () => /ConvertTo-SecureString (?:-\w{5,11} ){0,3}["']([^"'\n$]{3,200})(?=["'])/g
  },
  {
    rule: "password",
    hint: "PASSWORD FOR",
    pattern: () => /\bSET PASSWORD FOR [^\n=;]{1,120}= ?["']([^"'\n]{3,200})/g
  },
  // redis: AUTH and ACL SETUSER
  {
    rule: "password",
    hint: "AUTH ",
    pattern: () => /(?:^|\n|> |HELLO \d )AUTH (?:\w{1,40} )?([^\s"']{8,200})(?=\r?\n|$)/g,
    random: true
  },
  // SNMP: rocommunity word, snmp-server community word
  {
    rule: "password",
    hint: "community",
    pattern: () => /\b(?:r[ow]community6?|(?:snmp-server|set snmp) community)[ \t]{1,8}([^\s"',;()]{3,120})/g,
    random: true
  },
  // IRC
  {
    rule: "password",
    hint: "IDENTIFY ",
    pattern: () => /[sS]erv :?IDENTIFY (?:[^\s"']{1,40} )?([^\s"']{4,120})(?=\s|$)/g
  },
  // Postfix: [host]:port user@domain:password
  {
    rule: "password",
    hint: "]:",
    pattern: () => /\[[\w.-]{1,120}\]:\d{2,5}[ \t]{1,40}[\w.+@-]{1,120}:([^\s"']{4,200})(?=\s|$)/g
  },
  // The dialogues of mail and file servers
  { rule: "password", hint: "UGFzc3dvcmQ6", pattern: () => /\b334 UGFzc3dvcmQ6\s{1,4}(?:[<>C]:? ?)?([\w+/=]{6,200})/g },
  {
    rule: "password",
    hint: " LOGIN ",
    pattern: () => /(?:^|\n)(?:[<>C]:? ?)?\w{1,8} LOGIN "?[^\s"]{1,80}"? "?([^\s"]{6,120})(?="?\r?\n|"?$)/g,
    random: true
  },
  {
    rule: "password",
    hint: "\nPASS ",
    pattern: () => /\bUSER \S{1,80}\s{1,2}(?:[^\n]{0,120}\n){0,2}?(?:[<>C]:? ?)?PASS (\S{4,120})(?=\r?\n|$)/g,
    random: true
  },
  // A QR code of a WLAN, chap-secrets
  {
    rule: "password",
    hint: "WIFI:",
    pattern: () => /\bWIFI:(?:[STHR]:[^;\n]{0,64};){0,4}P:((?:[^;\\\n]|\\.){8,63});/g
  },
  {
    rule: "password",
    hint: "\t*\t",
    pattern: () => /(?:^|\n)"?[\w@.*\\-]{1,64}"?\t+\*\t+"?([^\s"]{4,64})(?="?\t)/g
  },
  { rule: "password", hint: "Key Content", pattern: () => /\bKey Content[ \t]{1,24}: (\S{8,64})/g },
  // nsupdate -y algorithm:name:key
  { rule: "secret", hint: "hmac-", pattern: () => /\bhmac-(?:sha\d{1,3}|md5):[\w.-]{1,80}:([\w+/=]{20,200})/g },
  // What resets of Elasticsearch print
  { rule: "password", hint: "New value: ", pattern: () => /New value: (\S{8,80})/g, random: true },
  { rule: "password", hint: "PASSWORD ", pattern: () => /(?:^|\n)PASSWORD \w{1,40} = (\S{8,80})/g },
  // The accounts of development chains
  {
    rule: "private-key",
    hint: "accounts",
    pattern: () => /\baccounts["']?\s?:\s?\[\s{0,12}["']((?:0x)?[0-9a-fA-F]{64})(?=["'])/g
  },
  {
    rule: "private-key",
    hint: "Private Keys",
    pattern: () => /\bPrivate Keys\s{1,4}=+\s{1,4}((?:\(\d{1,3}\)[: ]{1,2}0x[0-9a-f]{64}\s{0,4}){1,50})/g
  },
  // Variables of Azure Pipelines
  {
    rule: "secret",
    hint: "task.setvariable",
    pattern: () =>
      /task\.setvariable variable=\w{0,60}(?:SECRET|TOKEN|KEY|PASSWORD|PASSWD|PWD|[sS]ecret|[tT]oken|[kK]ey|[pP]assword)\w{0,20}[^\]\n]{0,60}\]([^\s"'$][^\s"']{5,400})/g
  },
  // docker login --password-stdin <<< value
  {
    rule: "command-argument",
    hint: "<<<",
    pattern: () =>
      /(?:--(?:password-stdin|passwd-on-stdin|with-token)|\bsecret create [\w.-]{1,80} -|\b(?:kinit|realm join|[\w-]{0,20}pass(?:wd|word|phrase)?(?:-fd)?|read -s|sudo -S|cryptsetup)\b[^\n<|;&]{0,80}) ?<<< ?["']?([^\s"'$]{8,400})/g
  },
  // --private-key <(echo value)
  {
    rule: "secret",
    hint: "<(",
    pattern: () =>
      /(?:key|secret|passw(?:or)?d|token|pass)[\w -]{0,32}[ =]<\((?:echo|printf)(?: -\w)? ["']?([^\s"')]{6,400})/g
  },
  // What `vault operator init` prints
  { rule: "secret", hint: "Unseal Key ", pattern: () => /\bUnseal Key \d{1,2}: ([\w+/=]{20,200})/g },
  // MySQL, at its first start
  { rule: "password", hint: "@localh", pattern: () => /password is generated for \S{1,80}: (\S{6,80})/g },
  // ipsec.secrets
  { rule: "password", hint: " : ", pattern: () => /[\w%] : (?:PSK|EAP|XAUTH) "?([^\s"]{4,120})/g },
  { rule: "password", hint: " SETUSER ", pattern: () => / SETUSER \S{1,60}[^\n]{0,80}? >([^\s"']{3,200})/g },
  // A file of those
  {
    rule: "password",
    hint: "+@",
    pattern: () => /\buser \S{1,60} (?:[^\n]{0,80} )?>([^\s"']{3,200})/g
  },
  // cloud-init, Kickstart, Debian's installer
  {
    rule: "password",
    hint: "chpasswd:",
    pattern: () =>
      /\bchpasswd:\s{1,24}(?:expire: \w{1,5}\s{1,24})?list: \|\s{1,24}(?:[\w.-]{1,32}:R(?:ANDOM)?\s{1,24}){0,8}[\w.-]{1,32}:([^\s$]\S{2,200})/g
  },
  { rule: "password", hint: "rootpw ", pattern: () => /\brootpw (?:--plaintext )?([^\s$-]\S{2,200})/g },
  {
    rule: "password",
    hint: "-password",
    pattern: () => /\b(?:root|user)-password(?:-again)?[ \t]{1,4}password[ \t]{1,4}(\S{3,200})/g
  },
  // libcurl
  { rule: "password", hint: "USERPWD", pattern: () => /USERPWD,\s?["'][^"':\n]{1,64}:([^"'\n]{3,120})/g },
  // HAProxy, openssl passwd, OpenVPN
  { rule: "password", hint: "stats auth ", pattern: () => /\bstats auth [^\s:]{1,64}:(\S{3,200})/g },
  {
    rule: "command-argument",
    hint: "openssl passwd ",
    pattern: () => /\bopenssl passwd (?:-\w{1,20} (?:[\w./]{1,16} (?=["'-]))?){0,4}["']?([^\s"'$-][^\s"']{4,120})/g
  },
  {
    rule: "password",
    hint: "<auth-user-pass>",
    pattern: () => /<auth-user-pass>\r?\n[^\n]{1,120}\n[ \t]*([^\s<][^\r\n]{3,200})/g
  }
]

/** Of all hints the part that is found soonest: most texts hold none, and for them the table is not made. */
const hints = [
  ":5432:",
  ":*:",
  "gpass",
  "hine ",
  "Lines:",
  "usted ",
  "\tTRUE\t",
  "\nV ",
  "@tcp(",
  ":thin:",
  "To-Sec",
  "RD FOR",
  "AUTH ",
  "SETUSE",
  "@localh",
  "PSK ",
  "EAP ",
  "Unseal",
  "munity",
  "NTIFY ",
  "Key Co",
  "WIFI:",
  "UGFzc3",
  "LOGIN ",
  "\nPASS ",
  "\t*\t",
  "hmac-",
  "New va",
  "WORD ",
  '["0x',
  "['0x",
  "##vso[",
  "Privat",
  "<(",
  "<<<",
  "]:",
  "+@",
  "ts auth ",
  "ssl pas",
  "-pass>",
  "passwd:",
  "pw --",
  "d-i pa",
  "USERPW"
]

const inQuotes = /^["'{<]{1,3}(.*?)["'}>]{0,3}$/

let recordLines: ReadonlyArray<RecordLine> | undefined

/** Finds secrets at fixed places of line formats: pgpass, netrc, PuTTY keys. */
export const scanRecordLines = (scan: Scan): void => {
  if (hints.some((hint) => scan.mayHold(hint))) scanHinted(scan)
}

const scanHinted = (scan: Scan): void => {
  const { text } = scan
  recordLines ??= makeRecordLines()
  for (const { rule, hint, pattern: made, random } of recordLines) {
    if (!text.includes(hint)) continue
    const pattern = made()
    for (let hit = pattern.exec(text); hit !== null; hit = pattern.exec(text)) {
      const value = hit[1] ?? ""
      scan.work.left -= 64 + hit[0].length
      if (scan.work.left < 0) return
      if (isPlaceholder(value.replace(inQuotes, "$1")) || (random === true && !isRandom(value) && isLegible(value)))
        continue
      const end = hit.index + hit[0].length
      scan.add(end - value.length, end, rule)
      pattern.lastIndex = Math.max(end - 1, hit.index + 1)
    }
  }
}
