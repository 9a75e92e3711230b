import { counted } from "../../domain/counted.ts"
import type { WatchedSession, WatchLine } from "../../live/watchSchema.ts"
import type { Look } from "../report.ts"
import { renderTable, wrapWords } from "./table.ts"
import { ellipsis, pad, plain, widthOf } from "./text.ts"

/** How long ago a moment was, in its largest unit. */
const ago = (timestamp: string, nowMs: number): string => {
  const seconds = Math.max(0, Math.floor((nowMs - Date.parse(timestamp)) / 1000))
  if (!Number.isFinite(seconds)) return ""
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`
  return `${Math.floor(seconds / 86_400)} d`
}

const milliseconds = (value: number | null): string => (value === null ? "" : String(Math.round(value)))

/**
 * The sessions that are being recorded, on at most `rows` lines of the terminal.
 *
 * @param nowMs for ages; milliseconds since 1970
 */
export const renderWatch = (
  view: { readonly project: string; readonly sessions: ReadonlyArray<WatchedSession> },
  { columns, style }: Look,
  nowMs: number,
  rows = Number.POSITIVE_INFINITY
): string => {
  const { sessions } = view
  const title = `${sessions.length === 0 ? "No session is" : counted(sessions.length, "session")}${sessions.length > 1 ? " are" : sessions.length === 1 ? " is" : ""} being recorded in ${plain(view.project)}`
  const head = style.bold(ellipsis(title, columns))
  if (sessions.length === 0) {
    const hint = "It appears here when an agent begins one. `lint-ai status` says whether recording is on."
    return `${head}\n${wrapWords(hint, columns)
      .map((line) => `${style.dim(line)}\n`)
      .join("")}`
  }
  // A title, an empty line and the names of the columns; and one that says how many there are more.
  const room = rows - 3
  const shown = sessions.length <= room ? sessions : sessions.slice(0, Math.max(1, room - 1))
  const table = renderTable(
    shown,
    [
      { title: "SESSION", value: (s) => s.session_id, least: 12 },
      { title: "LAST", value: (s) => s.newest?.kind ?? "" },
      { title: "TOOL", value: (s) => ellipsis(s.newest?.tool_name ?? "", 24), spare: 3 },
      { title: "AGO", value: (s) => (s.newest === null ? "" : ago(s.newest.timestamp, nowMs)), right: true },
      { title: "EVENTS", value: (s) => String(s.event_count), right: true, spare: 4 },
      { title: "REDACTED", value: (s) => String(s.redaction_count), right: true, spare: 1 },
      { title: "HOOK MS", value: (s) => milliseconds(s.hooks.last_ms ?? s.hooks.average_ms), right: true, spare: 2 },
      { title: "MAX", value: (s) => milliseconds(s.hooks.max_ms), right: true, spare: 5 },
      // Only where something waits for a writer.
      ...(shown.some((s) => s.spooled_count > 0)
        ? [{ title: "WAITING", value: (s: WatchedSession) => String(s.spooled_count), right: true, spare: 6 }]
        : [])
    ],
    columns
  )
  const hidden = sessions.length - shown.length
  return `${head}\n\n${table}${hidden === 0 ? "" : `and ${hidden} more\n`}`
}

interface Piece {
  readonly text: string
  readonly paint?: (text: string) => string
  /** Takes what the others leave. */
  readonly gives?: boolean
}

/** Pieces with two spaces between them, on at most `columns` columns. */
const onOneLine = (pieces: ReadonlyArray<Piece>, columns: number): string => {
  const shown = pieces.filter(({ text }) => text !== "")
  const fixed = shown.filter(({ gives }) => gives !== true).reduce((sum, { text }) => sum + widthOf(text) + 2, 0)
  let left = columns
  const drawn: Array<string> = []
  for (const { text, paint, gives } of shown) {
    const room = gives === true ? Math.min(left, Math.max(0, columns - fixed)) : left
    const cut = ellipsis(text, room)
    if (cut === "") continue
    drawn.push(paint === undefined ? cut : paint(cut))
    left -= widthOf(cut) + 2
  }
  return drawn.join("  ").trimEnd()
}

/** Narrower, a line has no room for an event's number. */
const wideLine = 64

/**
 * One line for what happened, of at most `columns` columns; `columns` is infinite where the output is no terminal.
 *
 * @param named whether lines of several sessions are told, so that each names its own
 */
export const renderWatchLine = (line: WatchLine, { columns, style }: Look, named: boolean): string => {
  const id = plain(line.session_id)
  const name: Piece = {
    text: named ? ellipsis(id, Math.max(8, Math.floor(columns / 4))) : "",
    paint: style.dim
  }
  if (line.type === "session") {
    const facts = [line.status, counted(line.event_count, "event"), counted(line.redaction_count, "redaction")]
    return onOneLine([{ text: id, paint: style.bold, gives: true }, { text: facts.join(", ") }], columns)
  }
  if (line.type === "cut") {
    return onOneLine([name, { text: "the log was cut or replaced", paint: style.yellow }], columns)
  }
  if (line.type === "left") {
    return onOneLine([name, { text: `is not recorded any more: ${line.status}`, paint: style.dim }], columns)
  }
  const wide = columns >= wideLine
  return onOneLine(
    [
      { text: line.timestamp.slice(11, 19), paint: style.dim },
      name,
      ...(wide ? [{ text: pad(line.sequence === null ? "spool" : `#${line.sequence}`, 6), paint: style.dim }] : []),
      {
        text: wide ? pad(line.kind, 17) : line.kind,
        ...(line.kind === "tool_error" ? { paint: style.red } : undefined)
      },
      {
        text: [...(line.tool_name === null ? [] : [line.tool_name]), line.summary].map(plain).join(" ").trim(),
        gives: true
      },
      { text: line.redaction_count === 0 ? "" : `${line.redaction_count} redacted`, paint: style.yellow },
      { text: line.truncation_count === 0 ? "" : `${line.truncation_count} cut` },
      { text: line.hook_ms === null ? "" : `${milliseconds(line.hook_ms)} ms`, paint: style.dim }
    ],
    columns
  )
}
