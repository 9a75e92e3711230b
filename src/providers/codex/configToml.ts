import { isDeepStrictEqual } from "node:util"
import { parse, TomlError } from "smol-toml"
import { isObject } from "../../domain/jsonObject.ts"
import type { Unexpected } from "../hookSettings.ts"
import type { McpEntry } from "../mcpEntry.ts"

/**
 * The MCP server of lint-ai in Codex's config.toml, as a table of its own:
 *
 *     [mcp_servers.lint-ai]
 *     command = "lint-ai"
 *     args = ["mcp", "serve", "codex"]
 *
 * Edits are splices of the text, so that comments and order stay. The table has no marker after it: Codex appends to its configuration
 * itself (trust state, projects), and would append inside of what a marker closes. Every edit is checked by parsing: apart from our own
 * entry the file must mean what it meant.
 */
const container = "mcp_servers"
const name = "lint-ai"
const comment = "# The MCP server of lint-ai. `lint-ai uninstall codex` takes it out."

/** Why a text is no TOML. Line and column count from 1. */
export interface TomlProblem {
  readonly line: number
  readonly column: number
  readonly problem: string
}

export interface TomlEdit {
  readonly text: string
  readonly changes: ReadonlyArray<string>
}

type Table = Readonly<Record<string, unknown>>
export interface TomlValues {
  readonly values: Table
}

/** The values of a configuration. Whole numbers beyond what a number holds exactly are bigints. */
export const readToml = (text: string): TomlValues | TomlProblem => {
  try {
    return { values: parse(text, { integersAsBigInt: "asNeeded" }) }
  } catch (error) {
    // Of the message only its first line, which names no value.
    if (error instanceof TomlError)
      return { line: error.line, column: error.column, problem: error.message.split("\n")[0] ?? "it cannot be read" }
    return { line: 1, column: 1, problem: "it cannot be read" }
  }
}

export const isTomlProblem = (read: object): read is TomlProblem => "problem" in read

/** The entry of the server in values that `readToml` gave; undefined when there is none. */
export const serverIn = (values: Table): unknown => {
  const servers = values[container]
  return isObject(servers) && Object.hasOwn(servers, name) ? servers[name] : undefined
}

/** Whether an entry starts lint-ai for Codex. */
export const isOurServer = (entry: unknown): entry is Table =>
  isObject(entry) &&
  typeof entry.command === "string" &&
  Array.isArray(entry.args) &&
  entry.args.slice(-3).join(" ") === "mcp serve codex"

/** Puts the server at the end of a text, or corrects the command of the one that is there. What a person added to it stays. */
export const putServer = (text: string, entry: McpEntry): TomlEdit | TomlProblem | Unexpected => {
  const read = readToml(text)
  if (isTomlProblem(read)) return read
  const { values } = read
  const found = serverIn(values)
  const lineBreak = text.includes("\r\n") ? "\r\n" : "\n"
  if (found === undefined) {
    const table = [
      comment,
      `[${container}.${name}]`,
      `command = ${quoted(entry.command)}`,
      `args = ${list(entry.args)}`,
      ...(entry.env_vars === undefined ? [] : [`env_vars = ${list(entry.env_vars)}`])
    ]
    const before = text === "" ? "" : text.endsWith("\n") ? lineBreak : lineBreak + lineBreak
    const after = text + before + table.join(lineBreak) + lineBreak
    const expected = { ...values, [container]: { ...serversOf(values), [name]: { ...entry } } }
    return meaning(after, expected)
      ? { text: after, changes: ["add the MCP server lint-ai"] }
      : { where: container, expected: "tables of their own", found: "written in another form" }
  }
  if (!isOurServer(found)) {
    return { where: `${container}.${name}`, expected: "the server of lint-ai", found: "another server" }
  }
  const wrong = (["command", "args"] as const).filter((key) => !isDeepStrictEqual(found[key], entry[key]))
  if (wrong.length === 0) return { text, changes: [] }
  let after = text
  for (const key of wrong) {
    const statement = statementsOf(after).find(
      (one) => one.kind === "key" && isOurTable(one.table, true) && new RegExp(`^["']?${key}["']?\\s*=`).test(one.text)
    )
    if (statement === undefined) continue
    const value = key === "command" ? quoted(entry.command) : list(entry.args)
    const rest = after.slice(statement.start + statement.text.length)
    after = `${after.slice(0, statement.start)}${key} = ${value}${rest}`
  }
  const expected = {
    ...values,
    [container]: { ...serversOf(values), [name]: { ...found, command: entry.command, args: entry.args } }
  }
  return meaning(after, expected)
    ? { text: after, changes: ["correct the command of the MCP server lint-ai"] }
    : { where: `${container}.${name}`, expected: "a table of its own", found: "written in another form" }
}

/** Takes the server out of a text. Another server of that name stays, and so does one that is written in another form. */
export const takeServer = (text: string): TomlEdit | TomlProblem => {
  const read = readToml(text)
  if (isTomlProblem(read)) return read
  const { values } = read
  if (!isOurServer(serverIn(values))) return { text, changes: [] }
  let after = text
  for (const statement of statementsOf(text).toReversed()) {
    if (!isOurTable(statement.table, false)) continue
    let { start } = statement
    if (statement.kind === "header") {
      start = lineBefore(after, start, (line) => line === comment) ?? start
      // The blank line that install put before it.
      start = lineBefore(after, start, (line) => line === "") ?? start
    }
    const end = lineEnd(after, statement.start + statement.text.length)
    after = after.slice(0, start) + after.slice(end)
  }
  const { [name]: _, ...others } = serversOf(values)
  const { [container]: __, ...rest } = values
  const expected = Object.keys(others).length === 0 ? rest : { ...rest, [container]: others }
  const isSame = meaning(after, expected) || meaning(after, { ...rest, [container]: others })
  return isSame ? { text: after, changes: ["remove the MCP server lint-ai"] } : { text, changes: [] }
}

const serversOf = (values: Table): Table => {
  const servers = values[container]
  return isObject(servers) ? servers : {}
}

const meaning = (text: string, expected: Table): boolean => {
  const read = readToml(text)
  return !isTomlProblem(read) && isDeepStrictEqual(plain(read.values), plain(expected))
}

/** Tables as plain objects, which compare by content. */
const plain = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plain)
  if (!isObject(value) || value instanceof Date) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)]))
}

/** A basic string of TOML escapes as JSON does, and DEL besides. */
const quoted = (text: string): string => JSON.stringify(text).replaceAll("\u007f", "\\u007f")
const list = (texts: ReadonlyArray<string>): string => `[${texts.map(quoted).join(", ")}]`

/** A header or a key with its value. Comments and blank lines are between statements. */
interface Statement {
  readonly kind: "header" | "key"
  readonly start: number
  /** Without the comment and the line break after it. */
  readonly text: string
  /** The table that the statement opens or stands in. */
  readonly table: ReadonlyArray<string>
}

const isOurTable = (table: ReadonlyArray<string>, exactly: boolean): boolean =>
  table[0] === container && table[1] === name && (!exactly || table.length === 2)

/** The statements of a text that parses. */
const statementsOf = (text: string): ReadonlyArray<Statement> => {
  const found: Array<Statement> = []
  let table: ReadonlyArray<string> = []
  let at = 0
  while (at < text.length) {
    const skipped = /^(?:\s+|#[^\n]*)/.exec(text.slice(at))
    if (skipped !== null) {
      at += skipped[0].length
      continue
    }
    const end = statementEnd(text, at)
    const statement = text.slice(at, end).trimEnd()
    const kind = statement.startsWith("[") ? "header" : "key"
    if (kind === "header") table = pathOf(statement)
    found.push({ kind, start: at, text: statement, table })
    at = end
  }
  return found
}

// Strings first: what looks like a comment or a bracket inside of one is none.
const piece =
  /"""(?:[^\\]|\\[\s\S])*?"{3,5}|'''[\s\S]*?'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*|[[\]{}]|\n|[^"'#[\]{}\n]+|["']/y

/** Where a statement ends: at the end of its line, or of the line on which its last bracket closes. */
const statementEnd = (text: string, start: number): number => {
  let depth = 0
  piece.lastIndex = start
  while (piece.lastIndex < text.length) {
    const before = piece.lastIndex
    const found = piece.exec(text)?.[0]
    if (found === undefined) return text.length
    if (found === "[" || found === "{") depth++
    else if (found === "]" || found === "}") depth--
    else if (depth === 0 && (found === "\n" || found.startsWith("#"))) return before
  }
  return text.length
}

/** The path of a header: `[a."b.c"]` or `[[a]]`. */
const pathOf = (header: string): ReadonlyArray<string> => {
  const path: Array<string> = []
  const read = readToml(header)
  let value: unknown = isTomlProblem(read) ? undefined : read.values
  for (;;) {
    if (Array.isArray(value)) value = value[0]
    const key: string | undefined = isObject(value) ? Object.keys(value)[0] : undefined
    if (key === undefined || !isObject(value)) return path
    path.push(key)
    value = value[key]
  }
}

/** Where the line before the one at `start` begins, when it is as asked. */
const lineBefore = (text: string, start: number, is: (line: string) => boolean): number | undefined => {
  if (start === 0) return undefined
  const begin = text.lastIndexOf("\n", start - 2) + 1
  return is(text.slice(begin, start).trim()) ? begin : undefined
}

const lineEnd = (text: string, from: number): number => {
  const newline = text.indexOf("\n", from)
  return newline < 0 ? text.length : newline + 1
}
