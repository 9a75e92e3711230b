import { classifyName } from "./names.ts"
import type { Scan } from "./scan.ts"
import { isSecretValue } from "./values.ts"

// What closes a line that announces a value or asks for it: quotes, brackets, an ending, a pipe; a colon.
const asked = /^["'`\])}]{0,3}(?:\.(?:txt|key|pem))?["'`]?(?: -[\w-]{1,24})*(?: {1,2}\|[^\n]{1,80})?\r?$/
const announced = /^["'`)\]*_]{0,3} ?[:：]["'`*_]{0,3}[ \t]*\r?$/
const prompt = /^[ \t]*(?:[^\n]{0,80}[$#%❯➜] |>{1,3} |In \[\d+\]: |\(Pdb\) |PS [^\n>]{0,60}> )/
/** A command or a reader of names that prints what it was asked for. */
const printing = /^[ \t]*>|>>> |\b(?:echo|printenv|print|cat|get|show|read|output|puts|p)\b/
const heading = /^(?:#{1,6} |\*\*|__)/
/** The value alone on its line, behind a line of a fence or without text; what stands around it is not part of it. */
const answer =
  /(?:[ \t]*(?:`{3}\w{0,12})?\r?\n){1,3}[ \t]{0,8}(?:send(?:line)?[ (])?(["'`]?)([^\s"'`]{8,2048})\1(?:\\r)?["')]{0,2}[ \t]*(?=\r?\n|$)/y

const longestLine = 200

/** Finds the value on the line below its name: what `echo $DB_PASSWORD` prints, what stands below `API key:` and below a heading. */
export const scanAnswers = (scan: Scan): void => {
  const { text } = scan
  if (!text.includes("\n")) return
  const names = scan.names()
  for (let i = 0; i < names.length; i += 2) {
    const start = names[i] ?? 0
    const end = names[i + 1] ?? 0
    // Most names have a blank or a letter behind them.
    if (!"\r\n\"'`*_)]}:.： ".includes(text.charAt(end) || "x")) continue
    const near = text.slice(end, end + 100)
    const length = near.indexOf("\n")
    if (length === -1) continue
    const rest = near.slice(0, length)
    const isAnnounced = rest.includes(":") || rest.includes("：") ? announced.test(rest) : false
    if (!isAnnounced && !asked.test(rest)) continue
    scan.work.left -= 64
    if (scan.work.left < 0) return
    readAnswer(scan, start, end, end + length, isAnnounced)
  }
}

const readAnswer = (scan: Scan, middle: number, end: number, lineEnd: number, isAnnounced: boolean): void => {
  const { text } = scan
  const back = Math.max(0, middle - longestLine)
  const from = back + text.slice(back, middle).lastIndexOf("\n") + 1
  const line = text.slice(from, end)
  if (!isAnnounced && !prompt.test(line) && !heading.test(line)) return
  const name = /[\w.-]{1,96}$/.exec(line)?.[0] ?? ""
  const word = /([A-Za-z]{3,16}) $/.exec(line.slice(0, line.length - name.length))?.[1]
  const kind = (word === undefined ? undefined : classifyName(`${word}_${name}`)) ?? classifyName(name)
  if (kind === undefined) return
  answer.lastIndex = lineEnd
  const hit = answer.exec(text)
  const value = hit?.[2] ?? ""
  if (hit === null) return
  const prints = !isAnnounced && kind === "password" && printing.test(line)
  if (!isSecretValue(kind, value, prints ? "line" : "told")) return
  const start = lineEnd + hit[0].lastIndexOf(value)
  scan.add(start, start + value.length, kind === "password" ? "password" : "secret")
}
