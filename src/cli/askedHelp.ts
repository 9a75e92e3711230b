import type { Command } from "effect/cli"
import { program } from "./program.ts"

/**
 * The arguments with which help is asked for: `help sessions list` is another way to say `sessions list --help`. A word that names no command is left
 * alone, without `--help`, so that it is refused with a guess at what was meant; a group never runs anything by itself.
 */
export const askedHelp = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const isWord = args[0] === "help"
  const end = args.indexOf("--")
  const isFlag = args.slice(0, end < 0 ? args.length : end).some((arg) => arg === "--help" || arg === "-h")
  if (!isWord && !isFlag) return args
  const rest = isWord ? args.slice(1) : args
  const firstFlag = rest.findIndex((arg) => arg.startsWith("-"))
  const words = rest.slice(0, firstFlag < 0 ? rest.length : firstFlag)
  let command: Command.Command.Any = program
  for (const [at, word] of words.entries()) {
    // Those that no list shows too: a flat form leads to one.
    const below = command.subcommands.flatMap(({ commands }) => commands)
    if (below.length === 0) return [...words.slice(0, at), "--help"]
    const next = below.find(({ name, alias }) => name === word || alias === word)
    if (next === undefined) return words.slice(0, at + 1)
    command = next
  }
  return [...words, "--help"]
}
