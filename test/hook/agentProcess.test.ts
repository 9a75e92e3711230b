import { spawn } from "node:child_process"
import { assert, describe, inject, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { claudeArchive, compiledHook, manifestOf, recordingUser } from "../support/recording.ts"

/** Runs a command as this process's child to its end, with a payload on stdin. */
const deliver = (
  command: string,
  args: ReadonlyArray<string>,
  user: { project: string; env: object },
  payload: object
) =>
  Effect.callback<void>((resume) => {
    const child = spawn(command, args, { cwd: user.project, env: { ...user.env }, stdio: ["pipe", "ignore", "ignore"] })
    child.on("exit", () => resume(Effect.void))
    child.stdin.end(JSON.stringify(payload))
  })

describe.skipIf(process.platform !== "linux")("the process of an agent that does not tell it", () => {
  it.live.each([
    ["the hook itself", false],
    ["a shell that starts the hook", true]
  ] as const)("is the one that started %s", ([, throughShell]) =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      const [binary = ""] = compiledHook(inject("builtProgram"))
      const payload = { session_id: "s", hook_event_name: "SessionStart", source: "startup", cwd: user.project }
      yield* throughShell
        ? deliver("/bin/sh", ["-c", `'${binary}' hook claude; true`], user, payload)
        : deliver(binary, ["hook", "claude"], user, payload)
      assert.strictEqual(manifestOf(claudeArchive(user, "s").manifest).agent_process?.pid, process.pid)
    })
  )
})
