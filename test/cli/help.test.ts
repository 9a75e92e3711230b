import { assert, describe, it } from "@effect/vitest"
import { CliOutput, Completions } from "effect/cli"
import * as Effect from "effect/Effect"
import { exitCodes, exitMeanings } from "../../src/cli/errors.ts"
import { examples } from "../../src/cli/examples.ts"
import { program } from "../../src/cli/program.ts"
import { runCommand } from "../support/cli.ts"
import { recordingUser } from "../support/recording.ts"

type Described = Completions.CommandDescriptor

const root = Completions.fromCommand(program)

/** Every command by its name without `lint-ai`; one that has two names by the first. */
const commands = (command: Described, path: ReadonlyArray<string>): ReadonlyArray<readonly [string, Described]> => [
  [path.join(" "), command],
  ...command.subcommands
    .filter((one, at) => command.subcommands.findIndex((other) => other.description === one.description) === at)
    .flatMap((one) => commands(one, [...path, one.name]))
]
const known = new Map(commands(root, []))

/** The words of a command line as a shell would take them, up to what only the shell understands. */
const wordsOf = (line: string): ReadonlyArray<string> =>
  (line.match(/'[^']*'|\S+/g) ?? [])
    .slice(0, (line.match(/'[^']*'|\S+/g) ?? []).findIndex((word) => /^(\||<|>|>>)$/.test(word)) >>> 0)
    .map((word) => word.replace(/^'|'$/g, ""))

/** What is wrong with a command line: names of commands and flags, and how many arguments there are. */
const faultsOf = (line: string): ReadonlyArray<string> => {
  const [name, ...words] = wordsOf(line)
  if (name !== "lint-ai") return ["does not begin with lint-ai"]
  let command = root
  while (words[0] !== undefined) {
    const next = command.subcommands.find((one) => one.name === words[0])
    if (next === undefined) break
    command = next
    words.shift()
  }
  const faults: Array<string> = []
  const args: Array<string> = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ""
    if (!word.startsWith("--")) {
      args.push(word)
      continue
    }
    const flag = command.flags.find((one) => [`--${one.name}`, `--no-${one.name}`].includes(word))
    if (flag === undefined) faults.push(`no flag ${word}`)
    else if (flag.type._tag !== "Boolean") {
      const value = words[++at]
      if (value === undefined) faults.push(`${word} without a value`)
      else if (flag.type._tag === "Choice" && !flag.type.values.includes(value)) faults.push(`${word} ${value}`)
      else if (flag.type._tag === "Int" && !/^\d+$/.test(value)) faults.push(`${word} ${value}`)
    }
  }
  const wanted = command.arguments
  if (args.length < wanted.filter((one) => one.required && !one.variadic).length) faults.push("an argument is missing")
  if (args.length > wanted.length && wanted.at(-1)?.variadic !== true) faults.push(`${args.at(-1)} is too much`)
  args.forEach((value, at) => {
    const type = wanted[at]?.type
    if (type?._tag === "Choice" && !type.values.includes(value)) faults.push(value)
  })
  return faults
}

describe("the help", () => {
  it("has examples of every command, and of no other", () => {
    const runnable = [...known].filter(([path, command]) => path === "" || command.subcommands.length === 0)
    const without = runnable.map(([path]) => path).filter((path) => (examples[path] ?? []).length === 0)
    assert.deepStrictEqual(without, [])
    const unknown = Object.keys(examples).filter((path) => !known.has(path))
    assert.deepStrictEqual(unknown, [])
  })

  it("shows examples that can be run: their commands, flags and arguments exist", () => {
    for (const [path, own] of Object.entries(examples)) {
      for (const { command } of own) {
        assert.deepStrictEqual(faultsOf(command), [], command)
        if (path !== "") assert.match(command, new RegExp(`^lint-ai ${path}( |$)`))
      }
    }
    assert.deepStrictEqual(
      faultsOf("lint-ai sessions list --nothing"),
      ["no flag --nothing"],
      "the check finds what is wrong"
    )
  })

  it.live("calls a flag needed only where a command does nothing without it", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      const needed: Array<string> = []
      const presenter = CliOutput.layerPresenter({
        present: (event) =>
          Effect.sync(() => {
            if (event._tag !== "Help") return
            for (const { name, required } of event.helpDoc.flags) {
              if (required) needed.push(`${event.helpDoc.commandPath?.slice(1).join(" ")} ${name}`)
            }
          })
      })
      for (const path of known.keys()) {
        const words = path.split(" ").filter((word) => word !== "")
        yield* runCommand(user, [...words, "--help"]).pipe(Effect.provide(presenter))
      }
      assert.deepStrictEqual(needed, ["air export runs"])
    }).pipe(Effect.scoped)
  )

  it("names the words that an argument takes, and what a number is without its flag", () => {
    const unsaid: Array<string> = []
    for (const [path, command] of known) {
      for (const { name, description, type } of command.arguments) {
        const words = type._tag === "Choice" ? type.values : []
        if (!words.every((word) => description?.includes(word))) unsaid.push(`${path} <${name}>`)
      }
      for (const { name, description, type } of command.flags) {
        if (type._tag === "Int" && !/\(default: |; else |; alone, /.test(description ?? ""))
          unsaid.push(`${path} --${name}`)
      }
    }
    assert.deepStrictEqual(unsaid, [])
    assert.isTrue(known.get("enable")?.arguments[0]?.description?.endsWith("; else claude"))
  })

  it("says what every exit code means", () => {
    const explained = new Set(exitMeanings.map(([code]) => code))
    for (const [tag, code] of Object.entries(exitCodes)) assert.isTrue(explained.has(code), tag)
  })
})
