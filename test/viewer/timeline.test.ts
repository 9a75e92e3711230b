import { assert, describe, it } from "@effect/vitest"
import type { ArchivedEvent, EventKind, Payload } from "../../src/domain/event.ts"
import type { Manifest } from "../../src/domain/manifest.ts"
import { sessionId } from "../../src/domain/sessionId.ts"
import { mostEntries, timelineOf } from "../../src/viewer/timeline.ts"

const began = Date.UTC(2026, 7, 16, 12)
const manifest = { provider: "claude", project_root: "/p", started_at: new Date(began).toISOString() } as Manifest

/** An event of a session, as many seconds after its beginning as its sequence says. */
const event = <K extends EventKind>(
  sequence: number,
  kind: K,
  payload: Payload<K>,
  more: Partial<ArchivedEvent> = {}
) =>
  ({
    schema_version: 1,
    sequence,
    event_id: `e${sequence}`,
    timestamp: new Date(began + sequence * 1_000).toISOString(),
    provider: "claude",
    session_id: sessionId("claude", "s"),
    kind,
    payload,
    redactions: [],
    ...more
  }) as ArchivedEvent

const timeline = (events: Iterable<ArchivedEvent>) => {
  const building = timelineOf(manifest)
  for (const one of events) building.event(one, false)
  return building.end()
}

describe("the timeline of a session", () => {
  it("gives an end without an id to the oldest open call of its tool in the same thread", () => {
    const bash = { tool_name: "Bash" }
    const { entries, toolTimes } = timeline([
      event(1, "tool_call", bash),
      event(2, "tool_call", bash, { provider_ids: { agent_id: "a" } }),
      event(3, "tool_call", bash),
      event(4, "tool_result", bash),
      event(6, "tool_error", { ...bash, outcome: "denied" })
    ])
    assert.deepStrictEqual(
      entries.map(({ sequence, end_sequence, outcome }) => [sequence, end_sequence, outcome]),
      [
        [1, 4, "succeeded"],
        [2, undefined, "unresolved"],
        [3, 6, "denied"]
      ]
    )
    assert.deepStrictEqual([...toolTimes], [["Bash", 6_000]])
  })

  it("has a bound of entries: later ones are counted, their calls with them, and ends of earlier calls are kept", () => {
    const call = (sequence: number) =>
      event(sequence, "tool_call", { tool_name: "Bash" }, { provider_ids: { tool_use_id: `c${sequence}` } })
    const result = (sequence: number, id: number) =>
      event(sequence, "tool_result", { tool_name: "Bash" }, { provider_ids: { tool_use_id: `c${id}` } })
    const building = timelineOf(manifest)
    building.event(event(1, "user_prompt", { text: "Go", origin: "user" }), false)
    for (let sequence = 2; sequence <= mostEntries + 2; sequence++) building.event(call(sequence), false)
    building.event(result(mostEntries + 3, mostEntries + 2), false)
    building.event(result(mostEntries + 4, 2), false)
    building.damage("torn-tail", 100, 7)
    const { entries, details, turns, leftOut } = building.end()
    assert.strictEqual(entries.length, mostEntries)
    assert.strictEqual(details.length, mostEntries)
    // Two calls and the damage; the end of a call that is left out is no entry of its own.
    assert.strictEqual(leftOut, 3)
    assert.strictEqual(entries[1]?.end_sequence, mostEntries + 4)
    assert.strictEqual(turns[0]?.tools, mostEntries + 1)
  })
})
