import { isPlaceholder, isRandom, isWordy } from "./literals.ts"
import { quoteAt, quotedEnd, skipBlanks } from "./quoting.ts"
import type { Scan } from "./scan.ts"
import { isCode } from "./values.ts"

/** A command whose arguments hold a secret under a name that says nothing: `-p`, `-u user:password`, the third word. */
interface SecretArgument {
  /** The command, as it stands in the text. */
  readonly command: string
  /** From behind the command up to the value, on the same line. */
  readonly before: RegExp
  /** `user:password`: only what follows the colon. */
  readonly pair?: true
}

const line = "[^\\n|;&]{0,240}?"

const flag = (letters: string): RegExp => new RegExp(`^${line}\\s(?:${letters})(?:[ =]|(?=['"]))\\s*`)
const attached = (letters: string): RegExp => new RegExp(`^${line}\\s(?:${letters})(?=[^\\s=-])`)

const secretArguments: ReadonlyArray<SecretArgument> = [
  ...["mysql", "mysqldump", "mysqladmin", "mysqlimport", "mariadb", "mariadb-dump", "mycli", "xtrabackup"].map(
    (command) => ({
      command,
      before: attached("-p")
    })
  ),
  ...["docker", "podman", "nerdctl", "helm", "buildah", "skopeo", "oras", "crane"].map((command) => ({
    command,
    before: /^[^\n|;&]{0,60}?\blogin\b[^\n|;&]{0,240}?\s-p[ =]?\s*(?=[^\s-])/
  })),
  { command: "sshpass", before: /^ -p\s*/ },
  { command: "redis-cli", before: flag("-a|--pass") },
  ...["mongo", "mongosh", "mongodump", "mongorestore", "mongoexport", "mongoimport"].map((command) => ({
    command,
    before: flag("-p")
  })),
  ...["sqlcmd", "bcp", "zip", "unzip", "ldapsearch"].map((command) => ({ command, before: flag("-P") })),
  ...["ldapsearch", "ldapmodify", "ldapadd", "ldapwhoami"].map((command) => ({ command, before: flag("-w") })),
  ...["7z", "7za", "rar", "unrar"].map((command) => ({ command, before: attached("-p") })),
  ...["curl", "http", "https", "xh", "ab", "siege"].map((command) => ({
    command,
    before: /^(?:[^\n|;]|&(?!&)){0,400}?\s(?:-u|--user|-U|--proxy-user|-a|--auth|-A)(?:[ =]|(?=['"]))\s*['"]?/,
    pair: true as const
  })),
  { command: "smbclient", before: /^[^\n|;&]{0,240}?\s-U\s*['"]?[\w.\\-]{1,60}%/ },
  { command: "az", before: /^ login\b[^\n|;&]{0,240}?\s-p[ =]\s*/ },
  { command: "cqlsh", before: flag("-p") },
  { command: "htpasswd", before: /^ -\w*b\w* (?:\S{1,120} )?[\w.@-]{1,80} (?=\S+(?:\s|$))/ },
  {
    command: "openssl",
    before: /^[^\n|;&]{0,240}?\s-(?:passin|passout|pass|k|K)\s+(?:pass:)?(?!env:|file:|stdin|fd:)/
  },
  { command: "rabbitmqctl", before: /^ (?:add_user|change_password) [\w.@-]{1,80} / },
  { command: "net", before: /^ (?:use|user) [^\n|;&]{1,120}?\/user:\S{1,80} / },
  { command: "vault", before: /^ login (?:-\S+ )*(?:token=)?(?=[\w.]{12})/ },
  { command: "snyk", before: /^ auth / },
  { command: "op", before: /^ signin [^\n|;&]{0,120}--raw / },
  { command: "gh", before: /^ secret set [^\n|;&]{0,200}?(?:--body|-b)[ =]\s*/ },
  { command: "aws", before: /^ ssm put-parameter (?=[^\n]{0,400}SecureString)[^\n|;&]{0,300}?--value[ =]\s*/ },
  { command: "az", before: /^ keyvault secret set [^\n|;&]{0,240}?--value[ =]\s*/ },
  { command: "kubectl", before: /^[^\n|;&]{0,40} create secret [^\n|;&]{0,240}?--from-literal[ =]['"]?[\w.-]{1,80}=/ },
  { command: "chpasswd", before: /^ <<<\s*['"]?/, pair: true }
]

// The flags and words by which the commands above take their secret: far rarer in a text than the names of the commands.
// All begin with a space, so that the search skips from space to space.
const signs =
  / (?:-{1,2}(?:[puawUPAkK]|n?b|user|pass(?:in|out)?|proxy-user|auth|body|value|from-literal)(?=[\s='"A-Za-z0-9])|(?:add_user|change_password|login|auth|use|user|<<<) ?)/g

let byCommand: ReadonlyMap<string, ReadonlyArray<SecretArgument>> | undefined
let commands: RegExp | undefined

const table = (): readonly [RegExp, ReadonlyMap<string, ReadonlyArray<SecretArgument>>] => {
  if (byCommand === undefined || commands === undefined) {
    const grouped = new Map<string, Array<SecretArgument>>()
    for (const argument of secretArguments) {
      const known = grouped.get(argument.command)
      if (known === undefined) grouped.set(argument.command, [argument])
      else known.push(argument)
    }
    byCommand = grouped
    commands = new RegExp(
      `(?<![\\w.-])(?:${[...grouped.keys()].sort((a, b) => b.length - a.length).join("|")})(?= )`,
      "g"
    )
  }
  return [commands, byCommand]
}

const isLiteral = (value: string): boolean =>
  value.length >= 3 &&
  !isPlaceholder(value) &&
  !value.startsWith("-") &&
  !value.startsWith("$") &&
  !value.startsWith("/") &&
  !isCode(value)

const argumentEnd = (text: string, at: number): readonly [number, number] => {
  const quote = quoteAt(text, at)
  if (quote !== undefined) return [quote.after, quotedEnd(text, quote, 512)]
  let end = at
  while (
    end < text.length &&
    end - at < 512 &&
    !/[\s'"`;|]/.test(text.charAt(end)) &&
    !(text.charAt(end) === "\\" && /[nrt"'\\]/.test(text.charAt(end + 1)))
  )
    end++
  return [at, end]
}

const piped =
  /(?:echo|printf)(?: -\w+)*(?: ['"]%s(?:\\n)?['"])? (['"]?)([^\s'"|$`]{4,200})\1 ?\| ?(?:sudo )?(?:[\w./-]+ )?(?:[^\n|]{0,120}--password-stdin|sudo -S|chpasswd|passwd --stdin|gh secret set|gh auth login|[\w.-]+ (?:secret|secrets) (?:put|set|create|add|versions)|cryptsetup|kinit|openssl|base64)/gm

/** Commands that print a secret on the next line. */
const printers =
  /(?:^|\n|[$>%#] )(?:[$>%#] )?(?:openssl rand|gh auth token|pass show|op read|vault (?:read|kv get) [^\n]*-field|security find-(?:generic|internet)-password|gcloud auth (?:application-default )?print-(?:access|identity)-token|aws ecr get-login-password|aws (?:secretsmanager|ssm) get-[^\n]*--output text|pwgen|apg|head -c \d+ \/dev\/u?random|heroku auth:token|doppler secrets get [^\n]*--plain|secret-tool lookup|wg genkey|kubectl [^\n]*\bsecrets?\b[^\n]*base64 (?:-d|--decode|-D)|oc whoami -t|az account get-access-token|npm token create|argocd account generate-token|cat [^\n]*(?:token|secret|password|api[-_]?key)[\w.-]*)[^\n]{0,200}\n([^\n]{8,400})(?=\n|$)/gi

const printedValue = (value: string): boolean =>
  !/\s/.test(value.trim()) &&
  !isPlaceholder(value.trim()) &&
  (isRandom(value.trim()) || (value.length >= 12 && /\d/.test(value) && !isWordy(value.trim())))

const scanArguments = (scan: Scan): void => {
  const { text } = scan
  signs.lastIndex = 0
  let done = 0
  for (let sign = signs.exec(text); sign !== null; sign = signs.exec(text)) {
    scan.work.left -= 48
    if (scan.work.left < 0) return
    if (sign.index < done) continue
    const back = Math.max(done, sign.index - 400)
    const opening = text.slice(back, sign.index).lastIndexOf("\n")
    const from = opening === -1 ? back : back + opening + 1
    const line = text.slice(from, sign.index + 640)
    const length = line.indexOf("\n", sign.index - from)
    scanCommand(scan, from, length === -1 ? line : line.slice(0, length))
    // The rest of this piece of the line has been looked at as well.
    done = length === -1 ? from + line.length - 64 : from + length
  }
}

const scanCommand = (scan: Scan, from: number, line: string): void => {
  const [names, byName] = table()
  names.lastIndex = 0
  for (let hit = names.exec(line); hit !== null; hit = names.exec(line)) {
    const at = hit.index + hit[0].length
    const rest = line.slice(at)
    for (const argument of byName.get(hit[0]) ?? []) {
      scan.work.left -= 128
      const before = argument.before.exec(rest)
      if (before === null) continue
      let [start, end] = argumentEnd(scan.text, skipBlanks(scan.text, from + at + before[0].length))
      if (argument.pair === true) {
        const colon = scan.text.slice(start, end).indexOf(":")
        if (colon === -1 || scan.text.startsWith("//", start + colon + 1)) continue
        start += colon + 1
      }
      if (isLiteral(scan.text.slice(start, end))) scan.add(start, end, "command-argument")
    }
  }
}

const sqlplus = /\bsqlplus (?:-\w+ ){0,3}['"]?[\w.]{1,60}\/([^\s/@'"]{3,120})(?=@|\s|['"]|$)/g

const scanSqlplus = (scan: Scan): void => {
  for (const hit of scan.text.matchAll(sqlplus)) {
    const end = hit.index + hit[0].length
    const value = hit[1] ?? ""
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
    if (isLiteral(value.slice(colon)) && !(hit[0].endsWith("base64") && isWordy(value))) {
      scan.add(inside + colon, inside + value.length, "command-argument")
    }
  }
}

const scanPrinted = (scan: Scan): void => {
  const { text } = scan
  printers.lastIndex = 0
  for (let hit = printers.exec(text); hit !== null; hit = printers.exec(text)) {
    const value = hit[1] ?? ""
    scan.work.left -= 64
    if (scan.work.left < 0) return
    const start = hit.index + hit[0].length - value.length
    if (printedValue(value)) {
      scan.add(start + value.length - value.trimStart().length, start + value.trimEnd().length, "command-output")
    }
    printers.lastIndex = start
  }
}

const printerWords =
  /(?:^|\n|[$>%#] )(?:openssl|gh|pass|op|vault|security|gcloud|aws|pwgen|apg|head|heroku|doppler|secret-tool|wg|kubectl|oc|az|npm|argocd|cat) /

/** Finds secrets that only their place in a command tells: `mysql -p…`, `curl -u user:…`, `sshpass -p …`, `echo … | docker login`. */
export const scanCommandLines = (scan: Scan): void => {
  const { text } = scan
  scanArguments(scan)
  if (text.includes("sqlplus ")) scanSqlplus(scan)
  if (text.includes(" | ") && /\b(?:echo|printf) /.test(text)) scanPipes(scan)
  if (printerWords.test(text)) scanPrinted(scan)
}
