import * as Effect from "effect/Effect"
import { claudeAdapter } from "../../src/providers/claude/adapter.ts"
import { Recorder } from "../../src/recorder/Recorder.ts"
import { machineOf, type TestUser } from "./recording.ts"

type Payload = Readonly<Record<string, unknown>>

/** Delivers hook payloads of one session of Claude Code to the recorder, in this process. */
export const deliver = (user: TestUser, id: string, payloads: ReadonlyArray<Payload>) =>
  Effect.gen(function* () {
    const recorder = yield* Recorder
    for (const payload of payloads) {
      const delivery = yield* claudeAdapter.read({
        payload: { session_id: id, cwd: user.project, ...payload },
        event: undefined,
        env: user.env
      })
      yield* recorder.record(claudeAdapter, delivery, 1_000)
    }
  }).pipe(Effect.provide(machineOf(user)))

export const start: Payload = { hook_event_name: "SessionStart", source: "startup" }
export const prompt = (number: number, text = `prompt ${number}`): Payload => ({
  hook_event_name: "UserPromptSubmit",
  prompt_id: `p${number}`,
  prompt: text
})
export const call = (number: number, command = "true"): Payload => ({
  hook_event_name: "PreToolUse",
  prompt_id: "p1",
  tool_name: "Bash",
  tool_input: { command },
  tool_use_id: `t${number}`
})
export const end: Payload = { hook_event_name: "SessionEnd", reason: "other" }
