import type { Entry, EntryKind, Outcome } from "../document.ts"

/** What kinds of entries are called where they are chosen. */
export const kindTitles: Readonly<Record<EntryKind, string>> = {
  prompt: "Prompts",
  answer: "Answers",
  tool: "Tool calls",
  subagent: "Subagents",
  compaction: "Compactions",
  context: "Context injected",
  usage: "Token counts",
  notice: "Notices",
  start: "Starts",
  end: "Ends",
  gap: "Gaps",
  damage: "Damage"
}

export const outcomeTitles: Readonly<Record<Outcome, string>> = {
  succeeded: "succeeded",
  failed: "failed",
  denied: "denied",
  invalid: "invalid",
  interrupted: "interrupted",
  unresolved: "no end recorded"
}

const origins: Readonly<Record<string, string>> = {
  user: "Prompt",
  "task-notification": "Task notification",
  expansion: "Expanded command",
  subagent: "Prompt of a subagent",
  retry: "Prompt, sent again",
  injected: "Injected prompt"
}

/** What an entry is, in a few words: its heading. */
export const entryTitle = (entry: Entry): string => {
  switch (entry.kind) {
    case "start":
      return "Session began"
    case "end":
      return "Session ended"
    case "prompt":
      return origins[entry.name ?? "user"] ?? "Prompt"
    case "answer":
      return entry.outcome === "failed" ? "Answer, with an error" : "Answer"
    case "tool":
      return entry.name ?? "Tool"
    case "subagent":
      return entry.name === "ended" ? "Subagent ended" : "Subagent began"
    case "compaction":
      return entry.name === "after" ? "Context compacted" : "Compaction begins"
    case "context":
      return "Memories injected"
    case "usage":
      return "Token counts"
    case "notice":
      return entry.name ?? "Notice"
    case "gap":
      return "Recording gap"
    case "damage":
      return "Damaged piece of the log"
  }
}

/** `0:04.2`, `12:08.0`, `1:02:08`: time since the beginning of the session. */
export const clock = (milliseconds: number): string => {
  const sign = milliseconds < 0 ? "−" : ""
  const seconds = Math.abs(milliseconds) / 1_000
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0")
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60)
    return `${sign}${minutes}:${(Math.floor(seconds * 10) / 10 - minutes * 60).toFixed(1).padStart(4, "0")}`
  return `${sign}${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`
}

/** `1,234`. */
export const number = (value: number): string => value.toLocaleString("en-US")

/** `812`, `1.2 k`, `3.4 M`. */
export const short = (value: number): string => {
  if (value < 1_000) return String(value)
  if (value < 999_500) return `${(value / 1_000).toFixed(value < 9_950 ? 1 : 0)} k`
  return `${(value / 1_000_000).toFixed(value < 9_950_000 ? 1 : 0)} M`
}
