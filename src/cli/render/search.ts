import type { SearchHit } from "../../search/searchSessions.ts"
import type { Look } from "../report.ts"
import { wrapWords } from "./table.ts"
import { plain } from "./text.ts"

const indent = "    "

/** Hits of one session after another, each session once. */
export const renderHits = (hits: ReadonlyArray<SearchHit>, look: Look): string => {
  let id: string | undefined
  return hits
    .map((hit) => {
      const title =
        hit.session_id === id ? "" : `${id === undefined ? "" : "\n"}${look.style.bold(plain(hit.session_id))}\n`
      id = hit.session_id
      return title + renderHit(hit, look)
    })
    .join("")
}

/** One event that was found: where it is, and what was found in its surroundings. */
const renderHit = (hit: SearchHit, { columns, style }: Look): string => {
  const place = hit.sequence === null ? "spool" : `#${hit.sequence}`
  const what = [hit.kind, ...(hit.tool_name === null ? [] : [plain(hit.tool_name)])].join(" ")
  const { text, matches } = hit.excerpt
  const wanted = [...new Set(matches.map(([start, end]) => plain(text.slice(start, end))))]
  // All at once, so that no word is looked for in the colours of another.
  const pattern = new RegExp(wanted.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("|"), "gu")
  const lines = wrapWords(plain(text), Math.max(16, columns - indent.length))
  const marked = lines.map(
    (line) => `${indent}${wanted.length === 0 ? line : line.replace(pattern, (found) => style.yellow(found))}\n`
  )
  return `  ${style.dim(`${hit.timestamp.slice(0, 19).replace("T", " ")}  ${place}  ${what}`)}\n${marked.join("")}`
}
