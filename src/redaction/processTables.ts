import type { Scan } from "./scan.ts"

const header =
  /^[ \t]*(?:(?:USER|UID|RUSER|EUSER|F[ \t]+(?:S[ \t]+)?UID)[ \t]+(?:[A-Z%]+[ \t]+)*PID|PID)[ \t]+(?:[A-Z%+-]+[ \t]+)*(?:COMMAND|CMD|ARGS|COMM|Command)[ \t]*\r?$/gm

// Rows of `ps aux` and `ps -ef` as a filter such as grep leaves them, without their header.
const row =
  /(?:[\w.+$-]{1,32}[ \t]+\d{1,9}[ \t]+\d+\.\d[ \t]+\d+\.\d[ \t]+\d+[ \t]+\d+[ \t]+\S{1,12}[ \t]+[A-Za-z<+]{1,6}[ \t]+[\w:]{1,10}[ \t]+\d+:\d\d(?:\.\d\d)?|[\w.+$-]{1,32}[ \t]+\d{1,9}[ \t]+\d{1,9}[ \t]+\d{1,3}[ \t]+[\w:]{1,10}[ \t]+\S{1,12}[ \t]+\d+:\d\d(?::\d\d|\.\d\d))[ \t]+\S[^\n]*/y

// The time column, which few other lines have. From its last digit before the colon on, because digits are rarer than the blanks before them.
const rowTime = /\d:\d\d(?:[:.]\d\d)?[ \t]+(?=\S)/g

const terminals = ["?", "tty", "pts", "console", " - "]

const startsRow = /^[ \t]*(?:[\w.+$-]{1,40}[ \t]+)?\d{1,9}[ \t]/

/** Finds process tables: the command lines in them hold what was passed as an argument. */
export const scanProcessTables = (scan: Scan): void => {
  if (scan.mayHold("PID")) scanHeaded(scan)
  scanRows(scan)
}

const scanHeaded = (scan: Scan): void => {
  const { text } = scan
  header.lastIndex = 0
  for (let hit = header.exec(text); hit !== null; hit = header.exec(text)) {
    const start = hit.index + hit[0].search(/\S/)
    let end = hit.index + hit[0].length
    let rows = 0
    while (end < text.length && text.charCodeAt(end) === 10) {
      const next = text.indexOf("\n", end + 1)
      const stop = next === -1 ? text.length : next
      const line = text.slice(end + 1, Math.min(stop, end + 200))
      if (!startsRow.test(line) && !(rows > 0 && /^[ \t]{8,}\S/.test(line))) break
      rows++
      end = stop
      scan.work.left -= 16
      if (scan.work.left < 0) return
    }
    if (rows > 0) scan.add(start, end, "process-table")
    header.lastIndex = Math.max(end, hit.index + 1)
  }
}

const scanRows = (scan: Scan): void => {
  const { text } = scan
  if (!text.includes(":")) return
  rowTime.lastIndex = 0
  let done = 0
  for (let hit = scan.next(rowTime); hit !== null; hit = scan.next(rowTime)) {
    scan.work.left -= 64
    if (scan.work.left < 0) return
    if (hit.index < done) continue
    const from = Math.max(done, hit.index - 160)
    const start = from + text.slice(from, hit.index).lastIndexOf("\n") + 1
    // The terminal of the process, or a question mark in its place.
    const before = text.slice(start, hit.index)
    if (!terminals.some((terminal) => before.includes(terminal))) continue
    row.lastIndex = start
    const found = row.exec(text)
    if (found === null) continue
    done = start + found[0].length
    scan.add(start, done, "process-table")
  }
}
