import { isPlaceholder } from "./literals.ts"
import type { Scan } from "./scan.ts"

const kind = /kind\\*["']?\s*:\s*\\*["']?(?:Sealed)?Secret\b/g

/** Finds every value of a Kubernetes Secret: there the keys may be called anything. */
export const scanKubernetesSecrets = (scan: Scan): void => {
  const { text } = scan
  for (let at = text.indexOf("Secret"); at !== -1; at = text.indexOf("Secret", at + 6)) {
    if (!text.slice(Math.max(0, at - farthestKind), at).includes("kind")) continue
    scanDocuments(scan)
    return
  }
}

/** As far as blanks, quotes and `Sealed` between the two are read; more of them stand in no manifest. */
const farthestKind = 64

// What a document begins with, or stands behind. The keys of one that a program wrote are in order: apiVersion, data, kind.
const openings = ["\n---", "\n\n", "apiVersion"]
/** A document ends before the next one, and where a text goes on behind an empty line. */
const closings = /\n---|\n\n(?=\S)|\n[^\n]{0,16}\bkind\b/

/** Whether a word or a backtick stands before `kind` on its line: what follows is prose. */
const isInSentence = (text: string, at: number): boolean => {
  const before = text.slice(Math.max(0, at - 120), at).replace(/\\*["']?$/, "")
  const line = before.slice(before.lastIndexOf("\n") + 1)
  return /(?:[A-Za-z][ \t]+|`)$/.test(line) && !/\\n[ \t]*$/.test(line)
}

const scanDocuments = (scan: Scan): void => {
  const { text } = scan
  kind.lastIndex = 0
  let done = 0
  for (let hit = scan.next(kind); hit !== null; hit = scan.next(kind)) {
    scan.work.left -= 64
    if (scan.work.left < 0) return
    if (/SealedSecret/.test(hit[0]) || isInSentence(text, hit.index)) continue
    const before = Math.max(done, hit.index - 16_384)
    const earlier = text.slice(before, hit.index)
    const opening = Math.max(...openings.map((sign) => earlier.lastIndexOf(sign)))
    const from = opening === -1 ? before : before + opening
    const closing = text.slice(hit.index, hit.index + 65_536).search(closings)
    const to = closing === -1 ? Math.min(text.length, hit.index + 65_536) : hit.index + closing
    scan.work.left -= to - from
    scanYamlData(scan, from, to)
    scanJsonData(scan, from, to)
    kind.lastIndex = to
    done = to
  }
}

const yamlData = /(?:^|\n|\\n)([ \t]*)(?:data|stringData):[ \t]*(?:\r?\n|\\n)/g
const yamlEntry =
  /([ \t]*)(["']?[\w.-]{1,200}["']?):[ \t]+(?:([|>][+-]?)[ \t]*(?:\r?\n|\\n)|(["']?)((?:[^\n\\]|\\(?!n))*?)\4[ \t]*(?:\r?\n|\\n|$))/y

const scanYamlData = (scan: Scan, from: number, to: number): void => {
  const text = scan.text.slice(from, to)
  yamlData.lastIndex = 0
  for (let hit = yamlData.exec(text); hit !== null; hit = yamlData.exec(text)) {
    const indent = (hit[1] ?? "").length
    let at = yamlData.lastIndex
    for (;;) {
      yamlEntry.lastIndex = at
      const entry = yamlEntry.exec(text)
      const own = (entry?.[1] ?? "").length
      if (entry === null || own <= indent) break
      if (entry[3] !== undefined) {
        const start = yamlEntry.lastIndex
        const body = /^(?:[ \t]*(?:\r?\n|\\n)|[ \t]+[^\n]*(?:\r?\n|$))+/.exec(text.slice(start))
        const lines = (body?.[0] ?? "").split("\n")
        let length = 0
        for (const line of lines) {
          if (line.trim() !== "" && line.search(/\S/) <= own) break
          length += line.length + 1
        }
        length = Math.min(length, body?.[0].length ?? 0)
        const value = text.slice(start, start + length).trimEnd()
        if (value.trim() !== "")
          scan.add(from + start + value.search(/\S/), from + start + value.length, "kubernetes-secret")
        at = Math.min(text.length, start + length)
      } else {
        const value = entry[5] ?? ""
        const start = entry.index + entry[0].indexOf(value, (entry[1] ?? "").length + (entry[2] ?? "").length + 1)
        if (value.length > 0 && !isPlaceholder(value))
          scan.add(from + start, from + start + value.length, "kubernetes-secret")
        at = yamlEntry.lastIndex
      }
      if (at >= text.length || at === entry.index) break
    }
    yamlData.lastIndex = Math.max(at, hit.index + 1)
  }
}

const jsonData = /(\\*")(?:data|stringData)\1\s*:\s*\{/g
const jsonEntry = /(?:\s|\\n)*(\\*")[\w.-]{1,200}\1\s*:\s*\1/y

const scanJsonData = (scan: Scan, from: number, to: number): void => {
  const text = scan.text.slice(from, to)
  jsonData.lastIndex = 0
  for (let hit = jsonData.exec(text); hit !== null; hit = jsonData.exec(text)) {
    let at = jsonData.lastIndex
    for (;;) {
      jsonEntry.lastIndex = at
      const entry = jsonEntry.exec(text)
      if (entry === null) break
      const start = jsonEntry.lastIndex
      const end = text.indexOf(entry[1] ?? '"', start)
      if (end === -1) break
      if (end > start && !isPlaceholder(text.slice(start, end))) scan.add(from + start, from + end, "kubernetes-secret")
      at = end + (entry[1] ?? "").length
      if (text.charAt(at) === ",") at++
    }
  }
}
