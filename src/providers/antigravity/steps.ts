import { isObject } from "../../domain/jsonObject.ts"

/** A tool call as the model's row of the transcript has it. */
export interface PlannedCall {
  readonly name: string
  readonly args: unknown
}

/** One row of the transcript. */
export interface Step {
  readonly index: number
  readonly type: string
  readonly status: string | undefined
  readonly time: string | undefined
  readonly content: string | undefined
  readonly error: string | undefined
  readonly calls: ReadonlyArray<PlannedCall>
  readonly row: Readonly<Record<string, unknown>>
}

/** A row as a step; undefined for what is none. */
export const stepOf = (row: unknown): Step | undefined => {
  if (!isObject(row) || typeof row.type !== "string") return undefined
  const index = typeof row.step_index === "string" ? Number(row.step_index) : row.step_index
  if (typeof index !== "number" || !Number.isSafeInteger(index) || index < 0) return undefined
  const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined)
  return {
    index,
    type: row.type,
    status: text(row.status),
    time: text(row.created_at),
    content: text(row.content),
    error: text(row.error),
    calls: Array.isArray(row.tool_calls) ? row.tool_calls.flatMap(callOf) : [],
    row
  }
}

const callOf = (call: unknown): ReadonlyArray<PlannedCall> =>
  isObject(call) && typeof call.name === "string" ? [{ name: call.name, args: decodedArgs(call.args) }] : []

/** transcript.jsonl has each argument as JSON text, transcript_full.jsonl as it is. */
const decodedArgs = (args: unknown): unknown =>
  isObject(args) ? Object.fromEntries(Object.entries(args).map(([key, value]) => [key, decoded(value)])) : args

const decoded = (value: unknown): unknown => {
  if (typeof value !== "string") return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

/** Rows that are no answer of a tool. */
const otherTypes: ReadonlySet<string> = new Set([
  "USER_INPUT",
  "PLANNER_RESPONSE",
  "SYSTEM_MESSAGE",
  "CHECKPOINT",
  "CONVERSATION_HISTORY",
  "ERROR_MESSAGE"
])
export const isToolResult = (step: Step): boolean => !otherTypes.has(step.type)

/**
 * The call that a result answers. The transcript has no id of a call: it is the call with the result's place among the results that
 * follow the model's row. Rows are not in the order of their steps, and there are gaps.
 */
export const callFor = (steps: ReadonlyMap<number, Step>, index: number): PlannedCall | undefined => {
  const planner = plannerBefore(steps, index)
  if (planner === undefined) return undefined
  const results = [...steps.values()]
    .filter((step) => step.index > planner.index && step.index <= index && isToolResult(step))
    .sort((a, b) => a.index - b.index)
  const place = results.findIndex((step) => step.index === index)
  return place < 0 ? undefined : planner.calls[place]
}

const plannerBefore = (steps: ReadonlyMap<number, Step>, index: number): Step | undefined => {
  let found: Step | undefined
  for (const step of steps.values()) {
    if (step.type !== "PLANNER_RESPONSE" || step.index >= index) continue
    if (found === undefined || step.index > found.index) found = step
  }
  return found
}

/** What the user wrote: the agent wraps it and adds what it knows itself. */
export const promptOf = (content: string): string =>
  /<USER_REQUEST>\r?\n?([\s\S]*?)\r?\n?<\/USER_REQUEST>/.exec(content)?.[1] ?? content
