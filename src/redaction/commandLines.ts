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
  { command: "sqlplus", before: /^ (?:-\w+ )*[\w.]{1,60}\/(?=[^\s/@])/ },
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
  { command: "chpasswd", before: /^ <<<\s*['"]?/, pair: true }
]

let byCommand: Map<string, ReadonlyArray<SecretArgument>> | undefined
let commands: RegExp | undefined

const table = (): readonly [RegExp, ReadonlyMap<string, ReadonlyArray<SecretArgument>>] => {
  if (byCommand === undefined || commands === undefined) {
    byCommand = new Map()
    for (const argument of secretArguments)
      byCommand.set(argument.command, [...(byCommand.get(argument.command) ?? []), argument])
    const names = [...byCommand.keys()].sort((a, b) => b.length - a.length)
    commands = new RegExp(`(?<![\\w.-])(?:${names.join("|")})(?= )`, "g")
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
  /(?:^|[\n;&|$"'`]|\bsudo |\$ )\s*(?:echo|printf)(?: -\w+)*(?: ['"]%s(?:\\n)?['"])? (['"]?)([^\s'"|$`]{4,200})\1 ?\| ?(?:sudo )?(?:[\w./-]+ )?(?:[^\n|]{0,120}--password-stdin|sudo -S|chpasswd|passwd --stdin|gh secret set|gh auth login|[\w.-]+ (?:secret|secrets) (?:put|set|create|add|versions)|cryptsetup|kinit|openssl|base64)/gm

/** Commands that print a secret on the next line. */
const printers =
  /(?:^|\n|[$>%#] )(?:[$>%#] )?(?:openssl rand|gh auth token|pass show|op read|vault (?:read|kv get) [^\n]*-field|security find-(?:generic|internet)-password|gcloud auth (?:application-default )?print-(?:access|identity)-token|aws ecr get-login-password|aws (?:secretsmanager|ssm) get-[^\n]*--output text|pwgen|apg|head -c \d+ \/dev\/u?random|heroku auth:token|doppler secrets get [^\n]*--plain|secret-tool lookup|wg genkey|kubectl [^\n]*\bsecrets?\b[^\n]*base64 (?:-d|--decode|-D)|oc whoami -t|az account get-access-token|npm token create|argocd account generate-token|cat [^\n]*(?:token|secret|password|api[-_]?key)[\w.-]*)[^\n]{0,200}\n([^\n]{8,400})(?=\n|$)/gi

const printedValue = (value: string): boolean =>
  !/\s/.test(value.trim()) &&
  !isPlaceholder(value.trim()) &&
  (isRandom(value.trim()) || (value.length >= 12 && /\d/.test(value) && !isWordy(value.trim())))

/** Finds secrets that only their place in a command tells: `mysql -p…`, `curl -u user:…`, `sshpass -p …`, `echo … | docker login`. */
export const scanCommandLines = (scan: Scan): void => {
  const { text } = scan
  const [names, arguments_] = table()
  names.lastIndex = 0
  for (let hit = names.exec(text); hit !== null; hit = names.exec(text)) {
    scan.work.left -= 64
    if (scan.work.left < 0) return
    const from = hit.index + hit[0].length
    const rest = text.slice(from, from + 640)
    for (const argument of arguments_.get(hit[0]) ?? []) {
      const before = argument.before.exec(rest)
      if (before === null) continue
      scan.work.left -= 128
      let [start, end] = argumentEnd(text, skipBlanks(text, from + before[0].length))
      if (argument.pair === true) {
        const colon = text.slice(start, end).indexOf(":")
        if (colon === -1 || text.startsWith("//", start + colon + 1)) continue
        start += colon + 1
      }
      if (isLiteral(text.slice(start, end))) scan.add(start, end, "command-argument")
    }
  }
  if (text.includes("|")) {
    piped.lastIndex = 0
    for (let hit = piped.exec(text); hit !== null; hit = piped.exec(text)) {
      const value = hit[2] ?? ""
      scan.work.left -= 64
      const inside = hit.index + hit[0].indexOf(value, 4)
      const colon = hit[0].endsWith("chpasswd") ? value.indexOf(":") + 1 : 0
      if (isLiteral(value.slice(colon)) && !(hit[0].endsWith("base64") && isWordy(value)))
        scan.add(inside + colon, inside + value.length, "command-argument")
    }
  }
  printers.lastIndex = 0
  for (let hit = printers.exec(text); hit !== null; hit = printers.exec(text)) {
    const value = hit[1] ?? ""
    scan.work.left -= 64
    if (printedValue(value)) {
      const start = hit.index + hit[0].length - value.length
      scan.add(start + value.length - value.trimStart().length, start + value.trimEnd().length, "command-output")
    }
    printers.lastIndex = hit.index + hit[0].length - value.length
  }
}
