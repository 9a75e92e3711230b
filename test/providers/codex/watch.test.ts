import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { Notification } from "../../../src/providers/codex/appServer.ts"
import { type UsageWatch, usageWatch } from "../../../src/providers/codex/watch.ts"
import { usageTotals } from "../../../src/recorder/usageTotals.ts"
import { fixtures } from "./fixtures.ts"

/** What the real app-server told in one turn of four model responses. */
const captured: ReadonlyArray<Notification> = fs
  .readFileSync(path.join(fixtures, "app-server-session.log"), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("<<< "))
  .map((line) => JSON.parse(line.slice(4)))
  .filter((message) => message.method !== undefined)

const counts = (total: number) => ({
  totalTokens: total,
  inputTokens: total - 50,
  cachedInputTokens: 0,
  cacheWriteInputTokens: 0,
  outputTokens: 50,
  reasoningOutputTokens: 0
})
const updated = (total: number, last: number, turnId = "t1", threadId = "a"): Notification => ({
  method: "thread/tokenUsage/updated",
  params: { threadId, turnId, tokenUsage: { total: counts(total), last: counts(last) } }
})
const turnStarted = (id: string, threadId = "a"): Notification => ({
  method: "turn/started",
  params: { threadId, turn: { id } }
})

const hear = (watch: UsageWatch, ...notifications: ReadonlyArray<Notification>) =>
  notifications.flatMap((one) => watch.hear(one) ?? [])
const sumOf = (deliveries: ReturnType<typeof hear>) =>
  usageTotals(deliveries.flatMap((one) => one.events) as unknown as Parameters<typeof usageTotals>[0])[
    "codex-app-server"
  ]?.total_tokens

/** What Codex says of a thread that it has loaded. */
const idle = { id: "a", sessionId: "a", cwd: "/p", preview: "Hello.", forkedFromId: null, status: { type: "idle" } }

describe("the usage of an app-server", () => {
  it("is told once for each model response of a captured session", () => {
    const deliveries = hear(usageWatch(), ...captured)
    assert.strictEqual(deliveries.length, 4)
    const [first] = deliveries
    const thread = "01a22aa6-2d1e-7281-a5da-5fa4c6aa5a9f"
    assert.deepStrictEqual(first?.events[0], {
      kind: "turn_usage",
      payload: {
        source: "codex-app-server",
        messages: [
          {
            message_id: `${thread}:1131`,
            model: "gpt-5.5",
            input_tokens: 481,
            output_tokens: 50,
            cache_creation_input_tokens: 0,
            cache_read_input_tokens: 600,
            reasoning_output_tokens: 10,
            total_tokens: 1131
          }
        ]
      },
      identity: ["app_server_usage", thread, "1131"],
      turnId: "01a22aa6-2d49-7400-a141-978216a9f854",
      providerIds: { thread_id: thread },
      usage: {
        source: "codex-app-server",
        input_tokens: 481,
        output_tokens: 50,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 600,
        reasoning_output_tokens: 10,
        total_tokens: 1131
      }
    })
    assert.deepStrictEqual([first?.sessionId, first?.cwd, first?.opens], [thread, "/home/dev/project", false])
    // The last total that the log has.
    assert.strictEqual(sumOf(deliveries), 4530)
  })

  it("tells a total that comes again once", () => {
    assert.strictEqual(hear(usageWatch(), updated(1000, 1000), updated(1000, 1000)).length, 1)
  })

  it("leaves out where a joined thread stood, but not the turns that began since", () => {
    const watch = usageWatch()
    watch.joined("a", idle)
    const told = hear(watch, updated(9000, 1000, "old"), turnStarted("new"), updated(10_000, 1000, "new"))
    assert.strictEqual(sumOf(told), 1000)
    const fresh = usageWatch()
    fresh.joined("a", idle)
    assert.strictEqual(sumOf(hear(fresh, turnStarted("new"), updated(1000, 1000, "new"))), 1000)
  })

  it("counts from the first response of a thread that is joined in the middle of a turn", () => {
    const watch = usageWatch()
    watch.joined("a", { ...idle, status: { type: "active", activeFlags: [] } })
    assert.strictEqual(sumOf(hear(watch, updated(9000, 1000), updated(9500, 500))), 1500)
  })

  it("counts what a new thread used before it could be joined", () => {
    const watch = usageWatch()
    hear(watch, { method: "thread/started", params: { thread: { ...idle, preview: "" } } })
    watch.joined("a", { ...idle, status: { type: "active", activeFlags: [] } })
    assert.strictEqual(sumOf(hear(watch, updated(3000, 1000))), 3000)
  })

  it("makes up for what was missed, by the difference to the total before", () => {
    assert.strictEqual(sumOf(hear(usageWatch(), updated(1000, 1000), updated(4000, 1000))), 4000)
  })

  it("takes the last response alone when a total begins again, or is the first of a fork", () => {
    assert.strictEqual(sumOf(hear(usageWatch(), updated(5000, 1000))), 1000)
    assert.strictEqual(sumOf(hear(usageWatch(), updated(5000, 1000), updated(1200, 1200))), 2200)
  })

  it("belongs to the session of a subagent's parent", () => {
    const watch = usageWatch()
    hear(watch, { method: "thread/started", params: { thread: { id: "child", sessionId: "parent", cwd: "/p" } } })
    const [delivery] = hear(watch, updated(1000, 1000, "t1", "child"))
    assert.strictEqual(delivery?.sessionId, "parent")
    assert.deepStrictEqual(delivery?.events[0]?.providerIds, { thread_id: "child", agent_id: "child" })
  })

  it("is nothing where a notification has another shape", () => {
    const odd: ReadonlyArray<Notification> = [
      { method: "thread/tokenUsage/updated", params: {} },
      { method: "thread/tokenUsage/updated", params: { threadId: "a", tokenUsage: { total: "x", last: null } } },
      { method: "turn/started", params: { threadId: "a" } },
      { method: "thread/started", params: { thread: null } }
    ]
    assert.deepStrictEqual(hear(usageWatch(), ...odd), [])
  })
})
