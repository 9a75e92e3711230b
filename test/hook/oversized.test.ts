import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { oversizedPayload, withoutContent } from "../../src/hook/oversized.ts"
import { antigravityAdapter } from "../../src/providers/antigravity/adapter.ts"
import { claudeAdapter } from "../../src/providers/claude/adapter.ts"
import { geminiAdapter } from "../../src/providers/gemini/adapter.ts"
import type { ProviderAdapter } from "../../src/providers/ProviderAdapter.ts"

const size = 40 * 1024 * 1024

const oversized = (adapter: ProviderAdapter, head: object, event?: string) => {
  const text = JSON.stringify({ ...head, content: "x" }).slice(0, -2)
  const payload = oversizedPayload(Buffer.from(text))
  return withoutContent(Effect.runSync(adapter.read({ payload, event, env: {} })), size)
}

describe("a payload that is too large to keep", () => {
  it("leaves its place in the session and its size", () => {
    const common = { transcript_path: "/t/session.jsonl", cwd: "/p" }
    const deliveries = [
      oversized(claudeAdapter, { session_id: "s-1", ...common, hook_event_name: "Stop" }),
      oversized(geminiAdapter, { session_id: "s-1", ...common, hook_event_name: "AfterAgent" }),
      oversized(antigravityAdapter, { conversationId: "s-1", transcriptPath: "/t/transcript.jsonl" }, "Stop")
    ]
    for (const { sessionId, transcriptPath, events } of deliveries) {
      assert.strictEqual(sessionId, "s-1")
      assert.isTrue(transcriptPath?.startsWith("/t/"))
      assert.deepStrictEqual(
        events.map((event) => event.kind === "provider_event" && event.payload.fields),
        [{ oversized_bytes: size }]
      )
    }
  })

  it("is not told again from the transcript, which would build on what was not kept", () => {
    const head = { session_id: "s-1", transcript_path: "/t/session.jsonl", cwd: "/p" }
    assert.isDefined(oversized(claudeAdapter, { ...head, hook_event_name: "Stop" }).transcript)
    const told = oversized(geminiAdapter, { ...head, hook_event_name: "AfterAgent" })
    assert.deepStrictEqual([told.transcript, told.retold], [undefined, undefined])
  })
})
