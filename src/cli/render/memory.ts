import { counted } from "../../domain/counted.ts"
import type { RevisionStatus } from "../../domain/memory.ts"
import type { Memory, MemoryStats } from "../../memory/memoryAnswers.ts"
import { faultWords } from "../../memory/segmentFaults.ts"
import { wordsBehind } from "../../memory/terms.ts"
import { renderTable } from "./table.ts"
import { plain, type Styles } from "./text.ts"

export type ShownMemory = Memory & { readonly revision_status: RevisionStatus }

/** Text of a memory with its lines, each made plain. */
const lines = (text: string, indent: string): string =>
  text
    .split("\n")
    .map((line) => `${indent}${plain(line)}\n`)
    .join("")

export const renderMemoryList = (memories: ReadonlyArray<ShownMemory>, columns: number): string =>
  renderTable(
    memories,
    [
      { title: "Memory", value: ({ id }) => id.slice(0, 14) },
      { title: "Made", value: ({ created }) => created.slice(0, 16).replace("T", " "), spare: 1 },
      { title: "Kind", value: ({ kind }) => kind, spare: 2 },
      { title: "Text", value: ({ text }) => text.replace(/\s+/g, " "), least: 12 }
    ],
    columns
  )

const titleOf = (memory: ShownMemory, style: Styles): string =>
  `${style.bold(plain(memory.id))}  ${memory.kind} of ${plain(memory.session_id)}, ${memory.created.slice(0, 10)}, revision ${memory.revision_status}\n`

export const renderHits = (
  hits: ReadonlyArray<{
    readonly memory: ShownMemory
    readonly excerpt: string
    readonly score: number
    readonly matched: ReadonlyArray<string>
  }>,
  query: string,
  style: Styles
): string =>
  hits
    .map(
      ({ memory, excerpt, score, matched }) =>
        `${titleOf(memory, style)}${lines(excerpt, "  ")}  ${style.dim(`score ${score.toFixed(2)}; found: ${plain(wordsBehind(query, matched).join(", "))}`)}\n`
    )
    .join("\n")

export const renderMemory = (memory: ShownMemory, style: Styles): string => {
  const facts: ReadonlyArray<readonly [string, string | undefined]> = [
    ["Source", memory.source],
    ["Branch", memory.branch ?? undefined],
    ["Commit", memory.revision ?? undefined],
    ["Superseded by", memory.superseded_by ?? undefined]
  ]
  const told = facts.flatMap(([name, value]) =>
    value === undefined ? [] : [`  ${style.dim(name)}  ${plain(value)}\n`]
  )
  return `${titleOf(memory, style)}${told.join("")}\n${lines(memory.text, "  ")}`
}

const size = (bytes: number): string =>
  bytes < 1024
    ? `${bytes} B`
    : bytes < 1024 ** 2
      ? `${(bytes / 1024).toFixed(1)} KiB`
      : `${(bytes / 1024 ** 2).toFixed(1)} MiB`

export const renderStats = (
  all: ReadonlyArray<{ readonly provider: string; readonly path: string; readonly stats: MemoryStats }>
): string =>
  all
    .map(({ provider, path, stats }) => {
      const kinds = stats.kinds.map(({ kind, count }) => `${count} ${kind}`).join(", ")
      return [
        `${provider}  ${counted(stats.records, "memory", "memories")} of ${counted(stats.sessions, "session")}${kinds === "" ? "" : ` (${kinds})`}\n`,
        `  ${plain(path)}\n`,
        `  segments ${stats.segments}, ${size(stats.segment_bytes)}; index ${size(stats.index_bytes)}`,
        `${stats.superseded > 0 ? `; ${stats.superseded} superseded` : ""}\n`,
        ...[faultWords(stats)].flatMap((words) => (words === undefined ? [] : [`  ${words}\n`]))
      ].join("")
    })
    .join("\n")
