import * as Effect from "effect/Effect"
import { readEvents, type SessionSummary } from "../archive/readArchive.ts"
import type { ArchivedEvent } from "../domain/event.ts"
import { type MemoryDraft, mostTextBytes } from "../domain/memory.ts"
import { cutUtf8 } from "../redaction/bound.ts"
import { withoutBlocks } from "./contextBlock.ts"

/** What of a recording is made into memories. */
export const promotionFields = ["prompts", "answers", "commands", "errors", "results"] as const
export type PromotionField = (typeof promotionFields)[number]
/** Results of tools are long, and mostly files that the next session can read itself. */
export const usualFields: ReadonlyArray<PromotionField> = ["prompts", "answers", "commands", "errors"]

export interface PromotionChoice {
  /** Sequences of events, both ends included; all when undefined. */
  readonly range: readonly [first: number, last: number] | undefined
  readonly exclude: ReadonlySet<number>
  readonly fields: ReadonlySet<PromotionField>
}

export interface Promotion {
  readonly drafts: ReadonlyArray<MemoryDraft>
  /** Events that are in none of them. */
  readonly skipped: number
}

/** Changes when other memories are made of the same events: then they are promoted anew. */
const promotionVersion = 1

/**
 * The memories that a recorded session becomes: one for each turn, from a prompt to the next, with a link to its events. The recording is read
 * only, and what is made of it stays when it is deleted.
 */
export const promotionOf = Effect.fnUntraced(function* (session: SessionSummary, choice: PromotionChoice) {
  const turns: Array<Turn> = []
  let skipped = 0
  const take = (event: ArchivedEvent): void => {
    const lines = isChosen(event.sequence, choice) ? linesOf(event, choice.fields) : []
    if (lines.length === 0) {
      skipped++
      return
    }
    const running = turns.at(-1)
    if (running === undefined || beginsTurn(event)) {
      turns.push({ created: event.timestamp, turnId: event.turn_id, events: [event.sequence], lines: [...lines] })
    } else {
      running.events.push(event.sequence)
      running.lines.push(...lines)
    }
  }
  yield* readEvents(session.directory, session.manifest, {
    record: (found) => {
      if (found._tag === "Event") take(found.event)
      else skipped++
    },
    spooled: take
  })
  const { manifest } = session
  const drafts = turns.map((turn): MemoryDraft => {
    const events = rangesOf(turn.events)
    return {
      kind: "recorded-session",
      sessionId: manifest.session_id,
      turnId: turn.turnId,
      text: cutUtf8(turn.lines.join("\n"), mostTextBytes).kept,
      place: `events/${events}`,
      identity: [`promotion ${promotionVersion}`, events],
      events: turn.events,
      revision: manifest.repository_revision ?? null,
      branch: manifest.repository_branch ?? null,
      created: turn.created
    }
  })
  return { drafts, skipped } satisfies Promotion
})

interface Turn {
  readonly created: string
  readonly turnId: string | undefined
  readonly events: Array<number>
  readonly lines: Array<string>
}

const isChosen = (sequence: number, { range, exclude }: PromotionChoice): boolean =>
  !exclude.has(sequence) && (range === undefined || (sequence >= range[0] && sequence <= range[1]))

const beginsTurn = (event: ArchivedEvent): boolean => event.kind === "user_prompt" && event.payload.origin === "user"

/** Bytes of one part: so many parts of a turn fit. */
const partBytes = 1_500
const commandBytes = 400

const part = (title: string, text: string, bytes: number = partBytes): ReadonlyArray<string> => {
  const kept = cutUtf8(withoutBlocks(text).trim(), bytes).kept
  return kept === "" ? [] : [`${title}: ${kept}`]
}

const linesOf = (event: ArchivedEvent, fields: ReadonlySet<PromotionField>): ReadonlyArray<string> => {
  switch (event.kind) {
    case "user_prompt":
      return fields.has("prompts") && event.payload.origin !== "injected" ? part("Request", event.payload.text) : []
    case "assistant_message":
      return fields.has("answers") ? part("Result", event.payload.text) : []
    case "subagent_stop":
      return fields.has("answers") ? part(`Subagent ${event.payload.agent_type ?? ""}`, event.payload.text ?? "") : []
    case "compaction":
      return fields.has("answers") ? part("Summary", event.payload.summary ?? "") : []
    case "tool_call":
      return fields.has("commands") ? part(event.payload.tool_name, shortened(event.payload.input), commandBytes) : []
    case "tool_error":
      return fields.has("errors")
        ? part(`${event.payload.tool_name} ${event.payload.outcome}`, textOf(event.payload.error))
        : []
    case "tool_result":
      return fields.has("results") ? part(`${event.payload.tool_name} gave`, textOf(event.payload.response)) : []
    default:
      return []
  }
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""))

/** What a call was about: its command or its file, and not the text that it writes. */
const shortened = (input: unknown): string => {
  if (typeof input !== "object" || input === null) return textOf(input)
  const fields = input as Readonly<Record<string, unknown>>
  const telling = ["command", "file_path", "path", "pattern", "query", "url", "description", "CommandLine"]
  const found = telling.flatMap((name) => (typeof fields[name] === "string" ? [fields[name]] : []))
  return found.length > 0 ? found.join(" ") : textOf(input)
}

/** `3-5,8`: sequences as the ranges that they form. */
export const rangesOf = (sequences: ReadonlyArray<number>): string => {
  const ranges: Array<[number, number]> = []
  for (const sequence of sequences) {
    const last = ranges.at(-1)
    if (last !== undefined && sequence === last[1] + 1) last[1] = sequence
    else ranges.push([sequence, sequence])
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(",")
}
