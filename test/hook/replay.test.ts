import { assert, describe, inject, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { compiledHook, diagnosticsOf, nodeHook, recordingUser, runHook, snapshot } from "../support/recording.ts"

const prompt = {
  session_id: "s1",
  transcript_path: "/none",
  hook_event_name: "UserPromptSubmit",
  prompt: "Hello",
  permission_mode: "default"
}

describe.each([
  ["compiled", compiledHook],
  ["on Node", nodeHook]
] as const)("the hook, %s, in an environment that names a replay nobody runs", (_, program) => {
  it.live("lets the agent go on, records nothing anywhere, and says so to the user", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      const before = snapshot(user.project)
      for (const id of ["claude:replay-20261130-080000-0011223344556677", "../../elsewhere", "x".repeat(5000)]) {
        const named = { ...user, env: { ...user.env, LINT_AI_REPLAY_SESSION_ID: id } }
        const run = runHook(program(inject("builtProgram")), named, { ...prompt, cwd: user.project })
        assert.deepStrictEqual([run.status, run.stdout, run.stderr], [0, "", ""])
      }
      assert.deepStrictEqual(snapshot(user.project), before)
      assert.deepStrictEqual(
        diagnosticsOf(user).map(({ tag }) => tag),
        ["ReplayUnknown", "ReplayUnknown", "ReplayUnknown"]
      )
      assert.include(diagnosticsOf(user)[0]?.detail ?? "", "names no replay of this user")
    }).pipe(Effect.scoped)
  )
})
