import type { Scan } from "./scan.ts"
import { words } from "./words.ts"

// Variables that a running process has and a configuration file has not.
const processVariables = words(
  "PATH HOME PWD OLDPWD USER LOGNAME SHELL SHLVL TERM LANG LC_ALL LC_CTYPE HOSTNAME HOSTTYPE MACHTYPE OSTYPE MAIL TMPDIR DISPLAY EDITOR PAGER _ XDG_RUNTIME_DIR " +
    "XDG_SESSION_ID XDG_CONFIG_HOME XDG_DATA_DIRS SSH_AUTH_SOCK SSH_CONNECTION SSH_CLIENT SSH_TTY LS_COLORS TERM_PROGRAM COLORTERM DBUS_SESSION_BUS_ADDRESS NVM_DIR " +
    "HOMEBREW_PREFIX __CF_USER_TEXT_ENCODING COMMAND_MODE VIRTUAL_ENV JAVA_HOME GOPATH GOROOT PS1 IFS PPID UID EUID BASH BASHOPTS BASH_VERSION SHELLOPTS ZSH " +
    "Path APPDATA LOCALAPPDATA USERNAME USERPROFILE COMPUTERNAME SystemRoot windir TEMP TMP ProgramFiles HOMEDRIVE HOMEPATH PATHEXT OS COMSPEC"
)

/** Whether the name is one that only a process environment has. */
export const isProcessVariable = (name: string): boolean => processVariables.has(name)

const assignment =
  /^([ \t]*(?:\d{1,7}[→:|\t][ \t]*)?(?:export |declare -[-a-zA-Z]+ |setenv |typeset -x )?)(["']?)([A-Za-z_][A-Za-z0-9_()]*(?:%%)?)(?:=|["']?: (?=["'])|(?= ))/

const commandThatDumps =
  /(?:(?:(?:^|[;&|$>#%(`"'+:\]])\s*|(?:\b(?:sudo|[rR]un|exec|ssh|docker|podman|kubectl|heroku|nix|poetry|uv|npx?|pnpm|yarn|bash|sh|time|command)\b[^\n]{0,80}|--)\s)(?:\/usr\/bin\/)?(?:env|set)|(?:^|[\s;&|$>(`"'+])(?:\/usr\/bin\/)?(?:printenv|export -p|declare -px?|(?:cat|xargs|strings|tr)[^\n]{0,60}\/proc\/(?:\d+|self|\$\w+|\*)\/environ[^\n]{0,80}|(?:docker|podman|kubectl)[^\n]{0,120}exec[^\n]{0,120} (?:env|printenv)))(?: *\|[^\n]{0,120})?$/

/** `make sure that both are set`, `the variables of the env`: a sentence that ends like the command. */
const proseThatEnds =
  /(?:^|\s)(?:is|are|be|been|being|was|were|not|all|both|the|an?|this|that|your|our|its|their|to|of|in|or|and|from|into|by|for|correctly|already|explicitly|properly|data|result|test|change|working|value|values|vars|variables) (?:set|env)$/i

/** Variables of a process, of which a dump holds one; behind it stands `=`, or what parts a key from its value in a printed object. */
const tellingVariables =
  "PATH HOME PWD USER LOGNAME SHELL SHLVL HOSTNAME LANG TERM Path USERPROFILE APPDATA COMPUTERNAME SystemRoot".split(
    " "
  )

/** A line that ends in a command that prints the environment, or in what such a command is piped into. */
const printing = /(?:env|export -p|declare -px?|set|environ)(?: *\|[^\n]{0,120})?\r?\n/g

const mayPrint = /(?:env|set|environ| -px?) *[\r\n|]/

/** Where a dump may be: behind the name of a variable of a process, or behind the line of a command that prints them. */
interface Evidence {
  readonly start: number
  readonly end: number
  readonly commanded: boolean
}

/** Behind `=`, `": "` or `: '` at `at`; -1 when another sign stands there. */
const behindName = (text: string, at: number): number => {
  if (text.charCodeAt(at) === 61) return at + 1
  const colon = "\"'".includes(text.charAt(at) || " ") ? at + 1 : at
  return text.startsWith(': "', colon) || text.startsWith(": '", colon) ? colon + 3 : -1
}

const findEvidence = (scan: Scan): ReadonlyArray<Evidence> => {
  const { text } = scan
  const found: Array<Evidence> = []
  for (const name of tellingVariables) {
    // From its last letters on: more than six make the engine prepare a search that costs more than it saves.
    if (!scan.mayHold(name.slice(-4)) || !scan.mayHold(name)) continue
    for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + name.length)) {
      const end = behindName(text, at + name.length)
      // `; Path=/` is an attribute of a cookie.
      if (end !== -1 && !(name === "Path" && text.startsWith("; ", at - 2)))
        found.push({ start: at, end, commanded: false })
    }
  }
  if (!scan.mayMatch(mayPrint)) return found.sort((a, b) => a.start - b.start)
  printing.lastIndex = 0
  for (let hit = printing.exec(text); hit !== null; hit = printing.exec(text))
    found.push({ start: hit.index, end: hit.index + hit[0].length, commanded: true })
  return found.sort((a, b) => a.start - b.start)
}

const longestLine = 32_768

interface Block {
  start: number
  end: number
  known: number
  count: number
  commanded: boolean
  quoted: Array<readonly [number, number]>
}

const emptyBlock = (commanded: boolean): Block => ({ start: -1, end: -1, known: 0, count: 0, commanded, quoted: [] })

const isDump = (block: Block): boolean => (block.commanded ? block.count >= 1 : block.known >= 3 && block.count >= 4)

const report = (scan: Scan, block: Block): void => {
  if (block.count === 0 || !isDump(block)) return
  // Elements of a printed list or object stay elements: only what the quotes hold goes.
  if (block.quoted.length > 0) for (const [start, end] of block.quoted) scan.add(start, end, "env-dump")
  else scan.add(block.start, block.end, "env-dump")
}

/** Whether the line is an assignment; what stands before and in the value. */
const readLine = (
  line: string
): { readonly name: string; readonly indent: number; readonly quote: string; readonly value: number } | undefined => {
  const found = assignment.exec(line)
  const head = found?.[0]
  if (found === null || head === undefined || (!head.endsWith("=") && !head.endsWith(": "))) return undefined
  if (/^[ \t]/.test(line.slice(head.length))) return undefined
  const printed = head.endsWith(": ")
  return {
    name: found[3] ?? "",
    indent: (found[1] ?? "").search(/\S|$/),
    quote: printed ? '"' : (found[2] ?? ""),
    value: head.length + (printed ? 1 : 0)
  }
}

/** Reads the block of assignments that begins at the line at `from`; returns where it ends. */
const readBlock = (scan: Scan, from: number, commanded: boolean): number => {
  const { text } = scan
  const block = emptyBlock(commanded)
  let at = from
  while (at < text.length) {
    scan.work.left -= 24
    if (scan.work.left < 0) return text.length
    lineEnds.lastIndex = at
    const stop = lineEnds.exec(text)?.index ?? text.length
    const line = text.slice(at, Math.min(stop, at + 256))
    const found = readLine(line)
    if (found !== undefined) {
      if (block.start === -1) block.start = at + found.indent
      block.end = text.charCodeAt(stop - 1) === 13 ? stop - 1 : stop
      block.count++
      if (isProcessVariable(found.name)) block.known++
      if (found.quote !== "") {
        const valueStart = at + found.value
        const tail = Math.max(valueStart, stop - 8)
        const closing = /["'],?\r?$/.exec(text.slice(tail, stop))
        const valueEnd = closing === null ? stop : tail + closing.index
        if (valueEnd > valueStart) block.quoted.push([valueStart, valueEnd])
      }
    } else if (
      isDump(block) &&
      block.quoted.length === 0 &&
      /^(?:[ \t]+\S|\}|\()/.test(line) &&
      stop - at < longestLine
    ) {
      // The value of a shell function, or a value of several lines.
      block.end = stop
    } else break
    at = stop + 1
  }
  report(scan, block)
  return Math.max(at, from)
}

const lineEnds = /[\n\0]/g

/** Where the line that holds the character before `at` begins, at most 8 KiB back. */
const lineStart = (text: string, at: number): number => {
  const from = Math.max(0, at - 8192)
  const earlier = text.slice(from, Math.max(at, 0))
  const line = Math.max(earlier.lastIndexOf("\n"), earlier.lastIndexOf("\0"))
  return line === -1 ? from : from + line + 1
}

/** Finds the output of `env`, `printenv`, `set`, `export -p` and /proc/*\/environ: assignments among which a process's own variables stand. */
export const scanEnvironmentDumps = (scan: Scan): void => {
  if (!scan.mayHold("\n") && !scan.mayHold("\0")) return
  const evidence = findEvidence(scan)
  if (evidence.length > 0) readDumps(scan, evidence)
}

const readDumps = (scan: Scan, evidence: ReadonlyArray<Evidence>): void => {
  const { text } = scan
  let done = 0
  let from = 0
  for (const { start: found, end, commanded } of evidence) {
    if (found < from) continue
    scan.work.left -= 32
    if (scan.work.left < 0) return
    from = end
    if (end < done) continue
    if (commanded) {
      const command = text.slice(Math.max(done, found - 300), end).trimEnd()
      const line = command.slice(command.lastIndexOf("\n") + 1)
      if (commandThatDumps.test(line) && !proseThatEnds.test(line)) done = readBlock(scan, end, true)
    } else {
      // The block may have begun with lines that say nothing.
      let start = lineStart(text, end - 1)
      for (let lines = 0; lines < 400 && start > done; lines++) {
        const before = lineStart(text, start - 1)
        scan.work.left -= 24
        if (before < done || readLine(text.slice(before, Math.min(start - 1, before + 256))) === undefined) break
        start = before
      }
      done = readBlock(scan, Math.max(start, done), false)
    }
    from = Math.max(end, done - 1)
  }
}

const list = /"(?:[Ee]nv|[Ee]nvironment|containerEnv|environ)\\*"\s*:\s*\[/g
const element = /\s*(\\*")([A-Za-z_]\w*)=/y

/** Finds the environment list of a container (`"Env": ["PATH=…", …]`) in JSON text. */
export const scanEnvironmentLists = (scan: Scan): void => {
  if (scan.mayHold("PATH=")) scanLists(scan)
}

const scanLists = (scan: Scan): void => {
  const { text } = scan
  list.lastIndex = 0
  for (let hit = scan.next(list); hit !== null; hit = scan.next(list)) {
    let at = hit.index + hit[0].length
    const values: Array<readonly [number, number]> = []
    let known = 0
    for (;;) {
      scan.work.left -= 32
      if (scan.work.left < 0) return
      element.lastIndex = at
      const found = element.exec(text)
      if (found === null) break
      const start = element.lastIndex
      const close = text.indexOf(found[1] ?? '"', start)
      if (close === -1 || close - start > longestLine) break
      if (isProcessVariable(found[2] ?? "")) known++
      values.push([start, close])
      at = close + (found[1] ?? "").length
      while (/[\s,]/.test(text.charAt(at)) || (text.charAt(at) === "\\" && text.charAt(at + 1) === "n"))
        at += text.charAt(at) === "\\" ? 2 : 1
    }
    if (known > 0) for (const [start, end] of values) scan.add(start, end, "env-dump")
    list.lastIndex = Math.max(at, hit.index + 1)
  }
}
