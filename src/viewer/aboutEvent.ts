import { type Gap, gapName } from "../archive/gap.ts"
import { counted, eventRange } from "../domain/counted.ts"
import type { ArchivedEvent } from "../domain/event.ts"
import type { Manifest } from "../domain/manifest.ts"
import { commonToolName } from "../domain/toolNames.ts"
import { formatBytes } from "../export/format.ts"
import type { Entry, Outcome } from "./document.ts"
import { inputSummary, oneLine } from "./summary.ts"

/** What an entry says of its event, apart from when and where it happened. A summary may be empty. */
export const aboutEvent = (
  event: ArchivedEvent,
  session: Pick<Manifest, "provider" | "project_root">
): Pick<Entry, "kind" | "name" | "tool" | "summary" | "outcome" | "duration_ms"> => {
  switch (event.kind) {
    case "session_start":
      return { kind: "start", name: event.payload.source ?? "", summary: event.payload.model ?? "" }
    case "session_end":
      return { kind: "end", name: event.payload.reason ?? "" }
    case "user_prompt":
      return { kind: "prompt", name: event.payload.origin, summary: oneLine(event.payload.text) }
    case "assistant_message": {
      const { text, error } = event.payload
      const failure = error === undefined ? undefined : ({ name: error, outcome: "failed" } as const)
      return { kind: "answer", summary: oneLine(text), ...failure }
    }
    case "tool_call":
    case "tool_result":
    case "tool_error": {
      const { tool_name, input } = event.payload
      const duration_ms = event.kind === "tool_call" ? undefined : event.payload.duration_ms
      return {
        kind: "tool",
        name: tool_name,
        tool: commonToolName(session.provider, tool_name),
        summary: inputSummary(input, session.project_root),
        outcome: outcomeOf(event),
        ...(duration_ms === undefined ? undefined : { duration_ms })
      }
    }
    case "compaction": {
      const { phase, summary, trigger } = event.payload
      return { kind: "compaction", name: phase, summary: oneLine(summary ?? trigger ?? "") }
    }
    case "subagent_start":
      return { kind: "subagent", name: "began", summary: oneLine(event.payload.text ?? "") }
    case "subagent_stop":
      return { kind: "subagent", name: "ended", summary: oneLine(event.payload.text ?? "") }
    case "turn_usage": {
      const { source, messages } = event.payload
      return { kind: "usage", name: source, summary: `${counted(messages.length, "message")}, as told by ${source}` }
    }
    case "context_injected": {
      const { bytes, record_ids, milliseconds } = event.payload
      const summary = oneLine(`${formatBytes(bytes)}: ${record_ids.join(", ")}`)
      return { kind: "context", summary, duration_ms: milliseconds }
    }
    case "provider_event": {
      const { name, fields } = event.payload
      return name === gapName
        ? { kind: "gap", name, summary: gapSummary(fields as Gap) }
        : { kind: "notice", name, summary: inputSummary(fields, session.project_root) }
    }
  }
}

/** A call, or what ended one. */
export type ToolEvent = Extract<ArchivedEvent, { readonly kind: "tool_call" | "tool_result" | "tool_error" }>

/** How a call ended, as far as one event of it tells. */
export const outcomeOf = (event: ToolEvent): Outcome => {
  if (event.kind === "tool_call") return "unresolved"
  return event.kind === "tool_result" ? "succeeded" : event.payload.outcome
}

/** What a gap is, for a person. Its fields came from a file, so they may be anything. */
const gapSummary = (gap: Partial<Gap> | undefined): string => {
  switch (gap?.cause) {
    case "spooled":
      return `${counted(numberOf(gap.events), "event")} right before came later than they happened`
    case "missing":
      return `${eventRange(numberOf(gap.from), numberOf(gap.to), ["is gone, though it", "are gone, though they"])} had been written`
    case "manifest":
      return "manifest.json was changed by somebody else before this"
    default:
      return ""
  }
}

const numberOf = (value: unknown): number => (typeof value === "number" ? value : 0)
