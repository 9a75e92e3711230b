import type { DraftEvent, MessageUsage, ProviderIds } from "../../domain/event.ts"
import { isObject } from "../../domain/jsonObject.ts"
import { parseLine } from "../transcriptLines.ts"
import type { WholeTranscriptReader } from "../WholeTranscript.ts"
import { outcomeOfAnswer } from "./batch.ts"
import { tokensOf } from "./tokens.ts"

type Entry = Readonly<Record<string, unknown>>

/** Messages of one turn_usage event: an event's arrays end at 128 items. */
const mostMessages = 100

/**
 * A transcript of Claude Code (2.1.197 and 2.1.332): one line per content block, in the order of the conversation. Thinking is left out, and what the
 * agent keeps for itself (attachments, request shapes, costs).
 *
 * @param agentId set for the transcript of a subagent, `agent-<id>.jsonl`
 */
export const claudeWholeTranscript = (agentId: string | undefined): WholeTranscriptReader => {
  let sessionId: string | undefined
  let version: string | undefined
  let cwd: string | undefined
  let branch: string | undefined
  let trigger: string | undefined
  let started = false
  const names = new Map<string, string>()
  const usage = new Map<string, MessageUsage>()

  const envelope = (entry: Entry, ids: ProviderIds = {}) => {
    const agent = agentId ?? (entry.isSidechain === true ? textIn(entry.agentId) : undefined)
    const forked = isObject(entry.forkedFrom) ? textIn(entry.forkedFrom.sessionId) : undefined
    const providerIds = {
      ...ids,
      ...(agent === undefined ? undefined : { agent_id: agent }),
      ...(forked === undefined ? undefined : { forked_from: forked })
    }
    const turnId = textIn(entry.promptId)
    const time = timeOf(entry)
    return {
      ...(turnId === undefined ? {} : { turnId }),
      ...(Object.keys(providerIds).length === 0 ? {} : { providerIds }),
      ...(time === undefined ? {} : { timestamp: time })
    }
  }
  const takeUsage = (entry: Entry | undefined): ReadonlyArray<DraftEvent> => {
    const messages = [...usage.values()]
    usage.clear()
    const groups = Array.from({ length: Math.ceil(messages.length / mostMessages) }, (_, n) =>
      messages.slice(n * mostMessages, (n + 1) * mostMessages)
    )
    return groups.map((group) => ({
      kind: "turn_usage",
      payload: { source: "claude-transcript", messages: group },
      identity: ["usage", ...group.map((message) => message.message_id)],
      ...(entry === undefined ? timed(group.at(-1)?.time) : envelope(entry))
    }))
  }

  const user = (entry: Entry, content: unknown): ReadonlyArray<DraftEvent> => {
    const uuid = textIn(entry.uuid) ?? ""
    const blocks = Array.isArray(content) ? content.filter(isObject) : []
    const ends = blocks.flatMap((block): ReadonlyArray<DraftEvent> => {
      const id = textIn(block.tool_use_id)
      if (block.type !== "tool_result" || id === undefined) return []
      const tool_name = names.get(id) ?? "unknown"
      const common = { identity: ["tool_end", id], ...envelope(entry, { tool_use_id: id }) }
      if (block.is_error === true) {
        const outcome = outcomeOfAnswer(block.content) ?? "failed"
        return [{ kind: "tool_error", payload: { tool_name, outcome, error: block.content }, ...common }]
      }
      return [
        { kind: "tool_result", payload: { tool_name, response: entry.toolUseResult ?? block.content }, ...common }
      ]
    })
    if (ends.length > 0) return ends
    const text =
      typeof content === "string"
        ? content
        : blocks.flatMap(({ text }) => (typeof text === "string" ? [text] : [])).join("\n")
    if (text === "") return []
    if (entry.isCompactSummary === true) {
      const payload = { phase: "after" as const, summary: text, ...(trigger === undefined ? {} : { trigger }) }
      return [{ kind: "compaction", payload, identity: ["compaction", uuid], ...envelope(entry) }]
    }
    if (/^\[Request interrupted by user/.test(text)) {
      const payload = { name: "user_interrupt", fields: {} }
      return [{ kind: "provider_event", payload, identity: ["interrupt", uuid], ...envelope(entry) }]
    }
    return [
      ...takeUsage(entry),
      {
        kind: "user_prompt",
        payload: { text, origin: originOf(entry, text, agentId) },
        identity: ["prompt", uuid],
        ...envelope(entry)
      }
    ]
  }

  const assistant = (entry: Entry, message: Entry): ReadonlyArray<DraftEvent> => {
    const uuid = textIn(entry.uuid) ?? ""
    const blocks = Array.isArray(message.content) ? message.content.filter(isObject) : []
    if (entry.isApiErrorMessage === true || message.model === "<synthetic>") {
      const error = blocks.flatMap(({ text }) => (typeof text === "string" ? [text] : [])).join("\n")
      const payload = { text: "", final: true, error }
      return [{ kind: "assistant_message", payload, identity: ["answer", uuid], ...envelope(entry) }]
    }
    remember(entry, message)
    return blocks.flatMap((block): ReadonlyArray<DraftEvent> => {
      const id = textIn(block.id)
      const name = textIn(block.name)
      if (block.type === "tool_use" && id !== undefined && name !== undefined) {
        names.set(id, name)
        const payload = { tool_name: name, input: block.input }
        return [{ kind: "tool_call", payload, identity: ["tool_start", id], ...envelope(entry, { tool_use_id: id }) }]
      }
      const text = textIn(block.text)
      if (block.type !== "text" || text === undefined || text === "") return []
      const reason = textIn(message.stop_reason)
      const payload = { text, final: reason === "end_turn", ...(reason === undefined ? {} : { stop_reason: reason }) }
      return [{ kind: "assistant_message", payload, identity: ["answer", uuid], ...envelope(entry) }]
    })
  }
  /** Every block repeats the usage of its message; the last one counts. */
  const remember = (entry: Entry, message: Entry): void => {
    const id = textIn(message.id)
    const tokens = tokensOf(message.usage)
    if (id === undefined || tokens === undefined) return
    const model = textIn(message.model)
    const time = textIn(entry.timestamp)
    const agent = agentId ?? (entry.isSidechain === true ? textIn(entry.agentId) : undefined)
    const reason = textIn(message.stop_reason)
    usage.delete(id)
    usage.set(id, {
      message_id: id,
      ...(model === undefined ? {} : { model }),
      ...(time === undefined ? {} : { time }),
      ...(agent === undefined ? {} : { agent_id: agent }),
      ...(reason === undefined ? {} : { stop_reason: reason }),
      ...tokens
    })
  }

  return {
    line: (bytes) => {
      if (!/"(?:user|assistant|compact_boundary)"/.test(bytes.toString("latin1"))) return []
      const entry = parseLine(bytes)
      if (!isObject(entry)) return []
      sessionId ??= textIn(entry.sessionId)
      version = textIn(entry.version) ?? version
      cwd ??= textIn(entry.cwd)
      branch ??= textIn(entry.gitBranch)
      const { message } = entry
      const events =
        entry.type === "user" && isObject(message)
          ? user(entry, message.content)
          : entry.type === "assistant" && isObject(message)
            ? assistant(entry, message)
            : boundary(entry)
      const [first] = events
      if (started || first === undefined || agentId !== undefined) return events
      started = true
      return [{ kind: "session_start", payload: {}, identity: ["start"], ...timed(first.timestamp) }, ...events]
    },
    end: () => takeUsage(undefined),
    facts: () => ({ sessionId, version, cwd, branch })
  }

  function boundary(entry: Entry): ReadonlyArray<DraftEvent> {
    if (entry.type !== "system" || entry.subtype !== "compact_boundary") return []
    trigger = isObject(entry.compactMetadata) ? textIn(entry.compactMetadata.trigger) : undefined
    const payload = { phase: "before" as const, ...(trigger === undefined ? {} : { trigger }) }
    return [{ kind: "compaction", payload, identity: ["boundary", textIn(entry.uuid) ?? ""], ...envelope(entry) }]
  }
}

const originOf = (entry: Entry, text: string, agentId: string | undefined) => {
  if (text.startsWith("<task-notification>")) return "task-notification" as const
  if (entry.isMeta === true || /^<(?:command-name|local-command)/.test(text)) return "injected" as const
  return agentId === undefined && entry.isSidechain !== true ? ("user" as const) : ("subagent" as const)
}

const textIn = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)
const canonicalTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const timeOf = (entry: Entry): string | undefined => {
  const time = textIn(entry.timestamp)
  return time !== undefined && canonicalTime.test(time) ? time : undefined
}
const timed = (time: string | undefined) => (time === undefined || !canonicalTime.test(time) ? {} : { timestamp: time })
