/** A fenced block of a Markdown file. */
export interface Fence {
  /** What stands behind the opening fence: `sh`, `sh check`, `json`, ... */
  readonly info: string
  readonly text: string
  /** Of the opening fence, from 1. */
  readonly line: number
}

export interface Link {
  readonly target: string
  readonly line: number
}

export interface Document {
  readonly fences: ReadonlyArray<Fence>
  readonly links: ReadonlyArray<Link>
  /** What a link may name behind `#`. */
  readonly anchors: ReadonlySet<string>
}

/** Reads what the tests need of a Markdown file (CommonMark's fenced blocks, links and headings, as GitHub shows them). */
export const readMarkdown = (text: string): Document => {
  const fences: Array<Fence> = []
  const links: Array<Link> = []
  const anchors = new Set<string>()
  let open:
    | { readonly fence: string; readonly info: string; readonly line: number; readonly lines: Array<string> }
    | undefined
  for (const [at, line] of text.split("\n").entries()) {
    const fence = /^\s*(`{3,}|~{3,})\s*(.*)$/.exec(line)
    if (open !== undefined) {
      if (fence !== null && (fence[1] ?? "").startsWith(open.fence) && fence[2] === "") {
        fences.push({ info: open.info, text: open.lines.join("\n"), line: open.line })
        open = undefined
      } else open.lines.push(line)
      continue
    }
    if (fence !== null) {
      open = { fence: fence[1] ?? "", info: (fence[2] ?? "").trim(), line: at + 1, lines: [] }
      continue
    }
    const heading = /^#{1,6}\s+(.*?)\s*#*$/.exec(line)
    if (heading !== null) anchors.add(freshAnchor(slug(heading[1] ?? ""), anchors))
    const prose = line.replace(/`[^`]*`/g, "")
    for (const [, target] of prose.matchAll(/!?\[[^\]]*\]\(([^()\s]+)(?:\s+"[^"]*")?\)/g)) {
      if (target !== undefined) links.push({ target, line: at + 1 })
    }
    for (const [, target] of prose.matchAll(/<(?:img|source|a)\b[^>]*?\b(?:src|srcset|href)="([^"\s]+)"/g)) {
      if (target !== undefined) links.push({ target, line: at + 1 })
    }
  }
  if (open !== undefined) throw new Error(`the block that begins at line ${open.line} has no end`)
  return { fences, links, anchors }
}

/** GitHub's: lower case, without punctuation, spaces as hyphens. */
const slug = (heading: string): string =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, "")
    .trim()
    .replaceAll(" ", "-")

const freshAnchor = (wanted: string, taken: ReadonlySet<string>): string => {
  if (!taken.has(wanted)) return wanted
  for (let count = 1; ; count++) if (!taken.has(`${wanted}-${count}`)) return `${wanted}-${count}`
}

/** A command of an `sh` block with what is said of its outcome. */
export interface Example {
  readonly command: string
  /** Texts that it must print. */
  readonly prints: ReadonlyArray<string>
  readonly exitCode: number
}

/**
 * The commands of an `sh` block. Behind one, `# => text` says what it prints, and `# => exit code N` how it ends; other comments are for the reader.
 */
export const examplesIn = (text: string): ReadonlyArray<Example> => {
  const examples: Array<{ command: string; prints: Array<string>; exitCode: number }> = []
  let waiting: { lines: Array<string>; until: string | undefined } | undefined
  for (const line of text.split("\n")) {
    if (waiting !== undefined) {
      waiting.lines.push(line)
      const ended: boolean = waiting.until === undefined ? !line.endsWith("\\") : line === waiting.until
      if (ended) {
        examples.push({ command: waiting.lines.join("\n"), prints: [], exitCode: 0 })
        waiting = undefined
      }
      continue
    }
    const expected = /^\s*# => (.*)$/.exec(line)?.[1]
    const last = examples.at(-1)
    if (expected !== undefined) {
      if (last === undefined) throw new Error(`"${line}" stands behind no command`)
      const code = /^exit code (\d+)$/.exec(expected)?.[1]
      if (code === undefined) last.prints.push(expected)
      else last.exitCode = Number(code)
      continue
    }
    if (line.trim() === "" || line.trimStart().startsWith("#")) continue
    const here = /<<-?\s*['"]?(\w+)['"]?/.exec(line)?.[1]
    if (here !== undefined || line.endsWith("\\")) waiting = { lines: [line], until: here }
    else examples.push({ command: line, prints: [], exitCode: 0 })
  }
  if (waiting !== undefined) throw new Error(`"${waiting.lines[0]}" has no end`)
  return examples
}
