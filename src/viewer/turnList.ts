import type { Mutable } from "effect/Types"
import type { ArchivedEvent } from "../domain/event.ts"
import { mainThread, threadOf } from "../export/modelCalls.ts"
import type { Turn } from "./document.ts"
import { oneLine } from "./summary.ts"

/** The turns of a session, with how many tools each called and how many of these failed. Their tokens are counted elsewhere. */
export const turnList = () => {
  const turns: Array<Mutable<Turn>> = []
  const ids = new Set<string>()

  /** An agent that names no turns begins one with each prompt; subagents begin none. */
  const begins = (event: ArchivedEvent): boolean => {
    if (threadOf(event) !== mainThread) return false
    return event.turn_id === undefined ? event.kind === "user_prompt" && ids.size === 0 : !ids.has(event.turn_id)
  }
  return {
    /** Puts an event that does not end a known call into the last turn, and gives the index of that; undefined before the first. */
    place: (event: ArchivedEvent, at: number): number | undefined => {
      if (begins(event)) {
        if (event.turn_id !== undefined) ids.add(event.turn_id)
        turns.push({ at, end: at, tools: 0, failures: 0, tokens: 0 })
      }
      const turn = turns.at(-1)
      if (turn === undefined) return undefined
      turn.end = Math.max(turn.end, at)
      if (event.kind === "user_prompt" && event.payload.origin === "user") turn.summary ??= oneLine(event.payload.text)
      if (event.kind === "tool_call" || event.kind === "tool_result" || event.kind === "tool_error") turn.tools++
      if (event.kind === "tool_error") turn.failures++
      return turns.length - 1
    },
    /** Tells when a call ended that began in the turn of this index. */
    callEnded: (index: number | undefined, at: number, failed: boolean): void => {
      const turn = index === undefined ? undefined : turns[index]
      if (turn === undefined) return
      turn.end = Math.max(turn.end, at)
      if (failed) turn.failures++
    },
    /** The index of the last turn; undefined before the first. */
    last: (): number | undefined => (turns.length === 0 ? undefined : turns.length - 1),
    end: (): ReadonlyArray<Turn> => turns
  }
}
