import { spawnSync } from "node:child_process"
import type { Scratch } from "./scratch.ts"

const helps = new Map<string, string>()

/** What `--help` of a command says, in one column. */
const helpOf = (scratch: Scratch, command: ReadonlyArray<string>): string => {
  const key = command.join(" ")
  const known = helps.get(key)
  if (known !== undefined) return known
  const { stdout } = spawnSync("lint-ai", [...command, "--help"], {
    cwd: scratch.project,
    env: { ...scratch.env, COLUMNS: "400" },
    encoding: "utf8"
  })
  helps.set(key, stdout)
  return stdout
}

/** The words of a section: the first of each of its lines. */
const entries = (help: string, section: string): ReadonlyArray<string> => {
  const lines = help.split("\n")
  const from = lines.indexOf(section)
  if (from < 0) return []
  const to = lines.findIndex((line, at) => at > from && line.trim() === "")
  return lines
    .slice(from + 1, to)
    .filter((line) => /^ {2}\S/.test(line))
    .flatMap((line) => line.trim().split(/ {2,}/)[0]?.split(/, | /) ?? [])
}

/** The commands that lint-ai has. */
export const commandsOf = (scratch: Scratch): ReadonlyArray<string> => entries(helpOf(scratch, []), "COMMANDS")

/**
 * What is wrong with a command line that is not run: a command that lint-ai does not have, or a flag that the command does not have. The values are not
 * looked at.
 */
export const problemsOf = (scratch: Scratch, line: string): ReadonlyArray<string> => {
  const words = line
    .replace(/\s#.*$/, "")
    .trim()
    .split(/\s+/)
  const at = words.findIndex((word) => /^(lint-ai|npm:lint-ai)$/.test(word))
  if (at < 0) return []
  const args = words.slice(at + 1)
  const end = args.findIndex((word) => /^[|&;<>]/.test(word))
  const own = end < 0 ? args : args.slice(0, end)
  const command: Array<string> = []
  let help = helpOf(scratch, [])
  for (const word of own) {
    if (!entries(help, "COMMANDS").includes(word)) break
    command.push(word)
    help = helpOf(scratch, command)
  }
  const known = new Set(
    [...entries(help, "FLAGS"), ...entries(help, "EVERYWHERE")].flatMap((flag) =>
      flag.startsWith("--[no-]") ? [flag.replace("[no-]", ""), flag.replace("[no-]", "no-")] : [flag]
    )
  )
  const [next] = own.slice(command.length)
  return [
    ...(entries(help, "COMMANDS").length > 0 &&
    entries(help, "ARGUMENTS").length === 0 &&
    next !== undefined &&
    !next.startsWith("-")
      ? [`lint-ai ${command.join(" ")} has no command ${next}`]
      : []),
    ...own
      .filter((word) => word.startsWith("-") && word !== "-" && word !== "--")
      .map((word) => word.split("=")[0] ?? word)
      .filter((flag) => !known.has(flag))
      .map((flag) => `lint-ai ${command.join(" ")} has no flag ${flag}`)
  ]
}
