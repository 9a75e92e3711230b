import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { inject } from "vitest"
import type { Fault } from "../support/faultPoints.ts"
import { compiledHook, snapshot, type TestUser } from "../support/recording.ts"
import { pointsOf, recordedUsers } from "./crashUser.ts"
import { agentSession } from "./deliveries.ts"
import { runDelivery } from "./hookRun.ts"

const program = () => compiledHook(inject("faultyProgram"))

/** Where something is put in the place of what was just looked at. */
const swapped: ReadonlySet<string> = new Set([
  "events open",
  "checkpoint open",
  "manifest open",
  "anchor open",
  "lock open",
  "lock link",
  "checkpoint rename",
  "manifest rename",
  "diagnostics open"
])

describe("a link that takes a file's place between the look and the use", () => {
  it.live("leads the hook nowhere, and harms no agent", () =>
    Effect.gen(function* () {
      const [user] = yield* recordedUsers(1)
      assert.isDefined(user)
      const victim = path.join(user.directory, "victim")
      const reset = () => {
        fs.rmSync(victim, { recursive: true, force: true })
        fs.mkdirSync(victim)
        fs.writeFileSync(path.join(victim, "file"), "theirs")
      }
      reset()
      const before = snapshot(victim)
      const traced = agentSession(user, "claude", "traced")
      yield* Effect.promise(() => runDelivery(program(), user, traced.step(0)))
      const points = (yield* Effect.promise(() => pointsOf(program(), user, traced.step(1)))).filter(
        ({ place, operation }) => swapped.has(`${place} ${operation}`)
      )
      assert.isAtLeast(points.length, 6)
      for (const [number, point] of points.entries()) {
        for (const target of ["file", "directory", "new"]) {
          const session = agentSession(user as TestUser, "claude", `swap-${number}-${target}`)
          yield* Effect.promise(() => runDelivery(program(), user, session.step(0)))
          const to = path.join(victim, ...(target === "file" ? ["file"] : target === "new" ? ["new"] : []))
          const faults: ReadonlyArray<Fault> = [{ ...point, side: "before", action: `link:${to}` }]
          const end = yield* Effect.promise(() =>
            runDelivery(program(), user, session.step(1), { faults, env: { LINT_AI_HOOK_TIMEOUT_MS: "3000" } })
          )
          const name = `${point.place} ${point.operation} to ${target}`
          assert.deepStrictEqual([end.exitCode, end.stdout, end.stderr], [0, "", ""], name)
          assert.deepStrictEqual(snapshot(victim), before, name)
        }
      }
    })
  )
})
