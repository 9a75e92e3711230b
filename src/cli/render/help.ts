import type { HelpDoc } from "effect/cli"
import * as Option from "effect/Option"
import { exitMeanings } from "../errors.ts"
import { examples } from "../examples.ts"
import { onByDefault } from "../options.ts"
import type { Look } from "../report.ts"
import { wrapWords } from "./table.ts"
import { pad, widthOf } from "./text.ts"

const indent = "  "
/** Wider than this, a description begins on a line of its own. */
const widestName = 26
/** Longer lines are hard to read, however wide the terminal is. */
const widestText = 100

type Entry = readonly [name: string, description: string]

/** The help of a command, as a manual page is laid out: what it does, how it is called, examples and exit codes. */
export const renderHelp = (doc: HelpDoc.HelpDoc, { columns: terminal, style }: Look): string => {
  const columns = Math.min(terminal, widestText)
  const path = (doc.commandPath ?? doc.usage.split(" ").slice(0, 1)).join(" ")
  const subcommands = (doc.subcommands ?? []).flatMap(({ commands }) => commands)
  const section = (title: string, body: string): string => (body === "" ? "" : `\n${style.bold(title)}\n${body}`)
  const list = (entries: ReadonlyArray<Entry>): string => {
    const width = entries.map(([name]) => widthOf(name)).filter((one) => one <= widestName)
    return entries.map((entry) => listed(entry, columns, Math.max(1, ...width))).join("")
  }
  const own = examples[path.split(" ").slice(1).join(" ")] ?? []
  return [
    paragraph(`${path}: ${doc.description}`, columns, ""),
    section("USAGE", paragraph(doc.usage, columns)),
    section(
      "ARGUMENTS",
      list(
        (doc.args ?? []).map((arg) => [
          `${arg.required ? `<${arg.name}>` : `[${arg.name}]`}${arg.variadic ? "..." : ""}`,
          textOf(arg.description)
        ])
      )
    ),
    section("FLAGS", list([...doc.flags, ...(doc.inheritedFlags ?? [])].map(flagEntry))),
    section(
      "COMMANDS",
      list(
        subcommands.map((command) => [
          command.alias === undefined ? command.name : `${command.name}, ${command.alias}`,
          command.shortDescription ?? command.description
        ])
      )
    ),
    section("EVERYWHERE", list((doc.globalFlags ?? []).map(flagEntry))),
    section(
      "EXAMPLES",
      own
        .map(({ command, about }) => `${indent}${style.cyan(command)}\n${paragraph(about, columns, indent.repeat(3))}`)
        .join("")
    ),
    // A group is never run itself.
    subcommands.length > 0 && path !== "lint-ai"
      ? ""
      : section("EXIT CODES", list(exitMeanings.map(([code, meaning]) => [String(code), meaning]))),
    subcommands.length === 0 ? "" : `\n${paragraph(`${path} COMMAND --help says more of each.`, columns, "")}`
  ].join("")
}

const textOf = (description: Option.Option<string>): string => Option.getOrElse(description, () => "")

const flagEntry = (flag: HelpDoc.FlagDoc): Entry => {
  const long = flag.name.replace(/^-+/, "")
  const names = [`--${onByDefault.has(long) ? "[no-]" : ""}${long}`, ...flag.aliases].join(", ")
  const value = flag.type === "boolean" ? "" : ` ${flag.type === "choice" ? "WORD" : flag.type}`
  return [`${names}${value}`, `${textOf(flag.description)}${flag.required ? " (needed)" : ""}`]
}

const paragraph = (text: string, columns: number, before = indent): string =>
  wrapWords(text, Math.max(20, columns - before.length))
    .map((line) => `${before}${line}\n`)
    .join("")

/** A name and what it is, beside it where there is room for both. */
const listed = ([name, description]: Entry, columns: number, width: number): string => {
  const narrow = columns - width < 34
  const hang = " ".repeat(indent.length + (narrow ? 4 : width + 2))
  const lines = wrapWords(description, Math.max(20, columns - hang.length))
  const apart = narrow || widthOf(name) > width
  const first = apart ? `${indent}${name}\n` : `${indent}${pad(name, width)}  ${lines[0] ?? ""}\n`
  return `${first}${(apart ? lines : lines.slice(1)).map((line) => `${hang}${line}\n`).join("")}`.replace(/ +\n/g, "\n")
}
