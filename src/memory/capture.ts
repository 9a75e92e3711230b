import * as Effect from "effect/Effect"
import type { DraftEvent } from "../domain/event.ts"
import type { MemoryDraft } from "../domain/memory.ts"
import type { Delivery } from "../providers/ProviderAdapter.ts"
import type { ProviderMemory, TranscriptMessage } from "../providers/ProviderMemory.ts"
import { lastMessages } from "../providers/transcriptTail.ts"
import { cutUtf8 } from "../redaction/bound.ts"
import { withoutBlocks } from "./contextBlock.ts"
import { termsOf } from "./terms.ts"

/** Messages of a session that are looked at. */
const mostMessages = 6
/** Bytes of one message that are kept. */
const messageBytes = 1_500
/** What is remembered says at least so much: "Done." is worth nothing to the next session. */
const leastTerms = 8

/** What a memory of an event needs to know of its place. */
export interface Moment {
  readonly sessionId: string
  readonly revision: string | null
  readonly branch: string | null
}

/**
 * What a hook event leaves to be remembered: an outcome at the end of a turn or of a subagent, a checkpoint where the context is compacted, a
 * summary at the end of a session of several turns. None where too little was said. Text of tools and of our own blocks is not in it.
 */
export const captureOf = Effect.fnUntraced(function* (delivery: Delivery, memory: ProviderMemory, moment: Moment) {
  const event = delivery.events.find(isCaptured)
  if (event === undefined) return []
  const messages =
    event.kind === "subagent_stop" || (event.kind === "compaction" && event.payload.phase === "after")
      ? []
      : (yield* lastMessages(delivery.transcriptPath, mostMessages, memory)).map(cleaned)
  const draft = draftOf(event, messages, memory.repeatsAnswers === true)
  if (draft === undefined || new Set(termsOf(draft.text)).size < leastTerms) return []
  return [
    {
      ...draft,
      ...moment,
      turnId: event.turnId,
      identity: [event.turnId ?? ""]
    } satisfies MemoryDraft
  ]
})

type Captured = Extract<
  DraftEvent,
  { readonly kind: "assistant_message" | "subagent_stop" | "compaction" | "session_end" }
>
const isCaptured = (event: DraftEvent): event is Captured =>
  event.kind === "assistant_message"
    ? event.payload.final && event.payload.error === undefined
    : event.kind === "subagent_stop" || event.kind === "compaction" || event.kind === "session_end"

const draftOf = (
  event: Captured,
  messages: ReadonlyArray<TranscriptMessage>,
  repeatsAnswers: boolean
): Pick<MemoryDraft, "kind" | "text" | "place"> | undefined => {
  const turn = event.turnId === undefined ? "" : `/${encodeURIComponent(event.turnId)}`
  switch (event.kind) {
    case "assistant_message": {
      const request = messages.findLast(({ role }) => role === "user")?.text
      // The transcript may not have the answer yet; and where the hook has none, or a wrong one, it does.
      const told = withoutBlocks(event.payload.text)
      const written = textAfterRequest(messages)
      const isRepeated = repeatsAnswers && written !== undefined && holdsLines(told, written)
      const result = told === "" || isRepeated ? written : told
      if (result === undefined || result === "") return undefined
      return {
        kind: "outcome",
        text: sections([
          ["Request", request],
          ["Result", result]
        ]),
        place: `turn${turn}`
      }
    }
    case "subagent_stop": {
      const { agent_type: type, text } = event.payload
      // A compaction ends a subagent without a type.
      if (type === undefined || type === "" || text === undefined) return undefined
      return { kind: "outcome", text: sections([[`Subagent ${type}`, withoutBlocks(text)]]), place: `subagent${turn}` }
    }
    case "compaction": {
      const { summary, phase } = event.payload
      if (phase === "after") {
        return summary === undefined
          ? undefined
          : { kind: "checkpoint", text: cutUtf8(withoutBlocks(summary), 4 * messageBytes).kept, place: "compaction" }
      }
      const text = sections(messages.map(({ role, text: said }) => [role === "user" ? "Request" : "Result", said]))
      return { kind: "checkpoint", text, place: "compaction" }
    }
    case "session_end": {
      const requests = messages.filter(({ role }) => role === "user")
      // The outcome of the only turn says it already.
      if (requests.length < 2) return undefined
      const result = messages.findLast(({ role }) => role === "assistant")?.text
      const parts = requests.map(({ text }) => ["Request", text] as const)
      return { kind: "session-summary", text: sections([...parts, ["Result", result]]), place: "summary" }
    }
  }
}

/** Whether a text holds the lines of another in their order, whatever stands between them. */
const holdsLines = (text: string, lines: string): boolean => {
  let at = 0
  for (const line of lines.split("\n").map((one) => one.trim())) {
    const found = text.indexOf(line, at)
    if (found < 0) return false
    at = found + line.length
  }
  return true
}

const textAfterRequest = (messages: ReadonlyArray<TranscriptMessage>): string | undefined => {
  const last = messages.at(-1)
  return last?.role === "assistant" ? last.text : undefined
}

const cleaned = (message: TranscriptMessage): TranscriptMessage => ({
  role: message.role,
  text: withoutBlocks(message.text)
})

const sections = (parts: ReadonlyArray<readonly [title: string, text: string | undefined]>): string =>
  parts
    .flatMap(([title, text]) => {
      const kept = text === undefined ? "" : tidy(cutUtf8(text.trim(), messageBytes).kept)
      return kept === "" ? [] : [`${title}: ${kept}`]
    })
    .join("\n")

/** Lines stay lines, for excerpts are made of them; what is empty between them goes. */
const tidy = (text: string): string => text.replace(/[ \t]+$/gm, "").replace(/\n{2,}/g, "\n")
