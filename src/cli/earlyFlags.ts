import { Completions } from "effect/cli"
import { program } from "./program.ts"

/** Flags that mean the same wherever they are known; those that take a value with true. */
const everywhere: ReadonlyMap<string, boolean> = new Map([
  ["--json", false],
  ["--yes", false],
  ["-y", false],
  ["--project", true]
])

/**
 * The arguments with such flags behind the command that they were written before: `lint-ai --json sessions list` is another way to say
 * `lint-ai sessions list --json`. What a command takes itself stays where it is.
 */
export const earlyFlags = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const first = args.findIndex((arg) => everywhere.has(nameOf(arg)))
  // Mostly they come last, and the tree of commands need not be walked.
  if (first < 0 || args.slice(first).every((arg) => arg.startsWith("-"))) return args
  let command = Completions.fromCommand(program)
  const words: Array<string> = []
  const early: Array<string> = []
  let at = 0
  for (; at < args.length; at++) {
    const arg = args[at] ?? ""
    const name = nameOf(arg)
    const takesValue = everywhere.get(name)
    if (takesValue !== undefined && !command.flags.some((flag) => `--${flag.name}` === name)) {
      early.push(arg)
      if (takesValue && name === arg && at + 1 < args.length) early.push(args[++at] ?? "")
      continue
    }
    const next = command.subcommands.find((one) => one.name === arg)
    if (next === undefined) break
    command = next
    words.push(arg)
  }
  return [...words, ...early, ...args.slice(at)]
}

const nameOf = (arg: string): string => arg.split("=", 1)[0] ?? ""
