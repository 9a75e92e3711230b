import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { runCommand } from "../support/cli.ts"
import { append, ended, prompt, started } from "../support/events.ts"
import { machineOf, recordingUser, type TestUser } from "../support/recording.ts"

const json = (user: TestUser, ...args: ReadonlyArray<string>) =>
  Effect.map(runCommand(user, [...args, "--json"]), ({ out }) => JSON.parse(out))

const shifted = (time: string, milliseconds: number): string => new Date(Date.parse(time) + milliseconds).toISOString()

const failures = (file: string, lines: ReadonlyArray<object>): void => {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.appendFileSync(
    file,
    lines.map((line) => `${JSON.stringify({ provider: "claude", tag: "DiskError", ...line })}\n`).join("")
  )
}

describe("hooks that failed while a session ran", () => {
  it.live("are counted where it is inspected and verified, those of other times, agents and projects are not", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      yield* append(user, [started(), prompt("p"), ended()]).pipe(Effect.provide(machineOf(user)))
      const before = yield* json(user, "sessions", "inspect")
      assert.strictEqual(before.failed_hooks, 0)
      const { started_at: from, ended_at: to } = before
      failures(path.join(user.project, ".lint-ai", "diagnostics.jsonl"), [
        { time: shifted(from, -1) },
        { time: from },
        { time: from, provider: "codex" },
        { time: shifted(to, 1) }
      ])
      failures(path.join(user.state, "diagnostics.jsonl"), [
        { time: to, project: user.project },
        { time: to, project: path.join(user.project, "other") },
        { time: to }
      ])
      assert.strictEqual((yield* json(user, "sessions", "inspect")).failed_hooks, 2)
      assert.match((yield* runCommand(user, ["sessions", "inspect"])).out, /Failed hooks +2: what they would have/)
      const verified = yield* json(user, "sessions", "verify")
      assert.deepStrictEqual([verified.verdict, verified.failed_hooks], ["complete", 2])
      assert.strictEqual((yield* json(user, "sessions", "verify", "--all")).sessions[0].failed_hooks, 2)
      assert.include((yield* runCommand(user, ["sessions", "verify"])).out, "2 hooks failed meanwhile")
    })
  )
})
