import { ArchivedEvent } from "../domain/event.ts"

/** Code units of a summary: a line of a wide terminal. */
const longest = 300

/** The one line that tells what an event is about, from its recorded and redacted content; "" when its kind says all. White space is one space. */
export const eventSummary = (event: ArchivedEvent): string =>
  ArchivedEvent.match(event, {
    session_start: ({ payload }) => words(payload.source, payload.model, payload.permission_mode),
    session_end: ({ payload }) => words(payload.reason),
    user_prompt: ({ payload }) => words(payload.origin === "user" ? undefined : `(${payload.origin})`, payload.text),
    assistant_message: ({ payload }) => words(payload.error, payload.text),
    tool_call: ({ payload }) => words(callOf(payload.input)),
    tool_result: ({ payload }) => words(callOf(payload.input)),
    tool_error: ({ payload }) => words(payload.outcome, textOf(payload.error)),
    compaction: ({ payload }) => words(payload.phase, payload.trigger),
    subagent_start: ({ payload }) => words(payload.agent_type, payload.text),
    subagent_stop: ({ payload }) => words(payload.agent_type, payload.text),
    turn_usage: ({ payload }) => words(payload.messages.at(-1)?.model, `${payload.messages.length} messages`),
    context_injected: ({ payload }) => words(`${payload.record_ids.length} memories`, `${payload.bytes} bytes`),
    provider_event: ({ payload }) => words(payload.name, textOf(payload.fields))
  })

/** The tool that an event is about, or the name of a provider's own event; null for others. */
export const toolOf = (event: ArchivedEvent): string | null =>
  event.kind === "tool_call" || event.kind === "tool_result" || event.kind === "tool_error"
    ? event.payload.tool_name
    : null

const words = (...parts: ReadonlyArray<string | undefined>): string =>
  parts
    .filter((part) => part !== undefined)
    .map((part) => part.slice(0, longest * 4))
    .join(" ")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, longest)
    // Half of a pair, where the cut fell into one.
    .replace(/[\ud800-\udbff]$/, "")

/** What agents call the one argument that says what a call does. */
const telling = [
  "command",
  "cmd",
  "file_path",
  "path",
  "absolute_path",
  "pattern",
  "query",
  "url",
  "prompt",
  "description"
]

const callOf = (input: unknown): string | undefined => {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return textOf(input)
  const fields: Readonly<Record<string, unknown>> = { ...input }
  const name = telling.find((key) => typeof fields[key] === "string" || Array.isArray(fields[key]))
  const value = name === undefined ? input : fields[name]
  return Array.isArray(value) ? value.map(String).join(" ") : textOf(value)
}

const textOf = (value: unknown): string | undefined =>
  value === undefined || value === null ? undefined : typeof value === "string" ? value : JSON.stringify(value)
