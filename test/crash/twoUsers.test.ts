import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { inject } from "vitest"
import { compiledHook, snapshot, userIn } from "../support/recording.ts"
import { faultsOf } from "./archiveCheck.ts"
import { read, recordedUsers } from "./crashUser.ts"
import { agentSession } from "./deliveries.ts"
import { runDelivery } from "./hookRun.ts"

/** `nobody` on most systems. Only root may run a program as somebody else; for anybody else the second user is one by home and key alone. */
const otherId = process.getuid?.() === 0 ? 65534 : undefined

describe("two users of one machine", () => {
  it.live("in one project that both may write: the second one's hooks change nothing, and see nothing", () =>
    Effect.gen(function* () {
      const [owner] = yield* recordedUsers(1)
      assert.isDefined(owner)
      // The tests' own copy is for their user alone.
      const [built = ""] = compiledHook(inject("builtProgram"))
      const everybodys = path.join(owner.directory, "lint-ai")
      fs.copyFileSync(built, everybodys)
      fs.chmodSync(everybodys, 0o755)
      const program = [everybodys]
      const session = agentSession(owner, "claude", "shared")
      yield* Effect.promise(() => runDelivery(program, owner, session.step(0)))
      const other = userIn(owner.directory, "other")
      for (const open of [
        owner.directory,
        path.dirname(owner.project),
        owner.project,
        path.dirname(other.project),
        other.home
      ]) {
        fs.chmodSync(open, 0o777)
      }
      const before = snapshot(owner.project)
      const env = { ...other.env, CLAUDE_PROJECT_DIR: owner.project }
      const end = yield* Effect.promise(() =>
        runDelivery(
          program,
          { project: owner.project, env },
          session.step(1),
          otherId === undefined ? {} : { uid: otherId }
        )
      )
      assert.deepStrictEqual([end.exitCode, end.stdout, end.stderr], [0, "", ""])
      assert.deepStrictEqual(snapshot(owner.project), before)
      if (otherId !== undefined) {
        // What the second user leaves in the way of the first one, whose project it is not.
        const sessions = path.join(owner.project, ".lint-ai")
        assert.strictEqual(fs.statSync(sessions).mode & 0o777, 0o700)
      }
      const next = yield* Effect.promise(() => runDelivery(program, owner, session.step(2)))
      assert.strictEqual(next.exitCode, 0)
      const held = yield* Effect.promise(() => read(owner, "claude", "shared"))
      const marks = [session.step(0).mark, session.step(2).mark]
      assert.deepStrictEqual(
        faultsOf(held, { acknowledged: marks, sent: [...marks, session.step(1).mark], settled: true }),
        []
      )
    })
  )

  it.live("and two projects of one user keep apart what has one session id", () =>
    Effect.gen(function* () {
      const users = yield* recordedUsers(2)
      const program = compiledHook(inject("builtProgram"))
      yield* Effect.promise(() =>
        Promise.all(
          users.flatMap((user) => {
            const session = agentSession(user, "claude", "same")
            return [0, 1, 2].map((n) =>
              runDelivery(program, user, {
                ...session.step(n),
                payload: { ...(session.step(n).payload as object), prompt: `${user.project} ${n}` }
              })
            )
          })
        )
      )
      for (const user of users) {
        const held = yield* Effect.promise(() => read(user, "claude", "same"))
        const text = JSON.stringify(held.events.map((event) => event.payload))
        for (const other of users) if (other !== user) assert.notInclude(text, other.project)
        assert.strictEqual(held.verification?.verdict, "complete")
      }
    })
  )
})
