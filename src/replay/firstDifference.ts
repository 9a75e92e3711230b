import * as Effect from "effect/Effect"
import { NoArchive } from "../archive/existingArchive.ts"
import { readManifest } from "../archive/manifestFile.ts"
import { readEvents } from "../archive/readArchive.ts"
import { archiveFiles } from "../archive/sessionDirectory.ts"
import type { ArchivedEvent } from "../domain/event.ts"
import { isObject } from "../domain/jsonObject.ts"
import { commonToolName } from "../domain/toolNames.ts"
import { mainThread, threadOf } from "../export/modelCalls.ts"
import { sha256 } from "../platform/digest.ts"
import { replayEventName } from "./replayEvent.ts"

/** One thing that happened in a session's main thread, in a form in which sessions compare. */
export interface Step {
  /** Position of the prompt that it follows, from 1; 0 before the first prompt. */
  readonly turn: number
  /** Position in the turn: 0 is the prompt, then from 1. */
  readonly step: number
  readonly what: "prompt" | "tool" | "answer"
  /** The tool's name that is the same for all agents (toolNames.ts), and the agent's own; null for prompts and answers. */
  readonly tool: string | null
  readonly tool_name: string | null
  /** How a tool call ended; null while nothing says so. */
  readonly outcome: "ok" | "failed" | "denied" | "invalid" | "interrupted" | null
  /** The beginning of the prompt, of the answer, or of the call's input as JSON. */
  readonly text: string
  readonly sequence: number
}

/**
 * Where two sessions first part. `prompt`, `answer` and `input`: the texts differ. `tool`: another tool, or an answer in the place of a call.
 * `outcome`: the same call ended differently. `end`: one side has no more steps in the turn, or no such turn.
 */
export interface FirstDifference {
  readonly kind: "prompt" | "tool" | "input" | "outcome" | "answer" | "end"
  readonly turn: number
  readonly step: number
  /** Null where that side has nothing there. */
  readonly baseline: Step | null
  readonly replay: Step | null
}

/** The steps of a session, each with what tells it from another in full: its text, or the digest of a long one. */
export interface Trace {
  readonly provider: string
  readonly turns: ReadonlyArray<ReadonlyArray<Step & { readonly whole: string }>>
}

/** Characters of a step that are shown. */
const shownCharacters = 240

/** Reads the steps of a session's main thread from its archive, which is not changed. */
export const readTrace = Effect.fn("readTrace")(function* (directory: string) {
  const reading = yield* readManifest(archiveFiles(directory).manifest)
  if (reading._tag !== "Manifest") return yield* new NoArchive({ directory })
  const { manifest } = reading
  const tracer = traceOf(manifest.project_root)
  yield* readEvents(directory, manifest, {
    record: (record) => {
      if (record._tag === "Event") tracer.add(record.event)
    },
    spooled: tracer.add
  })
  return { provider: manifest.provider, turns: tracer.turns } satisfies Trace
})

/**
 * Gathers the steps of events that come in their order.
 *
 * @param projectRoot the directory that the agent worked in, unless the session is a replay, which names another: arms work in different ones, and
 * that is no difference
 */
export const traceOf = (projectRoot: string) => {
  const turns: Array<Array<Step & { readonly whole: string }>> = []
  const open = new Map<string, { readonly turn: number; readonly at: number }>()
  let root = projectRoot
  const without = (text: string): string => (root.length > 1 ? text.replaceAll(root, ".") : text)

  const turnNow = (): Array<Step & { readonly whole: string }> => {
    const current = turns.at(-1)
    if (current !== undefined) return current
    const made: Array<Step & { readonly whole: string }> = []
    turns.push(made)
    return made
  }
  const push = (event: ArchivedEvent, step: Pick<Step, "what" | "tool" | "tool_name" | "outcome">, whole: string) => {
    const turn = turnNow()
    const text = without(whole)
    turn.push({
      turn: turns.length,
      // A turn that recording missed the prompt of begins with its first step.
      step: turn.length + (turn[0]?.what === "prompt" || step.what === "prompt" ? 0 : 1),
      ...step,
      text: text.length > shownCharacters ? `${Array.from(text).slice(0, shownCharacters).join("")}…` : text,
      sequence: event.sequence,
      whole: compact(step.what === "tool" ? text : words(text))
    })
  }
  const ended = (event: Extract<ArchivedEvent, { readonly kind: "tool_result" | "tool_error" }>): void => {
    const id = event.provider_ids?.tool_use_id
    const place = id === undefined ? undefined : open.get(id)
    const step = place === undefined ? undefined : turns[place.turn]?.[place.at]
    const outcome = event.kind === "tool_result" ? "ok" : event.payload.outcome
    if (place !== undefined && step !== undefined) {
      turns[place.turn]?.splice(place.at, 1, { ...step, outcome })
    } else if (event.kind === "tool_error" && id !== undefined) {
      push(event, { what: "tool", ...toolOf(event), outcome }, inputText(event.payload.input))
    }
  }
  return {
    turns: turns as Trace["turns"],
    add: (event: ArchivedEvent): void => {
      if (threadOf(event) !== mainThread) return
      if (event.kind === "provider_event" && event.payload.name === replayEventName && isObject(event.payload.fields)) {
        if (typeof event.payload.fields.workspace === "string") root = event.payload.fields.workspace
      }
      if (event.kind === "user_prompt" && event.payload.origin === "user") {
        turns.push([])
        push(event, { what: "prompt", tool: null, tool_name: null, outcome: null }, event.payload.text)
      } else if (event.kind === "assistant_message") {
        push(event, { what: "answer", tool: null, tool_name: null, outcome: null }, event.payload.text)
      } else if (event.kind === "tool_call") {
        push(event, { what: "tool", ...toolOf(event), outcome: null }, inputText(event.payload.input))
        const id = event.provider_ids?.tool_use_id
        if (id !== undefined) open.set(id, { turn: turns.length - 1, at: turnNow().length - 1 })
      } else if (event.kind === "tool_result" || event.kind === "tool_error") ended(event)
    }
  }
}

const toolOf = (event: Extract<ArchivedEvent, { readonly kind: "tool_call" | "tool_error" }>) => ({
  tool: commonToolName(event.provider, event.payload.tool_name),
  tool_name: event.payload.tool_name
})

const inputText = (input: unknown): string => (input === undefined ? "" : JSON.stringify(input))

/**
 * Where a replay first does something else than its baseline; undefined when both did the same. Agents give their tools inputs of different shapes, so
 * inputs are compared between sessions of one agent only.
 */
export const firstDifference = (baseline: Trace, replay: Trace): FirstDifference | undefined => {
  const sameAgent = baseline.provider === replay.provider
  const turnCount = Math.max(baseline.turns.length, replay.turns.length)
  for (let turn = 0; turn < turnCount; turn++) {
    const [left = [], right = []] = [baseline.turns[turn], replay.turns[turn]]
    const stepCount = Math.max(left.length, right.length)
    for (let at = 0; at < stepCount; at++) {
      const kind = differenceOf(left[at], right[at], sameAgent)
      if (kind === undefined) continue
      const place = left[at] ?? right[at]
      return {
        kind,
        turn: place?.turn ?? turn + 1,
        step: place?.step ?? at,
        baseline: shown(left[at]),
        replay: shown(right[at])
      }
    }
  }
  return undefined
}

type Whole = Step & { readonly whole: string }

const differenceOf = (
  left: Whole | undefined,
  right: Whole | undefined,
  sameAgent: boolean
): FirstDifference["kind"] | undefined => {
  if (left === undefined || right === undefined) return "end"
  if (left.what !== right.what || left.tool !== right.tool) return "tool"
  if (left.what === "tool") {
    if (sameAgent && left.whole !== right.whole) return "input"
    return left.outcome === right.outcome ? undefined : "outcome"
  }
  return left.whole === right.whole ? undefined : left.what
}

/** White space makes no difference between prompts or answers. */
const words = (text: string): string => text.trim().replace(/\s+/g, " ")

/** What tells a text from others: of a long one its digest, since a session may hold hundreds of megabytes. */
const compact = (text: string): string => (text.length > shownCharacters ? sha256(text) : text)

const shown = (step: Whole | undefined): Step | null => {
  if (step === undefined) return null
  const { whole: _whole, ...rest } = step
  return rest
}
