import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { deliver, end, prompt, start } from "../support/claudeDeliveries.ts"
import { runCommand } from "../support/cli.ts"
import { recordingUser } from "../support/recording.ts"

describe("status of a memory", () => {
  it.live("says that one which came from elsewhere is not read, and what to do", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      yield* deliver(user, "s1", [
        start,
        prompt(1, "Where is the login?"),
        { hook_event_name: "Stop", prompt_id: "p1", last_assistant_message: "In login.ts, line 12." },
        end
      ])
      yield* runCommand(user, ["memory", "promote", "s1", "--yes"])
      const own = yield* runCommand(user, ["status"], { columns: 200 })
      assert.notInclude(own.out, "not yours")
      const owner = path.join(user.project, ".lint-ai", "claude-memory", "owner.json")
      const signed = JSON.parse(fs.readFileSync(owner, "utf8"))
      fs.writeFileSync(owner, JSON.stringify({ ...signed, signature: "0".repeat(64) }))
      const run = yield* runCommand(user, ["status"], { columns: 200 })
      assert.match(run.out, /Memory +off; what is there is not yours .*lint-ai memory adopt/)
      const data = JSON.parse((yield* runCommand(user, ["status", "--json"])).out)
      assert.strictEqual(data.providers[0].memory_unread_because, "unsigned")
      assert.notProperty(data.providers[1], "memory_unread_because")
      yield* runCommand(user, ["memory", "adopt", "--yes"])
      assert.notInclude((yield* runCommand(user, ["status"], { columns: 200 })).out, "not yours")
    }).pipe(Effect.scoped)
  )
})
