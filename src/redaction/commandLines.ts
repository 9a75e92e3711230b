import { alnum, base64url, isAll, isIn, upperalnum, urldot } from "./characterClasses.ts"
import { isAddress, isLegible, isPath, isPlaceholder, isRandom } from "./literals.ts"
import { isSpace, quoteAt, quotedEnd, skipBlanks } from "./quoting.ts"
import { Scan } from "./scan.ts"
import { marker } from "./spans.ts"
import { isCode, isSecretValue } from "./values.ts"

/** Commands whose arguments hold a secret under a name that says nothing: `-p`, `-u user:password`, the third word. By groups that take it alike. */
const makeGroups = () => ({
  mysql: "mysql mysqldump mysqladmin mysqlimport mariadb mariadb-dump mycli xtrabackup 7z 7za rar unrar",
  docker: "docker podman nerdctl helm buildah skopeo oras crane",
  conan: "conan",
  sshpass: "sshpass",
  redis: "redis-cli",
  mongo:
    "mongo mongosh mongodump mongorestore mongoexport mongoimport cqlsh oc twine cypher-shell rabbitmqadmin psexec psexec64 certutil rdesktop beeline evil-winrm nxc crackmapexec smbmap racadm caprover",
  sqlcmd: "sqlcmd bcp zip unzip ldapsearch mosquitto_pub mosquitto_sub ipmitool",
  ldap: "ldapsearch ldapmodify ldapadd ldapwhoami ldappasswd",
  ldappasswd: "ldappasswd",
  creds: "skopeo buildah podman",
  curl: "curl http https xh ab siege etcdctl turnserver jenkins-cli.jar",
  httpie: "http https xh",
  lftp: "lftp",
  keygen: "ssh-keygen",
  sudo: "sudo",
  eas: "eas",
  poetry: "poetry composer",
  security: "security",
  cargo: "cargo wandb",
  bundle: "bundle",
  dotnet: "dotnet nuget",
  cloudflared: "cloudflared",
  mc: "mc",
  oathtool: "oathtool",
  smbclient: "smbclient rpcclient smbget winexe net",
  az: "az",
  htpasswd: "htpasswd mosquitto_passwd",
  openssl: "openssl",
  rabbitmq: "rabbitmqctl",
  net: "net",
  vault: "vault",
  snyk: "snyk",
  op: "op",
  gh: "gh",
  aws: "aws",
  kubectl: "kubectl",
  snmp: "snmpget snmpgetnext snmpwalk snmpbulkget snmpbulkwalk snmpset snmptable snmptrap",
  windows: "xfreerdp xfreerdp3 wfreerdp signtool schtasks",
  codecov: "codecov influx",
  doctl: "doctl",
  chpasswd: "chpasswd"
})

type CommandGroup = keyof ReturnType<typeof makeGroups>

const line = "[^\\n|;&]{0,240}?"

const flag = (letters: string): RegExp => new RegExp(`^${line}\\s(?:${letters})(?:[ =]|(?=['"]))\\s*`)
const attached = (letters: string): RegExp => new RegExp(`^${line}\\s(?:${letters})(?=[^\\s=-])`)

/** Groups of which only what follows the colon counts: `user:password`. */
const pairGroups: ReadonlyArray<string> = ["curl", "chpasswd", "creds"]

/** From behind the command up to the value, on the same line. Made when the first of the commands is met, which few texts hold. */
const makeArguments = (): Readonly<Record<CommandGroup, () => ReadonlyArray<RegExp>>> => ({
  mysql: () => [attached("-p")],
  docker: () => [/^[^\n|;&]{0,60}?\blogin\b[^\n|;&]{0,240}?\s-p[ =]?\s*(?=[^\s-])/],
  conan: () => [/^ (?:user|remote login|remote auth)\b[^\n|;&]{0,240}?\s-p[ =]\s*/],
  sshpass: () => [/^ -p\s*/],
  redis: () => [flag("-a|--pass")],
  mongo: () => [flag("-p")],
  sqlcmd: () => [flag("-P")],
  ldap: () => [flag("-w")],
  ldappasswd: () => [flag("-[sa]")],
  creds: () => [flag("--(?:src-|dest-)?creds")],
  curl: () => [
    /^(?:[^\n|;]|&(?!&)){0,400}?\s(?:(?:-[sSkLvfi]{0,8}u|--user|-U|--proxy-user|-a|--auth|-auth|-A)(?:[ =]|(?=['"]))\s*|-u(?=[\w.@-]{1,64}:[^\s/]))/
  ],
  httpie: () => [/^[^\n|;&]{0,240}?\s(?:-A|--auth-type)[ =]bearer\s+(?:-a|--auth)[ =]\s*/],
  lftp: () => [/^[^\n|;&]{0,240}?\s-u\s*['"]?[\w.@-]{1,60},/],
  keygen: () => [/^[^\n|;&]{0,240}?\s-[NP]\s*/],
  sudo: () => [/^ -S [^\n]{0,200}?<<<\s*/],
  eas: () => [/^ (?:secret|env):create [^\n|;&]{0,240}?--value[ =]\s*/],
  poetry: () => [/^ config (?:-\S{1,8} )?http-basic\.[\w.-]{1,80} \S{1,80} /, /^ config pypi-token\.[\w-]{1,60} /],
  security: () => [
    /^ (?:unlock|create|import|set-key)[^\n|;&]{0,240}?\s-[pP]\s*/,
    /^ add-(?:generic|internet)-password [^\n|;&]{0,240}?-w\s*/
  ],
  cargo: () => [/^ login (?:--\w+ \S{1,60} )?(?=[\w-]{20})/],
  bundle: () => [/^ config (?:set )?(?:--\w{1,12} )?[\w-]{1,60}\.[\w.-]{1,80} ['"]?[\w.@-]{1,60}:/],
  dotnet: () => [/^ (?:nuget )?(?:add|push|sources) [^\n|;&]{0,240}?\s(?:-[pk]|-ApiKey)[ =]\s*/],
  cloudflared: () => [/^ (?:service install|tunnel run --token) (?=[\w-]{30})/],
  mc: () => [/^ alias set \S{1,80} \S{1,200} \S{1,120} /],
  oathtool: () => [/^ (?:-\S{1,24} ){0,6}(?=[A-Za-z2-7]{16})/],
  smbclient: () => [/^[^\n|;&]{0,240}?\s-U\s*['"]?[\w.\\-]{1,60}%/],
  az: () => [/^ login\b[^\n|;&]{0,240}?\s-p[ =]\s*/, /^ keyvault secret set [^\n|;&]{0,240}?--value[ =]\s*/],
  htpasswd: () => [/^ -\w*b\w* (?:\S{1,120} )?[\w.@-]{1,80} (?=\S+(?:\s|$))/],
  openssl: () => [/^[^\n|;&]{0,240}?\s-(?:passin|passout|pass|k|K)\s+(?:pass:)?(?!env:|file:|stdin|fd:)/],
  rabbitmq: () => [/^ (?:add_user|change_password) [\w.@-]{1,80} /],
  net: () => [
    /^ (?:use|user) [^\n|;&]{1,120}?\/user:\S{1,80} /,
    /^ use (?:\w: |\* )?\\\\\S{1,120} (?=[^\s/*-]\S{3,80}(?:\s|$))/,
    /^ user [\w.-]{1,60} (?=[^\s/*-]\S{2,80}(?:\s+\/|\s*$))/
  ],
  vault: () => [/^ login (?:-\S+ )*(?:token=)?(?=[\w.]{12})/, /^ operator unseal (?=[\w+/]{20})/],
  snyk: () => [/^ auth /],
  op: () => [/^ signin [^\n|;&]{0,120}--raw /],
  gh: () => [/^ secret set [^\n|;&]{0,200}?(?:--body|-b)(?:[ =]|(?=["']))\s*/],
  aws: () => [/^ ssm put-parameter (?=[^\n]{0,400}SecureString)[^\n|;&]{0,300}?--value[ =]\s*/],
  kubectl: () => [/^[^\n|;&]{0,40} create secret [^\n|;&]{0,240}?--from-literal[ =]['"]?[\w.-]{1,80}=/],
  snmp: () => [flag("-c"), flag("-A"), flag("-X")],
  windows: () => [/^[^\n|;&]{0,240}?\s\/r?p[: ]\s*/],
  codecov: () => [flag("-t")],
  doctl: () => [/^ auth init [^\n|;&]{0,120}?(?:-t|--access-token)[ =]\s*/],
  chpasswd: () => [/^ <<<\s*/]
})

// The signs by which the commands above take their secret are far rarer in a text than the names of the commands. All begin with a space, so that the
// search skips from space to space; what a sign needs besides is asked for each.
const signs =
  / (?:-|add_user|change_password|<<<|login|auth|(?<=try |dle |ser )config|alias set|service install|unseal|\/r?p[: ]|(?<=net )use)/g

const flagLetters = "puawUPAkKbNcXt"

/** Whether the dashes at `at` begin a flag that may take a secret: one of the letters, with or without more behind it, or one of the words. */
const isSecretFlag = (text: string, at: number): boolean => {
  const from = text.charCodeAt(at + 1) === 45 ? at + 2 : at + 1
  let end = from
  // curl's -u behind flags without a value: -su
  while (end - from < 8 && "sSkLvfi".includes(text.charAt(end) || "-") && text.charCodeAt(at + 1) !== 45) end++
  if (text.charAt(end) !== "u") end = from
  if (flagLetters.includes(text.charAt(end) || "-")) end += 1
  else if (text.startsWith("nb", from)) end += 2
  else if (text.startsWith("value", from)) end += 5
  else if (text.startsWith("src-creds", from)) end += 9
  else if (text.startsWith("dest-creds", from)) end += 10
  else if (text.startsWith("from-literal", from)) end += 12
  else return false
  const next = text.charCodeAt(end)
  // A password may begin with any character beyond ASCII.
  return next > 127 || isIn(next, alnum) || isSpace(next) || next === 61 || next === 34 || next === 39
}

/** Whether the sign behind the space at `at` counts. Those that are English words do behind their command only. */
const isSign = (text: string, at: number, sign: string): boolean => {
  if (sign === " -") return isSecretFlag(text, at + 1)
  if (sign === " login") return ["vault ", "cargo ", "wandb "].some((command) => text.endsWith(command, at + 1))
  if (sign === " config")
    return text.endsWith("poetry ", at + 1) || text.endsWith("bundle ", at + 1) || text.endsWith("composer ", at + 1)
  return sign !== " auth" || text.endsWith("snyk ", at + 1)
}

/** What to look for behind a command. */
interface SecretArgument {
  readonly before: RegExp
  readonly pair: boolean
}

let groups: ReturnType<typeof makeGroups> | undefined
/** All commands, with a space before and behind each. */
let commands: string | undefined
let secretArguments: ReturnType<typeof makeArguments> | undefined
const made = new Map<string, ReadonlyArray<SecretArgument>>()

const isCommand = (word: string): boolean => {
  groups ??= makeGroups()
  commands ??= ` ${Object.values(groups).join(" ")} `
  return commands.includes(` ${word} `)
}

const argumentsOf = (command: string): ReadonlyArray<SecretArgument> => {
  const known = made.get(command)
  if (known !== undefined) return known
  groups ??= makeGroups()
  secretArguments ??= makeArguments()
  const found: Array<SecretArgument> = []
  for (const group of Object.keys(groups) as Array<CommandGroup>) {
    if (!` ${groups[group]} `.includes(` ${command} `)) continue
    for (const before of secretArguments[group]()) found.push({ before, pair: pairGroups.includes(group) })
  }
  made.set(command, found)
  return found
}

/** Whether the word ends in two capitals, as Windows lets commands be written. */
const isCapitals = (word: string): boolean =>
  isIn(word.charCodeAt(word.length - 1), upperalnum) && isIn(word.charCodeAt(word.length - 2), upperalnum)

/** `PSEXEC.EXE` as `psexec`. */
const plainName = (word: string): string => word.toLowerCase().replace(/\.exe$/, "")

/** Of a terminal, before the command: GitHub's runners print each in one. */
const colours = /^.*(?:\x1b|u001b|x1b|033|\\e)\[[\d;]{0,16}m/s

/** The command that a word ends in: `/usr/bin/mysql`, `$(curl`, `curl.exe`. */
const commandIn = (named: string): string | undefined => {
  const shown = named.includes("[") ? named.replace(colours, "") : named
  const word = shown.endsWith("exe") || shown.endsWith("EXE") || isCapitals(shown) ? plainName(shown) : shown
  if (isCommand(word)) return word
  const code = word.charCodeAt(word.length - 1)
  // Commands end in a letter, and only behind a sign is one the end of a longer word.
  if (!isIn(code, alnum) || word.length > 240) return undefined
  let start = word.length
  while (start > 0 && isIn(word.charCodeAt(start - 1), urldot)) start--
  const end = word.slice(start)
  return start > 0 && isCommand(end) ? end : undefined
}

const isLiteral = (value: string): boolean =>
  value.length >= 3 &&
  !isPlaceholder(value) &&
  !value.startsWith("-") &&
  !value.startsWith("$") &&
  !(value.startsWith("/") && isPath(value)) &&
  !/^[A-Z][A-Z_]{1,40}=/.test(value) &&
  !isCode(value)

const argumentEnd = (text: string, at: number): readonly [number, number] => {
  const quote = quoteAt(text, at)
  if (quote !== undefined) return [quote.after, quotedEnd(text, quote, 512)]
  let end = at
  while (
    end < text.length &&
    end - at < 512 &&
    !/[\s\x00-\x1f'"`;|]/.test(text.charAt(end)) &&
    !(text.charAt(end) === "\\" && /[nrt"'\\]/.test(text.charAt(end + 1))) &&
    // A page of HTML goes on.
    !text.startsWith("</", end)
  )
    end++
  return [at, end]
}

const piped =
  /(?:echo|printf)(?: -\w+)*(?: ['"]%s(?:\\n)?['"])? (['"]?)([^\s'"|$`]{4,200})\1(?:; ?echo \1\2\1)?\)? ?(?:>{1,2} ?["']?[\w./~-]{0,120}(?:pass|secret|token|key|cred)[\w.-]{0,40}|\| ?(?:sudo )?(?:[\w./-]+ )?(?:[^\n|]{0,120}--passw(?:or)?d-(?:on-)?stdin|(?:smb|vnc)?passwd [\w-]|tee (?:-a )?["']?[\w./~-]{0,120}(?:pass|secret|token|key|cred)[\w.-]{0,40}|sudo -S|chpasswd|passwd --stdin|gh secret set|gh auth login|kubectl create secret|secret-tool store|(?:go)?pass insert|[\w.-]+ (?:secret|secrets) (?:put|set|create|add|versions)|cryptsetup|kinit|openssl|base64|gpg [^\n|]{0,120}--passphrase-fd|[\w.-]+ env add))/gm

/** Commands that print a secret on the next line, by their first word: what follows that, whatever its case. Patterns as text, because few are met. */
const printers: Readonly<Record<string, string>> = {
  openssl: "rand",
  gh: "auth token",
  pass: "show",
  op: "read",
  vault: "(?:read|kv get) .*-field",
  bw: "get (?:password|totp)",
  rbw: "get",
  gopass: "(?:show|cat) ",
  lpass: "show .*--password",
  security: "find-(?:generic|internet)-password",
  gcloud: "(?:auth (?:application-default )?print-(?:access|identity)-token|secrets versions access)",
  aws: "(?:ecr get-login-password|(?:secretsmanager|ssm) get-.*--output text)",
  pwgen: "",
  apg: "",
  head: "-c \\d+ /dev/u?random",
  heroku: "auth:token",
  doppler: "secrets get .*--plain",
  "secret-tool": "lookup",
  wg: "genkey",
  kubectl: "(?:.*\\bsecrets?\\b.*base64 (?:-d|--decode|-D)|create token)",
  oc: "whoami -t",
  az: "(?:account get-access-token|keyvault secret show .*-o tsv)",
  npm: "token create",
  argocd: "(?:account generate-token|admin initial-password)",
  python3: "-c .*(?:secrets\\.|get_random_secret_key)",
  python: "-c .*(?:secrets\\.|get_random_secret_key)",
  node: "-[ep] .*randomBytes",
  ruby: "-.*SecureRandom",
  cat: ".*(?:token|secret|password|api[-_]?key)[\\w-]*(?:\\.(?:txt|key|secret|token|pass))?(?![\\w.])"
}
const longestPrinter = 11

/** The first word of the text, if it is one of these commands. */
const printerAt = (text: string): string | undefined => {
  const word = text.slice(0, Math.min(text.indexOf(" "), longestPrinter + 1))
  return Object.hasOwn(printers, word) ? word : undefined
}

const madePrinters = new Map<string, RegExp>()

/** The pattern of what a command prints a secret for. */
const printerOf = (command: string): RegExp => {
  const pattern = madePrinters.get(command) ?? new RegExp(`^(?:${printers[command]})`, "i")
  madePrinters.set(command, pattern)
  return pattern
}

/** Whether the command prints a secret. */
export const printsSecret = (command: string): boolean => {
  const word = printerAt(command)
  return word !== undefined && printerOf(word).test(command.slice(word.length + 1))
}

const printedValue = (value: string): boolean =>
  !/\s/.test(value.trim()) &&
  // An object or a page holds names of its own.
  !/^\s*[{[<]/.test(value) &&
  !isPlaceholder(value.trim()) &&
  (isRandom(value.trim()) ||
    (value.length >= 8 && /\d/.test(value) && !isLegible(value.trim()) && !isAddress(value.trim())))

/** What ends a line that goes on below, in shells and PowerShell. */
const goesOn = /[ \t][\\`]\r?\n/g

/** The end of the last line before the end of `before` that does not go on; -1 when there is none. */
const lineOpening = (before: string): number => {
  let at = before.lastIndexOf("\n")
  while (at > 0) {
    const end = before.charCodeAt(at - 1) === 13 ? at - 2 : at - 1
    const sign = before.charCodeAt(end)
    if (sign !== 92 && sign !== 96) return at
    at = before.lastIndexOf("\n", end)
  }
  return at
}

/** A command over several lines as one of the same length. */
const inOneLine = (lines: string): string =>
  lines.includes("\\\n") || lines.includes("`\n") || lines.includes("\r\n")
    ? lines.replace(goesOn, (end) => " ".repeat(end.length))
    : lines

const scanArguments = (scan: Scan): void => {
  const { text } = scan
  signs.lastIndex = 0
  let done = 0
  for (let sign = scan.next(signs); sign !== null; sign = scan.next(signs)) {
    scan.work.left -= 48
    if (scan.work.left < 0) return
    if (sign.index < done || !isSign(text, sign.index, sign[0])) continue
    const back = Math.max(done, sign.index - 400)
    const opening = lineOpening(text.slice(back, sign.index))
    const from = opening === -1 ? back : back + opening + 1
    const line = inOneLine(text.slice(from, sign.index + 640))
    const length = line.indexOf("\n", sign.index - from)
    scanCommand(scan, from, length === -1 ? line : line.slice(0, length))
    // The rest of this piece of the line has been looked at as well.
    done = length === -1 ? from + line.length - 64 : from + length
  }
}

/** Whatever the command: a password behind the name of a user, `… -u name -p password`, or behind `login`. */
const loginFlags =
  /[ /](?:login\b|(?:-[uUl]|--?user(?:name)?)[ =]["']?[\w.@\\-]{1,80}["']?)(?: [^\n|;&]{0,160}?)? -[pP](?:[ =]|(?=["']))/

const users = [" login", " -u", " -U", " -l ", " --user"]

const scanLogin = (scan: Scan, from: number, line: string): void => {
  const flag = Math.max(line.indexOf(" -p"), line.indexOf(" -P"))
  const isLogin = users.some((word) => line.slice(0, flag).includes(word))
  const hit = isLogin ? loginFlags.exec(line) : null
  if (hit === null) return
  const [start, end] = argumentEnd(scan.text, skipBlanks(scan.text, from + hit.index + hit[0].length))
  const value = scan.text.slice(start, end)
  if (isLiteral(value) && (isRandom(value) || !isIdentifier(value)) && isSecretValue("password", value, "told"))
    scan.add(start, end, "command-argument")
}

/** Letters and digits alone: `-p` names a database, a project or a profile as well. */
const isIdentifier = (value: string): boolean => isAll(value, 0, value.length, base64url)

const scanCommand = (scan: Scan, from: number, line: string): void => {
  if (line.includes(" -p") || line.includes(" -P")) scanLogin(scan, from, line)
  let at = 0
  for (let space = line.indexOf(" "); space !== -1; space = line.indexOf(" ", at)) {
    const command = space === at ? undefined : commandIn(line.slice(at, space))
    at = space + 1
    if (command !== undefined) scanArgumentsOf(scan, from + space, line.slice(space), command)
  }
}

const nothing = [0, 0] as const

/** Where the password of `user:password` stands, which begins at `at`. Without one, a user that looks random is a token. */
const passwordOfPair = (text: string, at: number): readonly [number, number] => {
  const [start, end] = argumentEnd(text, at)
  const user = text.slice(start, end)
  // -u "user":"password"
  if (start > at && text.charCodeAt(end + 1) === 58 && quoteAt(text, end + 2) !== undefined)
    return argumentEnd(text, end + 2)
  // The colon of an earlier marker parts nothing.
  const colon = user.indexOf(":", user.startsWith("[REDACTED:") ? user.indexOf("]") : 0)
  // A user has no blank: `-A "Mozilla/5.0 (X11; rv:…)"`
  if (colon === -1 || user.startsWith("<") || text.startsWith("//", start + colon + 1)) return nothing
  // Nor a version: `-A probe/2.4:nightly`
  if (/ |\/\d+\.|^x+$/.test(user.slice(0, colon))) return nothing
  if (colon < user.length - 1) return [start + colon + 1, end]
  // -u user:'password'
  if (start === at && quoteAt(text, end) !== undefined) return argumentEnd(text, end)
  return colon >= 12 && isRandom(user.slice(0, -1)) ? [start, end - 1] : nothing
}

/** `rest` is the line from behind the command on. */
const scanArgumentsOf = (scan: Scan, at: number, rest: string, command: string): void => {
  for (const { before, pair } of argumentsOf(command)) {
    scan.work.left -= 128
    const hit = before.exec(rest)
    if (hit === null) continue
    const opening = skipBlanks(scan.text, at + hit[0].length)
    const [start, end] = pair ? passwordOfPair(scan.text, opening) : argumentEnd(scan.text, opening)
    if (isLiteral(scan.text.slice(start, end))) scan.add(start, end, "command-argument")
  }
}

const sqlplus =
  /\b(?:(?:sqlplus|expdp|impdp|sqlldr) (?:-\w+ ){0,3}['"]?[\w.]{1,60}\/([^\s/@'"]{3,120})(?=@|\s|['"]|$)|(?:CONNECT|(?<=SQL> )conn(?:ect)?) [\w.]{1,60}\/([^\s/'"]{3,120})(?=@\w))/g

const scanSqlplus = (scan: Scan): void => {
  for (const hit of scan.text.matchAll(sqlplus)) {
    const end = hit.index + hit[0].length
    const value = hit[1] ?? hit[2] ?? ""
    if (isLiteral(value)) scan.add(end - value.length, end, "command-argument")
  }
}

const scanPipes = (scan: Scan): void => {
  const { text } = scan
  piped.lastIndex = 0
  for (let hit = piped.exec(text); hit !== null; hit = piped.exec(text)) {
    const value = hit[2] ?? ""
    scan.work.left -= 64
    const inside = hit.index + hit[0].indexOf(value, 4)
    const colon = hit[0].endsWith("chpasswd") ? value.indexOf(":") + 1 : 0
    const isWord = hit[0].endsWith("base64") || hit[0].includes(">") ? isLegible(value) : false
    if (isLiteral(value.slice(colon)) && !isWord) {
      scan.add(inside + colon, inside + value.length, "command-argument")
      // (echo value; echo value) | …
      const again = text.indexOf(value, inside + value.length)
      if (again !== -1 && again < hit.index + hit[0].length) scan.add(again, again + value.length, "command-argument")
    }
  }
}

// A command begins its line, or follows a prompt.
const lineWords = new RegExp(`[\\n$>%#] ?(${Object.keys(printers).join("|")}) `, "g")

const scanPrinted = (scan: Scan): void => {
  const { text } = scan
  // What they print stands on the next line.
  if (!text.includes("\n")) return
  const first = printerAt(text)
  if (first !== undefined) readPrinted(scan, first.length + 1, first)
  lineWords.lastIndex = 0
  for (let hit = scan.next(lineWords); hit !== null; hit = scan.next(lineWords)) {
    const word = hit[1] ?? ""
    const begins = hit[0].startsWith("\n") === (hit[0].length === word.length + 2)
    if (begins) readPrinted(scan, hit.index + hit[0].length, word)
    if (scan.work.left < 0) return
  }
}

/** Reads what the command prints that ends before `from`: a secret, if its arguments say so and the next line looks like one. */
const readPrinted = (scan: Scan, from: number, command: string): void => {
  const { text } = scan
  scan.work.left -= 64
  const near = text.slice(from, from + 1024)
  const lineEnd = near.indexOf("\n")
  const printed = lineEnd === -1 ? null : printerOf(command).exec(near.slice(0, lineEnd))
  if (printed === null || lineEnd - printed[0].length > 200 || near.slice(0, lineEnd).includes(" > ")) return
  const start = from + lineEnd + 1
  const length = text.slice(start, start + 401).search(/\n|$/)
  if (length < 8 || length > 400) return
  const value = text.slice(start, start + length)
  if (!printedValue(value)) return
  scan.add(start + value.length - value.trimStart().length, start + value.trimEnd().length, "command-output")
}

/** Whether a list may be a command and its arguments, some of them flags. */
const isArgumentList = (items: ReadonlyArray<unknown>): items is ReadonlyArray<string> =>
  items.length > 2 &&
  items.length < 200 &&
  items.every((item) => typeof item === "string" && item.length < 1000) &&
  commandIn(items[0] as string) !== undefined &&
  items.some((item) => (item as string).startsWith("-"))

/**
 * A list of arguments without the secrets that only their place tells: `["curl", "-u", "user:…"]`; the same list when there are none.
 *
 * @param found is told of each, with its place in the list
 */
export const redactArguments = (
  items: ReadonlyArray<unknown>,
  found: (index: number, argument: string) => void
): ReadonlyArray<unknown> => {
  if (!isArgumentList(items)) return items
  // A blank in an argument parts none.
  const scan = new Scan(items.map((item) => item.replace(/\s/g, "_")).join(" "), { left: 65_536 })
  scanArguments(scan)
  if (scan.spans.length === 0) return items
  let from = 0
  return items.map((item, index) => {
    const end = from + item.length
    const span = scan.spans.find(({ start, end: to }) => start >= from && to <= end)
    const start = span === undefined ? 0 : span.start - from
    from = end + 1
    if (span === undefined) return item
    const to = start + span.end - span.start
    found(index, item)
    return item.slice(0, start) + marker(span.rule) + item.slice(to)
  })
}

/** Finds secrets that only their place in a command tells: `mysql -p…`, `curl -u user:…`, `sshpass -p …`, `echo … | docker login`. */
export const scanCommandLines = (scan: Scan): void => {
  const { text } = scan
  if (!text.includes(" ")) return
  scanArguments(scan)
  // From its rarest letter on.
  if (["qlplus ", "pdp ", "NECT ", "SQL> "].some((word) => scan.mayHold(word))) scanSqlplus(scan)
  if (
    ((scan.mayHold("| ") && text.includes(" | ")) || scan.mayHold(" > ")) &&
    (scan.mayHold("printf ") || scan.mayHold("echo "))
  )
    scanPipes(scan)
  scanPrinted(scan)
}
