import type { Scan } from "./scan.ts"

// Variables that a running process has and a configuration file has not.
const processVariables: ReadonlySet<string> = new Set(
  (
    "PATH HOME PWD OLDPWD USER LOGNAME SHELL SHLVL TERM LANG LC_ALL LC_CTYPE HOSTNAME HOSTTYPE MACHTYPE OSTYPE MAIL TMPDIR DISPLAY EDITOR PAGER _ XDG_RUNTIME_DIR " +
    "XDG_SESSION_ID XDG_CONFIG_HOME XDG_DATA_DIRS SSH_AUTH_SOCK SSH_CONNECTION SSH_CLIENT SSH_TTY LS_COLORS TERM_PROGRAM COLORTERM DBUS_SESSION_BUS_ADDRESS NVM_DIR " +
    "HOMEBREW_PREFIX __CF_USER_TEXT_ENCODING COMMAND_MODE VIRTUAL_ENV JAVA_HOME GOPATH GOROOT PS1 IFS PPID UID EUID BASH BASHOPTS BASH_VERSION SHELLOPTS ZSH " +
    "Path APPDATA LOCALAPPDATA USERNAME USERPROFILE COMPUTERNAME SystemRoot windir TEMP TMP ProgramFiles HOMEDRIVE HOMEPATH PATHEXT OS COMSPEC"
  ).split(" ")
)

/** Whether the name is one that only a process environment has. */
export const isProcessVariable = (name: string): boolean => processVariables.has(name)

const assignment =
  /^([ \t]*(?:\d{1,7}[→:|\t][ \t]*)?(?:export |declare -[-a-zA-Z]+ |setenv |typeset -x )?)(["']?)([A-Za-z_][A-Za-z0-9_()]*(?:%%)?)(?:=|["']?: (?=["'])|(?= ))/

const commandThatDumps =
  /(?:^|[\s;&|$>(`"'+])(?:\/usr\/bin\/)?(?:env|printenv|export -p|declare -px?|set|(?:cat|xargs|strings|tr)[^\n]{0,60}\/proc\/(?:\d+|self|\$\w+|\*)\/environ[^\n]{0,80}|(?:docker|podman|kubectl)[^\n]{0,120}exec[^\n]{0,120} (?:env|printenv))(?: *\|[^\n]{0,120})?$/

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

/** Finds the output of `env`, `printenv`, `set`, `export -p` and /proc/*\/environ: assignments among which a process's own variables stand. */
export const scanEnvironmentDumps = (scan: Scan): void => {
  const { text } = scan
  if (!/(?:PATH|HOME|PWD|USER|Path|USERPROFILE)["']?[=:]|\benv\b|environ/.test(text)) return
  let block = emptyBlock(false)
  let at = 0
  while (at < text.length) {
    scan.work.left -= 16
    if (scan.work.left < 0) return
    const ends = /[\n\0]/g
    ends.lastIndex = at
    const stop = ends.exec(text)?.index ?? text.length
    const line = text.slice(at, Math.min(stop, at + 256))
    const found = assignment.exec(line)
    const name = found?.[3]
    if (
      name !== undefined &&
      line.charAt((found?.[0] ?? "").length) !== " " &&
      !/^[ \t]/.test(line.slice((found?.[0] ?? "").length))
    ) {
      if (block.start === -1) block.start = at + (found?.[1] ?? "").search(/\S|$/)
      block.end = text.charCodeAt(stop - 1) === 13 ? stop - 1 : stop
      block.count++
      if (isProcessVariable(name)) block.known++
      const quote = found?.[2] ?? ""
      const printed = (found?.[0] ?? "").includes(": ")
      if (quote !== "" || printed) {
        const valueStart = at + (found?.[0] ?? "").length + (printed ? 1 : 0)
        const closing = /["'],?\r?$/.exec(text.slice(Math.max(valueStart, stop - 8), stop))
        const valueEnd = closing === null ? stop : Math.max(valueStart, stop - 8) + closing.index
        if (valueEnd > valueStart) block.quoted.push([valueStart, valueEnd])
      }
    } else if (
      block.count > 0 &&
      block.quoted.length === 0 &&
      (block.commanded || block.known >= 3) &&
      stop > at &&
      /^[ \t}]|^\(/.test(line) &&
      stop - at < longestLine
    ) {
      // The value of a shell function, or a value of several lines.
      block.end = stop
    } else if (stop > at || block.count > 0) {
      report(scan, block)
      block = emptyBlock(commandThatDumps.test(line))
    }
    at = stop + 1
  }
  report(scan, block)
}

const list = /\\*"(?:[Ee]nv|[Ee]nvironment|containerEnv|environ)\\*"\s*:\s*\[/g
const element = /\s*(\\*")([A-Za-z_]\w*)=/y

/** Finds the environment list of a container (`"Env": ["PATH=…", …]`) in JSON text, and the environment of `kubectl describe pod`. */
export const scanEnvironmentLists = (scan: Scan): void => {
  const { text } = scan
  list.lastIndex = 0
  for (let hit = list.exec(text); hit !== null; hit = list.exec(text)) {
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
  if (!text.includes("Environment:\n")) return
  const described = /\n([ \t]*)Environment:\n((?:\1[ \t]+[A-Za-z_]\w*:[ \t]{2,}\S[^\n]*\n?)+)/g
  for (let hit = described.exec(text); hit !== null; hit = described.exec(text)) {
    const start = hit.index + hit[0].length - (hit[2] ?? "").length
    const body = (hit[2] ?? "").trimEnd()
    scan.work.left -= body.length
    scan.add(start + body.search(/\S/), start + body.length, "env-dump")
  }
}
