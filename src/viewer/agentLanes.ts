import type { Mutable } from "effect/Types"
import type { ArchivedEvent } from "../domain/event.ts"
import { mainThread, threadOf } from "../export/modelCalls.ts"
import type { Agent } from "./document.ts"

/** The subagents of a session, in the order in which they show themselves, and how deep each is below the session itself. */
export const agentLanes = () => {
  const lanes = new Map<string, { readonly index: number; readonly agent: Mutable<Agent> }>()
  /** The depths at which an agent was called that has not shown itself yet. */
  const callers: Array<number> = []

  /** An agent belongs to the last call for one that no other agent has taken: calls for agents may run beside one another. */
  const newLane = (id: string, at: number) => {
    const agent: Mutable<Agent> = { id, depth: (callers.pop() ?? 0) + 1, at, end: at }
    const lane = { index: lanes.size, agent }
    lanes.set(id, lane)
    return lane
  }
  return {
    /** Puts an event into the lane of its agent, and gives the index of that; undefined for the session itself. */
    place: (event: ArchivedEvent, at: number): number | undefined => {
      const id = threadOf(event)
      if (id === mainThread) return undefined
      const { index, agent } = lanes.get(id) ?? newLane(id, at)
      agent.end = Math.max(agent.end, at)
      if (event.kind === "subagent_start" && event.payload.agent_type !== undefined) {
        agent.type = event.payload.agent_type
      }
      return index
    },
    /** Tells of a call for another agent. */
    agentCalled: (call: ArchivedEvent): void => {
      callers.push(lanes.get(threadOf(call))?.agent.depth ?? 0)
    },
    end: (): ReadonlyArray<Agent> => [...lanes.values()].map(({ agent }) => agent)
  }
}
