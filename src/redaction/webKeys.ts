import type { Scan } from "./scan.ts"

/** The private members of a JSON web key (RFC 7518, section 6). */
export const privateMembers: ReadonlySet<string> = new Set(["d", "k", "p", "q", "dp", "dq", "qi"])

const member =
  /(?<![\w.-])(\\{0,7}["']?)(?:d|k|p|q|dp|dq|qi)\1\s{0,4}:\s{0,4}\\{0,7}["']([\w-]{20,2048})(?==*\\{0,7}["'])/g
const element = /<(?:P|Q|D|DP|DQ|InverseQ)>\s{0,40}([A-Za-z0-9+/=\s]{20,2048})(?=<)/g

/** How far the members of a key are from `kty`: an RSA key of 4,096 bits takes 5 KB. */
const farthest = 8192

/** Finds the private members of JSON web keys, and of RSA keys in XML. */
export const scanWebKeys = (scan: Scan): void => {
  const { text } = scan
  if (scan.mayHold("kty")) {
    let done = 0
    for (let at = text.indexOf("kty"); at !== -1; at = text.indexOf("kty", at + 3)) {
      const from = Math.max(done, at - farthest)
      const to = Math.min(text.length, at + farthest)
      // Behind the name a quote or a colon; the rest of this piece has been read with an earlier one.
      if (to <= done || !/^\\{0,7}["']?\s{0,4}:/.test(text.slice(at + 3, at + 16))) continue
      scan.work.left -= to - from
      if (scan.work.left < 0) return
      addAll(scan, member, from, to)
      done = to
    }
  }
  if (scan.mayHold("<Modulus>")) {
    scan.work.left -= text.length
    addAll(scan, element, 0, text.length)
  }
}

const addAll = (scan: Scan, pattern: RegExp, from: number, to: number): void => {
  for (const hit of scan.text.slice(from, to).matchAll(pattern)) {
    const value = (hit[2] ?? hit[1] ?? "").trim()
    const start = from + hit.index + hit[0].lastIndexOf(value)
    scan.add(start, start + value.length, "private-key")
  }
}
