import { ellipsis, pad, plain, widthOf } from "./text.ts"

export interface Column<Row> {
  readonly title: string
  readonly value: (row: Row) => string
  readonly right?: boolean
  /** Least width to which the column may shrink; it keeps its width when undefined. */
  readonly least?: number
  /** Columns with a higher number are left out first where the terminal is narrow. */
  readonly spare?: number
}

const gap = "  "

/**
 * A table that fits the terminal: columns that may shrink are cut, and where their least is still too wide, spare columns are left out. Text from
 * outside is made plain. No line has white space at its end.
 */
export const renderTable = <Row>(
  rows: ReadonlyArray<Row>,
  columns: ReadonlyArray<Column<Row>>,
  terminal: number
): string => {
  const measured = columns.map((column) => {
    const cells = rows.map((row) => plain(column.value(row)))
    const natural = cells.reduce((width, cell) => Math.max(width, widthOf(cell)), widthOf(column.title))
    return { column, cells, natural, least: Math.min(natural, column.least ?? Number.POSITIVE_INFINITY) }
  })
  let shown = measured
  const total = (widths: ReadonlyArray<number>) =>
    widths.reduce((sum, width) => sum + width, 0) + gap.length * Math.max(0, widths.length - 1)
  while (total(shown.map(({ least }) => least)) > terminal) {
    const spare = shown.reduce((most, { column }) => Math.max(most, column.spare ?? 0), 0)
    if (spare === 0) break
    shown = shown.filter(({ column }) => column.spare !== spare)
  }
  const widths = shown.map(({ natural }) => natural)
  for (let over = total(widths) - terminal; over > 0; ) {
    const index = widths.findLastIndex((width, at) => width > (shown[at]?.least ?? width))
    const width = widths[index]
    if (width === undefined) break
    const taken = Math.min(over, width - (shown[index]?.least ?? width))
    widths[index] = width - taken
    over -= taken
  }
  const line = (cells: ReadonlyArray<string>) =>
    cells
      .map((text, index) => {
        const width = widths[index] ?? 0
        const cut = ellipsis(text, width)
        return shown[index]?.column.right === true
          ? " ".repeat(Math.max(0, width - widthOf(cut))) + cut
          : pad(cut, width)
      })
      .join(gap)
      .trimEnd()
  return [
    line(shown.map(({ column }) => column.title)),
    ...rows.map((_, row) => line(shown.map(({ cells }) => cells[row] ?? "")))
  ]
    .map((text) => `${text}\n`)
    .join("")
}

/** Labels and values, one a line; long values continue under their own column. A label that would leave them no room stands on a line of its own. */
export const renderFields = (
  fields: ReadonlyArray<readonly [label: string, value: string]>,
  terminal: number
): string => {
  const most = Math.max(22, Math.floor(terminal / 3))
  const isLong = (name: string) => widthOf(name) > most
  const widest = fields.reduce((width, [name]) => (isLong(name) ? width : Math.max(width, widthOf(name))), 0)
  const label = widest + gap.length
  const room = Math.max(16, terminal - label)
  return fields
    .flatMap(([name, value]) => {
      const [first = "", ...more] = wrapWords(plain(value), room).map((line) => " ".repeat(label) + line)
      return isLong(name) ? [name, first, ...more] : [pad(name, label) + first.slice(label), ...more]
    })
    .map((line) => `${line.replaceAll("\u00a0", " ").trimEnd()}\n`)
    .join("")
}

/** Words filled into lines; a word longer than a line stands alone on its own, so that a path can be copied. */
export const wrapWords = (text: string, width: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = ""
  for (const word of text.split(" ")) {
    if (line !== "" && widthOf(line) + 1 + widthOf(word) > width) {
      lines.push(line)
      line = word
    } else line = line === "" ? word : `${line} ${word}`
  }
  return [...lines, line]
}
