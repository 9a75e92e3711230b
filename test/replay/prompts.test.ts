import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { ArchivedEvent } from "../../src/domain/event.ts"
import { recordedModel, recordedPermissions, userPrompts } from "../../src/replay/prompts.ts"

const decode = Schema.decodeUnknownSync(ArchivedEvent)
let sequence = 0
const event = (kind: string, payload: unknown, more: object = {}): ArchivedEvent =>
  decode({
    schema_version: 1,
    sequence: ++sequence,
    event_id: `e${sequence}`,
    timestamp: "2026-08-16T12:00:00.000Z",
    provider: "claude",
    session_id: "claude:s",
    redactions: [],
    kind,
    payload,
    ...more
  })
const prompt = (text: string, origin = "user", more: object = {}) => event("user_prompt", { text, origin }, more)

describe("the prompts of a recorded session", () => {
  it("are those that the user wrote, in their order", () => {
    const events = [
      prompt("one"),
      prompt("<task-notification>", "task-notification"),
      prompt("/hi", "user"),
      prompt("/hi there, expanded", "expansion"),
      prompt("of a subagent", "subagent"),
      prompt("injected", "injected"),
      prompt("the reason of a retry", "retry"),
      prompt("two")
    ]
    assert.deepStrictEqual(
      userPrompts(events).map(({ text }) => text),
      ["one", "/hi", "two"]
    )
  })

  it("tell what the recording did to them", () => {
    const events = [
      prompt("whole"),
      prompt("has [REDACTED:token]", "user", { redactions: ["payload.text"] }),
      prompt("cu", "user", { truncated: [{ path: "payload.text", bytes: 90 }] }),
      // What is redacted beside the text does not change it.
      prompt("other", "user", { redactions: ["payload.permission_mode"] })
    ]
    assert.deepStrictEqual(
      userPrompts(events).map(({ altered }) => altered),
      [[], ["redacted"], ["cut"], []]
    )
  })
})

describe("the model of a recorded session", () => {
  const usage = (model: string, agent?: string) =>
    event("turn_usage", {
      source: "claude-transcript",
      messages: [{ message_id: `m${sequence}`, model, ...(agent === undefined ? {} : { agent_id: agent }) }]
    })

  it("is the one it began with, else the one that answered first and is no subagent's", () => {
    assert.strictEqual(recordedModel([event("session_start", { model: "sonnet" }), usage("opus")]), "sonnet")
    assert.strictEqual(recordedModel([event("session_start", {}), usage("haiku", "a1"), usage("opus")]), "opus")
    assert.strictEqual(recordedModel([prompt("one")]), undefined)
  })

  it("may do without asking what it might first", () => {
    assert.strictEqual(
      recordedPermissions([
        event("session_start", {}),
        event("user_prompt", { text: "a", origin: "user", permission_mode: "plan" })
      ]),
      "plan"
    )
  })
})
