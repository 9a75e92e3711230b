import type { ArchivedEvent } from "../domain/event.ts"
import { type ModelCall, mainThread, type SessionIndex, threadOf } from "./modelCalls.ts"

export type ToolEnd = Extract<ArchivedEvent, { readonly kind: "tool_result" | "tool_error" }>
export type ToolCall = Extract<ArchivedEvent, { readonly kind: "tool_call" }>
type Answer = Extract<ArchivedEvent, { readonly kind: "assistant_message" }>

/** What a model was given: prompts, tool results, and what the agent put into its context. */
export type Input = Exclude<ArchivedEvent, ToolCall | Answer>
/** What a model said: answers and tool calls. A call that was refused before any hook ran is known by its error alone. */
export type Output = Answer | ToolCall | Extract<ArchivedEvent, { readonly kind: "tool_error" }>

/**
 * One step of an agent: what it was given, and what it said then. Boundaries are those of the events: what follows an input is a new step.
 */
export interface Step {
  /** "" for the session itself, else the id of a subagent. */
  readonly thread: string
  /** Position in its thread, from 1. */
  readonly number: number
  readonly turnId: string | undefined
  readonly inputs: ReadonlyArray<Input>
  readonly outputs: ReadonlyArray<Output>
  /**
   * The model calls that ended before what was said here and after what was said before. Assigned by time; more than one where calls said nothing
   * that a hook saw, none where usage was not observed.
   */
  readonly calls: ReadonlyArray<ModelCall>
}

interface OpenStep {
  turnId: string | undefined
  bytes: number
  readonly inputs: Array<Input>
  readonly outputs: Array<Output>
}

/**
 * A step that holds more is cut before it ends, so that memory does not grow with a session in which the agent is given things, or says things, and the
 * other is never observed. What is cut off has no model call, or those that ended until then.
 */
const mostStepBytes = 2 * 1024 * 1024

const givesInput = new Set<ArchivedEvent["kind"]>([
  "user_prompt",
  "tool_result",
  "tool_error",
  "context_injected",
  "compaction"
])

/**
 * Cuts the events of a session, in their order, into the steps of its threads. Holds one open step per thread, whose size is bounded where the lengths of
 * the events are told.
 */
export const stepCutter = (index: SessionIndex, emit: (step: Step) => void) => {
  const open = new Map<string, OpenStep>()
  const numbers = new Map<string, number>()
  const waiting = new Map([...index.calls].map(([thread, calls]) => [thread, [...calls]]))
  /** Calls whose tool_call was seen and whose end was not. */
  const called = new Set<string>()

  const close = (thread: string, last: boolean): void => {
    const step = open.get(thread)
    const calls = waiting.get(thread) ?? []
    open.delete(thread)
    if (step === undefined && !(last && calls.length > 0)) return
    const said = step?.outputs.at(-1)
    const until = said === undefined ? Number.NEGATIVE_INFINITY : Date.parse(said.timestamp)
    const taken = last
      ? calls.splice(0)
      : calls.splice(
          0,
          countWhile(calls, (call) => call.endMs <= until)
        )
    const number = (numbers.get(thread) ?? 0) + 1
    numbers.set(thread, number)
    emit({
      thread,
      number,
      turnId: step?.turnId ?? taken[0]?.turnId,
      inputs: step?.inputs ?? [],
      outputs: step?.outputs ?? [],
      calls: taken
    })
  }
  const stepOf = (thread: string, event: ArchivedEvent): OpenStep => {
    const known = open.get(thread)
    if (known !== undefined) return known
    const step: OpenStep = { turnId: event.turn_id, bytes: 0, inputs: [], outputs: [] }
    open.set(thread, step)
    return step
  }
  /** Whether something was given to the thread since it last spoke. */
  const answered = new Map<string, boolean>()

  const say = (thread: string, event: Output): void => {
    const step = open.get(thread)
    const last = step?.outputs.at(-1)
    // The end of a subagent repeats an answer that another hook told.
    const isRepeated =
      event.kind === "assistant_message" && last?.kind === event.kind && last.payload.text === event.payload.text
    if (isRepeated && thread !== mainThread) return
    if (step !== undefined && step.outputs.length > 0 && answered.get(thread) === true) {
      // What was given while the step was open belongs to the next one.
      const given = step.inputs.splice(firstInputAfter(step))
      close(thread, false)
      for (const input of given) stepOf(thread, input).inputs.push(input)
    }
    stepOf(thread, event).outputs.push(event)
    answered.set(thread, false)
  }
  const give = (thread: string, event: Input): void => {
    if (event.kind === "user_prompt" && (open.get(thread)?.outputs.length ?? 0) > 0) {
      const step = open.get(thread)
      const given = step === undefined ? [] : step.inputs.splice(firstInputAfter(step))
      close(thread, false)
      for (const input of given) stepOf(thread, input).inputs.push(input)
    }
    stepOf(thread, event).inputs.push(event)
    answered.set(thread, true)
  }

  const weigh = (thread: string, bytes: number): void => {
    const step = open.get(thread)
    if (step === undefined) return
    step.bytes += bytes
    if (step.bytes <= mostStepBytes) return
    step.bytes = 0
    const given = step.inputs.splice(step.outputs.length > 0 ? firstInputAfter(step) : 0)
    if (step.outputs.length > 0) close(thread, false)
    // What was given last stays: a model call that follows began after it.
    const last = given.pop()
    for (const input of given) stepOf(thread, input).inputs.push(input)
    if (given.length > 0) close(thread, false)
    if (last !== undefined) stepOf(thread, last).inputs.push(last)
  }

  return {
    /** `bytes`: the length of the event as it stands in the log; without it nothing is cut early. */
    event: (told: ArchivedEvent, bytes = 0): void => {
      const event = asSpoken(told)
      const thread = threadOf(event)
      const call = event.provider_ids?.tool_use_id
      if (event.kind === "tool_call") {
        if (call !== undefined) called.add(call)
        say(thread, event)
      } else if (event.kind === "assistant_message") say(thread, event)
      else if (event.kind === "tool_error" && (call === undefined || !called.has(call))) {
        // No hook ran before this call was refused: the error says that there was one.
        say(thread, event)
        give(thread, event)
      } else if (givesInput.has(event.kind)) {
        if (call !== undefined) called.delete(call)
        give(thread, event as Input)
      } else return
      weigh(thread, bytes)
    },
    end: (): void => {
      for (const thread of new Set([...open.keys(), ...waiting.keys()])) {
        if (thread !== mainThread) close(thread, true)
      }
      close(mainThread, true)
    }
  }
}

/** What a subagent was asked and answered is told by its start and its end. */
const asSpoken = (event: ArchivedEvent): ArchivedEvent => {
  if (event.kind !== "subagent_start" && event.kind !== "subagent_stop") return event
  const { text } = event.payload
  if (text === undefined || text === "" || threadOf(event) === mainThread) return event
  return event.kind === "subagent_start"
    ? { ...event, kind: "user_prompt", payload: { text, origin: "subagent" } }
    : { ...event, kind: "assistant_message", payload: { text, final: true } }
}

/** Where the inputs begin that came after the step first spoke. */
const firstInputAfter = (step: OpenStep): number => {
  const spoke = step.outputs[0]?.sequence ?? 0
  const at = step.inputs.findIndex((input) => input.sequence >= spoke)
  return at < 0 ? step.inputs.length : at
}

const countWhile = <A>(items: ReadonlyArray<A>, holds: (item: A) => boolean): number => {
  const end = items.findIndex((item) => !holds(item))
  return end < 0 ? items.length : end
}
