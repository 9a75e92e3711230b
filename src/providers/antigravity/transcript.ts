import * as path from "node:path"
import * as Effect from "effect/Effect"
import type { DraftEvent, MessageUsage, TranscriptCursor } from "../../domain/event.ts"
import type { Tokens } from "../../domain/usage.ts"
import { CurrentDeadline } from "../../platform/Deadline.ts"
import { type FileReading, isNews, parseLine, readNewLines, usageDrafts } from "../transcriptLines.ts"
import { callFor, isToolResult, promptOf, type Step, stepOf } from "./steps.ts"

/**
 * The steps of the running turn, from the transcript beside the conversation: `transcript.jsonl` or `transcript_full.jsonl` (public
 * reports; never captured). A cursor stands where the last Stop left it, so a turn is read as a whole each time it is asked about.
 *
 * @param transcriptPath from the payload, so any text: only an absolute path of a regular `.jsonl` file is read, no link is followed
 */
export const readSteps = Effect.fnUntraced(function* (
  transcriptPath: string,
  cursors: ReadonlyArray<TranscriptCursor>
) {
  const steps = new Map<number, Step>()
  if (!path.isAbsolute(transcriptPath) || path.extname(transcriptPath) !== ".jsonl") return { steps, readings: [] }
  const deadline = yield* CurrentDeadline
  const name = path.basename(transcriptPath)
  const from = cursors.find((cursor) => cursor.file === name)?.offset ?? 0
  const reading = yield* readNewLines(name, transcriptPath, from, deadline, (line) => {
    const step = stepOf(parseLine(line))
    // A later row of a step is the same step, further on.
    if (step !== undefined) steps.set(step.index, step)
  })
  return { steps, readings: reading === undefined || !isNews(reading, cursors) ? [] : [reading] }
})

export type Steps = ReadonlyMap<number, Step>

/** The last prompt below a step, when it is not older than `sinceMs`. */
export const promptBelow = (steps: Steps, limit: number, sinceMs: number): DraftEvent | undefined => {
  const prompt = inOrder(steps).findLast((step) => step.type === "USER_INPUT" && step.index < limit)
  if (prompt?.content === undefined || isOlder(prompt, sinceMs)) return undefined
  return {
    kind: "user_prompt",
    payload: { text: promptOf(prompt.content), origin: "user" },
    identity: ["prompt", String(prompt.index)],
    ...timeOf(prompt)
  }
}

/** How a call ended, as the hook or the transcript tells it. */
export interface Ended {
  readonly index: number
  readonly name: string
  readonly args: unknown
  readonly response?: unknown
  readonly error?: string | undefined
  readonly step?: Step | undefined
}

/** The beginning and the end of one call. */
export const callDrafts = ({ index, name, args, response, error, step }: Ended): ReadonlyArray<DraftEvent> => {
  const providerIds = { tool_use_id: `step-${index}` }
  const input = args === undefined ? {} : { input: args }
  const begin = beginDraft(index, name, args)
  const end: DraftEvent =
    error === undefined
      ? {
          kind: "tool_result",
          payload: { tool_name: name, ...input, ...(response === undefined ? {} : { response }) },
          identity: ["tool_end", String(index)],
          providerIds,
          ...timeOf(step)
        }
      : {
          kind: "tool_error",
          payload: { tool_name: name, outcome: "failed", ...input, error },
          identity: ["tool_end", String(index)],
          providerIds,
          ...timeOf(step)
        }
  return [begin, end]
}

export const beginDraft = (index: number, name: string, args: unknown): DraftEvent => ({
  kind: "tool_call",
  payload: { tool_name: name, ...(args === undefined ? {} : { input: args }) },
  identity: ["tool_start", String(index)],
  providerIds: { tool_use_id: `step-${index}` }
})

/** A call and its end by the step of the result, with what the hook said where the transcript has nothing. */
export const callAt = (steps: Steps, index: number, told: Ended | undefined): ReadonlyArray<DraftEvent> => {
  const step = steps.get(index)
  if (step !== undefined && !isToolResult(step)) return []
  const planned = step === undefined ? undefined : callFor(steps, index)
  const name = told?.name ?? planned?.name
  if (name === undefined) return []
  return callDrafts({
    index,
    name,
    args: told?.args ?? (planned?.name === name ? planned.args : undefined),
    response: step?.content,
    error: told?.error ?? step?.error ?? (step?.status === "ERROR" ? (step.content ?? "") : undefined),
    step
  })
}

// The archive remembers the ids of the last 256 events. What a turn repeats at its end must be among them.
const mostRepeated = 50

/**
 * The calls of the turn whose hooks did not run; those that were told already have the identity that they had then. Nothing that is older
 * than `sinceMs`, when recording began.
 */
export const callsOfTurn = (steps: Steps, sinceMs: number): ReadonlyArray<DraftEvent> =>
  inOrder(steps)
    .filter((step) => isToolResult(step) && !isOlder(step, sinceMs))
    .slice(-mostRepeated)
    .flatMap((step) => callAt(steps, step.index, undefined))

/** Whether so little happened in the turn that its prompt may be told again. */
export const isShort = (steps: Steps): boolean => inOrder(steps).filter(isToolResult).length <= mostRepeated

/** The text of the turn's last answer; undefined when the transcript has none after the last prompt. */
export const answerIn = (steps: Steps): string | undefined => {
  const ordered = inOrder(steps)
  const prompt = ordered.findLast((step) => step.type === "USER_INPUT")?.index ?? -1
  const last = ordered.findLast((step) => step.type === "PLANNER_RESPONSE" && step.index > prompt)
  return last === undefined || last.calls.length > 0 ? undefined : last.content
}

/** The usage of the turn, where the rows have it (versions of late 2026). */
export const usageOfTurn = (
  steps: Steps,
  readings: ReadonlyArray<FileReading>,
  before: ReadonlyArray<TranscriptCursor>,
  sinceMs: number,
  model: string | undefined
): ReadonlyArray<DraftEvent> => {
  const messages = inOrder(steps).flatMap((step): ReadonlyArray<MessageUsage> => {
    const tokens = step.type === "PLANNER_RESPONSE" ? tokensOf(step.row) : undefined
    if (tokens === undefined || isOlder(step, sinceMs)) return []
    return [
      {
        message_id: `step-${step.index}`,
        ...(model === undefined ? {} : { model }),
        ...(step.time === undefined ? {} : { time: step.time }),
        ...tokens
      }
    ]
  })
  return usageDrafts({ source: "antigravity-transcript", messages, readings, before, turnId: undefined })
}

/** Input is without what was read from the cache; output includes thoughts. */
const tokensOf = (row: Readonly<Record<string, unknown>>): Tokens | undefined => {
  const counts: { -readonly [K in keyof Tokens]: number } = {}
  const fields = [
    ["input_tokens", "input_tokens"],
    ["cache_read_tokens", "cache_read_input_tokens"],
    ["output_tokens", "output_tokens"]
  ] as const
  for (const [field, kind] of fields) {
    const value = typeof row[field] === "string" ? Number(row[field]) : row[field]
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) counts[kind] = value
  }
  return Object.values(counts).some((count) => count > 0) ? counts : undefined
}

/** Times are told in whole seconds. */
const isOlder = (step: Step, sinceMs: number): boolean =>
  step.time !== undefined && Date.parse(step.time) < Math.floor(sinceMs / 1000) * 1000

const inOrder = (steps: Steps): ReadonlyArray<Step> => [...steps.values()].sort((a, b) => a.index - b.index)

const timeOf = (step: Step | undefined): { readonly timestamp?: string } => {
  const time = step?.time === undefined ? Number.NaN : Date.parse(step.time)
  return Number.isNaN(time) ? {} : { timestamp: new Date(time).toISOString() }
}
