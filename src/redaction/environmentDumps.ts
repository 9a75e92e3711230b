import type { Scan } from "./scan.ts"

// Variables that a process environment has and a configuration file has not.
const processVariables = new Set(
  "PATH HOME PWD OLDPWD USER LOGNAME SHELL SHLVL TERM LANG LC_ALL HOSTNAME MAIL TMPDIR DISPLAY EDITOR _ XDG_RUNTIME_DIR XDG_SESSION_ID SSH_AUTH_SOCK LS_COLORS TERM_PROGRAM".split(
    " "
  )
)

const line = /^(?:(?:export |declare -x |setenv )?([A-Za-z_][A-Za-z0-9_]*)=.*)$/

/** Finds the output of `env`, `printenv`, `set` and `export -p`: a block of assignments that holds the variables of a running process. */
export const scanEnvironmentDumps = (scan: Scan): void => {
  const { text } = scan
  if (!/(?:^|\n|\0|x )(?:PATH|HOME|PWD|USER)=/.test(text)) return
  let start = -1
  let end = -1
  let known = 0
  let count = 0
  const close = () => {
    if (known >= 3 && count >= 4) scan.add(start, end, "env-dump")
    start = -1
    known = 0
    count = 0
  }
  let at = 0
  while (at <= text.length) {
    const next = text.slice(at, at + 8192).search(/[\n\0]/)
    const stop = next === -1 ? Math.min(text.length, at + 8192) : at + next
    const found = line.exec(text.slice(at, Math.min(stop, at + 512)))
    scan.work.left -= 16
    if (found?.[1] !== undefined) {
      if (start === -1) start = at
      end = stop
      count++
      if (processVariables.has(found[1])) known++
    } else if (start !== -1 && stop > at) close()
    at = stop + 1
  }
  if (start !== -1) close()
}
