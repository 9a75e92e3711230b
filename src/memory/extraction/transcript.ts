import type { ArchivedEvent } from "../../domain/event.ts"
import { isObject } from "../../domain/jsonObject.ts"
import { cutUtf8 } from "../../redaction/bound.ts"

/** One event as the agent is shown it. */
export interface TranscriptLine {
  readonly sequence: number
  readonly timestamp: string
  readonly text: string
}

/** Characters that are shown of what a tool answered. */
const answerCharacters = 400
/** Bytes of one text; a longer one is thinned in its middle, since how it begins and how it ends says most. */
const textBytes = 16 * 1024
/** Bytes of an event that nobody understood. */
const rawBytes = 2 * 1024

/**
 * What an event adds to the conversation: `role: text`, `role [tool_use: NAME]` without the input, `[tool_result] ` and its beginning.
 *
 * @returns undefined for an event that says nothing in it: a boundary, token counts, or context that lint-ai itself put there
 */
export const conversationLine = (event: ArchivedEvent): string | undefined => {
  switch (event.kind) {
    case "user_prompt":
      if (event.payload.origin === "injected") return undefined
      return said(isAsked.has(event.payload.origin) ? "user" : event.payload.origin, event.payload.text)
    case "assistant_message":
      return said("assistant", event.payload.text)
    case "tool_call":
      return `assistant [tool_use: ${event.payload.tool_name}]`
    case "tool_result":
      return answered("[tool_result]", event.payload.response)
    case "tool_error":
      return answered(`[tool_error: ${event.payload.outcome}]`, event.payload.error)
    case "compaction":
      return event.payload.summary === undefined ? undefined : said("[compaction] summary", event.payload.summary)
    case "subagent_stop":
      return event.payload.text === undefined
        ? undefined
        : said(`subagent ${event.payload.agent_type ?? ""}`.trimEnd(), event.payload.text)
    default:
      return undefined
  }
}

const isAsked = new Set<string>(["user", "expansion", "retry"])

/** An event that the adapter had no name for, bounded. */
export const providerEventLine = (event: ArchivedEvent): string | undefined =>
  event.kind === "provider_event" ? thinned(JSON.stringify(event.payload), rawBytes) : undefined

const said = (role: string, text: string): string | undefined =>
  text.trim() === "" ? undefined : `${role}: ${thinned(text, textBytes)}`

const answered = (mark: string, answer: unknown): string => {
  const text = textIn(answer)
  return text === ""
    ? mark
    : `${mark} ${Array.from(text.slice(0, 2 * answerCharacters))
        .slice(0, answerCharacters)
        .join("")}`
}

/** The text of a tool's answer: agents give a string, parts with a text each, or an object that holds one of these. */
const textIn = (answer: unknown): string => {
  if (answer === undefined || answer === null) return ""
  if (typeof answer === "string") return answer
  if (Array.isArray(answer)) {
    const parts = answer.flatMap((part) =>
      typeof part === "string" ? [part] : isObject(part) && typeof part.text === "string" ? [part.text] : []
    )
    return parts.length > 0 ? parts.join("\n") : JSON.stringify(answer)
  }
  if (!isObject(answer)) return String(answer)
  for (const key of ["content", "output", "text", "result"]) {
    const inner = answer[key]
    if (typeof inner === "string" || Array.isArray(inner)) return textIn(inner)
  }
  const streams = [answer.stdout, answer.stderr].filter((one) => typeof one === "string" && one !== "")
  return streams.length > 0 ? streams.join("\n") : JSON.stringify(answer)
}

/** A text of at most about `limit` bytes: its beginning, what went, and its end. */
export const thinned = (text: string, limit: number): string => {
  if (Buffer.byteLength(text) <= limit) return text
  const head = cutUtf8(text, Math.floor((limit * 3) / 4)).kept
  const bytes = Buffer.from(text)
  // An end that begins within a character begins with the next one.
  let from = bytes.length - Math.floor(limit / 4)
  while (from < bytes.length && ((bytes[from] ?? 0) & 0xc0) === 0x80) from++
  const left = from - Buffer.byteLength(head)
  return `${head}\n[… ${left} bytes left out …]\n${bytes.toString("utf8", from)}`
}
