import { assert, describe, it } from "@effect/vitest"
import { afterEvent, emptyState } from "../../src/archive/logState.ts"
import type { ArchivedEvent } from "../../src/domain/event.ts"
import { sessionId } from "../../src/domain/sessionId.ts"
import type { UsageSource } from "../../src/domain/usage.ts"

const usage = (source: UsageSource, messages: Readonly<Record<string, number>>): ArchivedEvent => ({
  schema_version: 1,
  sequence: 1,
  event_id: "e",
  timestamp: "2026-11-30T00:00:00.000Z",
  provider: "codex",
  session_id: sessionId("codex", "s"),
  redactions: [],
  kind: "turn_usage",
  payload: {
    source,
    messages: Object.entries(messages).map(([message_id, input_tokens]) => ({ message_id, input_tokens }))
  }
})

const totals = (...events: ReadonlyArray<ArchivedEvent>) =>
  events.reduce((state, event) => afterEvent(state, event, "h"), emptyState("h")).usage

describe("the usage in a log's state", () => {
  it("counts the last snapshot of a message", () => {
    assert.deepStrictEqual(totals(usage("claude-transcript", { a: 1, b: 2 }), usage("claude-transcript", { a: 5 })), {
      "claude-transcript": { input_tokens: 7 }
    })
  })

  it("keeps two sources apart that name a message alike", () => {
    assert.deepStrictEqual(
      totals(
        usage("hook-payload", { a: 3 }),
        usage("codex-transcript", { a: 3 }),
        usage("hook-payload", { b: 4 }),
        usage("codex-transcript", { a: 3, b: 4 })
      ),
      { "hook-payload": { input_tokens: 7 }, "codex-transcript": { input_tokens: 7 } }
    )
  })
})
