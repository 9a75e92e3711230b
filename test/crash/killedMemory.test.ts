import { spawn } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { inject } from "vitest"
import { Toggles } from "../../src/control/Toggles.ts"
import { MemoryStore } from "../../src/memory/MemoryStore.ts"
import { memoryPlace } from "../../src/memory/memoryPlace.ts"
import { sizeOf } from "../support/proofRun.ts"
import { compiledHook, diagnosticsOf, machineOf, newUser, type TestUser } from "../support/recording.ts"

/** How many hooks are killed; LINT_AI_CRASH_MEMORY_KILLS makes it a long test. One in four is. */
const kills = sizeOf("CRASH_MEMORY_KILLS", 20)
const oneIn = 4
const lanes = 4

/** The end of a turn, after `killAfterMs` of which the hook is killed if it still runs. Gives whether it ended by itself. */
const endTurn = (program: ReadonlyArray<string>, user: TestUser, name: string, killAfterMs?: number) =>
  new Promise<{ readonly acknowledged: boolean; readonly ms: number }>((resolve) => {
    const began = performance.now()
    const [command = "", ...args] = program
    const child = spawn(command, [...args, "hook", "claude"], {
      cwd: user.project,
      env: user.env,
      stdio: ["pipe", "ignore", "ignore"]
    })
    const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfterMs)
    child.stdin.on("error", () => {
      // It was killed before it read.
    })
    const text = `The ledger called ${name} was rebuilt from its snapshot, because the invoices of that day were missing.`
    child.stdin.end(
      JSON.stringify({ session_id: name, hook_event_name: "Stop", prompt_id: "p", last_assistant_message: text })
    )
    child.on("close", (exitCode) => {
      clearTimeout(timer)
      resolve({ acknowledged: exitCode === 0, ms: performance.now() - began })
    })
  })

describe("hooks that are killed while they remember", () => {
  it.live("lose no memory that was acknowledged, and leave an index that agrees with the segments", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* Effect.flatMap(Toggles, (toggles) =>
        toggles.change(user.project, "claude", (before) => ({ ...before, memory: true, mode: "assist" }))
      ).pipe(Effect.provide(machineOf(user)))
      const program = compiledHook(inject("builtProgram"))
      const acknowledged: Array<string> = []
      const times: Array<number> = []
      let started = 0
      const lane = async () => {
        while (started < kills * oneIn) {
          const name = `ledger${started++}`
          const usual = times.slice(-20).sort((a, b) => a - b)[10] ?? 50
          const end = await endTurn(program, user, name, started % oneIn === 0 ? Math.random() * usual : undefined)
          if (end.acknowledged) {
            acknowledged.push(name)
            times.push(end.ms)
          }
        }
      }
      yield* Effect.promise(() => Promise.all(Array.from({ length: lanes }, lane)))
      assert.deepStrictEqual(diagnosticsOf(user), [])
      assert.isBelow(acknowledged.length, started)

      yield* Effect.gen(function* () {
        const store = yield* MemoryStore
        const place = yield* memoryPlace(user.project, "claude")
        const sessions = Effect.map(store.list(place, 10_000), (memories) => memories.map((one) => one.session_id))
        const before = yield* sessions
        assert.strictEqual(new Set(before).size, before.length, "no memory twice")
        const there = new Set(before)
        assert.deepStrictEqual(
          acknowledged.filter((name) => !there.has(`claude:${name}`)),
          []
        )
        const [found] = yield* store.search(place, `what became of ${acknowledged[3]}`, 1)
        assert.strictEqual(found?.memory.session_id, `claude:${acknowledged[3]}`)
        yield* store.rebuild(place)
        assert.deepStrictEqual([...(yield* sessions)].sort(), [...before].sort())
      }).pipe(Effect.provide(machineOf(user)))
    }).pipe(Effect.scoped)
  )
})
