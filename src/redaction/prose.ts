import { isAll, word } from "./characterClasses.ts"
import { isAddress, isPath, isPlaceholder, isRandom, isUuid, mixOf } from "./literals.ts"
import type { Scan } from "./scan.ts"

const loginEndings = ["in", " in", "ged in", "gedin"]

/** Behind `login`, `log in`, `logged in` and `sign in`. */
const loginsIn = (lower: string): ReadonlyArray<number> => {
  const logins: Array<number> = []
  for (let at = lower.indexOf("log"); at !== -1; at = lower.indexOf("log", at + 3)) {
    const ending = loginEndings.find((candidate) => lower.startsWith(candidate, at + 3))
    if (ending !== undefined) logins.push(at + 3 + ending.length)
  }
  for (let at = lower.indexOf("gn in"); at !== -1; at = lower.indexOf("gn in", at + 5))
    if (lower.startsWith("si", at - 2)) logins.push(at + 5)
  return logins
}

/** `auth=("`, `credentials( "`: an opening sign and a quote behind the word, with blanks between them. */
const opensQuote = (lower: string, behind: number): boolean => {
  let signs = 0
  // Three blanks, two signs, three blanks, a parenthesis and three blanks are the most there may be.
  for (let at = behind; at < behind + 13; at++) {
    const sign = lower.charAt(at)
    if (sign === '"' || sign === "'") return signs > 0
    if (sign === "=" || sign === "(") signs++
    else if (sign.trim() !== "") return false
  }
  return false
}

const authWords = ["auth", "credentials", "credential", "authentication"]
/** Functions of which an argument is a key: `createHmac("sha256", "…")`, `jwt.sign(payload, "…")`, `cookieParser("…")`. */
const signers = ["hmac", "hmac.new", "jwt.sign", "jwt.verify", "jwt.encode", "jwt.decode", "cookieparser"]
const isAuth = (lower: string, behind: number): boolean => authWords.some((word) => lower.endsWith(word, behind))

const passwords = ["password", "passwords", "passwort", "senha", "contraseña"]
const whose = [
  "for ",
  "of ",
  "to ",
  "from ",
  "on ",
  "in ",
  "do ",
  "da ",
  "del ",
  "de ",
  "für ",
  "von ",
  "now:",
  "below:",
  "here:"
]

/** What parts the words about a secret from the secret, before a blank or a colon. */
const tellers = [" is", " was", " ="]
const shortestTold = 12

/** `secret for the webhook is …`: words that say whose it is behind the name, and on the same line something long that is told. */
const tellsOf = (lower: string, behind: number): boolean => {
  if (lower.charCodeAt(behind) !== 32 || !whose.some((word) => lower.startsWith(word, behind + 1))) return false
  // Five words of 24 characters are the most there may be, besides the secret.
  const near = lower.slice(behind, behind + 176).split("\n", 1)[0] ?? ""
  const colon = near.indexOf(": ")
  if (colon !== -1 && isLong(near, colon + 2)) {
    if (isAll(near, colon + 2, colon + 18, word) || passwords.some((name) => lower.endsWith(name, behind))) return true
  }
  return tellers.some((teller) => {
    for (let at = near.indexOf(teller); at !== -1; at = near.indexOf(teller, at + 1)) {
      const from = at + teller.length
      if (" :".includes(near.charAt(from) || "-") && isLong(near, from + 1)) return true
    }
    return false
  })
}

/** Whether a run of twelve characters without blanks begins at `from`, or behind one more blank or colon and a quote there. */
const isLong = (near: string, from: number): boolean => {
  const run = near.slice(from + 2, from + shortestTold)
  return run.length === shortestTold - 2 && !run.includes(" ")
}

/** `log in as admin / …`: a slash with a blank or a quote before it, soon behind and on the same line. */
const precedesSlash = (lower: string, behind: number): boolean => {
  const near = lower.slice(behind, behind + 42)
  const slash = near.indexOf("/")
  return slash > 0 && " `\"'".includes(near.charAt(slash - 1)) && !near.slice(0, slash).includes("\n")
}

/** Ways in which people and code mention a secret without naming it right beside it. */
type MentionKind = "call" | "signing" | "connect" | "sql" | "sqlWord" | "sentence" | "login"

/** `=`, `(` or a blank: what stands behind a word before a quote is opened. */
const mayOpen = (code: number): boolean => code === 61 || code === 40 || code <= 32 || code === 160

/** Pieces of functions that take a user and a password last; no more than six characters, because the engine prepares a search for longer ones. */
const connectors = [
  "tConn",
  "yEntry",
  "PDO(",
  "ysqli",
  ">conne",
  "WiFi.b",
  "Sequel",
  "_super",
  "_user(",
  "Hash::",
  "CharA",
  "bcrypt",
  "Basic(",
  ".basic",
  "bind_s",
  "Bind("
]

/** The mentions that the text may hold: most texts are spared the patterns. One pass over the names, most of which their next character rules out. */
const hintedKinds = (scan: Scan): ReadonlyArray<MentionKind> => {
  const lower = scan.lowerText()
  const names = scan.names()
  let call = false
  let signing = false
  let sentence = false
  let login = false
  for (let i = 1; i < names.length; i += 2) {
    const behind = names[i] ?? 0
    const code = lower.charCodeAt(behind)
    if (code === 32 && !sentence) sentence = tellsOf(lower, behind)
    if (mayOpen(code) && !call) call = isAuth(lower, behind) && opensQuote(lower, behind)
    if (code === 40 && !signing) signing = signers.some((word) => lower.endsWith(word, behind))
    // The last letter of the word first.
    if (lower.charCodeAt(behind - 1) === 115 && !login)
      login = (lower.endsWith("credentials", behind) || lower.endsWith("creds", behind)) && precedesSlash(lower, behind)
  }
  for (const behind of loginsIn(lower)) {
    call ||= opensQuote(lower, behind)
    login ||= precedesSlash(lower, behind)
  }
  const kinds: Array<MentionKind> = []
  if (call) kinds.push("call")
  if (signing || call || ["Fernet", "nWith(", "HMAC2", "Wallet", "Signed"].some((word) => scan.mayHold(word)))
    kinds.push("signing")
  if (connectors.some((word) => scan.mayHold(word))) kinds.push("connect")
  if (lower.includes("fied ") && lower.includes("identified ")) kinds.push("sql", "sqlWord")
  if (sentence) kinds.push("sentence")
  if (login) kinds.push("login")
  return kinds
}

/** How a mention is written; the group is the secret. The less the words around a value say, the more it must show. */
interface Mention {
  readonly pattern: RegExp
  readonly holds: (value: string) => boolean
}

const plain = (value: string): boolean =>
  !isPlaceholder(value) && !isAddress(value) && !isPath(value) && !(value.includes("-") && isUuid(value))
const mixed = (value: string): boolean =>
  plain(value) &&
  value.length >= 6 &&
  ((mixOf(value).digits > 0 && mixOf(value).upper + mixOf(value).lower > 1) || isRandom(value))
const random = (value: string): boolean => plain(value) && value.length >= 12 && isRandom(value)

const makeMentions = (): Readonly<Record<MentionKind, () => Mention>> => ({
  // auth=("user", "password"), .basic_auth("user", Some("password")), HTTPBasicAuth("user", "password")
  call: () => ({
    pattern:
      /\b(?:auth|basic_?auth|BasicAuth|http_auth|HTTP(?:Basic|Digest)Auth|[sS]etBasicAuth|UsernamePasswordCredentials|NetworkCredential|PasswordAuthentication|[cC]redentials|login)\s{0,3}[=(]{1,2}\s{0,3}\(?(?:\s{0,3}["'][^"'\n]{1,80}["']\s{0,3},){1,3}\s{0,3}(?:Some\()?["']([^"'\s]{4,120})["']/g,
    holds: mixed
  }),
  // jwt.sign(payload, "key"), createHmac("sha256", "key"), hmac.new(b"key", …), client.login("token")
  signing: () => ({
    pattern:
      /\b(?:createHmac|Fernet|signWith|SignedString|HMAC\d{3}|Wallet|from_key|jwt\.(?:sign|verify|encode|decode)|hmac\.new|cookieParser|\w{1,24}\.login)\(\s{0,3}(?:(?:["']sha\d{1,3}["']|\{[^{}\n]{0,120}\}|[\w.]{1,60}),\s{0,3})?(?:b|\[\]byte\()?["']([^"'\s]{16,400})["']/g,
    holds: random
  }),
  // DriverManager.getConnection(url, "user", "password"), new DirectoryEntry(path, "user", "password"), new PDO('dsn', 'user', 'password'), hashSync("password", 10)
  connect: () => ({
    pattern:
      /\b(?:(?:getConnection|PDO|mysqli_connect|mysqli|DBI->connect|DirectoryEntry|Sequelize|create_(?:super)?user)\(\s{0,3}[^()\n]{1,200}?,\s{0,40}["'][^"'\n]{0,80}["'],\s{0,40}|(?:WiFi\.begin|httpBasic|basic)\(["'][^"'\n]{1,40}["'],\s?|(?:bcrypt\.(?:hash|hashSync|hashpw|compare|compareSync)|Hash::make)\(\s{0,3}b?)["']([^"'\s]{4,120})["']|\b(?:simple_bind(?:_s)?|Bind)\(\s{0,3}["'](?:cn|uid|CN|UID)=[^"'\n]{1,120}["'],\s?["']([^"'\s]{4,120})["']|"([^"\s]{4,120})"(?=\.toCharArray\(\))/g,
    holds: mixed
  }),
  // ALTER USER … IDENTIFIED BY '…'
  sql: () => ({
    pattern:
      /(?<=\b(?:user|role|grant|alter|create)\b[^;\n]{0,160}(?:\n\s{0,12})?)\bidentified (?:with [\w"'`]{1,40} )?(?:by|(?<=with [\w"'`]{1,40} )as)(?: password)? ["']([^"'\s]{3,200})["']/gi,
    holds: (value) => !isPlaceholder(value)
  }),
  // … IDENTIFIED BY word
  sqlWord: () => ({ pattern: /\bidentified by ([^\s"'`;,()<>]{6,120})/gi, holds: mixed }),
  // the secret for the webhook is …
  sentence: () => ({
    pattern:
      /\b(?:secret|token|key|password|passwort|senha|contraseña|credential)s?(?: (?:for|of|to|from|on|in|do|da|del|de|für|von)(?: [\w.@-]{1,40}){1,5}| now| below| here)(?: (?:is|was|=)[ :]{1,2}|: (?=\w{16}|(?<=(?:pass|senh|cont)[^:]{1,80}: )\S)(?![0-9a-f]+\b))["'`]?([^\s"'`,;]{12,400})/gi,
    holds: (value) => random(value.replace(/[.,;:!?)]+$/, ""))
  }),
  // log in as admin / …
  login: () => ({
    pattern: /\b(?:log(?:ged)? ?in|sign in|credentials|creds)\b[^\n/]{0,40}[ `"']\/[ `"']{0,2}([^\s"'`,;/]{6,80})/gi,
    holds: mixed
  })
})

let mentions: Readonly<Record<MentionKind, () => Mention>> | undefined

/** People do not write longer messages than this; what is longer was printed by a program. */
const longestProse = 128 * 1024

/** Finds secrets that only the words around them tell, where the words leave little doubt. */
export const scanProse = (scan: Scan): void => {
  if (scan.text.length > longestProse) return
  for (const kind of hintedKinds(scan)) {
    scanMentions(scan, kind)
    if (scan.work.left < 0) return
  }
}

const scanMentions = (scan: Scan, kind: MentionKind): void => {
  const { text } = scan
  mentions ??= makeMentions()
  const { pattern, holds } = mentions[kind]()
  pattern.lastIndex = 0
  for (let hit = pattern.exec(text); hit !== null; hit = pattern.exec(text)) {
    scan.work.left -= 64 + hit[0].length
    if (scan.work.left < 0) return
    const raw = hit[1] ?? hit[2] ?? hit[3] ?? ""
    if (!holds(raw)) continue
    const start = hit.index + hit[0].lastIndexOf(raw)
    scan.add(start, start + raw.replace(/[.,;:?)]+$/, "").length, "prose-secret")
  }
}
