import { classifyName, type NameClass } from "./names.ts"
import { words } from "./words.ts"

/** The classes of the columns of a table; undefined where none is one of secrets. */
export type Columns = ReadonlyArray<NameClass | undefined>

const columnKeys = "columns fields headers header cols columnNames column_names schema".split(" ")
const rowKeys = words("rows data values records result results")
const columnName = /^[A-Za-z_][\w .-]{0,40}$/

/** The classes of the columns that a list names, when one of them is one of secrets. */
const columnsOf = (list: unknown): Columns | undefined => {
  if (!Array.isArray(list) || list.length < 2 || list.length > 200) return undefined
  const names: ReadonlyArray<unknown> = list.map((column) => column?.name ?? column)
  if (!names.every((name) => typeof name === "string" && columnName.test(name))) return undefined
  const kinds = names.map((name) => classifyName((name as string).replaceAll(" ", "_")))
  return kinds.some((kind) => kind !== undefined) ? kinds : undefined
}

/** `{columns: ["id", "token"], rows: [[1, "…"]]}`: the columns of the rows under `key`. */
export const columnsBeside = (fields: Readonly<Record<string, unknown>>, key: string): Columns | undefined => {
  if (!rowKeys.has(key) || !Array.isArray(fields[key])) return undefined
  for (const name of columnKeys) {
    const columns = columnsOf(fields[name])
    if (columns !== undefined) return columns
  }
  return undefined
}

/** `[["id", "token"], [1, "…"]]`: the columns that the first row names. */
export const columnsInFirst = (rows: ReadonlyArray<unknown>): Columns | undefined =>
  Array.isArray(rows[0]) && Array.isArray(rows[1]) && rows[0].length === rows[1].length ? columnsOf(rows[0]) : undefined
