import type { Scan } from "./scan.ts"

const opening = /-----BEGIN ((?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?)-----/g
const closing = /-----END ((?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?)-----/g

/** The longest block that is looked at. An RSA key of 16,384 bits takes 13 KB, a PGP key with pictures more. */
const longest = 65_536

// Between the lines of a key stand line ends (real or escaped), indentation, diff signs, line numbers and their marks, quotes.
const dress = "\\s\\\\nrtu0-9d a+>|→:\"',;#*-"
const bodyPiece = new RegExp(
  `(?:[A-Za-z0-9+/=]{16,}|[${dress}]|(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID):[^\\n\\\\]{0,120}|[A-Za-z0-9+/=])`,
  "y"
)

const bodyEnd = (text: string, from: number): number => {
  const limit = Math.min(text.length, from + longest)
  let at = from
  let run = from
  while (at < limit) {
    bodyPiece.lastIndex = at
    const piece = bodyPiece.exec(text)
    if (piece === null) break
    at += piece[0].length
    if (piece[0].length >= 16) run = at
    // Letters that follow the last full line only for a while belong to other text.
    if (at - run > 160) break
  }
  return run
}

/** Finds private keys: whole, without an end, or without a beginning, and however their lines are dressed. */
export const scanPrivateKeys = (scan: Scan): void => {
  const { text } = scan
  if (!text.includes("PRIVATE KEY")) return
  let done = 0
  opening.lastIndex = 0
  for (let hit = opening.exec(text); hit !== null; hit = opening.exec(text)) {
    scan.work.left -= 64
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
    if (hit.index < done) continue
    const from = Math.max(done, hit.index - longest)
    const lines = text.slice(from, hit.index)
    const body =
      /(?:(?:^|\n|\\n)[^\nA-Za-z/+]{0,24}(?:[\w./-]{1,60}:\d+:)?[A-Za-z0-9+/=]{16,}[\s\\r"']*)+(?:\n|\\n)?[^\n]{0,24}$/.exec(
        lines.slice(-16_384)
      )
    if (body !== null) scan.add(hit.index - body[0].length, hit.index + hit[0].length, "private-key")
    done = hit.index + hit[0].length
  }
}
