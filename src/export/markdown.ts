import { ArchivedEvent } from "../domain/event.ts"
import type { Manifest } from "../domain/manifest.ts"
import { providerTitles } from "../domain/provider.ts"
import { usageTotals } from "../recorder/usageTotals.ts"
import type { Exporter } from "./Exporter.ts"
import { formatDuration, formatTokens } from "./format.ts"

/** Bytes of one block: a person reads the beginning, the archive keeps the rest. */
const blockLength = 4_000

/** The session as a document: its turns, prompts, answers, tools with outcome and duration, and its usage. */
export const markdown = (): Exporter => {
  let turn: string | undefined
  let turns = 0
  const usage: Array<ArchivedEvent> = []
  return {
    begin: (manifest) => heading(manifest),
    event: (event) => {
      if (event.kind === "turn_usage") usage.push(event)
      const text = describe(event)
      if (text === undefined) return ""
      if (event.turn_id === undefined || event.turn_id === turn) return text
      turn = event.turn_id
      turns++
      return `\n## Turn ${turns}\n${text}`
    },
    end: () => usageTable(usage)
  }
}

const heading = (manifest: Manifest): string => {
  const rows: ReadonlyArray<readonly [string, string]> = [
    ["Session", manifest.session_id],
    ["Agent", [providerTitles[manifest.provider], manifest.provider_version ?? ""].join(" ").trim()],
    ["Started", manifest.started_at],
    ["Ended", manifest.ended_at ?? "not yet"],
    ["Status", manifest.status],
    ["Mode", manifest.recording_mode],
    ["Project", manifest.project_root],
    ["Revision", manifest.repository_revision ?? "none"],
    ["Redaction", manifest.redaction_policy ?? "unknown"]
  ]
  const table = rows.map(([name, value]) => `| ${name} | ${cell(value)} |`).join("\n")
  return `# Session ${inline(manifest.session_id)}\n\n| | |\n| --- | --- |\n${table}\n`
}

const describe = (event: ArchivedEvent): string | undefined =>
  ArchivedEvent.match(event, {
    session_start: (e) =>
      `\n*Session began${e.payload.source === undefined ? "" : ` (${inline(e.payload.source)})`}.*\n`,
    session_end: (e) => `\n*Session ended${e.payload.reason === undefined ? "" : ` (${inline(e.payload.reason)})`}.*\n`,
    user_prompt: (e) =>
      `\n**${e.payload.origin === "user" ? "User" : `Prompt (${e.payload.origin})`}**\n\n${quote(e.payload.text)}\n`,
    assistant_message: (e) =>
      `\n**Assistant**${e.payload.error === undefined ? "" : ` (${inline(e.payload.error)})`}\n\n${quote(e.payload.text)}\n`,
    tool_call: (e) => `\n**${inline(e.payload.tool_name)}**\n${block(e.payload.input)}`,
    tool_result: (e) =>
      `\n**${inline(e.payload.tool_name)}**: succeeded${duration(e.payload.duration_ms)}\n${block(e.payload.response)}`,
    tool_error: (e) =>
      `\n**${inline(e.payload.tool_name)}**: ${e.payload.outcome}${duration(e.payload.duration_ms)}\n${block(e.payload.error)}`,
    compaction: (e) => `\n*Compaction, ${e.payload.phase}.*\n${block(e.payload.summary)}`,
    subagent_start: (e) => `\n*Subagent ${inline(e.payload.agent_type ?? "")} began.*\n`,
    subagent_stop: (e) => `\n*Subagent ${inline(e.payload.agent_type ?? "")} ended.*\n${block(e.payload.text)}`,
    turn_usage: () => undefined,
    context_injected: (e) => `\n*${e.payload.record_ids.length} memories injected, ${e.payload.bytes} bytes.*\n`,
    provider_event: (e) => `\n*${inline(e.payload.name)}*\n`
  })

const duration = (milliseconds: number | undefined): string =>
  milliseconds === undefined ? "" : `, ${formatDuration(milliseconds)}`

/** Text of a session in a paragraph of ours: nothing in it may become markup. */
const inline = (text: string): string => text.replace(/[\r\n]+/g, " ").replace(/[\\`*_{}[\]<>#|!]/g, "\\$&")
const cell = inline
const quote = (text: string): string =>
  shorten(text)
    .split("\n")
    .map((line) => `> ${line.replace(/</g, "\\<")}`)
    .join("\n")

/** A fenced block whose fence is longer than any in its content. */
const block = (value: unknown): string => {
  if (value === undefined || value === "") return ""
  const text = shorten(typeof value === "string" ? value : JSON.stringify(value, undefined, 2))
  const longest = [...text.matchAll(/`{3,}/g)].reduce((length, [run]) => Math.max(length, run.length), 2)
  const fence = "`".repeat(longest + 1)
  return `\n${fence}\n${text}\n${fence}\n`
}

const shorten = (text: string): string =>
  text.length <= blockLength
    ? text
    : `${text.slice(0, blockLength)}\n[${text.length - blockLength} more characters in the archive]`

const usageTable = (events: ReadonlyArray<ArchivedEvent>): string => {
  const totals = Object.entries(usageTotals(events))
  if (totals.length === 0) return "\n## Usage\n\nNot observed.\n"
  const rows = totals.map(([source, tokens]) => `| ${source} | ${formatTokens(tokens)} |`).join("\n")
  return `\n## Usage\n\n| Source | Tokens |\n| --- | --- |\n${rows}\n`
}
