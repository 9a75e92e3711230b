import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { inject } from "vitest"
import { compiledHook, diagnosticsOf } from "../support/recording.ts"
import { faultsOf } from "./archiveCheck.ts"
import { read, recordedUsers } from "./crashUser.ts"
import { agentSession } from "./deliveries.ts"
import { runDelivery } from "./hookRun.ts"

const day = 24 * 60 * 60 * 1000

describe("a clock that jumps", () => {
  it.live("back by a day and forward by a year changes neither order, chain nor locks", () =>
    Effect.gen(function* () {
      const [user] = yield* recordedUsers(1)
      assert.isDefined(user)
      const program = compiledHook(inject("faultyProgram"))
      const session = agentSession(user, "codex", "clock")
      const marks: Array<string> = []
      for (const [n, wrongBy] of [0, -day, -10 * day, 365 * day, -1, 0].entries()) {
        const delivery = session.step(n)
        // One in between dies with its lock held: whoever comes next, in whatever year, takes it over.
        const faults =
          n === 2 ? [{ place: "events", operation: "write", side: "after", nth: 1, action: "kill" } as const] : []
        const end = yield* Effect.promise(() =>
          runDelivery(program, user, delivery, { faults, env: { LINT_AI_TEST_CLOCK_MS: String(wrongBy) } })
        )
        if (n !== 2) assert.strictEqual(end.exitCode, 0)
        marks.push(delivery.mark)
      }
      const held = yield* Effect.promise(() => read(user, "codex", "clock"))
      assert.deepStrictEqual(faultsOf(held, { acknowledged: marks, sent: marks, settled: true }), [])
      assert.deepStrictEqual(
        held.events.map((event) => (event.kind === "user_prompt" ? event.payload.text : event.kind)),
        marks
      )
      const times = held.events.map((event) => Date.parse(event.timestamp))
      assert.isBelow(times[1] ?? 0, times[0] ?? 0, "each event keeps the time that its clock told")
      assert.deepStrictEqual(diagnosticsOf(user), [])
    })
  )
})
