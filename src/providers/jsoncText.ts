import { createScanner, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser"

/**
 * A settings file as text: JSON with comments and trailing commas.
 *
 * Edits are splices of the text, so that every byte which is not part of an edit stays as it is. An editing function of a JSON library
 * formats the lines around its change again, and loses comments with what it removes; this module takes only the parser from one.
 */
export interface JsoncText {
  readonly text: string
  /** Undefined when the text holds white space and comments only. */
  readonly root: Node | undefined
  readonly style: Style
}

/** How the author of a file writes. What is inserted follows it. */
export interface Style {
  readonly lineBreak: string
  /** One level of indentation. */
  readonly indent: string
  /** All is in one line; undefined when it is not. `spaced`: with a space after colons and commas. */
  readonly oneLine: "spaced" | "dense" | undefined
}

/** Why a text is no JSON. Line and column count from 1. */
export interface JsoncProblem {
  readonly line: number
  readonly column: number
  readonly problem: string
}

export type Path = ReadonlyArray<string | number>

interface Splice {
  readonly offset: number
  readonly length: number
  readonly content: string
}

/** Reads a text without byte order mark. The problem says where it stops being JSON; comments, trailing commas and emptiness are none. */
export const readJsonc = (text: string): JsoncText | JsoncProblem => {
  const errors: Array<ParseError> = []
  const root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true })
  const first = errors[0]
  if (first !== undefined) return problemAt(text, first.offset, printParseErrorCode(first.error))
  return { text, root, style: styleOf(text, root) }
}

export const isProblem = (read: JsoncText | JsoncProblem): read is JsoncProblem => "problem" in read

const problemAt = (text: string, offset: number, code: string): JsoncProblem => {
  const lines = text.slice(0, offset).split(/\r\n|\n|\r/)
  const words = code.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase()
  return { line: lines.length, column: (lines.at(-1) ?? "").length + 1, problem: words }
}

const styleOf = (text: string, root: Node | undefined): Style => {
  const first = root?.children?.[0]
  const inside = root === undefined ? "" : text.slice(root.offset, endOf(root))
  const leading = first === undefined ? undefined : leadingSpace(text, first.offset)
  const spaced = first?.colonOffset !== undefined && text.charAt(first.colonOffset + 1) === " "
  return {
    lineBreak: /\r\n|\n|\r/.exec(text)?.[0] ?? "\n",
    indent: leading === undefined || leading === "" ? "  " : leading,
    oneLine: first === undefined || hasLineBreak(inside) ? undefined : spaced ? "spaced" : "dense"
  }
}

/** The node at a path. Of two members with one key the last one counts, as for JSON.parse. */
export const nodeAt = (document: JsoncText, path: Path): Node | undefined => {
  let node = document.root
  for (const segment of path) {
    node =
      typeof segment === "number"
        ? node?.type === "array"
          ? node.children?.[segment]
          : undefined
        : node && memberOf(node, segment)?.children?.[1]
  }
  return node
}

/** The property node of a key: the pair, not its value. */
const memberOf = (object: Node, key: string): Node | undefined =>
  object.type === "object" ? object.children?.findLast((member) => member.children?.[0]?.value === key) : undefined

/** Adds a member after the last one of the object at `path`. */
export const appendMember = (document: JsoncText, path: Path, key: string, value: unknown): JsoncText =>
  append(
    document,
    path,
    (print) => `${JSON.stringify(key)}:${document.style.oneLine === "dense" ? "" : " "}${print(value)}`
  )

/** Adds an item after the last one of the array at `path`. */
export const appendItem = (document: JsoncText, path: Path, value: unknown): JsoncText =>
  append(document, path, (print) => print(value))

/** Puts another value at `path`, in one line. */
export const replaceValue = (document: JsoncText, path: Path, value: unknown): JsoncText => {
  const node = required(document, path)
  return splice(document, [{ offset: node.offset, length: node.length, content: JSON.stringify(value) }])
}

/** Gives a text without any value an empty object, after its comments. */
export const ensureRoot = (document: JsoncText): JsoncText => {
  if (document.root !== undefined) return document
  const { text, style } = document
  const separator = text === "" || /[\r\n]$/.test(text) ? "" : style.lineBreak
  return reread(document, `${text}${separator}{}${style.lineBreak}`)
}

/**
 * Removes a member or an item with its comma. Comments around it stay, and so does the line break that ends a line comment before it.
 */
export const remove = (document: JsoncText, path: Path): JsoncText => {
  const { text } = document
  const container = required(document, path.slice(0, -1))
  const key = path[path.length - 1]
  const children = container.children ?? []
  const child = typeof key === "number" ? children[key] : memberOf(container, key ?? "")
  if (child === undefined) return document
  const previous = children[children.indexOf(child) - 1]
  const after = triviaAfter(text, endOf(child), endOf(container) - 1)
  const before = triviaAfter(
    text,
    previous === undefined ? container.offset + 1 : endOf(previous),
    child.offset,
    previous === undefined
  )
  const needsBreak = before.lineComment && !hasLineBreak(text.slice(endOf(child), after.next))
  const start = needsBreak ? child.offset : before.end
  const splices: Array<Splice> = [{ offset: start, length: endOf(child) - start, content: "" }]
  if (after.comma !== undefined) splices.push({ offset: after.comma, length: 1, content: "" })
  else if (before.comma !== undefined) splices.push({ offset: before.comma, length: 1, content: "" })
  return splice(document, splices)
}

/** What stands between the brackets of an empty object or array; undefined when the node is something else or holds anything. */
export const emptyInner = (document: JsoncText, path: Path): string | undefined => {
  const node = nodeAt(document, path)
  if (node === undefined || (node.type !== "object" && node.type !== "array")) return undefined
  return (node.children ?? []).length > 0 ? undefined : document.text.slice(node.offset + 1, endOf(node) - 1)
}

/** Sets the white space between the brackets of an empty object or array. */
export const setEmptyInner = (document: JsoncText, path: Path, inner: string): JsoncText => {
  const node = required(document, path)
  return splice(document, [{ offset: node.offset + 1, length: node.length - 2, content: inner }])
}

const append = (document: JsoncText, path: Path, entry: (print: (value: unknown) => string) => string): JsoncText => {
  const { text, style } = document
  const container = required(document, path)
  const close = endOf(container) - 1
  const last = container.children?.at(-1)
  const after = triviaAfter(text, last === undefined ? container.offset + 1 : endOf(last), close, last === undefined)
  const outer = lineIndent(text, container.offset)
  const onLines = (indent: string) => style.lineBreak + indent + entry(printLines(style, indent))
  const inLine = style.oneLine === "dense" ? entry(JSON.stringify) : ` ${entry(printLine)}`

  if (last === undefined) {
    const rest = text.slice(after.end, close)
    const [content, ending] =
      style.oneLine === undefined
        ? [onLines(outer + style.indent), hasLineBreak(rest) ? rest : style.lineBreak + outer]
        : [inLine, style.oneLine === "spaced" ? " " : rest]
    return splice(document, [{ offset: after.end, length: rest.length, content: content + ending }])
  }
  const own = leadingSpace(text, last.offset)
  const content = own !== undefined ? onLines(own) : after.lineComment ? onLines(outer + style.indent) : inLine
  return after.comma === undefined
    ? splice(document, [
        { offset: endOf(last), length: 0, content: "," },
        { offset: after.end, length: 0, content }
      ])
    : splice(document, [{ offset: after.end, length: 0, content: `${content},` }])
}

const printLines =
  (style: Style, indent: string) =>
  (value: unknown): string =>
    JSON.stringify(value, null, style.indent).replaceAll("\n", style.lineBreak + indent)

// JSON text has no line breaks inside of strings, so only those between tokens are replaced.
const printLine = (value: unknown): string => JSON.stringify(value, null, 1).replace(/\n */g, " ")

// Token kinds of the scanner; the parser declares them as a const enum, which does not exist at run time.
const comma = 5
const lineComment = 12
const blockComment = 13
const lineBreakTrivia = 14
const trivia = 15

interface Trivia {
  /** Offset of the comma that was passed. */
  readonly comma: number | undefined
  /** End of the last comma or comment; the start when there was none. */
  readonly end: number
  /** Whether the last of them is a line comment: what follows must start on another line. */
  readonly lineComment: boolean
  /** Where the next token begins, or the limit. */
  readonly next: number
}

/** Looks at comma, comments and white space from `start` on. Behind an opening bracket a comma cannot come. */
const triviaAfter = (text: string, start: number, limit: number, noComma = false): Trivia => {
  const scanner = createScanner(text, false)
  scanner.setPosition(start)
  let commaOffset: number | undefined
  let end = start
  let endsInLineComment = false
  while (scanner.getPosition() < limit) {
    const token = scanner.scan() as number
    if (token === trivia || token === lineBreakTrivia) continue
    const isComma = token === comma && commaOffset === undefined && !noComma
    if (!isComma && token !== lineComment && token !== blockComment) {
      return { comma: commaOffset, end, lineComment: endsInLineComment, next: scanner.getTokenOffset() }
    }
    if (isComma) commaOffset = scanner.getTokenOffset()
    end = scanner.getTokenOffset() + scanner.getTokenLength()
    endsInLineComment = token === lineComment
  }
  return { comma: commaOffset, end, lineComment: endsInLineComment, next: limit }
}

/** Splices refer to the text as it was and do not overlap; two insertions at one place come in the order given. */
const splice = (document: JsoncText, splices: ReadonlyArray<Splice>): JsoncText => {
  let text = document.text
  for (const { offset, length, content } of splices.toReversed().sort((a, b) => b.offset - a.offset)) {
    text = text.slice(0, offset) + content + text.slice(offset + length)
  }
  return reread(document, text)
}

/** The style is that of the file as it came: the first insertion into an empty object must not set it. */
const reread = (document: JsoncText, text: string): JsoncText => ({
  text,
  root: parseTree(text, [], { allowTrailingComma: true, allowEmptyContent: true }),
  style: document.style
})

const required = (document: JsoncText, path: Path): Node => {
  const node = nodeAt(document, path)
  if (node === undefined) throw new Error(`nothing at ${path.join(".")}`)
  return node
}

const endOf = (node: Node): number => node.offset + node.length

const hasLineBreak = (text: string): boolean => /[\r\n]/.test(text)

const lineStart = (text: string, offset: number): number => {
  let start = offset
  while (start > 0 && !hasLineBreak(text.charAt(start - 1))) start--
  return start
}

/** The white space before `offset` on its line; undefined when something else stands there. */
const leadingSpace = (text: string, offset: number): string | undefined => {
  const start = lineStart(text, offset)
  const before = text.slice(start, offset)
  return start > 0 && /^[ \t]*$/.test(before) ? before : undefined
}

/** The indentation of the line on which `offset` is. */
const lineIndent = (text: string, offset: number): string => {
  const start = lineStart(text, offset)
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? ""
}
