import { widthOf } from "./text.ts"

const escapes = /\u001b\[[0-9;]*m/g

/**
 * A view that is drawn over the one before it, on a terminal whose width may have changed since. Only moves the cursor and erases: the terminal is
 * never in a state that an end, of whatever kind, would have to undo.
 */
export const redrawing = () => {
  let before: ReadonlyArray<string> = []
  let last = ""
  /** What to write so that `view`, of whole lines, stands in the place of the last one. */
  return (view: string, columns: number): string => {
    if (view === last) return ""
    last = view
    const height = before.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / Math.max(1, columns))), 0)
    before = view.replace(escapes, "").split("\n").slice(0, -1)
    return `${height === 0 ? "" : `\u001b[${height}A\r\u001b[J`}${view}`
  }
}
