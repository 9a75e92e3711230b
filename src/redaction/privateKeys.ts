import type { Scan } from "./scan.ts"

// PEM and PGP, also percent-encoded; SSH2 (RFC 4716), whose armour is shorter; the static keys of OpenVPN.
const opening =
  /-----BEGIN[ +](?:(?:[A-Z0-9]+[ +])*PRIVATE[ +]KEY(?: BLOCK)?|OpenVPN Static key V1)-----|---- BEGIN SSH2 (?:ENCRYPTED )?PRIVATE KEY ----|-----BEGIN%20(?:[A-Z0-9]+%20)*PRIVATE%20KEY-----/g
const closing =
  /-----END[ +](?:(?:[A-Z0-9]+[ +])*PRIVATE[ +]KEY(?: BLOCK)?|OpenVPN Static key V1)-----|---- END SSH2 (?:ENCRYPTED )?PRIVATE KEY ----|-----END%20(?:[A-Z0-9]+%20)*PRIVATE%20KEY-----/g

/** The longest block that is looked at. An RSA key of 16,384 bits takes 13 KB, a PGP key with pictures more. */
const longest = 65_536

// Between the lines of a key stand line ends (real or escaped), indentation, diff signs, line numbers and their marks, quotes.
const dress = "\\s\\\\nrtu0-9d a+>|→:\"',;#*-"
const bodyPiece = new RegExp(
  "(?:[A-Za-z0-9+/=]{16,}" +
    // file:12: and file-12- as grep prints them
    "|(?:\\r?\\n|\\\\n)[ \\t]*[\\w./@-]{1,120}[:-]\\d{1,7}[:-]" +
    "|<br ?/?>|&#(?:10|13|x[aAdD]);|%(?:0[AD]|2[0BF]|3D)" +
    `|[${dress}]` +
    "|(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID):[^\\n\\\\]{0,120}" +
    "|[A-Za-z0-9+/=])",
  "y"
)

const bodyEnd = (text: string, from: number): number => {
  const limit = Math.min(text.length, from + longest)
  let at = from
  let run = from
  while (at < limit) {
    bodyPiece.lastIndex = at
    const piece = bodyPiece.exec(text)
    if (piece === null || (piece[0] === "-" && text.startsWith("-----BEGIN", at))) break
    at += piece[0].length
    if (piece[0].length >= 16) run = at
    // Letters that follow the last full line only for a while belong to other text.
    if (at - run > 160) break
  }
  return run
}

/** Finds private keys: whole, without an end, or without a beginning, and however their lines are dressed. */
export const scanPrivateKeys = (scan: Scan): void => {
  // From its rarest letter on, and no longer than the engine searches for without preparing.
  if (scan.mayHold("VATE") || scan.mayHold("Static k")) scanArmour(scan)
}

const scanArmour = (scan: Scan): void => {
  const { text } = scan
  let done = 0
  opening.lastIndex = 0
  for (let hit = opening.exec(text); hit !== null; hit = opening.exec(text)) {
    scan.work.left -= 2048
    if (scan.work.left < 0) return
    const bodyStart = hit.index + hit[0].length
    const end = bodyEnd(text, bodyStart)
    scan.work.left -= end - bodyStart
    if (end - bodyStart < 24) continue
    closing.lastIndex = end
    const close = closing.exec(text.slice(0, end + 256))
    const last = close === null ? end : close.index + close[0].length
    scan.add(hit.index, last, "private-key")
    opening.lastIndex = last
    done = last
  }
  closing.lastIndex = 0
  for (let hit = closing.exec(text); hit !== null; hit = closing.exec(text)) {
    scan.work.left -= 64
    if (scan.work.left < 0) return
    if (hit.index >= done) {
      const start = bodyStart(text, hit.index, done)
      scan.work.left -= hit.index - start
      if (hit.index - start >= 24) scan.add(start, hit.index + hit[0].length, "private-key")
    }
    done = hit.index + hit[0].length
  }
}

const lineBefore =
  /(?:^|\n|\\n)((?:[^\nA-Za-z/+]|\\[rt"]){0,24}(?:[\w./-]{1,60}:\d{1,7}[:-][ \t]*)?)([A-Za-z0-9+/=]{1,100})[\s\\r"',+-]*$/

/** Where the lines of a key begin whose head was cut off, read backwards from its end line. */
const bodyStart = (text: string, at: number, notBefore: number): number => {
  let start = at
  for (let lines = 0; lines < 600; lines++) {
    const from = Math.max(notBefore, start - 180)
    const found = lineBefore.exec(
      text.slice(from, start).replace(/(?:[^\nA-Za-z/+]|\\[rt"]){0,24}$/, (dress) => " ".repeat(dress.length))
    )
    const body = found?.[2] ?? ""
    // Only the last line of a body is short.
    if (found === null || body.length < (lines === 0 ? 4 : 16)) break
    start =
      from +
      found.index +
      (found[0].startsWith("\n") ? 1 : found[0].startsWith("\\n") ? 2 : 0) +
      (found[1] ?? "").length
  }
  return start
}
