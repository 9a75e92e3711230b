import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, inject, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { claudeArchive, compiledHook, nodeHook, recordingUser, runHook } from "../support/recording.ts"

const programs: Readonly<Record<string, () => ReadonlyArray<string>>> = {
  "the binary": () => compiledHook(inject("builtProgram")),
  "the bundle": () => nodeHook(inject("builtProgram")),
  "the bundle of all commands": () => [process.execPath, path.join(inject("builtProgram"), "main.mjs")]
}

describe("the time that a manifest says hooks took", () => {
  for (const [name, program] of Object.entries(programs)) {
    it.live(`is no more than their processes lived (${name})`, () =>
      Effect.gen(function* () {
        const user = yield* recordingUser
        const lived: Array<number> = []
        for (const tool_use_id of ["one", "two", "three"]) {
          const began = performance.now()
          const { status } = runHook(program(), user, {
            session_id: "timed",
            transcript_path: "",
            cwd: user.project,
            hook_event_name: "PreToolUse",
            tool_name: "Bash",
            tool_input: { command: "true" },
            tool_use_id
          })
          lived.push(performance.now() - began)
          assert.strictEqual(status, 0)
        }
        const { timing } = JSON.parse(fs.readFileSync(claudeArchive(user, "timed").manifest, "utf8"))
        const { count, total, max } = timing.recording
        assert.strictEqual(count, 3)
        assert.isAbove(total, 0)
        assert.isAtMost(
          total,
          lived.reduce((sum, one) => sum + one)
        )
        assert.isAtMost(max, Math.max(...lived))
      }).pipe(Effect.scoped)
    )
  }
})
