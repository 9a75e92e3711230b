import { isLetter } from "./behindNames.ts"
import { isHex, isRandom } from "./literals.ts"
import { classifyName, type NameClass } from "./names.ts"
import type { Scan } from "./scan.ts"
import { isSecretValue } from "./values.ts"

const signs = "$#%>❯➜)*_"
const prompt =
  /^[ \t]*(?:[^\n]{0,80}[$#%❯➜] |>{1,3} |In \[\d+\]: |\((?:Pdb|gdb|lldb)\) |[\w.:()-]{1,30}> |PS [^\n>]{0,60}> )/
/** A command or a reader of names that prints what it was asked for. */
const printing = /^[ \t]*>|>>> |\b(?:echo|printenv|print|cat|get|show|read|output|puts|p)\b/
/** What a script answers with. */
const sending = /\bsend(?:line)?[ (]/
const heading = /^(?:#{1,6} |\*\*|__|==> )/
/** The value alone on its line, behind a line of a fence or without text; what stands around it is not part of it. */
const answer =
  /(?:[ \t]*(?:`{3}\w{0,12})?\r?\n){1,3}[ \t]{0,8}(?:(?:\w{1,24}\.)?send(?:line)?[ (]|=> |\$\d{1,4} = )?(["'`]?)([^\s"'`]{8,2048}?)(?:\\r)?\1["')]{0,2}[ \t]*(?=\r?\n|$)/y

const longestLine = 200
/** What closes the line of a name: quotes, brackets and stars, a colon that words may stand before, a pipe. Its groups are those words and the colon. */
const closing =
  /["'`*_)\]}]{0,3}(?:( [a-z][a-zA-Z .,'-]{1,90})?[ \t]?([:：])["'`*_)]{0,3}[ \t]{0,4}|(?:\.txt)?(?: <==)?["'`]?(?: -[\w-]{1,24})*(?: \|(?! (?:sudo|chpasswd|docker|kinit)\b)[^\n]{0,80})?)(?=\r?\n)/y

/** Finds the value on the line below its name: what `echo $DB_PASSWORD` prints, what stands below `API key:` and below a heading. */
export const scanAnswers = (scan: Scan): void => {
  const { text } = scan
  if (!text.includes("\n")) return
  const names = scan.names()
  for (let i = 0; i < names.length; i += 2) {
    const end = names[i + 1] ?? 0
    closing.lastIndex = end
    const closed = closing.exec(text)
    if (closed === null) continue
    const isAnnounced = closed[2] !== undefined
    const isLabelled = !isAnnounced && closed[0] === "" && isLabel(text, end)
    if (!isAnnounced && !isLabelled && !beginsWithSign(text, names[i] ?? 0)) continue
    scan.work.left -= 64
    if (scan.work.left < 0) return
    readAnswer(
      scan,
      names[i] ?? 0,
      end,
      end + closed[0].length,
      isAnnounced ? "colon" : isLabelled ? "label" : "sign",
      ![undefined, " is", " was"].includes(closed[1])
    )
  }
}

/** Small letters and digits alone on their line, perhaps behind the sign or the number of a list. */
const listed =
  /(?:[ \t]*\r?\n){1,3}[ \t]{0,8}(?:[-*•] |\d{1,2}[.)] )?([a-z0-9][a-z0-9 -]{2,400}[a-z0-9])[ \t]*(?=\r?\n|$)/y
const mostListed = 32

/** Marks what stands below `recovery phrase:` and `backup codes:`, one a line. */
const readListed = (scan: Scan, kind: NameClass, from: number): void => {
  for (let at = from, lines = 0; lines < mostListed; lines++) {
    listed.lastIndex = at
    const hit = listed.exec(scan.text)
    const value = hit?.[1] ?? ""
    if (hit === null || !isSecretValue(kind, value, "line")) return
    const start = at + hit[0].lastIndexOf(value)
    scan.add(start, start + value.length, "secret")
    at += hit[0].length
  }
}

const longestLabel = 40

/** Whether the line that ends at `end` has two to four words and nothing else, as pages show their fields: `API Secret`. */
const isLabel = (text: string, end: number): boolean => {
  let blanks = 0
  let at = end
  for (; at > 0 && text.charCodeAt(at - 1) !== 10; at--) {
    const code = text.charCodeAt(at - 1)
    if (code === 32 && text.charCodeAt(at) !== 32) blanks++
    else if (!isLetter(code)) return false
    if (end - at > longestLabel) return false
  }
  return blanks > 0 && blanks < 4 && text.charCodeAt(at) !== 32
}

/** Whether the line of the name has a sign of a prompt or of a heading before it. */
const beginsWithSign = (text: string, at: number): boolean => {
  for (let i = at - 1; i >= 0 && at - i < longestLine; i--) {
    const character = text.charAt(i)
    if (character === "\n") return false
    if (character === " " && signs.includes(text.charAt(i - 1) || "x")) return true
    if ((character === "*" || character === "_") && text.charAt(i - 1) === character) return true
  }
  return false
}

/** What tells that the value of a name stands on the next line: a colon, that the line is a label, the sign of a prompt or of a heading. */
type Telling = "colon" | "label" | "sign"

const readAnswer = (
  scan: Scan,
  middle: number,
  end: number,
  lineEnd: number,
  told: Telling,
  inSentence: boolean
): void => {
  const { text } = scan
  const back = Math.max(0, middle - longestLine)
  const line = text.slice(back + text.slice(back, middle).lastIndexOf("\n") + 1, end)
  if (told === "sign" && !prompt.test(line) && !heading.test(line)) return
  // host:port:database:user:password, above a line of those; /etc/passwd; | chpasswd
  if (/(?::|\/etc\/|\| ?)[\w.-]{1,96}$/.test(line)) return
  // A file may be named for what it holds.
  const name = (/[\w.-]{1,96}$/.exec(line)?.[0] ?? "").replace(/\.txt$/, "")
  const word = /([A-Za-z]{3,16}) $/.exec(line.slice(0, line.length - name.length))?.[1]
  const kind = (word === undefined ? undefined : classifyName(`${word}_${name}`)) ?? classifyName(name)
  if (kind === undefined) return
  if ((kind === "phrase" || kind === "code") && told !== "sign") {
    readListed(scan, kind, lineEnd)
    return
  }
  answer.lastIndex = lineEnd
  const hit = answer.exec(text)
  const value = hit?.[2] ?? ""
  if (hit === null) return
  // The key to …, the token of …: digests are announced like that as well.
  if (inSentence && isHex(value)) return
  // Lists of words have such lines as well.
  if (told === "label" && kind === "password" && !isRandom(value)) return
  const prints = kind === "password" && (told === "sign" ? printing.test(line) : sending.test(hit[0]))
  if (!isSecretValue(kind, value, prints ? "line" : "told")) return
  const start = lineEnd + hit[0].lastIndexOf(value)
  scan.add(start, start + value.length, kind === "password" ? "password" : "secret")
}
