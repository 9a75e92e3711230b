import { classifyName, type NameClass } from "./names.ts"
import { isBlank } from "./quoting.ts"
import type { Scan } from "./scan.ts"
import { isSecretValue } from "./values.ts"

/** What the name of a column with secrets ends in. */
const columnEndings = [
  "password",
  "passwd",
  "passphrase",
  "pwd",
  "pass",
  "pw",
  "secret",
  "token",
  "key",
  "bearer",
  "key_base",
  "credentials"
]
// A header holds names and separators, and at least two of them.
const headerLine = /^[\w ."'`*|,;\t/-]{1,512}$/
const headerCell = /^(?:[A-Za-z][\w.-]{0,40}(?: [A-Za-z][\w.-]{0,24}){0,2})?$/

const mostRows = 500

interface Cell {
  readonly text: string
  readonly start: number
}

const cellsOf = (line: string, offset: number, separator: string): Array<Cell> => {
  const cells: Array<Cell> = []
  let at = 0
  while (at <= line.length) {
    let end = at
    const opening = line.slice(at).search(/[^ \t]/) + at
    const quote = line.charAt(opening)
    if (separator !== "|" && (quote === '"' || quote === "'")) {
      const close = line.indexOf(quote, opening + 1)
      end = close === -1 ? line.length : close + 1
    }
    const next = line.indexOf(separator, end)
    end = next === -1 ? line.length : next
    const raw = line.slice(at, end)
    const inner = /^[ \t]*["'`*]*(.*?)["'`*]*[ \t]*$/s.exec(raw)?.[1] ?? raw
    cells.push({ text: inner, start: offset + at + raw.indexOf(inner) })
    if (next === -1) break
    at = next + 1
  }
  return cells
}

const withoutReturn = (line: string): string => (line.endsWith("\r") ? line.slice(0, -1) : line)

const isUpper = (code: number): boolean => code >= 65 && code <= 90

/** Whether a column's name may end at `end`: a quote or a star and blanks may follow, then a separator or the end of the line. */
const endsColumn = (text: string, end: number): boolean => {
  let at = "\"'`*".includes(text.charAt(end) || " ") ? end + 1 : end
  // A tab is a blank, and a separator.
  for (let code = text.charCodeAt(at); isBlank(code); code = text.charCodeAt(++at)) if (code === 9) return true
  // NAME   TOKEN   AGE
  if (at > end + 1 && isUpper(text.charCodeAt(at)) && isUpper(text.charCodeAt(end - 1))) return true
  return ",;|│┃\r\n".includes(text.charAt(at) || " ")
}

/** Finds secrets in columns: CSV, Markdown and database tables whose header names a password or a key. */
export const scanDataTables = (scan: Scan): void => {
  if (!scan.text.includes("\n")) return
  const names = scan.names()
  const lower = scan.lowerText()
  let done = 0
  for (let i = 1; i < names.length; i += 2) {
    const end = names[i] ?? 0
    if (!endsColumn(scan.text, end)) continue
    const ending = columnEndings.find((word) => lower.endsWith(word, end))
    if (ending === undefined) continue
    scan.work.left -= 64
    if (scan.work.left < 0) return
    done = readTable(scan, end - ending.length, done)
  }
}

/** Reads the table that has `at` in its header; returns what has been looked at, which is `done` when there is none. */
const readTable = (scan: Scan, at: number, done: number): number => {
  if (at < done) return done
  const { text } = scan
  const back = Math.max(done, at - 512)
  const from = back + text.slice(back, at).lastIndexOf("\n") + 1
  const length = text.slice(at, at + 512).indexOf("\n")
  if (length === -1 || (from === back && back > 0 && text.charCodeAt(back - 1) !== 10)) return done
  const header = withoutReturn(text.slice(from, at + length))
  const separator = ["│", "┃", "|", "\t", ",", ";"].find((mark) => header.includes(mark))
  if (separator === undefined) {
    if (text.charCodeAt(at + length + 1) === 45) return readUnderlined(scan, from, header, done)
    return header.includes("  ") && spacedHeader.test(header) ? readSpaced(scan, from, header) : done
  }
  if (",;\t".includes(separator) && readPair(scan, header, from, separator)) return at + length
  if (header.endsWith(",") || !headerLine.test(header.replaceAll(separator, "|"))) return done
  const names = cellsOf(header, from, separator)
  if (names.length < 2 || !names.every((cell) => headerCell.test(cell.text))) return done
  const kinds = names.map((cell) => classifyName(cell.text.replace(/ /g, "_")))
  return readRows(scan, at + length, separator, kinds, names)
}

/** In small letters. */
const pairHeader =
  /(?:^|output: )["']?(?:(name|variable|setting|parameter|env(?:ironment)?(?:[ _]var(?:iable)?)?)|key|property)["']?[,;\t]["']?value["']?\r?$/m
const farthestHeader = 4096

/** `name,value` above the row at `from`, without an empty line between the two. */
const headerOfPairs = (text: string, from: number, separator: string): RegExpExecArray | null => {
  const before = text.slice(Math.max(0, from - farthestHeader), from)
  const block = before.slice(before.lastIndexOf("\n\n") + 1).toLowerCase()
  const isNear = ["", '"', "'"].some((quote) => block.includes(`${separator}${quote}value`))
  return isNear ? pairHeader.exec(block) : null
}

/** A row of a name and its value, as settings are exported: whether it is one. */
const readPair = (scan: Scan, row: string, from: number, separator: string): boolean => {
  const sign = row.indexOf(separator)
  if (from === 0 || sign !== row.lastIndexOf(separator) || row.includes(" ") || row.length - sign < 5) return false
  scan.work.left -= 64
  const header = headerOfPairs(scan.text, from, separator)
  if (header === null) return false
  const [name, value] = cellsOf(row, from, separator)
  const kind = classifyName(name?.text ?? "")
  // Translations are kept under keys.
  const setting = kind === "password" && header[1] === undefined ? "told" : "quoted"
  if (value !== undefined && kind !== undefined && isSecretValue(kind, value.text, setting))
    scan.add(value.start, value.start + value.text.length, kind === "password" ? "password" : "secret")
  return true
}

const spacedHeader = /^[A-Z][A-Z0-9_-]*(?: [A-Z0-9_-]+)*(?: {2,}[A-Z][A-Z0-9_-]*(?: [A-Z0-9_-]+)*)+ *$/

/** Marks a cell that is a secret by the class of its column. */
const judgeCell = (scan: Scan, kind: NameClass | undefined, text: string, start: number): void => {
  if (kind !== undefined && isSecretValue(kind, text, "quoted"))
    scan.add(start, start + text.length, kind === "password" ? "password" : "secret")
}

/** A table whose columns begin below their names, as command lines print them. */
const readSpaced = (scan: Scan, from: number, header: string): number => {
  const { text } = scan
  const columns = [...header.matchAll(/\S+(?: \S+)*/g)].map((cell) => ({
    at: cell.index,
    kind: classifyName(cell[0].replaceAll(" ", "_").toLowerCase())
  }))
  let at = from + header.length + 1
  for (let rows = 0; rows < mostRows && at < text.length; rows++) {
    const next = text.indexOf("\n", at)
    const line = text.slice(at, next === -1 ? text.length : Math.min(next, at + 4096))
    scan.work.left -= 16 + line.length
    if (scan.work.left < 0 || line.trim() === "") break
    for (const { at: column, kind } of columns) {
      if (kind === undefined || (column > 0 && line.charAt(column - 1) !== " ")) continue
      judgeCell(scan, kind, /^\S*/.exec(line.slice(column))?.[0] ?? "", at + column)
    }
    if (next === -1) break
    at = next + 1
  }
  return at
}

const underline = /^-{3,}[ \t]*\r?\n[ \t]*(\S{4,512})[ \t]*(?=\r?\n|$)/

/** One column with a line below its name. */
const readUnderlined = (scan: Scan, from: number, header: string, done: number): number => {
  const start = from + header.length + 1
  const hit = underline.exec(scan.text.slice(start, start + 640))
  if (hit === null || !headerCell.test(header.trim())) return done
  const value = hit[1] ?? ""
  judgeCell(scan, classifyName(header.trim().replaceAll(" ", "_")), value, start + hit[0].lastIndexOf(value))
  return done
}

const readRows = (
  scan: Scan,
  from: number,
  separator: string,
  kinds: ReadonlyArray<NameClass | undefined>,
  names: ReadonlyArray<Cell>
): number => {
  const { text } = scan
  let at = from + 1
  for (let rows = 0; rows < mostRows && at < text.length; rows++) {
    const next = text.indexOf("\n", at)
    const stop = next === -1 ? text.length : next
    if (stop - at > 4096) break
    const line = withoutReturn(text.slice(at, stop))
    scan.work.left -= 16 + line.length
    if (scan.work.left < 0) break
    if (!/^[\s|+:=\u2500-\u257f-]*$/.test(line)) {
      const cells = cellsOf(line, at, separator)
      // A list of which each line begins alike is no table.
      if (cells.length !== kinds.length || (names[0]?.text !== "" && cells[0]?.text === names[0]?.text)) break
      for (const [index, cell] of cells.entries()) {
        judgeCell(scan, kinds[index], cell.text, cell.start)
      }
    } else if (line.trim() === "") break
    at = stop + 1
  }
  return at
}

const insertion = /\binsert\s+into\s+[\w."`[\]]{1,120}\s*\(([^()]{1,600})\)\s*values\s*/gi
const literal = /\s*(?:'((?:[^'\\]|''|\\.){0,2048})'|([^,()']{0,200}))\s*(,|\))/y

/** Finds secrets in `INSERT INTO t (…, password) VALUES (…, '…')`, by the place of the column. */
export const scanInsertions = (scan: Scan): void => {
  // Its keyword with the rarest letter.
  if (scan.lowerText().includes("values")) scanInserted(scan)
}

const scanInserted = (scan: Scan): void => {
  const { text } = scan
  insertion.lastIndex = 0
  for (let hit = insertion.exec(text); hit !== null; hit = insertion.exec(text)) {
    scan.work.left -= 64 + hit[0].length
    if (scan.work.left < 0) return
    const kinds = (hit[1] ?? "").split(",").map((name) => classifyName(name.trim().replace(/["`[\]]/g, "")))
    if (kinds.every((kind) => kind === undefined)) continue
    let at = insertion.lastIndex
    for (let rows = 0; rows < mostRows && text.charAt(at) === "("; rows++) {
      at++
      for (let column = 0; ; column++) {
        literal.lastIndex = at
        const cell = literal.exec(text)
        if (cell === null) return
        scan.work.left -= 16
        const value = cell[1]
        const kind = kinds[column]
        if (value !== undefined && kind !== undefined && isSecretValue(kind, value, "quoted")) {
          const start = at + cell[0].indexOf("'") + 1
          scan.add(start, start + value.length, kind === "password" ? "password" : "secret")
        }
        at = literal.lastIndex
        if (cell[3] === ")") break
      }
      const more = /\s*,?\s*/y
      more.lastIndex = at
      at += more.exec(text)?.[0].length ?? 0
    }
  }
}
