import { counted } from "../domain/counted.ts"
import { ArchivedEvent } from "../domain/event.ts"
import type { Manifest, SessionStatus } from "../domain/manifest.ts"
import { providerTitles } from "../domain/provider.ts"
import { unreadTranscripts } from "../recorder/unreadTranscripts.ts"
import { usageTotals } from "../recorder/usageTotals.ts"
import type { Exporter } from "./Exporter.ts"
import { endless, formatDuration, formatTokens, unreadWords } from "./format.ts"

/** UTF-16 units of one block: a person reads the beginning, the archive keeps the rest. */
const blockLength = 4_000

/**
 * The session as a document: its turns, prompts, answers, tools with outcome and duration, and its usage. A call and its end have the number of the
 * call's event, since calls that run at once end in any order.
 *
 * @param status as a person should see it; that of the manifest when absent
 */
export const markdown = (status?: SessionStatus): Exporter => {
  let turn: string | undefined
  let turns = 0
  const usage: Array<ArchivedEvent> = []
  const open = new Map<string, OpenCall>()
  return {
    begin: (manifest) => heading(manifest, status ?? manifest.status),
    event: (event) => {
      if (event.kind === "turn_usage") usage.push(event)
      const id = event.provider_ids?.tool_use_id
      if (event.kind === "tool_call" && id !== undefined) {
        open.set(id, { sequence: event.sequence, tool: event.payload.tool_name })
      }
      const text = describe(event, id === undefined ? undefined : open.get(id))
      if (id !== undefined && (event.kind === "tool_result" || event.kind === "tool_error")) open.delete(id)
      if (text === undefined) return ""
      if (event.turn_id === undefined || event.turn_id === turn) return text
      turn = event.turn_id
      turns++
      return `\n## Turn ${turns}\n${text}`
    },
    end: () => withoutEnd([...open.values()]) + usageTable(usage)
  }
}

/** A call that has not ended as far as the log was read. */
interface OpenCall {
  readonly sequence: number
  readonly tool: string
}

const withoutEnd = (calls: ReadonlyArray<OpenCall>): string =>
  calls.length === 0
    ? ""
    : `\n## Calls without an end\n\n${calls.map((call) => `- ${inline(call.tool)} (event ${call.sequence})`).join("\n")}\n`

const heading = (manifest: Manifest, status: SessionStatus): string => {
  const rows: ReadonlyArray<readonly [string, string]> = [
    ["Session", manifest.session_id],
    ["Agent", [providerTitles[manifest.provider], manifest.provider_version ?? ""].join(" ").trim()],
    ["Started", manifest.started_at],
    ["Ended", manifest.ended_at ?? endless(status)],
    ["Status", status],
    ["Mode", manifest.recording_mode],
    ["Project", manifest.project_root],
    ["Revision", manifest.repository_revision ?? "none"],
    ["Redaction", manifest.redaction_policy ?? "unknown"]
  ]
  const table = rows.map(([name, value]) => `| ${name} | ${cell(value)} |`).join("\n")
  return `# Session ${inline(manifest.session_id)}\n\n| | |\n| --- | --- |\n${table}\n`
}

const describe = (event: ArchivedEvent, call: OpenCall | undefined): string | undefined =>
  ArchivedEvent.match(event, {
    session_start: (e) =>
      `\n*Session began${e.payload.source === undefined ? "" : ` (${inline(e.payload.source)})`}.*\n`,
    session_end: (e) => `\n*Session ended${e.payload.reason === undefined ? "" : ` (${inline(e.payload.reason)})`}.*\n`,
    user_prompt: (e) =>
      `\n**${e.payload.origin === "user" ? "User" : `Prompt (${e.payload.origin})`}**\n\n${quote(e.payload.text)}\n`,
    assistant_message: (e) =>
      `\n**Assistant**${e.payload.error === undefined ? "" : ` (${inline(e.payload.error)})`}\n\n${quote(e.payload.text)}\n`,
    tool_call: (e) => `\n${tool(e.payload.tool_name, e.sequence)}\n${block(e.payload.input)}`,
    tool_result: (e) =>
      `\n${tool(e.payload.tool_name, call?.sequence)}: succeeded${duration(e.payload.duration_ms)}\n${block(e.payload.response)}`,
    tool_error: (e) =>
      `\n${tool(e.payload.tool_name, call?.sequence)}: ${e.payload.outcome}${duration(e.payload.duration_ms)}\n${block(e.payload.error)}`,
    compaction: (e) => `\n*Compaction, ${e.payload.phase}.*\n${block(e.payload.summary)}`,
    subagent_start: (e) => `\n*Subagent ${inline(e.payload.agent_type ?? "")} began.*\n`,
    subagent_stop: (e) => `\n*Subagent ${inline(e.payload.agent_type ?? "")} ended.*\n${block(e.payload.text)}`,
    turn_usage: () => undefined,
    context_injected: ({ payload: { record_ids, bytes } }) =>
      `\n*${counted(record_ids.length, "memory", "memories")} injected, ${counted(bytes, "byte")}.*\n`,
    provider_event: (e) => `\n*${inline(e.payload.name)}*\n`
  })

const tool = (name: string, event: number | undefined): string =>
  `**${inline(name)}**${event === undefined ? "" : ` (event ${event})`}`

const duration = (milliseconds: number | undefined): string =>
  milliseconds === undefined ? "" : `, ${formatDuration(milliseconds)}`

/**
 * Text of a session with line breaks of one kind, since each other kind would be one too and end a quotation; without what a terminal obeys or what turns
 * the direction of writing, since the document is for reading.
 */
const readable = (text: string): string =>
  text
    .replace(/\r\n?|[\u2028\u2029]/g, "\n")
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd")

/** Text of a session in a paragraph of ours: nothing in it may become markup. */
const inline = (text: string): string =>
  readable(text)
    .replace(/\n+/g, " ")
    .replace(/[\\`*_{}[\]<>#|!]/g, "\\$&")
const cell = inline
/** Text of the session as it was meant, but that it brings no HTML, and no image: to look at it must not ask a server for one. */
const quote = (text: string): string =>
  shorten(text === "" ? "(no text)" : readable(text))
    .split("\n")
    .map((line) => `> ${line.replace(/</g, "\\<").replace(/!(?=\[)/g, "\\!")}`)
    .join("\n")

/** A fenced block whose fence is longer than any in its content. */
const block = (value: unknown): string => {
  if (value === undefined || value === "") return ""
  const text = shorten(readable(typeof value === "string" ? value : JSON.stringify(value, undefined, 2)))
  const longest = [...text.matchAll(/`{3,}/g)].reduce((length, [run]) => Math.max(length, run.length), 2)
  const fence = "`".repeat(longest + 1)
  return `\n${fence}\n${text}\n${fence}\n`
}

const shorten = (text: string): string => {
  if (text.length <= blockLength) return text
  // Never through the middle of a character.
  const end = text.codePointAt(blockLength - 1) === text.charCodeAt(blockLength - 1) ? blockLength : blockLength - 1
  return `${text.slice(0, end)}\n[${text.length - end} more characters in the archive]`
}

const usageTable = (events: ReadonlyArray<ArchivedEvent>): string => {
  const totals = Object.entries(usageTotals(events))
  const transcripts = unreadTranscripts()
  for (const event of events) transcripts.add(event)
  const short = transcripts.end().length
  const more = short === 0 ? "" : `\n${unreadWords(short)}: what stands there is not counted.\n`
  if (totals.length === 0) return `\n## Usage\n\nNot observed.\n${more}`
  const rows = totals.map(([source, tokens]) => `| ${source} | ${formatTokens(tokens)} |`).join("\n")
  return `\n## Usage\n\n| Source | Tokens |\n| --- | --- |\n${rows}\n${totals.length === 1 ? "" : "\nThe sources tell of the same requests: they do not add up.\n"}${more}`
}
